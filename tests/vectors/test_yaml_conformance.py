"""yaml-test-suite: a case is refused, or its value is the JSON that the suite gives for it. Nothing in between.

https://github.com/yaml/yaml-test-suite (MIT)
"""

import json
import re

import yaml

from contracts.errors import StrictReadError
from contracts.strict_json import JsonValue
from contracts.strict_yaml import read_yaml
from tests.shared_data import shared

# Errors by the suite, read by libyaml: laxity about comments, tabs and flow dashes; the value is what the author meant.
LIBYAML_READS = {"CVW2/0", "DK95/1", "G5U8/0", "SU5Z/0", "YJV2/0"}
REFUSED = "a text that no case has as its value"


def cases() -> dict[str, tuple[str, str | None, bool]]:
    """Case id -> (YAML text, expected JSON if any, must fail). A later case of a file inherits what it does not say."""
    found: dict[str, tuple[str, str | None, bool]] = {}
    for file in sorted(shared("conformance", "yaml-test-suite", "src").iterdir()):
        said: dict[str, str] = {}
        for number, case in enumerate(yaml.safe_load(file.read_text("utf-8"))):
            said |= case
            found[f"{file.stem}/{number}"] = (visible_to_real(said["yaml"]), said.get("json"), bool(case.get("fail")))
    return found


def visible_to_real(text: str) -> str:
    """The suite writes invisible characters as visible ones."""
    for visible, real in (("␣", " "), ("⇔", "\ufeff"), ("↵", ""), ("∎\n", ""), ("←", "\r")):
        text = text.replace(visible, real)
    return re.sub("—*»", "\t", text)


def read(text: str) -> JsonValue:
    try:
        return read_yaml(text.encode("utf-8"), at="case.yaml")
    except StrictReadError:
        return REFUSED


def test_what_is_read_equals_the_expected_json() -> None:
    read_cases = {
        name: (value, expected) for name, (text, expected, fails) in cases().items() if not fails and (value := read(text)) is not REFUSED
    }
    different = [name for name, (value, expected) in read_cases.items() if expected is None or json.loads(expected) != value]
    assert different == []
    assert len(read_cases) >= 65  # refusing everything would be equal too


def test_errors_are_refused_but_for_the_known_laxity_of_libyaml() -> None:
    assert {name for name, (text, _, fails) in cases().items() if fails and read(text) is not REFUSED} == LIBYAML_READS


def test_naughty_strings_are_read_or_refused_and_read_back_when_quoted() -> None:
    """https://github.com/minimaxir/big-list-of-naughty-strings (MIT)."""
    for text in json.loads(shared("conformance", "blns", "blns.json").read_bytes()):
        read(text)
        assert read(yaml.safe_dump([text], default_style='"')) == [text]
