"""`evalplane up`: the pages and the asset graph, on loopback."""

from typing import Annotated

import typer

from evaluation_assets.surfaces.cli.output import print_lines, say
from evaluation_assets.surfaces.cli.session import session_of


def up(
    context: typer.Context,
    *,
    no_dagster: Annotated[bool, typer.Option("--no-dagster", help="Serve the report pages alone, ready at once.")] = False,
    port: Annotated[int | None, typer.Option("--port", min=0, max=65535, help="Loopback port; 0 picks a free one.")] = None,
) -> None:
    """Serve reports and the asset graph on loopback.

    Prints the address once it answers. At 127.0.0.1, until it is interrupted. A browser elsewhere needs a tunnel: other hosts and
    origins are refused. Default port: EVALUATION_PORT, or 8177.

    Exit status: 0 stopped; 2 wrong input or refused, such as a port that is taken.

    \b
    Examples:  evalplane up
               evalplane up --no-dagster --port 0
    """
    from evaluation_assets.surfaces.up import serve

    session = session_of(context)
    serve(
        session.root, port=session.settings.port if port is None else port, dagster=not no_dagster, announce=lambda url: print_lines([url])
    )
    say("stopped")
