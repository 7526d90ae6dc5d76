"""Every mutation of a valid export has a declared outcome by the role of what it touches.

- key: a cell or value that names a task, model, split, dimension or cost source. Refused, with file and line.
- number out of range or no number: refused, with file, line and field.
- unit or quality: exactly one normalized cell (or the pair of a value and its reason) changes, all others stay equal.
- ignored: nothing changes. Rows in another order, provider, tier and spelling of a number are not content.
- absent: a result or decision that is left out is missing in its place and nowhere else.

A seed draws the place and the value; each kind has its own share of the examples, counted and printed.
"""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from contracts.errors import EvaluationError, InputError
from evaluation_assets.benchmarks.normalizers import json_columns
from evaluation_assets.benchmarks.normalizers.interface import ExportFolder, NormalizedSuite
from evaluation_assets.benchmarks.normalizers.registry import NORMALIZERS
from golden.fixtures.coderouterbench.generate import FILES, HEADER, write_export

TASKS = 6
EACH = 20
RESULTS, TASK_LIST, CHOICES, ARMS = "id_test_results_long.csv", "id_test_tasks.jsonl", "id_decisions.jsonl", "models.json"
COLUMNS = HEADER.split(",")
Cells = dict[tuple[str, ...], object]
Files = dict[str, list[list[str]] | list[dict[str, object]]]


