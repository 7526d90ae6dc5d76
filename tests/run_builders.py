"""Small stores for tests: suites installed, runs created, worked on and sealed through the library, with documents made by hand.

The dull run has two tracks with records, six cases and two arms; a test changes what it is about with keywords. `CANARY` stands in
every text that must stay private: in prompts, hidden answers and case ids.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from contracts.base import Document
from contracts.canonical import digest_bytes
from contracts.reports import Report, ReportAnchor
from contracts.runs import ControlEvent, FrozenSuite, Lifecycle, Mode, RunManifest, RunState, RunStatus, TargetKind
from contracts.suites import Role, SourceReceipt, SourceStatus, SuiteArtifact, SuiteClass, SuiteDescription, SuiteManifest
from contracts.tables import GRADING_CASES, OUTCOMES, PLAN, ROUTED_OUTCOMES, ROUTES, VISIBLE_CASES
from contracts.tracks import Track
from ledgers.store.parts import table_digest, write_parquet
from ledgers.store.reading import sha256_file
from ledgers.store.runs import RunDirectory, create_run_directory
from ledgers.store.store import Store
from tests.builders import digest, metrics, report, report_run, report_suite

CANARY = "canary7d1f"
ARMS = ("arm-a", "arm-b.v1")
TRACKS = (Track.ROUTING, Track.MODEL_POOL, Track.JOINT)
DOMAINS = ("code", "math", "law")
NOW = datetime(2026, 12, 2, 9, 40, tzinfo=UTC)


def run_id(number: int) -> str:
    return f"{number:08x}-3b1a-4c9e-9f0e-2a64c1a7b013"


def case_id(number: int) -> str:
    return f"case-{CANARY}-{number:04d}"


def rows_of(schema: pa.Schema, rows: Sequence[dict[str, Any]]) -> pa.Table:
    """A table of exactly `schema`; what a row leaves out is null."""
    return pa.Table.from_pylist([{name: row.get(name) for name in schema.names} for row in rows], schema=schema)


# -- suites ------------------------------------------------------------------------------------------------------------


def install_suite(store: Store, scratch: Path, suite_id: str = "evaluation-smoke", *, cases: int = 6, **changes: Any) -> SuiteManifest:
    """A built-in suite of `cases` cases in three domains. `scratch`: an existing folder for the files before they are copied."""
    tables = {
        "visible/cases.parquet": rows_of(
            VISIBLE_CASES,
            [
                {
                    "case_id": case_id(number),
                    "tracks": ["routing", "model_pool", "joint"],
                    "tags": ["smoke"],
                    "language": "en",
                    "messages": f'[{{"content":"{CANARY} {number}","role":"user"}}]',
                    "domain": DOMAINS[number % 3],
                }
                for number in range(cases)
            ],
        ),
        "grading/cases.parquet": rows_of(
            GRADING_CASES, [{"case_id": case_id(number), "weight": 1.0, "expected_answer": f"{CANARY} answer"} for number in range(cases)]
        ),
        "metadata/arms.parquet": pa.table({"arm_id": list(ARMS)}),
    }
    files = {}
    for path, table in tables.items():
        files[path] = scratch / f"{suite_id}-{path.replace('/', '-')}"
        write_parquet(files[path], table)
        files[path].chmod(0o600)
    values: dict[str, Any] = {
        "suite_id": suite_id,
        "name": "Evaluation smoke",
        "suite_class": SuiteClass.FIXTURE,
        "adapter_id": "builtin",
        "normalizer_id": "builtin.v1",
        "origin": "builtin",
        "source": SourceReceipt(
            status=SourceStatus.BUILTIN, expected_source_revision=None, expected_dataset_revision=None, export_files=()
        ),
        "decision_unit": "case",
        "action_space": "arm",
        "split_protocol": "All cases.",
        "tracks": TRACKS,
        "case_count": cases,
        "arm_ids": ARMS,
        "grader_id": "hidden-answer-exact.v1",
        "data_classification": "internal",
        "redistribution": "allowed",
        "limitations": ("Cases show that the pipeline works, and nothing about a router.",),
        "quality_issues": report_suite().quality_issues,
        "artifacts": tuple(
            SuiteArtifact(
                role=Role(path.partition("/")[0]),
                path=path,
                media_type="application/vnd.apache.parquet",
                digest=sha256_file(files[path]),
                table_digest=table_digest(table),
                rows=table.num_rows,
                size_bytes=files[path].stat().st_size,
            )
            for path, table in tables.items()
        ),
    }
    return store.suites.install(SuiteDescription(**(values | changes)), files, NOW)


# -- runs --------------------------------------------------------------------------------------------------------------


def manifest(number: int = 1, *, suite_ids: Sequence[str] = ("evaluation-smoke",), cases: int = 6, **changes: Any) -> RunManifest:
    values: dict[str, Any] = {
        "schema_version": "evaluation-run-manifest.v1",
        "run_id": run_id(number),
        "name": f"run {number}",
        "description": CANARY,
        "created_at": NOW + timedelta(minutes=number),
        "owner_principal": digest("1"),
        "mode": Mode.REPLAY,
        "target": {"target_id": "fixture", "kind": TargetKind.RECORDED, "mixture": None, "name": "Recorded fixture"},
        "change_profile": "schema_adapter",
        "suites": tuple(frozen_suite(suite_id, cases) for suite_id in sorted(suite_ids)),
        "executor_id": "fixture-replay.v1",
        "tracks": TRACKS,
        "sample_limit": None,
        "concurrency": 1,
        "seed": 0,
        "baseline_run_id": None,
        "environment_kind": "recorded",
        "gate_policy_digest": digest("d"),
        "metric_catalog_digest": digest("e"),
        "grader_id": "hidden-answer-exact.v1",
        "grader_revision": digest("f"),
        "generation": {"max_tokens": None, "temperature": None, "seed": 0, "prompt_cache": "not_applicable"},
        "prices": (),
        "code_revision": digest("c"),
        "redaction_policy": "labels-and-prompts-private.v1",
    }
    return RunManifest(**(values | changes))


def frozen_suite(suite_id: str, cases: int) -> FrozenSuite:
    return FrozenSuite(
        suite_id=suite_id,
        revision=digest("b"),
        manifest=digest("2"),
        suite_class=SuiteClass.FIXTURE,
        source_status=SourceStatus.BUILTIN,
        arm_ids=ARMS,
        selected_cases=cases,
        selection_digest=digest("3"),
        grader_id="hidden-answer-exact.v1",
    )


def create_run(store: Store, number: int = 1, **changes: Any) -> RunDirectory:
    """A pending run: manifest, status, first event and lifecycle."""
    made = manifest(number, **changes)
    status = RunStatus(
        schema_version="evaluation-run-status.v1",
        run_id=made.run_id,
        state=RunState.PENDING,
        stage="created",
        completed=0,
        total=0,
        updated_at=made.created_at,
        started_at=None,
        completed_at=None,
        error=None,
        result_digest=None,
    )
    event = ControlEvent(schema_version="evaluation-control-event.v1", sequence=1, at=made.created_at, type="created", message="created")
    lifecycle = Lifecycle(
        schema_version="evaluation-run-lifecycle.v1",
        run_id=made.run_id,
        owner_principal=made.owner_principal,
        retention_class="standard",
        evidence_hold=False,
        created_at=made.created_at,
        updated_at=made.created_at,
        creation_audit_digest=digest("4"),
    )
    documents: dict[str, Document] = {"run-manifest.json": made, "status.json": status, "lifecycle.json": lifecycle}
    files = {name: document.canonical() for name, document in documents.items()}
    return create_run_directory(store.run_path(made.run_id), {**files, "control-events.jsonl": event.canonical() + b"\n"})


def sealed_run(
    store: Store, number: int = 1, *, quality: float = 1.0, report_changes: dict[str, Any] | None = None, **changes: Any
) -> RunDirectory:
    """A completed run with plan, records and report. `quality`: grade of the first arm; the second one gets half of it."""
    run = create_run(store, number, **changes)
    cases = run.manifest().suites[0].selected_cases
    run.move(RunState.RUNNING, now=NOW, stage="execution")
    run.publish_plan(plan(run.manifest().suite_ids, cases))
    for suite_id in run.manifest().suite_ids:
        run.publish_parts("records", suite_id, records(cases, quality))
    run.move(RunState.SEALING, now=NOW, stage="report")
    made = run_report(run.manifest(), **(report_changes or {}))
    run.publish("report.json", made)
    run.publish("report-anchor.json", anchor(made))
    run.move(RunState.COMPLETED, now=NOW, stage="sealed", result_digest=made.result_digest)
    return run


def run_report(of: RunManifest, **changes: Any) -> Report:
    values: dict[str, Any] = {
        "run": report_run(run_id=of.run_id, name=of.name, created_at=of.created_at, suite_ids=of.suite_ids, tracks=of.tracks),
        "suites": tuple(report_suite(suite_id=suite_id) for suite_id in of.suite_ids),
        "metrics": metrics(),
    }
    return report(**(values | changes))


def anchor(of: Report) -> ReportAnchor:
    return ReportAnchor(
        schema_version="evaluation-report-anchor.v1",
        run_id=of.run.run_id,
        sealed_at=of.run.created_at + timedelta(seconds=30),
        manifest=digest("a"),
        report=digest_bytes(of.canonical()),
        gates=digest("6"),
        public_checksums=digest("7"),
        private_checksums=digest("8"),
        result_digest=of.result_digest,
        audit_head=digest("0"),
    )


# -- rows --------------------------------------------------------------------------------------------------------------


def plan(suite_ids: Sequence[str], cases: int) -> pa.Table:
    return rows_of(
        PLAN,
        [
            {"suite_id": suite_id, "track": "model_pool", "case_id": case_id(number), "attempt": 1, "arm_id": arm}
            for suite_id in suite_ids
            for number in range(cases)
            for arm in ARMS
        ],
    )


def records(cases: int, quality: float = 1.0) -> dict[str, pa.Table]:
    """Routes, a dense pool and routed outcomes. Every arm fails on case 0; the second arm times out on case 1 and has no price."""
    return {
        "outcomes": rows_of(OUTCOMES, [_outcome(number, arm, quality) for number in range(cases) for arm in ARMS]),
        "routes": rows_of(
            ROUTES,
            [
                {
                    "case_id": case_id(number),
                    "attempt": 1,
                    "selection_status": "selected",
                    "selected_arm_id": ARMS[number % 2],
                    "expected_arm_id": ARMS[0],
                    "fallback": False,
                    "abstained": False,
                    "latency_ms": 2.5 + number,
                }
                for number in range(cases)
            ],
        ),
        "routed_outcomes": rows_of(
            ROUTED_OUTCOMES,
            [{**_outcome(number, ARMS[number % 2], quality), "selected_arm_id": ARMS[number % 2]} for number in range(cases)],
        ),
    }


def _outcome(number: int, arm: str, quality: float) -> dict[str, Any]:
    first = arm == ARMS[0]
    status, reason = {0: ("failed", "failed_call"), 1: ("succeeded", None) if first else ("timed_out", "timed_out")}.get(
        number, ("succeeded", None)
    )
    good = status == "succeeded"
    return {
        "case_id": case_id(number),
        "arm_id": arm,
        "attempt": 1,
        "status": status,
        "reason": reason,
        "success": good,
        "quality": (quality if first else quality / 2) if good else 0.0,
        "runtime_cost_pico_usd": 2_500_000 if first else None,
        "cost_scope": "request" if first else None,
        "cost_reason": None if first else "unpriced",
        "latency_ms": 40.0 + number + (0 if first else 100) if good else None,
        "latency_reason": None if good else reason,
        "input_tokens": 12,
        "output_tokens": 3,
    }
