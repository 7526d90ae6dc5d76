"""CodeRouterBench, id-results.v1: every model's score on every in-distribution test task, and what one recorded router chose.

- models.json is the arm list. id_test_tasks.jsonl is the case list; it has ids and dimensions, no prompt.
- id_test_results_long.csv has one row per observed (task, model). A pair without a row stays without one: it is missing, not zero.
- `score` is quality in [0, 1]. Every row is a call that succeeded; a score of 0 says nothing else.
- A row without token record (`missing_token_record_zero_total`) has unknown tokens and cost, not zero ones. Latency 0 is not measured.
- id_decisions.jsonl is what the router chose. It is a decision, never the label of what would have been right: labels stay empty
  here, and whoever needs the best model of a task takes it from the complete matrix.
- All files must agree: a task, model, split or dimension that another file does not have is refused, with the line.
"""

from concurrent.futures import Executor, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from contracts.measured import Reason
from contracts.suites import QualityIssue
from contracts.tables import DECISIONS, GRADING_CASES, OUTCOMES, VISIBLE_CASES
from contracts.tracks import Track
from evaluation_assets.benchmarks.normalizers.coderouterbench_prices import Arms, read_arms
from evaluation_assets.benchmarks.normalizers.csv_columns import CsvColumns, Whole
from evaluation_assets.benchmarks.normalizers.interface import FIRST_ATTEMPT, ExportFolder, NormalizedSuite, Progress, refusal
from evaluation_assets.benchmarks.normalizers.json_columns import read_text_records

MODELS, TASKS = "models.json", "id_test_tasks.jsonl"
RESULTS, CHOICES = "id_test_results_long.csv", "id_decisions.jsonl"
TRACKS = (Track.ROUTING, Track.MODEL_POOL, Track.JOINT)
COST_SCOPE = "usd_list_price"

_SPLIT = "id_test"
_COST_SOURCES = pa.array(["token_log_pricing", "missing_token_record_zero_total"])
_MISSING_TOKENS = 1  # its place among the cost sources
_LABELS = ("task_id", "split", "source_split", "dimension", "model", "cost_source")
_COUNTS = ("input_tokens", "output_tokens", "total_tokens")
_NUMBERS = ("score", "cost_usd", "latency_ms", *_COUNTS)
_LONGEST_CALL_MS = 1e9
_MIB, _THREADS = 1 << 20, 4

Flags = NDArray[np.bool_]


class Tasks(NamedTuple):
    """Sorted by id. `ids`, `dimensions`, `source_splits`: string arrays, shape (tasks,)."""

    ids: pa.Array
    dimensions: pa.Array
    source_splits: pa.Array


class Results(NamedTuple):
    """The rows of the results table, sorted by task and model; all of shape (rows,). `task` and `arm` are places in their lists."""

    task: Whole
    arm: Whole
    score: NDArray[np.float64]
    cost_pico_usd: Whole
    input_tokens: Whole
    output_tokens: Whole
    latency_ms: NDArray[np.float64]
    no_tokens: Flags


class IdResults:
    """The parser of the four export files."""

    normalizer_id = "coderouterbench.id-results.v1"

    def normalize(self, export: ExportFolder, progress: Progress) -> NormalizedSuite:
        """ExportError names the line that breaks the format; nothing is repaired, clamped or left out."""
        arms = read_arms(export.read(MODELS, max_bytes=_MIB), MODELS)
        with ThreadPoolExecutor(_THREADS) as pool:
            progress(f"{len(arms.ids)} models; reading {RESULTS}")
            reading_tasks = pool.submit(lambda: _read_tasks(export.read(TASKS, max_bytes=256 * _MIB)))
            reading_decisions = pool.submit(
                lambda: _read_decisions(export.read(CHOICES, max_bytes=256 * _MIB), reading_tasks.result(), arms)
            )
            csv = CsvColumns(export.read(RESULTS, max_bytes=1024 * _MIB), RESULTS, labels=_LABELS, numbers=_NUMBERS)
            tasks = reading_tasks.result()
            progress(f"{len(tasks.ids)} tasks, {csv.rows} results")
            results = _read_results(csv, tasks, arms, pool)
            decisions = reading_decisions.result()
        return NormalizedSuite(
            visible=_visible(tasks),
            grading=_grading(tasks),
            outcomes=_outcomes(results, tasks, arms),
            decisions=decisions,
            arm_ids=tuple(arms.ids.to_pylist()),
            tracks=TRACKS,
            quality_issues=_issues(results, len(tasks.ids), arms),
        )


