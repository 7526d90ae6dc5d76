"""How long normalizing a long results table takes, as a ratio to pyarrow.csv reading the same bytes in the same run.

    python -m tests.benchmarks.csv_normalize [rows]        default 1,000,000 rows = 125,000 tasks x 8 models

Printed: pyarrow.csv alone (types inferred, all cores), the normalizer with all its refusals (which reads the other three files and
hashes everything too), and the whole of `suite-normalize` up to the published bundle. Goal of the middle one: at most 3.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow.csv

from evaluation_assets.benchmarks.normalizers.interface import ExportFolder
from evaluation_assets.benchmarks.normalizers.registry import NORMALIZERS
from evaluation_assets.suites.bundle import normalize_to_bundle
from golden.fixtures.coderouterbench.generate import FILES, write_export

REPEATS = 3


def main(rows: int = 1_000_000) -> None:
    with tempfile.TemporaryDirectory() as directory:
        export = Path(directory) / "export"
        write_export(export, tasks=rows // 8)
        results = export / "id_test_results_long.csv"
        print(f"{results.name}: {rows:,} rows, {results.stat().st_size / 1e6:.0f} MB; best of {REPEATS}")
        reading = _best(lambda _: pyarrow.csv.read_csv(results))
        normalizer = NORMALIZERS["coderouterbench.id-results.v1"]
        normalizing = _best(lambda _: normalizer.normalize(ExportFolder(export, FILES), _quiet))
        bundling = _best(lambda repeat: normalize_to_bundle(
            "coderouterbench", suite_id="long", name="long", export_root=export, output=Path(directory) / f"out-{repeat}", progress=_quiet))
        for what, seconds in (("pyarrow.csv", reading), ("normalizer", normalizing), ("suite-normalize", bundling)):
            print(f"{what:16} {seconds:7.3f} s   x {seconds / reading:5.2f}")


def _best(work: Callable[[int], object]) -> float:
    times = []
    for repeat in range(REPEATS):
        start = time.perf_counter()
        work(repeat)
        times.append(time.perf_counter() - start)
    return min(times)


def _quiet(_: str) -> None:
    """No progress lines between the timings."""


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
