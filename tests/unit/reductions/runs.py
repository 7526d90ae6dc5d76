"""Small runs for the tests of reductions: rows as dictionaries in, ReductionInputs out; and the golden run of golden/fixtures/pool."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from contracts.metrics import MetricValue, RunMetrics
from contracts.tables import TABLE_OF_TRACK, VISIBLE_CASES, record_table
from contracts.tracks import Track
from evaluation_assets.reductions.inputs import ReductionInputs

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "fixtures" / "pool"
THREE = (Track.ROUTING, Track.MODEL_POOL, Track.JOINT)
Row = dict[str, Any]


def table(name: str, rows: Iterable[Row]) -> pa.Table:
    schema = VISIBLE_CASES if name == "cases" else record_table(name).schema
    blank = {"tracks": [], "tags": []} if name == "cases" else {}
    return pa.Table.from_pylist([{**dict.fromkeys(schema.names), **blank, **row} for row in rows], schema=schema)


def run(
    arms: Mapping[str, Iterable[str]] | Iterable[str],
    tracks: tuple[Track, ...] = THREE,
    *,
    cases: Mapping[str, Iterable[Row]],
    **records: Mapping[str, Iterable[Row]],
) -> ReductionInputs:
    """Each keyword is a record table: suite id -> rows. Planned is what is there."""
    tables = {name: {suite: table(name, rows) for suite, rows in suites.items()} for name, suites in records.items()}
    planned = {track: sum(one.num_rows for one in tables.get(TABLE_OF_TRACK[track].name, {}).values()) for track in tracks}
    return ReductionInputs(
        tracks=tracks,
        arm_ids={suite: tuple(arms[suite] if isinstance(arms, Mapping) else arms) for suite in cases},
        cases={suite: table("cases", rows) for suite, rows in cases.items()},
        tables=tables,
        planned=planned,
    )


def golden_rows() -> dict[str, Any]:
    return json.loads((GOLDEN / "rows.json").read_text(encoding="utf-8"))


def golden_run(tracks: tuple[Track, ...] = THREE, **changed: Any) -> ReductionInputs:
    """The golden run; a keyword replaces the rows of one table."""
    rows = golden_rows()
    tables = {**rows["tables"], **changed}
    wanted = {
        "cases": tables["cases"],
        **{TABLE_OF_TRACK[track].name: tables[TABLE_OF_TRACK[track].name] for track in tracks if TABLE_OF_TRACK[track].name in tables},
    }
    return run(rows["arm_ids"], tracks, **wanted)


def pool_run(quality: Any, success: Any = None, cost: Any = None, arms: Iterable[str] | None = None) -> ReductionInputs:
    """One suite with a dense matrix. quality, success, cost: (cases, arms); None in quality or success is an unavailable cell."""
    quality = np.array(quality, dtype=object)
    names = list(arms or (f"arm-{number:02d}" for number in range(quality.shape[1])))
    rows = []
    for case, arm in np.ndindex(quality.shape):
        ok = True if success is None else success[case][arm]
        seen = quality[case, arm] is not None and ok is not None
        rows.append(
            {
                "case_id": f"case-{case:05d}",
                "arm_id": names[arm],
                "attempt": 1,
                "status": "unavailable" if not seen else "succeeded" if ok else "failed",
                "success": bool(ok) if seen else None,
                "quality": float(quality[case, arm]) if seen else None,
                "runtime_cost_pico_usd": None if cost is None or cost[case][arm] is None else round(cost[case][arm] * 10**12),
                "cost_scope": "call",
                "cost_reason": None if cost is not None and cost[case][arm] is not None else "missing_token_record",
            }
        )
    cases = [{"case_id": f"case-{case:05d}"} for case in range(len(quality))]
    return run(names, (Track.MODEL_POOL,), cases={"suite": cases}, outcomes={"suite": rows})


def by_id(metrics: RunMetrics | Iterable[MetricValue], slice_: str = "all") -> dict[str, MetricValue]:
    values = metrics.metrics if isinstance(metrics, RunMetrics) else metrics
    return {value.metric_id: value for value in values if value.slice == slice_}
