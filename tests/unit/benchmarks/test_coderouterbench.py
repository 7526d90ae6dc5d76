"""The parser of CodeRouterBench's id results: what it makes of the committed synthetic export, and everything that it refuses.

Each row of the table of refusals changes one thing of that export and says in which file, on which line and in which field it is found.
"""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from contracts.errors import EvaluationError, HostileFile, InputError
from contracts.tables import DECISIONS, GRADING_CASES, OUTCOMES, VISIBLE_CASES
from evaluation_assets.benchmarks.inventory import inventory
from evaluation_assets.benchmarks.normalizers.interface import ExportFolder, NormalizedSuite
from evaluation_assets.benchmarks.normalizers.registry import NORMALIZERS
from golden.fixtures.coderouterbench.generate import FILES, HEADER, MODELS, write_export
from ledgers.store.parts import table_digest

EXPORT = Path(__file__).parents[3] / "golden" / "fixtures" / "coderouterbench" / "export"
RESULTS, TASKS, CHOICES, ARMS = "id_test_results_long.csv", "id_test_tasks.jsonl", "id_decisions.jsonl", "models.json"
COLUMNS = HEADER.split(",")
NOTHING: Callable[[str], None] = lambda _: None  # noqa: E731


def normalize(export: Path) -> NormalizedSuite:
    return NORMALIZERS["coderouterbench.id-results.v1"].normalize(ExportFolder(export, FILES), NOTHING)


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """A copy that a test may change."""
    for name in FILES:
        (tmp_path / name).write_bytes((EXPORT / name).read_bytes())
    return tmp_path


def edit_line(export: Path, file: str, line: int, change: Callable[[bytes], bytes]) -> None:
    """Replaces line `line` (from 1) without its end."""
    lines = (export / file).read_bytes().split(b"\n")
    end = b"\r" if lines[line - 1].endswith(b"\r") else b""
    lines[line - 1] = change(lines[line - 1].removesuffix(b"\r")) + end
    (export / file).write_bytes(b"\n".join(lines))


def set_cell(export: Path, line: int, field: str, value: str) -> None:
    def change(text: bytes) -> bytes:
        cells = text.split(b",")
        cells[COLUMNS.index(field)] = value.encode()
        return b",".join(cells)

    edit_line(export, RESULTS, line, change)


def set_key(export: Path, file: str, line: int, **values: object) -> None:
    edit_line(export, file, line, lambda text: json.dumps({**json.loads(text), **values}).encode())


def edit_models(export: Path, change: Callable[[list[dict[str, object]]], object]) -> None:
    document = json.loads((export / ARMS).read_bytes())
    change(document["models"])
    (export / ARMS).write_text(json.dumps(document))


def by_key(suite: NormalizedSuite) -> dict[tuple[str, str], dict[str, object]]:
    assert suite.outcomes is not None
    return {(row["case_id"], row["arm_id"]): row for row in suite.outcomes.to_pylist()}


# -- what is made of a valid export ------------------------------------------------------------------------------------


def test_registry_has_the_parsers_that_the_catalog_calls_available() -> None:
    available = {row.normalizer_id for row in inventory().normalizers if row.available}
    assert set(NORMALIZERS) == available
    assert all(normalizer.normalizer_id == key for key, normalizer in NORMALIZERS.items())


def test_committed_export_is_what_its_generator_writes(tmp_path: Path) -> None:
    write_export(tmp_path / "again", tasks=24)
    assert {name: (tmp_path / "again" / name).read_bytes() for name in FILES} == {name: (EXPORT / name).read_bytes() for name in FILES}


def test_tables_have_their_schemas_and_the_order_of_their_keys() -> None:
    suite = normalize(EXPORT)
    assert suite.outcomes is not None
    assert suite.decisions is not None
    for table, schema in (
        (suite.visible, VISIBLE_CASES),
        (suite.grading, GRADING_CASES),
        (suite.outcomes, OUTCOMES),
        (suite.decisions, DECISIONS),
    ):
        assert table.schema.equals(schema)
    cases = suite.visible["case_id"].to_pylist()
    assert cases == sorted(cases)
    assert suite.grading["case_id"].to_pylist() == suite.decisions["case_id"].to_pylist() == cases
    assert list(by_key(suite)) == [(case, arm) for case in cases for arm in sorted(MODELS)]
    assert suite.arm_ids == tuple(sorted(MODELS))
    assert list(suite.tracks) == ["routing", "model_pool", "joint"]


