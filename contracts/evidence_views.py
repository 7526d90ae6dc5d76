"""The public SQL interface: the columns of every view of the evidence index, in order. A change here is a change of interface.

Public views hold nothing that could be a prompt, a label, an output or an origin. Private ones are attached as schema `private`.
"""

import pyarrow as pa

from contracts.labels import HIDDEN_LABELS
from contracts.tables import OUTCOMES, RECEIPTS, RECORD_TABLES, ROUTED_OUTCOMES, ROUTES

_TEXT, _FLAG, _REAL, _WHOLE = pa.string(), pa.bool_(), pa.float64(), pa.int64()
_TIME, _NAMES, _MONEY = pa.timestamp("us", tz="UTC"), pa.list_(pa.string()), pa.decimal128(38, 0)


def _view(columns: dict[str, pa.DataType]) -> pa.Schema:
    return pa.schema(list(columns.items()))


PUBLIC_VIEWS = {
    "suites": _view(
        {
            "suite_id": _TEXT,
            "revision": _TEXT,
            "adapter_id": _TEXT,
            "origin": _TEXT,
            "source_status": _TEXT,
            "case_count": _WHOLE,
            "arm_ids": _NAMES,
            "tracks": _NAMES,
            "limitations": _NAMES,
        }
    ),
    "runs": _view(
        {
            "run_id": _TEXT,
            "name": _TEXT,
            "status": _TEXT,
            "mode": _TEXT,
            "target_id": _TEXT,
            "change_profile": _TEXT,
            "suite_ids": _NAMES,
            "tracks": _NAMES,
            "evidence_level": _TEXT,
            "environment_kind": _TEXT,
            "result_digest": _TEXT,
            "created_at": _TIME,
            "sealed_at": _TIME,
        }
    ),
    "metrics": _view(
        {
            "run_id": _TEXT,
            "metric_id": _TEXT,
            "track": _TEXT,
            "slice": _TEXT,
            "value": _REAL,
            "reason": _TEXT,
            "n": _WHOLE,
            "planned_n": _WHOLE,
            "unit": _TEXT,
            "direction": _TEXT,
            "lower": _REAL,
            "upper": _REAL,
            "method": _TEXT,
        }
    ),
    "gates": _view(
        {
            "run_id": _TEXT,
            "gate": _TEXT,
            "disposition": _TEXT,
            "verdict": _TEXT,
            "evidence_level": _TEXT,
            "observed": _REAL,
            "threshold": _REAL,
            "n": _WHOLE,
            "rationale": _TEXT,
            "missing": _TEXT,
        }
    ),
    "costs": _view(
        {
            "run_id": _TEXT,
            "ledger": _TEXT,
            "amount_usd": _REAL,
            "amount_pico_usd": _MONEY,
            "known_usd": _REAL,
            "n": _WHOLE,
            "planned_n": _WHOLE,
            "complete": _FLAG,
            "reason": _TEXT,
        }
    ),
    "findings": _view({"run_id": _TEXT, "finding_id": _TEXT, "metric_ids": _NAMES, "cause": _TEXT, "next_treatment": _TEXT}),
    "coverage": _view({"run_id": _TEXT, "track": _TEXT, "planned": _WHOLE, "succeeded": _WHOLE, "failed": _WHOLE, "unavailable": _WHOLE}),
    "quality_issues": _view({"suite_id": _TEXT, "kind": _TEXT, "count": _WHOLE, "detail": _TEXT}),
    "campaigns": _view({"campaign_id": _TEXT, "profile": _TEXT, "verdict": _TEXT, "environment_kind": _TEXT, "created_at": _TIME}),
    "campaign_slots": _view({"campaign_id": _TEXT, "slot": _TEXT, "disposition": _TEXT, "run_id": _TEXT, "verdict": _TEXT}),
    "pairs": _view({"pair_id": _TEXT, "baseline_run_id": _TEXT, "candidate_run_id": _TEXT, "state": _TEXT, "verdict": _TEXT}),
    "windows": _view({"window_key": _TEXT, "ledger": _TEXT, "sealed_at": _TIME, "fetched_at": _TIME, "rows": _WHOLE, "state": _TEXT}),
}
"""`amount_pico_usd` is HUGEINT in SQL."""


def _of_run(schema: pa.Schema) -> pa.Schema:
    places = [pa.field("run_id", _TEXT), pa.field("suite_id", _TEXT)]
    return pa.schema(places + [field.with_nullable(True) for field in schema if field.name not in HIDDEN_LABELS])


PRIVATE_VIEWS = {
    "outcomes": _of_run(OUTCOMES),
    "routes": _of_run(ROUTES),
    "routed_outcomes": _of_run(ROUTED_OUTCOMES),
    **{table.name: _of_run(table.schema) for table in RECORD_TABLES if table.name not in ("outcomes", "routes", "routed_outcomes")},
    "receipts": _of_run(RECEIPTS),
    "plan": pa.schema(
        [
            ("run_id", _TEXT),
            ("suite_id", _TEXT),
            ("track", _TEXT),
            ("case_id", _TEXT),
            ("arm_id", _TEXT),
            ("action", _TEXT),
            ("attempt", pa.int32()),
        ]
    ),
    "cases": pa.schema(
        [
            ("suite_id", _TEXT),
            ("case_id", _TEXT),
            ("language", _TEXT),
            ("domain", _TEXT),
            ("modality", _TEXT),
            ("tags", _NAMES),
            ("session_id", _TEXT),
            ("relation", _TEXT),
        ]
    ),
}
