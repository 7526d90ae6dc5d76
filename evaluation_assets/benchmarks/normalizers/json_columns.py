"""JSON lines whose records are flat objects of strings, as columns: row i is line i + 1.

The strict reader (contracts/strict_json.py) is the authority and names what it refuses. In front of it stands Arrow's parser,
twenty times as fast, for files in which both must agree: ASCII, no escapes, no DEL, no null, each line one object. Arrow itself
refuses other control characters, unknown and repeated keys and other types; what it does not take goes to the strict reader.
"""

import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from contracts.strict_json import read_json_lines
from evaluation_assets.benchmarks.normalizers.interface import refusal

MAX_LINE = 1 << 16
_MAX_TEXT = 512
_NEWLINE, _BRACE = b"\n{"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def read_text_records(data: bytes, file: str, *, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> pa.Table:
    """One string column per key; null where an optional key is absent. Values have 1 to 512 characters, none of them a control.

    StrictReadError: not strict JSON. ExportError: an unknown or missing key, a value that is no such text, or no line at all.
    """
    schema = pa.schema([pa.field(name, pa.string()) for name in (*required, *optional)])
    table = _fast(data, schema)
    if table is None or not _is_complete(table, required):
        return pa.Table.from_pylist(list(_strict(data, file, required, optional)), schema=schema)
    return table


def _fast(data: bytes, schema: pa.Schema) -> pa.Table | None:
    if not data.startswith(b"{") or not data.isascii() or b"\\" in data or b"\x7f" in data:
        return None
    characters = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(characters[:-1] == _NEWLINE)
    if (characters[ends + 1] != _BRACE).any():  # each line begins with a brace: no object is inside another, so none spans lines
        return None
    try:
        table = pyarrow.json.read_json(
            pa.BufferReader(data), parse_options=pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
        )
    except pa.ArrowInvalid:
        return None
    if any(column.null_count for column in table.columns) and b"null" in data:  # spelled out, or only absent?
        return None
    return table.combine_chunks() if table.num_rows == len(ends) + 1 else None


def _is_complete(table: pa.Table, required: tuple[str, ...]) -> bool:
    """Required values are there, and no value is empty or too long."""
    for name in table.column_names:
        lengths = pc.min_max(pc.binary_length(table.column(name))).as_py()
        if lengths["min"] is not None and (lengths["min"] == 0 or lengths["max"] > _MAX_TEXT):
            return False
        if name in required and table.column(name).null_count:
            return False
    return True


def _strict(data: bytes, file: str, required: tuple[str, ...], optional: tuple[str, ...]) -> Iterator[dict[str, str]]:
    known, number = {*required, *optional}, 0
    for number, record in read_json_lines(data, at=file, max_line_bytes=MAX_LINE):
        if not isinstance(record, dict):
            raise refusal("The line is no JSON object.", file, number)
        if not known.issuperset(record):
            raise refusal("A key is not declared for this file.", file, number)
        texts: dict[str, str] = {}
        for name, value in record.items():
            if not isinstance(value, str) or not 1 <= len(value) <= _MAX_TEXT or _CONTROL.search(value):
                raise refusal(f"The value is no text of 1 to {_MAX_TEXT} characters without control characters.", file, number, name)
            texts[name] = value
        for name in required:
            if name not in texts:
                raise refusal("A key is missing.", file, number, name)
        yield texts
    if number == 0:
        raise refusal("The file has no records.", file, 1)
