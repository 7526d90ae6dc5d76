"""Failure counts per track and reason, their merge over suites, and the level that a track earned."""

import pytest

from contracts.levels import EvidenceLevel
from contracts.measured import Reason
from contracts.reports import FailureSummary
from contracts.runs import Mode, RunManifest
from contracts.suites import SourceStatus
from contracts.tables import OUTCOMES, ROUTES
from contracts.tracks import Track
from evaluation_assets.records.failures import count_failures, merge_failures
from evaluation_assets.records.levels import run_level, track_level
from tests.run_builders import frozen_suite, manifest
from tests.unit.records.rows import table_of


def outcomes(*rows: tuple[str, str | None]) -> FailureSummary:
    return count_failures(
        {
            "outcomes": table_of(
                OUTCOMES,
                [
                    {"case_id": f"c{number}", "arm_id": "a", "attempt": 1, "status": status, "reason": reason}
                    for number, (status, reason) in enumerate(rows)
                ],
            )
        }
    )


UNVERIFIED = frozen_suite("s", 4).model_copy(update={"source_status": SourceStatus.UNVERIFIED})
ONE = outcomes(
    ("succeeded", None),
    ("succeeded", "ungraded"),
    ("failed", "failed_call"),
    ("timed_out", "timed_out"),
    ("unavailable", "absent_cell"),
    ("unavailable", "absent_cell"),
)
OTHER = outcomes(("succeeded", None), ("unavailable", "absent_cell"), ("failed", "failed_call"))


def counts(summary: FailureSummary) -> tuple[int, int, int, dict[Reason, int]]:
    track = summary.tracks[0]
    return track.succeeded, track.failed, track.unavailable, {row.reason: row.count for row in track.reasons}


def test_every_cell_is_counted_once_and_a_success_gives_no_reason() -> None:
    assert counts(ONE) == (2, 2, 2, {Reason.ABSENT_CELL: 2, Reason.FAILED_CALL: 1, Reason.TIMED_OUT: 1})
    assert ONE.total_cells == 6


def test_suites_add_up() -> None:
    merged = merge_failures([ONE, OTHER])
    assert counts(merged) == (3, 3, 3, {Reason.ABSENT_CELL: 3, Reason.FAILED_CALL: 2, Reason.TIMED_OUT: 1})
    assert merged.total_cells == 9
    assert merge_failures([OTHER, ONE]) == merged
    assert merge_failures([merged]) == merged


def test_tracks_stay_apart_and_in_order() -> None:
    routes = count_failures(
        {
            "routes": table_of(
                ROUTES,
                [
                    {"case_id": f"c{number}", "attempt": 1, "selection_status": status}
                    for number, status in enumerate(("selected", "fallback", "abstained", "error", "unavailable"))
                ],
            )
        }
    )
    merged = merge_failures([ONE, routes])
    assert [row.track for row in merged.tracks] == [Track.ROUTING, Track.MODEL_POOL]
    assert counts(merged) == (3, 1, 1, {})


def test_nothing_is_nothing() -> None:
    assert count_failures({}).total_cells == merge_failures([]).total_cells == 0


@pytest.mark.parametrize(
    ("run", "planned", "unavailable"),
    [
        pytest.param(manifest(), 4, 0, id="a replay, complete"),
        pytest.param(manifest(), 4, 1, id="a replay with a gap"),
        pytest.param(manifest(), 0, 0, id="nothing planned"),
        pytest.param(manifest(mode=Mode.LIVE), 4, 1, id="live with an unavailable cell"),
        pytest.param(manifest(mode=Mode.LIVE), 0, 0, id="live with nothing planned"),
        pytest.param(manifest(mode=Mode.LIVE, suites=(UNVERIFIED,)), 4, 0, id="live on a source that nobody verified"),
    ],
)
def test_no_depth_is_claimed(run: RunManifest, planned: int, unavailable: int) -> None:
    assert track_level(run, planned=planned, unavailable=unavailable) is EvidenceLevel.E0


def test_a_run_is_as_deep_as_its_weakest_track() -> None:
    assert run_level(["E5", "E3", "E4"]) is EvidenceLevel.E3
    assert run_level([]) is EvidenceLevel.E0
