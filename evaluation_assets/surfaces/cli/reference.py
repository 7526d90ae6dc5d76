"""docs/cli.md, written from the commands themselves: what `--help` says of each, in the order of `evalplane --help`."""

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from evaluation_assets.surfaces.cli.main import app

WIDTH = 110
_HEAD = """# Commands

This page is generated from the command line (`make sync`). Every command prints the same with `--help`.

- `--root DIR` stands before the command and names the store; without it EVALUATION_ROOT or `./evaluation-root`.
- `--json` prints exactly one JSON document on standard output: an array from lists and `sql`, an object from everything else.
  Progress, warnings and errors go to standard error.
- An error has four lines: its code, one sentence, where, and how to mend it.

| exit status | meaning |
|---|---|
| 0 | done, or read |
| 1 | a `--check` was not met; `verify` found only derived parts that need a rebuild |
| 2 | wrong input, or refused |
| 3 | bytes do not match their digests |
| 130 | interrupted |
"""


def cli_reference() -> str:
    """The page as it must be committed. The width is fixed, so that no terminal changes it."""
    return "\n".join([_HEAD, *_sections(get_command(app), "evalplane", None)])


def _sections(command: Any, name: str, parent: Any) -> Iterator[str]:
    context = command.context_class(
        command, info_name=name, parent=parent, terminal_width=WIDTH, max_content_width=WIDTH, **command.context_settings
    )
    yield f"## `{context.command_path}`\n\n```text\n{_without_blank_ends(command.get_help(context))}\n```\n"
    for verb, child in getattr(command, "commands", {}).items():
        yield from _sections(child, verb, context)


def _without_blank_ends(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines())
