"""docs/evidence-sql.md: every query in it runs and finds something in a small store, and the Python runs too."""

import re
from pathlib import Path

import pytest

from ledgers.index.build import refresh
from ledgers.index.json_rows import rows_to_json
from ledgers.index.query import QuerySettings, run_query
from ledgers.index.statement import _TABLE_FUNCTIONS
from ledgers.store.store import Store
from tests.builders import metric
from tests.run_builders import create_run, install_suite, sealed_run

DOCUMENT = (Path(__file__).resolve().parents[3] / "docs" / "evidence-sql.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"^### (.+?)\n(?:.*?)^```sql\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)
PYTHON = re.findall(r"^```python\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Two sealed runs, the second one worse, and one that was only created."""
    scratch = tmp_path_factory.mktemp("cookbook")
    found = Store.found(scratch / "store")
    install_suite(found, scratch)
    sealed_run(found, 1, report_changes={"metrics": (metric("routing.coverage", 0.75), metric("joint.realized_quality", 0.5))})
    sealed_run(found, 2, report_changes={"metrics": (metric("routing.coverage", 0.5), metric("joint.realized_quality", None))})
    create_run(found, 3)
    refresh(found)
    return found


def test_the_document_has_its_queries() -> None:
    assert len(QUERIES) == DOCUMENT.count("```sql") >= 10
    assert len(PYTHON) == 2


@pytest.mark.parametrize("sql", [pytest.param(sql, id=title) for title, sql in QUERIES])
def test_every_query_finds_something(store: Store, sql: str) -> None:
    rows = rows_to_json(run_query(store, sql, private=True, settings=QuerySettings(threads=2, memory_mb=256)))
    assert rows


def test_the_regression_is_found(store: Store) -> None:
    sql = dict(QUERIES)["What got worse since the run before"]
    rows = rows_to_json(run_query(store, sql, private=False, settings=QuerySettings(threads=2, memory_mb=256)))
    assert [(row["metric_id"], row["before"], row["after"], row["change"]) for row in rows] == [("routing.coverage", 0.75, 0.5, -0.25)]


@pytest.mark.parametrize("code", PYTHON)
def test_the_python_runs(store: Store, code: str) -> None:
    names = {"root": str(store.root)}
    exec(code, names)
    frame = names["frame"]
    assert len(frame) == 4
    assert set(frame["run_id"].map(type)) == {str}


def test_the_document_names_what_is_allowed() -> None:
    allowed = re.search(r"table functions are (.*?)\.", DOCUMENT, re.DOTALL)
    assert allowed is not None
    assert re.findall(r"`(\w+)`", allowed[1]) == list(_TABLE_FUNCTIONS)


def test_the_pivot_of_the_document_runs(store: Store) -> None:
    sql = re.search(r"`(PIVOT .+?)`", DOCUMENT)
    assert sql is not None
    assert run_query(store, sql[1], private=False, settings=QuerySettings(threads=2, memory_mb=256)).num_rows
