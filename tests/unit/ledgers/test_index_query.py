"""One SELECT or EXPLAIN over the views, and nothing else: what runs, what is refused, and that a refusal did nothing."""

from hashlib import sha256
from pathlib import Path

import duckdb
import pytest

from contracts.errors import EvaluationError, IntegrityError, StatementRefused, StoreError
from contracts.evidence_views import PRIVATE_VIEWS, PUBLIC_VIEWS
from ledgers.index.build import refresh
from ledgers.index.json_rows import rows_to_json
from ledgers.index.paths import evidence_paths
from ledgers.index.query import QuerySettings, run_query
from ledgers.index.statement import _SYSTEM_NAME
from ledgers.store.store import Store
from tests.run_builders import CANARY, install_suite, run_id, sealed_run

SETTINGS = QuerySettings(threads=2, memory_mb=256)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """One suite, two sealed runs; the root has every character that ends a string, a list or a partition."""
    scratch = tmp_path_factory.mktemp("query")
    found = Store.found(scratch / "it's, a=store")
    install_suite(found, scratch)
    sealed_run(found, 1)
    sealed_run(found, 2, quality=0.5)
    refresh(found)
    return found


def ask(store: Store, sql: str, *, private: bool = True, max_rows: int | None = None) -> list[dict[str, object]]:
    settings = QuerySettings(SETTINGS.threads, SETTINGS.memory_mb, max_rows)
    return rows_to_json(run_query(store, sql, private=private, settings=settings))


def listed_part(store: Store) -> Path:
    return next((evidence_paths(store).public.directory / "metrics").rglob("*.parquet"))


def part_digests(store: Store) -> dict[Path, str]:
    return {path: sha256(path.read_bytes()).hexdigest() for path in evidence_paths(store).directory.rglob("*.parquet")}


@pytest.mark.parametrize(
    ("sql", "first"),
    [
        pytest.param("SELECT count(*) AS n FROM runs", {"n": 2}, id="select"),
        pytest.param("select count(*) as n from runs;", {"n": 2}, id="trailing semicolon"),
        pytest.param("FROM runs SELECT count(*) AS n", {"n": 2}, id="from first"),
        pytest.param("-- how many\nSELECT count(*) AS n /* of them */ FROM main.runs", {"n": 2}, id="comments and schema"),
        pytest.param("WITH r AS (FROM runs) SELECT count(*) AS n FROM R", {"n": 2}, id="with"),
        pytest.param("WITH runs AS (SELECT 7 AS n) FROM runs", {"n": 7}, id="a name in with hides a view"),
        pytest.param(
            "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT max(n) AS n FROM t",
            {"n": 5},
            id="recursion",
        ),
        pytest.param("SELECT count(*) AS n FROM private.outcomes", {"n": 24}, id="private view"),
        pytest.param(
            "SELECT count(*) AS n FROM runs AS r, LATERAL (SELECT 1 FROM costs AS c WHERE c.run_id = r.run_id)",
            {"n": 6},
            id="lateral over views",
        ),
        pytest.param("SELECT count(*) AS n FROM range(3), unnest([1, 2])", {"n": 6}, id="rows made of values"),
        pytest.param("VALUES (1)", {"col0": 1}, id="values"),
        pytest.param("SELECT count(*) AS n FROM (SUMMARIZE runs)", {"n": 13}, id="summarize"),
        pytest.param("SELECT name FROM (SHOW TABLES) WHERE name = 'gates'", {"name": "gates"}, id="show tables"),
        pytest.param("SELECT column_name FROM (DESCRIBE gates)", {"column_name": "run_id"}, id="describe"),
        pytest.param(
            "SELECT count(*) AS n FROM information_schema.tables WHERE table_schema = 'private'", {"n": len(PRIVATE_VIEWS)}, id="catalog"
        ),
        pytest.param("SELECT 1 / 0 AS q, 1.0::DOUBLE / 0 AS r", {"q": None, "r": None}, id="division by zero is null"),
        pytest.param("SELECT created_at AS t FROM runs ORDER BY run_id", {"t": "2026-12-02T09:41:00Z"}, id="times are UTC"),
    ],
)
def test_statements_that_run(store: Store, sql: str, first: dict[str, object]) -> None:
    assert ask(store, sql)[0] == first


