"""The real sample of CodeRouterBench, 129 tasks x 8 models, against values that were computed independently of this code."""

import json
from decimal import Decimal
from math import fsum

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from evaluation_assets.benchmarks.normalizers.interface import ExportFolder, NormalizedSuite
from evaluation_assets.benchmarks.normalizers.registry import NORMALIZERS
from golden.fixtures.coderouterbench.generate import FILES
from tests.shared_data import shared

TOLERANCE = 1e-9  # as the expected values are given


@pytest.fixture(scope="module")
def suite() -> NormalizedSuite:
    normalizer = NORMALIZERS["coderouterbench.id-results.v1"]
    return normalizer.normalize(ExportFolder(shared("coderouterbench"), FILES), lambda _: None)


@pytest.fixture(scope="module")
def expected() -> dict[str, object]:
    return json.loads(shared("coderouterbench", "EXPECTED.json").read_bytes())


def of_arm(suite: NormalizedSuite, arm_id: str) -> pa.Table:
    assert suite.outcomes is not None
    return suite.outcomes.filter(pc.equal(suite.outcomes["arm_id"], arm_id))


def usd(pico: int) -> float:
    return float(Decimal(pico).scaleb(-12))


def test_counts(suite: NormalizedSuite, expected) -> None:
    assert suite.outcomes is not None
    assert (suite.visible.num_rows, suite.outcomes.num_rows) == (expected["cases"], expected["rows"])
    counts = {issue.kind: issue.count for issue in suite.quality_issues}
    assert counts == {
        "missing_token_record": 5,
        "no_prompt_text": 129,
        "zero_latency": expected["zero_latency_cells"],
        "zero_oracle_cases": expected["zero_oracle_cases"],
    }
    assert suite.outcomes["latency_ms"].null_count == expected["zero_latency_cells"]
    assert pc.all(suite.outcomes["success"]).as_py()


def test_mean_score_of_each_arm(suite: NormalizedSuite, expected) -> None:
    means = {arm_id: fsum(of_arm(suite, arm_id)["quality"].to_pylist()) / 129 for arm_id in suite.arm_ids}
    assert means == pytest.approx(expected["per_arm_mean_score"], abs=TOLERANCE)


def test_total_cost_of_each_arm_that_has_all_its_records(suite: NormalizedSuite, expected) -> None:
    complete = [arm_id for arm_id in suite.arm_ids if of_arm(suite, arm_id)["runtime_cost_pico_usd"].null_count == 0]
    totals = {arm_id: usd(pc.sum(of_arm(suite, arm_id)["runtime_cost_pico_usd"]).as_py()) for arm_id in complete}
    assert totals == pytest.approx(expected["per_arm_total_cost_usd"], abs=TOLERANCE)


def test_incomplete_cost_is_null_with_its_reason(suite: NormalizedSuite, expected) -> None:
    ((arm_id, said),) = expected["cost_incomplete"].items()
    rows = of_arm(suite, arm_id)
    known = rows.filter(pc.is_valid(rows["runtime_cost_pico_usd"]))
    assert f"{len(known)} of {len(rows)} records" == said["known_over"]
    assert usd(pc.sum(known["runtime_cost_pico_usd"]).as_py()) == pytest.approx(said["known_usd"], abs=TOLERANCE)
    assert pc.value_counts(rows["cost_reason"].drop_null()).to_pylist() == [{"values": said["reason"], "counts": 5}]


def test_oracle_and_recorded_router(suite: NormalizedSuite, expected) -> None:
    assert suite.outcomes is not None
    assert suite.decisions is not None
    oracle = suite.outcomes.group_by("case_id").aggregate([("quality", "max")])["quality_max"].to_pylist()
    assert fsum(oracle) / 129 == pytest.approx(expected["oracle_mean_score"], abs=TOLERANCE)
    rows = {(row["case_id"], row["arm_id"]): row for row in suite.outcomes.to_pylist()}
    chosen = [rows[row["case_id"], row["selected_arm_id"]] for row in suite.decisions.to_pylist()]
    assert fsum(row["quality"] for row in chosen) / 129 == pytest.approx(expected["router_mean_score"], abs=TOLERANCE)
    assert usd(sum(row["runtime_cost_pico_usd"] for row in chosen)) == pytest.approx(expected["router_total_cost_usd"], abs=TOLERANCE)
