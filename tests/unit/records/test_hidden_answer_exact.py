"""hidden-answer-exact.v1 on a golden table: answer, hidden label, rule, quality."""

import pytest

from evaluation_assets.records.graders.hidden_answer_exact import HiddenAnswerExact

GOLDEN = [
    ("Mercury", "Mercury", None, 1, "equal"),
    ("mercury", "Mercury", None, 0, "case counts"),
    ("  Mercury\n", "Mercury", None, 1, "trimmed"),
    ("a \t\n b", "a b", None, 1, "white space is collapsed"),
    ("a\u00a0b", "a b", None, 1, "a no-break space is white space"),
    ("ab", "a b", None, 0, "white space is not removed"),
    ("cafe\u0301", "caf\u00e9", None, 1, "composed and decomposed are one text"),
    ("\ufb01", "fi", None, 0, "NFC, not NFKC: a ligature stays one"),
    ("16.", "16", None, 0, "punctuation counts"),
    ("", "", None, 1, "nothing is nothing"),
    ("", "x", None, 0, "nothing is not something"),
    ("x", "", None, 0, "something is not nothing"),
    ("The answer is Mercury", "Mercury", None, 0, "containing is not being"),
    ("Mercury", "Mercury", "exact", 1, "exact is the default"),
    ("mercury", "Mercury", "exact", 0, "exact, case counts"),
    ("RED", "red", "casefold", 1, "casefold"),
    ("STRASSE", "stra\u00dfe", "casefold", 1, "casefold knows sharp s"),
    ("redd", "red", "casefold", 0, "casefold is no prefix"),
    ("16", "16", "number", 1, "number"),
    ("16.0", "16", "number", 1, "trailing zero"),
    ("1.6e1", "16", "number", 1, "exponent"),
    ("+16", "16", "number", 1, "sign"),
    ("016", "16", "number", 1, "leading zero"),
    (" 16 ", "16", "number", 1, "trimmed number"),
    ("-0", "0", "number", 1, "minus zero is zero"),
    (".5", "0.5", "number", 1, "no leading digit"),
    ("0.1", "0.10000000000000000001", "number", 0, "decimal, not double"),
    ("17", "16", "number", 0, "another number"),
    ("sixteen", "16", "number", 0, "a word is no number"),
    ("16 pens", "16", "number", 0, "a number with a unit is no number"),
    ("1,600", "1600", "number", 0, "no thousands separator"),
    ("0x10", "16", "number", 0, "no hexadecimal"),
    ("1_6", "16", "number", 0, "no underscores"),
    ("\u0661\u0666", "16", "number", 0, "ASCII digits only"),
    ("nan", "nan", "number", 0, "NaN equals nothing"),
    ("inf", "inf", "number", 0, "infinity is no number"),
    ("", "16", "number", 0, "no number"),
    ("x", "x", "number", 0, "two words are not one number"),
    ("1e999", "1e999", "number", 1, "large exponents stay exact"),
    ("1" * 5000, "1", "number", 0, "an endless number is none, and quickly so"),
    ("1e9999999999", "16", "number", 0, "an exponent that cannot be computed"),
]


@pytest.mark.parametrize(("answer", "expected", "match", "quality"), [case[:4] for case in GOLDEN], ids=[case[4] for case in GOLDEN])
def test_golden(answer: str, expected: str, match: str | None, quality: int) -> None:
    assert HiddenAnswerExact().grade(answer, expected, match) == float(quality)
