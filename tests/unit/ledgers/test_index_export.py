"""The index as one database for other programs: opened by plain DuckDB, from another directory."""

import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from contracts.errors import AlreadyExists, InputError
from contracts.evidence_views import PRIVATE_VIEWS, PUBLIC_VIEWS
from ledgers.index.build import refresh
from ledgers.index.export import build_export
from ledgers.index.paths import evidence_paths
from ledgers.store.store import Store
from tests.run_builders import CANARY, install_suite, sealed_run

READ = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1], read_only=True)
for statement in sys.argv[2:-1]:
    connection.execute(statement)
print(connection.execute(sys.argv[-1]).fetchall())
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    found = Store.found(tmp_path / "it's, a store")
    install_suite(found, tmp_path)
    sealed_run(found, 1)
    return found


def read(database: Path | str, *statements: str, cwd: Path) -> str:
    """What plain DuckDB prints in a process of its own."""
    done = subprocess.run([sys.executable, "-c", READ, str(database), *statements], cwd=cwd, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("kind", ["absolute", "materialized"])
def test_an_export_opens_from_anywhere(store: Store, tmp_path: Path, kind: str) -> None:
    target = build_export(store, tmp_path / "out.duckdb", absolute=kind == "absolute", materialized=kind == "materialized", private=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert read(target, "SELECT count(*) FROM metrics", cwd=elsewhere) == "[(15,)]"
    assert read(target, "SELECT count(*), sum(quality) FROM private.outcomes", cwd=elsewhere) == "[(12, 7.0)]"
    assert read(target, "SELECT typeof(amount_pico_usd) FROM costs LIMIT 1", cwd=elsewhere) == "[('HUGEINT',)]"
    assert target.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".tmp")] == []


def test_a_materialized_export_needs_no_store(store: Store, tmp_path: Path) -> None:
    target = build_export(store, tmp_path / "out.duckdb", absolute=False, materialized=True, private=False)
    shutil.rmtree(store.root)
    with duckdb.connect(target, read_only=True) as connection:
        for name, schema in PUBLIC_VIEWS.items():
            assert [row[0] for row in connection.execute(f"DESCRIBE {name}").fetchall()] == schema.names
        assert connection.execute("SELECT count(*) FROM gates").fetchall() == [(10,)]


def test_private_views_are_exported_only_when_asked(store: Store, tmp_path: Path) -> None:
    public = build_export(store, tmp_path / "public.duckdb", absolute=False, materialized=True, private=False)
    private = build_export(store, tmp_path / "private.duckdb", absolute=False, materialized=True, private=True)
    names = {}
    for path in (public, private):
        with duckdb.connect(path, read_only=True) as connection:
            names[path] = {row[0] for row in connection.execute("SELECT table_name FROM information_schema.tables").fetchall()}
    assert names[public] == set(PUBLIC_VIEWS)
    assert names[private] == {*PUBLIC_VIEWS, *PRIVATE_VIEWS}
    assert CANARY.encode() not in public.read_bytes()


def test_both_sides_open_in_place(store: Store) -> None:
    """As the cookbook tells a person with the DuckDB command line."""
    refresh(store)
    folder = evidence_paths(store).public.directory
    assert read("evidence.duckdb", "SELECT count(*) FROM runs", cwd=folder) == "[(1,)]"
    attach = "ATTACH '../private/evidence.duckdb' AS private (READ_ONLY)"
    joined = "SELECT count(*) FROM runs JOIN private.outcomes USING (run_id)"
    assert read("evidence.duckdb", attach, "SET file_search_path = '../private'", joined, cwd=folder) == "[(12,)]"


def test_a_second_export_replaces_the_first(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "out.duckdb"
    build_export(store, target, absolute=True, materialized=False, private=False)
    sealed_run(store, 2)
    build_export(store, target, absolute=True, materialized=False, private=False)
    assert read(target, "SELECT count(*) FROM runs", cwd=tmp_path) == "[(2,)]"


@pytest.mark.parametrize("taken", ["file", "folder", "link"])
def test_other_things_are_not_replaced(store: Store, tmp_path: Path, taken: str) -> None:
    target = tmp_path / "thesis.pdf"
    if taken == "file":
        target.write_text("years of work")
    elif taken == "folder":
        target.mkdir()
    else:
        target.symlink_to(store.root)
    with pytest.raises(AlreadyExists):
        build_export(store, target, absolute=True, materialized=False, private=False)
    assert target.exists()


@pytest.mark.parametrize(("absolute", "materialized"), [(True, True), (False, False)])
def test_an_export_is_of_one_kind(store: Store, tmp_path: Path, absolute: bool, materialized: bool) -> None:
    with pytest.raises(InputError, match="either"):
        build_export(store, tmp_path / "out.duckdb", absolute=absolute, materialized=materialized, private=False)


def test_a_missing_folder_is_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="folder"):
        build_export(store, tmp_path / "none" / "out.duckdb", absolute=True, materialized=False, private=False)


def test_an_absolute_export_refuses_a_root_that_reads_as_a_partition(tmp_path: Path) -> None:
    (tmp_path / "status=mine").mkdir(mode=0o700)
    store = Store.found(tmp_path / "status=mine" / "store")
    sealed_run(store, 1)
    with pytest.raises(InputError, match="="):
        build_export(store, tmp_path / "out.duckdb", absolute=True, materialized=False, private=False)
    copied = build_export(store, tmp_path / "out.duckdb", absolute=False, materialized=True, private=False)
    assert read(copied, "SELECT status FROM runs", cwd=tmp_path) == "[('completed',)]"
