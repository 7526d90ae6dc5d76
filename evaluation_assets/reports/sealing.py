"""Sealing: the report is published, every file is listed with its digest, and the anchor binds the lists. Then the run is complete.

    checksums.sha256            what may be shared
    private-checksums.sha256    every other sealed file
    report-anchor.json          digests of manifest, report, gates and both lists, and the head of the audit chain

status.json, lifecycle.json and control-events.jsonl stay mutable and are in neither list: the audit chain binds them, and the
anchor, in the record that ends the sealing. The status that says `completed` is written last, so that a complete run is a bound
one, and nothing is ever bound again. A step that is repeated after a crash finds the same bytes and goes on.
"""

from datetime import datetime

from contracts.canonical import digest_bytes, digest_of
from contracts.errors import UnknownName
from contracts.reports import Report, ReportAnchor
from contracts.runs import RunState, RunStatus
from evaluation_assets.reports.build import build_report
from evaluation_assets.reports.page import render
from ledgers.store.inventory import ANCHOR as SEAL
from ledgers.store.inventory import MUTABLE_FILES, PRIVATE_LIST, PUBLIC_LIST, checksum_list, sealed_files
from ledgers.store.publication import publish_bytes
from ledgers.store.runs import MAX_EVENT_BYTES, RunDirectory
from ledgers.store.store import Store


def seal_run(store: Store, run: RunDirectory, *, principal: str, now: datetime) -> Report:
    """Publish the report of a run whose gates are decided, and complete the run. Sealed already: its report."""
    if run.exists(SEAL) and run.status().state is RunState.COMPLETED:
        return run.document("report.json", Report)
    run.require_admitted()
    run.move(RunState.SEALING, now=now, stage="sealing")
    run.record_event("sealing", "report is being sealed", now=now)
    report = build_report(store, run)
    run.publish("report.json", report)
    run.publish_bytes("report.html", render(report))
    if not run.exists(SEAL):
        _anchor(store, run, report, principal, now)
    run.record_event("completed", "report sealed", now=now)
    completed = run.moved(RunState.COMPLETED, now=now, stage="completed", result_digest=report.result_digest)
    store.audit.append(
        now=now,
        action="complete",
        decision="allowed",
        reason_code="system",
        actor=principal,
        resource_kind="run",
        resource_id=run.run_id,
        subject_digest=control_digest(run, completed),
    )
    run.replace_status(completed)
    return report


def sealed_report(run: RunDirectory) -> Report:
    """The report of a sealed run; UnknownName before that."""
    if not run.exists(SEAL):
        raise UnknownName("The run has no sealed report yet.", at=f"run {run.run_id}", fix=f"evalplane run start {run.run_id}")
    return run.document("report.json", Report)


def control_digest(run: RunDirectory, status: RunStatus | None = None) -> str:
    """Over the anchor and the files of a run that may still change. `status`: one that is about to be written."""
    digests = {name: digest_bytes(run.read(name, max_bytes=MAX_EVENT_BYTES)) for name in (SEAL, *MUTABLE_FILES)}
    if status is not None:
        digests["status.json"] = digest_bytes(status.canonical())
    return digest_of("run-control", digests)


def bound_control(store: Store, run: RunDirectory) -> str | None:
    """The control digest that the audit chain recorded last for this run."""
    bound = [record.subject_digest for record in store.audit.records() if record.resource_id == run.run_id and record.subject_digest]
    return bound[-1] if bound else None


def _anchor(store: Store, run: RunDirectory, report: Report, principal: str, now: datetime) -> None:
    public, private = sealed_files(run.path)
    lists = {PUBLIC_LIST: checksum_list(run.path, public), PRIVATE_LIST: checksum_list(run.path, private)}
    for name, data in lists.items():
        publish_bytes(run.path / name, data)
    audit = store.audit.append(
        now=now, action="seal", decision="allowed", reason_code="system", actor=principal, resource_kind="run", resource_id=run.run_id
    )
    anchor = ReportAnchor(
        schema_version="evaluation-report-anchor.v1",
        run_id=run.run_id,
        sealed_at=now,
        manifest=digest_bytes(run.read("run-manifest.json")),
        report=digest_bytes(report.canonical()),
        gates=digest_bytes(run.read("gates.json")),
        public_checksums=digest_bytes(lists[PUBLIC_LIST]),
        private_checksums=digest_bytes(lists[PRIVATE_LIST]),
        result_digest=report.result_digest,
        audit_head=audit.digest,
    )
    run.publish(SEAL, anchor)
