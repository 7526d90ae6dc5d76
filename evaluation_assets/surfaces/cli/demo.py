"""`evalplane demo`: the whole way once, on what ships: freeze, execute, grade, reduce, judge, seal, through the asset graph."""

import typer

from evaluation_assets.surfaces.cli.options import Json
from evaluation_assets.surfaces.cli.output import print_json, print_lines
from evaluation_assets.surfaces.cli.session import session_of

SUITE, TARGET = "evaluation-smoke", "fixture"
QUESTION = 'sql --private "select arm_id, avg(quality) as quality from private.outcomes group by 1 order by 2 desc"'


def demo(context: typer.Context, as_json: Json = False) -> None:
    """Run the built-in smoke suite end to end.

    On all eight tracks; then it says where to look next. Four cases and two recorded arms: it shows that every step works, and
    nothing about a router (E0). Needs no network. Each call makes a new run.

    Exit status: 0 sealed; 2 refused; 3 bytes do not match their digests; 130 interrupted.

    \b
    Examples:  evalplane demo
               evalplane --root elsewhere demo
    """
    from uuid import uuid4

    from contracts.clock import utc_now
    from contracts.runs import Mode, RunRequest
    from contracts.tracks import Track
    from evaluation_assets.runs.create import create_run
    from evaluation_assets.surfaces.cli.execute import execute
    from evaluation_assets.surfaces.cli.summary import summary

    session = session_of(context)
    store = session.found_store()
    request = RunRequest(name="demo", suite_ids=(SUITE,), tracks=tuple(Track), mode=Mode.REPLAY, target_id=TARGET)
    run = create_run(store, request, run_id=str(uuid4()), principal=session.principal(), now=utc_now())
    report = execute(session, store, run)
    if as_json:
        print_json({"run_id": run.run_id, "result_digest": report.result_digest})
        return
    print_lines(summary(report))
    print_lines(
        [
            "",
            f"report  {session.root / 'runs' / run.run_id / 'report.html'}",
            f"query   {session.command(QUESTION)}",
            f"verify  {session.command('verify latest')}",
            f"graph   {session.command('up')}",
        ]
    )
