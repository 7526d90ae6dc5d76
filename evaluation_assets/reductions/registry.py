"""Which track is reduced by which functions, one line a metric; and the reduction of a track or of a run.

A test compares the ids below with the catalog rows marked as reduced, both ways. All other rows are null: `no_reducer`.
A function of an `<arm>` family gives one value per arm of the run, in the order of the arm ids.
"""

from collections.abc import Callable, Iterator

from contracts.catalogs import metric_catalog
from contracts.measured import Measured
from contracts.metrics import MetricDefinition, MetricValue, RunMetrics
from contracts.tracks import Track, in_order
from evaluation_assets.reductions import joint, model_pool, routing, selection
from evaluation_assets.reductions.inputs import ReductionInputs
from evaluation_assets.reductions.run_view import RunView, SliceView
from evaluation_assets.reductions.slices import slices
from evaluation_assets.reductions.unreduced import unreduced

Metric = Callable[[RunView], Measured | tuple[Measured, ...]]

_ROUTING: dict[str, Metric] = {
    "routing.coverage": lambda run: routing.coverage(run.routes),
    "routing.accuracy": lambda run: routing.accuracy(
        run.routes, run.chosen(run.routes.case, run.routes.selections), run.oracle(run.routes.case)
    ),
    "routing.abstention_rate": lambda run: routing.abstention_rate(run.routes),
    "routing.fallback_rate": lambda run: routing.fallback_rate(run.routes),
    "routing.success_rate": lambda run: routing.success_rate(run.routes),
    "routing.selected_arm_count": lambda run: selection.selected_arm_count(run.routes.selections),
    "routing.selection_entropy_bits": lambda run: selection.selection_entropy_bits(run.routes.selections),
    "routing.latency_p50_ms": lambda run: routing.latency_p50_ms(run.routes),
    "routing.latency_p95_ms": lambda run: routing.latency_p95_ms(run.routes),
}
_MODEL_POOL: dict[str, Metric] = {
    "model_pool.arm_count": lambda run: model_pool.arm_count(run.pool),
    "model_pool.best_single_quality": lambda run: model_pool.best_single_quality(run.pool),
    "model_pool.oracle_quality": lambda run: model_pool.oracle_quality(run.pool),
    "model_pool.oracle_gain": lambda run: model_pool.oracle_gain(run.pool),
    "model_pool.unique_wins": lambda run: model_pool.unique_wins(run.pool),
    "model_pool.unique_win_rate": lambda run: model_pool.unique_win_rate(run.pool),
    "model_pool.zero_oracle_case_count": lambda run: model_pool.zero_oracle_case_count(run.pool),
    "model_pool.selection_arm_coverage": lambda run: selection.selection_arm_coverage(run.selections),
    "model_pool.selection_entropy_bits": lambda run: selection.selection_entropy_bits(run.selections),
    "model_pool.quality_dominated_arm_count": lambda run: model_pool.quality_dominated_arm_count(run.pool),
    "model_pool.pareto_dominated_arm_count": lambda run: model_pool.pareto_dominated_arm_count(run.pool, run.arm_costs),
    "model_pool.pareto_evaluable_arm_count": lambda run: model_pool.pareto_evaluable_arm_count(run.pool, run.arm_costs),
    "model_pool.worst_arm_reliability": lambda run: model_pool.worst_arm_reliability(run.pool),
    "model_pool.mean_pairwise_failure_jaccard": lambda run: model_pool.mean_pairwise_failure_jaccard(run.pool),
    "model_pool.all_arm_failure_rate": lambda run: model_pool.all_arm_failure_rate(run.pool),
    "model_pool.quality_shared_support_cases": lambda run: model_pool.quality_shared_support_cases(run.pool),
    "model_pool.quality_shared_support_fraction": lambda run: model_pool.quality_shared_support_fraction(run.pool),
    "model_pool.quality_cost_shared_support_cases": lambda run: model_pool.quality_cost_shared_support_cases(run.pool),
    "model_pool.quality_cost_shared_support_fraction": lambda run: model_pool.quality_cost_shared_support_fraction(run.pool),
    "model_pool.arm.<arm>.quality": lambda run: model_pool.arm_quality(run.pool),
    "model_pool.arm.<arm>.success_rate": lambda run: model_pool.arm_success_rate(run.pool),
    "model_pool.arm.<arm>.marginal_contribution": lambda run: model_pool.arm_marginal_contribution(run.pool),
    "model_pool.arm.<arm>.runtime_cost_usd": lambda run: model_pool.arm_runtime_cost_usd(run.arm_costs),
    "model_pool.arm.<arm>.known_runtime_cost_usd": lambda run: model_pool.arm_known_runtime_cost_usd(run.arm_costs),
}
_JOINT: dict[str, Metric] = {
    "joint.realized_quality": lambda run: joint.realized_quality(run.routed),
    "joint.oracle_regret": lambda run: joint.oracle_regret(run.routed, run.oracle(run.routed.case)),
    "joint.normalized_regret": lambda run: joint.normalized_regret(run.routed, run.oracle(run.routed.case)),
    "joint.oracle_capture_ratio": lambda run: joint.oracle_capture_ratio(run.routed, run.oracle(run.routed.case)),
    "joint.reliability": lambda run: joint.reliability(run.routed),
    "joint.runtime_cost_usd": lambda run: joint.runtime_cost_usd(run.routed.cost),
    "joint.runtime_cost_per_success": lambda run: joint.runtime_cost_per_success(run.routed, run.routed.cost),
    "joint.no_information_frontier_lift": lambda run: joint.no_information_frontier_lift(run.routed, run.frontier(run.routed.case)),
    "joint.latency_p95_ms": lambda run: joint.latency_p95_ms(run.routed),
}
REDUCERS: dict[Track, dict[str, Metric]] = {
    Track.ROUTING: _ROUTING,
    Track.MODEL_POOL: _MODEL_POOL,
    Track.JOINT: _JOINT,
    Track.AGENTIC: {},
    Track.MULTIMODAL: {},
    Track.PREFERENCE: {},
    Track.SAFETY: {},
    Track.CAPACITY: {},
}


