"""What the pool could do, whoever routes: the dense matrix of every arm's answer to every case.

Rules:
- A metric over the matrix is null (`incomplete_matrix`) when one cell that it needs is missing. Cells that failed are
  known: quality 0.0, success false.
- Quality metrics need every quality, reliability metrics every success; they may be null apart from each other.
- Ties belong to nobody: a unique win is strictly better than all others.
"""

from collections.abc import Callable, Sequence
from functools import wraps

from contracts.measured import Measured, Reason, absent
from evaluation_assets.reductions.cost_cells import CostTally
from evaluation_assets.reductions.dominance import pareto_dominated, quality_dominated
from evaluation_assets.reductions.measuring import count, mean, proportion, share
from evaluation_assets.reductions.pool_facts import PoolFacts
from evaluation_assets.statistics.diversity import mean_jaccard, overlap_counts
from evaluation_assets.statistics.exact import fixed_total, fixed_totals_by_group

PoolMetric = Callable[[PoolFacts], Measured]


def needs_quality(metric: PoolMetric) -> PoolMetric:
    """Absent unless every quality of the matrix is known."""

    @wraps(metric)
    def guarded(pool: PoolFacts) -> Measured:
        return _gap(pool, pool.quality_cases) or metric(pool)

    return guarded


def needs_success(metric: PoolMetric) -> PoolMetric:
    """Absent unless every success of the matrix is known."""

    @wraps(metric)
    def guarded(pool: PoolFacts) -> Measured:
        return _gap(pool, pool.success_cases) or metric(pool)

    return guarded


def _gap(pool: PoolFacts, complete: int) -> Measured | None:
    if not pool.cases:
        return absent(Reason.NO_CASES, planned_n=0)
    return absent(Reason.INCOMPLETE_MATRIX, n=complete, planned_n=pool.cases) if complete < pool.cases else None


def arm_count(pool: PoolFacts) -> Measured:
    """Number of frozen arms: docs/metrics.md, model_pool.arm_count."""
    return count(pool.arms, n=pool.arms, planned_n=pool.arms)


@needs_quality
def best_single_quality(pool: PoolFacts) -> Measured:
    """max over arms a of mean over cases of q[., a]: docs/metrics.md, model_pool.best_single_quality."""
    return mean(max(pool.quality_totals), pool.cases, planned_n=pool.cases)


@needs_quality
def oracle_quality(pool: PoolFacts) -> Measured:
    """mean over cases of max over arms of q: docs/metrics.md, model_pool.oracle_quality."""
    return mean(fixed_total(pool.best), pool.cases, planned_n=pool.cases)


@needs_quality
def oracle_gain(pool: PoolFacts) -> Measured:
    """oracle_quality - best_single_quality, subtracted before rounding: docs/metrics.md, model_pool.oracle_gain."""
    return mean(fixed_total(pool.best) - max(pool.quality_totals), pool.cases, planned_n=pool.cases)


@needs_quality
def zero_oracle_case_count(pool: PoolFacts) -> Measured:
    """Cases in which no arm has a quality above 0: docs/metrics.md, model_pool.zero_oracle_case_count."""
    return count(int((pool.best == 0.0).sum()), n=pool.cases, planned_n=pool.cases)


@needs_quality
def unique_wins(pool: PoolFacts) -> Measured:
    """Cases that one arm alone answers best: docs/metrics.md, model_pool.unique_wins."""
    return count(_unique(pool), n=pool.cases, planned_n=pool.cases) if pool.arms > 1 else _one_arm(pool.cases)


@needs_quality
def unique_win_rate(pool: PoolFacts) -> Measured:
    """unique_wins / cases: docs/metrics.md, model_pool.unique_win_rate."""
    return proportion(_unique(pool), pool.cases, planned_n=pool.cases) if pool.arms > 1 else _one_arm(pool.cases)


@needs_quality
def quality_dominated_arm_count(pool: PoolFacts) -> Measured:
    """Arms to which another is never inferior and once superior: docs/metrics.md, model_pool.quality_dominated_arm_count."""
    if pool.arms == 1:
        return _one_arm(pool.arms)
    return count(int(quality_dominated(pool.quality, pool.quality_totals).sum()), n=pool.arms, planned_n=pool.arms)


@needs_success
def worst_arm_reliability(pool: PoolFacts) -> Measured:
    """min over arms of mean success: docs/metrics.md, model_pool.worst_arm_reliability. No interval: a minimum is no proportion."""
    return share(int(pool.successes.min()), pool.cases, planned_n=pool.cases)


@needs_success
def all_arm_failure_rate(pool: PoolFacts) -> Measured:
    """Share of cases in which no arm succeeded: docs/metrics.md, model_pool.all_arm_failure_rate."""
    return proportion(pool.all_failed, pool.cases, planned_n=pool.cases)


@needs_success
def mean_pairwise_failure_jaccard(pool: PoolFacts) -> Measured:
    """Mean over pairs of arms of |F_a and F_b| / |F_a or F_b|, F the failed cases; 0.0 where neither fails.

    docs/metrics.md, model_pool.mean_pairwise_failure_jaccard
    """
    overlap = mean_jaccard(overlap_counts(pool.success == 0))
    return _one_arm(0) if overlap is None else Measured(value=overlap.mean, n=overlap.pairs, planned_n=overlap.pairs)


