"""The real export, all the way: report, SQL and Dagster's metadata give the figures that were computed independently.

Oracle: EXPECTED.json beside the export, made with pandas and numpy from the same files.
"""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pyarrow as pa
import pytest

from contracts.measured import Reason
from contracts.metrics import MetricValue
from contracts.reports import Report
from definitions import definitions_of
from evaluation_assets import launch
from ledgers.index.build import refresh
from ledgers.index.query import QuerySettings, run_query
from ledgers.store.layout import local_principal
from ledgers.store.store import Store
from tests.plain_runs import created, import_request, install, new_store, sealed
from tests.shared_data import shared

EXACT = 1e-9
RESULTS = "id_test_results_long.csv"
NEEDS_THE_MATRIX = (
    "model_pool.best_single_quality",
    "model_pool.oracle_quality",
    "model_pool.oracle_gain",
    "model_pool.unique_wins",
    "model_pool.zero_oracle_case_count",
    "model_pool.quality_dominated_arm_count",
    "model_pool.mean_pairwise_failure_jaccard",
    "model_pool.all_arm_failure_rate",
    "model_pool.worst_arm_reliability",
    "routing.accuracy",
    "joint.oracle_regret",
    "joint.normalized_regret",
    "joint.oracle_capture_ratio",
    "joint.no_information_frontier_lift",
)


def query(store: Store, sql: str) -> pa.Table:
    return run_query(store, sql, private=True, settings=QuerySettings(threads=2, memory_mb=512, max_rows=None))


@dataclass(frozen=True)
class Finished:
    store: Store
    report: Report
    shown: dict[str, str]
    expected: dict[str, object]

    def metric(self, metric_id: str) -> MetricValue:
        return next(metric for metric in self.report.metrics if metric.metric_id == metric_id and metric.slice == "all")

    def sql(self, metric_id: str) -> float | None:
        rows = query(self.store, f"select value from metrics where slice = 'all' and metric_id = '{metric_id}'")
        (value,) = rows.column("value").to_pylist()
        return value


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    export, folder = shared("coderouterbench"), tmp_path_factory.mktemp("real")
    store = new_store(folder)
    install(store, "coderouterbench", export, folder, "real")
    run = created(store, import_request("real"))
    principal = local_principal(store.root, "tester")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", "set by instance_of")
        with launch.instance_of(store) as instance:
            report = launch.start(definitions_of(store, principal), instance, store, run, principal=principal)
            shown = {}
            for asset in ("routing", "model_pool", "joint"):
                event = instance.get_latest_materialization_event(dg.AssetKey(asset))
                assert event is not None
                assert event.asset_materialization is not None
                table = event.asset_materialization.metadata["all_cases"]
                assert isinstance(table, dg.TableMetadataValue)
                shown |= {str(record.data["metric"]): str(record.data["value"]) for record in table.records}
            yield Finished(store, report, shown, json.loads((export / "EXPECTED.json").read_text()))


def figures(expected: dict[str, object]) -> dict[str, float]:
    """Metric id -> expected value."""
    found = {
        "model_pool.oracle_quality": expected["oracle_mean_score"],
        "joint.realized_quality": expected["router_mean_score"],
        "joint.runtime_cost_usd": expected["router_total_cost_usd"],
        "model_pool.zero_oracle_case_count": expected["zero_oracle_cases"],
        "model_pool.all_arm_failure_rate": 0.0,
    }
    for arm, score in expected["per_arm_mean_score"].items():  # type: ignore[attr-defined]
        found[f"model_pool.arm.{arm}.quality"] = score
    for arm, cost in expected["per_arm_total_cost_usd"].items():  # type: ignore[attr-defined]
        found[f"model_pool.arm.{arm}.runtime_cost_usd"] = cost
    return {metric_id: float(value) for metric_id, value in found.items()}  # type: ignore[arg-type]


def test_report_sql_and_dagster_agree_with_the_independent_figures(finished: Finished) -> None:
    wanted = figures(finished.expected)
    assert len(wanted) == 5 + 8 + 7
    for metric_id, value in wanted.items():
        assert finished.metric(metric_id).value == pytest.approx(value, abs=EXACT), metric_id
        assert finished.sql(metric_id) == pytest.approx(value, abs=EXACT), metric_id
        assert float(finished.shown[metric_id]) == pytest.approx(value, abs=EXACT), metric_id


def test_an_incomplete_cost_is_null_with_its_reason_and_its_known_part(finished: Finished) -> None:
    cost = finished.metric("model_pool.arm.Qwen3-Max.runtime_cost_usd")
    assert (cost.value, cost.reason, cost.n, cost.planned_n) == (None, Reason.MISSING_TOKEN_RECORD, 124, 129)
    known = finished.metric("model_pool.arm.Qwen3-Max.known_runtime_cost_usd")
    assert known.value == pytest.approx(0.06658436, abs=EXACT)
    assert finished.sql("model_pool.arm.Qwen3-Max.runtime_cost_usd") is None
    assert finished.shown["model_pool.arm.Qwen3-Max.runtime_cost_usd"] == ""


def test_the_quality_issues_are_counted(finished: Finished) -> None:
    issues = {issue.kind: issue.count for issue in finished.report.suites[0].quality_issues}
    assert issues["zero_latency"] == finished.expected["zero_latency_cells"]
    assert issues["missing_token_record"] == 5
    assert finished.report.suites[0].case_count == finished.expected["cases"]


def test_an_import_that_nobody_verified_stays_e0_without_a_headline(finished: Finished) -> None:
    assert finished.report.evidence_level == "E0"
    assert [gate.verdict for gate in finished.report.gates[2:6]] == ["unavailable"] * 4


def test_without_one_arm_what_needs_the_matrix_is_null_and_never_a_number(tmp_path: Path) -> None:
    export = tmp_path / "export"
    shutil.copytree(shared("coderouterbench"), export)
    rows = (export / RESULTS).read_bytes().splitlines(keepends=True)
    (export / RESULTS).write_bytes(b"".join(row for row in rows if b",glm-5," not in row))
    store = new_store(tmp_path)
    install(store, "coderouterbench", export, tmp_path, "thinned")
    report = sealed(store, import_request("thinned"))
    values = {metric.metric_id: metric for metric in report.metrics if metric.slice == "all"}
    for metric_id in NEEDS_THE_MATRIX:
        assert values[metric_id].value is None, metric_id
        assert values[metric_id].reason in (Reason.INCOMPLETE_MATRIX, Reason.NO_DENSE_MATRIX), metric_id
    assert values["model_pool.arm.glm-5.quality"].value is None
    assert values["model_pool.arm.gpt-5.4.quality"].value == pytest.approx(0.4955596899224806, abs=EXACT)
    coverage = {row.track: row for row in report.coverage}
    assert coverage["model_pool"].unavailable == 129  # type: ignore[index]
    refresh(store)
    absent = query(
        store,
        "select count(*) as n from private.outcomes where arm_id = 'glm-5' and status = 'unavailable' and quality is null "
        "and reason = 'absent_cell'",
    )
    assert absent.column("n").to_pylist() == [129]
