"""What a person does to a run: create, start, cancel, delete. The library decides and audits; here the words become a request."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from contracts.errors import InputError, Refused
from evaluation_assets.surfaces.cli.options import Json, RunArgument
from evaluation_assets.surfaces.cli.output import print_json, print_lines, say
from evaluation_assets.surfaces.cli.run_request import create_from_options
from evaluation_assets.surfaces.cli.session import Session, session_of

if TYPE_CHECKING:
    from ledgers.store.runs import RunDirectory

Target = Annotated[str, typer.Option("--target", metavar="ID", help="What is evaluated: see `evalplane catalog`.")]
Suites = Annotated[list[str], typer.Option("--suite", metavar="ID", help="A suite of the cohort; may be given several times.")]
ModeName = Annotated[str, typer.Option("--mode", metavar="replay|live", help="Replay recorded answers, or call the target.")]
Profile = Annotated[str, typer.Option("--profile", metavar="ID", help="Change profile, which says what gates are required.")]
Tracks = Annotated[
    str | None, typer.Option("--tracks", metavar="a,b", help="Tracks to run; default: all that the target's executor and the suites share.")
]
Name = Annotated[str | None, typer.Option("--name", metavar="TEXT", help="Name for people; default: suites and target.")]
Description = Annotated[str, typer.Option("--description", metavar="TEXT", help="What the run is for; stays private.")]
SeedNumber = Annotated[int, typer.Option("--seed", min=0, max=2**32 - 1, help="Chooses the cases when --samples leaves some out.")]
Samples = Annotated[int | None, typer.Option("--samples", min=1, help="Cases per suite; default: all.")]
Concurrent = Annotated[int, typer.Option("--concurrency", min=1, max=128, help="Calls under way at once.")]
Baseline = Annotated[str | None, typer.Option("--baseline", metavar="RUN", help="Run that this one will be compared with.")]
ChosenId = Annotated[str | None, typer.Option("--run-id", metavar="UUID", help="Id of the new run, so that a retry makes no second one.")]

_CONFIRM = 8  # letters of the run id that a person types


def run_create(
    context: typer.Context,
    *,
    target: Target,
    suite: Suites,
    mode: ModeName = "replay",
    profile: Profile = "schema_adapter",
    tracks: Tracks = None,
    name: Name = None,
    description: Description = "",
    seed: SeedNumber = 0,
    samples: Samples = None,
    concurrency: Concurrent = 1,
    baseline: Baseline = None,
    run_id: ChosenId = None,
    as_json: Json = False,
) -> None:
    """Freeze a run and print its id. Nothing is executed yet.

    Suites, cases, executor, gate policy and code revision are fixed now and can't change later.

    Exit status: 0 created; 2 wrong input or refused, no run was created; 3 bytes do not match their digests.

    \b
    Examples:  evalplane run create --target fixture --suite evaluation-smoke
               evalplane run create --target benchmark-source --suite crb --tracks routing,model_pool --samples 64 --seed 7
    """
    run = create_from_options(
        session_of(context),
        target=target,
        suites=suite,
        mode=mode,
        profile=profile,
        tracks=tracks,
        name=name,
        description=description,
        seed=seed,
        samples=samples,
        concurrency=concurrency,
        baseline=baseline,
        run_id=run_id,
    )
    _print_id(run.run_id, as_json=as_json)


def run_once(
    context: typer.Context,
    *,
    target: Target,
    suite: Suites,
    mode: ModeName = "replay",
    profile: Profile = "schema_adapter",
    tracks: Tracks = None,
    name: Name = None,
    description: Description = "",
    seed: SeedNumber = 0,
    samples: Samples = None,
    concurrency: Concurrent = 1,
    baseline: Baseline = None,
    run_id: ChosenId = None,
    as_json: Json = False,
) -> None:
    """Create a run, start it and seal it. Prints its id.

    Execute, grade, reduce, judge, seal. Whatever the verdicts, a sealed run is a success; `evalplane gates ID --check` asks for
    them. Interrupted or failed, it goes on with `evalplane run start ID`.

    Exit status: 0 sealed; 2 wrong input or refused; 3 bytes do not match their digests; 130 interrupted.

    \b
    Example:  evalplane run once --target fixture --suite evaluation-smoke
    """
    from evaluation_assets.surfaces.cli.sealed import is_sealed

    session = session_of(context)
    run = create_from_options(
        session,
        target=target,
        suites=suite,
        mode=mode,
        profile=profile,
        tracks=tracks,
        name=name,
        description=description,
        seed=seed,
        samples=samples,
        concurrency=concurrency,
        baseline=baseline,
        run_id=run_id,
    )
    if is_sealed(run):  # an earlier call under this id did all of it
        _print_id(run.run_id, as_json=as_json)
        return
    say(f"created run {run.run_id}")
    _start(session, run, as_json=as_json)


def run_start(context: typer.Context, run: RunArgument, as_json: Json = False) -> None:
    """Start a run, or go on with one, and seal it. Prints its id.

    One that failed or was interrupted goes on: every step takes up what the last attempt published.

    Exit status: 0 sealed; 2 wrong input or refused; 3 bytes do not match their digests; 130 interrupted.

    \b
    Example:  evalplane run start latest
    """
    session = session_of(context)
    _start(session, session.store.find_run(run), as_json=as_json)


def run_cancel(context: typer.Context, run: RunArgument, as_json: Json = False) -> None:
    """Cancel a run that is not sealed. It can't be started again.

    A step that is under way notices before it publishes its next document.

    Exit status: 0 cancelled; 2 wrong input or refused.

    \b
    Example:  evalplane run cancel latest
    """
    from contracts.clock import utc_now
    from evaluation_assets.runs.state import cancel

    session = session_of(context)
    found = session.store.find_run(run)
    cancel(session.store, found, principal=session.principal(), now=utc_now())
    _print_id(found.run_id, as_json=as_json)


def run_delete(
    context: typer.Context,
    run: RunArgument,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
    as_json: Json = False,
) -> None:
    """Delete a run. There is no way back.

    Only one that is not running, that nothing refers to and that nobody holds. On a terminal it asks for the beginning of the run
    id; elsewhere --yes is needed. The audit log keeps that it was deleted.

    Exit status: 0 deleted; 2 wrong input or refused, the run is still there.

    \b
    Example:  evalplane run delete 6f1c9f0e
    """
    from contracts.clock import utc_now
    from evaluation_assets.runs.state import delete

    session = session_of(context)
    found = session.store.find_run(run)
    if not yes:
        _confirm(found.run_id)
    delete(session.store, found, principal=session.principal(), now=utc_now())
    _print_id(found.run_id, as_json=as_json)


def _start(session: Session, run: "RunDirectory", *, as_json: bool) -> None:
    from evaluation_assets.surfaces.cli.execute import execute
    from evaluation_assets.surfaces.cli.summary import summary

    report = execute(session, session.store, run)
    for line in summary(report):
        say(line)
    _print_id(run.run_id, as_json=as_json)


def _confirm(run_id: str) -> None:
    if not sys.stdin.isatty():
        raise InputError("Nobody can be asked here whether the run shall be deleted.", at="--yes", fix="add --yes to delete it")
    typed = typer.prompt(f"Type {run_id[:_CONFIRM]} to delete this run", default="", show_default=False, err=True)
    if typed.strip() != run_id[:_CONFIRM]:
        raise Refused("The run was not deleted.", at=f"run {run_id}", fix=f"type {run_id[:_CONFIRM]} when asked, or add --yes")


def _print_id(run_id: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"run_id": run_id})
    else:
        print_lines([run_id])
