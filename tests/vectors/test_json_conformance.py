"""JSONTestSuite: y_ must be read, n_ refused, i_ is ours to decide and decided here.

https://github.com/nst/JSONTestSuite (MIT)
"""

from contracts.errors import StrictReadError
from contracts.strict_json import read_json
from tests.shared_data import shared

REFUSED_ON_PURPOSE = {"y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"}
READ_THOUGH_FREE = {"i_number_double_huge_neg_exp.json", "i_number_real_underflow.json"}  # a double rounds them to zero
TRANSFORM_REFUSED = {
    "number_-9223372036854775808.json": "2^53-1",
    "number_10000000000000000999.json": "2^53-1",
    "number_9223372036854775807.json": "2^53-1",
    "object_same_key_different_values.json": "twice",
    "object_same_key_same_value.json": "twice",
    "object_same_key_unclear_values.json": "twice",
    "string_1_escaped_invalid_codepoint.json": "surrogate",
    "string_1_invalid_codepoint.json": "UTF-8",
    "string_2_escaped_invalid_codepoints.json": "surrogate",
    "string_2_invalid_codepoints.json": "UTF-8",
    "string_3_escaped_invalid_codepoints.json": "surrogate",
    "string_3_invalid_codepoints.json": "UTF-8",
}


def refusal(data: bytes) -> str:
    """The sentence, or nothing when the bytes are read."""
    try:
        read_json(data, at="case.json")
    except StrictReadError as error:
        return error.message
    return ""


def test_every_parsing_case_is_read_or_refused_as_its_name_says() -> None:
    files = sorted(shared("conformance", "json-test-suite", "test_parsing").iterdir())
    assert len(files) >= 160
    surprises = [
        file.name
        for file in files
        if bool(refusal(file.read_bytes()))
        is not (file.name in REFUSED_ON_PURPOSE or (not file.name.startswith("y_") and file.name not in READ_THOUGH_FREE))
    ]
    assert surprises == []


def test_the_texts_that_readers_disagree_about_are_refused_for_that_reason() -> None:
    files = sorted(shared("conformance", "json-test-suite", "test_transform").iterdir())
    assert len(files) >= 10
    refused = {file.name: sentence for file in files if (sentence := refusal(file.read_bytes()))}
    unexplained = {name: sentence for name, sentence in refused.items() if TRANSFORM_REFUSED.get(name, "not listed") not in sentence}
    assert unexplained == {}
    assert {file.name for file in files} & set(TRANSFORM_REFUSED) == set(refused)
