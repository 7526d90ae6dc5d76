"""Hidden labels join after execution: aligned observations in, graded records out.

- A failed or timed-out call delivered nothing gradable: success false, and where the table has a quality, a known 0.
- An unavailable cell has neither success nor quality. It is never a zero.
- A delivered answer with a hidden label is graded; a quality that the source recorded is kept where the grader says so, else
  refused; anything else is `ungraded`.
"""

import pyarrow as pa
import pyarrow.compute as pc

from contracts.errors import DocumentError
from contracts.measured import Reason
from contracts.tables import RecordTable
from evaluation_assets.records.graders.interface import Grader

_NOTHING_DELIVERED = pa.array(["failed", "timed_out"])


def grade(rows: pa.Table, labels: pa.Table, table: RecordTable, grader: Grader) -> pa.Table:
    """Rows of `table.schema` from aligned rows of `table.observed`. labels: rows of contracts.tables.GRADING_CASES."""
    if "quality" in rows.column_names:
        rows = _with_quality(rows, labels, grader)
    if "success" in rows.column_names:
        rows = _replace(rows, "success", _success(rows))
    if table.name == "safety_decisions":
        rows = _replace(rows, "should_block", _label(rows, labels, "should_block"))
    if table.name == "preferences":
        preferred = _label(rows, labels, "preferred_arm_id")
        rows = _replace(rows, "preferred_arm_id", preferred)
        rows = _replace(rows, "preference_match", pc.equal(rows.column("chosen_arm_id"), preferred))
    return rows.select(table.schema.names).cast(table.schema)


def _success(rows: pa.Table) -> pa.ChunkedArray:
    """Did the call deliver a gradable answer? A source without a flag of its own: the status says it."""
    status = rows.column("status")
    delivered = pc.if_else(pc.equal(status, "succeeded"), pc.coalesce(rows.column("success"), True), False)
    return pc.if_else(pc.equal(status, "unavailable"), pa.scalar(None, pa.bool_()), delivered)


def _with_quality(rows: pa.Table, labels: pa.Table, grader: Grader) -> pa.Table:
    status, quality = rows.column("status"), rows.column("quality")
    if quality.null_count < len(rows) and not grader.keeps_recorded:
        raise DocumentError("A row brings its own quality; the grade of this suite is ours.", at="quality")
    if pc.any(pc.and_(pc.is_valid(quality), pc.is_valid(rows.column("output_text")))).as_py():
        raise DocumentError("A row brings its own quality beside an answer; the grade is ours.", at="quality")
    if rows.column("output_text").null_count < len(rows):
        quality = pc.coalesce(quality, _graded(rows, labels, grader))
    quality = pc.if_else(pc.is_in(status, _NOTHING_DELIVERED), 0.0, quality)
    quality = pc.if_else(pc.equal(status, "unavailable"), pa.scalar(None, pa.float64()), quality)
    ungraded = pc.and_(pc.equal(status, "succeeded"), pc.is_null(quality))
    reason = pc.if_else(ungraded, pc.coalesce(rows.column("reason"), str(Reason.UNGRADED)), rows.column("reason"))
    return _replace(_replace(rows, "quality", quality), "reason", reason)


def _graded(rows: pa.Table, labels: pa.Table, grader: Grader) -> pa.Array:
    """One grade per delivered answer whose case has a label. Texts are compared one by one: O(answers)."""
    expected, match = _label(rows, labels, "expected_answer"), _label(rows, labels, "match")
    texts = zip(rows.column("output_text").to_pylist(), expected.to_pylist(), match.to_pylist(), strict=True)
    return pa.array([None if text is None or label is None else grader.grade(text, label, how) for text, label, how in texts], pa.float64())


def _label(rows: pa.Table, labels: pa.Table, name: str) -> pa.ChunkedArray:
    return labels.column(name).take(pc.index_in(rows.column("case_id"), value_set=labels.column("case_id").combine_chunks()))


def _replace(rows: pa.Table, name: str, values: pa.Array | pa.ChunkedArray) -> pa.Table:
    at = rows.schema.get_field_index(name)
    return rows.set_column(at, rows.schema.field(at), values.cast(rows.schema.field(at).type))
