"""normalized-suite-replay.v1: replays what a benchmark source recorded: its outcomes, its router's decisions, and both joined.

- model_pool: the recorded outcome of every case and arm. A cell that the source lacks has no row.
- routing: the recorded decision of every case.
- joint: the recorded outcome of the arm that the decision selected. A decision without a recorded outcome, or no decision
  at all, leaves the cell unavailable; the matrix is never asked what another arm would have answered.
"""

import pyarrow as pa
import pyarrow.compute as pc

from contracts.measured import Reason
from contracts.tables import DECISIONS, OUTCOMES, RecordTable, record_table
from contracts.tracks import Track
from evaluation_assets.execution.executors.interface import EvaluationInputs, Observed
from evaluation_assets.suites.artifacts import DECISIONS_PATH, OUTCOMES_PATH

_OF_DECISION = ("selected_arm_id", "selection_method", "decision")


class NormalizedSuiteReplay:
    executor_id = "normalized-suite-replay.v1"

    def observe(self, inputs: EvaluationInputs) -> Observed:
        outcomes = inputs.recorded(OUTCOMES_PATH, OUTCOMES)
        decisions = inputs.recorded(DECISIONS_PATH, DECISIONS)
        observed: dict[str, pa.Table] = {}
        if Track.MODEL_POOL in inputs.tracks and outcomes is not None:
            observed["outcomes"] = _columns(outcomes, record_table("outcomes"))
        if Track.ROUTING in inputs.tracks and decisions is not None:
            observed["routes"] = routes(decisions)
        if Track.JOINT in inputs.tracks and decisions is not None and outcomes is not None:
            observed["routed_outcomes"] = routed_outcomes(decisions, outcomes)
        return observed


def routes(decisions: pa.Table) -> pa.Table:
    """Decisions as rows of the routes table; an imported source names neither alias nor recipe."""
    abstained = pc.equal(decisions.column("selection_status"), "abstained")
    attempt = pa.repeat(pa.scalar(1, pa.int32()), len(decisions))
    return _columns(decisions.append_column("abstained", abstained).append_column("attempt", attempt), record_table("routes"))


def routed_outcomes(decisions: pa.Table, outcomes: pa.Table) -> pa.Table:
    """One row per decision: the recorded outcome of the selected arm, first attempt, without action."""
    known = outcomes.filter(pc.and_(pc.is_null(outcomes.column("action")), pc.equal(outcomes.column("attempt"), 1)))
    chosen = decisions.select(["case_id", "selection_status", *_OF_DECISION])
    joined = chosen.join(known, keys=["case_id", "selected_arm_id"], right_keys=["case_id", "arm_id"], join_type="left outer")
    missing = pc.is_null(joined.column("status"))
    # A row without an outcome says why: nothing was selected, or the selected cell was never recorded.
    unselected = pc.is_null(joined.column("selected_arm_id"))
    reason = pc.if_else(unselected, str(Reason.NO_SELECTION), str(Reason.ABSENT_CELL))
    columns = {
        "status": pc.if_else(missing, "unavailable", joined.column("status")),
        "reason": pc.if_else(missing, reason, joined.column("reason")),
        "attempt": pa.repeat(pa.scalar(1, pa.int32()), len(joined)),
    }
    for name, values in columns.items():
        joined = joined.drop_columns([name]) if name in joined.column_names else joined
        joined = joined.append_column(name, values)
    return _columns(joined, record_table("routed_outcomes"))


def _columns(rows: pa.Table, table: RecordTable) -> pa.Table:
    """Rows with exactly the observed columns of `table`; a column that the source lacks is null."""
    columns = [
        rows.column(field.name).cast(field.type) if field.name in rows.column_names else pa.nulls(len(rows), field.type)
        for field in table.observed
    ]
    return pa.table(columns, schema=table.observed)
