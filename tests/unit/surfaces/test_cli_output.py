"""What reaches a terminal: aligned text without control characters, one JSON document, refusals in four lines."""

import json

import pytest
import typer

from contracts.errors import HostileFile, IntegrityError, UnknownName
from evaluation_assets.surfaces.cli import output
from evaluation_assets.surfaces.cli.failures import error_text
from evaluation_assets.surfaces.cli.progress import stages, steps


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("arm-a", "arm-a", id="plain"),
        pytest.param("größer 模型", "größer 模型", id="letters of any script"),
        pytest.param("a\x1b[31mred", "a\\x1b[31mred", id="escape sequence"),
        pytest.param("a\u202eb", "a\\u202eb", id="direction override"),
        pytest.param("two\nlines\t.", "two\\nlines\\t.", id="line break and tab"),
    ],
)
def test_nothing_commands_the_terminal(text: str, shown: str) -> None:
    assert output.visible(text) == shown
    assert output.cell(text) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"),
        ("", "-"),
        (True, "yes"),
        (False, "no"),
        (0, "0"),
        (0.1, "0.1"),
        (["a", None], "a, -"),
        ((), "-"),
    ],
)
def test_a_cell_tells_absent_from_zero(value: object, shown: str) -> None:
    assert output.cell(value) == shown


def test_elsewhere_than_on_a_terminal_columns_are_aligned_and_whole(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_table(("arm", "quality"), [("a-long-arm-id" * 20, 0.5), ("b", None)])
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"arm{' ' * 257}  quality", f"{'a-long-arm-id' * 20}  0.5", f"b{' ' * 259}  -"]


def test_a_table_on_a_terminal_breaks_lines_instead_of_cutting(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    output.print_table(("gate", "why"), [("G0", "word " * 20)])
    shown = capsys.readouterr().out.replace("\x1b[1m", "").replace("\x1b[0m", "")  # bold is no colour
    assert shown.count("word") == 20
    assert max(map(len, shown.splitlines())) <= 40
    assert "\x1b" not in shown


def test_json_keeps_order_and_letters(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_json({"b": 1, "a": "größer"})
    shown = capsys.readouterr().out
    assert json.loads(shown) == {"b": 1, "a": "größer"}
    assert shown.index('"b"') < shown.index('"a"')
    assert "größer" in shown


def test_a_refusal_has_code_sentence_place_and_remedy() -> None:
    error = UnknownName("There is no gate of this id.", at="--only", fix="name one of G0 to G9")
    assert error_text(error).splitlines() == [
        "evalplane: name.unknown",
        "  There is no gate of this id.",
        "  at   --only",
        "  fix  name one of G0 to G9",
    ]


def test_a_refusal_without_a_place_has_three_lines() -> None:
    assert error_text(IntegrityError("Bytes differ.")).splitlines()[:2] == ["evalplane: store.integrity", "  Bytes differ."]
    assert len(error_text(IntegrityError("Bytes differ.")).splitlines()) == 3


def test_a_hostile_name_in_a_refusal_stays_in_its_line() -> None:
    text = error_text(HostileFile("A link.", at="a\nb\x1b]0;x\x07"))
    assert len(text.splitlines()) == 4
    assert "\x1b" not in text


def test_progress_is_said_in_few_lines_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with stages() as tell:
        for done in range(1, 1001):
            tell("digests", done, 1000)
        tell("recomputing", 1, 1)
    with steps() as step:
        step("installing")
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines()[-2:] == ["recomputing 1/1", "installing"]
    assert "digests 1000/1000" in shown.err
    assert len(shown.err.splitlines()) <= 8


def test_what_is_said_never_mixes_with_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    output.say("done\x07")
    typer.echo("answer")
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("answer\n", "done\\x07\n")
