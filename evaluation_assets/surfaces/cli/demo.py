"""`evalplane demo`: the whole way twice, on what ships: freeze, execute, grade, reduce, judge, seal, through the asset graph."""

import typer

from evaluation_assets.surfaces.cli.options import Json
from evaluation_assets.surfaces.cli.output import print_json, print_lines, say
from evaluation_assets.surfaces.cli.session import session_of

QUESTION = (
    'sql --private "select arm_id, round(avg(quality), 3) as quality from private.outcomes '
    'where run_id = (select max_by(run_id, created_at) from runs) group by 1 order by 2 desc"'
)


def demo(context: typer.Context, as_json: Json = False) -> None:
    """Run the built-in suites end to end.

    First the smoke suite: four scripted cases on all eight tracks. Then live-mom-core on the bundled mixture: 64 cases and four arms,
    as a counterfactual that is derived from frozen digests. No model is called, so both are E0 and say nothing about a real router;
    they show that every step works and what a report looks like. Needs no network. Each call makes two new runs.

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
    from evaluation_assets.targets.subjects import BUNDLED

    session = session_of(context)
    store = session.found_store()
    (mixture,) = BUNDLED.mixtures()
    pool = (Track.ROUTING, Track.MODEL_POOL, Track.JOINT)
    wanted = (("evaluation-smoke", "fixture", tuple(Track)), ("live-mom-core", mixture, pool))
    reports = []
    for suite_id, target_id, tracks in wanted:
        say(f"{suite_id} on {target_id[:12]}")
        request = RunRequest(name=f"demo {suite_id}", suite_ids=(suite_id,), tracks=tracks, mode=Mode.REPLAY, target_id=target_id)
        run = create_run(store, request, run_id=str(uuid4()), principal=session.principal(), now=utc_now(), subjects=BUNDLED)
        reports.append(execute(session, store, run, subjects=BUNDLED))
    if as_json:
        print_json({"runs": [{"run_id": report.run.run_id, "result_digest": report.result_digest} for report in reports]})
        return
    for report in reports:
        print_lines([*summary(report), ""])
    print_lines(
        [
            f"report  {session.root / 'runs' / reports[-1].run.run_id / 'report.html'}",
            f"query   {session.command(QUESTION)}",
            f"verify  {session.command('verify latest')}",
            f"graph   {session.command('up')}",
        ]
    )
