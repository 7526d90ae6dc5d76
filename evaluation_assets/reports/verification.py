"""`verify`: is every byte of a sealed run what its seal says, and do the numbers follow from the records?

1. Inventory and digests: anchor -> lists -> files, both ways; no file too many, none missing; the suites' objects; the audit chain.
2. Recomputation: plan from manifest, records and failures from observations and labels, lineage and provenance from both, metrics,
   pool picture, costs and coverage from records, gates, report and page from those; each must come out byte for byte. Only the package
   version that sealed a run can repeat it.
"""

from collections.abc import Callable, Iterator

from contracts.base import Document
from contracts.canonical import digest_bytes
from contracts.errors import EvaluationError
from contracts.metrics import RunMetrics
from contracts.reports import ReportAnchor
from contracts.runs import RunState
from contracts.tracks import Track
from contracts.verification import VerifyProblem, VerifyResult
from evaluation_assets.gates.publish import levels_of
from evaluation_assets.gates.verdicts import judge_run
from evaluation_assets.records.failures import count_failures, merge_failures
from evaluation_assets.records.merge import lineage_of, provenance
from evaluation_assets.records.publish import grade_suite
from evaluation_assets.reductions.publish import PICTURE, reduce_all, repeated_picture
from evaluation_assets.reports.build import build_report
from evaluation_assets.reports.page import render
from evaluation_assets.reports.sealing import bound_control, control_digest, sealed_report
from evaluation_assets.runs.code_revision import code_revision
from evaluation_assets.runs.cohort import selected_suite
from evaluation_assets.runs.publish import derive_plan
from ledgers.store.inventory import ANCHOR, PRIVATE_LIST, PUBLIC_LIST, read_checksums, sealed_files
from ledgers.store.parts import table_digest
from ledgers.store.reading import sha256_file
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store

Progress = Callable[[str, int, int], None]
_OTHER_BYTES = "The bytes are not those that were sealed."
_OTHER_RESULT = "Recomputation gives another result."


def verify_run(store: Store, run: RunDirectory, *, digests_only: bool, progress: Progress) -> VerifyResult:
    """Never raises for a damaged run: what is wrong is a problem of the result. A run that is not sealed is UnknownName."""
    if not _claims_a_seal(run):
        sealed_report(run)
    problems = [
        *_collected("seal", lambda: _check_seal(run, progress)),
        *_collected("suites", lambda: _check_suites(store, run)),
        *_collected("audit/active.jsonl", lambda: _check_audit(store, run)),
    ]
    note, recomputed = "not recomputed: digests only" if digests_only else None, False
    if not digests_only and not problems:
        if run.manifest().code_revision != code_revision():
            note = "not recomputed: another version of the package sealed this run"
        else:
            problems, recomputed = list(_collected("recomputation", lambda: _recompute(store, run, progress))), True
    elif problems and not digests_only:
        note = "not recomputed: the sealed bytes are damaged"
    listed = [name for side in sealed_files(run.path) for name in side] if not problems else []
    return VerifyResult(
        run_id=run.run_id, clean=not problems, files=len(listed), recomputed=recomputed, note=note, problems=tuple(problems)
    )


def _claims_a_seal(run: RunDirectory) -> bool:
    """A run without anchor was never sealed, unless its status says so or can't be read."""
    try:
        return run.exists(ANCHOR) or run.status().state is RunState.COMPLETED
    except EvaluationError:
        return True


def _problem(path: str, problem: str) -> VerifyProblem:
    """`path` may be a name that an attacker chose: shown cut, and escaped where it can't be printed."""
    return VerifyProblem(path=(path if path.isprintable() else ascii(path))[:256], problem=problem)


def _collected(where: str, check: Callable[[], Iterator[VerifyProblem]]) -> list[VerifyProblem]:
    """The problems that a check yields; one that it could not survive is the last of them."""
    found: list[VerifyProblem] = []
    try:
        found.extend(check())
    except EvaluationError as error:
        found.append(_problem(error.at or where, error.message))
    return found


