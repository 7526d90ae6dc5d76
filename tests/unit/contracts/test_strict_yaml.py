"""What strict YAML reads and refuses, and where it says the trouble is."""

import pytest

from contracts.errors import StrictReadError
from contracts.strict_json import JsonValue
from contracts.strict_yaml import read_yaml

MANIFEST = b"""\
# a suite, as a person writes it
schema_version: suite.v1
track_ids: [routing, 'model pool']
limits: {cases: 64, share: 0.5, strict: true}
reference:
notes: |
  two
  lines
arms:
- id: qwen3-32b
  price: 1e-6
"""


def test_reads_a_manifest() -> None:
    assert read_yaml(MANIFEST, at="suite.yaml") == {
        "schema_version": "suite.v1",
        "track_ids": ["routing", "model pool"],
        "limits": {"cases": 64, "share": 0.5, "strict": True},
        "reference": None,
        "notes": "two\nlines\n",
        "arms": [{"id": "qwen3-32b", "price": 1e-6}],
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[(text, value) for text, value in (("null", None), ("true", True), ("-0", 0), ("12", 12), ("-1.50", -1.5), ("1E3", 1000.0))],
        *[
            (text, text)
            for text in ("yes", "No", "on", "off", "y", "2026-01-01", "1_000", "12:30", "1.2.3", "0b11", "1e", "-x", "v1", "nan")
        ],
        *[(f'"{text}"', text) for text in ("null", "true", "12", "~", ".inf", "012", "<<", "")],
        *[(f"'{text}'", text) for text in ("null", "1.5", "True")],
        ("|-\n 12", "12"),
        (">-\n true", "true"),
    ],
)
def test_a_scalar_is(text: str, value: JsonValue) -> None:
    read = read_yaml(f"key: {text}\n".encode(), at="doc.yaml")
    assert repr(read) == repr({"key": value})  # by repr, since 1 == True == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "~",
        "Null",
        "NULL",
        "True",
        "TRUE",
        "False",
        "FALSE",
        "+1",
        "012",
        "-01",
        "0o17",
        "0x1F",
        ".5",
        "1.",
        "+.5",
        ".inf",
        "-.INF",
        ".nan",
        ".NaN",
    ],
)
def test_a_second_spelling_is_refused(text: str) -> None:
    with pytest.raises(StrictReadError, match=r"second spelling.* at doc\.yaml, line 2, column 6 "):
        read_yaml(f"a: 1\nkey: {text}\n".encode(), at="doc.yaml")


