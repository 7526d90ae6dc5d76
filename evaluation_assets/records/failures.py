"""Counts of what did not succeed, per track and reason, without case ids: safe to publish."""

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from contracts.measured import Reason
from contracts.reports import FailureSummary, ReasonCount, TrackFailures
from contracts.tables import RECORD_TABLES
from contracts.tracks import Track

_SUCCEEDED = pa.array(["succeeded", "selected", "fallback", "abstained"])
_FAILED = pa.array(["failed", "timed_out", "error"])


def count_failures(tables: Mapping[str, pa.Table]) -> FailureSummary:
    """Of the record tables of one suite, by name."""
    rows = []
    for table in RECORD_TABLES:
        records = tables.get(table.name)
        if records is not None:
            rows.append(_track(table.track, records, table.status))
    return _summary(rows)


def merge_failures(parts: Sequence[FailureSummary]) -> FailureSummary:
    """Of all suites of a run."""
    merged = []
    for track in Track:
        rows = [row for part in parts for row in part.tracks if row.track is track]
        if rows:
            reasons = {reason.reason: 0 for row in rows for reason in row.reasons}
            for row in rows:
                for reason in row.reasons:
                    reasons[reason.reason] += reason.count
            merged.append(
                TrackFailures(
                    track=track,
                    succeeded=sum(row.succeeded for row in rows),
                    failed=sum(row.failed for row in rows),
                    unavailable=sum(row.unavailable for row in rows),
                    reasons=_counts(reasons),
                )
            )
    return _summary(merged)


def _track(track: Track, records: pa.Table, status: str) -> TrackFailures:
    states = records.column(status)
    succeeded = pc.sum(pc.is_in(states, _SUCCEEDED)).as_py() or 0
    failed = pc.sum(pc.is_in(states, _FAILED)).as_py() or 0
    reasons: dict[Reason, int] = {}
    if "reason" in records.column_names:
        counted = records.filter(pc.invert(pc.is_in(states, _SUCCEEDED))).column("reason").drop_null().value_counts().to_pylist()
        reasons = {Reason(entry["values"]): entry["counts"] for entry in counted}
    return TrackFailures(
        track=track, succeeded=succeeded, failed=failed, unavailable=len(records) - succeeded - failed, reasons=_counts(reasons)
    )


def _counts(reasons: Mapping[Reason, int]) -> tuple[ReasonCount, ...]:
    return tuple(ReasonCount(reason=reason, count=count) for reason, count in sorted(reasons.items()))


def _summary(rows: Sequence[TrackFailures]) -> FailureSummary:
    return FailureSummary(
        schema_version="evaluation-failure-summary.v1",
        tracks=tuple(rows),
        total_cells=sum(row.succeeded + row.failed + row.unavailable for row in rows),
    )
