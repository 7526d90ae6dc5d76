"""Routing and pool together: how much of what the pool could do did the routed system deliver?

Arrays are of shape (rows,), one row a planned routed call. quality (q) and oracle (o) lie in [0, 1]; a failed call is
0.0; NaN is a call that nobody observed or graded, and one of them makes the metric absent. oracle is the best quality
of the dense matrix on the same case, None without a complete matrix.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from contracts.measured import Measured, Reason, absent
from evaluation_assets.reductions.cost_cells import CostTally, usd
from evaluation_assets.reductions.measuring import latency_quantile, mean, proportion
from evaluation_assets.reductions.observations import Routed
from evaluation_assets.statistics.exact import fixed_total

Values = NDArray[np.float64]


def realized_quality(routed: Routed) -> Measured:
    """mean of q: docs/metrics.md, joint.realized_quality."""
    return _gap(routed) or mean(fixed_total(routed.quality), len(routed.quality), planned_n=len(routed.quality))


def oracle_regret(routed: Routed, oracle: Values | None) -> Measured:
    """mean of max(0, o - q): docs/metrics.md, joint.oracle_regret."""
    planned = len(routed.quality)
    if (gap := _gap(routed)) is not None:
        return gap
    if oracle is None:
        return absent(Reason.NO_DENSE_MATRIX, planned_n=planned)
    return mean(fixed_total(np.maximum(oracle - routed.quality, 0.0)), planned, planned_n=planned)


def normalized_regret(routed: Routed, oracle: Values | None) -> Measured:
    """Mean share of the reachable quality that routing left unused; 0 is best, 1 is worst.

        mean over rows with o > 0 of max(0, o - q) / o        mean of ratios: docs/metrics.md, joint.normalized_regret

    Rows with o = 0 are counted in `excluded`; if no other is left, absent (`zero_oracle`).
    """
    return _mean_of_ratios(routed, oracle, lambda q, o: np.maximum(o - q, 0.0) / o)


def oracle_capture_ratio(routed: Routed, oracle: Values | None) -> Measured:
    """mean over rows with o > 0 of min(1, q / o): docs/metrics.md, joint.oracle_capture_ratio. Excludes as normalized_regret."""
    return _mean_of_ratios(routed, oracle, lambda q, o: np.minimum(q / o, 1.0))


def no_information_frontier_lift(routed: Routed, frontier: Values | None) -> Measured:
    """mean of q - mean of f, f the quality of the best fixed arm on the same case; absent without a complete matrix.

    The best fixed arm has the highest mean quality over the whole matrix, the first id on ties: what a router that
    reads nothing could always have chosen. Source: docs/metrics.md, joint.no_information_frontier_lift
    """
    planned = len(routed.quality)
    if (gap := _gap(routed)) is not None:
        return gap
    if frontier is None:
        return absent(Reason.NO_DENSE_MATRIX, planned_n=planned)
    return mean(fixed_total(routed.quality) - fixed_total(frontier), planned, planned_n=planned)


def reliability(routed: Routed) -> Measured:
    """Successful calls / calls; success says that an answer came, not that it was good: docs/metrics.md, joint.reliability."""
    return _success_gap(routed) or proportion(_successes(routed), len(routed.success), planned_n=len(routed.success))


def runtime_cost_usd(cost: CostTally) -> Measured:
    """Cost of all routed calls, failed ones included: docs/metrics.md, joint.runtime_cost_usd. Absent unless every one is known."""
    return cost.complete_usd() if cost.planned else absent(Reason.NO_CASES, planned_n=0)


def runtime_cost_per_success(routed: Routed, cost: CostTally) -> Measured:
    """Cost of all routed calls / successful calls: docs/metrics.md, joint.runtime_cost_per_success. Absent without a success."""
    if (gap := _success_gap(routed)) is not None:
        return gap
    if cost.amount is None:
        return cost.complete_usd()
    successes = _successes(routed)
    if not successes:
        return absent(Reason.NO_SUCCESS, n=cost.known, planned_n=cost.planned)
    return Measured(value=usd(cost.amount, over=successes), n=cost.known, planned_n=cost.planned)


def latency_p95_ms(routed: Routed) -> Measured:
    """95th percentile of the latency of the routed calls: docs/metrics.md, joint.latency_p95_ms."""
    return latency_quantile(routed.latency, 0.95)


def _mean_of_ratios(routed: Routed, oracle: Values | None, ratio: Callable[[Values, Values], Values]) -> Measured:
    planned = len(routed.quality)
    if (gap := _gap(routed)) is not None:
        return gap
    if oracle is None:
        return absent(Reason.NO_DENSE_MATRIX, planned_n=planned)
    reachable = oracle > 0.0
    n = int(reachable.sum())
    if not n:
        return absent(Reason.ZERO_ORACLE, planned_n=planned, excluded=planned)
    return mean(fixed_total(ratio(routed.quality[reachable], oracle[reachable])), n, planned_n=planned, excluded=planned - n)


def _gap(routed: Routed) -> Measured | None:
    """Absent where a quality is missing: `ungraded` if all those calls were observed, else `unmeasured`."""
    planned, missing = len(routed.quality), np.isnan(routed.quality)
    if not planned:
        return absent(Reason.NO_CASES, planned_n=0)
    if not missing.any():
        return None
    reason = Reason.UNGRADED if (routed.success[missing] >= 0).all() else Reason.UNMEASURED
    return absent(reason, n=planned - int(missing.sum()), planned_n=planned)


def _success_gap(routed: Routed) -> Measured | None:
    planned, known = len(routed.success), int((routed.success >= 0).sum())
    if not planned:
        return absent(Reason.NO_CASES, planned_n=0)
    return absent(Reason.UNMEASURED, n=known, planned_n=planned) if known < planned else None


def _successes(routed: Routed) -> int:
    return int((routed.success == 1).sum())
