"""A report arranged for reading: the opening sentence, which metric stands in which section, the arms as one table.

Nothing is computed here that the report does not hold; numbers stay numbers and become text in the templates. The order is:

    1 levels  2 gates  3 coverage  4 quality, safety, preference  5 pool  6 latency, reliability, costs  7 lineage  8 feedback
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from contracts.gates import Disposition, GateResult, Verdict
from contracts.metrics import MetricValue
from contracts.reports import Report, TrackCoverage
from contracts.suites import SourceStatus
from contracts.tracks import Track
from evaluation_assets.reports.plots import Bar, Part, Point, Scatter, interval_bar, scatter, stacked
from evaluation_assets.reports.words import counted, listed

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
    """One arm; a cell is None where the report has no such metric for it."""

    arm: str
    cells: tuple[MetricValue | None, ...]


class CoverageRow(NamedTuple):
    coverage: TrackCoverage
    parts: tuple[Part, ...]


class View(NamedTuple):
    level: str
    tone: Verdict
    gates: str
    limits: tuple[str, ...]
    headline: tuple[MetricValue, ...]
    coverage: tuple[CoverageRow, ...]
    quality: tuple[MetricTable, ...]
    pool: tuple[MetricTable, ...]
    operations: tuple[MetricTable, ...]
    pool_facts: tuple[MetricValue, ...]
    arm_columns: tuple[str, ...]
    arms: tuple[ArmRow, ...]
    scatter: Scatter | None
    unplotted: tuple[str, ...]
    unverified: tuple[str, ...]


def view_of(report: Report) -> View:
    """Deterministic in the report alone."""
    per_arm = [metric for metric in report.metrics if metric.metric_id.startswith(_ARM) and metric.slice == ALL]
    others = [metric for metric in report.metrics if not metric.metric_id.startswith(_ARM) or metric.slice != ALL]
    columns, arms = _arms(per_arm)
    whole = {metric.metric_id: metric for metric in others if metric.slice == ALL}
    points, unplotted = _points(columns, arms)
    diagnostic = report.evidence_level == "E0"
    return View(
        level="E0 diagnostic" if diagnostic else f"{report.evidence_level} evidence",
        tone=_tone(report.gates, diagnostic=diagnostic),
        gates=_gates_in_words(report.gates),
        limits=_limits(report),
        headline=() if diagnostic else tuple(whole[name] for name in _HEADLINE if name in whole),
        coverage=tuple(CoverageRow(track, stacked(track, BAR_WIDTH)) for track in report.coverage),
        quality=_tables(m for m in others if not _operational(m) and m.track not in _POOL_TRACKS),
        pool=_tables(m for m in others if not _operational(m) and m.track in _POOL_TRACKS),
        operations=_tables(m for m in others if _operational(m)),
        pool_facts=tuple(whole[name] for name in _POOL if name in whole),
        arm_columns=columns,
        arms=arms,
        scatter=scatter(points, _levels(whole)) if points else None,
        unplotted=unplotted,
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
        if rows:
            tables.append(
                MetricTable(
                    track, tuple(row for row in rows if row.metric.slice == ALL), tuple(row for row in rows if row.metric.slice != ALL)
                )
            )
    return tuple(tables)


def _bar(metric: MetricValue) -> Bar | None:
    if metric.value is None or metric.interval is None:
        return None
    return interval_bar(metric.value, metric.interval, metric.unit)


def _arms(metrics: Sequence[MetricValue]) -> tuple[tuple[str, ...], tuple[ArmRow, ...]]:
    """`model_pool.arm.<arm>.<what>`: an arm id may hold dots, what is said of it does not."""
    cells: dict[str, dict[str, MetricValue]] = {}
    for metric in metrics:
        arm, _, what = metric.metric_id.removeprefix(_ARM).rpartition(".")
        cells.setdefault(arm, {})[what] = metric
    found = {what for row in cells.values() for what in row}
    columns = tuple(what for what in _ARM_COLUMNS if what in found) + tuple(sorted(found - set(_ARM_COLUMNS)))
    return columns, tuple(ArmRow(arm, tuple(cells[arm].get(what) for what in columns)) for arm in sorted(cells))


def _points(columns: Sequence[str], arms: Sequence[ArmRow]) -> tuple[list[Point], tuple[str, ...]]:
    """Arms with quality and complete cost, and the names of those that lack one of the two."""
    points, unplotted = [], []
    for row in arms:
        known = {what: cell.value for what, cell in zip(columns, row.cells, strict=True) if cell is not None}
        quality, cost = known.get("quality"), known.get("runtime_cost_usd")
        if quality is None or cost is None:
            unplotted.append(row.arm)
        else:
            points.append(Point(row.arm, quality, cost))
    return points, tuple(unplotted)


def _levels(whole: dict[str, MetricValue]) -> list[tuple[str, str, float]]:
    named = [("oracle", "oracle", "model_pool.oracle_quality"), ("routed", "routed", "joint.realized_quality")]
    levels = []
    for kind, name, metric_id in named:
        value = whole[metric_id].value if metric_id in whole else None
        if value is not None:
            levels.append((kind, name, value))
    return levels


def _tone(gates: Sequence[GateResult], *, diagnostic: bool) -> Verdict:
    """Look of the opening banner: never a pass while something required is undecided or the level is E0."""
    required = {gate.verdict for gate in gates if gate.disposition is Disposition.REQUIRED}
    if Verdict.FAIL in required:
        return Verdict.FAIL
    return Verdict.PASS if required == {Verdict.PASS} and not diagnostic else Verdict.UNAVAILABLE


def _gates_in_words(gates: Sequence[GateResult]) -> str:
    required = [gate for gate in gates if gate.disposition is Disposition.REQUIRED]
    failed = [f"{gate.gate} {gate.name}" for gate in required if gate.verdict is Verdict.FAIL]
    undecided = [gate.gate for gate in required if gate.verdict is Verdict.UNAVAILABLE]
    if not required:
        return "no gate is required"
    if not failed and not undecided:
        return f"all {counted(len(required), 'required gate')} pass" if len(required) > 1 else "its one required gate passes"
    parts = [f"fails {listed(failed)}"] if failed else []
    parts += [f"can't decide {listed(undecided)}"] if undecided else []
    passed = len(required) - len(failed) - len(undecided)
    return f"{' and '.join(parts)}; {passed} of {counted(len(required), 'required gate')} {'passes' if passed == 1 else 'pass'}"


def _limits(report: Report) -> tuple[str, ...]:
    """What this report can't support, most important first."""
    limits = []
    if report.evidence_level == "E0":
        limits.append("E0 diagnostic: no promotion headline. Its numbers help to find faults; they can't support a promotion.")
        if any(track.level != "E0" for track in report.coverage):
            limits.append("The run is as strong as its weakest track; stronger tracks show findings only.")
    if report.environment_kind == "reference":
        limits.append("Reference environment: the loopback runtime simulated what was observed. This is a demonstration.")
    if any(suite.source_status is SourceStatus.UNVERIFIED for suite in report.suites):
        limits.append("Source not verified (source_unverified): nobody checked that the imported bytes belong to the pinned source.")
    return tuple(limits)
