"""Runs one admitted statement over the views, on a connection that can reach nothing but the parts that it reads.

The connection is in memory and lives for one statement. Its views are those of evidence.duckdb, the private ones in the schema
`private`; then access is confined: `allowed_paths` are exactly the listed parts of the views that the statement names, no other file,
no extension, no Python variable, no temporary directory; the configuration is locked and the transaction is read-only.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb
import pyarrow as pa

from contracts.errors import StatementRefused, StoreError
from ledgers.index.paths import EvidencePaths, Side, evidence_paths
from ledgers.index.refusals import refusal
from ledgers.index.stamp import EvidenceIndex, read_index
from ledgers.index.statement import Admitted, admit
from ledgers.index.views import opened_folder, quoted, view_select
from ledgers.store.store import Store

_BATCH_ROWS = 1 << 16
_LOCKS = (
    "enable_external_access = false",
    "ieee_floating_point_ops = false",
    "error_on_division_by_zero = false",
    "TimeZone = 'UTC'",
    "lock_configuration = true",
)
_NO_ARROW = re.compile(r"\b(?:UHUGEINT|BIGNUM|BIT|UNION|TIME WITH TIME ZONE)\b")  # Arrow has no such type; UHUGEINT even comes out wrong


@dataclass(frozen=True)
class QuerySettings:
    """What one statement may use.

    `memory_mb` bounds what DuckDB counts, which long strings made by a function are not: whoever takes statements from strangers runs
    them in a process with a limit of its own. `max_rows` None is all rows; ask for one more than you show, to know whether there are more.
    """

    threads: int
    memory_mb: int
    max_rows: int | None = None


def run_query(store: Store, sql: str, *, private: bool, settings: QuerySettings) -> pa.Table:
    """Rows of one SELECT, or the plan of one EXPLAIN. Reads the index as it is: `refresh` it first.

    Division by zero is null, times are UTC. StatementRefused: not one such statement, or DuckDB can't run it. IntegrityError: the
    index lost a part. StoreError: there is no index yet.
    """
    paths = evidence_paths(store)
    index = read_index(paths)
    if index is None:
        raise StoreError("The evidence index was not built yet.", at="evidence/index.json", fix="evalplane evidence build")
    try:
        with _connection(settings) as connection:
            statement = admit(sql, connection, public=paths.public.views, private=paths.private.views if private else None)
            with _views(connection, paths, index, statement, private=private):
                return _rows(connection, statement.text, settings.max_rows)
    except duckdb.Error as error:
        raise refusal(error) from None


@contextmanager
def _connection(settings: QuerySettings) -> Iterator[duckdb.DuckDBPyConnection]:
    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": settings.threads,
        "memory_limit": f"{settings.memory_mb}MB",
        "temp_directory": "",
        "python_enable_replacements": False,
        "autoload_known_extensions": False,
        "autoinstall_known_extensions": False,
        "allow_community_extensions": False,
        "allow_persistent_secrets": False,
    }
    with duckdb.connect(":memory:", config=config) as connection:
        yield connection


@contextmanager
def _views(
    connection: duckdb.DuckDBPyConnection, paths: EvidencePaths, index: EvidenceIndex, statement: Admitted, *, private: bool
) -> Iterator[None]:
    """All views by name and type, those that the statement reads with their parts; then the locks."""
    with opened_folder(paths.public.directory) as public_folder, opened_folder(paths.private.directory) as private_folder:
        views = _listed(paths.public, index, statement, public_folder)
        if private:
            connection.execute("CREATE SCHEMA private")
            views += _listed(paths.private, index, statement, private_folder, "private.")
        for view in views:
            connection.execute(f"CREATE VIEW {view.name} AS {view.select}")
        allowed = ", ".join(quoted(part) for view in views for part in view.parts)
        connection.execute(f"SET allowed_paths = [{allowed}]::VARCHAR[]")
        for lock in _LOCKS:
            connection.execute(f"SET {lock}")
        connection.execute("BEGIN TRANSACTION READ ONLY")
        yield


@dataclass(frozen=True)
class _View:
    name: str
    select: str
    parts: list[str]


def _listed(side: Side, index: EvidenceIndex, statement: Admitted, folder: str, schema: str = "") -> list[_View]:
    found = []
    for table, columns in side.views.items():
        parts = [f"{folder}/{place}" for place in index.places(table)] if schema + table in statement.views else []
        found.append(_View(schema + table, view_select(table, columns, parts), parts))
    return found


def _rows(connection: duckdb.DuckDBPyConnection, sql: str, max_rows: int | None) -> pa.Table:
    result = _bound(connection, sql)
    if any(_NO_ARROW.search(str(kind)) for kind in result.types):
        raise StatementRefused("A column of the result has a type that Arrow lacks.", at="sql", fix="cast it to VARCHAR")
    if max_rows is None:
        return result.to_arrow_table()
    batches, left = [], max_rows
    reader = result.to_arrow_reader(_BATCH_ROWS)
    while left > 0:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            break
        batches.append(batch.slice(0, left))
        left -= len(batches[-1])
    return pa.Table.from_batches(batches, schema=reader.schema)


def _bound(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.DuckDBPyRelation:
    """The result, not yet computed. Where a name is wrong, `execute` says the place of it, which `sql` does not."""
    try:
        return connection.sql(sql)
    except (duckdb.BinderException, duckdb.CatalogException) as error:
        try:
            connection.execute(sql)
        except type(error) as placed:
            raise placed from None
        raise
