"""The settings in force, and where each comes from."""

import typer

from evaluation_assets.surfaces.cli.options import Json
from evaluation_assets.surfaces.cli.output import print_json, print_table
from evaluation_assets.surfaces.cli.session import session_of


def config(context: typer.Context, as_json: Json = False) -> None:
    """Print every setting and its environment variable.

    With its value here and what it means; none of them is a secret.

    Exit status: 0 read; 2 an environment variable has a wrong value.

    \b
    Examples:  evalplane config
               EVALUATION_THREADS=4 evalplane config --json | jq .threads
    """
    session = session_of(context)
    values = {**session.settings.model_dump(mode="json"), "root": str(session.root)}
    if as_json:
        print_json(values)
        return
    print_table(
        ("variable", "value", "meaning"),
        [(f"EVALUATION_{name.upper()}", values[name], field.description) for name, field in type(session.settings).model_fields.items()],
    )
