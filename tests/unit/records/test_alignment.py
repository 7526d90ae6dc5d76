"""Alignment: one record per planned cell in plan order, whatever the executor left out, doubled, invented or shuffled."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import DocumentError
from contracts.tables import RECORD_TABLES, RecordTable
from evaluation_assets.records.alignment import align
from tests.unit.records.rows import OUTCOMES, cells, observed, outcome, table_of

PLANNED = cells(("c1", "a"), ("c1", "b"), ("c2", "a"), ("c2", "b"))


def test_a_missing_cell_is_an_unavailable_row_in_plan_order() -> None:
    rows = align(PLANNED, observed(outcome("c2", "b"), outcome("c1", "a"), outcome("c1", "b")), OUTCOMES).to_pylist()
    assert [(row["case_id"], row["arm_id"], row["status"], row["reason"]) for row in rows] == [
        ("c1", "a", "succeeded", None),
        ("c1", "b", "succeeded", None),
        ("c2", "a", "unavailable", "absent_cell"),
        ("c2", "b", "succeeded", None),
    ]
    assert rows[2]["quality"] is rows[2]["success"] is rows[2]["runtime_cost_pico_usd"] is None


def test_what_was_observed_as_unavailable_keeps_its_own_reason() -> None:
    rows = align(cells(("c1", "a")), observed(outcome("c1", status="unavailable", reason="no_selection")), OUTCOMES)
    assert rows.column("reason").to_pylist() == ["no_selection"]


@pytest.mark.parametrize("table", RECORD_TABLES, ids=lambda table: table.name)
def test_nothing_observed_leaves_every_planned_cell_unavailable(table: RecordTable) -> None:
    rows = align(PLANNED.slice(0, 1), table.observed.empty_table(), table)
    assert rows.schema.equals(table.observed)
    assert rows.column(table.status).to_pylist() == ["unavailable"]


def test_nothing_planned_and_nothing_observed_is_nothing() -> None:
    assert len(align(PLANNED.slice(0, 0), observed(), OUTCOMES)) == 0


@pytest.mark.parametrize(
    ("plan", "rows", "why"),
    [
        pytest.param(PLANNED, [outcome("c3")], "no planned cell", id="a case outside the plan"),
        pytest.param(PLANNED, [outcome("c1", "z")], "no planned cell", id="an arm outside the plan"),
        pytest.param(PLANNED, [outcome("c1", attempt=2)], "no planned cell", id="an attempt outside the plan"),
        pytest.param(PLANNED, [outcome("c1", action="think")], "no planned cell", id="an action where none was planned"),
        pytest.param(PLANNED, [{"case_id": None, "arm_id": "a"}], "no planned cell", id="no case"),
        pytest.param(PLANNED.slice(0, 0), [outcome("c1")], "no planned cell", id="anything at all where nothing was planned"),
        pytest.param(PLANNED, [outcome("c1"), outcome("c2"), outcome("c1")], "observed twice", id="the same cell twice"),
        pytest.param(pa.concat_tables([PLANNED, PLANNED.slice(2, 1)]), [], "holds a cell twice", id="a plan that repeats itself"),
    ],
)
def test_refused(plan: pa.Table, rows: list[dict[str, object]], why: str) -> None:
    with pytest.raises(DocumentError, match=why):
        align(plan, observed(*rows), OUTCOMES)


def test_no_action_is_a_value_of_its_own() -> None:
    plan = pa.concat_tables([cells(("c1", "a")), cells(("c1", "a")).set_column(5, "action", pa.array(["think"]))])
    rows = align(plan, observed(outcome("c1", action="think", latency_ms=2.0), outcome("c1", latency_ms=1.0)), OUTCOMES)
    assert list(zip(rows["action"].to_pylist(), rows["latency_ms"].to_pylist(), strict=True)) == [(None, 1.0), ("think", 2.0)]


@given(st.permutations(range(12)), st.sets(st.integers(0, 11)))
def test_order_of_rows_and_chunks_is_nothing(order: list[int], lost: set[int]) -> None:
    plan = cells(*[(f"c{case}", arm) for case in range(6) for arm in "ab"])
    rows = [outcome(f"c{cell // 2}", "ab"[cell % 2], latency_ms=float(cell)) for cell in range(12) if cell not in lost]
    shuffled = [row for cell in order for row in rows if row["latency_ms"] == cell]
    given_rows = pa.concat_tables([observed(*shuffled[:3]), observed(*shuffled[3:])])
    assert align(plan, given_rows, OUTCOMES).equals(align(plan, observed(*rows), OUTCOMES))
    latencies = align(plan, given_rows, OUTCOMES).column("latency_ms").to_pylist()
    assert latencies == [None if cell in lost else float(cell) for cell in range(12)]


def test_a_table_without_arms_is_aligned_by_case() -> None:
    table = next(table for table in RECORD_TABLES if table.name == "routes")
    plan = cells(("c1", None), ("c2", None))
    rows = align(plan, observed({"case_id": "c2", "selected_arm_id": "a"}, table="routes"), table)
    assert rows.select(["case_id", "selection_status", "selected_arm_id"]).to_pylist() == [
        {"case_id": "c1", "selection_status": "unavailable", "selected_arm_id": None},
        {"case_id": "c2", "selection_status": "selected", "selected_arm_id": "a"},
    ]
    assert table_of(table.observed, []).schema.equals(rows.schema)
