"""Dense pool metrics from Parquet: ours against pandas, on the same file, in one run.

    python -m tests.benchmarks.dense_pool [--cases 400000] [--arms 33] [--repeat 3]

The file is one `outcomes` part as the store writes it (zstd, all columns). Ours is the whole reduction of the model-pool
track, from `reduce_track` to the metric values, costs per arm included; pandas reads the columns it needs and computes the
same metrics in the idiom that a data scientist would write. Each runs in a process of its own, which reports seconds (best
of --repeat, imports excluded) and the peak of its resident memory (imports included). Goals: at most 2 s and 400 MB, six
times faster than pandas. Results must agree to 1e-9, or the benchmark fails.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from contracts.tables import OUTCOMES, VISIBLE_CASES

ROW_GROUP = 1 << 17  # as ledgers/store/parts.py; so many cases at a time fill whole row groups
ABOUT = (
    "best_single_quality",
    "oracle_quality",
    "unique_wins",
    "zero_oracle_case_count",
    "quality_dominated_arm_count",
    "pareto_dominated_arm_count",
    "worst_arm_reliability",
    "mean_pairwise_failure_jaccard",
    "all_arm_failure_rate",
)
PER_ARM = ("quality", "success_rate", "marginal_contribution", "runtime_cost_usd")


def arm_names(arms: int) -> list[str]:
    return [f"vendor/model-{number:03d}" for number in range(arms)]


def write_outcomes(path: Path, cases: int, arms: int) -> None:
    rng = np.random.default_rng(20_261_130)
    with pq.ParquetWriter(path, OUTCOMES, compression="zstd") as writer:
        for first in range(0, cases, ROW_GROUP):
            writer.write_table(_block(rng, first, min(ROW_GROUP, cases - first), arms), row_group_size=ROW_GROUP)
    path.chmod(0o600)


def _block(rng: np.random.Generator, first: int, cases: int, arms: int) -> pa.Table:
    rows = cases * arms
    ok = rng.random(rows) >= 0.05
    quality = np.round(rng.random(rows) * np.repeat(rng.random(cases) > 0.02, arms), 3)
    used = {"input_tokens": rng.integers(100, 2000, rows), "output_tokens": rng.integers(10, 800, rows)}
    price = np.tile(np.arange(1, arms + 1) * 10_000, cases)

    def words(numbers: np.ndarray, names: list[str]) -> pa.Array:
        return pa.DictionaryArray.from_arrays(pa.array(numbers.astype(np.int32)), names).cast(pa.string())

    columns = {
        "case_id": words(np.repeat(np.arange(cases), arms), [f"case-{number:08d}" for number in range(first, first + cases)]),
        "arm_id": words(np.tile(np.arange(arms), cases), arm_names(arms)),
        "action": pa.nulls(rows, pa.string()),
        "attempt": pa.array(np.ones(rows, np.int32)),
        "status": words(~ok, ["succeeded", "failed"]),
        "reason": pa.array([None, "failed_call"]).take(pa.array((~ok).astype(np.int8))),
        "success": pa.array(ok),
        "quality": pa.array(quality, mask=~ok),
        "cost_scope": words(np.zeros(rows), ["call"]),
        "cost_reason": pa.nulls(rows, pa.string()),
        "runtime_cost_pico_usd": pa.array((used["input_tokens"] + 4 * used["output_tokens"]) * price),
        "latency_ms": pa.array(np.round(rng.gamma(2, 300, rows), 3)),
        "latency_reason": pa.nulls(rows, pa.string()),
        **{name: pa.array(tokens) for name, tokens in used.items()},
    }
    return pa.table([columns[name] for name in OUTCOMES.names], schema=OUTCOMES)


def ours(path: Path, cases: int, arms: int) -> dict[str, float]:
    from contracts.tracks import Track
    from evaluation_assets.reductions.inputs import ReductionInputs
    from evaluation_assets.reductions.registry import reduce_track
    from evaluation_assets.reductions.sources import ParquetParts

    ids = pa.array([f"case-{number:08d}" for number in range(cases)])
    columns = [
        ids
        if field.name == "case_id"
        else pa.nulls(cases, field.type)
        if field.nullable
        else pa.ListArray.from_arrays(pa.array(np.zeros(cases + 1, np.int32)), pa.array([], pa.string()))
        for field in VISIBLE_CASES
    ]
    inputs = ReductionInputs(
        tracks=(Track.MODEL_POOL,),
        arm_ids={"suite": tuple(arm_names(arms))},
        planned={Track.MODEL_POOL: cases * arms},
        cases={"suite": pa.table(columns, schema=VISIBLE_CASES)},
        tables={"outcomes": {"suite": ParquetParts((path,))}},
    )
    values = {metric.metric_id.removeprefix("model_pool."): metric.value for metric in reduce_track(Track.MODEL_POOL, inputs)}
    return {name: value for name, value in values.items() if value is not None}


def pandas(path: Path, cases: int, arms: int) -> dict[str, float]:
    import pandas as pd

    table = pd.read_parquet(path, columns=["case_id", "arm_id", "success", "quality", "runtime_cost_pico_usd"])
    table["quality"] = table["quality"].where(table["success"].astype(bool), 0.0)
    quality = table.pivot(index="case_id", columns="arm_id", values="quality")
    success = table.pivot(index="case_id", columns="arm_id", values="success").astype(bool)
    cost, mean, best, failed = table.groupby("arm_id")["runtime_cost_pico_usd"].sum(), quality.mean(), quality.max(axis=1), ~success
    names = list(quality.columns)

    def jaccard(a: str, b: str) -> float:
        either = (failed[a] | failed[b]).sum()
        return float((failed[a] & failed[b]).sum() / either) if either else 0.0

    def dominated(a: str) -> bool:
        return any(mean[b] >= mean[a] and (quality[b] >= quality[a]).all() and (quality[b] > quality[a]).any() for b in names if b != a)

    def beaten(a: str) -> bool:
        return any(mean[b] >= mean[a] and cost[b] <= cost[a] and (mean[b] > mean[a] or cost[b] < cost[a]) for b in names)

    pairs = [jaccard(a, b) for place, a in enumerate(names) for b in names[place + 1 :]]
    values = {
        "best_single_quality": mean.max(),
        "oracle_quality": best.mean(),
        "worst_arm_reliability": success.mean().min(),
        "unique_wins": (quality.eq(best, axis=0).sum(axis=1) == 1).sum(),
        "zero_oracle_case_count": (best == 0).sum(),
        "quality_dominated_arm_count": sum(map(dominated, names)),
        "pareto_dominated_arm_count": sum(map(beaten, names)),
        "mean_pairwise_failure_jaccard": sum(pairs) / len(pairs),
        "all_arm_failure_rate": failed.all(axis=1).mean(),
    }
    for arm in names:
        gain = (best - quality.drop(columns=arm).max(axis=1)).mean()
        values |= {
            f"arm.{arm}.quality": mean[arm],
            f"arm.{arm}.success_rate": success[arm].mean(),
            f"arm.{arm}.runtime_cost_usd": cost[arm] / 1e12,
            f"arm.{arm}.marginal_contribution": gain,
        }
    return {name: float(value) for name, value in values.items()}


class _NoPandas(MetaPathFinder):
    """The product is installed without pandas; pyarrow imports it where it finds it (half a second, 40 MB)."""

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        if name == "pandas":
            raise ImportError(name)


def _child(side: str, path: Path, cases: int, arms: int, repeat: int) -> None:
    sides: dict[str, Callable[[Path, int, int], dict[str, float]]] = {"ours": ours, "pandas": pandas}
    if side == "ours":
        sys.meta_path.insert(0, _NoPandas())
    else:
        import pandas as _  # noqa: F401
    seconds = []
    for _turn in range(repeat):
        start = time.perf_counter()
        values = sides[side](path, cases, arms)
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"seconds": min(seconds), "peak_mb": _peak_mb(), "values": values}))


def _peak_mb() -> float:
    """High-water mark of this program's memory. (`ru_maxrss` would begin at what the parent had when it started us.)"""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cases", type=int, default=400_000)
    options.add_argument("--arms", type=int, default=33)
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--child", nargs=2, metavar=("SIDE", "FILE"), help=argparse.SUPPRESS)
    given = options.parse_args(arguments)
    if given.child:
        _child(given.child[0], Path(given.child[1]), given.cases, given.arms, given.repeat)
        return
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "part.parquet"
        write_outcomes(path, given.cases, given.arms)
        size = path.stat().st_size / 2**20
        print(f"{given.cases:,} cases x {given.arms} arms = {given.cases * given.arms:,} cells, {size:.0f} MB of Parquet")
        results = {}
        for side in ("ours", "pandas"):
            command = [
                sys.executable,
                "-m",
                "tests.benchmarks.dense_pool",
                "--child",
                side,
                str(path),
                "--cases",
                str(given.cases),
                "--arms",
                str(given.arms),
                "--repeat",
                str(given.repeat if side == "ours" else 1),
            ]
            results[side] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            print(f"{side:>7}  {results[side]['seconds']:7.2f} s  {results[side]['peak_mb']:7.0f} MB peak")
    mine, theirs = results["ours"], results["pandas"]
    names = [*ABOUT, *(f"arm.{arm}.{name}" for arm in arm_names(given.arms) for name in PER_ARM)]
    far = [name for name in names if not math.isclose(mine["values"][name], theirs["values"][name], rel_tol=1e-9, abs_tol=1e-12)]
    if far:
        raise SystemExit(f"the two disagree on {', '.join(far[:5])}")
    print(
        f"  ratio  {theirs['seconds'] / mine['seconds']:7.1f} x faster  {theirs['peak_mb'] / mine['peak_mb']:.1f} x less memory  "
        f"({len(names)} values agree)"
    )


if __name__ == "__main__":
    main()
