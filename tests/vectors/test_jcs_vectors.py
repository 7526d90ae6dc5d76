"""RFC 8785 vectors of its author: input -> canonical text, and the same as bytes.

https://github.com/cyberphone/json-canonicalization (Apache-2.0)
"""

import json

from contracts.canonical import canonical_bytes
from contracts.strict_json import read_json
from tests.shared_data import shared


def test_every_vector_has_its_canonical_bytes() -> None:
    folder = shared("conformance", "jcs")
    inputs = sorted((folder / "input").iterdir())
    assert len(inputs) >= 3
    for file in inputs:
        written = canonical_bytes(read_json(file.read_bytes(), at=file.name))
        assert written == (folder / "output" / file.name).read_bytes(), file.name
        assert written == bytes.fromhex((folder / "outhex" / f"{file.stem}.txt").read_text("ascii")), file.name


def test_naughty_strings_keep_their_identity() -> None:
    """https://github.com/minimaxir/big-list-of-naughty-strings (MIT): as value and as key, out and in again."""
    strings = json.loads(shared("conformance", "blns", "blns.json").read_bytes())
    assert len(strings) >= 200
    for text in strings:
        value = {"text": text, text: 1} if text != "text" else {"text": text}
        assert read_json(canonical_bytes(value), at="blns.json") == value
