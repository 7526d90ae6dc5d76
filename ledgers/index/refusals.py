"""DuckDB's errors in our words: one sentence and a place, without paths, and without values of the data."""

import re

import duckdb

from contracts.errors import EvaluationError, IntegrityError, StatementRefused
from ledgers.index.views import REBUILD

_KIND = re.compile(r"^[A-Z][A-Za-z ]* Error: ")
_PLACE = re.compile(r"\n+LINE (?P<line>\d+): (?P<excerpt>.*)(?:\n(?P<caret> *)\^)?")
_QUOTED = re.compile(r"['\"(].*['\")]")
_LONGEST = 300
_VALUES = (duckdb.ConversionException, duckdb.InvalidInputException, duckdb.OutOfRangeException, duckdb.ConstraintException)


def refusal(error: duckdb.Error) -> EvaluationError:
    """What to raise instead. Suggestions ("Candidate bindings", "Did you mean") stay."""
    text = str(error)
    if isinstance(error, duckdb.OutOfMemoryException):
        return StatementRefused(
            "The statement needs more memory than it may use.",
            at="sql",
            fix="read fewer rows or columns, or raise EVALUATION_MEMORY_LIMIT_MB",
        )
    if isinstance(error, duckdb.PermissionException):
        return StatementRefused("The statement reads or writes a file.", at="sql")
    place = _PLACE.search(text)
    sentence = " ".join(_KIND.sub("", text[: place.start()] if place else text).split())
    if isinstance(error, duckdb.IOException) or "/proc/self/fd/" in sentence:
        return IntegrityError("A part of the evidence index is missing or torn.", at="evidence", fix=REBUILD)
    if isinstance(error, _VALUES):
        sentence = _QUOTED.sub("(a value)", sentence)
    sentence = sentence[:_LONGEST].rstrip(".!")
    return StatementRefused(f"{sentence}.", at=f"sql{_position(place)}")


def _position(place: re.Match[str] | None) -> str:
    if place is None:
        return ""
    line, excerpt, caret = place["line"], place["excerpt"], place["caret"]
    if caret is None or excerpt.startswith("..."):  # a long line is cut: columns count from nowhere
        return f"  line {line}"
    return f"  line {line}, column {len(caret) - len(f'LINE {line}: ') + 1}"
