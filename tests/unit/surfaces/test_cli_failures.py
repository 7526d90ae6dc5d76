"""Exit statuses: 2 wrong or refused, 3 damaged, 130 interrupted; and a bug is not one of them."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from contracts.errors import EvaluationError, IntegrityError, Refused
from evaluation_assets.surfaces.cli.main import app
from tests.unit.surfaces.commands import evalplane, refusal

REFUSED = "evalplane: request.refused\n  Not now.\n  at   here\n  fix  wait\n"
DAMAGED = "evalplane: store.integrity\n  Other bytes.\n  fix  restore it\n"


@pytest.mark.parametrize(
    ("raised", "status", "shown"),
    [
        pytest.param(Refused("Not now.", at="here", fix="wait"), 2, REFUSED, id="refused"),
        pytest.param(IntegrityError("Other bytes.", fix="restore it"), 3, DAMAGED, id="damaged"),
        pytest.param(KeyboardInterrupt(), 130, "", id="interrupted"),
    ],
)
def test_what_a_command_raises_becomes_its_exit_status(
    raised: BaseException, status: int, shown: str, sealed_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise raised

    monkeypatch.setattr("ledgers.store.store.Store.find_run", stop)
    result = evalplane(sealed_root, "gates", "latest", status=status)
    assert (result.stdout, result.stderr) == ("", shown)


def test_a_bug_keeps_its_traceback(sealed_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ledgers.store.store.Store.find_run", lambda *_: {}["bug"])
    result = CliRunner().invoke(app, ["--root", str(sealed_root), "gates", "latest"])
    assert isinstance(result.exception, KeyError)


def test_dagsters_own_interrupt_is_an_interrupt(own_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dagster as dg

    def interrupted(*_: object, **__: object) -> None:
        raise dg.DagsterExecutionInterruptedError

    monkeypatch.setattr("evaluation_assets.launch.start", interrupted)
    monkeypatch.setenv("DAGSTER_HOME", "set by instance_of")
    evalplane(own_root, "run", "once", "--target", "fixture", "--suite", "evaluation-smoke", status=130)


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["bogus"], id="no such command"),
        pytest.param(["gates"], id="an argument is missing"),
        pytest.param(["gates", "latest", "--bogus"], id="no such option"),
        pytest.param(["run", "create", "--target", "fixture", "--suite", "evaluation-smoke", "--seed", "-1"], id="a number out of range"),
        pytest.param(["sql"], id="no statement"),
    ],
)
def test_wrong_usage_is_said_without_a_traceback(arguments: list[str], sealed_root: Path) -> None:
    result = evalplane(sealed_root, *arguments, status=2)
    assert result.stdout == ""
    assert result.stderr.startswith("Usage: evalplane")
    assert "Traceback" not in result.stderr


def test_a_root_without_a_store_is_refused_and_not_made(tmp_path: Path) -> None:
    lines = refusal(tmp_path / "nothing", "gates", "latest")
    assert lines[0] == "evalplane: store.invalid"
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_environment_is_named_and_help_does_not_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALUATION_THREADS", "many")
    assert "  at   EVALUATION_THREADS" in refusal(tmp_path, "config")
    assert evalplane(tmp_path, "config", "--help").stdout.startswith("Usage: evalplane config")


def test_every_error_class_has_a_status_that_the_help_explains() -> None:
    def below(kind: type[EvaluationError]) -> list[type[EvaluationError]]:
        return [kind, *(deeper for child in kind.__subclasses__() for deeper in below(child))]

    assert {kind.exit_status for kind in below(EvaluationError)} == {2, 3}


def test_help_loads_neither_arrow_nor_duckdb_nor_dagster() -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from evaluation_assets.surfaces.cli.main import app\n"
        "result = CliRunner().invoke(app, ['--help']); assert result.exit_code == 0\n"
        "print(sorted({'pyarrow', 'duckdb', 'dagster', 'numpy', 'jinja2', 'pydantic_settings', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
