"""The sealed documents of a run, checked against its anchor before anybody reads a number in them.

This is a glance, not `verify`: only the document that is shown is hashed.
"""

from contracts.canonical import digest_bytes
from contracts.errors import IntegrityError, UnknownName
from contracts.gates import RunGates
from contracts.reports import Report, ReportAnchor
from ledgers.store.inventory import ANCHOR, PUBLIC_LIST, read_checksums
from ledgers.store.runs import RunDirectory

_PAGE = "report.html"
MAX_BYTES = 64 * 1024 * 1024


def is_sealed(run: RunDirectory) -> bool:
    return run.exists(ANCHOR)


def anchor_of(run: RunDirectory) -> ReportAnchor:
    """UnknownName: the run is not sealed."""
    if not is_sealed(run):
        raise UnknownName("The run has no sealed report yet.", at=f"run {run.run_id}", fix=f"evalplane run start {run.run_id}")
    return run.document(ANCHOR, ReportAnchor)


def report_of(run: RunDirectory) -> Report:
    """report.json. IntegrityError: its bytes are not those that were sealed."""
    return Report.parse(_sealed_bytes(run, "report.json", anchor_of(run).report), f"runs/{run.run_id}/report.json")


def gates_of(run: RunDirectory) -> RunGates:
    """gates.json. IntegrityError: its bytes are not those that were sealed."""
    return RunGates.parse(_sealed_bytes(run, "gates.json", anchor_of(run).gates), f"runs/{run.run_id}/gates.json")


def page_of(run: RunDirectory) -> bytes:
    """report.html, by the digest in the list that the anchor seals."""
    _sealed_bytes(run, PUBLIC_LIST, anchor_of(run).public_checksums)
    return _sealed_bytes(run, _PAGE, read_checksums(run.path, PUBLIC_LIST).get(_PAGE, ""))


def _sealed_bytes(run: RunDirectory, name: str, digest: str) -> bytes:
    data = run.read(name, max_bytes=MAX_BYTES)
    if digest_bytes(data) != digest:
        raise IntegrityError("The bytes are not those that were sealed.", at=f"runs/{run.run_id}/{name}")
    return data
