"""The index follows the store: what is listed, what is written again, and what a reader sees meanwhile."""

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from contracts.errors import HostileFile, IntegrityError
from contracts.evidence_views import PRIVATE_VIEWS, PUBLIC_VIEWS
from contracts.runs import RunState
from ledgers.index import stamp
from ledgers.index.build import prune, rebuild, refresh
from ledgers.index.paths import evidence_paths, make_private
from ledgers.store.store import Store
from tests.builders import report
from tests.run_builders import ARMS, CANARY, NOW, create_run, install_suite, run_id, sealed_run

SQL_TYPES = {
    "string": "VARCHAR",
    "bool": "BOOLEAN",
    "double": "DOUBLE",
    "int64": "BIGINT",
    "int32": "INTEGER",
    "list<item: string>": "VARCHAR[]",
    "timestamp[us, tz=UTC]": "TIMESTAMP WITH TIME ZONE",
    "decimal128(38, 0)": "HUGEINT",
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """One suite and one sealed run."""
    found = Store.found(tmp_path / "store")
    install_suite(found, tmp_path)
    sealed_run(found, 1)
    return found


def opened(store: Store, side: str) -> duckdb.DuckDBPyConnection:
    """A side of the index, as any program opens it from elsewhere."""
    folder = evidence_paths(store).directory / side
    connection = duckdb.connect(folder / "evidence.duckdb", read_only=True)
    connection.execute(f"SET file_search_path = '{folder}'")
    return connection


def rows(store: Store, side: str, sql: str) -> list[tuple[Any, ...]]:
    with opened(store, side) as connection:
        return connection.execute(sql).fetchall()


def files(store: Store) -> dict[str, tuple[int, int]]:
    """Inode and mtime of every file of the index but the lock."""
    top = evidence_paths(store).directory
    return {
        str(path.relative_to(top)): (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in top.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


def part_digests(store: Store) -> dict[str, str]:
    top = evidence_paths(store).directory
    return {str(path.relative_to(top)): sha256(path.read_bytes()).hexdigest() for path in sorted(top.rglob("*.parquet"))}


def public_cells(store: Store) -> Iterator[Any]:
    for path in evidence_paths(store).public.directory.rglob("*.parquet"):
        for column in pq.read_table(path).columns:
            yield from column.to_pylist()


@pytest.mark.parametrize("side", ["public", "private"])
def test_views_have_exactly_the_columns_of_the_interface(store: Store, side: str) -> None:
    refresh(store)
    with opened(store, side) as connection:
        listed = {name for (name,) in connection.execute("SHOW TABLES").fetchall()}
        views = PUBLIC_VIEWS if side == "public" else PRIVATE_VIEWS
        assert listed == set(views)
        for name, schema in views.items():
            described = [row[:2] for row in connection.execute(f"DESCRIBE {name}").fetchall()]
            assert described == [(field.name, SQL_TYPES[str(field.type)]) for field in schema], name


@pytest.mark.parametrize("name", ["campaigns", "campaign_slots", "pairs", "windows"])
def test_a_view_without_parts_is_empty(store: Store, name: str) -> None:
    refresh(store)
    assert rows(store, "public", f"FROM {name}") == []


def test_a_sealed_run_is_in_every_table(store: Store) -> None:
    refresh(store)
    run = run_id(1)
    assert rows(store, "public", "SELECT run_id, status, evidence_level, sealed_at IS NULL FROM runs") == [(run, "completed", "E0", False)]
    assert rows(store, "public", "SELECT verdict, missing FROM gates WHERE gate = 'G2'") == [("unavailable", '["controlled_pair"]')]
    assert rows(store, "public", "SELECT amount_pico_usd, typeof(amount_pico_usd), complete FROM costs WHERE ledger = 'runtime'") == [
        (2_500_000_000, "HUGEINT", True)
    ]
    metric = "FROM metrics SELECT value, lower, upper, method WHERE metric_id = 'routing.coverage' AND slice = 'all'"
    assert rows(store, "public", metric) == [(0.75, 0.301, 0.954, "wilson")]
    assert rows(store, "private", "SELECT run_id, suite_id, count(*) FROM outcomes GROUP BY ALL") == [(run, "evaluation-smoke", 12)]
    assert rows(store, "private", "SELECT count(*) FROM plan") == [(12,)]


def test_records_of_several_suites_are_one_file(tmp_path: Path) -> None:
    store = Store.found(tmp_path / "store")
    sealed_run(store, 1, suite_ids=("first", "second"))
    refresh(store)
    assert len(list((evidence_paths(store).private.directory / "outcomes").rglob("*.parquet"))) == 1
    assert rows(store, "private", "SELECT suite_id, count(*) FROM outcomes GROUP BY ALL ORDER BY ALL") == [("first", 12), ("second", 12)]


def test_cases_are_listed_without_their_messages(store: Store) -> None:
    refresh(store)
    assert rows(store, "private", "SELECT count(*), count(DISTINCT domain) FROM cases") == [(6, 3)]
    (path,) = (evidence_paths(store).private.directory / "cases").rglob("*.parquet")
    assert "messages" not in pq.read_schema(path).names


def test_an_unsealed_run_has_no_results(store: Store) -> None:
    run = create_run(store, 2)
    refresh(store)
    wanted = f"SELECT status, evidence_level, result_digest, sealed_at FROM runs WHERE run_id = '{run.run_id}'"
    assert rows(store, "public", wanted) == [("pending", None, None, None)]
    run.move(RunState.RUNNING, now=NOW, stage="execution")
    assert refresh(store).changed
    assert rows(store, "public", wanted) == [("running", None, None, None)]
    assert rows(store, "public", f"SELECT count(*) FROM metrics WHERE run_id = '{run.run_id}'") == [(0,)]


def test_nothing_is_written_when_nothing_changed(store: Store) -> None:
    first = refresh(store)
    before = files(store)
    again = refresh(store)
    assert (first.changed, again.changed, again.written) == (True, False, 0)
    assert files(store) == before
    assert again.index == first.index


def test_a_new_run_rewrites_no_part_of_an_old_one(store: Store) -> None:
    refresh(store)
    before = files(store)
    sealed_run(store, 2)
    state = refresh(store)
    after = files(store)
    kept = [name for name in before if name.endswith(".parquet")]
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    new = {name for name in after if name.endswith(".parquet")} - set(before)
    assert state.written == len(new)
    assert {name for name in new if run_id(2) not in name} == {name for name in new if name.startswith("public/runs/")}


def test_rebuilding_gives_the_same_bytes_and_the_same_list(store: Store) -> None:
    sealed_run(store, 2, quality=0.5)
    first = refresh(store)
    before = part_digests(store)
    assert len(before) == 22
    assert rebuild(store).index == first.index
    assert part_digests(store) == before
    shutil.rmtree(evidence_paths(store).directory)
    assert refresh(store).index == first.index
    assert part_digests(store) == before


def test_parts_do_not_depend_on_where_or_when_they_are_built(tmp_path: Path) -> None:
    digests = []
    for name in ("here", "elsewhere"):
        store = Store.found(tmp_path / name / "store")
        install_suite(store, tmp_path)
        for number in (1, 2) if name == "here" else (2, 1):
            sealed_run(store, number)
            refresh(store)
        prune(store)
        digests.append(part_digests(store))
    assert digests[0] == digests[1]


def test_a_reader_keeps_the_database_that_it_opened(store: Store) -> None:
    refresh(store)
    with opened(store, "public") as reader:
        sealed_run(store, 2)
        refresh(store)
        assert reader.execute("SELECT count(*) FROM runs").fetchall() == [(1,)]
        assert reader.execute("SELECT count(DISTINCT run_id) FROM metrics").fetchall() == [(1,)]
    assert rows(store, "public", "SELECT count(*) FROM runs") == [(2,)]


def test_of_two_writers_one_does_the_work(store: Store) -> None:
    with ThreadPoolExecutor(2) as pool:
        states = list(pool.map(lambda _: refresh(store), range(2)))
    assert sorted(state.changed for state in states) == [False, True]
    assert states[0].index == states[1].index


def test_a_file_that_nobody_listed_is_invisible(store: Store) -> None:
    refresh(store)
    (part,) = (evidence_paths(store).public.directory / "metrics").rglob("*.parquet")
    shutil.copy(part, part.with_name("part-0123456789abcdef.parquet"))
    foreign = part.parent.with_name(f"run_id={run_id(9)}")
    shutil.copytree(part.parent, foreign)
    assert rows(store, "public", "SELECT count(*), count(DISTINCT run_id) FROM metrics") == [(15, 1)]


@pytest.mark.parametrize("damage", ["lost", "torn"])
@pytest.mark.parametrize("table", ["private/outcomes", "private/cases", "public/metrics", "public/runs"])
def test_a_lost_or_torn_part_comes_back(store: Store, table: str, damage: str) -> None:
    refresh(store)
    before = part_digests(store)
    (part,) = (evidence_paths(store).directory / table).rglob("*.parquet")
    part.unlink() if damage == "lost" else part.write_bytes(b"PAR1")
    create_run(store, 2)
    refresh(store)
    assert part_digests(store).items() >= {name: digest for name, digest in before.items() if "/runs/" not in name}.items()


def test_bytes_that_rotted_in_place_need_a_rebuild(store: Store) -> None:
    refresh(store)
    before = part_digests(store)
    (part,) = (evidence_paths(store).public.directory / "gates").rglob("*.parquet")
    part.write_bytes(bytes(part.stat().st_size))
    create_run(store, 2)
    with pytest.raises(IntegrityError) as refused:
        refresh(store)
    assert "evidence rebuild" in refused.value.fix
    rebuild(store)
    assert part_digests(store).items() >= {name: digest for name, digest in before.items() if "/runs/" not in name}.items()


def test_an_installed_suite_rewrites_no_part_of_a_run(store: Store, tmp_path: Path) -> None:
    refresh(store)
    before = files(store)
    install_suite(store, tmp_path, "another", cases=3)
    assert refresh(store).changed
    assert rows(store, "public", "SELECT suite_id, case_count FROM suites ORDER BY ALL") == [("another", 3), ("evaluation-smoke", 6)]
    assert rows(store, "private", "SELECT suite_id, count(*) FROM cases GROUP BY ALL ORDER BY ALL") == [
        ("another", 3),
        ("evaluation-smoke", 6),
    ]
    of_runs = [name for name in before if "run_id=" in name]
    assert {name: files(store)[name] for name in of_runs} == {name: before[name] for name in of_runs}


@pytest.mark.parametrize("other", [b'{"report":"another"}', report().canonical()], ids=["no report", "the report of another run"])
def test_a_damaged_run_is_named_and_the_others_are_read(store: Store, other: bytes) -> None:
    run = sealed_run(store, 2)
    (run.path / "report.json").write_bytes(other)
    state = refresh(store)
    assert [entry.run_id for entry in state.damaged] == [run.run_id]
    assert "report.json" in (state.damaged[0].damage or "")
    assert rows(store, "public", "SELECT run_id, status, evidence_level FROM runs ORDER BY run_id") == [
        (run_id(1), "completed", "E0"),
        (run_id(2), "completed", None),
    ]
    assert rows(store, "public", "SELECT DISTINCT run_id FROM metrics") == [(run_id(1),)]
    assert not refresh(store).changed


def test_a_damaged_part_of_records_leaves_its_run_out(store: Store) -> None:
    run = sealed_run(store, 2)
    (part,) = (run.path / "records" / "outcomes").rglob("*.parquet")
    part.write_bytes(b"PAR1 no more")
    state = refresh(store)
    assert [entry.run_id for entry in state.damaged] == [run.run_id]
    assert rows(store, "private", "SELECT DISTINCT run_id FROM outcomes") == [(run_id(1),)]


def test_prune_removes_what_is_no_longer_listed(store: Store, tmp_path: Path) -> None:
    sealed_run(store, 2)
    refresh(store)
    public, private = evidence_paths(store).sides
    shutil.rmtree(store.run_path(run_id(2)))
    (public.directory / "notes.txt").write_text("mine")
    (public.directory / "metrics" / ".tmp-4194304999-0123456789abcdef").write_bytes(b"half")
    (private.directory / "link").symlink_to(tmp_path)
    public.absolute_database.write_bytes(b"kept")
    removed = prune(store)
    assert {"public/notes.txt", "public/metrics/.tmp-4194304999-0123456789abcdef", "private/link"} <= set(removed)
    assert not list(evidence_paths(store).directory.rglob(f"*{run_id(2)}*"))
    assert (tmp_path / "store").is_dir()
    assert public.absolute_database.exists()
    assert rows(store, "public", "SELECT run_id FROM runs") == [(run_id(1),)]
    assert prune(store) == []


def test_other_columns_make_every_part_anew(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    first = refresh(store)
    monkeypatch.setattr(stamp, "PUBLIC_VIEWS", {**PUBLIC_VIEWS, "pairs": pa.schema([("pair_id", pa.string())])})
    again = refresh(store)
    assert again.changed
    assert again.index.layout != first.index.layout
    assert not refresh(store).changed


def test_an_unreadable_list_is_written_anew(store: Store) -> None:
    first = refresh(store)
    evidence_paths(store).index.write_bytes(b"{}")
    assert refresh(store).index == first.index


def test_the_public_side_holds_nothing_private(store: Store) -> None:
    refresh(store)
    private = evidence_paths(store).private.directory
    assert any(CANARY in str(cell) for path in private.rglob("*.parquet") for cell in pq.read_table(path)["case_id"].to_pylist())
    assert not any(CANARY in str(cell) for cell in public_cells(store))
    assert CANARY.encode() not in evidence_paths(store).public.database.read_bytes()
    columns = {name for path in evidence_paths(store).public.directory.rglob("*.parquet") for name in pq.read_schema(path).names}
    assert columns.isdisjoint({"case_id", "messages", "expected_arm_id", "expected_answer", "selected_arm_id", "output_text"})
    assert any(cell == list(ARMS) for cell in public_cells(store))


def test_files_and_folders_are_private(store: Store) -> None:
    refresh(store)
    for path in evidence_paths(store).directory.rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_a_table_folder_that_is_a_link_is_refused_and_nothing_is_written_behind_it(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o700)
    metrics = tmp_path / "evidence" / "public" / "metrics"
    make_private(metrics.parent)
    metrics.symlink_to(outside)
    with pytest.raises(HostileFile):
        make_private(metrics / "run_id=x")
    assert list(outside.iterdir()) == []