def test_a_row_by_hand(export: Path) -> None:
    cells = b"dim1_made_up/0,id_test,test,algorithms,alpha-large,0.25,0.0123450000000005,7,3,10,12,token_log_pricing"
    edit_line(export, RESULTS, 2, lambda _: cells)
    row = by_key(normalize(export))["dim1_made_up/0", "alpha-large"]
    assert row == {
        "case_id": "dim1_made_up/0",
        "arm_id": "alpha-large",
        "action": None,
        "attempt": 1,
        "status": "succeeded",
        "reason": None,
        "success": True,
        "quality": 0.25,
        "runtime_cost_pico_usd": 12_345_000_000,
        "cost_scope": "usd_list_price",
        "cost_reason": None,
        "latency_ms": 12.0,
        "latency_reason": None,
        "input_tokens": 7,
        "output_tokens": 3,
    }


def test_a_missing_token_record_is_unknown_and_a_latency_of_zero_is_unmeasured(export: Path) -> None:
    cells = b"dim1_made_up/0,id_test,test,algorithms,alpha-large,0.0,0.0,0,0,0,0,missing_token_record_zero_total"
    edit_line(export, RESULTS, 2, lambda _: cells)
    row = by_key(normalize(export))["dim1_made_up/0", "alpha-large"]
    assert (row["runtime_cost_pico_usd"], row["cost_reason"]) == (None, "missing_token_record")
    assert (row["input_tokens"], row["output_tokens"]) == (None, None)
    assert (row["latency_ms"], row["latency_reason"]) == (None, "unmeasured")
    assert (row["status"], row["success"], row["quality"]) == ("succeeded", True, 0.0)


@pytest.mark.parametrize(
    ("text", "pico"),
    [
        pytest.param("0", 0, id="zero"),
        pytest.param("-0.0", 0, id="negative zero is zero"),
        pytest.param("1e-05", 10_000_000, id="exponent"),
        pytest.param("0.0000000000005", 0, id="half a pico goes to the even zero"),
        pytest.param("0.0000000000015", 2, id="one and a half goes to two"),
        pytest.param("0.0000000000025", 2, id="two and a half goes to two"),
        pytest.param("0.00000000000250000000000000000000000001", 3, id="more than two and a half, in the 38th place"),
        pytest.param("1.5e-60", 0, id="far below a pico"),
        pytest.param("0.000999999999999999945", 1_000_000_000, id="a printed double"),
        pytest.param("9223372.036854775807", 2**63 - 1, id="the largest amount"),
        pytest.param("12345.678901234567", 12_345_678_901_234_567, id="beyond the digits of a double"),
        pytest.param("100.0000000000005", 100_000_000_000_000, id="half a pico at a hundred dollars"),
    ],
)
def test_money_is_read_exactly_and_rounded_half_even_once(export: Path, text: str, pico: int) -> None:
    rows = enumerate((EXPORT / RESULTS).read_text().splitlines(), 1)
    line, key = next((number, row.split(",")) for number, row in rows if row.endswith("token_log_pricing"))
    set_cell(export, line, "cost_usd", text)
    assert by_key(normalize(export))[key[0], key[4]]["runtime_cost_pico_usd"] == pico


def test_issues_are_counted(export: Path) -> None:
    rows = [line.split(",") for line in (EXPORT / RESULTS).read_text().splitlines()[1:]]
    scores: dict[str, float] = {}
    for row in rows:
        scores[row[0]] = max(scores.get(row[0], 0.0), float(row[5]))
    expected = {
        "missing_token_record": sum(row[11].startswith("missing") for row in rows),
        "no_prompt_text": 24,
        "zero_latency": sum(row[10] == "0" for row in rows),
        "zero_oracle_cases": sum(score == 0 for score in scores.values()),
    }
    assert {issue.kind: issue.count for issue in normalize(EXPORT).quality_issues} == expected
    assert min(expected.values()) > 0
    priced = next(n for n, row in enumerate(rows, 2) if row[11] == "token_log_pricing")
    set_cell(export, priced, "cost_usd", f"{float(rows[priced - 2][6]) + 1e-8!r}")
    assert ("cost_not_tokens_times_price", 1) in {(issue.kind, issue.count) for issue in normalize(export).quality_issues}


