"""Bounds on observed rows, checked before anything is graded. Every worker output is hostile until it has passed here."""

import pyarrow as pa
import pyarrow.compute as pc

from contracts.errors import DocumentError
from contracts.measured import Reason
from contracts.tables import SELECTION_STATUSES, STATUSES, RecordTable

MAX_OUTPUT_CHARACTERS = 1_048_576
MAX_TEXT_CHARACTERS = 4096
_SHARES = ("quality", "task_score", "reward", "behavior_propensity")
_REASONS = ("reason", "cost_reason", "latency_reason")
_ARMS = ("arm_id", "selected_arm_id", "chosen_arm_id", "preferred_arm_id")
_REASON_OF_STATUS = {"failed": Reason.FAILED_CALL, "timed_out": Reason.TIMED_OUT, "unavailable": Reason.UNMEASURED}
_VALUE_AND_REASON = (("latency_ms", "latency_reason"), ("runtime_cost_pico_usd", "cost_reason"))


def check_rows(rows: pa.Table, table: RecordTable, arm_ids: tuple[str, ...]) -> None:
    """Refuses the table at its first column that breaks a bound; the message names table and column, never a value."""
    allowed = SELECTION_STATUSES if table.status == "selection_status" else STATUSES
    _members(rows, table, table.status, allowed)
    for name in rows.column_names:
        kind = rows.schema.field(name).type
        if not rows.schema.field(name).nullable:
            _refuse_if(pa.scalar(rows.column(name).null_count > 0), table, name, "lacks a value that every row has")
        if name in _REASONS:
            _members(rows, table, name, tuple(Reason))
        elif name in _ARMS:
            _members(rows, table, name, arm_ids)
        elif name in _SHARES:
            _between(rows, table, name, 0.0, 1.0)
        elif name == "output_text":
            _refuse_longer(rows, table, name, MAX_OUTPUT_CHARACTERS)
        elif pa.types.is_string(kind):
            _refuse_longer(rows, table, name, MAX_TEXT_CHARACTERS)
        elif pa.types.is_floating(kind):
            _between(rows, table, name, 0.0, 1e15)
        elif pa.types.is_integer(kind):
            _between(rows, table, name, 0, 2**53 - 1 if name != "runtime_cost_pico_usd" else 2**63 - 1)


def with_reasons(rows: pa.Table) -> pa.Table:
    """Give every null measurement and every cell that did not succeed a reason, and take the reason from every measured one.

    A failed call's unknown cost is `failed_call`; anything else that nobody measured is `unmeasured`.
    """
    if "reason" in rows.column_names:
        reasons = rows.column("reason")
        for status, why in _REASON_OF_STATUS.items():
            reasons = pc.if_else(pc.and_(pc.equal(rows.column("status"), status), pc.is_null(reasons)), str(why), reasons)
        rows = rows.set_column(rows.schema.get_field_index("reason"), rows.schema.field("reason"), reasons)
    for value, reason in _VALUE_AND_REASON:
        if value in rows.column_names and reason in rows.column_names:
            missing = pc.is_null(rows.column(value))
            failed = pc.is_in(rows.column("status"), pa.array(["failed", "timed_out"])) if "status" in rows.column_names else None
            default = (
                str(Reason.UNMEASURED)
                if failed is None or value == "latency_ms"
                else pc.if_else(failed, str(Reason.FAILED_CALL), str(Reason.UNMEASURED))
            )
            told = pc.if_else(missing, pc.coalesce(rows.column(reason), default), pa.scalar(None, pa.string()))
            rows = rows.set_column(rows.schema.get_field_index(reason), rows.schema.field(reason), told)
    return rows


def _members(rows: pa.Table, table: RecordTable, name: str, allowed: tuple[str, ...]) -> None:
    column = rows.column(name)
    known = pc.or_(pc.is_null(column), pc.is_in(column, pa.array([str(value) for value in allowed], pa.string())))
    _refuse_if(pc.invert(pc.all(known, min_count=0)), table, name, "holds a value outside its closed list")


def _between(rows: pa.Table, table: RecordTable, name: str, low: float, high: float) -> None:
    column = rows.column(name)
    inside = pc.and_(pc.greater_equal(column, low), pc.less_equal(column, high))  # NaN compares false
    _refuse_if(pc.invert(pc.all(pc.fill_null(inside, True), min_count=0)), table, name, f"is outside [{low}, {high}]")


def _refuse_longer(rows: pa.Table, table: RecordTable, name: str, characters: int) -> None:
    _refuse_if(pc.any(pc.greater(pc.utf8_length(rows.column(name)), characters)), table, name, "holds a text that is too long")


def _refuse_if(flag: pa.Scalar, table: RecordTable, name: str, problem: str) -> None:
    if flag.as_py():
        raise DocumentError(f"A column {problem}.", at=f"{table.name}.{name}", fix="the executor or the normalizer must correct its rows")
