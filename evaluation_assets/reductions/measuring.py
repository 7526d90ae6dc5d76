"""The few ways in which a number becomes `Measured`."""

import numpy as np
from numpy.typing import NDArray

from contracts.measured import Interval, Measured, Reason, absent
from evaluation_assets.statistics.exact import fixed_mean
from evaluation_assets.statistics.proportions import wilson_interval
from evaluation_assets.statistics.quantiles import quantile

CONFIDENCE = 0.95
WILSON = "wilson"


def count(value: int, *, n: int, planned_n: int, excluded: int = 0) -> Measured:
    return Measured(value=float(value), n=n, planned_n=planned_n, excluded=excluded)


def mean(total: int, n: int, *, planned_n: int, excluded: int = 0) -> Measured:
    """total: exact sum of n > 0 values in [0, 1], in units of 2^-52."""
    return Measured(value=fixed_mean(total, n), n=n, planned_n=planned_n, excluded=excluded)


def share(part: int, n: int, *, planned_n: int, excluded: int = 0) -> Measured:
    """part / n, n > 0, without an interval: a census of the plan or of the pool, no sample."""
    return Measured(value=part / n, n=n, planned_n=planned_n, excluded=excluded)


def proportion(successes: int, n: int, *, planned_n: int, excluded: int = 0) -> Measured:
    """successes / n, n > 0, with Wilson's two-sided 95 % interval: docs/metrics.md, wilson."""
    lower, upper = wilson_interval(successes, n, CONFIDENCE)
    interval = Interval(lower=lower, upper=upper, confidence=CONFIDENCE, method=WILSON)
    return Measured(value=successes / n, n=n, planned_n=planned_n, excluded=excluded, interval=interval)


def latency_quantile(latency: NDArray[np.float64], q: float) -> Measured:
    """latency: shape (rows,), milliseconds, NaN where not measured. Type 7 over what was measured: docs/metrics.md, quantile."""
    measured = latency[~np.isnan(latency)]
    value = quantile(measured, q)
    if value is None:
        return absent(Reason.UNMEASURED, planned_n=len(latency))
    return Measured(value=value, n=len(measured), planned_n=len(latency))
