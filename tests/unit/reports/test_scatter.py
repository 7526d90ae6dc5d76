"""Quality against cost: what is drawn, what is a bound, and that nothing leaves the paper or covers something else."""

from itertools import combinations

import pytest

from contracts.metrics import MetricValue
from contracts.reports import LedgerCost, Report
from evaluation_assets.reports.scatter import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Point, quality_cost, quality_cost_svg, scatter
from tests import builders
from tests.unit.reports.reading import read


def arm(name: str, quality: float | None, cost: float | None, known: float | None = None) -> tuple[MetricValue, ...]:
    return (
        builders.metric(f"model_pool.arm.{name}.quality", quality, unit="score"),
        builders.metric(f"model_pool.arm.{name}.runtime_cost_usd", cost, unit="USD"),
        builders.metric(f"model_pool.arm.{name}.known_runtime_cost_usd", cost if known is None else known, unit="USD"),
    )


def run(*arms: tuple[MetricValue, ...], routed: float | None = 0.7, calls: int = 4, cost: LedgerCost | None = None) -> Report:
    metrics = [metric for one in arms for metric in one]
    metrics += [
        builders.metric("model_pool.best_single_quality", 0.75, unit="score"),
        builders.metric("model_pool.oracle_quality", 0.9, unit="score"),
        builders.metric("joint.realized_quality", routed, unit="score", planned_n=calls),
    ]
    ledgers = builders.report().costs[1:]
    return builders.report(metrics=tuple(metrics), costs=(cost or builders.complete_cost("runtime"), *ledgers))


def test_frontier_keeps_what_no_arm_beats() -> None:
    arms = [Point("cheap", 0.5, 1.0), Point("beaten", 0.4, 2.0), Point("good", 0.8, 3.0), Point("dear", 0.8, 4.0)]
    picture = scatter(arms, [("oracle", "perfect router", 0.9)])
    assert len(picture.frontier.split()) == 2
    assert "good\u2069 costs 2 USD more than \u2068cheap\u2069 and gains 0.3" in picture.description
    assert picture.marks[0].point.name == "good"


@pytest.mark.parametrize(
    "points",
    [
        pytest.param([Point("only", 0.0, 0.0)], id="one arm at the origin"),
        pytest.param([Point("a", 0.5, 0.0), Point("b", 0.5, 0.0)], id="two equal free arms"),
        pytest.param([Point("x" * 512, 1e-9, 1e-9), Point("y", 1.0, 1e6)], id="far apart and a long name"),
        pytest.param([Point(f"arm-{n}", 0.5 + n / 200, 0.01 + n / 9000, complete=bool(n % 2)) for n in range(64)], id="64 arms"),
        pytest.param([Point("a", 0.5, 1.0), Point("routed system", 0.5, 1.0, routed=True)], id="the router is one arm"),
    ],
)
def test_scatter_stays_on_the_paper(points: list[Point]) -> None:
    picture = scatter(points, [("oracle", "perfect router", 0.7), ("single", "best single arm", 0.69)])
    assert len(picture.marks) == len(points)
    for mark in picture.marks:
        assert LEFT <= mark.x <= WIDTH - RIGHT
        assert TOP <= mark.y <= HEIGHT - BOTTOM
    placed = [(m.label_x, m.label_y, 7.6 * (len(m.label) - 2)) for m in picture.marks if m.label]
    assert all(x >= LEFT and x + wide <= WIDTH for x, _, wide in placed)
    assert not any(abs(b[1] - a[1]) < 12 and a[0] < b[0] + b[2] and b[0] < a[0] + a[2] for a, b in combinations(placed, 2))
    assert 1 <= len(picture.x_ticks) <= 7
    assert all(LEFT <= tick.at <= WIDTH - RIGHT + 0.5 for tick in picture.x_ticks)


def test_two_arms_at_one_place_are_labelled_once_and_both_drawn() -> None:
    picture = scatter([Point("a" * 20, 0.5, 1.0), Point("b" * 20, 0.5, 1.0)], [])
    assert len(picture.marks) == 2


def test_levels_that_are_close_have_their_words_apart() -> None:
    close = scatter([Point("a", 0.2, 1.0)], [("oracle", "perfect router", 0.76), ("single", "best single arm", 0.75)])
    apart = scatter([Point("a", 0.2, 1.0)], [("oracle", "perfect router", 0.9), ("single", "best single arm", 0.4)])
    assert close.lines[0].end != close.lines[1].end
    assert apart.lines[0].end == apart.lines[1].end


def test_an_incomplete_cost_is_a_bound_and_on_no_frontier() -> None:
    picture = quality_cost(run(arm("cheap", 0.5, None, 0.001), arm("mid", 0.6, 0.002), arm("dear", 0.75, 0.003))).picture
    assert picture is not None
    assert picture.bounds
    assert {mark.point.name: mark.point.complete for mark in picture.marks} == {
        "cheap": False,
        "mid": True,
        "dear": True,
        "routed system": True,
    }
    assert len(picture.frontier.split()) == 2
    assert "cheap" not in picture.description


def test_unpriced_arms_are_named_and_not_drawn() -> None:
    drawn = quality_cost(run(arm("free", 0.5, 0.0), arm("unpriced", 0.75, None), arm("ungraded", None, 0.1)))
    assert drawn.picture is not None
    assert drawn.unplotted == ("ungraded", "unpriced")
    nothing = quality_cost(run(arm("unpriced", 0.75, None)))
    assert nothing.picture is None
    assert quality_cost_svg(run(arm("unpriced", 0.75, None))) is None


@pytest.mark.parametrize(
    ("changes", "drawn"),
    [
        pytest.param({}, True, id="as many calls as cases"),
        pytest.param({"calls": 8}, False, id="two attempts a case cost another thing"),
        pytest.param({"routed": None}, False, id="no routed quality"),
        pytest.param({"cost": builders.incomplete_cost("runtime")}, False, id="no cost at all"),
        pytest.param({"cost": builders.incomplete_cost("runtime", "1500000000")}, True, id="a part of the cost"),
    ],
)
def test_the_routed_system_is_drawn_where_it_can_be_compared(changes: dict[str, object], drawn: bool) -> None:
    picture = quality_cost(run(arm("a", 0.75, 0.002), **changes)).picture  # type: ignore[arg-type]
    assert picture is not None
    marks = [mark for mark in picture.marks if mark.point.routed]
    assert len(marks) == drawn
    if changes.get("cost") and drawn:
        assert not marks[0].point.complete
        assert "at least 0.0015 USD" in picture.description


def test_standing_alone_it_carries_colours_and_both_lines() -> None:
    drawn = quality_cost_svg(run(arm("a", 0.75, 0.002)))
    assert drawn is not None
    (svg,) = [element for element in read(drawn).parts if not isinstance(element, str)]
    assert svg.attributes["xmlns"] == "http://www.w3.org/2000/svg"
    assert "perfect router 0.9" in svg.text
    assert "best single arm 0.75" in svg.text
    assert b"var(" not in drawn
    assert drawn == quality_cost_svg(run(arm("a", 0.75, 0.002)))
