"""Every command explains itself, and docs/cli.md says the same."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from evaluation_assets.surfaces.cli.main import app
from evaluation_assets.surfaces.cli.reference import WIDTH, cli_reference

CHECKOUT = Path(__file__).resolve().parents[3]
DOCS = CHECKOUT / "docs"
SHORT = 57  # what fits beside the names in `evalplane --help` on 80 columns


def commands(group: Any, path: str = "evalplane") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


EVERY = dict(commands(get_command(app)))


@pytest.mark.parametrize("path", EVERY)
def test_help_says_what_it_does_how_it_ends_and_an_example(path: str) -> None:
    text = EVERY[path].help
    first, _, rest = text.partition("\n")
    assert first.endswith(".")
    assert "Exit status: 0" in rest
    assert "2 " in rest
    _, example, lines = rest.rpartition("\b\n")
    assert example, "examples are not re-wrapped"
    assert path in lines or f"{path.removeprefix('evalplane ')}" in lines


@pytest.mark.parametrize("path", [path for path in EVERY if path.count(" ") == 1])
def test_the_first_line_fits_the_list_of_commands(path: str) -> None:
    assert len(EVERY[path].help.partition("\n")[0]) <= SHORT


@pytest.mark.parametrize("path", EVERY)
def test_every_option_has_a_help_text(path: str) -> None:
    assert [parameter.name for parameter in EVERY[path].params if not parameter.help] == []


@pytest.mark.parametrize("path", [path for path in EVERY if path not in ("evalplane up",)])
def test_every_command_answers_in_json(path: str) -> None:
    assert "--json" in {name for parameter in EVERY[path].params for name in parameter.opts}


def test_the_reference_has_every_command_once() -> None:
    page = cli_reference()
    assert [line for line in page.splitlines() if line.startswith("## ")].count("## `evalplane`") == 1
    for path in EVERY:
        assert page.count(f"## `{path}`\n") == 1
    assert page == (DOCS / "cli.md").read_text(encoding="utf-8")


def test_no_terminal_changes_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    page = cli_reference()
    for name, value in (("COLUMNS", "40"), ("EVALUATION_ROOT", "elsewhere"), ("LANG", "de_DE.UTF-8")):
        monkeypatch.setenv(name, value)
    assert cli_reference() == page
    wrapped = [line for line in page.splitlines() if line.startswith("  ") and "evalplane" not in line and "`" not in line]
    assert max(map(len, wrapped)) <= WIDTH


@pytest.mark.parametrize("page", ["README.md", "docs/tour.md", "docs/benchmarks.md", "docs/gates.md", "docs/architecture.md"])
def test_pages_name_commands_that_exist(page: str) -> None:
    known = {tuple(path.split()[1:]) for path in EVERY}
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    named = [tuple(call.split()) for call in _calls(text)]
    assert [call for call in named if call[:1] not in known and call[:2] not in known] == []


def _calls(text: str) -> Iterator[str]:
    for piece in text.split("evalplane ")[1:]:
        words = piece.split("\n")[0].split("`")[0].split()
        if words and words[0].replace("-", "").isalpha() and not words[0].startswith("-"):
            yield " ".join(words[:2])
