"""A report arranged for reading: the opening, which metric stands in which section, the arms as one table, the pictures.

Nothing is computed here that the report does not hold; numbers stay numbers and become text in the templates. The order is:

    0 subject  1 levels  2 gates  3 coverage  4 quality, safety, preference  5 pool  6 latency, reliability, costs  7 lineage  8 feedback
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from contracts.gates import Verdict
from contracts.metrics import MetricValue
from contracts.reports import Report, TrackCoverage
from contracts.suites import SourceStatus
from contracts.tracks import Track
from evaluation_assets.reports import verdict
from evaluation_assets.reports.brief import Answer, answers
from evaluation_assets.reports.plots import Bar, Part, interval_bar, stacked
from evaluation_assets.reports.pool_plots import PoolPlots, pool_plots
from evaluation_assets.reports.pool_story import best_arms, told
from evaluation_assets.reports.scatter import Drawn, quality_cost
from evaluation_assets.reports.subject import Subject, subject_of

ALL = "all"
BAR_WIDTH = 220.0
_ARM = "model_pool.arm."
_ARM_COLUMNS = ("quality", "success_rate", "marginal_contribution", "runtime_cost_usd", "known_runtime_cost_usd")
_HEADLINE = ("joint.realized_quality", "joint.normalized_regret", "joint.reliability", "routing.accuracy", "safety.violation_rate")
_POOL = (
    "model_pool.best_single_quality",
    "model_pool.oracle_quality",
    "model_pool.oracle_gain",
    "joint.realized_quality",
    "joint.normalized_regret",
    "model_pool.worst_arm_reliability",
    "model_pool.all_arm_failure_rate",
    "model_pool.mean_pairwise_failure_jaccard",
)
_POOL_TRACKS = (Track.MODEL_POOL, Track.JOINT)


class MetricRow(NamedTuple):
    metric: MetricValue
    bar: Bar | None


class MetricTable(NamedTuple):
    """Metrics of one track within one section; `slices` holds those of single slices."""

    track: Track
    rows: tuple[MetricRow, ...]
    slices: tuple[MetricRow, ...]


class ArmRow(NamedTuple):
    """One arm; a cell is None where the report has no such metric for it. `best`: its mean quality is the best single quality."""

    arm: str
    best: bool
    cells: tuple[MetricValue | None, ...]


class CoverageRow(NamedTuple):
    coverage: TrackCoverage
    parts: tuple[Part, ...]


class View(NamedTuple):
    tone: Verdict
    sentence: str
    limits: tuple[str, ...]
    made_up: bool
    headline: tuple[MetricValue, ...]
    brief: tuple[Answer, ...]
    subject: Subject | None
    coverage: tuple[CoverageRow, ...]
    quality: tuple[MetricTable, ...]
    pool: tuple[MetricTable, ...]
    operations: tuple[MetricTable, ...]
    pool_story: tuple[str, ...]
    pool_facts: tuple[MetricValue, ...]
    pool_plots: PoolPlots | None
    arm_columns: tuple[str, ...]
    arms: tuple[ArmRow, ...]
    scatter: Drawn
    unverified: tuple[str, ...]


def view_of(report: Report) -> View:
    """Deterministic in the report alone."""
    per_arm = [metric for metric in report.metrics if metric.metric_id.startswith(_ARM) and metric.slice == ALL]
    others = [metric for metric in report.metrics if not metric.metric_id.startswith(_ARM) or metric.slice != ALL]
    whole = {metric.metric_id: metric for metric in report.metrics if metric.slice == ALL}
    columns, arms = _arms(per_arm, best_arms(whole))
    return View(
        tone=verdict.tone(report),
        sentence=verdict.sentence(report),
        limits=verdict.limits(report),
        made_up=report.environment_kind in ("counterfactual", "reference"),
        headline=() if report.evidence_level == "E0" else tuple(whole[name] for name in _HEADLINE if name in whole),
        brief=answers(report, whole),
        subject=None if report.subject is None else subject_of(report.subject),
        coverage=tuple(CoverageRow(track, stacked(track, BAR_WIDTH)) for track in report.coverage),
        quality=_tables(m for m in others if not _operational(m) and m.track not in _POOL_TRACKS),
        pool=_tables(m for m in others if not _operational(m) and m.track in _POOL_TRACKS),
        operations=_tables(m for m in others if _operational(m)),
        pool_story=told(whole),
        pool_facts=tuple(whole[name] for name in _POOL if name in whole),
        pool_plots=None if report.pool is None or not report.pool.cases or not report.pool.arms else pool_plots(report.pool),
        arm_columns=columns,
        arms=arms,
        scatter=quality_cost(report),
        unverified=tuple(suite.suite_id for suite in report.suites if suite.source_status is SourceStatus.UNVERIFIED),
    )


def _operational(metric: MetricValue) -> bool:
    """Latency, money, load and the reliability of the whole system: read after quality, never mixed into it."""
    return metric.track is Track.CAPACITY or metric.unit.lower().startswith(("ms", "usd")) or metric.metric_id == "joint.reliability"


def _tables(metrics: Iterable[MetricValue]) -> tuple[MetricTable, ...]:
    chosen = list(metrics)
    tables = []
    for track in Track:
        rows = [MetricRow(m, _bar(m)) for m in chosen if m.track is track]
        whole = tuple(row for row in rows if row.metric.slice == ALL)
        if rows:
            tables.append(MetricTable(track, whole, tuple(row for row in rows if row.metric.slice != ALL)))
    return tuple(tables)


def _bar(metric: MetricValue) -> Bar | None:
    if metric.value is None or metric.interval is None:
        return None
    return interval_bar(metric.value, metric.interval, metric.unit)


def _arms(metrics: Sequence[MetricValue], best: Sequence[str]) -> tuple[tuple[str, ...], tuple[ArmRow, ...]]:
    """`model_pool.arm.<arm>.<what>`: an arm id may hold dots, what is said of it does not."""
    cells: dict[str, dict[str, MetricValue]] = {}
    for metric in metrics:
        arm, _, what = metric.metric_id.removeprefix(_ARM).rpartition(".")
        cells.setdefault(arm, {})[what] = metric
    found = {what for row in cells.values() for what in row}
    columns = tuple(what for what in _ARM_COLUMNS if what in found) + tuple(sorted(found - set(_ARM_COLUMNS)))
    return columns, tuple(ArmRow(arm, arm in best, tuple(cells[arm].get(what) for what in columns)) for arm in sorted(cells))
