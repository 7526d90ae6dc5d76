"""Strict JSON: the one door through which foreign bytes become values.

RFC 8259 lets readers differ on duplicate keys, huge numbers and lone surrogates; two readers that differ disagree
about what a digest covers. So every such text is refused here, and what is left has one reading:

- UTF-8 without a byte order mark, within `max_bytes`;
- containers nest at most `max_depth` deep, counted before decoding (`[]` is 1 deep): no input exhausts the stack;
- a key occurs once in its object, also when one spelling is escaped;
- integers within 2^53-1, finite floats; no NaN, no Infinity, no 1e999;
- strings are Unicode text: no surrogate without its partner.

The decoder of the standard library does the work through its hooks, which know no position. Only when one refuses is
the text walked again, token by token, for line and column: good input never pays for that.
Errors name file, line and column, never a value. Which fields a document has: `contracts.base`.
"""

import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import NoReturn, TypeAlias

from contracts.errors import StrictReadError

JsonValue: TypeAlias = dict[str, "JsonValue"] | list["JsonValue"] | str | int | float | bool | None

KIB, MIB = 2**10, 2**20
MAX_INTEGER = 2**53 - 1  # beyond it a double no longer tells neighbours apart (RFC 8785, 3.2.2.3)

_LONGEST_INTEGER = len(str(-MAX_INTEGER))  # spares int() the work on thousands of digits
_BYTE_ORDER_MARK = "\ufeff"
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
_BRACKET = re.compile(rf"{_STRING}|[\[\]{{}}]", re.DOTALL)
_TOKEN = re.compile(
    rf"(?P<string>{_STRING})(?P<key>[ \t\n\r]*:)?|[\[\]{{}}]"
    r"|(?P<integer>-?[0-9]+)(?P<real>(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)|(?P<word>-?[A-Za-z]+)",
    re.DOTALL,
)


class Fault(Exception):
    """One value that strict reading refuses, said without position. Never leaves the strict readers."""


def read_json(data: bytes, *, at: str, max_bytes: int = 16 * MIB, max_depth: int = 32) -> JsonValue:
    """The value of one JSON text. `at` is the file's name for errors; raises StrictReadError only."""
    check_size(data, at, max_bytes)
    return _value(data, at, 1, max_depth)


def read_json_lines(
    data: bytes, *, at: str, max_bytes: int = 256 * MIB, max_line_bytes: int = 4 * MIB, max_depth: int = 32
) -> Iterator[tuple[int, JsonValue]]:
    """(line number from 1, value) of each line; lines end at byte 0x0A and nowhere else.

    The last line may lack its newline. An empty line is refused, a carriage return is JSON whitespace. The size is
    checked at the call, each line when it is reached; raises StrictReadError only.
    """
    check_size(data, at, max_bytes)
    return _lines(data, at, max_line_bytes, max_depth)


def integer(literal: str) -> int:
    """A JSON integer literal within 2^53-1, or a Fault."""
    if len(literal) > _LONGEST_INTEGER or abs(value := int(literal)) > MAX_INTEGER:
        raise Fault("an integer is beyond 2^53-1; write it as a string")
    return value


def real(literal: str) -> float:
    """A JSON float literal that a double can hold, or a Fault."""
    value = float(literal)
    if value in (float("inf"), float("-inf")):
        raise Fault("a number is too large for a double")
    return value


def check_size(data: bytes, at: str, max_bytes: int) -> None:
    """Refuses more than `max_bytes` before anything is decoded."""
    if len(data) > max_bytes:
        raise StrictReadError(f"{len(data)} bytes where at most {max_bytes} are read", at=at, fix="shorten or split the file")


