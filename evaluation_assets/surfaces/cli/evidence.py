"""The evidence index: SQL over it, and what it is made of. The index is derived; the store is the authority."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contracts.errors import InputError
from evaluation_assets.surfaces.cli.options import Json
from evaluation_assets.surfaces.cli.output import print_json, print_lines, print_table, say
from evaluation_assets.surfaces.cli.session import Session, session_of

if TYPE_CHECKING:
    import pyarrow as pa

    from ledgers.index.build import IndexState


def sql(
    context: typer.Context,
    statement: Annotated[str, typer.Argument(metavar="SQL", help="One SELECT or EXPLAIN over the evidence views.")],
    *,
    private: Annotated[bool, typer.Option("--private", help="Also attach the private views, as schema `private`.")] = False,
    max_rows: Annotated[int | None, typer.Option("--max-rows", min=1, help="Rows to show at most; default: all.")] = None,
    as_json: Json = False,
) -> None:
    """Ask one question of the evidence, in SQL.

    The index follows the store first. Public views: runs, metrics, gates, costs, coverage, findings, suites, quality_issues,
    campaigns, campaign_slots, pairs, windows. Private ones, with --private: private.outcomes, private.routes,
    private.routed_outcomes, private.receipts, private.cases, private.plan and the tables of the other tracks.

    Exit status: 0 read; 2 wrong input or refused; 3 bytes do not match their digests.

    \b
    Examples:  evalplane sql "select gate, verdict, rationale from gates order by gate"
               evalplane sql --private --json "select arm_id, avg(quality) as quality from private.outcomes group by 1"
    """
    table = query(session_of(context), statement, private=private, max_rows=None if max_rows is None else max_rows + 1)
    if max_rows is not None and table.num_rows > max_rows:
        table = table.slice(0, max_rows)
        say(f"only the first {max_rows} rows are shown")
    from ledgers.index.json_rows import rows_to_json

    rows = rows_to_json(table)
    if as_json:
        print_json(rows)
    else:
        print_table(table.column_names, [list(row.values()) for row in rows])


def build(
    context: typer.Context,
    *,
    absolute: Annotated[bool, typer.Option("--absolute", help="Also write evidence-absolute.duckdb: views with full paths.")] = False,
    materialized: Annotated[
        Path | None, typer.Option("--materialized", metavar="FILE", help="Also write one database that holds the rows themselves.")
    ] = None,
    private: Annotated[bool, typer.Option("--private", help="Export the private views too, as schema `private`.")] = False,
    as_json: Json = False,
) -> None:
    """Bring the evidence index up to date, and export it for other programs if asked.

    evidence.duckdb names its files relative to its own folder: open it there, or export it. A private export goes to nobody else.
    Prints the paths of the databases.

    Exit status: 0 written; 2 wrong input or refused; 3 bytes do not match their digests.

    \b
    Examples:  evalplane evidence build
               evalplane evidence build --materialized evidence.duckdb
    """
    from ledgers.index.export import build_export
    from ledgers.index.paths import evidence_paths

    if private and not absolute and materialized is None:
        raise InputError("Only an export can be private or not.", at="--private", fix="add --absolute or --materialized FILE")
    store = session_of(context).store
    paths, state = evidence_paths(store), refreshed(session_of(context))
    made = {"public": str(paths.public.database), "private": str(paths.private.database)}
    if absolute:
        target = paths.private.absolute_database if private else paths.public.absolute_database
        made["absolute"] = str(build_export(store, target, absolute=True, materialized=False, private=private))
    if materialized is not None:
        made["materialized"] = str(build_export(store, materialized, absolute=False, materialized=True, private=private))
    say(f"{len(state.index.runs)} runs; {'changed' if state.changed else 'nothing changed'}; {state.written} files written")
    if as_json:
        print_json(dict(made))
    else:
        print_table(("database", "path"), list(made.items()))


def rebuild(context: typer.Context, as_json: Json = False) -> None:
    """Make the evidence index anew from the store, as if there were none.

    Exit status: 0 written; 2 wrong input or refused; 3 bytes do not match their digests.

    \b
    Example:  evalplane evidence rebuild
    """
    from ledgers.index import build as index

    state = index.rebuild(session_of(context).store)
    _tell_damage(state)
    if as_json:
        print_json({"runs": len(state.index.runs), "written": state.written, "damaged": [run.run_id for run in state.damaged]})
    else:
        print_lines([f"{len(state.index.runs)} runs, {state.written} files written"])


def path(context: typer.Context, as_json: Json = False) -> None:
    """Print the folder of the evidence index.

    Below it, public/ and private/ each hold an evidence.duckdb, which names its files relative to its own folder.

    Exit status: 0 read; 2 wrong input.

    \b
    Example:  cd "$(evalplane evidence path)/public" && duckdb -readonly evidence.duckdb
    """
    from ledgers.index.paths import evidence_paths

    paths = evidence_paths(session_of(context).store)
    if as_json:
        print_json({"evidence": str(paths.directory), "public": str(paths.public.database), "private": str(paths.private.database)})
    else:
        print_lines([str(paths.directory)])


def prune(context: typer.Context, as_json: Json = False) -> None:
    """Remove files of the evidence index that nothing lists any more: parts of deleted runs and leftovers of a crash.

    Evidence itself is never touched. A query that still reads a removed part fails; ask again.

    Exit status: 0 done; 2 wrong input or refused.

    \b
    Example:  evalplane evidence prune
    """
    from ledgers.index import build as index

    removed = index.prune(session_of(context).store)
    if as_json:
        print_json({"removed": list(removed)})
        return
    print_lines(removed)
    say(f"{len(removed)} files removed")


def query(session: Session, statement: str, *, private: bool, max_rows: int | None = None) -> "pa.Table":
    """Rows of one statement over the index as it is after a refresh."""
    from ledgers.index.query import QuerySettings, run_query

    refreshed(session)
    limits = QuerySettings(threads=session.settings.threads, memory_mb=session.settings.memory_limit_mb, max_rows=max_rows)
    return run_query(session.store, statement, private=private, settings=limits)


def refreshed(session: Session) -> "IndexState":
    """The index of what the store holds now; damaged runs are named on standard error."""
    from ledgers.index.build import refresh

    state = refresh(session.store)
    _tell_damage(state)
    return state


def _tell_damage(state: "IndexState") -> None:
    for run in state.damaged:
        say(f"run {run.run_id} is damaged and has no rows: {run.damage}")
