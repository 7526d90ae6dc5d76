"""The cases of one run, by id: what became of each. Prompts and answers are shown to its owner alone, hidden labels to nobody."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from contracts.errors import UnknownName
from contracts.labels import DERIVED_LABELS, HIDDEN_LABELS
from contracts.strict_json import JsonValue
from evaluation_assets.surfaces.cli.options import Json, RunArgument
from evaluation_assets.surfaces.cli.output import print_fields, print_json, print_lines, print_table
from evaluation_assets.surfaces.cli.session import Session, session_of

if TYPE_CHECKING:
    import pyarrow as pa

    from ledgers.store.runs import RunDirectory

_SUCCEEDED = ("succeeded", "selected", "fallback", "abstained")
_UNAVAILABLE = "unavailable"


class CaseRow(NamedTuple):
    """One case of one suite. Qualities are absent where nothing was graded; the counts are planned cells of all tracks."""

    suite_id: str
    case_id: str
    cells: int
    succeeded: int
    failed: int
    unavailable: int
    worst_arm_quality: float | None
    best_arm_quality: float | None
    routed_quality: float | None


def cases(
    context: typer.Context,
    run: RunArgument,
    case: Annotated[str | None, typer.Argument(metavar="CASE", help="One case id: all its records.")] = None,
    as_json: Json = False,
) -> None:
    """List the cases of a sealed run, or show one.

    Private: case ids and single outcomes are nobody else's. One case shows its owner the question, every answer and every record, the
    whole path; others see the records alone. Hidden labels are never shown.

    Exit status: 0 read; 2 wrong input, or the run is not sealed; 3 bytes do not match their digests.

    \b
    Examples:  evalplane cases latest
               evalplane cases latest reasoning-1 --json | jq .records.outcomes
    """
    from evaluation_assets.surfaces.cli.sealed import anchor_of

    session = session_of(context)
    found = session.store.find_run(run)
    anchor_of(found)
    if case is None:
        _list(found, as_json=as_json)
    else:
        _show(session, found, case, as_json=as_json)


def shown_columns(table: "pa.Table") -> "pa.Table":
    """`table` without hidden labels."""
    return table.select([name for name in table.column_names if name not in HIDDEN_LABELS | DERIVED_LABELS])


def _list(run: "RunDirectory", *, as_json: bool) -> None:
    rows = [row for suite_id in run.manifest().suite_ids for row in case_rows(run, suite_id)]
    if as_json:
        print_json([row._asdict() for row in rows])
        return
    print_table(("suite", "case", "cells", "succeeded", "failed", "unavailable", "worst arm", "best arm", "routed"), rows)


def case_rows(run: "RunDirectory", suite_id: str) -> list[CaseRow]:
    """Sorted by case id. One pass of group-by per record table; memory stays at a few columns."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from contracts.tables import RECORD_TABLES

    counted = []
    for kind in RECORD_TABLES:
        records = run.table("records", suite_id, kind.name, columns=["case_id", kind.status])
        if records is not None:
            counted.append(records.rename_columns(["case_id", "status"]))
    if not counted:
        return []
    states = pa.concat_tables(counted)
    succeeded = pc.is_in(states["status"], pa.array(_SUCCEEDED))
    unavailable = pc.equal(states["status"], _UNAVAILABLE)
    sums = pa.table({"case_id": states["case_id"], "succeeded": succeeded.cast("int64"), "unavailable": unavailable.cast("int64")})
    by_case = sums.group_by("case_id").aggregate([("succeeded", "sum"), ("unavailable", "sum"), ([], "count_all")]).sort_by("case_id")
    arms, routed = _qualities(run, suite_id, "outcomes"), _qualities(run, suite_id, "routed_outcomes")
    rows = []
    for row in by_case.to_pylist():
        case_id, cells, done, gone = row["case_id"], row["count_all"], row["succeeded_sum"], row["unavailable_sum"]
        worst, best = arms.get(case_id, (None, None))
        rows.append(CaseRow(suite_id, case_id, cells, done, cells - done - gone, gone, worst, best, routed.get(case_id, (None, None))[1]))
    return rows


def _qualities(run: "RunDirectory", suite_id: str, table: str) -> dict[str, tuple[float | None, float | None]]:
    """case id -> lowest and highest quality."""
    records = run.table("records", suite_id, table, columns=["case_id", "quality"])
    if records is None:
        return {}
    grouped = records.group_by("case_id").aggregate([("quality", "min"), ("quality", "max")])
    return {row["case_id"]: (row["quality_min"], row["quality_max"]) for row in grouped.to_pylist()}


def _show(session: Session, run: "RunDirectory", case: str, *, as_json: bool) -> None:
    from evaluation_assets.surfaces.cli.case_path import answers, is_owner, questions
    from ledgers.index.json_rows import rows_to_json

    found = _records_of(run, case)
    if not found:
        raise UnknownName("This run has no case of this id.", at="case", fix=f"evalplane cases {run.run_id}")
    asked, answered = (questions(session.store, run, case), answers(run, case)) if is_owner(run, session.principal()) else ([], [])
    if as_json:
        records: dict[str, JsonValue] = {name: list(rows_to_json(table)) for name, table in found.items()}
        print_json(
            {
                "run_id": run.run_id,
                "case_id": case,
                "question": [question._asdict() for question in asked],
                "answers": [answer._asdict() for answer in answered],
                "records": records,
            }
        )
        return
    for question in asked:
        print_lines([f"question of {question.suite_id}"])
        print_fields([*question.about.items(), *((str(m["role"]), m["content"]) for m in question.messages if isinstance(m, dict))])
        print_lines([""])
    if answered:
        print_lines(["answers"])
        print_table(("table", "arm", "answer"), [(answer.table, answer.arm_id, answer.output_text) for answer in answered])
        print_lines([""])
    for name, table in found.items():
        print_lines([name])
        rows = rows_to_json(table)
        filled = [column for column in table.column_names if column != "case_id" and any(row[column] is not None for row in rows)]
        print_table(filled, [[row[column] for column in filled] for row in rows])
        print_lines([""])


def _records_of(run: "RunDirectory", case: str) -> "dict[str, pa.Table]":
    """Record table -> rows of this case in every suite of the run, the suite named first."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from contracts.tables import RECORD_TABLES

    found: dict[str, list[pa.Table]] = {}
    for suite_id in run.manifest().suite_ids:
        for kind in RECORD_TABLES:
            records = run.table("records", suite_id, kind.name)
            chosen = None if records is None else records.filter(pc.equal(records["case_id"], case))
            if chosen is not None and chosen.num_rows:
                named = shown_columns(chosen).add_column(0, "suite_id", pa.repeat(pa.scalar(suite_id), chosen.num_rows))
                found.setdefault(kind.name, []).append(named)
    return {name: pa.concat_tables(parts) for name, parts in found.items()}
