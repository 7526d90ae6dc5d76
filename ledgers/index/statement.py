"""Which SQL may run: one SELECT, or EXPLAIN of one, over the evidence views.

The type of the statement does not say enough. `WITH x AS (COPY ... TO '<a listed part>' (use_tmp_file false)) SELECT` is a SELECT, and
a locked read-only connection wrote that file in a trial; table functions register grammars and take pointers. So DuckDB parses the
statement into a tree, and the tree is read:

- every query in it, those in WITH included, is a SELECT, a set operation or a recursion;
- every table is a view of the index, a name that WITH gave, or `information_schema.tables` or `columns`;
- every table function is one of a few that make rows from values; no function shows the settings of the connection.

What is unknown is refused. The confinement of the connection (query.py) holds beside this and does not depend on it.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NoReturn

import duckdb
import orjson

from contracts.errors import StatementRefused
from contracts.evidence_views import PRIVATE_VIEWS
from ledgers.index.refusals import refusal

MAX_CHARACTERS = 100_000

_QUERIES = ("SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE")
_TABLE_FUNCTIONS = ("unnest", "range", "generate_series", "repeat", "json_each", "json_tree")
_REFUSED_FUNCTIONS = (
    "current_setting",
    "getvariable",
    "getenv",
    "json_serialize_plan",  # show the connection
    "error",
    "assert_true",
    "write_log",
    "nextval",
    "pg_sleep",
    "sleep_ms",  # do something else than to compute
)
_CATALOG = ("tables", "columns")
_LISTINGS = ('"tables"', "__show_tables_expanded")
_SYSTEM_NAME = re.compile(r"(?:pg|duckdb|sqlite|pragma)_")  # views of DuckDB that need no schema; a name of WITH may not hide one
_EXPLAIN = re.compile(r"\s*explain(?:\s+analyze|\s*\((?:\s*(?:analyze|format\s+[a-z]+)\s*,?)+\))?\s", re.IGNORECASE | re.ASCII)

Tree = dict[str, Any]


@dataclass(frozen=True)
class Admitted:
    """A statement that may run, and the views that it reads: `metrics`, `private.outcomes`."""

    text: str
    views: frozenset[str]


def admit(sql: str, connection: duckdb.DuckDBPyConnection, *, public: Collection[str], private: Collection[str] | None) -> Admitted:
    """The statement, once it is known to be harmless. `private`: names of the private views, None if they are not attached.

    StatementRefused: anything else, with the place in the statement where DuckDB names one.
    """
    if len(sql) > MAX_CHARACTERS:
        raise StatementRefused(f"A statement has at most {MAX_CHARACTERS} characters.", at="sql")
    if "\0" in sql:
        _refuse("A statement has no NUL.")
    kind = _only_kind(sql, connection)
    explain = ""
    if kind == "EXPLAIN":
        prefix = _EXPLAIN.match(sql)
        if prefix is None:
            _refuse("EXPLAIN begins the statement, without a comment before or after it.")
        explain, sql = prefix.group(), sql[prefix.end() :]
        kind = _only_kind(sql, connection)
    if kind != "SELECT":
        _refuse(f"{kind} is not allowed.")
    views = _Reader(sql, public, private).read(_tree(sql, connection))
    return Admitted(explain + sql, views)


def _only_kind(sql: str, connection: duckdb.DuckDBPyConnection) -> str:
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as error:
        raise refusal(error) from None
    if len(statements) != 1:
        _refuse("There is no statement." if not statements else f"One statement is allowed, and these are {len(statements)}.")
    return statements[0].type.name


def _tree(sql: str, connection: duckdb.DuckDBPyConnection) -> Tree:
    try:
        row = connection.execute("SELECT json_serialize_sql(CAST(? AS VARCHAR))", [sql]).fetchone()
        tree: Tree = orjson.loads(row[0]) if row else {"error": True}
    except (duckdb.Error, orjson.JSONDecodeError):  # nested deeper than either of them follows
        _refuse("The statement is nested too deeply.")
    if tree["error"]:
        _refuse("The statement is not a plain SELECT.")
    return tree


class _Reader:
    """Walks the tree of one statement, without recursion: its depth is the writer's."""

    def __init__(self, sql: str, public: Collection[str], private: Collection[str] | None) -> None:
        self._sql = sql
        self._public = public
        self._private = private
        self._named: set[str] = set()
        self._views: set[str] = set()

    def read(self, tree: Tree) -> frozenset[str]:
        nodes = list(_nodes(tree))
        for node in nodes:
            self._query(node)
        for node in nodes:
            self._reference(node)
        return frozenset(self._views)

    def _query(self, node: Tree) -> None:
        kind = node.get("type")
        if ("cte_map" in node or str(kind).endswith("_NODE")) and kind not in _QUERIES:
            _refuse(f"{str(kind).partition('_')[0]} is not allowed, in WITH neither.")
        for entry in node.get("cte_map", {}).get("map", ()):
            name = entry["key"].lower()
            if _SYSTEM_NAME.match(name):
                _refuse("A name in WITH may not begin like a system table.")
            self._named.add(name)

    def _reference(self, node: Tree) -> None:
        kind = node.get("type")
        if kind == "BASE_TABLE":
            self._table(node)
        elif kind == "SHOW_REF":
            self._show(node)
        elif kind == "TABLE_FUNCTION" and node["function"]["function_name"].lower() not in _TABLE_FUNCTIONS:
            self._refuse_at(node, "This table function is not allowed; only views and generated rows can be read.")
        elif node.get("class") == "FUNCTION" and node["function_name"].lower() in _REFUSED_FUNCTIONS:
            self._refuse_at(node, "This function is not allowed.")

    def _table(self, node: Tree) -> None:
        catalog, schema, name = (str(node.get(key) or "").lower() for key in ("catalog_name", "schema_name", "table_name"))
        if not catalog and schema in ("", "main") and name in self._public:
            self._views.add(name)
        elif not catalog and schema == "private" and self._private is not None and name in self._private:
            self._views.add(f"private.{name}")
        elif not (not catalog and not schema and name in self._named) and not (schema == "information_schema" and name in _CATALOG):
            self._unknown(node, schema, name)

    def _show(self, node: Tree) -> None:
        if node.get("query") is None and node.get("table_name") not in _LISTINGS:
            self._table(node)

    def _unknown(self, node: Tree, schema: str, name: str) -> NoReturn:
        if self._private is None and (schema == "private" or name in PRIVATE_VIEWS):
            self._refuse_at(node, "The private views are not attached.", fix="add --private, and write private.<view>")
        known = [*self._public, *(f"private.{view}" for view in self._private or ())]
        close = [view for view in known if view.endswith(f".{name}")] or get_close_matches(f"{schema}.{name}" if schema else name, known)
        meant = f" Did you mean {close[0]}?" if close else ""
        self._refuse_at(node, f"There is no view of this name.{meant}", fix=f"read one of {', '.join(known)}")

    def _refuse_at(self, node: Tree, message: str, fix: str = "") -> NoReturn:
        offset = node.get("query_location")
        at = "sql"
        if isinstance(offset, int) and offset <= len(self._sql):
            before = self._sql[:offset]
            at = f"sql  line {before.count(chr(10)) + 1}, column {offset - before.rfind(chr(10))}"
        raise StatementRefused(message, at=at, fix=fix)


def _nodes(tree: Tree) -> Iterator[Tree]:
    """Every object in the tree."""
    left: list[Any] = [tree]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            yield value
            left.extend(value.values())
        elif isinstance(value, list):
            left.extend(value)


def _refuse(message: str) -> NoReturn:
    raise StatementRefused(message, at="sql")