def _read_tasks(data: bytes) -> Tasks:
    table = read_text_records(data, TASKS, required=("task_id", "split", "source_split", "dimension"))
    _refuse_line_where(pc.not_equal(table["split"], _SPLIT), TASKS, "split", f"A task is not of the split {_SPLIT}.")
    _refuse_repeated(table["task_id"], TASKS, "A task occurs twice.")
    table = table.take(pc.sort_indices(table["task_id"])).combine_chunks()
    return Tasks(*(table.column(name).chunk(0) for name in ("task_id", "dimension", "source_split")))


def _read_results(csv: CsvColumns, tasks: Tasks, arms: Arms, pool: Executor) -> Results:
    """Columns are converted side by side, and asked for in one order: which refusal comes first does not depend on the threads."""
    numbers = [pool.submit(csv.whole, field) for field in _COUNTS]
    reals = [pool.submit(csv.real, "score", 1.0), pool.submit(csv.real, "latency_ms", _LONGEST_CALL_MS)]
    money = pool.submit(csv.pico, "cost_usd")
    task = csv.positions("task_id", tasks.ids, f"The task is not in {TASKS}.")
    arm = csv.positions("model", arms.ids, f"The model is not in {MODELS}.")
    csv.positions("split", pa.array([_SPLIT]), f"A row is not of the split {_SPLIT}.")
    for field, of_task in (("source_split", tasks.source_splits), ("dimension", tasks.dimensions)):
        encoded = of_task.dictionary_encode()
        found = csv.positions(field, encoded.dictionary, f"The value is not that of any task in {TASKS}.")
        csv.refuse_where(found != encoded.indices.to_numpy()[task], field, f"The value is not that of the task in {TASKS}.")
    order = _order(csv, task * len(arms.ids) + arm)
    no_tokens = csv.positions("cost_source", _COST_SOURCES, "The cost source is not known.") == _MISSING_TOKENS
    score, latency = (column.result() for column in reals)
    cost, (used, made, total) = money.result(), (column.result() for column in numbers)
    csv.refuse_where(used + made != total, "total_tokens", "The total is not the sum of input and output tokens.")
    csv.refuse_where(no_tokens & (total != 0), "total_tokens", "A row without token record has tokens.")
    csv.refuse_where(no_tokens & (cost != 0), "cost_usd", "A row without token record has a cost.")
    columns = (task, arm, score, cost, used, made, latency, no_tokens)
    return Results._make(column if order is None else column[order] for column in columns)


def _order(csv: CsvColumns, key: Whole) -> Whole | None:
    """The permutation that sorts the rows by their key; None if they are sorted. A key that occurs twice is refused at its second line."""
    if (np.diff(key) > 0).all():
        return None
    order = np.argsort(key, kind="stable")
    repeated = np.flatnonzero(np.diff(key[order]) == 0)
    if repeated.size:
        csv.refuse(int(order[repeated + 1].min()), "task_id, model", "The same task and model have a row before.")
    return order


def _read_decisions(data: bytes, tasks: Tasks, arms: Arms) -> pa.Table:
    """One row per task; a task that the router has no line for is `unavailable`."""
    table = read_text_records(
        data, CHOICES, required=("task_id", "chosen_model"), optional=("dimension", "matched_mode", "matched_key", "voter")
    )
    place = pc.index_in(table["task_id"], value_set=tasks.ids)
    _refuse_line_where(pc.is_null(place), CHOICES, "task_id", f"The task is not in {TASKS}.")
    _refuse_repeated(table["task_id"], CHOICES, "A task has a decision before.")
    unknown = pc.is_null(pc.index_in(table["chosen_model"], value_set=arms.ids))
    _refuse_line_where(unknown, CHOICES, "chosen_model", f"The model is not in {MODELS}.")
    other = pc.fill_null(pc.not_equal(table["dimension"], tasks.dimensions.take(place.combine_chunks())), False)
    _refuse_line_where(other, CHOICES, "dimension", f"The dimension is not that of the task in {TASKS}.")

    count = len(tasks.ids)
    line_of = np.full(count, -1)
    line_of[place.to_numpy()] = np.arange(len(table))
    line = pa.array(line_of, mask=line_of < 0)  # null where there is no decision: then every column taken by it is null
    mode, key = (table[name].combine_chunks().take(line) for name in ("matched_mode", "matched_key"))
    columns = {
        "case_id": tasks.ids,
        "selection_status": pc.if_else(pc.is_null(line), "unavailable", "selected"),
        "fallback": pa.repeat(pa.scalar(False), count),
        "selected_arm_id": table["chosen_model"].combine_chunks().take(line),
        "selection_method": table["voter"].combine_chunks().take(line),
        "decision": pc.binary_join_element_wise(mode, key, ":"),
        "latency_ms": pa.nulls(count, pa.float64()),
        "latency_reason": _text(Reason.UNMEASURED, count),
    }
    return _table(columns, DECISIONS)