@pytest.mark.parametrize("prefix", ["EXPLAIN ", "explain analyze\n", "EXPLAIN (FORMAT json) ", "EXPLAIN (ANALYZE, FORMAT json) "])
def test_explain_runs(store: Store, prefix: str) -> None:
    plan = ask(store, f"{prefix}SELECT * FROM metrics WHERE run_id = '{run_id(1)}'")
    assert "PARQUET" in str(plan).upper()
    assert str(store.root) not in str(plan)


REFUSED = [
    pytest.param("", id="nothing"),
    pytest.param("-- only a comment", id="only a comment"),
    pytest.param("SELECT 1; SELECT 2", id="two statements"),
    pytest.param("SELECT 1; COPY (SELECT 1) TO '{part}'", id="select and then copy"),
    pytest.param("COPY (SELECT 1 AS a) TO '{part}'", id="copy to a listed part"),
    pytest.param("COPY (SELECT 1 AS a) TO '{part}' (FORMAT parquet, USE_TMP_FILE false)", id="copy to a listed part in place"),
    pytest.param("EXPLAIN ANALYZE COPY (SELECT 1 AS a) TO '{part}' (USE_TMP_FILE false)", id="explain analyze of copy"),
    pytest.param("EXPLAIN (ANALYZE) COPY (SELECT 1 AS a) TO '{part}' (USE_TMP_FILE false)", id="explain with options of copy"),
    pytest.param(
        "EXPLAIN /* /* */ SELECT 1 -- */ ANALYZE COPY (SELECT 1 AS a) TO '{part}' (USE_TMP_FILE false)",
        id="explain whose comment hides copy",
    ),
    pytest.param(
        "EXPLAIN ANALYZE WITH x AS (COPY (SELECT 1 AS a) TO '{part}' (USE_TMP_FILE false)) FROM x, metrics", id="explain of copy in with"
    ),
    pytest.param(
        "WITH x AS (COPY (SELECT 1 AS a) TO '{part}' (FORMAT parquet, USE_TMP_FILE false)) SELECT * FROM x, metrics", id="copy in with"
    ),
    pytest.param(
        "SELECT (WITH x AS (COPY (SELECT 1 AS a) TO '{part}' (USE_TMP_FILE false)) SELECT count(*) FROM x), n FROM metrics",
        id="copy in with in a scalar",
    ),
    pytest.param("FROM metrics, LATERAL (WITH x AS (COPY (SELECT 1 AS a) TO '{part}' (USE_TMP_FILE false)) FROM x)", id="copy in lateral"),
    pytest.param("WITH x AS (INSERT INTO runs VALUES (1) RETURNING *) FROM x", id="insert in with"),
    pytest.param("WITH x AS (DELETE FROM runs RETURNING *) FROM x", id="delete in with"),
    pytest.param("INSERT INTO runs VALUES (1)", id="insert"),
    pytest.param("CREATE TABLE t AS SELECT 1", id="create"),
    pytest.param("DROP VIEW runs", id="drop"),
    pytest.param("ATTACH '{database}' AS other", id="attach"),
    pytest.param("EXPLAIN ATTACH '{database}' AS other", id="explain attach"),
    pytest.param("PRAGMA version", id="pragma"),
    pytest.param("EXPLAIN PRAGMA version", id="explain pragma"),
    pytest.param("SET threads = 8", id="set"),
    pytest.param("RESET lock_configuration", id="reset"),
    pytest.param("CALL pragma_version()", id="call"),
    pytest.param("CHECKPOINT", id="checkpoint"),
    pytest.param("BEGIN", id="begin"),
    pytest.param("USE main", id="use"),
    pytest.param("PREPARE p AS SELECT 1", id="prepare"),
    pytest.param("INSTALL httpfs", id="install"),
    pytest.param("LOAD httpfs", id="load"),
    pytest.param("SELECT * FROM read_text('/etc/passwd')", id="read a text file"),
    pytest.param("SELECT * FROM system.main.read_text('/etc/passwd')", id="read a text file by its full name"),
    pytest.param("SELECT * FROM READ_BLOB('{part}')", id="read a listed part as bytes"),
    pytest.param("SELECT * FROM read_csv('/etc/passwd')", id="read csv"),
    pytest.param("SELECT EXISTS (FROM read_csv('/etc/passwd'))", id="read csv in an expression"),
    pytest.param("SELECT * FROM runs, LATERAL (SELECT * FROM read_text('/etc/' || 'passwd'))", id="read a text file in lateral"),
    pytest.param("SELECT * FROM read_parquet('{part}')", id="read a listed part by its path"),
    pytest.param("SELECT * FROM '{part}'", id="a listed part as a table"),
    pytest.param("SELECT * FROM '{part}/../../../../../../layout.json'", id="two dots"),
    pytest.param("SELECT * FROM '/etc/passwd'", id="a file as a table"),
    pytest.param("SELECT * FROM 'other.parquet'", id="a parquet file as a table"),
    pytest.param('SELECT * FROM "/etc/passwd"', id="a file as a quoted name"),
    pytest.param("SELECT * FROM 'https://example.org/a.parquet'", id="a page as a table"),
    pytest.param("SELECT * FROM read_parquet('s3://bucket/a.parquet')", id="an object store"),
    pytest.param("SELECT * FROM glob('/etc/*')", id="glob"),
    pytest.param("SELECT * FROM sniff_csv('/etc/passwd')", id="sniff"),
    pytest.param("SELECT * FROM parquet_metadata('{part}')", id="parquet metadata"),
    pytest.param("SELECT * FROM query('SELECT 1')", id="query of a text"),
    pytest.param("SELECT * FROM query_table('met' || 'rics')", id="table of a text"),
    pytest.param("SELECT * FROM json_execute_serialized_sql(json_serialize_sql('FROM pg_settings'))", id="serialized sql"),
    pytest.param("SELECT * FROM arrow_scan(1::POINTER, 2::POINTER, 3::POINTER)", id="a pointer"),
    pytest.param("SELECT * FROM duckdb_settings()", id="settings"),
    pytest.param("SELECT * FROM pg_settings", id="settings as a view"),
    pytest.param("WITH pg_settings AS (FROM pg_settings) FROM pg_settings", id="settings behind a name"),
    pytest.param("SELECT * FROM pg_catalog.pg_settings", id="settings with schema"),
    pytest.param("SHOW DATABASES", id="databases"),
    pytest.param("SHOW allowed_paths", id="show a setting"),
    pytest.param("SELECT current_setting('allowed_paths')", id="a setting"),
    pytest.param("SELECT 'allowed_paths'.current_setting()", id="a setting by method"),
    pytest.param("SELECT getenv('HOME')", id="environment"),
    pytest.param("SELECT error(case_id) FROM private.outcomes", id="a value as an error"),
    pytest.param("SELECT * FROM SETTINGS", id="a Python variable"),
    pytest.param("SELECT * FROM duckdb_secrets()", id="secrets"),
    pytest.param("SELECT $1", id="a parameter without a value"),
    pytest.param("SELEC 1", id="not SQL"),
    pytest.param("SELECT " + "(" * 5000 + "1" + ")" * 5000, id="nested deeply"),
    pytest.param("SELECT 1 -- " + "x" * 100_000, id="too long"),
    pytest.param("SELECT 1 \0", id="NUL"),
]


