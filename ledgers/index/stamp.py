"""What the index was made from, so that nothing is done when nothing changed.

A run is stamped by mtime, size and inode of its status.json, the one file that is replaced whenever a run moves; the suites by
the same of their index entries. The stamp is taken before anything is read: what changes meanwhile is seen by the next refresh.
A stamp says that nobody wrote, not that nobody forged: bytes are `verify`'s.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from contracts.base import MAX_DOCUMENT_BYTES, Count, Digest, Document, PortableId, ShortText, Text
from contracts.canonical import digest_of
from contracts.evidence_views import PRIVATE_VIEWS, PUBLIC_VIEWS
from ledgers.index.paths import STORE_TABLES, EvidencePaths
from ledgers.store.reading import read_bytes
from ledgers.store.store import Store

WRITER = 1  # raise it when equal documents give other parts

PartName = Annotated[str, Field(pattern=r"^part-[0-9a-f]{16}\.parquet$")]


class IndexedPart(Document):
    """One Parquet file of the index. Its name is a digest of its content, or of the sealed parts that it was copied from."""

    table: PortableId
    name: PartName
    rows: Count
    size_bytes: Count

    def place(self, run_id: str) -> str:
        """Path below the side of its table. `run_id` counts only for a table of runs."""
        return f"{self.table}/{self.name}" if self.table in STORE_TABLES else f"{self.table}/run_id={run_id}/{self.name}"


class IndexedRun(Document):
    """A run as the index knows it. Only a sealed run has parts; a damaged one has none and says why."""

    run_id: ShortText
    stamp: ShortText
    sealed: bool
    parts: tuple[IndexedPart, ...]
    damage: Text | None


class EvidenceIndex(Document):
    """evidence/index.json: every part that the views list."""

    schema_version: Literal["evaluation-evidence-index.v1"]
    layout: Digest
    suites: Digest
    runs: tuple[IndexedRun, ...]
    tables: tuple[IndexedPart, ...]

    def places(self, table: str) -> list[str]:
        """Paths of the parts of one table, below its side, by run id."""
        of_runs = [part.place(run.run_id) for run in self.runs for part in run.parts if part.table == table]
        return of_runs + [part.place("") for part in self.tables if part.table == table]

    def part(self, table: str) -> IndexedPart | None:
        return next((part for part in self.tables if part.table == table), None)


@dataclass(frozen=True)
class Stamp:
    """The state of a store: digest over its suites, and the stamp of each run by id, sorted."""

    suites: str
    runs: dict[str, str]

    def is_of(self, index: EvidenceIndex) -> bool:
        return (
            index.layout == layout_digest() and index.suites == self.suites and {run.run_id: run.stamp for run in index.runs} == self.runs
        )


def take_stamp(store: Store) -> Stamp:
    """A few stat calls: one a run, one a suite."""
    entries = store.root / "suites" / "index"
    suites = sorted(entries.iterdir()) if entries.is_dir() else []
    return Stamp(
        suites=digest_of("evidence-suites", [[path.name, _stamp_of(path)] for path in suites]),
        runs={run_id: _stamp_of(store.run_path(run_id) / "status.json") for run_id in store.run_ids()},
    )


def layout_digest() -> str:
    """Changes with any column of any view, and then every part is made anew: an old part never changes the type of a union."""
    views = {**PUBLIC_VIEWS, **PRIVATE_VIEWS}
    columns = {name: [[field.name, str(field.type)] for field in schema] for name, schema in views.items()}
    return digest_of("evidence-layout", {"writer": WRITER, "views": columns})


def read_index(paths: EvidencePaths) -> EvidenceIndex | None:
    """The index as it was last written; None where there is none, or none that this version can read: then it is built anew."""
    if not paths.index.exists():
        return None
    try:
        return EvidenceIndex.model_validate_json(read_bytes(paths.index, max_bytes=MAX_DOCUMENT_BYTES, root=paths.directory))
    except ValidationError:
        return None


def _stamp_of(path: Path) -> str:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return "absent"
    return f"{status.st_mtime_ns}-{status.st_size}-{status.st_ino}"
