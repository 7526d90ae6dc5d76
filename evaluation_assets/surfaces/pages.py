"""What the pages show, read from the store: the list of runs, and the sealed page of one.

A run that cannot be read is a row with its reason; it never hides the others.
"""

import re
from datetime import datetime
from importlib import resources
from typing import NamedTuple

from jinja2 import ChoiceLoader, Environment, PackageLoader

from contracts.canonical import digest_bytes
from contracts.errors import EvaluationError, IntegrityError, UnknownName
from contracts.gates import RunGates, Verdict
from contracts.reports import ReportAnchor
from contracts.runs import RunManifest, RunState
from evaluation_assets.reports.templating import environment
from ledgers.store.inventory import ANCHOR, PUBLIC_LIST, read_checksums
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store

SHOWN_RUNS = 100
STATES = {
    RunState.PENDING: "Created, not started",
    RunState.RUNNING: "Running",
    RunState.SEALING: "Being sealed",
    RunState.COMPLETED: "Sealed",
    RunState.FAILED: "Failed",
    RunState.CANCELLED: "Cancelled",
}
_RUN_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)


class RunRow(NamedTuple):
    """One run of the list; `verdicts` is empty until it is sealed, `error_code` says why it failed, `problem` why it can't be read."""

    run_id: str
    state: RunState | None = None
    manifest: RunManifest | None = None
    verdicts: tuple[tuple[Verdict, int], ...] = ()
    error_code: str = ""
    problem: str = ""


def newest_runs(store: Store) -> tuple[list[RunRow], int]:
    """The newest runs, at most SHOWN_RUNS of them, and how many the store has.

    Which are newest is told by when their manifests were written, so that no more of them are read than are shown.
    """
    ids = store.run_ids()
    shown = sorted(ids, key=lambda run_id: (_written_ns(store, run_id), run_id), reverse=True)[:SHOWN_RUNS]
    return sorted((_row(store, run_id) for run_id in shown), key=_created, reverse=True), len(ids)


def sealed_page(store: Store, run_id: str) -> bytes:
    """report.html of a sealed run, byte for byte as it was sealed.

    Raises UnknownName: no such run, or not sealed. IntegrityError: the page or its list is not what the anchor binds.
    """
    if _RUN_ID.fullmatch(run_id) is None:
        raise UnknownName("This is not the id of a run.", at="run id")
    run = store.run(run_id)
    if not run.exists(ANCHOR):
        raise UnknownName("The run has no sealed report yet.", at=f"run {run_id}", fix=f"evalplane run start {run_id}")
    page, anchor = run.read("report.html"), run.document(ANCHOR, ReportAnchor)
    listed = read_checksums(run.path, PUBLIC_LIST).get("report.html")
    if digest_bytes(run.read(PUBLIC_LIST)) != anchor.public_checksums or digest_bytes(page) != listed:
        raise IntegrityError("The report page does not match its seal.", at=f"runs/{run_id}/report.html", fix=f"evalplane verify {run_id}")
    return page


def templates() -> Environment:
    """The environment of the report with our templates before its own: same filters, same words, same glyphs."""
    report = environment()
    ours = PackageLoader("evaluation_assets.surfaces", "templates")
    made = report.overlay(loader=ChoiceLoader([ours, report.loader] if report.loader else [ours]))
    made.globals.update(STATES=STATES, style=(resources.files("evaluation_assets.reports") / "templates" / "tokens.css").read_text("utf-8"))
    return made


def _row(store: Store, run_id: str) -> RunRow:
    try:
        run = store.run(run_id)
        status = run.status()
        verdicts = _verdicts(run) if status.state is RunState.COMPLETED else ()
        return RunRow(run_id, status.state, run.manifest(), verdicts, status.error.code if status.error else "")
    except EvaluationError as error:
        return RunRow(run_id, problem=f"{error.message.removesuffix('.')} ({error.code})")


def _verdicts(run: RunDirectory) -> tuple[tuple[Verdict, int], ...]:
    found = [gate.verdict for gate in run.document("gates.json", RunGates).gates]
    return tuple((verdict, found.count(verdict)) for verdict in Verdict if verdict in found)


def _created(row: RunRow) -> tuple[bool, datetime | str]:
    return (False, row.run_id) if row.manifest is None else (True, row.manifest.created_at)


def _written_ns(store: Store, run_id: str) -> int:
    try:
        return (store.run_path(run_id) / "run-manifest.json").stat().st_mtime_ns
    except OSError:
        return 0
