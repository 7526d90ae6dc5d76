"""The command `evalplane`: which commands there are, in the order that `--help` lists them, and the options before them."""

import os
from pathlib import Path
from typing import Annotated

import typer

from evaluation_assets.surfaces.cli import (
    cases,
    catalogs,
    config,
    demo,
    evidence,
    reports,
    run_control,
    run_export,
    runs,
    suites,
    targets,
    up,
    verify,
)
from evaluation_assets.surfaces.cli.failures import Command, Commands
from evaluation_assets.surfaces.cli.session import Session

COMMANDS = (
    ("demo", demo.demo),
    ("up", up.up),
    ("catalog", catalogs.catalog),
    ("benchmarks", catalogs.benchmarks),
    ("normalizers", catalogs.normalizers),
    ("executors", catalogs.executors),
    ("profiles", catalogs.profiles),
    ("metrics", catalogs.metrics),
    ("suite-normalize", suites.suite_normalize),
    ("suite-install", suites.suite_install),
    ("report", reports.report),
    ("gates", reports.gates),
    ("cases", cases.cases),
    ("sql", evidence.sql),
    ("verify", verify.verify),
    ("config", config.config),
)
GROUPS = (
    ("target", "Show what a run may be about.", (("list", targets.target_list), ("show", targets.target_show))),
    ("suite", "Show the suites that can be run.", (("list", suites.suite_list), ("show", suites.suite_show))),
    (
        "run",
        "Create, start, show and remove runs.",
        (
            ("create", run_control.run_create),
            ("start", run_control.run_start),
            ("once", run_control.run_once),
            ("list", runs.run_list),
            ("show", runs.run_show),
            ("events", runs.run_events),
            ("export", run_export.run_export),
            ("cancel", run_control.run_cancel),
            ("delete", run_control.run_delete),
        ),
    ),
    (
        "evidence",
        "Keep the SQL index of the evidence, which is derived.",
        (("build", evidence.build), ("rebuild", evidence.rebuild), ("path", evidence.path), ("prune", evidence.prune)),
    ),
)


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"evalplane {version('evalplane')}")
        raise typer.Exit


def _common(
    context: typer.Context,
    *,
    root: Annotated[
        Path | None, typer.Option("--root", metavar="DIR", help="The store. Default: EVALUATION_ROOT, or ./evaluation-root.")
    ] = None,
    version: Annotated[bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")] = False,
) -> None:
    """Decide whether a routing recipe, model pool or inference solution is good enough to promote, from evidence anyone can recompute.

    RUN is `latest`, a run id, or the beginning of one. With --json a command prints one JSON document on standard output;
    everything else goes to standard error.

    Exit status: 0 done or read; 1 a --check was not met, or verify found only derived parts to rebuild; 2 wrong input or refused; 3
    bytes do not match their digests; 130 interrupted.

    \b
    Examples:  evalplane demo
               evalplane gates latest
               evalplane --root elsewhere run list
    """
    context.obj = Session(root)


def _assemble() -> typer.Typer:
    made = typer.Typer(
        cls=Commands,
        rich_markup_mode=None,
        add_completion=False,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(_common)
    for name, command in COMMANDS:
        made.command(name, cls=Command)(command)
    for name, purpose, commands in GROUPS:
        group = typer.Typer(help=purpose, rich_markup_mode=None, no_args_is_help=True)
        for verb, action in commands:
            group.command(verb, cls=Command)(action)
        made.add_typer(group, name=name)
    return made


app = _assemble()


def main() -> None:
    """The installed command. What it writes is private."""
    os.umask(0o077)
    app(prog_name="evalplane")
