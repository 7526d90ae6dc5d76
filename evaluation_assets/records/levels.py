"""How deep was the observation? The level of a track comes from its source and its executor, never from a suite or a record.

A replay saw nothing happen: whatever its rows say, it is E0, the ceiling of every executor that replays. A track with an
unavailable cell, or without any, is E0 too.
"""

from collections.abc import Sequence

from contracts.catalogs import execution_catalog
from contracts.levels import EvidenceLevel, weakest
from contracts.runs import Mode, RunManifest


def track_level(run: RunManifest, *, planned: int, unavailable: int) -> EvidenceLevel:
    """Level of one track of `run`, from its counts and the executor that observed it."""
    executor = next(row for row in execution_catalog().executors if row.executor_id == run.executor_id)
    if not planned or unavailable or run.mode is Mode.REPLAY or run.source_unverified:
        return EvidenceLevel.E0
    return EvidenceLevel[executor.ceiling]


def run_level(levels: Sequence[str]) -> EvidenceLevel:
    """The weakest of the track levels."""
    return weakest(EvidenceLevel[level] for level in levels)
