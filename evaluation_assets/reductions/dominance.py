"""Which arms nobody would miss: dominated on every case, or on mean quality and mean cost together."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_TILES = (256, 1 << 14)  # most pairs are settled by the first few cases; the rest is read in longer tiles


def quality_dominated(quality: NDArray[np.float64], totals: Sequence[int]) -> NDArray[np.bool_]:
    """quality: complete, shape (cases, arms); totals: its column sums. Flag per arm: another arm is never worse and once better.

    An arm of smaller total cannot dominate; equal totals are compared, since rounding to 2^-52 may hide a difference.
    """
    cases, arms = quality.shape
    never_worse = np.array([[a != b and totals[b] >= totals[a] for b in range(arms)] for a in range(arms)], dtype=np.bool_)
    once_better = np.zeros((arms, arms), dtype=np.bool_)
    start = 0
    while start < cases and never_worse.any():
        stop = min(cases, start + _TILES[start > 0])
        tile = quality.T[:, start:stop]
        for a, b in np.argwhere(never_worse).tolist():
            never_worse[a, b] = (tile[b] >= tile[a]).all()
            once_better[a, b] |= (tile[b] > tile[a]).any()
        start = stop
    return np.asarray((never_worse & once_better).any(axis=1), dtype=np.bool_)


def pareto_dominated(quality_totals: Sequence[int], cost_totals: Sequence[int]) -> NDArray[np.bool_]:
    """Flag per arm: another has at least its quality for at most its cost, and one of the two strictly. Twins both stay.

    Both sequences are exact totals over the same cases, so means need not be formed.
    """
    arms = list(zip(quality_totals, cost_totals, strict=True))
    return np.array(
        [any(q >= quality and c <= cost and (q > quality or c < cost) for q, c in arms) for quality, cost in arms], dtype=np.bool_
    )