@pytest.mark.parametrize(
    ("data", "place", "sentence"),
    [
        pytest.param(b"a: &x 1\n", "line 1, column 4", "an anchor", id="anchor on a scalar"),
        pytest.param(b"a: &x [1]\n", "line 1, column 4", "an anchor", id="anchor on a sequence"),
        pytest.param(b"a: *x\n", "line 1, column 4", "an alias", id="alias"),
        pytest.param(b"a: !!str 1\n", "line 1, column 4", "a tag", id="standard tag"),
        pytest.param(b"a: !!python/object/apply:os.system [x]\n", "line 1, column 4", "a tag", id="object tag"),
        pytest.param(b"a: ! 12\n", "line 1, column 4", "a tag", id="the bare tag"),
        pytest.param(b"%YAML 1.2\n---\na: 1\n", "line 1, column 1", "a directive", id="version directive"),
        pytest.param(b"%TAG ! tag:example.org,2000:\n---\na: 1\n", "line 1, column 1", "a directive", id="tag directive"),
        pytest.param(b"a: 1\n---\nb: 2\n", "line 2, column 1", "second document", id="two documents"),
        pytest.param(b"a: 1\nb: 2\na: 3\n", "line 3, column 1", "twice", id="duplicate key"),
        pytest.param(b"a: {b: 1, 'b': 2}\n", "line 1, column 11", "twice", id="duplicate key, once quoted"),
        pytest.param(b"a: 1\n404: x\n", "line 2, column 1", "not a string", id="integer key"),
        pytest.param(b"true: x\n", "line 1, column 1", "not a string", id="boolean key"),
        pytest.param(b"{null: x}\n", "line 1, column 2", "not a string", id="null key"),
        pytest.param(b"? [a]\n: x\n", "line 1, column 3", "not a string", id="sequence as key"),
        pytest.param(b"a:\n  <<: {b: 1}\n", "line 2, column 3", "merge key", id="merge key"),
        pytest.param(b"{?a: 1}\n", "line 1, column 3", "question mark", id="question mark that libyaml drops"),
        pytest.param(b"a: 9007199254740992\n", "line 1, column 4", "2^53-1", id="2^53"),
        pytest.param(b"a: 1e999\n", "line 1, column 4", "double", id="float overflow"),
        pytest.param(b"a: x\x00y\n", "line 1, column 5", "character", id="control character"),
        pytest.param("a: x\u0085b: y\n".encode(), "line 1, column 5", "character", id="a line break only in YAML 1.1"),
        pytest.param(b"\xef\xbb\xbfa: 1\n", "line 1, column 1", "byte order mark", id="byte order mark"),
        pytest.param(b"a: \xff\n", "line 1, column 4", "UTF-8", id="bad byte"),
        pytest.param(b"a: [1, 2\n", "line 2, column 1", "not YAML", id="open flow sequence"),
        pytest.param(b"a: 1\n\tb: 2\n", "line 2, column 1", "not YAML", id="tab as indentation"),
        pytest.param(b"a: 1\n...\n]\n", "line 3, column 1", "not YAML", id="syntax error after the document"),
        pytest.param(b"a: " + b"[" * 900, "line 1, column 35", "32 levels", id="deep flow"),
        pytest.param(b"- " * 33 + b"x", "line 1, column 65", "32 levels", id="one level too deep"),
    ],
)
def test_refuses(data: bytes, place: str, sentence: str) -> None:
    with pytest.raises(StrictReadError) as caught:
        read_yaml(data, at="doc.yaml")
    assert sentence in caught.value.message
    assert caught.value.at == f"doc.yaml, {place}"
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("data", [b"", b"# only a comment\n", b"\n\n"])
def test_no_document_is_not_null(data: bytes) -> None:
    with pytest.raises(StrictReadError, match=r"no YAML document at doc\.yaml "):
        read_yaml(data, at="doc.yaml")


def test_bounds_hold_at_the_boundary() -> None:
    data = b"[[x]]"  # stream start, document start, 2 x sequence start, scalar, 2 x sequence end, document end, stream end
    assert read_yaml(data, at="doc.yaml", max_bytes=5, max_depth=2, max_events=9) == [["x"]]
    for bound, sentence in (({"max_bytes": 4}, "5 bytes"), ({"max_depth": 1}, "1 levels"), ({"max_events": 8}, "8 YAML events")):
        with pytest.raises(StrictReadError, match=sentence):
            read_yaml(data, at="doc.yaml", **bound)


def test_the_bound_of_libyaml_itself_is_a_refusal_too() -> None:
    with pytest.raises(StrictReadError, match="not YAML: exceeded maximum nesting depth"):
        read_yaml(b"[" * 40_000, at="doc.yaml")


def test_a_bomb_of_aliases_is_refused_at_its_first_anchor() -> None:
    bomb = b"a: &a [x, x]\n" + b"".join(b"%c: &%c [*%c, *%c]\n" % (c + 1, c + 1, c, c) for c in range(ord("a"), ord("k")))
    with pytest.raises(StrictReadError, match=r"an anchor at doc\.yaml, line 1, column 4 "):
        read_yaml(bomb, at="doc.yaml")


def test_no_value_is_repeated_in_an_error() -> None:
    for data in (
        b"k: s3cret\nk: s3cret\n",
        b"k: *s3cret\n",
        b"k: !s3cret x\n",
        b"k: [s3cret\n",
        b"k: 's3cret\n",
        b"k: s3cret: x\n",
        b"@s3cret\n",
    ):
        with pytest.raises(StrictReadError) as caught:
            read_yaml(data, at="doc.yaml")
        assert "s3cret" not in str(caught.value)