def _check_seal(run: RunDirectory, progress: Progress) -> Iterator[VerifyProblem]:
    anchor = run.document(ANCHOR, ReportAnchor)
    named = {
        "run-manifest.json": anchor.manifest,
        "report.json": anchor.report,
        "gates.json": anchor.gates,
        PUBLIC_LIST: anchor.public_checksums,
        PRIVATE_LIST: anchor.private_checksums,
    }
    for name, digest in named.items():
        if digest_bytes(run.read(name, max_bytes=1 << 30)) != digest:
            yield _problem(name, _OTHER_BYTES)
    if anchor.run_id != run.run_id or run.manifest().run_id != run.run_id:
        yield _problem(ANCHOR, "The anchor belongs to another run.")
    status = run.status()
    if status.state is not RunState.COMPLETED or status.result_digest != anchor.result_digest:
        yield _problem("status.json", "The status does not name the sealed result.")
    public, private = sealed_files(run.path)
    for list_name, found in ((PUBLIC_LIST, public), (PRIVATE_LIST, private)):
        listed = read_checksums(run.path, list_name)
        for name in sorted(set(found) ^ set(listed)):
            yield _problem(name, "The file is not in the list." if name in found else "The file is missing.")
        for number, name in enumerate(sorted(set(found) & set(listed))):
            progress(f"digests of {list_name}", number + 1, len(listed))
            if sha256_file(run.path / name, root=run.path) != listed[name]:
                yield _problem(name, _OTHER_BYTES)


def _check_suites(store: Store, run: RunDirectory) -> Iterator[VerifyProblem]:
    for frozen in run.manifest().suites:
        manifest = store.suites.open_manifest(frozen.manifest)
        for artifact in manifest.suite.artifacts:
            if sha256_file(store.suites.artifact_path(manifest, artifact.path)) != artifact.digest:
                yield _problem(f"suite {frozen.suite_id} {artifact.path}", _OTHER_BYTES)


def _check_audit(store: Store, run: RunDirectory) -> Iterator[VerifyProblem]:
    store.audit.verify()
    head = run.document(ANCHOR, ReportAnchor).audit_head
    if all(record.digest != head for record in store.audit.records()):
        yield _problem("audit/active.jsonl", "The audit chain does not hold the record of this seal.")
    if bound_control(store, run) != control_digest(run):
        yield _problem("status.json", "Anchor, status, lifecycle or events are not those that the audit chain binds.")


def _recompute(store: Store, run: RunDirectory, progress: Progress) -> Iterator[VerifyProblem]:
    manifest = run.manifest()
    progress("recomputing", 1, 4)
    suites = [selected_suite(store.suites, manifest, suite_id) for suite_id in manifest.suite_ids]
    if table_digest(derive_plan(manifest, suites)) != run.plan_part().table_digest:
        yield _problem("plan.parquet", _OTHER_RESULT)
    failures = []
    for suite_id in manifest.suite_ids:
        graded = grade_suite(store, run, manifest, suite_id)
        failures.append(count_failures(graded))
        named = {entry.table: entry.part for entry in run.parts("records", suite_id).parts}
        for table in sorted(set(graded) | set(named)):
            if table not in graded or table not in named or table_digest(graded[table]) != named[table].table_digest:
                yield _problem(named[table].path if table in named else f"records/{table}/suite={suite_id}", _OTHER_RESULT)
        if run.failure_part(suite_id) != failures[-1]:
            yield _problem(f"records/suite={suite_id}.failures.json", _OTHER_RESULT)
    progress("recomputing", 2, 4)
    metrics, costs, coverage = reduce_all(store, run)
    progress("recomputing", 3, 4)
    gates = judge_run(store, run, levels_of(run))
    again: dict[str, Document] = {
        "lineage.json": lineage_of(run),
        "provenance.json": provenance(store, run),
        "failure-summary.json": merge_failures(failures),
        "metrics.json": metrics,
        "costs.json": costs,
        "coverage.json": coverage,
        "gates.json": gates,
        **{f"reductions/{track}.json": _of_track(metrics, track) for track in manifest.tracks},
        **({PICTURE: repeated_picture(store, run)} if Track.MODEL_POOL in manifest.tracks else {}),
    }
    report = build_report(store, run)
    for name, data in {
        **{name: document.canonical() for name, document in again.items()},
        "report.json": report.canonical(),
        "report.html": render(report),
    }.items():
        if run.read(name, max_bytes=1 << 28) != data:
            yield _problem(name, _OTHER_RESULT)
    progress("recomputing", 4, 4)


def _of_track(metrics: RunMetrics, track: Track) -> RunMetrics:
    return metrics.model_copy(update={"metrics": tuple(metric for metric in metrics.metrics if metric.track is track)})
