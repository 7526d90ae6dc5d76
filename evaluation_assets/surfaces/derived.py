"""What `verify` says about the evidence index: files that a rebuild would write otherwise. Evidence itself is never in question here.

Equal rows give equal bytes (ledgers/index/parts.py), so what is listed is written once more, beside the index, and compared. An index
that is missing, or older than the store, is no problem: the next question brings it up to date.
"""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow as pa

from contracts.errors import EvaluationError
from contracts.reports import Report, ReportAnchor
from contracts.runs import RunState
from contracts.verification import VerifyProblem
from ledgers.index.parts import PartWriter
from ledgers.index.paths import EvidencePaths, evidence_paths
from ledgers.index.stamp import EvidenceIndex, IndexedPart, read_index, take_stamp
from ledgers.index.tables import Row, Seal, cases_of, quality_issues_table, run_row, runs_table, suites_table, tables_of
from ledgers.index.views import opened_folder, quoted, view_select
from ledgers.store.inventory import ANCHOR
from ledgers.store.reading import sha256_file
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store

Listed = Sequence[IndexedPart | None]
_VIEWS = "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal ORDER BY view_name"


def run_problems(store: Store, run: RunDirectory, *, digests_only: bool) -> list[VerifyProblem]:
    """Of the parts of one sealed run that is clean itself. `digests_only`: they must be there in their size, and nothing is written."""
    paths = evidence_paths(store)
    index = read_index(paths)
    listed = next((entry for entry in index.runs if entry.run_id == run.run_id), None) if index else None
    if listed is None or listed.stamp != take_stamp(store).runs[run.run_id]:
        return []
    if digests_only:
        return list(_sizes(paths, listed.parts, run.run_id))
    with tempfile.TemporaryDirectory(dir=paths.directory) as scratch:
        again = _beside(paths, Path(scratch))
        public, private = (PartWriter(side) for side in again.sides)
        report = run.document("report.json", Report)
        made = [*(public.table(name, table, run.run_id) for name, table in tables_of(report).items()), *private.records(run)]
        return list(_differences(paths, again, listed.parts, made, run.run_id))


def store_problems(store: Store, *, digests_only: bool) -> list[VerifyProblem]:
    """Of the tables of the whole store and of the views, once every run is clean."""
    paths = evidence_paths(store)
    index = read_index(paths)
    if index is None or not take_stamp(store).is_of(index):
        return []
    if digests_only:
        return list(_sizes(paths, index.tables, ""))
    with tempfile.TemporaryDirectory(dir=paths.directory) as scratch:
        again = _beside(paths, Path(scratch))
        public, private = (PartWriter(side) for side in again.sides)
        suites = store.suites.manifests()
        tables = {
            "runs": runs_table(_run_row(store.run(run_id)) for run_id in store.run_ids()),
            "suites": suites_table(suites),
            "quality_issues": quality_issues_table(suites),
        }
        made = [public.table(name, table) for name, table in tables.items()]
        if suites:
            made.append(private.table("cases", pa.concat_tables([cases_of(store, suite) for suite in suites])))
        return [*_differences(paths, again, index.tables, made, ""), *_views(paths, index)]


def _beside(paths: EvidencePaths, scratch: Path) -> EvidencePaths:
    """Another place with the same tables."""
    public, private = (replace(side, directory=scratch / side.name) for side in paths.sides)
    return EvidencePaths(scratch, public, private)


def _run_row(run: RunDirectory) -> Row:
    status = run.status()
    sealed = status.state is RunState.COMPLETED
    seal = Seal(run.document("report.json", Report), run.document(ANCHOR, ReportAnchor).sealed_at) if sealed else None
    return run_row(run.manifest(), status, seal)


def _sizes(paths: EvidencePaths, listed: Listed, run_id: str) -> Iterator[VerifyProblem]:
    for part in filter(None, listed):
        path = paths.side_of(part.table).directory / part.place(run_id)
        if not path.is_file():
            yield _problem(paths, path, "The file is missing.")
        elif path.stat().st_size != part.size_bytes:
            yield _problem(paths, path, "The file has another size than the index says.")


def _differences(paths: EvidencePaths, again: EvidencePaths, listed: Listed, made: Listed, run_id: str) -> Iterator[VerifyProblem]:
    expected = {part.place(run_id): part.table for part in made if part}
    for place, table in {**{part.place(run_id): part.table for part in listed if part}, **expected}.items():
        path = paths.side_of(table).directory / place
        if place not in expected:
            yield _problem(paths, path, "The index lists a part that does not follow from the store.")
        elif not path.is_file():
            yield _problem(paths, path, "The file is missing.")
        elif _digest(path) != _digest(again.side_of(table).directory / place):
            yield _problem(paths, path, "The bytes are not those that follow from the store.")


def _views(paths: EvidencePaths, index: EvidenceIndex) -> Iterator[VerifyProblem]:
    """The views of both databases against what `write_views` would say now."""
    for side in paths.sides:
        try:
            with duckdb.connect(side.database, read_only=True) as connection:
                found = connection.execute(_VIEWS).fetchall()
            with duckdb.connect(":memory:") as connection, opened_folder(side.directory) as folder:
                connection.execute(f"SET file_search_path = {quoted(folder)}")
                for table, schema in side.views.items():
                    connection.execute(f"CREATE VIEW {table} AS {view_select(table, schema, index.places(table))}")
                expected = connection.execute(_VIEWS).fetchall()
        except duckdb.Error:
            found, expected = [], [()]
        if found != expected:
            yield _problem(paths, side.database, "The views are not those of the index.")


def _digest(path: Path) -> str:
    """Of a file that may be hostile: then it has none."""
    try:
        return sha256_file(path)
    except EvaluationError:
        return ""


def _problem(paths: EvidencePaths, path: Path, problem: str) -> VerifyProblem:
    return VerifyProblem(path=f"evidence/{path.relative_to(paths.directory)}"[:256], problem=problem, derived=True)
