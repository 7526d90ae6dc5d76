"""What strict JSON reads and refuses, and where it says the trouble is."""

import pytest

from contracts.errors import StrictReadError
from contracts.strict_json import JsonValue, read_json, read_json_lines

CLEF = "\U0001d11e"


@pytest.mark.parametrize(
    ("data", "value"),
    [
        pytest.param(b' {"a": [1, -0, 1.5e3, true, null]}\r\n', {"a": [1, 0, 1500.0, True, None]}, id="every kind of value"),
        pytest.param(b"9007199254740991", 2**53 - 1, id="largest integer, top-level scalar"),
        pytest.param(b"1e308", 1e308, id="large float"),
        pytest.param(b'"\\ud834\\udd1e"', CLEF, id="surrogate pair"),
        pytest.param(b'"\\\\ud800"', "\\ud800", id="escaped backslash before what looks like a surrogate"),
        pytest.param(f'"{CLEF}"'.encode(), CLEF, id="four-byte character"),
        pytest.param(b'{"a":{"a":{"a":1}},"b":[{"a":1}]}', {"a": {"a": {"a": 1}}, "b": [{"a": 1}]}, id="same key in different objects"),
        pytest.param(b'{"e\xcc\x81":1,"\xc3\xa9":2}', {"e\u0301": 1, "\u00e9": 2}, id="keys that differ only before normalisation"),
        pytest.param(b'"' + b"[" * 99 + b'\\""', "[" * 99 + '"', id="brackets in a string are not nesting"),
        pytest.param(b"[" + b"[]," * 99 + b"[]]", [[] for _ in range(100)], id="many siblings are not nesting"),
    ],
)
def test_reads(data: bytes, value: JsonValue) -> None:
    assert read_json(data, at="doc.json") == value


@pytest.mark.parametrize(
    ("data", "place", "sentence"),
    [
        pytest.param(b"", "line 1, column 1", "expecting value", id="nothing"),
        pytest.param(b"\xef\xbb\xbf{}", "line 1, column 1", "byte order mark", id="byte order mark"),
        pytest.param('{"a":1}'.encode("utf-16"), "line 1, column 1", "UTF-8", id="UTF-16"),
        pytest.param(b'{"a":\n "\xc3\xa9\xff"}', "line 2, column 4", "UTF-8", id="bad byte, column in characters"),
        pytest.param(b'{"a":1,\n "b":2,\n "a":3}', "line 3, column 2", "twice", id="duplicate key"),
        pytest.param(b'{"a":1,"\\u0061":2}', "line 1, column 8", "twice", id="duplicate key, once escaped"),
        pytest.param(b'[{"x":[{"a":1,"b":[],"a":1}]}]', "line 1, column 22", "twice", id="duplicate key deep inside"),
        pytest.param(b"[1,\n NaN]", "line 2, column 2", "NaN", id="NaN"),
        pytest.param(b"[-Infinity]", "line 1, column 2", "Infinity", id="minus infinity"),
        pytest.param(b"[1.0, 1e999]", "line 1, column 7", "double", id="float overflow"),
        pytest.param(b"[-1.0E+400]", "line 1, column 2", "double", id="negative float overflow"),
        pytest.param(b"[9007199254740992]", "line 1, column 2", "2^53-1", id="2^53"),
        pytest.param(b"[" + b"9" * 5000 + b"]", "line 1, column 2", "2^53-1", id="thousands of digits"),
        pytest.param(b'["ok", "\\ud800"]', "line 1, column 8", "surrogate", id="lone surrogate"),
        pytest.param(
            b'["\\ud834\\udd1e",\n{"\\udc00": 1}]', "line 2, column 2", "surrogate", id="lone low surrogate in a key, after a good pair"
        ),
        pytest.param(b'{"a":"\x01"}', "line 1, column 7", "control character", id="raw control character"),
        pytest.param(b"{} {}", "line 1, column 4", "extra data", id="two values"),
        pytest.param(b"[1,]", "line 1, column 4", "expecting value", id="trailing comma"),
        pytest.param(b'{"a":1', "line 1, column 7", "expecting ',' delimiter", id="cut off"),
        pytest.param(b"[" * 100_000, "line 1, column 33", "32 levels", id="deep enough to exhaust the stack"),
        pytest.param(b'{"a":' * 100_000, "line 1, column 161", "32 levels", id="deep objects"),
        pytest.param(b"\n" + b"[" * 33 + b"]" * 33, "line 2, column 33", "32 levels", id="one level too deep"),
    ],
)
def test_refuses(data: bytes, place: str, sentence: str) -> None:
    with pytest.raises(StrictReadError) as caught:
        read_json(data, at="doc.json")
    assert sentence in caught.value.message
    assert caught.value.at == f"doc.json, {place}"
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_bounds_hold_at_the_boundary() -> None:
    assert read_json(b"[[1]]", at="doc.json", max_depth=2, max_bytes=5) == [[1]]
    with pytest.raises(StrictReadError, match="1 levels"):
        read_json(b"[[1]]", at="doc.json", max_depth=1)
    with pytest.raises(StrictReadError, match="5 bytes where at most 4"):
        read_json(b"[[1]]", at="doc.json", max_bytes=4)


