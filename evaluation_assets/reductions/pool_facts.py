"""One pass over the dense matrix: the counts and exact totals that all pool metrics are made of.

The pass runs over tiles of cases. Per case it keeps the best and the second best quality and who is best, which is all
that oracle, unique wins and marginal contributions need.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluation_assets.reductions.matrix import DenseMatrix
from evaluation_assets.statistics.exact import fixed_totals

_TILE = 1 << 14


@dataclass(frozen=True)
class PoolFacts:
    """`*_cells`: known cells per arm, shape (arms,). `*_cases`: cases in which every arm is known.

    quality, success: as in DenseMatrix, for the cases of the run or of one slice. quality_totals: per arm over its known
    cells, in units of 2^-52. best, second: shape (cases,), NaN where an arm is missing; second is -inf for a pool of one.
    winner: number of the first arm at the best quality. successes: per arm. all_failed: cases in which no arm succeeded,
    among those where all are known.
    """

    arm_ids: tuple[str, ...]
    quality: NDArray[np.float64]
    success: NDArray[np.int8]
    quality_cells: NDArray[np.int64]
    quality_cases: int
    success_cells: NDArray[np.int64]
    success_cases: int
    quality_cost_cases: int
    quality_totals: tuple[int, ...]
    best: NDArray[np.float64]
    second: NDArray[np.float64]
    winner: NDArray[np.int64]
    successes: NDArray[np.int64]
    all_failed: int

    @property
    def cases(self) -> int:
        return len(self.quality)

    @property
    def arms(self) -> int:
        return len(self.arm_ids)

    @property
    def quality_complete(self) -> bool:
        return self.quality_cases == self.cases

    @property
    def success_complete(self) -> bool:
        return self.success_cases == self.cases

    @cached_property
    def frontier(self) -> int:
        """The arm with the highest mean quality, the first by id on ties. Only for a complete matrix."""
        return self.quality_totals.index(max(self.quality_totals))


def pool_facts(matrix: DenseMatrix, keep: NDArray[np.bool_] | None = None) -> PoolFacts:
    """keep: shape (cases,), the cases of a slice; all of them without it."""
    quality, success, cost_known = matrix.quality.T, matrix.success.T, matrix.cost_known.T
    if keep is not None:
        quality, success, cost_known = quality[:, keep], success[:, keep], cost_known[:, keep]
    arms, cases = quality.shape
    cells, successes, success_cells = (np.zeros(arms, dtype=np.int64) for _ in range(3))
    totals = [0] * arms
    best, second, winner = np.full(cases, np.nan), np.full(cases, np.nan), np.zeros(cases, dtype=np.int64)
    success_cases = quality_cost_cases = all_failed = 0
    for start in range(0, cases if arms else 0, _TILE):
        tile = slice(start, start + _TILE)
        missing = np.isnan(quality[:, tile])
        known = np.where(missing, 0.0, quality[:, tile]) if missing.any() else quality[:, tile]
        cells += (~missing).sum(axis=1)
        totals = [total + more for total, more in zip(totals, fixed_totals(known.T), strict=True)]
        best[tile], second[tile], winner[tile] = _leaders(quality[:, tile])
        success_cells += (success[:, tile] >= 0).sum(axis=1)
        successes += (success[:, tile] == 1).sum(axis=1)
        success_cases += int((success[:, tile] >= 0).all(axis=0).sum())
        all_failed += int((success[:, tile] == 0).all(axis=0).sum())
        quality_cost_cases += int((cost_known[:, tile] & ~missing).all(axis=0).sum())
    return PoolFacts(
        arm_ids=matrix.arm_ids,
        quality=quality.T,
        success=success.T,
        quality_cells=cells,
        quality_cases=int((~np.isnan(best)).sum()),
        success_cells=success_cells,
        success_cases=success_cases,
        quality_cost_cases=quality_cost_cases,
        quality_totals=tuple(totals),
        best=best,
        second=second,
        winner=winner,
        successes=successes,
        all_failed=all_failed,
    )


def _leaders(quality: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """(best, second best, first arm at the best) per case of a tile (arms, cases); NaN of any arm stays NaN in the first two."""
    best = quality[0].copy()
    second = np.where(np.isnan(best), np.nan, -np.inf)
    winner = np.zeros(len(best), dtype=np.int64)
    for arm, challenger in enumerate(quality[1:], start=1):
        np.maximum(second, np.minimum(best, challenger), out=second)
        winner[challenger > best] = arm
        np.maximum(best, challenger, out=best)
    return best, second, winner
