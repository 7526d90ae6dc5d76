"""Bounds on observed rows: for every role of a column a value that must be refused beside one that may stay."""

from typing import Any

import pyarrow as pa
import pytest

from contracts.errors import DocumentError
from contracts.measured import Reason
from contracts.tables import RECORD_TABLES, RecordTable, record_table
from evaluation_assets.records.validation import MAX_OUTPUT_CHARACTERS, MAX_TEXT_CHARACTERS, check_rows, with_reasons
from tests.unit.records.rows import OUTCOMES, observed, outcome

ARMS = ("a", "b")
SHARES = {"quality", "task_score", "reward", "behavior_propensity"}
ARM_COLUMNS = {"arm_id", "selected_arm_id", "chosen_arm_id", "preferred_arm_id"}
REASONS = {"reason", "cost_reason", "latency_reason"}
FLAGS = {"success", "supported", "preference_match", "should_block", "blocked", "fallback", "abstained"}


def refused_and_kept(table: RecordTable, name: str) -> tuple[list[object], list[object]]:
    kind = table.observed.field(name).type
    if name == table.status:
        return ["", "SUCCEEDED", "done"], ["unavailable"]
    if name in REASONS:
        return ["", "because", "FAILED_CALL"], [None, *map(str, Reason)]
    if name in ARM_COLUMNS:
        return ["", "arm-canary", "A", "a "], ["a", "b"] if name == "arm_id" else [None, "a", "b"]
    if name in SHARES:
        return [-1e-9, 1.0000001, float("nan"), float("inf"), float("-inf")], [None, 0.0, 1.0, 0.5]
    if name == "output_text":
        return ["x" * (MAX_OUTPUT_CHARACTERS + 1)], [None, "", "x" * MAX_OUTPUT_CHARACTERS]
    if pa.types.is_floating(kind):
        return [-0.001, 1.1e15, float("nan"), float("inf")], [None, 0.0, 1e15]
    if name == "runtime_cost_pico_usd":
        return [-1], [None, 0, 2**63 - 1]
    if pa.types.is_integer(kind):
        return [-1] + ([2**53] if kind == pa.int64() else []), [0]
    if pa.types.is_string(kind):
        return ["x" * (MAX_TEXT_CHARACTERS + 1)], ["x" * MAX_TEXT_CHARACTERS]
    assert name in FLAGS
    return [], [True, False, None]


COLUMNS = [(table, name) for table in RECORD_TABLES for name in table.observed.names]


@pytest.mark.parametrize(("table", "name"), COLUMNS, ids=[f"{table.name}.{name}" for table, name in COLUMNS])
def test_every_column_has_its_bounds(table: RecordTable, name: str) -> None:
    whole: dict[str, Any] = {"case_id": "c1"} | ({"arm_id": "a"} if "arm_id" in table.key else {})
    bad, good = refused_and_kept(table, name)
    for value in good:
        check_rows(observed({**whole, name: value}, table=table.name), table, ARMS)
    for value in bad + ([] if table.observed.field(name).nullable else [None]):
        with pytest.raises(DocumentError) as refusal:
            check_rows(observed(whole, {**whole, name: value}, table=table.name), table, ARMS)
        assert refusal.value.at == f"{table.name}.{name}"
        assert "canary" not in str(refusal.value)
        assert "xx" not in str(refusal.value)


def test_nothing_observed_breaks_no_bound() -> None:
    for table in RECORD_TABLES:
        check_rows(table.observed.empty_table(), table, ())


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param({}, ("unmeasured", "unmeasured", None), id="succeeded, nothing measured"),
        pytest.param({"runtime_cost_pico_usd": 0, "latency_ms": 0.0}, (None, None, None), id="zero is measured"),
        pytest.param(
            {"runtime_cost_pico_usd": 1, "latency_ms": 1.0, "cost_reason": "unpriced", "latency_reason": "unmeasured"},
            (None, None, None),
            id="a reason beside a value is taken",
        ),
        pytest.param({"cost_reason": "unpriced", "latency_reason": "timed_out"}, ("unpriced", "timed_out", None), id="a reason told stays"),
        pytest.param({"status": "failed"}, ("failed_call", "unmeasured", "failed_call"), id="a failed call"),
        pytest.param({"status": "timed_out"}, ("failed_call", "unmeasured", "timed_out"), id="a call that timed out"),
        pytest.param({"status": "unavailable"}, ("unmeasured", "unmeasured", "unmeasured"), id="unavailable without a reason"),
        pytest.param({"status": "unavailable", "reason": "absent_cell"}, ("unmeasured", "unmeasured", "absent_cell"), id="unavailable"),
    ],
)
def test_every_null_measurement_has_a_reason(row: dict[str, object], expected: tuple[str | None, ...]) -> None:
    told = with_reasons(observed(outcome("c1", **row)))
    assert tuple(told.column(name)[0].as_py() for name in ("cost_reason", "latency_reason", "reason")) == expected
    assert told.schema.equals(OUTCOMES.observed)


def test_a_table_without_measurements_is_left_alone() -> None:
    rows = observed({"case_id": "c1", "blocked": True}, table="safety_decisions")
    assert with_reasons(rows).equals(rows)
    routes = with_reasons(observed({"case_id": "c1", "selection_status": "error"}, table="routes"))
    assert routes.column("latency_reason").to_pylist() == ["unmeasured"]
    assert routes.schema.equals(record_table("routes").observed)
