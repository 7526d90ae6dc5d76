"""Sums that no order, chunk or thread can change.

A value q in [0, 1] is rounded once to a multiple of 2^-52 and split into two limbs, both integers of at most 2^26:

    hi = floor(q * 2^26)        lo = rint((q * 2^26 - hi) * 2^26)        q ~ (hi * 2^26 + lo) / 2^52

Limbs are added as float64 in blocks of rows so short that each partial sum is an integer below 2^53: every order of
additions gives the same integer, so SIMD and threads are free to choose. Blocks are added as Python integers, and the
total is divided once, correctly rounded. Rounding to 2^-52 moves a mean by at most 2^-53.

Reals that are not in [0, 1] are added by `math.fsum` (rounds once, order-free); integers as integers.
"""

import numpy as np
from numpy.typing import NDArray

from contracts.errors import InputError

SCALE = 1 << 52
_LIMB = float(1 << 26)
_BLOCK = 1 << 13  # rows: with 33 arms the temporaries stay in the second-level cache
_GROUP_BLOCK = 1 << 26  # rows whose limbs, each at most 2^26, still add up below 2^53
_LOW_BITS = (1 << 32) - 1


def fixed_totals(values: NDArray[np.float64]) -> tuple[int, ...]:
    """Sum over axis 0 of values in [0, 1], shape (cases, arms), in units of 2^-52: one integer per column.

    InputError for NaN and for values outside [0, 1].
    """
    totals = [0] * values.shape[1]
    for start in range(0, len(values), _BLOCK):
        high, low = _limbs(values[start : start + _BLOCK])
        for column, (hi, lo) in enumerate(zip(high.sum(axis=0), low.sum(axis=0), strict=True)):
            totals[column] += (int(hi) << 26) + int(lo)
    return tuple(totals)


def fixed_total(values: NDArray[np.float64]) -> int:
    """Sum of values in [0, 1], shape (cases,), in units of 2^-52."""
    return fixed_totals(values[:, np.newaxis])[0]


def fixed_totals_by_group(values: NDArray[np.float64], groups: NDArray[np.integer], count: int) -> tuple[int, ...]:
    """Sum of values in [0, 1] per group number 0..count-1, both of shape (cases,), in units of 2^-52."""
    totals = [0] * count
    for start in range(0, len(values), _GROUP_BLOCK):
        high, low = _limbs(values[start : start + _GROUP_BLOCK])
        numbers = groups[start : start + _GROUP_BLOCK]
        his, los = (np.bincount(numbers, weights=limb, minlength=count) for limb in (high, low))
        totals = [total + (int(hi) << 26) + int(lo) for total, hi, lo in zip(totals, his, los, strict=True)]
    return tuple(totals)


def fixed_mean(total: int, n: int) -> float:
    """`total` in units of 2^-52, over n > 0 values: one correctly rounded division of integers."""
    return total / (n * SCALE)


def integer_total(values: NDArray[np.int64]) -> int:
    """Exact sum of int64 values of any sign; it may exceed int64, so high and low words are added apart."""
    # At most 2^31 rows: words of 32 bits then add up within int64.
    return (int((values >> 32).sum()) << 32) + int((values & _LOW_BITS).sum())


def _limbs(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    # The comparison is written so that NaN, which min and max propagate, fails it.
    if values.size and not (values.min() >= 0.0 and values.max() <= 1.0):
        raise InputError("A value to be averaged is missing or lies outside [0, 1].", at="exact sum")
    scaled = values * _LIMB
    high = np.floor(scaled)
    np.subtract(scaled, high, out=scaled)
    np.multiply(scaled, _LIMB, out=scaled)
    return high, np.rint(scaled, out=scaled)
