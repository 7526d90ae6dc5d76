"""Routing and joint metrics where rows are missing, failed, abstained, ungraded, or where there is no matrix to compare with."""

from typing import Any

import pytest

from contracts.errors import IntegrityError
from contracts.measured import Reason
from contracts.metrics import MetricValue
from contracts.tracks import Track
from evaluation_assets.reductions.registry import reduce_run
from tests.unit.reductions.runs import THREE, Row, by_id, run

CASES = [{"case_id": f"c{number}"} for number in range(4)]
RATES = ("routing.accuracy", "routing.abstention_rate", "routing.fallback_rate", "routing.success_rate")
MEANS = (
    "joint.realized_quality",
    "joint.oracle_regret",
    "joint.normalized_regret",
    "joint.oracle_capture_ratio",
    "joint.no_information_frontier_lift",
)


def dense(quality: list[list[float | None]]) -> list[Row]:
    return [
        {
            "case_id": f"c{case}",
            "arm_id": arm,
            "attempt": 1,
            "status": "unavailable" if grade is None else "succeeded",
            "success": None if grade is None else True,
            "quality": grade,
        }
        for case, grades in enumerate(quality)
        for arm, grade in zip("ab", grades, strict=True)
    ]


def route(case: int, status: str, arm: str | None = None, **more: Any) -> Row:
    return {"case_id": f"c{case}", "attempt": 1, "selection_status": status, "selected_arm_id": arm, **more}


def call(case: int, quality: float | None, status: str = "succeeded", success: bool | None = True, cost: int | None = 10**12) -> Row:
    return {
        "case_id": f"c{case}",
        "attempt": 1,
        "status": status,
        "success": success,
        "quality": quality,
        "selected_arm_id": "a",
        "runtime_cost_pico_usd": cost,
        "cost_scope": "call",
        "cost_reason": None if cost is not None else "failed_call",
    }


DENSE = dense([[1.0, 0.5], [0.0, 0.0], [0.25, 0.5], [0.5, 0.5]])
CALLS = [call(case, quality) for case, quality in enumerate([0.5, 0.0, 0.5, 1.0])]
ROUTES = [
    route(0, "selected", "a", latency_ms=1.0),
    route(1, "fallback", "b"),
    route(2, "selected", "a", latency_ms=3.0),
    route(3, "selected", "b"),
]


def reduced(
    outcomes: list[Row] = DENSE, routes: list[Row] = ROUTES, calls: list[Row] = CALLS, tracks: tuple[Track, ...] = THREE
) -> dict[str, MetricValue]:
    tables = {Track.MODEL_POOL: ("outcomes", outcomes), Track.ROUTING: ("routes", routes), Track.JOINT: ("routed_outcomes", calls)}
    return by_id(reduce_run(run("ab", tracks, cases={"s": CASES}, **{name: {"s": rows} for name, rows in map(tables.get, tracks)})))


def test_zero_oracle_cases_are_excluded_and_counted() -> None:
    got = reduced()
    for name, value in (("joint.normalized_regret", 0.5 / 3), ("joint.oracle_capture_ratio", 2.5 / 3), ("routing.accuracy", 2 / 3)):
        assert (got[name].value, got[name].n, got[name].excluded, got[name].planned_n) == (pytest.approx(value), 3, 1, 4)


def test_regret_of_an_answer_better_than_the_matrix_is_no_gain() -> None:
    got = reduced()
    assert got["joint.oracle_regret"].value == 0.125
    assert got["joint.no_information_frontier_lift"].value == 0.5 - 0.4375


def test_frontier_ties_go_to_the_first_arm_id() -> None:
    calls = [*CALLS[:1], *(call(case, 0.0) for case in (1, 2, 3))]
    got = reduced(outcomes=dense([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.5, 0.5]]), calls=calls)
    assert got["joint.no_information_frontier_lift"].value == 0.125 - 0.5


def test_all_oracles_zero() -> None:
    got = reduced(outcomes=dense([[0.0, 0.0]] * 4))
    for name in ("joint.normalized_regret", "joint.oracle_capture_ratio", "routing.accuracy"):
        assert (got[name].value, got[name].reason, got[name].excluded) == (None, Reason.ZERO_ORACLE, 4)


@pytest.mark.parametrize(
    "outcomes",
    [
        pytest.param(dense([[1.0, 0.5], [0.0, 0.0], [0.25, None], [0.5, 0.5]]), id="one cell is missing"),
        pytest.param(DENSE[:6], id="one case is not in the matrix"),
        pytest.param([], id="the matrix is empty"),
    ],
)
def test_without_a_complete_matrix_there_is_no_oracle(outcomes: list[Row]) -> None:
    got = reduced(outcomes=outcomes)
    assert {name: got[name].reason for name in ("routing.accuracy", *MEANS[1:])} == dict.fromkeys(
        ("routing.accuracy", *MEANS[1:]), Reason.NO_DENSE_MATRIX
    )
    assert got["joint.realized_quality"].value == 0.5


def test_without_the_model_pool_track_there_is_no_oracle() -> None:
    got = reduced(tracks=(Track.ROUTING, Track.JOINT))
    assert got["routing.accuracy"].reason is Reason.NO_DENSE_MATRIX
    assert got["joint.oracle_regret"].reason is Reason.NO_DENSE_MATRIX


