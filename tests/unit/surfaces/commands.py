"""Calls `evalplane` in this process, the way a shell would: arguments in; exit status, standard output and standard error out."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from evaluation_assets.surfaces.cli.main import app


def evalplane(root: Path, *arguments: str, status: int = 0, **settings: Any) -> Result:
    """The result of one call; fails when it ended otherwise than with `status`. A bug keeps its traceback."""
    result = CliRunner().invoke(app, ["--root", str(root), *arguments], prog_name="evalplane", **settings)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == status, f"{arguments}: {result.exit_code}\n{result.stdout}\n{result.stderr}"
    return result


def answer(root: Path, *arguments: str, status: int = 0) -> Any:
    """What --json prints: exactly one document."""
    return json.loads(evalplane(root, *arguments, "--json", status=status).stdout)


def refusal(root: Path, *arguments: str, status: int = 2) -> list[str]:
    """The lines of a refusal. Nothing went to standard output."""
    result = evalplane(root, *arguments, status=status)
    assert result.stdout == ""
    return result.stderr.splitlines()