def test_a_pair_without_a_row_is_missing_and_not_zero(export: Path) -> None:
    lines = (export / RESULTS).read_bytes().splitlines(keepends=True)
    (export / RESULTS).write_bytes(b"".join(lines[:5] + lines[6:]))
    suite = normalize(export)
    assert suite.outcomes is not None
    gone = lines[5].decode().split(",")
    assert (gone[0], gone[4]) not in by_key(suite)
    assert suite.outcomes.num_rows == 24 * 8 - 1
    assert ("missing_arm_cells", 1) in {(issue.kind, issue.count) for issue in suite.quality_issues}


def test_a_task_without_decision_is_unavailable_and_no_label_comes_from_the_router(export: Path) -> None:
    lines = (export / CHOICES).read_bytes().splitlines(keepends=True)
    (export / CHOICES).write_bytes(b"".join(lines[1:]))
    gone = json.loads(lines[0])["task_id"]
    suite = normalize(export)
    assert suite.decisions is not None
    rows = {row["case_id"]: row for row in suite.decisions.to_pylist()}
    assert rows.pop(gone) == {
        "case_id": gone,
        "selection_status": "unavailable",
        "fallback": False,
        "selected_arm_id": None,
        "selection_method": None,
        "decision": None,
        "latency_ms": None,
        "latency_reason": "unmeasured",
    }
    assert {row["selection_status"] for row in rows.values()} == {"selected"}
    assert suite.grading["expected_route"].null_count == 24


def test_the_shorter_decision_files_of_other_routers_are_read(export: Path) -> None:
    lines = [json.loads(line) for line in (export / CHOICES).read_bytes().splitlines()]
    (export / CHOICES).write_text("".join(json.dumps({key: row[key] for key in ("chosen_model", "task_id")}) + "\n" for row in lines))
    decisions = normalize(export).decisions
    assert decisions is not None
    assert decisions["selected_arm_id"].null_count == 0
    assert decisions["selection_method"].null_count == decisions["decision"].null_count == 24


def digests(suite: NormalizedSuite) -> list[str]:
    tables = (suite.visible, suite.grading, suite.outcomes, suite.decisions)
    return [table_digest(table) for table in tables if table is not None] + [str(suite.quality_issues), str(suite.arm_ids)]


@pytest.mark.parametrize("seed", range(4))
def test_order_of_rows_and_columns_and_line_ends_change_nothing(export: Path, seed: int) -> None:
    shuffle = random.Random(seed)
    for name in (TASKS, CHOICES):
        lines = (export / name).read_bytes().splitlines()
        shuffle.shuffle(lines)
        (export / name).write_bytes((b"\r\n" if seed % 2 else b"\n").join(lines) + b"\n")
    edit_models(export, shuffle.shuffle)
    header, *rows = [line.split(",") for line in (export / RESULTS).read_text().splitlines()]
    shuffle.shuffle(rows)
    order = shuffle.sample(range(len(header)), len(header))
    text = "\n".join(",".join(row[place] for place in order) for row in (header, *rows)) + "\n"
    (export / RESULTS).write_bytes(text.replace("\n", ["\n", "\r\n"][seed % 2]).encode())
    assert digests(normalize(export)) == digests(normalize(EXPORT))


def test_only_declared_files_are_opened_and_each_is_recorded(export: Path) -> None:
    (export / "README.md").write_text("not part of it")
    folder = ExportFolder(export, FILES)
    NORMALIZERS["coderouterbench.id-results.v1"].normalize(folder, NOTHING)
    assert [file.name for file in folder.files] == sorted(FILES)
    assert [file.size_bytes for file in folder.files] == [(export / name).stat().st_size for name in sorted(FILES)]


# -- what is refused ---------------------------------------------------------------------------------------------------

