"""Public tables and the list of cases, from the documents that say them. One function a table; no file is touched here."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import pyarrow as pa

from contracts.canonical import canonical_bytes
from contracts.evidence_views import PUBLIC_VIEWS
from contracts.reports import Report
from contracts.runs import RunManifest, RunStatus
from contracts.suites import SuiteManifest
from contracts.tables import VISIBLE_CASES
from ledgers.index.paths import stored_schema
from ledgers.store.store import Store

Cell = str | int | float | bool | datetime | Decimal | list[str] | None
Row = dict[str, Cell]

SUITE_TABLES = ("suites", "quality_issues", "cases")
CASES = "visible/cases.parquet"
_CASE_COLUMNS = ["case_id", "language", "domain", "modality", "tags", "session_id", "relation"]  # not the messages


@dataclass(frozen=True)
class Seal:
    """What a run says only once it is sealed."""

    report: Report
    sealed_at: datetime


def tables_of(report: Report) -> dict[str, pa.Table]:
    """The five public tables of one sealed run, in the order of its report."""
    rows: dict[str, Iterable[Row]] = {
        "metrics": _metrics(report),
        "gates": _gates(report),
        "costs": _costs(report),
        "findings": _findings(report),
        "coverage": _coverage(report),
    }
    return {name: pa.Table.from_pylist(list(found), schema=stored_schema(name)) for name, found in rows.items()}


def run_row(manifest: RunManifest, status: RunStatus, seal: Seal | None) -> Row:
    """One row of `runs`; results are null until the run is sealed."""
    return {
        "run_id": manifest.run_id,
        "name": manifest.name,
        "status": status.state.value,
        "mode": manifest.mode.value,
        "target_id": manifest.target.target_id,
        "change_profile": manifest.change_profile,
        "suite_ids": list(manifest.suite_ids),
        "tracks": [track.value for track in manifest.tracks],
        "evidence_level": seal.report.evidence_level if seal else None,
        "environment_kind": manifest.environment_kind,
        "result_digest": seal.report.result_digest if seal else None,
        "created_at": manifest.created_at,
        "sealed_at": seal.sealed_at if seal else None,
    }


def runs_table(rows: Iterable[Row]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=PUBLIC_VIEWS["runs"])


def suites_table(manifests: Iterable[SuiteManifest]) -> pa.Table:
    rows: list[Row] = [
        {
            "suite_id": suite.suite_id,
            "revision": manifest.revision,
            "adapter_id": suite.adapter_id,
            "origin": suite.origin,
            "source_status": suite.source.status.value,
            "case_count": suite.case_count,
            "arm_ids": list(suite.arm_ids),
            "tracks": [track.value for track in suite.tracks],
            "limitations": list(suite.limitations),
        }
        for manifest in manifests
        for suite in [manifest.suite]
    ]
    return pa.Table.from_pylist(rows, schema=PUBLIC_VIEWS["suites"])


def quality_issues_table(manifests: Iterable[SuiteManifest]) -> pa.Table:
    rows: list[Row] = [
        {"suite_id": manifest.suite.suite_id, "kind": issue.kind, "count": issue.count, "detail": issue.detail}
        for manifest in manifests
        for issue in manifest.suite.quality_issues
    ]
    return pa.Table.from_pylist(rows, schema=PUBLIC_VIEWS["quality_issues"])


def cases_of(store: Store, manifest: SuiteManifest) -> pa.Table:
    """The visible cases of one suite, without their messages. Private."""
    cases = store.suites.table(manifest, CASES, VISIBLE_CASES, columns=_CASE_COLUMNS)
    named = cases.append_column("suite_id", pa.repeat(pa.scalar(manifest.suite.suite_id), cases.num_rows))
    schema = stored_schema("cases")
    return named.select(schema.names).cast(schema)


def _metrics(report: Report) -> Iterable[Row]:
    for metric in report.metrics:
        interval = metric.interval
        yield {
            "metric_id": metric.metric_id,
            "track": metric.track.value,
            "slice": metric.slice,
            "value": metric.value,
            "reason": metric.reason.value if metric.reason else None,
            "n": metric.n,
            "planned_n": metric.planned_n,
            "unit": metric.unit,
            "direction": metric.direction.value,
            "lower": interval.lower if interval else None,
            "upper": interval.upper if interval else None,
            "method": interval.method if interval else None,
        }


def _gates(report: Report) -> Iterable[Row]:
    for gate in report.gates:
        yield {
            "gate": gate.gate,
            "disposition": gate.disposition.value,
            "verdict": gate.verdict.value,
            "evidence_level": gate.evidence_level,
            "observed": gate.observed,
            "threshold": gate.threshold,
            "n": gate.n,
            "rationale": gate.rationale,
            "missing": canonical_bytes(list(gate.missing)).decode(),
        }


def _costs(report: Report) -> Iterable[Row]:
    for cost in report.costs:
        yield {
            "ledger": cost.ledger,
            "amount_usd": cost.amount_usd,
            "amount_pico_usd": None if cost.amount_pico_usd is None else Decimal(cost.amount_pico_usd),
            "known_usd": cost.known_usd,
            "n": cost.n,
            "planned_n": cost.planned_n,
            "complete": cost.complete,
            "reason": cost.reason.value if cost.reason else None,
        }


def _findings(report: Report) -> Iterable[Row]:
    for finding in report.findings:
        yield {
            "finding_id": finding.finding_id,
            "metric_ids": list(finding.metric_ids),
            "cause": finding.cause,
            "next_treatment": finding.next_treatment,
        }


def _coverage(report: Report) -> Iterable[Row]:
    for track in report.coverage:
        yield {
            "track": track.track.value,
            "planned": track.planned,
            "succeeded": track.succeeded,
            "failed": track.failed,
            "unavailable": track.unavailable,
        }
