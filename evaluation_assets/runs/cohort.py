"""The selected cases of a run: the frozen suites of its manifest, and the rows that its seed chose from each."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from contracts.errors import IntegrityError
from contracts.runs import FrozenSuite, RunManifest
from contracts.suites import SuiteManifest
from contracts.tracks import Track
from evaluation_assets.suites.selection import select_cases, selection_digest
from evaluation_assets.suites.store_view import visible_cases
from ledgers.store.suites import SuiteStore


@dataclass(frozen=True)
class SelectedSuite:
    """One suite of a run. `cases`: rows of VISIBLE_CASES, sorted by case id."""

    frozen: FrozenSuite
    manifest: SuiteManifest
    cases: pa.Table


@dataclass(frozen=True)
class Selection:
    """What a run asks of each of its suites. `target_arms`: the arms of a suite that names none of its own."""

    tracks: tuple[Track, ...]
    seed: int
    limit: int | None
    target_arms: tuple[str, ...]


def select(suites: SuiteStore, manifest: SuiteManifest, asked: Selection) -> SelectedSuite:
    """Choose the cases of one suite: eligible first (they carry a chosen track), then the `limit` smallest scores."""
    cases = _eligible(visible_cases(suites, manifest), asked.tracks)
    chosen = select_cases(cases.column("case_id").to_pylist(), manifest.revision, asked.seed, asked.limit)
    cases = cases.filter(pc.is_in(cases.column("case_id"), pa.array(chosen, pa.string()))) if len(chosen) < len(cases) else cases
    frozen = FrozenSuite(
        suite_id=manifest.suite.suite_id,
        revision=manifest.revision,
        manifest=manifest.identity(),
        suite_class=manifest.suite.suite_class,
        source_status=manifest.suite.source.status,
        arm_ids=tuple(sorted(manifest.suite.arm_ids or asked.target_arms)),
        selected_cases=len(chosen),
        selection_digest=selection_digest(chosen),
        grader_id=manifest.suite.grader_id,
    )
    return SelectedSuite(frozen=frozen, manifest=manifest, cases=cases)


def selected_suite(suites: SuiteStore, run: RunManifest, suite_id: str) -> SelectedSuite:
    """The same selection again, from the frozen manifest; a store that gives another one is damaged."""
    frozen = run.suite(suite_id)
    asked = Selection(tracks=run.tracks, seed=run.seed, limit=run.sample_limit, target_arms=run.target.arm_ids)
    again = select(suites, suites.open_manifest(frozen.manifest), asked)
    if again.frozen != frozen:
        raise IntegrityError("The suite in the store is not the one that the run froze.", at=f"suite {suite_id}")
    return again


def _eligible(cases: pa.Table, tracks: Sequence[Track]) -> pa.Table:
    lists = cases.column("tracks").combine_chunks()
    matches = pc.is_in(lists.flatten(), pa.array([str(track) for track in tracks], pa.string()))
    return cases.take(pc.unique(lists.value_parent_indices().filter(matches)))