LAST = 24 * 8 + 1
Change = Callable[[Path], object]
REFUSED: list[tuple[str, Change, str]] = [
    ("a column too many", lambda e: edit_line(e, RESULTS, 1, lambda t: t + b",cost"), f"{RESULTS}, line 1, column 13"),
    ("a column renamed", lambda e: edit_line(e, RESULTS, 1, lambda t: t.replace(b"score", b"Score")), f"{RESULTS}, line 1, column 6"),
    ("a column missing", lambda e: edit_line(e, RESULTS, 1, lambda t: t.replace(b",cost_source", b"")), f"{RESULTS}, line 1, cost_source"),
    ("a column twice", lambda e: edit_line(e, RESULTS, 1, lambda t: t.replace(b"score", b"model")), f"{RESULTS}, line 1, model"),
    ("a byte order mark", lambda e: edit_line(e, RESULTS, 1, lambda t: b"\xef\xbb\xbf" + t), f"{RESULTS}, line 1, column 1"),
    ("no header", lambda e: (e / RESULTS).write_bytes(b""), f"{RESULTS}, line 1"),
    ("no row", lambda e: (e / RESULTS).write_text(HEADER + "\r\n"), f"{RESULTS}, line 1"),
    ("a cell too few", lambda e: edit_line(e, RESULTS, 7, lambda t: t.rpartition(b",")[0]), f"{RESULTS}, line 7"),
    ("a cell too many", lambda e: edit_line(e, RESULTS, 9, lambda t: t + b",x"), f"{RESULTS}, line 9"),
    ("an empty line", lambda e: edit_line(e, RESULTS, 4, lambda _: b""), f"{RESULTS}, line 4, task_id"),
    ("last line cut in a cell", lambda e: (e / RESULTS).write_bytes((e / RESULTS).read_bytes()[:-9]), f"{RESULTS}, line {LAST}"),
    ("last line cut at its end", lambda e: (e / RESULTS).write_bytes((e / RESULTS).read_bytes()[:-2]), f"{RESULTS}, line {LAST}"),
    ("a byte that is not UTF-8", lambda e: edit_line(e, RESULTS, 6, lambda t: b"\xff" + t), f"{RESULTS}, line 6"),
    ("a quoted cell", lambda e: set_cell(e, 5, "score", '"0.5"'), f"{RESULTS}, line 5, score"),
    ("a word as score", lambda e: set_cell(e, 5, "score", "good"), f"{RESULTS}, line 5, score"),
    ("no score", lambda e: set_cell(e, 5, "score", ""), f"{RESULTS}, line 5, score"),
    ("NaN as score", lambda e: set_cell(e, LAST, "score", "nan"), f"{RESULTS}, line {LAST}, score"),
    ("infinite latency", lambda e: set_cell(e, 2, "latency_ms", "inf"), f"{RESULTS}, line 2, latency_ms"),
    ("a score above 1", lambda e: set_cell(e, 8, "score", "1.0000001"), f"{RESULTS}, line 8, score"),
    ("a score below 0", lambda e: set_cell(e, 8, "score", "-1e-9"), f"{RESULTS}, line 8, score"),
    ("a negative latency", lambda e: set_cell(e, 8, "latency_ms", "-1"), f"{RESULTS}, line 8, latency_ms"),
    ("a blank before a number", lambda e: set_cell(e, 8, "latency_ms", " 7"), f"{RESULTS}, line 8, latency_ms"),
    ("a negative cost", lambda e: set_cell(e, 11, "cost_usd", "-0.001"), f"{RESULTS}, line 11, cost_usd"),
    ("NaN as cost", lambda e: set_cell(e, 11, "cost_usd", "NaN"), f"{RESULTS}, line 11, cost_usd"),
    ("a cost with a currency", lambda e: set_cell(e, 11, "cost_usd", "$1"), f"{RESULTS}, line 11, cost_usd"),
    ("a cost beyond 64 bits", lambda e: set_cell(e, 11, "cost_usd", "9223372.036854775808"), f"{RESULTS}, line 11, cost_usd"),
    ("a cost beyond all bits", lambda e: set_cell(e, 11, "cost_usd", "1e30"), f"{RESULTS}, line 11, cost_usd"),
    ("a negative token count", lambda e: set_cell(e, 3, "input_tokens", "-5"), f"{RESULTS}, line 3, input_tokens"),
    ("a broken token count", lambda e: set_cell(e, 3, "input_tokens", "5.5"), f"{RESULTS}, line 3, input_tokens"),
    ("hexadecimal tokens", lambda e: set_cell(e, 3, "output_tokens", "0x1F"), f"{RESULTS}, line 3, output_tokens"),
    ("too many tokens", lambda e: set_cell(e, 3, "output_tokens", "2147483648"), f"{RESULTS}, line 3, output_tokens"),
    ("tokens beyond 64 bits", lambda e: set_cell(e, 3, "output_tokens", "9" * 20), f"{RESULTS}, line 3, output_tokens"),
    ("a total that is no sum", lambda e: set_cell(e, 3, "total_tokens", "1"), f"{RESULTS}, line 3, total_tokens"),
    ("an unknown cost source", lambda e: set_cell(e, 3, "cost_source", "guess"), f"{RESULTS}, line 3, cost_source"),
    (
        "tokens without token record",
        lambda e: set_cell(e, 3, "cost_source", "missing_token_record_zero_total"),
        f"{RESULTS}, line 3, total_tokens",
    ),
    ("another split", lambda e: set_cell(e, 12, "split", "id_train"), f"{RESULTS}, line 12, split"),
    ("a source split of no task", lambda e: set_cell(e, 12, "source_split", "dev"), f"{RESULTS}, line 12, source_split"),
    ("the source split of other tasks", lambda e: set_cell(e, 12, "source_split", "train"), f"{RESULTS}, line 12, source_split"),
    ("the dimension of other tasks", lambda e: set_cell(e, 2, "dimension", "bug_fixing"), f"{RESULTS}, line 2, dimension"),
    ("an unknown task", lambda e: set_cell(e, 40, "task_id", "dim1_made_up/99"), f"{RESULTS}, line 40, task_id"),
    ("an unknown model", lambda e: set_cell(e, 40, "model", "epsilon"), f"{RESULTS}, line 40, model"),
    ("a pair twice", lambda e: set_cell(e, 3, "model", "alpha-large"), f"{RESULTS}, line 3, task_id, model"),
    ("a task twice", lambda e: set_key(e, TASKS, 9, task_id="dim1_made_up/0"), f"{TASKS}, line 9, task_id"),
    ("a task of another split", lambda e: set_key(e, TASKS, 9, split="id_train"), f"{TASKS}, line 9, split"),
    ("a task with a prompt", lambda e: set_key(e, TASKS, 9, prompt="Sort the list."), f"{TASKS}, line 9"),
    (
        "a task without dimension",
        lambda e: edit_line(e, TASKS, 9, lambda t: t.replace(b'"dimension": "test_writing", ', b"")),
        f"{TASKS}, line 9, dimension",
    ),
    ("a task id as number", lambda e: set_key(e, TASKS, 9, task_id=9), f"{TASKS}, line 9, task_id"),
    ("an empty task id", lambda e: set_key(e, TASKS, 9, task_id=""), f"{TASKS}, line 9, task_id"),
    ("a task id with NUL", lambda e: set_key(e, TASKS, 9, task_id="a\0b"), f"{TASKS}, line 9, task_id"),
    ("a task id with DEL", lambda e: edit_line(e, TASKS, 9, lambda t: t.replace(b"made_up", b"made\x7fup")), f"{TASKS}, line 9, task_id"),
    ("a task id of 513 characters", lambda e: set_key(e, TASKS, 9, task_id="x" * 513), f"{TASKS}, line 9, task_id"),
    (
        "a key twice",
        lambda e: edit_line(e, TASKS, 9, lambda t: t.replace(b"{", b'{"split": "id_test", ', 1)),
        f"{TASKS}, line 9, column 75",
    ),
    ("two tasks on a line", lambda e: edit_line(e, TASKS, 9, lambda t: t + t), f"{TASKS}, line 9"),
    ("an empty line among tasks", lambda e: edit_line(e, TASKS, 9, lambda _: b""), f"{TASKS}, line 9"),
    ("a list instead of a task", lambda e: edit_line(e, TASKS, 9, lambda _: b"[]"), f"{TASKS}, line 9"),
    ("no tasks", lambda e: (e / TASKS).write_bytes(b""), f"{TASKS}, line 1"),
    ("tasks cut off", lambda e: (e / TASKS).write_bytes((e / TASKS).read_bytes()[:-9]), f"{TASKS}, line 24"),
    (
        "a decision twice",
        lambda e: edit_line(e, CHOICES, 3, lambda _: (e / CHOICES).read_bytes().split(b"\n")[0]),
        f"{CHOICES}, line 3, task_id",
    ),
    ("a decision for no task", lambda e: set_key(e, CHOICES, 3, task_id="dim1_made_up/99"), f"{CHOICES}, line 3, task_id"),
    ("a decision for no model", lambda e: set_key(e, CHOICES, 3, chosen_model="epsilon"), f"{CHOICES}, line 3, chosen_model"),
    ("a decision with another dimension", lambda e: set_key(e, CHOICES, 3, dimension="bug_fixing"), f"{CHOICES}, line 3, dimension"),
    ("a decision with a label", lambda e: set_key(e, CHOICES, 3, best_model="alpha-large"), f"{CHOICES}, line 3"),
    ("a decision of null", lambda e: set_key(e, CHOICES, 3, chosen_model=None), f"{CHOICES}, line 3, chosen_model"),
    (
        "a voter of null everywhere",
        lambda e: (e / CHOICES).write_bytes((e / CHOICES).read_bytes().replace(b'"made_up_group_map"', b"null")),
        f"{CHOICES}, line 1, voter",
    ),
    ("a model twice", lambda e: edit_models(e, lambda m: m.append(m[0])), f"{ARMS}, models[8].model"),
    ("no models", lambda e: edit_models(e, lambda m: m.clear()), f"{ARMS}  models"),
    ("a model with an unknown key", lambda e: edit_models(e, lambda m: m[2].update(key="x")), f"{ARMS}  models[2].key"),
    ("a model without price", lambda e: edit_models(e, lambda m: m[2].pop("input_per_1m")), f"{ARMS}  models[2].input_per_1m"),
    ("a negative price", lambda e: edit_models(e, lambda m: m[2].update(output_per_1m=-1.0)), f"{ARMS}  models[2].output_per_1m"),
    (
        "a price finer than micro-USD",
        lambda e: edit_models(e, lambda m: m[2].update(output_per_1m=1e-7)),
        f"{ARMS}, models[2].output_per_1m",
    ),
    ("models cut off", lambda e: (e / ARMS).write_bytes((e / ARMS).read_bytes()[:-9]), f"{ARMS}, line"),
    ("a file missing", lambda e: (e / CHOICES).unlink(), CHOICES),
]