def _visible(tasks: Tasks) -> pa.Table:
    count = len(tasks.ids)
    columns = {
        "case_id": tasks.ids,
        "tracks": _lists([str(track) for track in TRACKS], count),
        "tags": _lists([], count),
        "domain": tasks.dimensions,
    }
    return _table(columns, VISIBLE_CASES)


def _grading(tasks: Tasks) -> pa.Table:
    return _table({"case_id": tasks.ids, "weight": pa.repeat(pa.scalar(1.0), len(tasks.ids))}, GRADING_CASES)


def _outcomes(results: Results, tasks: Tasks, arms: Arms) -> pa.Table:
    count, no_tokens, no_latency = len(results.task), results.no_tokens, results.latency_ms == 0
    columns = {
        "case_id": tasks.ids.take(pa.array(results.task)),
        "arm_id": arms.ids.take(pa.array(results.arm)),
        "attempt": pa.repeat(pa.scalar(FIRST_ATTEMPT, pa.int32()), count),
        "status": _text("succeeded", count),
        "success": pa.repeat(pa.scalar(True), count),
        "quality": pa.array(results.score),
        "runtime_cost_pico_usd": pa.array(results.cost_pico_usd, mask=no_tokens),
        "cost_scope": _text(COST_SCOPE, count),
        "cost_reason": _reason(Reason.MISSING_TOKEN_RECORD, no_tokens),
        "latency_ms": pa.array(results.latency_ms, mask=no_latency),
        "latency_reason": _reason(Reason.UNMEASURED, no_latency),
        "input_tokens": pa.array(results.input_tokens, mask=no_tokens),
        "output_tokens": pa.array(results.output_tokens, mask=no_tokens),
    }
    return _table(columns, OUTCOMES)


def _issues(results: Results, tasks: int, arms: Arms) -> tuple[QualityIssue, ...]:
    """What a reader of the numbers must know; kinds without an occurrence are left out."""
    cells = np.bincount(results.task, minlength=tasks)
    scored = np.bincount(results.task[results.score > 0], minlength=tasks)
    price = results.input_tokens * arms.input_price[results.arm] + results.output_tokens * arms.output_price[results.arm]
    off = (np.abs(results.cost_pico_usd - price) > 1) & ~results.no_tokens
    counted = {
        "cost_not_tokens_times_price": (off.sum(), "Cells whose recorded cost is not tokens times the list price, to the pico-USD."),
        "missing_arm_cells": (tasks * len(arms.ids) - len(results.task), "Pairs of task and model without a result."),
        "missing_token_record": (results.no_tokens.sum(), "Cells without token record: their tokens and cost are unknown, not zero."),
        "no_prompt_text": (tasks, "Tasks known by id alone."),
        "zero_latency": ((results.latency_ms == 0).sum(), "Cells with latency 0, taken as not measured."),
        "zero_oracle_cases": (((cells == len(arms.ids)) & (scored == 0)).sum(), "Tasks on which every model scored 0."),
    }
    return tuple(QualityIssue(kind=kind, count=int(count), detail=detail) for kind, (count, detail) in counted.items() if count)


def _refuse_line_where(wrong: pa.ChunkedArray, file: str, field: str, message: str) -> None:
    """Row i of a JSON lines table is line i + 1."""
    first = pc.index(wrong, True).as_py()
    if first >= 0:
        raise refusal(message, file, first + 1, field)


def _refuse_repeated(ids: pa.ChunkedArray, file: str, message: str) -> None:
    codes = ids.combine_chunks().dictionary_encode().indices.to_numpy()
    first = np.unique(codes, return_index=True)[1]
    if len(first) < len(codes):
        seen_before = np.ones(len(codes), bool)
        seen_before[first] = False
        raise refusal(message, file, int(seen_before.argmax()) + 1, "task_id")


def _text(value: str, count: int) -> pa.Array:
    return pa.repeat(pa.scalar(str(value)), count)


def _lists(values: list[str], count: int) -> pa.Array:
    """The same list on each row."""
    ends = np.arange(count + 1, dtype=np.int32) * len(values)
    return pa.ListArray.from_arrays(pa.array(ends), pa.array(values, pa.string()).take(pa.array(np.tile(np.arange(len(values)), count))))


def _reason(reason: Reason, applies: Flags) -> pa.Array:
    return pc.if_else(pa.array(applies), pa.scalar(str(reason)), pa.scalar(None, pa.string()))


def _table(columns: dict[str, pa.Array], schema: pa.Schema) -> pa.Table:
    """The columns of `schema` in its order; one that is not given is null throughout."""
    count = len(columns["case_id"])
    return pa.table([columns[field.name] if field.name in columns else pa.nulls(count, field.type) for field in schema], schema=schema)
