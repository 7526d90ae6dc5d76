"""Findings: each rule at its threshold, silence where a number is missing, and a catalog that refuses what it must."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from contracts.catalogs import read_catalog
from contracts.errors import DocumentError
from contracts.findings import FindingCatalog
from contracts.metrics import MetricValue
from evaluation_assets.reports.findings import finding_rules, findings
from tests import builders

# Finding, metrics that fire it at the threshold's near side, and the one change that silences it.
EDGES = [
    ("AF-FALLBACK", {"routing.fallback_rate": 0.11}, {"routing.fallback_rate": 0.10}),
    ("AF-POOL-COLLAPSE", {"model_pool.selection_arm_coverage": 0.49}, {"model_pool.selection_arm_coverage": 0.50}),
    ("AF-POOL-REDUNDANCY", {"model_pool.oracle_gain": 0.02}, {"model_pool.oracle_gain": 0.021}),
    ("AF-ROUTING-COVERAGE", {"routing.coverage": 0.949}, {"routing.coverage": 0.95}),
    ("AF-UNREALIZED-POOL-VALUE", {"joint.normalized_regret": 0.21}, {"joint.normalized_regret": 0.20}),
    ("EP-CAPABILITY-GAP", {"model_pool.all_arm_failure_rate": 0.051}, {"model_pool.all_arm_failure_rate": 0.05}),
    ("EP-CORRELATED-FAILURES", {"model_pool.mean_pairwise_failure_jaccard": 0.5}, {"model_pool.mean_pairwise_failure_jaccard": 0.49}),
    ("EP-DOMINATED-ARMS", {"model_pool.pareto_dominated_arm_count": 1.0}, {"model_pool.pareto_dominated_arm_count": 0.0}),
    ("EP-LABEL-UTILITY-GAP", {"routing.accuracy": 0.9, "joint.normalized_regret": 0.21}, {"routing.accuracy": 0.89}),
    (
        "EP-MASKED-WEAK-ARM",
        {"model_pool.worst_arm_reliability": 0.94, "model_pool.all_arm_failure_rate": 0.02},
        {"model_pool.all_arm_failure_rate": 0.021},
    ),
]


def measured(values: dict[str, float | None], **changes: Any) -> tuple[MetricValue, ...]:
    return tuple(builders.metric(metric_id, value, **changes) for metric_id, value in values.items())


def fired(values: dict[str, float | None], **changes: Any) -> set[str]:
    return {finding.finding_id for finding in findings(measured(values, **changes))}


def test_every_rule_has_an_edge_here() -> None:
    assert [edge[0] for edge in EDGES] == [rule.finding_id for rule in finding_rules()]


@pytest.mark.parametrize(("finding_id", "firing", "silencing"), EDGES, ids=[edge[0] for edge in EDGES])
def test_rule_at_its_threshold(finding_id: str, firing: dict[str, float], silencing: dict[str, float]) -> None:
    assert finding_id in fired(firing)
    assert finding_id not in fired(firing | silencing)


@pytest.mark.parametrize(("finding_id", "firing", "_"), EDGES, ids=[edge[0] for edge in EDGES])
def test_silent_without_one_of_its_numbers(finding_id: str, firing: dict[str, float], _: object) -> None:
    for metric_id in firing:
        assert finding_id not in fired({**firing, metric_id: None})
        assert finding_id not in fired({name: value for name, value in firing.items() if name != metric_id})
    assert finding_id not in fired(firing, slice="language=en")


def test_no_metrics_no_findings() -> None:
    assert findings(()) == ()


def test_order_of_metrics_does_not_matter_and_numbers_are_told() -> None:
    metrics = measured({"routing.coverage": 0.8, "routing.fallback_rate": 0.2, "joint.normalized_regret": 0.3})
    found = findings(metrics)
    assert found == findings(metrics[::-1])
    assert [finding.finding_id for finding in found] == ["AF-FALLBACK", "AF-ROUTING-COVERAGE", "AF-UNREALIZED-POOL-VALUE"]
    assert found[1].observation.endswith("(routing.coverage is 0.8, below 0.95)")
    assert found[1].metric_ids == ("routing.coverage",)


def test_catalog_is_sorted_pretty_json() -> None:
    text = read_catalog("findings").decode()
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _compared(catalog: dict[str, Any]) -> list[dict[str, Any]]:
    return catalog["rules"][0]["conditions"]


@pytest.mark.parametrize(
    ("breaking", "said"),
    [
        pytest.param(lambda c: c["rules"].reverse(), "unique and sorted", id="out of order"),
        pytest.param(lambda c: c["rules"].append(c["rules"][-1]), "unique and sorted", id="a rule twice"),
        pytest.param(lambda c: _compared(c).append(_compared(c)[0]), "compares a metric once", id="a metric twice"),
        pytest.param(lambda c: _compared(c)[0].update(metric_id="safety.violation_rate"), "rests on metrics", id="another track"),
        pytest.param(lambda c: _compared(c)[0].update(operator="!="), "operator", id="unknown operator"),
        pytest.param(lambda c: c["rules"][0].update(conditions=[]), "conditions", id="without a condition"),
        pytest.param(lambda c: c["rules"][0].update(cause=""), "cause", id="without a cause"),
        pytest.param(lambda c: c["rules"][0].update(owner="x"), "owner", id="unknown field"),
    ],
)
def test_broken_catalog_is_refused(breaking: Callable[[dict[str, Any]], object], said: str) -> None:
    catalog = json.loads(read_catalog("findings"))
    breaking(catalog)
    with pytest.raises(DocumentError) as refusal:
        FindingCatalog.parse(json.dumps(catalog).encode(), at="findings")
    assert said in f"{refusal.value.message} {refusal.value.at}"
