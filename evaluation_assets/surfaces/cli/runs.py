"""Runs as they stand: the list, one run, its events. Reads only."""

from datetime import datetime

import typer

from contracts.strict_json import JsonValue
from evaluation_assets.surfaces.cli.evidence import query
from evaluation_assets.surfaces.cli.options import Json, RunArgument
from evaluation_assets.surfaces.cli.output import print_fields, print_json, print_table
from evaluation_assets.surfaces.cli.session import session_of

NEWEST_FIRST = "select * from runs order by created_at desc, run_id"


def run_list(context: typer.Context, as_json: Json = False) -> None:
    """List all runs, newest first; the JSON has the columns of the SQL view `runs`.

    Exit status: 0 read; 2 wrong input.

    \b
    Examples:  evalplane run list
               evalplane run list --json | jq -r '.[] | select(.status == "failed") | .run_id'
    """
    from ledgers.index.json_rows import rows_to_json

    rows = rows_to_json(query(session_of(context), NEWEST_FIRST, private=False))
    if as_json:
        print_json(rows)
        return
    print_table(
        ("run", "status", "level", "target", "suites", "created", "name"),
        [
            (
                short(str(row["run_id"])),
                row["status"],
                row["evidence_level"],
                row["target_id"],
                row["suite_ids"],
                _minute(row["created_at"]),
                row["name"],
            )
            for row in rows
        ],
    )


def run_show(context: typer.Context, run: RunArgument, as_json: Json = False) -> None:
    """Show one run: its state, what it froze, and its result digest once it is sealed.

    Two runs with one result digest have the same metrics, verdicts, costs, coverage and findings.

    Exit status: 0 read; 2 wrong input; 3 bytes do not match their digests.

    \b
    Examples:  evalplane run show latest
               evalplane run show latest --json | jq -r .result_digest
    """
    from evaluation_assets.surfaces.cli.sealed import anchor_of, is_sealed, report_of

    found = session_of(context).store.find_run(run)
    manifest, status = found.manifest(), found.status()
    sealed = is_sealed(found)
    shown: dict[str, JsonValue] = {
        "run_id": found.run_id,
        "name": manifest.name,
        "status": status.state,
        "stage": status.stage,
        "mode": manifest.mode,
        "target_id": manifest.target.target_id,
        "executor_id": manifest.executor_id,
        "change_profile": manifest.change_profile,
        "suite_ids": list(manifest.suite_ids),
        "tracks": [str(track) for track in manifest.tracks],
        "selected_cases": sum(suite.selected_cases for suite in manifest.suites),
        "seed": manifest.seed,
        "baseline_run_id": manifest.baseline_run_id,
        "environment_kind": manifest.environment_kind,
        "evidence_level": report_of(found).evidence_level if sealed else None,
        "result_digest": status.result_digest,
        "created_at": _instant(manifest.created_at),
        "started_at": _instant(status.started_at),
        "completed_at": _instant(status.completed_at),
        "sealed_at": _instant(anchor_of(found).sealed_at) if sealed else None,
        "error": None if status.error is None else f"{status.error.code}: {status.error.message}",
        "manifest_digest": manifest.identity(),
        "owner_principal": manifest.owner_principal,
    }
    if as_json:
        print_json({**shown, "manifest": manifest.to_json()})
    else:
        print_fields([(name.replace("_", " "), value) for name, value in shown.items()])


def run_events(context: typer.Context, run: RunArgument, as_json: Json = False) -> None:
    """Show what happened to a run, oldest first.

    Exit status: 0 read; 2 wrong input; 3 bytes do not match their digests.

    \b
    Example:  evalplane run events latest
    """
    events = session_of(context).store.find_run(run).events()
    if as_json:
        print_json([event.to_json() for event in events])
        return
    print_table(("#", "at", "event", "message"), [(event.sequence, event.at.isoformat(), event.type, event.message) for event in events])


def short(run_id: str) -> str:
    """Enough of an id to name the run again."""
    return run_id[:8]


def _minute(instant: JsonValue) -> str | None:
    return None if instant is None else str(instant)[:16].replace("T", " ")


def _instant(instant: datetime | None) -> str | None:
    """As the JSON of every document spells it."""
    return None if instant is None else instant.isoformat().replace("+00:00", "Z")
