"""Pool metrics where the answer can be said by hand: ties, twins, one arm, missing cells, unknown costs."""

from typing import Any

import pytest

from contracts.measured import Reason
from contracts.metrics import MetricValue
from contracts.tracks import Track
from evaluation_assets.reductions.registry import reduce_track
from evaluation_assets.reductions.run_view import RunView, SliceView
from tests.unit.reductions.runs import Row, by_id, pool_run, run

NEEDS_SUCCESS = {"worst_arm_reliability", "all_arm_failure_rate", "mean_pairwise_failure_jaccard"}
NEEDS_QUALITY = {
    "best_single_quality",
    "oracle_quality",
    "oracle_gain",
    "unique_wins",
    "unique_win_rate",
    "zero_oracle_case_count",
    "quality_dominated_arm_count",
    "pareto_dominated_arm_count",
}


def values(*args: Any, **kwargs: Any) -> dict[str, MetricValue]:
    metrics = by_id(reduce_track(Track.MODEL_POOL, pool_run(*args, **kwargs)))
    return {metric_id.removeprefix("model_pool."): metric for metric_id, metric in metrics.items()}


def test_two_arms_that_complement_each_other() -> None:
    got = values([[1, 0], [0, 1], [1, 1], [0, 0]], cost=[[1, 2]] * 4)
    assert {name: got[name].value for name in NEEDS_QUALITY | NEEDS_SUCCESS} == {
        "best_single_quality": 0.5,
        "oracle_quality": 0.75,
        "oracle_gain": 0.25,
        "unique_wins": 2,
        "unique_win_rate": 0.5,
        "zero_oracle_case_count": 1,
        "quality_dominated_arm_count": 0,
        "pareto_dominated_arm_count": 1,
        "worst_arm_reliability": 1.0,
        "all_arm_failure_rate": 0.0,
        "mean_pairwise_failure_jaccard": 0.0,
    }


@pytest.mark.parametrize(
    ("quality", "dominated"),
    [
        pytest.param([[0.5, 0.5], [0.2, 0.2]], 0, id="exact twins both stay"),
        pytest.param([[0.5, 0.5], [0.2, 0.3]], 1, id="never worse and once better"),
        pytest.param([[0.5, 0.4], [0.2, 0.3]], 0, id="each once better"),
        pytest.param([[0.5, 0.5 + 2**-53], [0.25, 0.25]], 1, id="better by less than the sums can show"),
        pytest.param([[0.9, 0.5, 0.1]] * 3, 2, id="a chain"),
        pytest.param([[0.1, 0.2]] + [[0.5, 0.5]] * 700, 1, id="better on the first of many cases"),
        pytest.param([[0.1, 0.2]] * 700 + [[0.2, 0.1]], 0, id="the last of many cases decides"),
    ],
)
def test_quality_dominance(quality: list[list[float]], dominated: int) -> None:
    assert values(quality)["quality_dominated_arm_count"].value == dominated


@pytest.mark.parametrize(
    ("costs", "dominated"),
    [
        pytest.param([1, 1], 0, id="twins in quality and cost both stay"),
        pytest.param([1, 2], 1, id="same quality, dearer"),
    ],
)
def test_pareto_dominance_of_twins(costs: list[int], dominated: int) -> None:
    assert values([[0.5, 0.5]] * 3, cost=[costs] * 3)["pareto_dominated_arm_count"].value == dominated


def test_marginal_contribution_belongs_to_who_is_alone_at_the_top() -> None:
    got = values([[0.9, 0.4, 0.4], [0.5, 0.5, 0.1], [0.0, 0.0, 0.6]])
    assert [got[f"arm.arm-0{arm}.marginal_contribution"].value for arm in range(3)] == pytest.approx([0.5 / 3, 0.0, 0.6 / 3], abs=1e-15)


def test_one_missing_cell_leaves_no_number_of_the_matrix() -> None:
    got = values([[0.5, 0.25], [0.5, None], [1.0, 0.0]])
    for name in NEEDS_QUALITY | NEEDS_SUCCESS:
        metric = got[name]
        assert (metric.value, metric.reason, metric.n, metric.planned_n) == (None, Reason.INCOMPLETE_MATRIX, 2, 3)
    assert got["arm.arm-00.quality"].value == pytest.approx(2 / 3)
    assert got["arm.arm-01.quality"].reason is Reason.INCOMPLETE_MATRIX
    assert got["arm.arm-00.marginal_contribution"].reason is Reason.INCOMPLETE_MATRIX
    assert got["quality_shared_support_cases"].value == 2
    assert got["quality_shared_support_fraction"].value == pytest.approx(2 / 3)


