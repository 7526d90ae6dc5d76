"""Arrow schemas of everything that is kept by the row: cases, the plan, and one record table per track.

Rows are sorted by their key; a dense case x arm matrix is therefore a reshape. Every nullable measurement has a reason
column from contracts.measured.Reason beside it. `run_id` and `suite_id` are not in the rows: the path carries them.
Money is int64 pico-USD (1e-12), exact; latency is float64 milliseconds.
"""

from dataclasses import dataclass

import pyarrow as pa

from contracts.errors import UnknownName
from contracts.tracks import Track

STATUSES = ("succeeded", "failed", "timed_out", "unavailable")
SELECTION_STATUSES = ("selected", "fallback", "abstained", "error", "unavailable")

_TEXT, _FLAG, _REAL, _WHOLE = pa.string(), pa.bool_(), pa.float64(), pa.int64()


def _schema(required: dict[str, pa.DataType], nullable: dict[str, pa.DataType]) -> pa.Schema:
    fields = [pa.field(name, kind, nullable=False) for name, kind in required.items()]
    return pa.schema(fields + [pa.field(name, kind) for name, kind in nullable.items()])


_COST = {"runtime_cost_pico_usd": _WHOLE, "cost_scope": _TEXT, "cost_reason": _TEXT}
_LATENCY = {"latency_ms": _REAL, "latency_reason": _TEXT}
_TOKENS = {"input_tokens": _WHOLE, "output_tokens": _WHOLE}

VISIBLE_CASES = _schema(
    {"case_id": _TEXT, "tracks": pa.list_(_TEXT), "tags": pa.list_(_TEXT)},
    {
        "messages": _TEXT,
        "language": _TEXT,
        "domain": _TEXT,
        "modality": _TEXT,
        "session_id": _TEXT,
        "relation": _TEXT,
        "trajectory_id": _TEXT,
    },
)
"""`messages` is canonical JSON of the chat messages; null where the source publishes no text."""

GRADING_CASES = _schema(
    {"case_id": _TEXT, "weight": _REAL},
    {"expected_answer": _TEXT, "match": _TEXT, "expected_route": _TEXT, "should_block": _FLAG, "preferred_arm_id": _TEXT},
)
DECISIONS = _schema(
    {"case_id": _TEXT, "selection_status": _TEXT, "fallback": _FLAG},
    {"selected_arm_id": _TEXT, "selection_method": _TEXT, "decision": _TEXT, **_LATENCY},
)
PLAN = _schema({"suite_id": _TEXT, "track": _TEXT, "case_id": _TEXT, "attempt": pa.int32()}, {"arm_id": _TEXT, "action": _TEXT})

