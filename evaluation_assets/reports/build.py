"""The report of one run, from its sealed pieces and nothing else. `result_digest` is what two equal runs have in common."""

from collections.abc import Mapping, Sequence

from contracts.base import Document
from contracts.canonical import digest_of
from contracts.gates import RunGates
from contracts.metrics import RunMetrics
from contracts.pool_pictures import PoolPicture
from contracts.reports import (
    FailureSummary,
    Provenance,
    Report,
    ReportRun,
    ReportSuite,
    RunCosts,
    RunCoverage,
)
from contracts.tracks import Track
from evaluation_assets.records.levels import run_level
from evaluation_assets.reductions.publish import PICTURE
from evaluation_assets.reports.findings import findings
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store


def build_report(store: Store, run: RunDirectory) -> Report:
    """Reads metrics, pool picture, gates, costs, coverage, provenance and failures of `run`; pure in them and in the store's suites."""
    manifest = run.manifest()
    metrics = run.document("metrics.json", RunMetrics)
    gates = run.document("gates.json", RunGates).gates
    costs = run.document("costs.json", RunCosts).ledgers
    coverage = run.document("coverage.json", RunCoverage).tracks
    feedback = findings(metrics.metrics)
    return Report(
        schema_version="evaluation-report.v1",
        run=ReportRun(
            run_id=manifest.run_id,
            name=manifest.name,
            created_at=manifest.created_at,
            mode=manifest.mode,
            target_id=manifest.target.target_id,
            executor_id=manifest.executor_id,
            change_profile=manifest.change_profile,
            suite_ids=manifest.suite_ids,
            tracks=manifest.tracks,
            sample_limit=manifest.sample_limit,
            seed=manifest.seed,
            manifest_digest=manifest.identity(),
        ),
        subject=manifest.target.mixture,
        evidence_level=run_level([track.level for track in coverage]).name,
        environment_kind=manifest.environment_kind,
        gates=gates,
        coverage=coverage,
        metrics=metrics.metrics,
        pool=run.document(PICTURE, PoolPicture) if Track.MODEL_POOL in manifest.tracks else None,
        costs=costs,
        suites=_suites(store, run),
        provenance=run.document("provenance.json", Provenance),
        failures=run.document("failure-summary.json", FailureSummary),
        findings=feedback,
        result_digest=result_digest(
            {"metrics": metrics.metrics, "gates": gates, "costs": costs, "coverage": coverage, "findings": feedback},
            suite_revisions=[suite.revision for suite in manifest.suites],
        ),
    )


def result_digest(results: Mapping[str, Sequence[Document]], *, suite_revisions: Sequence[str]) -> str:
    """Over the results and the suites' logical content: no run id, time, host, suite name or raw export digest is in it."""
    content = {kind: [document.to_json() for document in documents] for kind, documents in results.items()}
    return digest_of("result", {**content, "suites": sorted(suite_revisions)})


def _suites(store: Store, run: RunDirectory) -> tuple[ReportSuite, ...]:
    rows = []
    for frozen in run.manifest().suites:
        suite = store.suites.open_manifest(frozen.manifest).suite
        rows.append(
            ReportSuite(
                suite_id=frozen.suite_id,
                name=suite.name,
                revision=frozen.revision,
                source_status=frozen.source_status,
                case_count=suite.case_count,
                selected_cases=frozen.selected_cases,
                arm_ids=frozen.arm_ids,
                limitations=suite.limitations,
                quality_issues=suite.quality_issues,
            )
        )
    return tuple(rows)
