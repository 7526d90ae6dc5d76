"""How long normalizing a long results table takes, as a ratio to pyarrow.csv reading the same bytes in the same run.

    python -m tests.benchmarks.csv_normalize [rows]        default 1,000,000 rows = 125,000 tasks x 8 models

Printed: pyarrow.csv alone on the results table (types inferred, all cores), pyarrow on all files (csv and json), the normalizer with
all its refusals and digests, and the whole of `suite-normalize` up to the published bundle. Goal: the normalizer at most 3.
Rounds take turns, so that what else the machine does hits all of them; CPU seconds stand beside, since wall time needs idle cores.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow.csv
import pyarrow.json

from evaluation_assets.benchmarks.normalizers.interface import ExportFolder
from evaluation_assets.benchmarks.normalizers.registry import NORMALIZERS
from evaluation_assets.suites.bundle import normalize_to_bundle
from golden.fixtures.coderouterbench.generate import FILES, write_export

ROUNDS = 5
Seconds = tuple[float, float]  # wall, CPU


def main(rows: int = 1_000_000) -> None:
    with tempfile.TemporaryDirectory() as directory:
        export = Path(directory) / "export"
        write_export(export, tasks=rows // 8)
        results = export / "id_test_results_long.csv"
        print(f"{results.name}: {rows:,} rows, {results.stat().st_size / 1e6:.0f} MB; best of {ROUNDS} rounds")
        works: dict[str, Callable[[int], object]] = {
            "pyarrow.csv": lambda _: pyarrow.csv.read_csv(results),
            "pyarrow, all files": lambda _: (pyarrow.csv.read_csv(results), *map(pyarrow.json.read_json, sorted(export.glob("*.jsonl")))),
            "normalizer": lambda _: NORMALIZERS["coderouterbench.id-results.v1"].normalize(ExportFolder(export, FILES), _quiet),
            "suite-normalize": lambda turn: normalize_to_bundle(
                "coderouterbench", "long", "long", export, Path(directory) / f"out-{turn}", _quiet
            ),
        }
        taken: dict[str, list[Seconds]] = {what: [] for what in works}
        for turn in range(ROUNDS):
            for what, work in works.items():
                taken[what].append(_timed(work, turn))
        base_wall, base_cpu = (min(column) for column in zip(*taken["pyarrow.csv"], strict=True))
        for what, times in taken.items():
            wall, cpu = (min(column) for column in zip(*times, strict=True))
            print(f"{what:18} {wall:7.3f} s  x {wall / base_wall:5.2f}      CPU {cpu:7.3f} s  x {cpu / base_cpu:5.2f}")


def _timed(work: Callable[[int], object], turn: int) -> Seconds:
    wall, cpu = time.perf_counter(), time.process_time()
    work(turn)
    return time.perf_counter() - wall, time.process_time() - cpu


def _quiet(_: str) -> None:
    """No progress lines between the timings."""


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