OUTCOMES = pa.schema(
    [
        pa.field("case_id", _TEXT, nullable=False),
        pa.field("arm_id", _TEXT, nullable=False),
        pa.field("action", _TEXT),
        pa.field("attempt", pa.int32(), nullable=False),
        pa.field("status", _TEXT, nullable=False),
        pa.field("reason", _TEXT),
        pa.field("success", _FLAG),
        pa.field("quality", _REAL),
        *[pa.field(name, kind) for name, kind in {**_COST, **_LATENCY, **_TOKENS}.items()],
    ]
)
ROUTES = pa.schema(
    [
        pa.field("case_id", _TEXT, nullable=False),
        pa.field("attempt", pa.int32(), nullable=False),
        pa.field("alias", _TEXT),
        pa.field("recipe", _TEXT),
        pa.field("decision", _TEXT),
        pa.field("selection_status", _TEXT, nullable=False),
        pa.field("selection_method", _TEXT),
        pa.field("selected_arm_id", _TEXT),
        pa.field("expected_arm_id", _TEXT),
        pa.field("fallback", _FLAG),
        pa.field("abstained", _FLAG),
        *[pa.field(name, kind) for name, kind in _LATENCY.items()],
    ]
)
_OBSERVED = {"case_id": _TEXT, "attempt": pa.int32(), "status": _TEXT}
ROUTED_OUTCOMES = _schema(
    _OBSERVED,
    {
        "reason": _TEXT,
        "selected_arm_id": _TEXT,
        "selection_method": _TEXT,
        "recipe": _TEXT,
        "decision": _TEXT,
        "success": _FLAG,
        "quality": _REAL,
        **_COST,
        **_LATENCY,
        **_TOKENS,
    },
)
TRAJECTORIES = _schema(
    _OBSERVED,
    {
        "reason": _TEXT,
        "trajectory_id": _TEXT,
        "success": _FLAG,
        "task_score": _REAL,
        "steps": _WHOLE,
        "tool_calls": _WHOLE,
        "invalid_tool_calls": _WHOLE,
        "privacy_exposures": _WHOLE,
        **_COST,
        **_LATENCY,
    },
)
MEDIA_OUTCOMES = _schema(
    _OBSERVED,
    {"reason": _TEXT, "modality": _TEXT, "supported": _FLAG, "success": _FLAG, "quality": _REAL, "privacy_violations": _WHOLE, **_LATENCY},
)
PREFERENCES = _schema(
    _OBSERVED,
    {
        "reason": _TEXT,
        "chosen_arm_id": _TEXT,
        "preferred_arm_id": _TEXT,
        "preference_match": _FLAG,
        "behavior_propensity": _REAL,
        "reward": _REAL,
        "segment_id": _TEXT,
    },
)
SAFETY_DECISIONS = _schema(_OBSERVED, {"reason": _TEXT, "should_block": _FLAG, "blocked": _FLAG, "violations": _WHOLE})
LOAD_REQUESTS = _schema(
    _OBSERVED,
    {
        "reason": _TEXT,
        "success": _FLAG,
        "concurrency": _WHOLE,
        "phase": _TEXT,
        "repetition": _WHOLE,
        "request_index": _WHOLE,
        "elapsed_seconds": _REAL,
        **_COST,
        **_LATENCY,
    },
)
RECEIPTS = _schema(
    {
        "receipt_id": _TEXT,
        "operation": _TEXT,
        "track": _TEXT,
        "case_id": _TEXT,
        "attempt": pa.int32(),
        "request_digest": _TEXT,
        "response_digest": _TEXT,
        "success": _FLAG,
    },
    {"arm_id": _TEXT, "status_code": _WHOLE, **_LATENCY},
)


@dataclass(frozen=True)
class RecordTable:
    """One record table: its track, its schema, the columns that identify a planned cell, and the column that tells its status."""

    name: str
    track: Track
    schema: pa.Schema
    key: tuple[str, ...]
    status: str = "status"

    @property
    def observed(self) -> pa.Schema:
        """What an executor hands over: the same columns and, private until it is graded, the text of the answer."""
        return self.schema.append(pa.field("output_text", pa.string()))


RECORD_TABLES = (
    RecordTable("routes", Track.ROUTING, ROUTES, ("case_id", "attempt"), status="selection_status"),
    RecordTable("outcomes", Track.MODEL_POOL, OUTCOMES, ("case_id", "arm_id", "action", "attempt")),
    RecordTable("routed_outcomes", Track.JOINT, ROUTED_OUTCOMES, ("case_id", "attempt")),
    RecordTable("trajectories", Track.AGENTIC, TRAJECTORIES, ("case_id", "attempt")),
    RecordTable("media_outcomes", Track.MULTIMODAL, MEDIA_OUTCOMES, ("case_id", "attempt")),
    RecordTable("preferences", Track.PREFERENCE, PREFERENCES, ("case_id", "attempt")),
    RecordTable("safety_decisions", Track.SAFETY, SAFETY_DECISIONS, ("case_id", "attempt")),
    RecordTable("load_requests", Track.CAPACITY, LOAD_REQUESTS, ("case_id", "attempt")),
)
TABLE_OF_TRACK = {table.track: table for table in RECORD_TABLES}


def record_table(name: str) -> RecordTable:
    for table in RECORD_TABLES:
        if table.name == name:
            return table
    raise UnknownName("There is no record table of this name.", at=name)