def test_no_value_is_repeated_in_an_error() -> None:
    for data in (b'{"k":"s3cret","k":"s3cret"}', b'["s3cret", s3cret]', b'["s3cret", NaN]', b'"s3cret\xff"', b'["s3cret\\ud800"]'):
        with pytest.raises(StrictReadError) as caught:
            read_json(data, at="doc.json")
        assert "s3cret" not in str(caught.value)


def test_lines_are_numbered_and_end_at_newline_only() -> None:
    data = '{"a":1}\r\n"x\u2028y"\n[3]'.encode()
    assert list(read_json_lines(data, at="rows.jsonl")) == [(1, {"a": 1}), (2, "x\u2028y"), (3, [3])]
    assert list(read_json_lines(b"", at="rows.jsonl")) == []


@pytest.mark.parametrize(
    ("data", "place", "sentence"),
    [
        pytest.param(b"\n", "line 1, column 1", "empty", id="only a newline"),
        pytest.param(b"1\n\n2\n", "line 2, column 1", "empty", id="empty line inside"),
        pytest.param(b"1\n2\n\n", "line 3, column 1", "empty", id="two newlines at the end"),
        pytest.param(b"1\n \r\n", "line 2, column 1", "empty", id="blank line"),
        pytest.param(b'1\n{"a":1} {"a":2}\n', "line 2, column 9", "extra data", id="two objects on a line"),
        pytest.param(b'1\n{"a":', "line 2, column 6", "expecting value", id="cut-off last line"),
        pytest.param(b'1\n{"a":1,"a":2}', "line 2, column 8", "twice", id="duplicate key"),
        pytest.param(b"1\n\xff\n", "line 2, column 1", "UTF-8", id="bad byte"),
        pytest.param(b"\xef\xbb\xbf1\n", "line 1, column 1", "byte order mark", id="byte order mark"),
        pytest.param(b"1\n" + b"[" * 33, "line 2, column 33", "32 levels", id="too deep"),
        pytest.param(b'1\n"' + b"x" * 99 + b'"\n', "line 2, column 1", "101 bytes where at most 100", id="too long a line"),
    ],
)
def test_lines_refused(data: bytes, place: str, sentence: str) -> None:
    with pytest.raises(StrictReadError) as caught:
        list(read_json_lines(data, at="rows.jsonl", max_line_bytes=100))
    assert sentence in caught.value.message
    assert caught.value.at == f"rows.jsonl, {place}"


def test_lines_before_a_bad_one_are_given_and_the_size_is_checked_first() -> None:
    lines = read_json_lines(b"1\nx\n", at="rows.jsonl")
    assert next(lines) == (1, 1)
    with pytest.raises(StrictReadError, match="4 bytes where at most 3"):
        read_json_lines(b"1\nx\n", at="rows.jsonl", max_bytes=3)
