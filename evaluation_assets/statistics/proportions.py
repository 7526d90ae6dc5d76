"""Bounds on a proportion from counted successes: Wilson's closed form and the exact bounds of Clopper and Pearson.

`*_lower` and `*_upper` are one-sided at `confidence`, `*_interval` is two-sided. All raise InputError for n = 0 and for
counts that are no counts: nothing can be said about a proportion that nobody observed.
"""

from itertools import count
from math import exp, lgamma, log, log1p, sqrt
from statistics import NormalDist

from contracts.errors import InputError

_STEPS = 200
_TINY = 1e-300
_CONVERGED = 4e-16  # one unit in the last place, either side of 1


def wilson_lower(successes: int, n: int, confidence: float = 0.95) -> float:
    """One-sided lower bound."""
    return _wilson(successes, n, 1.0 - confidence, side=-1)


def wilson_upper(successes: int, n: int, confidence: float = 0.95) -> float:
    """One-sided upper bound."""
    return _wilson(successes, n, 1.0 - confidence, side=1)


def wilson_interval(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Two-sided interval; it always contains successes / n."""
    tail = (1.0 - confidence) / 2
    return _wilson(successes, n, tail, side=-1), _wilson(successes, n, tail, side=1)


def clopper_pearson_lower(successes: int, n: int, confidence: float = 0.95) -> float:
    """One-sided lower bound."""
    return _exact_lower(successes, n, 1.0 - confidence)


def clopper_pearson_upper(successes: int, n: int, confidence: float = 0.95) -> float:
    """One-sided upper bound."""
    return _exact_upper(successes, n, 1.0 - confidence)


def clopper_pearson_interval(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Two-sided interval with half of the error in each tail."""
    tail = (1.0 - confidence) / 2
    return _exact_lower(successes, n, tail), _exact_upper(successes, n, tail)


def _check(successes: int, n: int, tail: float) -> None:
    for value in (successes, n):
        if type(value) is not int:
            raise InputError(f"A count is a whole number, not a {type(value).__name__}.", at="proportion")
    if not 0 <= successes <= n or n == 0:
        raise InputError(f"There are no {successes} successes in {n} trials.", at="proportion")
    if not 0.0 < tail < 0.5:
        raise InputError("A confidence lies between 0.5 (one-sided) or 0 (two-sided) and 1.", at="proportion")


def _wilson(successes: int, n: int, tail: float, *, side: int) -> float:
    """Wilson (1927): p solves |p - k/n| = z sqrt(p (1 - p) / n).

    (k/n + z^2/2n  -+  z sqrt(k/n (1 - k/n) / n + z^2/4n^2)) / (1 + z^2/n)
    """
    _check(successes, n, tail)
    if successes == (0 if side < 0 else n):
        return float(side > 0)  # the root is exactly 0 or 1; rounding would miss it
    z = NormalDist().inv_cdf(1.0 - tail)
    share, spread = successes / n, z * z / n
    half = z * sqrt(share * (1.0 - share) / n + spread / (4 * n))
    return min(1.0, max(0.0, (share + spread / 2 + side * half) / (1.0 + spread)))


def _exact_lower(successes: int, n: int, tail: float) -> float:
    """Clopper and Pearson (1934): the p at which `successes` or more have probability `tail`; 0 for none."""
    _check(successes, n, tail)
    return 0.0 if successes == 0 else _beta_quantile(tail, successes, n - successes + 1)


def _exact_upper(successes: int, n: int, tail: float) -> float:
    """The p at which `successes` or fewer have probability `tail`; 1 for all. Mirror image of the lower bound."""
    _check(successes, n, tail)
    return 1.0 if successes == n else 1.0 - _beta_quantile(tail, n - successes, successes + 1)


def _beta_quantile(probability: float, a: int, b: int) -> float:
    """x with I_x(a, b) = probability, by Newton's method kept inside a shrinking bracket."""
    low, high, x = 0.0, 1.0, a / (a + b)
    for _ in range(_STEPS):
        error = _beta_share(x, a, b) - probability
        low, high = (low, x) if error > 0 else (x, high)
        density = exp(_log_beta_kernel(x, a, b) - log(x) - log1p(-x))
        step = x - error / density if density > _TINY else low
        following = step if low < step < high else (low + high) / 2
        if abs(following - x) <= 1e-15 * x:
            return following
        x = following
    return x


def _beta_share(x: float, a: int, b: int) -> float:
    """Regularised incomplete beta function I_x(a, b), 0 < x < 1, by the side whose continued fraction converges."""
    if x < (a + 1) / (a + b + 2):
        return exp(_log_beta_kernel(x, a, b)) * _beta_fraction(x, a, b) / a
    return 1.0 - exp(_log_beta_kernel(1.0 - x, b, a)) * _beta_fraction(1.0 - x, b, a) / b


def _log_beta_kernel(x: float, a: int, b: int) -> float:
    """log of x^a (1 - x)^b / B(a, b)."""
    return lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)


def _beta_fraction(x: float, a: int, b: int) -> float:
    """Continued fraction of I_x(a, b), evaluated forward by Lentz's method (DLMF 8.17.22, 8.17.23). O(sqrt(a + b)) terms."""
    numerator = 1.0
    denominator = fraction = 1.0 / _not_zero(1.0 - (a + b) * x / (a + 1))
    for m in count(1):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for coefficient in (even, odd):
            denominator = 1.0 / _not_zero(1.0 + coefficient * denominator)
            numerator = _not_zero(1.0 + coefficient / numerator)
            fraction *= denominator * numerator
        if abs(denominator * numerator - 1.0) < _CONVERGED:
            break
    return fraction


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