@pytest.mark.parametrize("sql", REFUSED)
def test_statements_that_are_refused(store: Store, sql: str) -> None:
    part = str(listed_part(store)).replace("'", "''")
    before = part_digests(store)
    with pytest.raises(StatementRefused) as refused:
        ask(store, sql.replace("{part}", part).replace("{database}", str(evidence_paths(store).public.database).replace("'", "''")))
    for text in ("/proc", "passwd", store.root.name, CANARY, "\n"):
        assert text not in refused.value.message
        assert text not in refused.value.at
    assert part_digests(store) == before


def test_a_select_alone_could_write_a_part(tmp_path: Path) -> None:
    """Why the tree is read: type, allowed paths, locked configuration and read-only transaction together let this pass."""
    part = tmp_path / "part.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT 1 AS a) TO '{part}'")
        before = part.read_bytes()
        connection.execute(f"SET allowed_paths = ['{part}']")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        connection.execute("BEGIN TRANSACTION READ ONLY")
        sql = f"WITH x AS (COPY (SELECT 2 AS a) TO '{part}' (FORMAT parquet, USE_TMP_FILE false)) SELECT * FROM x"
        assert [statement.type.name for statement in connection.extract_statements(sql)] == ["SELECT"]
        connection.execute(sql).fetchall()
    assert part.read_bytes() != before


