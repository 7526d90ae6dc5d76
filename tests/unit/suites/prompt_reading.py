"""What a prompt holds, read out of its text: numbers, dates, a formula, quoted words, a matrix, edges, a table, a program's output."""

import contextlib
import io
import json
import re
from datetime import date
from fractions import Fraction


def ints(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def decimals(text: str) -> list[Fraction]:
    return [Fraction(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]


def dates(text: str) -> list[date]:
    return [date.fromisoformat(day) for day in re.findall(r"\d{4}-\d{2}-\d{2}", text)]


def formula(text: str) -> int:
    longest = max(re.findall(r"\d[\d^*+ -]*\d", text), key=len)
    return int(eval(longest.replace("^", "**")))


def quoted(text: str) -> list[str]:
    return re.findall(r'"(\w+)"', text)


def matrix(text: str) -> list[list[int]]:
    (entries,) = re.findall(r"\[\[.*?\]\]", text)
    found: list[list[int]] = json.loads(entries)
    return found


def edges(text: str) -> list[tuple[str, str, int]]:
    return [(a, b, int(length)) for a, b, length in re.findall(r"([A-Z])->?([A-Z]) (\d+)", text)]


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


def listed(text: str) -> list[str]:
    """The words between the first colon and the full stop after it."""
    return re.findall(r"\w+", text.split(":", 1)[1].split(".", 1)[0])


def printed(text: str) -> str:
    _, _, fenced = text.partition("```python\n")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(fenced.removesuffix("```"), {})
    return out.getvalue().removesuffix("\n")
