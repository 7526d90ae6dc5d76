"""`result_digest` is about the result: not about the order of rows and files, threads, hash seeds or when and where a run was made.

The export is the synthetic one in the format of CodeRouterBench. Normalising, installing, running and sealing are all repeated.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from contracts.reports import Report
from golden.fixtures.coderouterbench.generate import write_export
from ledgers.store.store import Store
from tests.plain_runs import import_request, install, new_store, sealed, smoke_request

RESULTS, DECISIONS = "id_test_results_long.csv", "id_decisions.jsonl"
SHUFFLES, FILE_ORDERS, CASES = 20, 3, 6


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("export") / "whole"
    write_export(directory, tasks=CASES)
    return directory


def run_of(export: Path, place: Path, *, number: int = 1) -> Report:
    place.mkdir(mode=0o700)
    store = Store.found(place / "root")
    install(store, "coderouterbench", export, place, "import")
    return sealed(store, import_request("import", name=f"run {number}"), number)


@pytest.fixture(scope="module")
def undisturbed(export: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    return run_of(export, tmp_path_factory.mktemp("once") / "run")


def shuffled(export: Path, target: Path, seed: int, order: int = 0) -> Path:
    """The same rows of all three files in another order, the files themselves written in another `order` too."""
    draw = Random(seed)
    target.mkdir(mode=0o700)
    names = sorted(path.name for path in export.iterdir())
    for name in names[order:] + names[:order]:
        data = (export / name).read_bytes()
        if name != "models.json":
            lines = data.splitlines(keepends=True)
            head, rows = (lines[:1], lines[1:]) if name == RESULTS else ([], lines)
            draw.shuffle(rows)
            data = b"".join([*head, *rows])
        (target / name).write_bytes(data)
    return target


@pytest.fixture
def one_thread() -> Iterator[None]:
    before = pa.cpu_count(), pa.io_thread_count()
    yield
    pa.set_cpu_count(before[0])
    pa.set_io_thread_count(before[1])


@pytest.mark.slow
@pytest.mark.parametrize("order", range(FILE_ORDERS))
@pytest.mark.parametrize("threads", [1, 2])
def test_shuffles_file_orders_and_threads_give_one_digest(
    *, one_thread: None, export: Path, undisturbed: Report, tmp_path: Path, threads: int, order: int
) -> None:
    pa.set_cpu_count(threads)
    digests = {
        run_of(shuffled(export, tmp_path / f"export-{seed}", seed, order), tmp_path / f"run-{seed}", number=seed + 2).result_digest
        for seed in range(SHUFFLES)
    }
    assert digests == {undisturbed.result_digest}


def test_a_shuffle_by_one_thread_gives_the_same_digest(one_thread: None, export: Path, undisturbed: Report, tmp_path: Path) -> None:
    pa.set_cpu_count(1)
    other = run_of(shuffled(export, tmp_path / "export", 4, 2), tmp_path / "run", number=77)
    assert other.result_digest == undisturbed.result_digest
    assert other.run.run_id != undisturbed.run.run_id


def with_other_score(export: Path, target: Path, change: float) -> Path:
    """A copy in which the first score between 0.3 and 0.9 is larger by `change`."""
    shuffled(export, target, 0)
    header, *rows = (export / RESULTS).read_text().splitlines()
    column = header.split(",").index("score")
    at = next(number for number, row in enumerate(rows) if 0.3 < float(row.split(",")[column]) < 0.9)
    cells = rows[at].split(",")
    rows[at] = ",".join([*cells[:column], repr(float(cells[column]) + change), *cells[column + 1 :]])
    (target / RESULTS).write_bytes("".join(f"{row}\r\n" for row in (header, *rows)).encode())
    return target


def test_one_millionth_of_one_quality_is_another_result(export: Path, undisturbed: Report, tmp_path: Path) -> None:
    other = run_of(with_other_score(export, tmp_path / "export", 1e-6), tmp_path / "run")
    assert other.result_digest != undisturbed.result_digest
    assert other.suites[0].revision != undisturbed.suites[0].revision
    same = run_of(with_other_score(export, tmp_path / "export-2", 0.0), tmp_path / "run-2")
    assert same.result_digest == undisturbed.result_digest


def test_one_decision_is_another_result(export: Path, undisturbed: Report, tmp_path: Path) -> None:
    target = shuffled(export, tmp_path / "export", 0)
    first, *rest = (target / DECISIONS).read_text().splitlines()
    row = json.loads(first)
    row["chosen_model"] = next(name for name in ("alpha-large", "alpha-small") if name != row["chosen_model"])
    (target / DECISIONS).write_text("".join(f"{line}\n" for line in (json.dumps(row), *rest)))
    assert run_of(target, tmp_path / "run").result_digest != undisturbed.result_digest


_CHILD = """
import sys
from pathlib import Path
from tests.properties.test_result_digest import run_of
print(run_of(Path(sys.argv[1]), Path(sys.argv[2])).result_digest)
"""


@pytest.mark.parametrize("seed", ["0", "4242"])
def test_hash_seeds_are_nothing(export: Path, undisturbed: Report, tmp_path: Path, seed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, str(export), str(tmp_path / "run")],
        env={**os.environ, "PYTHONHASHSEED": seed},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == undisturbed.result_digest


def test_name_and_owner_are_no_part_of_a_result(tmp_path: Path) -> None:
    first = sealed(new_store(tmp_path), smoke_request(name="one", description="a"), 1)
    other = sealed(new_store(tmp_path / "elsewhere"), smoke_request(name="two", description="b"), 2)
    assert first.result_digest == other.result_digest
    assert first.canonical() != other.canonical()
