"""Architecture feedback: the rules of golden/catalogs/findings.json held against the metrics of one run.

A finding is advice, never a verdict. It speaks only from measured numbers: a metric that is null or absent keeps every rule
that needs it silent, and so does a value for one slice.
"""

import operator
from functools import cache

from contracts.catalogs import read_catalog
from contracts.findings import Condition, FindingCatalog, FindingRule
from contracts.metrics import MetricValue
from contracts.reports import Finding
from evaluation_assets.reports.words import OPERATORS, number

_HOLDS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@cache
def finding_rules() -> tuple[FindingRule, ...]:
    """The catalog that ships with the package, read and validated once; sorted by finding id."""
    return FindingCatalog.parse(read_catalog("findings"), at="golden/catalogs/findings.json").rules


def findings(metrics: tuple[MetricValue, ...]) -> tuple[Finding, ...]:
    """Every rule whose conditions all hold, sorted by finding id, whatever the order of `metrics`."""
    values = {metric.metric_id: metric.value for metric in metrics if metric.slice == "all" and metric.value is not None}
    return tuple(_finding(rule, values) for rule in finding_rules() if all(_holds(condition, values) for condition in rule.conditions))


def _holds(condition: Condition, values: dict[str, float]) -> bool:
    value = values.get(condition.metric_id)
    return value is not None and bool(_HOLDS[condition.operator](value, condition.threshold))


def _finding(rule: FindingRule, values: dict[str, float]) -> Finding:
    seen = "; ".join(
        f"{condition.metric_id} is {number(values[condition.metric_id])}, {OPERATORS[condition.operator]} {number(condition.threshold)}"
        for condition in rule.conditions
    )
    return Finding(
        finding_id=rule.finding_id,
        metric_ids=tuple(condition.metric_id for condition in rule.conditions),
        observation=f"{rule.observation} ({seen})",
        cause=rule.cause,
        next_treatment=rule.next_treatment,
    )