def test_no_view_of_duckdb_escapes_by_its_name() -> None:
    with duckdb.connect() as connection:
        names = connection.execute("SELECT view_name FROM duckdb_views() WHERE internal AND schema_name <> 'information_schema'").fetchall()
    assert len(names) > 20
    assert [name for (name,) in names if not _SYSTEM_NAME.match(name)] == []
    assert [name for name in (*PUBLIC_VIEWS, *PRIVATE_VIEWS) if _SYSTEM_NAME.match(name)] == []


@pytest.mark.parametrize("sql", ["FROM private.outcomes", "FROM outcomes", "FROM private.cases", "DESCRIBE private.plan"])
def test_private_views_are_refused_without_being_asked_for(store: Store, sql: str) -> None:
    with pytest.raises(StatementRefused, match="not attached") as refused:
        ask(store, sql, private=False)
    assert "--private" in refused.value.fix


def test_the_catalog_does_not_show_private_views_unasked(store: Store) -> None:
    names = {row["table_name"] for row in ask(store, "FROM information_schema.tables", private=False)}
    assert names == set(PUBLIC_VIEWS)


@pytest.mark.parametrize(
    ("sql", "message", "at"),
    [
        pytest.param("SELECT vlaue\nFROM metrics", 'Candidate bindings: "value"', "sql  line 1, column 8", id="unknown column"),
        pytest.param("SELECT 1\nFROM metricz", "Did you mean metrics?", "sql  line 2, column 6", id="unknown view"),
        pytest.param("SELECT 1 FROM outcomes", "Did you mean private.outcomes?", "sql  line 1, column 15", id="view without its schema"),
        pytest.param("SELECT FROM WHERE", "syntax error", "sql  line 1, column 13", id="syntax"),
        pytest.param("SELECT averag(value) FROM metrics", "averag", "sql  line 1, column 8", id="unknown function"),
    ],
)
def test_a_refusal_says_where_and_what_was_meant(store: Store, sql: str, message: str, at: str) -> None:
    with pytest.raises(StatementRefused) as refused:
        ask(store, sql)
    assert message in refused.value.message
    assert refused.value.at == at


def test_a_refusal_does_not_repeat_a_value(store: Store) -> None:
    with pytest.raises(StatementRefused, match="Could not convert string") as refused:
        ask(store, "SELECT CAST(case_id AS INTEGER) FROM private.outcomes")
    assert CANARY not in str(refused.value)


def test_memory_is_bounded(store: Store) -> None:
    with pytest.raises(StatementRefused, match="memory") as refused:
        ask(store, "SELECT list(range) FROM range(100000000)")
    assert "EVALUATION_MEMORY_LIMIT_MB" in refused.value.fix


@pytest.mark.parametrize(("max_rows", "rows"), [(None, 24), (0, 0), (5, 5), (24, 24), (100, 24)])
def test_rows_are_bounded(store: Store, max_rows: int | None, rows: int) -> None:
    assert len(ask(store, "FROM private.outcomes", max_rows=max_rows)) == rows


def test_nothing_is_left_in_the_working_directory(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ask(store, "SELECT * FROM private.outcomes ORDER BY latency_ms")
    assert list(tmp_path.iterdir()) == []


def test_a_query_needs_an_index(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="not built"):
        ask(Store.found(tmp_path / "store"), "FROM runs")


@pytest.mark.parametrize("damage", ["missing", "torn"])
def test_a_lost_part_is_no_fault_of_the_statement(tmp_path: Path, damage: str) -> None:
    store = Store.found(tmp_path / "store")
    sealed_run(store, 1)
    refresh(store)
    part = listed_part(store)
    part.unlink() if damage == "missing" else part.write_bytes(b"PAR1")
    with pytest.raises(IntegrityError) as refused:
        ask(store, "FROM metrics")
    assert "evidence rebuild" in refused.value.fix
    assert len(ask(store, "FROM gates")) == 10


def test_every_refusal_is_ours(store: Store) -> None:
    """Whatever DuckDB raises, a caller has one tree of errors to catch."""
    for sql in ("SELECT ln(0)", "SELECT 9223372036854775807 + 1", "SELECT 'x'::DATE", "SELECT [1][1:1:0]", "SELECT max(runs) FROM metrics"):
        with pytest.raises(EvaluationError):
            ask(store, sql)
