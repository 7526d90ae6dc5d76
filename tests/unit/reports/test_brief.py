"""The six questions of a stranger: each has an answer in every kind of report, and E0 gives none that reads like a headline."""

import pytest

from contracts.gates import Disposition, Verdict
from contracts.measured import Reason
from contracts.metrics import MetricValue
from contracts.reports import Report
from contracts.tracks import Track
from evaluation_assets.reports.brief import answers
from evaluation_assets.reports.page import render
from evaluation_assets.reports.pool_story import told
from tests import builders
from tests.unit.reports.reading import read

LEVEL_4 = {
    "evidence_level": "E4",
    "environment_kind": "live",
    "coverage": tuple(builders.coverage(track, 64, 0, 0, "E4") for track in (Track.ROUTING, Track.MODEL_POOL, Track.JOINT)),
}


def brief(report: Report) -> list[str]:
    whole = {metric.metric_id: metric for metric in report.metrics if metric.slice == "all"}
    return [" ".join(answer.sentences) for answer in answers(report, whole)]


def story(*metrics: MetricValue) -> str:
    return " ".join(told({metric.metric_id: metric for metric in metrics}))


def test_every_question_is_answered_and_leads_to_a_section() -> None:
    for report in (builders.report(), builders.report(**LEVEL_4, subject=builders.mixture()), builders.report(pool=None, suites=())):
        shown = read(render(report))
        rows = shown.by_id("brief").all("dl")[0].all("div")
        assert len(rows) == 6
        for row in rows:
            assert row.all("dt")[0].text.endswith("?")
            assert all(line.text.endswith(".") for line in row.all("p") if not line.all("a"))
            assert shown.by_id(row.all("a")[0].attributes["href"][1:])


def test_a_mixture_is_named_by_its_recipe_its_arms_and_its_alias() -> None:
    (said, *_) = brief(builders.report(subject=builders.mixture()))
    assert said == (
        "The mixture of models \u2068house\u2069: 2 decisions choose among 2 arms (\u2068arm-a\u2069 and \u2068arm-b\u2069). "
        "It answers to \u2068house/auto\u2069."
    )


def test_a_recorded_target_says_that_its_policy_was_not_frozen() -> None:
    assert "What chose among the arms was not frozen." in brief(builders.report())[0]
    assert "no arm of its own" in brief(builders.report(suites=()))[0]


def test_the_cohort_is_counted() -> None:
    suites = (builders.report_suite(), builders.report_suite(suite_id="big", name="Big", case_count=1000, selected_cases=50))
    assert brief(builders.report(suites=suites))[1] == (
        "\u2068Evaluation smoke\u2069 (all 4 cases) and \u2068Big\u2069 (50 of 1,000 cases). "
        "16 cells planned in 3 tracks: 2 failed, 1 unavailable."
    )


def test_what_stands_against_a_promotion_names_gates_and_what_they_lack() -> None:
    gates = (
        *builders.gates(*[Verdict.PASS] * 3, Verdict.FAIL)[:6],
        builders.gate(6, disposition=Disposition.ADVISORY),
        *(builders.gate(number, Verdict.NOT_APPLICABLE) for number in (7, 8, 9)),
    )
    assert brief(builders.report(gates=gates))[3] == (
        "3 of 6 required gates pass. G3 Offline value fails. G4 Declared-shift robustness is missing controlled pair. "
        "G5 Live fidelity is missing controlled pair. Advisory, not passed either: G6."
    )


def test_e0_gives_no_result_in_the_brief() -> None:
    assert not any(character.isdigit() for character in brief(builders.report())[4].replace("E0", ""))
    assert "Best single arm: \u2068arm-a\u2069, with a mean quality of 0.75." in brief(builders.report(**LEVEL_4))[4]


def test_without_a_pool_nothing_is_claimed() -> None:
    assert "nothing can be said" in brief(builders.report(pool=None, **LEVEL_4))[4]


@pytest.mark.parametrize("environment", ["recorded", "counterfactual", "reference", "live"])
def test_costs_say_what_is_complete_and_whose_they_are(environment: str) -> None:
    said = brief(builders.report(environment_kind=environment))[5]
    assert "Runtime: 0.0025 USD, complete (4 calls)." in said
    assert "Evaluation overhead: at least 0.0015 USD, incomplete: 3 of 4 calls priced; no price is known." in said
    assert "Capacity: unknown: 0 of 4 calls priced; no price is known." in said
    assert ("nothing was bought" in said or "bought nothing" in said) == (environment != "live")


@pytest.mark.parametrize("environment", ["counterfactual", "reference"])
def test_made_up_numbers_are_marked_wherever_numbers_stand(environment: str) -> None:
    shown = read(render(builders.report(environment_kind=environment, subject=builders.mixture())))
    for section in ("metrics", "pool", "costs"):
        assert f"{environment}: made up" in shown.by_id(section).all("header")[0].text
    assert environment in shown.all("section")[0].all("li")[10].text.lower()  # the first limit, after ten gates
    assert "made up" not in read(render(builders.report())).text


QUALITY = "model_pool.best_single_quality"
ARMS = (builders.metric("model_pool.arm.a.b.quality", 0.5), builders.metric("model_pool.arm.c.quality", 0.25))


@pytest.mark.parametrize(
    ("metrics", "said"),
    [
        pytest.param(
            (*ARMS, builders.metric(QUALITY, 0.5)), "Best single arm: \u2068a.b\u2069, with a mean quality of 0.5.", id="an arm with a dot"
        ),
        pytest.param(
            (
                builders.metric("model_pool.arm.a.quality", 0.5),
                builders.metric("model_pool.arm.b.quality", 0.5),
                builders.metric(QUALITY, 0.5),
            ),
            "Best single arms: \u2068a\u2069 and \u2068b\u2069, equal with a mean quality of 0.5.",
            id="a tie",
        ),
        pytest.param(
            (builders.metric(QUALITY, None, reason=Reason.INCOMPLETE_MATRIX),),
            "The best single arm is unknown: some arms lack some cases.",
            id="an incomplete matrix",
        ),
        pytest.param(
            (builders.metric("model_pool.oracle_quality", 0.5), builders.metric("model_pool.oracle_gain", 0.0)),
            "A perfect router would add nothing: it reaches 0.5 too.",
            id="no gain",
        ),
        pytest.param(
            (builders.metric("joint.realized_quality", 0.5), builders.metric("joint.no_information_frontier_lift", 0.0)),
            "The routed system reached 0.5, the same as a best single arm.",
            id="a router that adds nothing",
        ),
        pytest.param(
            (
                *ARMS,
                builders.metric(QUALITY, 0.5),
                builders.metric("joint.realized_quality", 0.4),
                builders.metric("joint.no_information_frontier_lift", -0.1),
            ),
            "Best single arm: \u2068a.b\u2069, with a mean quality of 0.5. "
            "The routed system reached 0.4: 0.1 less than the best single arm.",
            id="a router that costs quality",
        ),
        pytest.param((), "", id="nothing measured"),
    ],
)
def test_the_pool_in_words(metrics: tuple[MetricValue, ...], said: str) -> None:
    assert story(*metrics) == said
