"""The SQL of the views, and the small databases that hold them.

A view lists its parts one by one: a file that nobody listed is invisible. Every column is cast to the type of the interface, and a
view without parts is empty and has the same types. Paths are relative to the folder of the database, so that the folder can be moved;
DuckDB looks them up in its working directory and in `file_search_path`.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from contracts.errors import IntegrityError, StoreFull
from ledgers.index.paths import STORE_TABLES, Side
from ledgers.index.stamp import EvidenceIndex
from ledgers.store.publication import temporary_path

REBUILD = "run `evalplane evidence rebuild`"

_SQL_TYPES = {
    pa.string(): "VARCHAR",
    pa.bool_(): "BOOLEAN",
    pa.float64(): "DOUBLE",
    pa.int64(): "BIGINT",
    pa.int32(): "INTEGER",
    pa.timestamp("us", tz="UTC"): "TIMESTAMP WITH TIME ZONE",
    pa.list_(pa.string()): "VARCHAR[]",
    pa.decimal128(38, 0): "HUGEINT",
}


def view_select(table: str, schema: pa.Schema, paths: Sequence[str]) -> str:
    """A SELECT of exactly the columns of `schema`, in order, over the listed parts of one table."""
    columns = [(field.name, _SQL_TYPES[field.type]) for field in schema]
    if not paths:
        return "SELECT " + ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in columns) + " WHERE false"
    hive = "false" if table in STORE_TABLES else "true, hive_types = {'run_id': VARCHAR}"
    casts = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, kind in columns)
    return f"SELECT {casts} FROM read_parquet([{', '.join(map(quoted, paths))}], hive_partitioning = {hive})"


def quoted(text: str) -> str:
    """A SQL string."""
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def opened_folder(directory: Path) -> Iterator[str]:
    """A name of the directory that holds no comma, quote or `=`, that shows nobody where the store lies, and that no rename moves."""
    descriptor = os.open(directory, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)


def write_views(side: Side, index: EvidenceIndex) -> None:
    """evidence.duckdb of one side, replaced as a whole: who reads the old one keeps it."""
    with new_database(side.database) as connection, opened_folder(side.directory) as folder:
        connection.execute(f"SET file_search_path = {quoted(folder)}")
        for table, schema in side.views.items():
            connection.execute(f"CREATE VIEW {table} AS {view_select(table, schema, index.places(table))}")


@contextmanager
def new_database(target: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A new database that takes the name `target` when the block succeeds. Errors: a listed part is damaged, or the disk is full."""
    unfinished = temporary_path(target.parent)
    try:
        with duckdb.connect(unfinished) as connection:
            yield connection
        unfinished.chmod(0o600)
        unfinished.replace(target)
    except duckdb.Error as error:
        if "No space left" in str(error):
            raise StoreFull("The disk is full.", at=target.name) from None
        raise IntegrityError("A part of the evidence index is missing or torn.", at=f"evidence/{target.name}", fix=REBUILD) from None
    finally:
        unfinished.unlink(missing_ok=True)
        unfinished.with_name(f"{unfinished.name}.wal").unlink(missing_ok=True)