def test_an_ungraded_answer_takes_quality_but_not_reliability() -> None:
    rows: list[Row] = [
        {"case_id": "c", "arm_id": arm, "attempt": 1, "status": "succeeded", "success": True, "quality": 0.5 if arm == "a" else None}
        for arm in ("a", "b")
    ]
    got = by_id(reduce_track(Track.MODEL_POOL, run("ab", (Track.MODEL_POOL,), cases={"s": [{"case_id": "c"}]}, outcomes={"s": rows})))
    assert got["model_pool.oracle_quality"].reason is Reason.INCOMPLETE_MATRIX
    assert got["model_pool.worst_arm_reliability"].value == 1.0


def test_failed_is_zero_where_missing_is_nothing() -> None:
    failed = values([[0.8], [0.9]], success=[[True], [False]])
    missing = values([[0.8], [0.9]], success=[[True], [None]])
    assert failed["arm.arm-00.quality"].value == 0.4
    assert missing["arm.arm-00.quality"].value is None


def test_a_single_arm_is_not_compared() -> None:
    got = values([[0.5], [0.0]], cost=[[1], [1]])
    single = {name for name, metric in got.items() if metric.reason is Reason.SINGLE_ARM}
    assert single == {
        "unique_wins",
        "unique_win_rate",
        "quality_dominated_arm_count",
        "pareto_dominated_arm_count",
        "mean_pairwise_failure_jaccard",
        "arm.arm-00.marginal_contribution",
    }
    assert got["oracle_gain"].value == 0.0


def test_no_case_is_no_number() -> None:
    inputs = run("ab", (Track.MODEL_POOL,), cases={"s": [{"case_id": "c"}]}, outcomes={"s": []})
    got = by_id(reduce_track(Track.MODEL_POOL, inputs))
    assert got["model_pool.arm_count"].value == 2
    assert {metric.reason for metric in got.values() if metric.value is None} == {Reason.NO_CASES, Reason.NO_SELECTION, Reason.UNMEASURED}


def test_unknown_costs_are_null_with_their_reason() -> None:
    got = values([[0.5, 0.6], [0.5, 0.6]], cost=[[1, 2], [1, None]])
    whole, known = got["arm.arm-01.runtime_cost_usd"], got["arm.arm-01.known_runtime_cost_usd"]
    assert (whole.value, whole.reason, whole.n, whole.planned_n) == (None, Reason.MISSING_TOKEN_RECORD, 1, 2)
    assert (known.value, known.n, known.planned_n) == (2.0, 1, 2)
    assert got["pareto_evaluable_arm_count"].value == 1
    assert got["pareto_dominated_arm_count"].reason is Reason.INCOMPLETE_LEDGER
    assert got["quality_cost_shared_support_cases"].value == 1


def test_arms_with_other_cost_scopes_are_not_compared() -> None:
    rows: list[Row] = [
        {
            "case_id": "c",
            "arm_id": arm,
            "attempt": 1,
            "status": "succeeded",
            "success": True,
            "quality": 0.5,
            "runtime_cost_pico_usd": 1,
            "cost_scope": scope,
        }
        for arm, scope in (("a", "call"), ("b", "case"))
    ]
    got = by_id(reduce_track(Track.MODEL_POOL, run("ab", (Track.MODEL_POOL,), cases={"s": [{"case_id": "c"}]}, outcomes={"s": rows})))
    assert got["model_pool.pareto_dominated_arm_count"].reason is Reason.MIXED_COST_SCOPES
    assert got["model_pool.arm.a.runtime_cost_usd"].value == 1e-12


def test_a_slice_has_no_costs() -> None:
    whole = RunView(pool_run([[0.5]]))
    with pytest.raises(ValueError, match="sliced"):
        _ = SliceView(whole, whole.matrix_case == 0).arm_costs


def test_pareto_counts_the_arms_it_could_evaluate() -> None:
    got = values([[0.5, 0.4, 0.9]] * 2, cost=[[1, 2, 3], [1, 2, None]])["pareto_dominated_arm_count"]
    assert (got.value, got.n, got.planned_n) == (1, 2, 3)
