"""Canonical bytes at the places where writers of JSON differ. Expected bytes: RFC 8785, or its appendix B for numbers."""

from enum import IntEnum, StrEnum
from hashlib import sha256

import numpy as np
import pytest

from contracts.canonical import MAX_DEPTH, canonical_bytes, digest_bytes, digest_file_chunks, digest_of
from contracts.errors import DocumentError


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    LOW = 1


def nested(depth: int) -> list[object]:
    value: list[object] = []
    for _ in range(depth - 1):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"b": 1, "a": [True, False, None]}, '{"a":[true,false,null],"b":1}', id="keys sorted, no space"),
        pytest.param((1, 2), "[1,2]", id="a tuple is an array"),
        pytest.param(1.0, "1", id="a whole float is an integer"),
        pytest.param(-0.0, "0", id="minus zero is zero"),
        pytest.param(-1.5, "-1.5", id="negative fraction"),
        pytest.param(1e-6, "0.000001", id="smallest positional decade"),
        pytest.param(1e-7, "1e-7", id="exponent without padding"),
        pytest.param(1e21, "1e+21", id="exponent with plus"),
        pytest.param(9007199254740991.0, "9007199254740991", id="largest whole float in positional notation"),
        pytest.param(4503599627370495.5, "4503599627370495.5", id="largest fraction"),
        pytest.param(9.999999999999997e22, "9.999999999999997e+22", id="shortest digits of a large float"),
        pytest.param(5e-324, "5e-324", id="smallest denormal"),
        pytest.param(1.7976931348623157e308, "1.7976931348623157e+308", id="largest double"),
        pytest.param(333333333.3333332, "333333333.3333332", id="17 digits"),
        pytest.param(2**53 - 1, "9007199254740991", id="largest integer"),
        pytest.param(-(2**53) + 1, "-9007199254740991", id="smallest integer"),
        pytest.param('\x00\x1f\b\f\n\r\t"\\/\x7f', '"\\u0000\\u001f\\b\\f\\n\\r\\t\\"\\\\/\x7f"', id="only the must-escapes"),
        pytest.param("e\u0301 \u00e9", '"e\u0301 \u00e9"', id="no Unicode normalisation"),
        pytest.param({"\ufb33": 1, "\U0001f600": 2}, '{"\U0001f600":2,"\ufb33":1}', id="keys by UTF-16, not by code point"),
        pytest.param({"z": {"é": 1e21, "b": 2}, "a": -0.0}, '{"a":0,"z":{"b":2,"é":1e+21}}', id="a wide key deep inside"),
    ],
)
def test_bytes(value: object, expected: str) -> None:
    assert canonical_bytes(value) == expected.encode()


@pytest.mark.parametrize(
    ("value", "field", "sentence"),
    [
        pytest.param(float("nan"), "", "NaN", id="NaN"),
        pytest.param({"a": [0.5, {"b": float("inf")}]}, "a[1].b", "infinity", id="infinity"),
        pytest.param([2**53], "[0]", "2^53-1", id="integer that a double cannot tell from its neighbour"),
        pytest.param({"a": -(2**53)}, "a", "2^53-1", id="negative one"),
        pytest.param([9007199254740992.0], "[0]", "whole float", id="whole float that would come back as such an integer"),
        pytest.param([-999999999999999900000.0], "[0]", "whole float", id="the same below 1e21, negative"),
        pytest.param({"a": "\ud800"}, "a", "surrogate", id="lone surrogate"),
        pytest.param({"\udc00": 1}, "['\\udc00']", "surrogate", id="lone surrogate in a key"),
        pytest.param({"a": {1: 2}}, "a", "key of type int", id="integer key"),
        pytest.param({Colour.RED: 1}, "", "key of type Colour", id="enum key"),
        pytest.param({"two words": b"x"}, "['two words']", "bytes", id="bytes"),
        pytest.param([{1, 2}], "[0]", "set", id="set"),
        pytest.param(Colour.RED, "", "Colour", id="text enum"),
        pytest.param(Level.LOW, "", "Level", id="integer enum"),
        pytest.param(np.float64(0.5), "", "float64", id="numpy float, though it is a float"),
        pytest.param(nested(MAX_DEPTH + 1), "[0]" * 33 + "[ ... ]" + "[0]" * 33, "levels", id="too deep"),
    ],
)
def test_no_canonical_form(value: object, field: str, sentence: str) -> None:
    with pytest.raises(DocumentError) as caught:
        canonical_bytes(value)
    assert sentence in caught.value.message
    assert caught.value.at == field


def test_depth_is_bounded_exactly_and_a_cycle_ends() -> None:
    assert canonical_bytes(nested(MAX_DEPTH)) == b"[" * MAX_DEPTH + b"]" * MAX_DEPTH
    cycle: dict[str, object] = {}
    cycle["self"] = cycle
    with pytest.raises(DocumentError, match="levels of nesting"):
        canonical_bytes(cycle)


def test_the_value_itself_is_left_alone() -> None:
    value = {"b": 1.0, "a": [-0.0, (1e21,)]}
    canonical_bytes(value)
    assert repr(value) == "{'b': 1.0, 'a': [-0.0, (1e+21,)]}"


def test_digest_of_is_separated_by_kind() -> None:
    assert digest_of("run-manifest", {"a": 1}) == "sha256:" + sha256(b'evaluation/run-manifest/v1\0{"a":1}').hexdigest()
    assert digest_of("suite", {"a": 1}) != digest_of("target", {"a": 1})


@pytest.mark.parametrize("kind", ["", "Suite", "a/b", "a\0b", "suite\n", "-a"])
def test_a_kind_is_a_plain_word(kind: str) -> None:
    with pytest.raises(ValueError, match="digest kind"):
        digest_of(kind, {})


def test_digests_of_bytes_know_the_answer_of_fips_180() -> None:
    expected = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert digest_bytes(b"abc") == expected
    assert digest_file_chunks([b"a", b"", b"bc"]) == expected