def reduce_run(inputs: ReductionInputs) -> RunMetrics:
    """Every catalog row of every selected track, and the slices of those that have some. IntegrityError as the readers say."""
    view = RunView(inputs)
    values = tuple(value for track in in_order(inputs.tracks) for value in _reduced(track, view))
    return RunMetrics(schema_version="evaluation-metrics.v1", metrics=values)


def reduce_track(track: Track, inputs: ReductionInputs) -> tuple[MetricValue, ...]:
    """The same for one track of the run; what another track of it observed is read where a metric needs it."""
    return _reduced(track, RunView(inputs))


def _reduced(track: Track, view: RunView) -> tuple[MetricValue, ...]:
    """Ordered by metric id and slice."""
    rows = metric_catalog().of_track(track)
    values = [value for row in rows for value in _values(row, view, "all")]
    sliced = [row for row in rows if row.sliced and row.reduced]
    for label, members in slices(view.inputs) if sliced else ():
        part = SliceView(view, members)
        if part.rows(track):
            values += [value for row in sliced for value in _values(row, part, label)]
    return tuple(sorted(values, key=lambda value: (value.metric_id, value.slice)))


def _values(row: MetricDefinition, view: RunView, label: str) -> Iterator[MetricValue]:
    arms = view.inputs.arms
    if not row.reduced:
        measured: Measured | tuple[Measured, ...] = unreduced(view.inputs.planned[row.track])
    else:
        measured = REDUCERS[row.track][row.metric_id](view)
    if isinstance(measured, Measured):
        yield MetricValue.of(row, measured, slice_=label)
    else:
        for arm, one in zip(arms, measured, strict=True):
            yield MetricValue.of(row, one, slice_=label, arm=arm)