def utf8_text(data: bytes, at: str, first_line: int = 1) -> str:
    """Strictly decoded, without byte order mark. Shared with strict YAML."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        refuse("a byte is not UTF-8", at, *position(before, len(before), first_line))
    if text.startswith(_BYTE_ORDER_MARK):
        refuse("the text begins with a byte order mark", at, first_line, 1)
    return text


def position(text: str, offset: int, first_line: int = 1) -> tuple[int, int]:
    """(line, column) of a character, both from 1, when the text itself begins on `first_line`."""
    return first_line + text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset)


def refuse(message: str, at: str, line: int, column: int) -> NoReturn:
    """Raises the one error of strict reading, without the foreign exception that may have led to it."""
    raise StrictReadError(message, at=f"{at}, line {line}, column {column}") from None


def _lines(data: bytes, at: str, max_line_bytes: int, max_depth: int) -> Iterator[tuple[int, JsonValue]]:
    start, number = 0, 0
    while start < len(data):
        number += 1
        end = data.find(b"\n", start)
        line = data[start : end if end >= 0 else len(data)]
        start += len(line) + 1
        if len(line) > max_line_bytes:
            refuse(f"a line of {len(line)} bytes where at most {max_line_bytes} are read", at, number, 1)
        if not line.strip(b" \t\r"):
            refuse("the line is empty", at, number, 1)
        yield number, _value(line, at, number, max_depth)


def _value(data: bytes, at: str, first_line: int, max_depth: int) -> JsonValue:
    text = utf8_text(data, at, first_line)
    if (offset := _too_deep(text, max_depth)) is not None:
        refuse(f"more than {max_depth} levels of nesting", at, *position(text, offset, first_line))
    try:
        value: JsonValue = _DECODER.decode(text)
    except JSONDecodeError as error:
        refuse(f"not JSON: {error.msg.lower()}", at, *position(text, error.pos, first_line))
    except Fault as fault:
        message, offset = _first_fault(text) or (str(fault), 0)  # refused in any case
        refuse(message, at, *position(text, offset, first_line))
    # The decoder has no hook for strings. UTF-8 holds no surrogate, so only an escape can have brought one in.
    if _SURROGATE_ESCAPE.search(text) and (found := _first_fault(text)):
        refuse(found[0], at, *position(text, found[1], first_line))
    return value


def _too_deep(text: str, max_depth: int) -> int | None:
    """Offset of the first bracket below `max_depth`. Agrees with the decoder up to the first syntax error, where it stops."""
    if text.count("[") + text.count("{") <= max_depth:
        return None
    depth = 0
    for token in _BRACKET.finditer(text):
        if token[0] in "]}":
            depth -= 1
        elif token[0] in "[{":
            depth += 1
            if depth > max_depth:
                return token.start()
    return None


def _first_fault(text: str) -> tuple[str, int] | None:
    """Message and offset of the first refused token, by the same checks as the hooks; the text before it is valid JSON."""
    keys: list[set[str]] = []  # of the open containers; a list's set stays empty
    for token in _TOKEN.finditer(text):
        try:
            if token["string"]:
                name = _string(token["string"])
                if token["key"]:
                    _new_key(name, keys[-1])
            elif token["word"]:
                if token["word"] not in {"true", "false", "null"}:
                    _constant(token["word"])
            elif token["integer"]:
                (real if token["real"] else integer)(token[0])
            elif token[0] in "[{":
                keys.append(set())
            else:
                keys.pop()
        except Fault as fault:
            return str(fault), token.start()
    return None


def _new_key(name: str, seen: set[str]) -> None:
    if name in seen:
        raise Fault(_REPEATED_KEY)
    seen.add(name)


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise Fault(_REPEATED_KEY)
    return value


def _string(literal: str) -> str:
    value: str = _DECODER.decode(literal)
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise Fault("a surrogate is without its partner")
    return value


def _constant(_: str) -> NoReturn:
    raise Fault("NaN and Infinity are not JSON")


_REPEATED_KEY = "a key occurs twice in one object"
_DECODER = JSONDecoder(object_pairs_hook=_object, parse_int=integer, parse_float=real, parse_constant=_constant)
