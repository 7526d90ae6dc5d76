"""How the command line says no: code, sentence, place and remedy on standard error, without a traceback, and the exit status.

Only errors that are meant for people are caught. A bug keeps its traceback.
"""

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from contracts.errors import EvaluationError
from evaluation_assets.surfaces.cli.output import visible


class Commands(TyperGroup):
    """The commands below `evalplane`. Wrong usage exits 2 and an interrupt 130; both are Typer's own."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except EvaluationError as error:
            typer.echo(error_text(error), err=True)
            raise typer.Exit(error.exit_status) from None


class Command(TyperCommand):
    """One command. Its usage line names a required argument as it is, without Typer's braces."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]


def error_text(error: EvaluationError) -> str:
    """Four lines; three where there is no place to name."""
    lines = [f"evalplane: {error.code}", f"  {error.message}", *([f"  at   {error.at}"] if error.at else []), f"  fix  {error.fix}"]
    return "\n".join(visible(line) for line in lines)
