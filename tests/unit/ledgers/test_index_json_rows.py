"""Query results as JSON: no number changes on the way, and what JSON cannot say is text or refused."""

import json

import duckdb
import pyarrow as pa
import pytest

from contracts.errors import StatementRefused
from contracts.strict_json import JsonValue
from ledgers.index.json_rows import rows_to_json


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        pytest.param("NULL", None, id="null"),
        pytest.param("true", True, id="flag"),
        pytest.param("9007199254740991::HUGEINT", 9007199254740991, id="largest exact integer"),
        pytest.param("9007199254740992::HUGEINT", "9007199254740992", id="first integer beyond"),
        pytest.param("-9007199254740992::BIGINT", "-9007199254740992", id="negative beyond"),
        pytest.param("170141183460469231731687303715884105727::HUGEINT", "170141183460469231731687303715884105727", id="39 digits"),
        pytest.param("18446744073709551615::UBIGINT", "18446744073709551615", id="unsigned"),
        pytest.param("sum(2500000::BIGINT)", 2500000, id="sum of integers"),
        pytest.param("0.1::DOUBLE", 0.1, id="double"),
        pytest.param("0.1", 0.1, id="decimal that a double is"),
        pytest.param("1.50::DECIMAL(18, 4)", 1.5, id="decimal with zeros"),
        pytest.param("2.00::DECIMAL(18, 2)", 2, id="whole decimal"),
        pytest.param("0.12345678901234567890123::DECIMAL(30, 23)", "0.12345678901234567890123", id="decimal that no double is"),
        pytest.param("TIMESTAMPTZ '2026-12-02 10:40:00+01'", "2026-12-02T09:40:00Z", id="instant"),
        pytest.param("TIMESTAMPTZ '2026-12-02 09:40:00.25+00'", "2026-12-02T09:40:00.250000Z", id="instant with fraction"),
        pytest.param("TIMESTAMP '2026-12-02 09:40:00'", "2026-12-02T09:40:00", id="local time has no Z"),
        pytest.param("DATE '2026-12-02'", "2026-12-02", id="date"),
        pytest.param("TIME '09:40:00'", "09:40:00", id="time"),
        pytest.param("INTERVAL '2 months 3 days'", {"months": 2, "days": 3, "nanoseconds": 0}, id="interval"),
        pytest.param("[1, NULL, 9007199254740992]", [1, None, "9007199254740992"], id="list"),
        pytest.param("{'a': [0.5], 'b': NULL}", {"a": [0.5], "b": None}, id="struct"),
        pytest.param("MAP {'a': 1}", [["a", 1]], id="map"),
        pytest.param("'a'::ENUM('a', 'b')", "a", id="enum"),
        pytest.param("'\\x00\\xFF'::BLOB", "00ff", id="blob"),
        pytest.param("'{\"a\": 1}'::JSON", '{"a": 1}', id="json stays text"),
    ],
)
def test_values_survive(expression: str, value: JsonValue) -> None:
    with duckdb.connect() as connection:
        rows = rows_to_json(connection.sql(f"SELECT {expression} AS v").to_arrow_table())
    assert rows == [{"v": value}]
    assert type(rows[0]["v"]) is type(value)
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows


@pytest.mark.parametrize("expression", ["'nan'::DOUBLE", "'-inf'::DOUBLE", "[1, 'inf'::DOUBLE]"])
def test_what_json_cannot_say_is_refused(expression: str) -> None:
    with duckdb.connect() as connection, pytest.raises(StatementRefused, match="NaN or infinite") as refused:
        rows_to_json(connection.sql(f"SELECT {expression} AS odd").to_arrow_table())
    assert refused.value.at == "sql  column odd"


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(StatementRefused, match="one name"):
        rows_to_json(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))


def test_no_rows_is_an_empty_list() -> None:
    assert rows_to_json(pa.table({"a": pa.array([], pa.int64())})) == []
