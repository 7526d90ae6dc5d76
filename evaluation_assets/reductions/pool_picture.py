"""The picture of the dense matrix: states of its cells without the cases, and how often each arm was chosen and was the best."""

import numpy as np
from numpy.typing import NDArray

from contracts.pool_pictures import MAX_COLUMNS, STATES, ArmPicture, PoolPicture, in_column_order
from evaluation_assets.reductions.observations import Selections
from evaluation_assets.reductions.pool_facts import PoolFacts
from evaluation_assets.reductions.run_view import RunView

FAILED, UNGRADED, UNOBSERVED = (STATES.index(state) for state in "x?-")


def pool_picture(run: RunView) -> PoolPicture:
    """Deterministic in the records: neither their order nor the ids of cases enter."""
    return picture_of(run.pool, run.selections)


def picture_of(pool: PoolFacts, chosen: Selections) -> PoolPicture:
    """Over all cases of the pool and all routed cells."""
    states = cell_states(pool.quality, pool.success)
    rows: list[str | None] = [None] * pool.arms
    if pool.cases <= MAX_COLUMNS:
        rows[:] = in_column_order(["".join(STATES[state] for state in column) for column in states.T.tolist()])
    solved = pool.best > 0.0  # NaN, where an arm is missing, is not
    alone = solved & (pool.best > pool.second)
    best_alone = np.bincount(pool.winner[alone], minlength=pool.arms).tolist()
    shared = solved & ~alone
    arms = tuple(
        ArmPicture(
            arm_id=arm_id,
            cells=rows[arm],
            histogram=tuple(np.bincount(states[:, arm], minlength=len(STATES)).tolist()),
            selected=selected,
            best_alone=best_alone[arm],
            best_shared=int((pool.quality[shared, arm] == pool.best[shared]).sum()),
        )
        for arm, (arm_id, selected) in enumerate(zip(pool.arm_ids, chosen.counts.tolist(), strict=True))
    )
    return PoolPicture(
        cases=pool.cases,
        complete_cases=pool.quality_cases,
        unsolved_cases=int((pool.best == 0.0).sum()),
        selections=len(chosen.arm),
        selected_elsewhere=chosen.foreign,
        selected_none=len(chosen.arm) - int(chosen.counts.sum()) - chosen.foreign,
        arms=arms,
    )


def cell_states(quality: NDArray[np.float64], success: NDArray[np.int8]) -> NDArray[np.int8]:
    """Shape of both: numbers of STATES. A failed call is `x`, though its quality of 0 is known."""
    missing = np.isnan(quality)
    tenths = np.minimum(np.where(missing, 0.0, quality) * 10.0, 9.0).astype(np.int8)
    absent = np.where(success == 1, np.int8(UNGRADED), np.int8(UNOBSERVED))
    known: NDArray[np.int8] = np.where(success == 0, np.int8(FAILED), tenths)
    return np.where(missing, absent, known)
