"""How many of the planned cells of a track succeeded, failed, or were never observed."""

from dataclasses import dataclass

import numpy as np

from contracts.levels import Level
from contracts.reports import TrackCoverage
from contracts.tables import SELECTION_STATUSES, STATUSES, TABLE_OF_TRACK
from contracts.tracks import Track
from evaluation_assets.reductions.cells import known_codes
from evaluation_assets.reductions.inputs import ReductionInputs
from evaluation_assets.reductions.sources import batches

_KINDS = {
    "succeeded": "succeeded",
    "selected": "succeeded",
    "fallback": "succeeded",
    "abstained": "succeeded",
    "failed": "failed",
    "timed_out": "failed",
    "error": "failed",
    "unavailable": "unavailable",
}
"""An abstention is a decision that was made: the router answered."""


@dataclass(frozen=True)
class StatusCounts:
    planned: int
    succeeded: int
    failed: int
    unavailable: int


def status_counts(track: Track, inputs: ReductionInputs) -> StatusCounts:
    """Counted from the status column of the track's table. IntegrityError for a status that its table does not know."""
    table = TABLE_OF_TRACK[track]
    words = SELECTION_STATUSES if table.status == "selection_status" else STATUSES
    numbers = {word: number for number, word in enumerate(words)}
    counts = np.zeros(len(words), dtype=np.int64)
    for _, records in inputs.suites_of(table.name):
        for batch in batches(records, (table.status,)):
            counts += np.bincount(known_codes(batch.column(0), numbers, column=table.status), minlength=len(words))
    kinds = dict.fromkeys(_KINDS.values(), 0)
    for word, number in zip(words, counts.tolist(), strict=True):
        kinds[_KINDS[word]] += number
    return StatusCounts(planned=sum(kinds.values()), **kinds)


def track_coverage(track: Track, inputs: ReductionInputs, level: Level) -> TrackCoverage:
    """level: what the records stage found for the track."""
    counts = status_counts(track, inputs)
    return TrackCoverage(
        track=track, planned=counts.planned, succeeded=counts.succeeded, failed=counts.failed, unavailable=counts.unavailable, level=level
    )
