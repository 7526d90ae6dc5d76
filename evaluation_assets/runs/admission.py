"""May this target run these suites on these tracks? Read from the catalog rows; refused before anything is written.

The same question is asked when the run is created, when it starts and before every step.
"""

from collections.abc import Sequence

from contracts.catalogs import execution_catalog, gate_policy, grader_catalog
from contracts.errors import NotAdmitted, UnknownName
from contracts.executors import ExecutorDefinition
from contracts.graders import GraderDefinition
from contracts.runs import Mode, TargetSnapshot
from contracts.suites import SuiteManifest
from contracts.tracks import Track

_MATRIX_TRACKS = {Track.MODEL_POOL, Track.JOINT}


def admit(target: TargetSnapshot, mode: Mode, suites: Sequence[SuiteManifest], tracks: Sequence[Track], profile: str) -> ExecutorDefinition:
    """The one executor that runs all of it, or NotAdmitted with the first reason."""
    if profile not in {known.profile for known in gate_policy().profiles}:
        raise UnknownName(
            "There is no change profile of this id.",
            at=f"profile {profile}",
            fix=f"choose one of {', '.join(known.profile for known in gate_policy().profiles)}",
        )
    accepted = {entry.executor_id for entry in execution_catalog().accepted_by(target.kind, target.target_id) if entry.mode is mode}
    if not accepted:
        raise NotAdmitted(f"Target {target.target_id} does not run in mode {mode}.", at="mode")
    executors = [executor for executor in execution_catalog().executors if executor.executor_id in accepted]
    for manifest in suites:
        executors = [executor for executor in executors if executor.suite_class is manifest.suite.suite_class]
        if not executors:
            raise NotAdmitted(
                f"Target {target.target_id} has no executor that runs this suite and every other suite of the run.",
                at=f"suite {manifest.suite.suite_id}",
                fix="run suites of one kind together, on a target that accepts them",
            )
    chosen = executors[0]
    _check_tracks(chosen, suites, tracks)
    _check_cohort(suites, tracks)
    return chosen


def grader_of(executor: ExecutorDefinition, suites: Sequence[SuiteManifest]) -> GraderDefinition:
    """The one grader of a run: the executor's own, or that of its admitted suites."""
    wanted = executor.grader_id or suites[0].suite.grader_id
    return next(row for row in grader_catalog().graders if row.grader_id == wanted)


def _check_tracks(executor: ExecutorDefinition, suites: Sequence[SuiteManifest], tracks: Sequence[Track]) -> None:
    for track in tracks:
        if track not in executor.tracks:
            raise NotAdmitted(f"Executor {executor.executor_id} does not observe this track.", at=f"track {track}")
        if not any(track in manifest.suite.tracks for manifest in suites):
            raise NotAdmitted(
                "No suite of this run carries this track.",
                at=f"track {track}",
                fix="leave the track out, or add a suite that has it: evalplane suite list",
            )
    for manifest in suites:
        if not set(manifest.suite.tracks) & set(tracks):
            raise NotAdmitted("This suite carries none of the chosen tracks.", at=f"suite {manifest.suite.suite_id}")


def _check_cohort(suites: Sequence[SuiteManifest], tracks: Sequence[Track]) -> None:
    """One run has one grader, and one pool where a case x arm matrix is due."""
    graders = {manifest.suite.grader_id for manifest in suites}
    if graders - {row.grader_id for row in grader_catalog().graders}:
        raise NotAdmitted("A suite names a grader that does not ship.", at="suites", fix="see the graders with `evalplane catalog`")
    if len(graders) > 1:
        raise NotAdmitted("The suites of a run are graded by one grader; these have several.", at="suites", fix="make one run per grader")
    if _MATRIX_TRACKS & set(tracks) and len({frozenset(manifest.suite.arm_ids) for manifest in suites}) > 1:
        raise NotAdmitted(
            "The suites have different arms, so that their matrices can't be one.", at="suites", fix="make one run per pool of arms"
        )