def test_a_failed_call_is_zero_and_an_absent_one_is_nothing() -> None:
    failed = reduced(calls=[*CALLS[:3], call(3, None, "timed_out", None)])
    assert failed["joint.realized_quality"].value == 0.25
    assert failed["joint.reliability"].value == 0.75
    absent = reduced(calls=[*CALLS[:3], call(3, 1.0, "unavailable")])
    for name in MEANS:
        assert (absent[name].value, absent[name].reason, absent[name].n, absent[name].planned_n) == (None, Reason.UNMEASURED, 3, 4)
    assert absent["joint.reliability"].reason is Reason.UNMEASURED


def test_an_ungraded_answer_is_reliable_and_has_no_quality() -> None:
    got = reduced(calls=[*CALLS[:3], call(3, None)])
    assert (got["joint.realized_quality"].reason, got["joint.realized_quality"].n) == (Reason.UNGRADED, 3)
    assert got["joint.reliability"].value == 1.0


def test_cost_per_success_counts_failed_calls_in_the_cost() -> None:
    got = reduced(calls=[*CALLS[:3], call(3, None, "failed", False)])
    assert got["joint.runtime_cost_per_success"].value == 4 / 3


def test_no_success_has_no_cost_per_success() -> None:
    got = reduced(calls=[call(case, None, "failed", False) for case in range(4)])
    assert (got["joint.runtime_cost_per_success"].reason, got["joint.runtime_cost_usd"].value) == (Reason.NO_SUCCESS, 4.0)


def test_an_unknown_cost_closes_the_ledger() -> None:
    got = reduced(calls=[*CALLS[:3], call(3, None, "failed", False, cost=None)])
    for name in ("joint.runtime_cost_usd", "joint.runtime_cost_per_success"):
        assert (got[name].value, got[name].reason, got[name].n, got[name].planned_n) == (None, Reason.FAILED_CALL, 3, 4)


def test_an_abstention_is_a_decision_and_an_error_is_none() -> None:
    got = reduced(routes=[ROUTES[0], route(1, "abstained"), route(2, "error"), ROUTES[3]])
    assert {name: got[f"routing.{name}"].value for name in ("coverage", "abstention_rate", "fallback_rate", "success_rate")} == {
        "coverage": 1.0,
        "abstention_rate": 0.25,
        "fallback_rate": 0.0,
        "success_rate": 0.75,
    }
    assert got["routing.accuracy"].value == pytest.approx(2 / 3)


def test_a_flag_counts_as_the_status_does() -> None:
    got = reduced(routes=[route(0, "selected", "a", fallback=True), route(1, "selected", "a", abstained=True), *ROUTES[2:]])
    assert (got["routing.fallback_rate"].value, got["routing.abstention_rate"].value) == (0.25, 0.25)


def test_an_unavailable_decision_leaves_coverage_alone() -> None:
    got = reduced(routes=[*ROUTES[:3], route(3, "unavailable")])
    assert (got["routing.coverage"].value, got["routing.coverage"].planned_n) == (0.75, 4)
    for name in RATES:
        assert (got[name].value, got[name].reason, got[name].n) == (None, Reason.UNMEASURED, 3)


def test_latency_is_of_what_was_measured() -> None:
    got = reduced()
    assert (got["routing.latency_p50_ms"].value, got["routing.latency_p50_ms"].n, got["routing.latency_p50_ms"].planned_n) == (2.0, 2, 4)
    assert (got["joint.latency_p95_ms"].value, got["joint.latency_p95_ms"].reason) == (None, Reason.UNMEASURED)


def test_an_arm_outside_the_frozen_ones_is_counted_apart() -> None:
    got = reduced(routes=[*ROUTES[:3], route(3, "selected", "stranger")])
    count = got["routing.selected_arm_count"]
    assert (count.value, count.n, count.excluded) == (2, 3, 1)
    assert got["routing.accuracy"].value == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("tracks", "covered", "n"),
    [
        pytest.param(THREE, 0.5, 4, id="the routed calls come first"),
        pytest.param((Track.ROUTING, Track.MODEL_POOL), 1.0, 4, id="else the decisions"),
        pytest.param((Track.MODEL_POOL,), None, 0, id="else nobody chose"),
    ],
)
def test_selection_of_the_pool(tracks: tuple[Track, ...], covered: float | None, n: int) -> None:
    got = reduced(tracks=tracks)["model_pool.selection_arm_coverage"]
    assert (got.value, got.n) == (covered, n)
    assert (got.reason is Reason.NO_SELECTION) == (covered is None)


def test_no_planned_cell_is_no_number() -> None:
    got = reduced(routes=[], calls=[])
    names = (*RATES, *MEANS, "routing.coverage", "joint.reliability", "joint.runtime_cost_usd")
    assert {got[name].reason for name in names} == {Reason.NO_CASES}


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([*ROUTES[:3], route(9, "selected", "a")], id="a case that is not selected"),
        pytest.param([*ROUTES[:3], route(3, "perhaps", "a")], id="an unknown status"),
    ],
)
def test_refuses_rows_that_are_not_of_the_run(rows: list[Row]) -> None:
    with pytest.raises(IntegrityError):
        reduced(routes=rows)
