"""Rows of a query as JSON values, exactly: what JSON cannot say becomes text, never another number."""

import datetime as dt
from decimal import Decimal
from math import isfinite
from typing import Any

import pyarrow as pa

from contracts.errors import StatementRefused
from contracts.strict_json import MAX_INTEGER, JsonValue


def rows_to_json(table: pa.Table) -> list[dict[str, JsonValue]]:
    """One object a row, keys in column order.

    Integers beyond 2^53-1 and decimals that no double equals are strings, times are ISO 8601 (UTC ends with Z), blobs hexadecimal, a map
    a list of pairs. StatementRefused: a column holds NaN or infinity, or two columns have one name.
    """
    if len(set(table.column_names)) < table.num_columns:
        raise StatementRefused("Two columns of the result have one name.", at="sql", fix="name them apart with AS")
    columns = {name: [_value(item, name) for item in table[name].to_pylist()] for name in table.column_names}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _value(item: Any, column: str) -> JsonValue:
    if item is None or isinstance(item, bool | str):
        return item
    if isinstance(item, int):
        return item if abs(item) <= MAX_INTEGER else str(item)
    if isinstance(item, float):
        if not isfinite(item):
            raise StatementRefused(
                "A value is NaN or infinite, which JSON cannot say.",
                at=f"sql  column {column[:64]}",
                fix="filter it with isfinite(), or cast it to VARCHAR",
            )
        return item
    if isinstance(item, Decimal):
        return _decimal(item)
    if isinstance(item, dict):
        return {str(key): _value(member, column) for key, member in item.items()}
    if isinstance(item, pa.MonthDayNano):
        return {"months": item.months, "days": item.days, "nanoseconds": item.nanoseconds}
    if isinstance(item, list | tuple):
        return [_value(member, column) for member in item]
    return _time_or_bytes(item)


def _decimal(item: Decimal) -> JsonValue:
    if item == item.to_integral_value():
        return int(item) if abs(item) <= MAX_INTEGER else str(int(item))
    near = float(item)
    return near if Decimal(repr(near)) == item else format(item, "f")


def _time_or_bytes(item: Any) -> str:
    if isinstance(item, dt.datetime):
        return item.isoformat() if item.tzinfo is None else item.astimezone(dt.UTC).isoformat().replace("+00:00", "Z")
    if isinstance(item, dt.date | dt.time):
        return item.isoformat()
    return bytes(item).hex()
