"""What no input may change, and what every input must: order, chunks, arm names, one missing cell, one digit."""

import random
from functools import cache

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.measured import Reason
from contracts.metrics import RunMetrics
from evaluation_assets.reductions.inputs import ReductionInputs
from evaluation_assets.reductions.registry import reduce_run
from tests.unit.reductions.runs import by_id, golden_rows, golden_run, pool_run

NEEDS_EVERY_CELL = {
    "best_single_quality",
    "oracle_quality",
    "oracle_gain",
    "unique_wins",
    "unique_win_rate",
    "zero_oracle_case_count",
    "quality_dominated_arm_count",
    "pareto_dominated_arm_count",
    "worst_arm_reliability",
    "all_arm_failure_rate",
    "mean_pairwise_failure_jaccard",
}
OF_THE_MATRIX = {
    "joint.oracle_regret",
    "joint.normalized_regret",
    "joint.oracle_capture_ratio",
    "joint.no_information_frontier_lift",
    "routing.accuracy",
}
grade = st.one_of(st.sampled_from([0.0, 1.0, 0.5]), st.floats(0, 1))


@st.composite
def matrices(draw: st.DrawFn) -> tuple[list[list[float]], list[list[bool]]]:
    cases, arms = draw(st.integers(1, 12)), draw(st.integers(2, 5))
    return (
        draw(st.lists(st.lists(grade, min_size=arms, max_size=arms), min_size=cases, max_size=cases)),
        draw(st.lists(st.lists(st.booleans(), min_size=arms, max_size=arms), min_size=cases, max_size=cases)),
    )


@cache
def golden() -> RunMetrics:
    return reduce_run(golden_run())


def rebuilt(seed: int, chunk: int) -> ReductionInputs:
    """The golden run with routes, routed calls and cases shuffled, and every table cut into chunks."""
    inputs, order = golden_run(), random.Random(seed)

    def shuffled(name: str, one: pa.Table) -> pa.Table:
        places = list(range(one.num_rows))
        if name != "outcomes":  # the dense table is sorted by contract
            order.shuffle(places)
        return pa.Table.from_batches(one.take(places).to_batches(max_chunksize=chunk), one.schema)

    tables = {name: {suite: shuffled(name, one) for suite, one in reversed(suites.items())} for name, suites in inputs.tables.items()}
    cases = {suite: shuffled("cases", one) for suite, one in reversed(inputs.cases.items())}
    return ReductionInputs(inputs.tracks, inputs.arm_ids, cases, tables, inputs.planned)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), chunk=st.integers(1, 40))
def test_order_and_chunks_cannot_show(seed: int, chunk: int) -> None:
    assert reduce_run(rebuilt(seed, chunk)).canonical() == golden().canonical()


@settings(max_examples=25, deadline=None)
@given(pool=matrices(), data=st.data())
def test_arms_may_change_their_names(pool: tuple[list[list[float]], list[list[bool]]], data: st.DataObject) -> None:
    quality, success = pool
    places = data.draw(st.permutations(range(len(quality[0]))))
    one = by_id(reduce_run(pool_run(quality, success)))
    moved_quality, moved_success = ([[row[place] for place in places] for row in rows] for rows in (quality, success))
    other = by_id(reduce_run(pool_run(moved_quality, moved_success)))
    for metric_id, value in one.items():
        if ".arm." in metric_id:
            arm, name = metric_id.removeprefix("model_pool.arm.arm-").split(".")
            moved = other[f"model_pool.arm.arm-{places.index(int(arm)):02d}.{name}"]
            assert (value.value, value.reason, value.n) == (moved.value, moved.reason, moved.n)
        else:
            assert value == other[metric_id]


@settings(max_examples=40, deadline=None)
@given(pool=matrices(), data=st.data())
def test_one_missing_cell_is_never_a_number(pool: tuple[list[list[float]], list[list[bool]]], data: st.DataObject) -> None:
    quality, success = pool
    case, arm = data.draw(st.integers(0, len(quality) - 1)), data.draw(st.integers(0, len(quality[0]) - 1))
    holed = [[None if (number, column) == (case, arm) else value for column, value in enumerate(row)] for number, row in enumerate(quality)]
    got = by_id(reduce_run(pool_run(holed, success)))
    for name in NEEDS_EVERY_CELL:
        value = got[f"model_pool.{name}"]
        assert (value.value, value.reason, value.n) == (None, Reason.INCOMPLETE_MATRIX, len(quality) - 1)
    whole = by_id(reduce_run(pool_run(quality, success)))
    for column in range(len(quality[0])):
        name = f"model_pool.arm.arm-{column:02d}.quality"
        assert got[name].value == (None if column == arm else whole[name].value)
        assert got[name.replace("quality", "marginal_contribution")].value is None


@settings(max_examples=40, deadline=None)
@given(pool=matrices(), data=st.data())
def test_a_failed_cell_is_known_and_an_absent_one_is_not(pool: tuple[list[list[float]], list[list[bool]]], data: st.DataObject) -> None:
    quality, success = pool
    case, arm = data.draw(st.integers(0, len(quality) - 1)), data.draw(st.integers(0, len(quality[0]) - 1))
    failed = [[value and (number, column) != (case, arm) for column, value in enumerate(row)] for number, row in enumerate(success)]
    zeroed = [[value if ok else 0.0 for value, ok in zip(*rows, strict=True)] for rows in zip(quality, failed, strict=True)]
    got = by_id(reduce_run(pool_run(quality, failed)))
    assert got["model_pool.oracle_quality"].value == by_id(reduce_run(pool_run(zeroed)))["model_pool.oracle_quality"].value
    assert got["model_pool.quality_shared_support_cases"].value == len(quality)


@settings(max_examples=25, deadline=None)
@given(place=st.integers(0, 34), arm=st.integers(0, 4), step=st.sampled_from([1e-6, -1e-6]))
def test_one_millionth_moves_the_digest(place: int, arm: int, step: float) -> None:
    rows = golden_rows()["tables"]["outcomes"]
    row = [row for suite in sorted(rows) for row in rows[suite]][place * 5 + arm]
    if row["quality"] is None or not 0.0 <= row["quality"] + step <= 1.0:
        row["status"], row["success"], row["quality"] = ("succeeded", True, 1e-6) if row["quality"] is None else (row["status"], True, 2e-6)
    else:
        row["quality"] += step
    assert reduce_run(golden_run(outcomes=rows)).identity() != golden().identity()


@settings(max_examples=15, deadline=None)
@given(place=st.integers(0, 174))
def test_one_missing_cell_takes_oracle_and_regret_with_it(place: int) -> None:
    rows = golden_rows()["tables"]["outcomes"]
    row = [row for suite in sorted(rows) for row in rows[suite]][place]
    row |= {"status": "unavailable", "success": None, "quality": None, "reason": "absent_cell"}
    got = by_id(reduce_run(golden_run(outcomes=rows)))
    assert {got[name].value for name in OF_THE_MATRIX} == {None}
    assert got["joint.realized_quality"] == by_id(golden())["joint.realized_quality"]
