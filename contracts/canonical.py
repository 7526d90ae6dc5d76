"""Canonical bytes (RFC 8785) and the digests over them: one content, one identity.

`orjson` writes the bytes; a normaliser in front of it takes out the three places where it departs from RFC 8785:
the spelling of floats, integers beyond 2^53-1, and values that it converts silently (NaN becomes null, an enum its
value). Objects with a non-ASCII key are sorted by UTF-16 code units, which orjson does not do: such a value goes to
the `rfc8785` library as a whole. That library is also the oracle of the property tests.

A digest is `sha256:<64 hex>`. Over a value it has a domain prefix, so that no document can pass for one of another
kind; over bytes of a file it is the plain SHA-256 that `sha256sum` prints.
"""

import re
from collections.abc import Iterable
from hashlib import sha256
from math import isfinite
from typing import cast

import orjson
import rfc8785

from contracts.errors import DocumentError
from contracts.strict_json import MAX_INTEGER, JsonValue

MAX_DEPTH = 128  # containers in containers; also what ends a value that holds itself

_KIND = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


def canonical_bytes(value: object) -> bytes:
    """RFC 8785 bytes of dict, list, tuple, str, int, float, bool and None; no subclasses, they may print as something else.

    Floats are written as ECMAScript does: 1.0 is `1`, -0.0 is `0`. Within its depth `read_json` reads an equal value back: one range
    is refused that RFC 8785 allows: whole floats between 2^53 and 1e21. DocumentError names the field without canonical form.
    """
    wide_keys: list[str] = []
    try:
        plain = _plain(value, 0, wide_keys)
    except _NoCanonicalForm as refusal:
        raise DocumentError(refusal.message, at=refusal.field()) from None
    if wide_keys:
        return rfc8785.dumps(cast(JsonValue, value))
    return orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)


def digest_of(kind: str, value: object) -> str:
    """Identity of a value among its kind: SHA-256 over `evaluation/<kind>/v1`, a zero byte and the canonical bytes.

    `kind` is a word of our code, never input: another alphabet is a bug and raises ValueError.
    """
    if not _KIND.fullmatch(kind):
        raise ValueError(f"a digest kind is lower-case words joined by . _ or -: {kind!r}")
    return digest_bytes(b"evaluation/" + kind.encode("ascii") + b"/v1\0" + canonical_bytes(value))


def digest_bytes(data: bytes) -> str:
    """Plain SHA-256 of bytes as they are."""
    return f"sha256:{sha256(data).hexdigest()}"


def digest_file_chunks(chunks: Iterable[bytes]) -> str:
    """`digest_bytes` of the concatenation, without holding it."""
    state = sha256()
    for chunk in chunks:
        state.update(chunk)
    return f"sha256:{state.hexdigest()}"


class _NoCanonicalForm(Exception):
    """Collects the steps to the offending value, innermost first, while it climbs out."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.steps: list[str | int] = []

    def field(self) -> str:
        """Like `pool.arms[3].price`; an odd key is escaped and cut, so that it can be printed anywhere."""
        path = ""
        for step in reversed(self.steps):
            if isinstance(step, str) and _FIELD.fullmatch(step):
                path += f".{step}" if path else step
            else:
                path += f"[{step}]" if isinstance(step, int) else f"[{step[:40]!a}]"
        return path if len(path) <= 200 else f"{path[:100]} ... {path[-100:]}"


def _plain(value: object, depth: int, wide_keys: list[str]) -> object:
    """What orjson writes canonically. Non-ASCII keys are noted in `wide_keys`: then the caller uses the library instead."""
    if type(value) is str:
        return value if value.isascii() else _text(value)
    if type(value) is float:
        return value if 1e-4 <= value < 1e15 and not value.is_integer() else _real(value)
    if type(value) is int:
        if -MAX_INTEGER <= value <= MAX_INTEGER:
            return value
        raise _NoCanonicalForm("an integer is beyond 2^53-1; write it as a string")
    if value is None or value is True or value is False:
        return value
    if depth == MAX_DEPTH:
        raise _NoCanonicalForm(f"more than {MAX_DEPTH} levels of nesting")
    if type(value) is dict:
        return _object(value, depth + 1, wide_keys)
    if type(value) is list or type(value) is tuple:
        return _array(value, depth + 1, wide_keys)
    raise _NoCanonicalForm(f"a value of type {type(value).__name__} is not JSON")


def _object(members: dict[object, object], depth: int, wide_keys: list[str]) -> dict[str, object]:
    plain: dict[str, object] = {}
    for key, item in members.items():
        if type(key) is not str:
            raise _NoCanonicalForm(f"a key of type {type(key).__name__} is not a string")
        try:
            if not key.isascii():
                wide_keys.append(_text(key))
            plain[key] = _plain(item, depth, wide_keys)
        except _NoCanonicalForm as refusal:
            refusal.steps.append(key)
            raise
    return plain


def _array(items: list[object] | tuple[object, ...], depth: int, wide_keys: list[str]) -> list[object]:
    # A loop, not a comprehension: its length so far is the index of a refused item.
    plain: list[object] = []
    try:
        for item in items:
            plain.append(_plain(item, depth, wide_keys))
    except _NoCanonicalForm as refusal:
        refusal.steps.append(len(plain))
        raise
    return plain


def _text(value: str) -> str:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise _NoCanonicalForm("a surrogate is without its partner") from None
    return value


def _real(value: float) -> object:
    """As a whole number, as is, or as the library spells it: RFC 8785, 3.2.2.3, which is positional below 1e21.

    orjson's shortest digits are the right ones everywhere; its notation is promised nowhere, so it is trusted only
    between 1e-4 and 1e15, where every writer is positional.
    """
    if not isfinite(value):
        raise _NoCanonicalForm("NaN and infinity are not JSON")
    if value.is_integer() and abs(value) < 1e21:
        if abs(value) > MAX_INTEGER:
            raise _NoCanonicalForm("a whole float beyond 2^53-1 is written as an integer that no strict reader takes back")
        return int(value)
    if 1e-4 <= abs(value) < 1e15:
        return value
    return orjson.Fragment(rfc8785.dumps(value))
