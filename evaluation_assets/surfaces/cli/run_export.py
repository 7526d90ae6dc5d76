"""Records of one run as JSON lines, for programs that read no Parquet: a copy, private like its source."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from contracts.errors import AlreadyExists, InputError
from contracts.strict_json import JsonValue
from evaluation_assets.surfaces.cli.cases import shown_columns
from evaluation_assets.surfaces.cli.options import Json, RunArgument
from evaluation_assets.surfaces.cli.output import print_json, print_table
from evaluation_assets.surfaces.cli.progress import stages
from evaluation_assets.surfaces.cli.session import session_of

if TYPE_CHECKING:
    from ledgers.store.runs import RunDirectory

BATCH_ROWS = 1 << 14


def run_export(
    context: typer.Context,
    run: RunArgument,
    output: Annotated[Path, typer.Option("--output", metavar="DIR", help="New folder for the files; must not exist.")],
    jsonl: Annotated[bool, typer.Option("--jsonl", help="One JSON object a line, one file per record table.")] = False,
    as_json: Json = False,
) -> None:
    """Copy the records of a sealed run into <table>.jsonl files, without hidden labels.

    A line has run_id, suite_id and the columns of its table (the views of `evalplane sql --private` name them). The folder has mode
    0700 and its files 0600, because case ids and outcomes are private. It appears whole or not at all.

    Exit status: 0 written; 2 wrong input or refused; 3 bytes do not match their digests; 130 interrupted. Without 0 nothing is
    left.

    \b
    Example:  evalplane run export latest --jsonl --output records
    """
    from evaluation_assets.surfaces.cli.sealed import anchor_of
    from ledgers.store.publication import publish_directory

    if not jsonl:
        raise InputError("Name the format of the export.", at="--jsonl", fix="add --jsonl; it is the only format")
    found = session_of(context).store.find_run(run)
    anchor_of(found)
    if os.path.lexists(output):
        raise AlreadyExists("The output is there already.", at=output.name, fix="name a folder that does not exist")
    if not output.absolute().parent.is_dir():
        raise InputError("The folder of the output does not exist.", at=output.name, fix="name a folder inside one that exists")
    rows: dict[str, int] = {}
    with stages() as tell:
        publish_directory(output.absolute(), lambda new: rows.update(_write(found, new, tell)))
    if as_json:
        print_json({"run_id": found.run_id, "output": str(output), "rows": dict(rows)})
    else:
        print_table(("file", "rows"), [(str(output / f"{name}.jsonl"), count) for name, count in rows.items()])


def _write(run: "RunDirectory", directory: Path, tell: Callable[[str, int, int], None]) -> dict[str, int]:
    """Record table -> lines written. Tables that the run does not have get no file."""
    from contracts.tables import RECORD_TABLES

    rows = {}
    for number, kind in enumerate(RECORD_TABLES, start=1):
        tell("tables", number, len(RECORD_TABLES))
        suites = [suite_id for suite_id in run.manifest().suite_ids if run.parts("records", suite_id).part(kind.name) is not None]
        if suites:
            with (directory / f"{kind.name}.jsonl").open("xb") as file:
                rows[kind.name] = sum(bool(file.write(line)) for suite_id in suites for line in _lines(run, suite_id, kind.name))
    return rows


def _lines(run: "RunDirectory", suite_id: str, table: str) -> Iterator[bytes]:
    from ledgers.index.json_rows import rows_to_json

    records = run.table("records", suite_id, table)
    if records is None:
        return
    for start in range(0, records.num_rows, BATCH_ROWS):
        for row in rows_to_json(shown_columns(records.slice(start, BATCH_ROWS))):
            named: dict[str, JsonValue] = {"run_id": run.run_id, "suite_id": suite_id, **row}
            yield orjson.dumps(named) + b"\n"
