"""Makes the index follow the store.

1. Nothing moved since the index was written: return. A few stat calls, no lock.
2. Else wait for the lock. Whoever held it may have done the work: look again.
3. Parts of runs that did not move are kept; those of newly sealed runs are written, then the tables of the whole store.
4. Both databases are replaced, and last the list. A crash before that leaves a stamp that does not fit: the next refresh goes on.

No part is removed here, so that a reader of the old views can finish; `prune` removes what is no longer listed. A run whose files are
damaged has no rows but the one in `runs`; it is named in the state and keeps nobody else from being read.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa

from contracts.canonical import digest_bytes
from contracts.errors import EvaluationError, IntegrityError, StoreError, StoreFull
from contracts.evidence_views import PUBLIC_VIEWS
from contracts.reports import Report, ReportAnchor
from contracts.runs import RunState
from ledgers.index.parts import PartWriter
from ledgers.index.paths import EvidencePaths, evidence_paths, make_private
from ledgers.index.stamp import EvidenceIndex, IndexedPart, IndexedRun, layout_digest, read_index, take_stamp
from ledgers.index.sweep import remove_unlisted
from ledgers.index.tables import SUITE_TABLES, Row, Seal, cases_of, quality_issues_table, run_row, runs_table, suites_table, tables_of
from ledgers.index.views import write_views
from ledgers.store.parts import read_parquet
from ledgers.store.publication import replace_bytes
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store


@dataclass(frozen=True)
class IndexState:
    """What a refresh found. `changed`: it wrote the databases; `written`: Parquet files that it wrote."""

    index: EvidenceIndex
    changed: bool
    written: int

    @property
    def damaged(self) -> tuple[IndexedRun, ...]:
        """Runs that could not be read, each with its reason in `damage`. They are tried again when they move, or by `rebuild`."""
        return tuple(run for run in self.index.runs if run.damage is not None)


def refresh(store: Store, *, force: bool = False) -> IndexState:
    """The index of what the store holds now. `force`: write every part and view anew, whether it is there or not."""
    paths = evidence_paths(store)
    state = None if force else _unchanged(store, paths)
    if state is not None:
        return state
    with _writing(paths):
        state = None if force else _unchanged(store, paths)
        return state or _write(store, paths, anew=force)


def rebuild(store: Store) -> IndexState:
    """As if there were no index: all of it is written from the store, and everything else below `evidence/` goes."""
    paths = evidence_paths(store)
    with _writing(paths):
        state = _write(store, paths, anew=True)
        remove_unlisted(paths, state.index)
        return state


def prune(store: Store) -> list[str]:
    """Removes files that the index does not list; their names, relative to `evidence/`. A query that still reads one of them fails."""
    paths = evidence_paths(store)
    with _writing(paths):
        state = _unchanged(store, paths) or _write(store, paths, anew=False)
        return remove_unlisted(paths, state.index)


def _unchanged(store: Store, paths: EvidencePaths) -> IndexState | None:
    if not all(side.database.exists() for side in paths.sides):
        return None
    index = read_index(paths)
    return IndexState(index, changed=False, written=0) if index and take_stamp(store).is_of(index) else None


@contextmanager
def _writing(paths: EvidencePaths) -> Iterator[None]:
    for side in paths.sides:
        make_private(side.directory)
    descriptor = os.open(paths.lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _write(store: Store, paths: EvidencePaths, *, anew: bool) -> IndexState:
    writing = _Writing(store, paths, anew=anew)
    index = writing.index()
    for side in paths.sides:
        write_views(side, index)
    replace_bytes(paths.index, index.canonical())
    return IndexState(index, changed=True, written=writing.public.written + writing.private.written)


class _Writing:
    """One pass over the store. What the old index says of a run or of the suites holds as long as their stamp and their parts do."""

    def __init__(self, store: Store, paths: EvidencePaths, *, anew: bool) -> None:
        self._stamp = take_stamp(store)
        old = None if anew else read_index(paths)
        self._old = old if old is not None and old.layout == layout_digest() else None
        self._store = store
        self._paths = paths
        self.public, self.private = (PartWriter(side) for side in paths.sides)

    def index(self) -> EvidenceIndex:
        known = {run.run_id: run for run in self._old.runs if self._are_there(run.parts, run.run_id)} if self._old else {}
        known_rows = self._known_rows()
        runs, rows = [], []
        for run_id, moved in self._stamp.runs.items():
            entry, row = known.get(run_id), known_rows.get(run_id)
            if entry is None or entry.stamp != moved or (row is None and entry.damage is None):
                entry, row = self._read_run(RunDirectory(self._store.run_path(run_id)), moved)
            runs.append(entry)
            rows += [row] if row else []
        tables = [self.public.table("runs", runs_table(rows)), *self._suites()]
        return EvidenceIndex(
            schema_version="evaluation-evidence-index.v1",
            layout=layout_digest(),
            suites=self._stamp.suites,
            runs=tuple(runs),
            tables=tuple(part for part in tables if part is not None),
        )

    def _read_run(self, run: RunDirectory, stamp: str) -> tuple[IndexedRun, Row | None]:
        """One run as the index keeps it, and its row of `runs`, if at least manifest and status can be read."""
        row = None
        try:
            manifest, status = run.manifest(), run.status()
            row = run_row(manifest, status, None)
            if status.state is not RunState.COMPLETED:
                return IndexedRun(run_id=run.run_id, stamp=stamp, sealed=False, parts=(), damage=None), row
            seal = _seal(run)
            parts = [self.public.table(name, table, run.run_id) for name, table in tables_of(seal.report).items()]
            sealed = tuple(part for part in [*parts, *self.private.records(run)] if part is not None)
            return IndexedRun(run_id=run.run_id, stamp=stamp, sealed=True, parts=sealed, damage=None), run_row(manifest, status, seal)
        except StoreFull:
            raise
        except EvaluationError as error:
            reason = f"{error.message} ({error.code}; {error.at})"
            return IndexedRun(run_id=run.run_id, stamp=stamp, sealed=False, parts=(), damage=reason), row

    def _known_rows(self) -> dict[str, Row]:
        """Rows of `runs` as they were, so that an old run costs no document. None of them, if that part is gone or torn."""
        part = self._old.part("runs") if self._old else None
        if part is None:
            return {}
        try:
            path = self._paths.public.directory / part.place("")
            return {row["run_id"]: row for row in read_parquet(path, PUBLIC_VIEWS["runs"], at="evidence/runs").to_pylist()}
        except StoreError:
            return {}

    def _suites(self) -> list[IndexedPart | None]:
        """The tables that follow from the installed suites; read again only when one of them was installed or replaced."""
        if self._old is not None and self._old.suites == self._stamp.suites:
            kept = tuple(part for name in SUITE_TABLES if (part := self._old.part(name)))
            if self._are_there(kept, ""):
                return list(kept)
        manifests = self._store.suites.manifests()
        cases = [cases_of(self._store, manifest) for manifest in manifests]
        return [
            self.public.table("suites", suites_table(manifests)),
            self.public.table("quality_issues", quality_issues_table(manifests)),
            self.private.table("cases", pa.concat_tables(cases)) if cases else None,
        ]

    def _are_there(self, parts: tuple[IndexedPart, ...], run_id: str) -> bool:
        """Every part in its full size: what a crash or a person left shorter is written again."""
        paths = [self._paths.side_of(part.table).directory / part.place(run_id) for part in parts]
        return all(path.exists() and path.stat().st_size == part.size_bytes for path, part in zip(paths, parts, strict=True))


def _seal(run: RunDirectory) -> Seal:
    """The report whose digest the anchor has: what the other commands show of this run. All else is `verify`'s to check."""
    anchor = run.document("report-anchor.json", ReportAnchor)
    if digest_bytes(run.read("report.json")) != anchor.report:
        raise IntegrityError("The report is not the one that was sealed.", at=f"runs/{run.run_id}/report.json")
    return Seal(run.document("report.json", Report), anchor.sealed_at)
