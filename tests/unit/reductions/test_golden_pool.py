"""All reduced metrics of a run of two suites. Oracle: golden/fixtures/pool/expected.json, made by pandas and scipy."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from contracts.metrics import MetricValue, RunMetrics
from evaluation_assets.reductions.registry import reduce_run
from tests.unit.reductions.runs import GOLDEN, by_id, golden_run

EXPECTED = json.loads((GOLDEN / "expected.json").read_text(encoding="utf-8"))


@cache
def reduced() -> RunMetrics:
    return reduce_run(golden_run())


def close(value: float) -> object:
    return pytest.approx(value, abs=1e-12, rel=1e-12)


@pytest.mark.parametrize("metric_id", sorted(EXPECTED["all"]))
def test_agrees_with_pandas(metric_id: str) -> None:
    got, expected = by_id(reduced())[metric_id], EXPECTED["all"][metric_id]
    assert got.value == close(expected["value"])
    assert got.n == expected["n"]
    assert (got.interval is not None) == ("lower" in expected)
    if got.interval:
        assert (got.interval.lower, got.interval.upper) == (close(expected["lower"]), close(expected["upper"]))


@pytest.mark.parametrize("label", sorted(set(EXPECTED) - {"all"}))
def test_slices_agree_with_pandas(label: str) -> None:
    sliced = by_id(reduced(), label)
    assert len(sliced) >= 15
    assert {metric_id: value.value for metric_id, value in sliced.items()} == {
        metric_id: close(EXPECTED[label][metric_id]["value"]) for metric_id in sliced
    }


def test_only_selection_of_the_pool_has_no_counterpart_in_pandas() -> None:
    def known(value: MetricValue) -> bool:
        return value.reason != "no_reducer" and "shared_support" not in value.metric_id and "known_runtime" not in value.metric_id

    assert {value.metric_id for value in reduced().metrics if known(value)} - set(EXPECTED["all"]) == {
        "model_pool.selection_arm_coverage",
        "model_pool.selection_entropy_bits",
        "model_pool.pareto_evaluable_arm_count",
    }


def test_the_generator_writes_the_same_again(tmp_path: Path) -> None:
    subprocess.run([sys.executable, GOLDEN / "generate.py", tmp_path], check=True)
    assert (tmp_path / "rows.json").read_bytes() == (GOLDEN / "rows.json").read_bytes()
    again = json.loads((tmp_path / "expected.json").read_text(encoding="utf-8"))
    flat = {
        (label, metric_id, key): number
        for label, metrics in EXPECTED.items()
        for metric_id, entry in metrics.items()
        for key, number in entry.items()
    }
    assert {
        (label, metric_id, key): number
        for label, metrics in again.items()
        for metric_id, entry in metrics.items()
        for key, number in entry.items()
    } == {place: close(number) for place, number in flat.items()}
