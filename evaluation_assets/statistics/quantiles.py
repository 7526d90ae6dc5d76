"""Quantiles of latencies and other non-negative measurements, by one definition everywhere."""

from math import floor

import numpy as np
from numpy.typing import NDArray

from contracts.errors import InputError


def quantile(values: NDArray[np.float64], q: float) -> float | None:
    """Type 7 of Hyndman and Fan (1996), the default of numpy, R and DuckDB's `quantile_cont`.

        h = (n - 1) q        x[floor h] + (h - floor h) (x[floor h + 1] - x[floor h])        x sorted, counted from 0

    values: shape (n,), any order. None for n = 0. InputError for NaN, infinite or negative values, and q outside [0, 1].
    """
    if not 0.0 <= q <= 1.0:
        raise InputError(f"A quantile lies between 0 and 1, not at {q}.", at="quantile")
    if values.size == 0:
        return None
    if not (values.min() >= 0.0 and values.max() < np.inf):
        raise InputError("A measurement is missing, negative or infinite.", at="quantile")
    ordered = np.sort(values)
    place = (len(ordered) - 1) * q
    below = floor(place)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (place - below) * (ordered[above] - ordered[below]))
