"""Plan cells, observed rows and labels, as short as a test can say them; what a row leaves out is null."""

from typing import Any

import pyarrow as pa

from contracts.tables import GRADING_CASES, PLAN, record_table

OUTCOMES = record_table("outcomes")


def table_of(schema: pa.Schema, rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist([{name: row.get(name) for name in schema.names} for row in rows], schema=schema)


def cells(*keys: tuple[str, str | None]) -> pa.Table:
    """Planned cells of one suite: (case, arm), in this order."""
    return table_of(PLAN, [{"suite_id": "s", "track": "model_pool", "case_id": case, "arm_id": arm, "attempt": 1} for case, arm in keys])


def observed(*rows: dict[str, Any], table: str = "outcomes") -> pa.Table:
    """Rows as an executor hands them over: first attempt, succeeded, unless they say otherwise."""
    kind = record_table(table)
    return table_of(kind.observed, [{"attempt": 1, kind.status: "selected" if table == "routes" else "succeeded", **row} for row in rows])


def outcome(case: str, arm: str = "a", **changes: Any) -> dict[str, Any]:
    return {"case_id": case, "arm_id": arm, **changes}


def labels(**expected: str | None) -> pa.Table:
    """case id -> hidden answer."""
    return table_of(GRADING_CASES, [{"case_id": case, "weight": 1.0, "expected_answer": text} for case, text in expected.items()])