@pytest.mark.parametrize(("change", "at"), [pytest.param(change, at, id=name) for name, change, at in REFUSED])
def test_refused_with_file_line_and_field(export: Path, change: Change, at: str) -> None:
    change(export)
    with pytest.raises(InputError) as refusal:
        normalize(export)
    assert refusal.value.at.startswith(at)
    assert refusal.value.at[len(at) : len(at) + 1] in ("", ",", " ", "."), refusal.value.at


def test_a_refusal_repeats_no_value(export: Path) -> None:
    set_cell(export, 5, "score", "secret-label")
    with pytest.raises(EvaluationError) as refusal:
        normalize(export)
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("name", FILES)
def test_a_link_in_the_export_is_refused(export: Path, name: str) -> None:
    (export / name).unlink()
    (export / name).symlink_to(EXPORT / name)
    with pytest.raises(HostileFile):
        normalize(export)


def test_undeclared_files_cannot_be_asked_for(export: Path) -> None:
    with pytest.raises(ValueError, match="declares"):
        ExportFolder(export, FILES).read("tokens.jsonl", max_bytes=1)


def test_the_fast_reader_of_lines_agrees_with_the_strict_one(export: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from evaluation_assets.benchmarks.normalizers import json_columns

    fast = digests(normalize(export))
    tables: list[pa.Table | None] = []
    monkeypatch.setattr(json_columns, "_fast", lambda *_: tables.append(None))
    assert digests(normalize(export)) == fast
    assert len(tables) == 2


def test_a_relative_export_root_is_the_same_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXPORT, tmp_path / "export")
    monkeypatch.chdir(tmp_path)
    folder = ExportFolder(Path("export"), FILES)
    assert folder.read(FILES[0], max_bytes=1 << 20) == (tmp_path / "export" / FILES[0]).read_bytes()