def quality_shared_support_cases(pool: PoolFacts) -> Measured:
    """Cases in which every arm has a quality: docs/metrics.md, model_pool.quality_shared_support_cases."""
    return count(pool.quality_cases, n=pool.cases, planned_n=pool.cases)


def quality_shared_support_fraction(pool: PoolFacts) -> Measured:
    """The same as a share of all cases: docs/metrics.md, model_pool.quality_shared_support_fraction."""
    return share(pool.quality_cases, pool.cases, planned_n=pool.cases) if pool.cases else absent(Reason.NO_CASES, planned_n=0)


def quality_cost_shared_support_cases(pool: PoolFacts) -> Measured:
    """Cases in which every arm has quality and cost: docs/metrics.md, model_pool.quality_cost_shared_support_cases."""
    return count(pool.quality_cost_cases, n=pool.cases, planned_n=pool.cases)


def quality_cost_shared_support_fraction(pool: PoolFacts) -> Measured:
    """The same as a share of all cases: docs/metrics.md, model_pool.quality_cost_shared_support_fraction."""
    return share(pool.quality_cost_cases, pool.cases, planned_n=pool.cases) if pool.cases else absent(Reason.NO_CASES, planned_n=0)


def pareto_evaluable_arm_count(pool: PoolFacts, costs: Sequence[CostTally]) -> Measured:
    """Arms whose quality and cost are complete: docs/metrics.md, model_pool.pareto_evaluable_arm_count."""
    return count(len(_evaluable(pool, costs)), n=pool.arms, planned_n=pool.arms)


def pareto_dominated_arm_count(pool: PoolFacts, costs: Sequence[CostTally]) -> Measured:
    """Evaluable arms that another matches in mean quality and mean cost and beats in one of them; twins both stay.

    docs/metrics.md, model_pool.pareto_dominated_arm_count
    """
    if (gap := _gap(pool, pool.quality_cases)) is not None:
        return gap
    arms = _evaluable(pool, costs)
    if len(arms) < 2:
        return absent(Reason.SINGLE_ARM if pool.arms == 1 else Reason.INCOMPLETE_LEDGER, n=len(arms), planned_n=pool.arms)
    if len(frozenset[str | None]().union(*(costs[arm].scopes for arm in arms))) > 1:
        return absent(Reason.MIXED_COST_SCOPES, n=len(arms), planned_n=pool.arms)
    dominated = pareto_dominated([pool.quality_totals[arm] for arm in arms], [costs[arm].pico for arm in arms])
    return count(int(dominated.sum()), n=len(arms), planned_n=pool.arms)


def arm_quality(pool: PoolFacts) -> tuple[Measured, ...]:
    """Mean quality of each arm over all cases, absent for an arm with a missing cell: docs/metrics.md, model_pool.arm.<arm>.quality."""
    return tuple(
        _gap(pool, int(cells)) or mean(total, pool.cases, planned_n=pool.cases)
        for total, cells in zip(pool.quality_totals, pool.quality_cells, strict=True)
    )


def arm_success_rate(pool: PoolFacts) -> tuple[Measured, ...]:
    """Share of cases in which each arm succeeded: docs/metrics.md, model_pool.arm.<arm>.success_rate."""
    return tuple(
        _gap(pool, int(cells)) or proportion(int(successes), pool.cases, planned_n=pool.cases)
        for successes, cells in zip(pool.successes, pool.success_cells, strict=True)
    )


def arm_marginal_contribution(pool: PoolFacts) -> tuple[Measured, ...]:
    """Mean over cases of (best - best without the arm); above 0 only where the arm alone is best.

    docs/metrics.md, model_pool.arm.<arm>.marginal_contribution
    """
    gap = _gap(pool, pool.quality_cases) or (_one_arm(pool.cases) if pool.arms == 1 else None)
    if gap is not None:
        return (gap,) * pool.arms
    lead = pool.best - pool.second  # 0 where two arms share the best
    return tuple(mean(total, pool.cases, planned_n=pool.cases) for total in fixed_totals_by_group(lead, pool.winner, pool.arms))


def arm_runtime_cost_usd(costs: Sequence[CostTally]) -> tuple[Measured, ...]:
    """Cost of all cells of each arm, absent unless every one is known: docs/metrics.md, model_pool.arm.<arm>.runtime_cost_usd."""
    return tuple(tally.complete_usd() for tally in costs)


def arm_known_runtime_cost_usd(costs: Sequence[CostTally]) -> tuple[Measured, ...]:
    """Cost of the known cells of each arm: docs/metrics.md, model_pool.arm.<arm>.known_runtime_cost_usd."""
    return tuple(tally.known_usd() for tally in costs)


def _evaluable(pool: PoolFacts, costs: Sequence[CostTally]) -> list[int]:
    return [arm for arm in range(pool.arms) if pool.quality_cells[arm] == pool.cases and costs[arm].reason is None]


def _unique(pool: PoolFacts) -> int:
    return int((pool.best > pool.second).sum())


def _one_arm(planned_n: int) -> Measured:
    return absent(Reason.SINGLE_ARM, planned_n=planned_n)
