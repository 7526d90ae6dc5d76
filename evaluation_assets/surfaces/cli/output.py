"""What goes to standard output: one JSON document, or text for people. Everything else is said on standard error.

Text is a table of rich on a terminal (NO_COLOR is obeyed) and aligned columns elsewhere, nothing cut and nothing wrapped. Names and
texts come from suites that others made, so a control or direction character is shown as its escape and never reaches the terminal.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence

import orjson
import typer

from contracts.strict_json import JsonValue

ABSENT = "-"
_SHORT = 10  # a narrow terminal does not break columns whose cells are no longer than this


def print_json(value: Mapping[str, JsonValue] | Sequence[Mapping[str, JsonValue]]) -> None:
    """The one document of a command. Keys keep their order."""
    typer.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2))


def print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        typer.echo(visible(line))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Header and rows; an absent value is `-`, a list its members with commas."""
    cells = [[cell(value) for value in row] for row in rows]
    if sys.stdout.isatty():
        _draw(columns, cells)
        return
    lines = [list(columns), *cells]
    widths = [max(len(line[place]) for line in lines) for place in range(len(columns))]
    for line in lines:
        typer.echo("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())


def print_fields(fields: Iterable[tuple[str, object]]) -> None:
    """`name  value`, one a line, names aligned."""
    known = [(name, cell(value)) for name, value in fields]
    width = max(len(name) for name, _ in known)
    for name, text in known:
        typer.echo(f"{name.ljust(width)}  {text}")


def say(message: str) -> None:
    """A line on standard error."""
    typer.echo(visible(message), err=True)


def cell(value: object) -> str:
    """One value in one line."""
    if value is None or value == "":
        return ABSENT
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(cell(member) for member in value) or ABSENT
    return visible(str(value))


def visible(text: str) -> str:
    """`text` with every character escaped that a terminal would obey or hide."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)


def _draw(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, name in enumerate(columns):
        short = max(len(name), *(len(row[place]) for row in rows)) <= _SHORT if rows else True
        table.add_column(Text(name), overflow="fold", no_wrap=short)
    for row in rows:
        table.add_row(*(Text(text) for text in row))
    Console(highlight=False).print(table)