class Export:
    """The four files as rows that can be changed, and written again."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        write_export(directory, tasks=TASKS)
        self.results = [line.split(",") for line in (directory / RESULTS).read_text().splitlines()[1:]]
        self.tasks = [json.loads(line) for line in (directory / TASK_LIST).read_text().splitlines()]
        self.choices = [json.loads(line) for line in (directory / CHOICES).read_text().splitlines()]
        self.models = json.loads((directory / ARMS).read_text())["models"]

    def write(self) -> None:
        rows = [",".join(row) for row in ([HEADER], *self.results)]
        (self.directory / RESULTS).write_bytes(("\r\n".join(rows) + "\r\n").encode())
        for name, records in ((TASK_LIST, self.tasks), (CHOICES, self.choices)):
            (self.directory / name).write_text("".join(json.dumps(record) + "\n" for record in records))
        (self.directory / ARMS).write_text(json.dumps({"models": self.models}))

    def cells(self) -> Cells:
        return cells(NORMALIZERS["coderouterbench.id-results.v1"].normalize(ExportFolder(self.directory, FILES), lambda _: None))

    def priced(self, draw: random.Random) -> int:
        """Some row with a token record."""
        return draw.choice([place for place, row in enumerate(self.results) if row[11] == "token_log_pricing"])


def cells(suite: NormalizedSuite) -> Cells:
    """Every normalized value under (table, case, arm or nothing, column)."""
    found: Cells = {("arms",): suite.arm_ids}
    for name in ("visible", "grading", "outcomes", "decisions"):
        for row in getattr(suite, name).to_pylist():
            for column, value in row.items():
                found[name, row["case_id"], row.get("arm_id", ""), column] = value
    return found


Mutation = Callable[[Export, random.Random], set[tuple[str, ...]] | str]
"""Changes the export; returns the cells that must change (all others must not), or the place that the refusal names."""


def set_result(column: str, values: Callable[[random.Random], str]) -> Mutation:
    def mutate(export: Export, draw: random.Random) -> str:
        place = export.priced(draw)
        export.results[place][COLUMNS.index(column)] = values(draw)
        return f"{RESULTS}, line {place + 2}"

    return mutate


def set_record(file: str, key: str, values: Callable[[random.Random], object]) -> Mutation:
    def mutate(export: Export, draw: random.Random) -> str:
        records = export.tasks if file == TASK_LIST else export.choices
        place = draw.randrange(len(records))
        records[place][key] = values(draw)
        return f"{file}, line {place + 1}"

    return mutate


def change_result(column: str, normalized: str, values: Callable[[random.Random], str]) -> Mutation:
    def mutate(export: Export, draw: random.Random) -> set[tuple[str, ...]]:
        row = export.results[export.priced(draw)]
        row[COLUMNS.index(column)] = values(draw)
        return {("outcomes", row[0], row[4], normalized)}

    return mutate


def no_latency(export: Export, draw: random.Random) -> set[tuple[str, ...]]:
    row = draw.choice([row for row in export.results if row[10] != "0"])
    row[10] = "0"
    return {("outcomes", row[0], row[4], "latency_ms"), ("outcomes", row[0], row[4], "latency_reason")}


def no_token_record(export: Export, draw: random.Random) -> set[tuple[str, ...]]:
    row = export.results[export.priced(draw)]
    row[6:10], row[11] = ["0.0", "0", "0", "0"], "missing_token_record_zero_total"
    return {("outcomes", row[0], row[4], name) for name in ("runtime_cost_pico_usd", "cost_reason", "input_tokens", "output_tokens")}


def other_choice(export: Export, draw: random.Random) -> set[tuple[str, ...]]:
    record = draw.choice(export.choices)
    record["chosen_model"] = draw.choice([row["model"] for row in export.models if row["model"] != record["chosen_model"]])
    return {("decisions", record["task_id"], "", "selected_arm_id")}


def other_voter(export: Export, draw: random.Random) -> set[tuple[str, ...]]:
    record = draw.choice(export.choices)
    record["voter"] = f"voter {draw.randrange(99)}"
    return {("decisions", record["task_id"], "", "selection_method")}


def no_result(export: Export, draw: random.Random) -> set[tuple[str, ...]]:
    row = export.results.pop(draw.randrange(len(export.results)))
    return {("outcomes", row[0], row[4], column) for column in OUTCOME_COLUMNS}


def no_choice(export: Export, draw: random.Random) -> set[tuple[str, ...]]:
    record = export.choices.pop(draw.randrange(len(export.choices)))
    changed = ("selection_status", "selected_arm_id", "selection_method", "decision")
    return {("decisions", record["task_id"], "", column) for column in changed}


def repeated_result(export: Export, draw: random.Random) -> str:
    export.results.append(list(draw.choice(export.results)))
    return f"{RESULTS}, line {len(export.results) + 1}, task_id, model"


def repeated_record(name: str) -> Mutation:
    def mutate(export: Export, draw: random.Random) -> str:
        records = export.tasks if name == TASK_LIST else export.choices
        records.append(dict(draw.choice(records)))
        return f"{name}, line {len(records)}, task_id"

    return mutate


def cut_cell(export: Export, draw: random.Random) -> str:
    place = draw.randrange(len(export.results))
    export.results[place].pop(draw.randrange(12))
    return f"{RESULTS}, line {place + 2}"


def shuffled(export: Export, draw: random.Random) -> set[tuple[str, ...]]:
    for rows in (export.results, export.tasks, export.choices, export.models):
        draw.shuffle(rows)
    return set()


def other_spelling(export: Export, draw: random.Random) -> set[tuple[str, ...]]:
    row = draw.choice(export.results)
    column = draw.choice([5, 6, 10])
    row[column] = draw.choice([f"0{row[column]}", f"{row[column]}e0", f"+{row[column]}"])
    return set()


def unused_model_text(export: Export, draw: random.Random) -> set[tuple[str, ...]]:
    draw.choice(export.models)[draw.choice(["provider", "tier", "_note"])] = f"text {draw.randrange(99)}"
    return set()


OUTCOME_COLUMNS = (
    "case_id",
    "arm_id",
    "action",
    "attempt",
    "status",
    "reason",
    "success",
    "quality",
    "runtime_cost_pico_usd",
    "cost_scope",
    "cost_reason",
    "latency_ms",
    "latency_reason",
    "input_tokens",
    "output_tokens",
)


def word(draw: random.Random) -> str:
    return f"unknown-{draw.randrange(10**6)}"


def no_number(draw: random.Random) -> str:
    return draw.choice(["", " ", "nan", "NaN", "inf", "-inf", "1,5".replace(",", ";"), "1e", "0x1p3", "--1", "1 2", "one", "1_0", "\u0661"])


MUTATIONS: list[tuple[str, str, Mutation]] = [
    *[
        ("key", f"{column} of a result", set_result(column, word))
        for column in ("task_id", "model", "split", "source_split", "dimension", "cost_source")
    ],
    ("key", "split of a task", set_record(TASK_LIST, "split", word)),
    ("key", "task of a decision", set_record(CHOICES, "task_id", word)),
    ("key", "model of a decision", set_record(CHOICES, "chosen_model", word)),
    ("key", "dimension of a decision", set_record(CHOICES, "dimension", word)),
    ("key", "unknown key of a task", set_record(TASK_LIST, "prompt", word)),
    ("key", "unknown key of a decision", set_record(CHOICES, "label", word)),
    ("key", "number as task", set_record(TASK_LIST, "task_id", lambda draw: draw.randrange(99))),
    ("key", "result twice", repeated_result),
    ("key", "task twice", repeated_record(TASK_LIST)),
    ("key", "decision twice", repeated_record(CHOICES)),
    ("key", "a cell cut out", cut_cell),
    *[
        ("no number", column, set_result(column, no_number))
        for column in ("score", "cost_usd", "input_tokens", "output_tokens", "total_tokens", "latency_ms")
    ],
    ("out of range", "score above 1", set_result("score", lambda draw: repr(1 + 10.0 ** -draw.randrange(16)))),
    ("out of range", "score below 0", set_result("score", lambda draw: repr(-(10.0 ** -draw.randrange(300))))),
    ("out of range", "cost", set_result("cost_usd", lambda draw: f"-{10.0 ** -draw.randrange(1, 12)!r}")),
    ("out of range", "latency", set_result("latency_ms", lambda draw: str(-1 - draw.randrange(10**6)))),
    ("out of range", "tokens", set_result("input_tokens", lambda draw: str(-1 - draw.randrange(10**6)))),
    ("out of range", "sum of tokens", set_result("total_tokens", lambda draw: str(10**6 + draw.randrange(10**6)))),
    ("quality", "score", change_result("score", "quality", lambda draw: repr(0.00005 + draw.randrange(9999) / 10000))),
    ("unit", "cost", change_result("cost_usd", "runtime_cost_pico_usd", lambda draw: repr(7 + draw.random()))),
    ("unit", "latency", change_result("latency_ms", "latency_ms", lambda draw: str(10**6 + draw.randrange(10**6)))),
    ("unit", "latency 0", no_latency),
    ("unit", "token record", no_token_record),
    ("choice", "model", other_choice),
    ("choice", "voter", other_voter),
    ("absent", "result", no_result),
    ("absent", "decision", no_choice),
    ("ignored", "order of everything", shuffled),
    ("ignored", "spelling of a number", other_spelling),
    ("ignored", "text of a model", unused_model_text),
]
COUNTS: Counter[str] = Counter()


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Cells:
    return Export(tmp_path_factory.mktemp("pristine") / "export").cells()


@pytest.fixture(scope="module", autouse=True)
def printed_counts() -> Iterator[None]:
    yield
    print("\n" + ", ".join(f"{outcome}: {count}" for outcome, count in sorted(COUNTS.items())) + f"; {COUNTS.total()} examples")


@pytest.mark.parametrize(("outcome", "mutation"), [pytest.param(o, m, id=f"{o}: {what}") for o, what, m in MUTATIONS])
def test_mutation_has_its_declared_outcome(outcome: str, mutation: Mutation, pristine: Cells, tmp_path: Path) -> None:
    for example in range(EACH):
        export = Export(tmp_path / "export")
        declared = mutation(export, random.Random(f"{outcome} {example}"))
        export.write()
        COUNTS[outcome] += 1
        if isinstance(declared, str):
            with pytest.raises(InputError) as refusal:
                export.cells()
            assert refusal.value.at.startswith(declared)
        else:
            now = export.cells()
            assert {key for key in pristine.keys() | now.keys() if pristine.get(key, "absent") != now.get(key, "absent")} == declared


def test_enough_examples_and_no_outcome_without_one() -> None:
    assert len(MUTATIONS) * EACH >= 500
    assert {outcome for outcome, _, _ in MUTATIONS} >= {"key", "unit", "quality", "ignored"}


def test_random_bytes_never_leak_a_foreign_exception_and_fast_lines_agree_with_strict_ones(tmp_path: Path) -> None:
    """One byte of one file is replaced, dropped or doubled: refused as ours, or read; and both line readers say the same."""
    export = Export(tmp_path / "export")
    original = {name: (export.directory / name).read_bytes() for name in FILES}
    draw, read = random.Random(28), Counter[str]()
    for _ in range(400):
        name = draw.choice(FILES)
        data, place = original[name], draw.randrange(len(original[name]))
        piece = draw.choice([b"", data[place : place + 1] * 2, bytes([draw.randrange(256)]), b"\n", b'"', b"\\", b"{", b"\r", b","])
        (export.directory / name).write_bytes(data[:place] + piece + data[place + 1 :])
        found = [outcome_of(export) for export in (export,)]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(json_columns, "_fast", lambda *_: None)
            found.append(outcome_of(export))
        assert found[0] == found[1]
        read["refused" if isinstance(found[0], str) else "read"] += 1
        (export.directory / name).write_bytes(data)
    print(f"\nbytes: {dict(read)}")
    assert min(read.values()) > 0


def outcome_of(export: Export) -> Cells | str:
    try:
        return export.cells()
    except EvaluationError as refusal:
        return f"{refusal.code} {refusal.at}"
