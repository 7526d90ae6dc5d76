"""Canonical bytes against their oracle, and the strict readers against anything at all."""

import json
from contextlib import suppress

import rfc8785
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contracts.canonical import canonical_bytes
from contracts.errors import StrictReadError
from contracts.strict_json import MAX_INTEGER, JsonValue, read_json, read_json_lines
from contracts.strict_yaml import read_yaml

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
KEY = st.text('abAB01_"\\\n', max_size=4) | TEXT
REFUSED_FLOAT = range(2**53, 10**21)  # whole ones: written as integers that read_json refuses
FLOAT = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: int(abs(x)) not in REFUSED_FLOAT),
    st.integers(-400, 400).map(lambda n: n / 64),
    st.floats(1e14, 2**53 - 1),
    st.floats(1e21, 1e23),
    st.floats(1e-9, 1e-3),
)
VALUE: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | FLOAT | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEY, inner, max_size=4),
    max_leaves=12,
)
PIECES = [*b'{ } [ ] : , " "a" "\\ud800" 1 - 1e999 NaN \\ \xff &a *a ! ? - a:'.split(), b"\n", b" "]
ANYTHING = (
    st.binary(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=24).map(b"".join) | VALUE.map(lambda v: json.dumps(v).encode())
)


@settings(max_examples=300, deadline=None)
@given(VALUE)
def test_fast_path_writes_what_the_library_writes(value: JsonValue) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)


@settings(max_examples=300, deadline=None)
@given(st.lists(FLOAT, min_size=20, max_size=40))
@example([0.0001, 9.999999999999999e-05, 1e15, 999999999999999.9, 9007199254740991.0, 1e21])
def test_floats_are_spelled_as_the_library_spells_them(values: list[float]) -> None:
    assert canonical_bytes(values) == rfc8785.dumps(values)


@settings(max_examples=200, deadline=None)
@given(VALUE)
def test_canonical_bytes_are_read_back_and_written_again(value: JsonValue) -> None:
    written = canonical_bytes(value)
    read = read_json(written, at="value.json")
    assert read == value
    assert canonical_bytes(read) == written


@settings(max_examples=300, deadline=None)
@given(ANYTHING)
def test_strict_readers_read_or_refuse_whatever_comes(data: bytes) -> None:
    for read in (read_json, read_yaml, lambda data, at: [value for _, value in read_json_lines(data, at=at)]):
        with suppress(StrictReadError):
            read(data, at="x")


@settings(max_examples=200, deadline=None)
@given(ANYTHING)
def test_what_strict_json_reads_is_what_the_standard_library_reads(data: bytes) -> None:
    try:
        value = read_json(data, at="x")
    except StrictReadError:
        return
    assert repr(value) == repr(json.loads(data))
