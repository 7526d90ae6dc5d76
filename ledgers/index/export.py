"""The index as one database for other programs: views with absolute paths for this machine, or tables with the rows in them.

Views of evidence.duckdb are relative to its folder, which a program elsewhere does not know. `absolute` writes the same views with
full paths: small, current until a run is sealed, useless elsewhere. `materialized` copies the rows: one file that can be sent away.
"""

from pathlib import Path

import duckdb

from contracts.errors import AlreadyExists, InputError
from ledgers.index.build import refresh
from ledgers.index.paths import EvidencePaths, Side, evidence_paths
from ledgers.index.stamp import EvidenceIndex
from ledgers.index.views import new_database, opened_folder, view_select
from ledgers.store.store import Store


def build_export(store: Store, target: Path, *, absolute: bool, materialized: bool, private: bool) -> Path:
    """Writes `target`, an absolute path afterwards, with the public views and, if asked, the private ones in the schema `private`.

    An older database of that name is replaced. InputError: not exactly one of the two kinds, or no such folder. AlreadyExists: the
    name is taken by something that is no DuckDB database.
    """
    if absolute == materialized:
        raise InputError("An export is either absolute or materialized.", at="export")
    target = target.absolute()
    if not target.parent.is_dir():
        raise InputError("The folder of the export does not exist.", at=target.name, fix="name a file in a folder that exists")
    if not _may_replace(target):
        raise AlreadyExists("This name is taken by something that is no DuckDB database.", at=target.name)
    paths, index = evidence_paths(store), refresh(store).index
    if absolute and "=" in str(paths.directory):
        raise InputError(
            "The path of the store has a part with `=`, which readers of Parquet take for a column.",
            at="--root",
            fix="export with --materialized, or move the store",
        )
    with new_database(target) as connection:
        for side, schema in _sides(connection, paths, private=private):
            if absolute:
                _views(connection, side, index, schema)
            else:
                _tables(connection, side, index, schema)
    return target


def _may_replace(target: Path) -> bool:
    if not target.exists() and not target.is_symlink():
        return True
    if not target.is_file() or target.is_symlink():
        return False
    with target.open("rb") as file:
        return file.read(12)[8:] == b"DUCK"


def _sides(connection: duckdb.DuckDBPyConnection, paths: EvidencePaths, *, private: bool) -> list[tuple[Side, str]]:
    if not private:
        return [(paths.public, "")]
    connection.execute("CREATE SCHEMA private")
    return [(paths.public, ""), (paths.private, "private.")]


def _views(connection: duckdb.DuckDBPyConnection, side: Side, index: EvidenceIndex, schema: str) -> None:
    for table, columns in side.views.items():
        parts = [str(side.directory / place) for place in index.places(table)]
        connection.execute(f"CREATE VIEW {schema}{table} AS {view_select(table, columns, parts)}")


def _tables(connection: duckdb.DuckDBPyConnection, side: Side, index: EvidenceIndex, schema: str) -> None:
    with opened_folder(side.directory) as folder:
        for table, columns in side.views.items():
            parts = [f"{folder}/{place}" for place in index.places(table)]
            connection.execute(f"CREATE TABLE {schema}{table} AS {view_select(table, columns, parts)}")
