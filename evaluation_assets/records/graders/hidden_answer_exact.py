"""hidden-answer-exact.v1: the answer is the hidden label, or it is not.

Both sides: NFC, trimmed, white space collapsed; case counts. A case may declare `casefold`, or `number`: then both must be
decimal numbers, and 16, 16.0 and 1.6e1 are the same one.
"""

import re
import unicodedata
from decimal import Decimal, InvalidOperation

_NUMBER = re.compile(r"[+-]?(\d{1,100}(\.\d{0,100})?|\.\d{1,100})([eE][+-]?\d{1,3})?", re.ASCII)


class HiddenAnswerExact:
    grader_id = "hidden-answer-exact.v1"
    keeps_recorded = False

    def grade(self, answer: str, expected: str, match: str | None) -> float:
        given, wanted = normal_form(answer), normal_form(expected)
        if match == "casefold":
            return float(given.casefold() == wanted.casefold())
        if match == "number":
            return float((number := _number(given)) is not None and number == _number(wanted))
        return float(given == wanted)


def normal_form(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _number(text: str) -> Decimal | None:
    if not _NUMBER.fullmatch(text):
        return None
    try:
        return Decimal(text)
    except InvalidOperation:
        return None
