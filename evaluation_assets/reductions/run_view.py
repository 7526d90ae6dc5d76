"""What the metrics of one run read, each part loaded when the first metric asks for it; and the same for a slice of the cases."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from contracts.tracks import Track
from evaluation_assets.reductions.cost_cells import CostTally
from evaluation_assets.reductions.inputs import ReductionInputs
from evaluation_assets.reductions.matrix import DenseMatrix, SuiteOutcomes, dense_matrix
from evaluation_assets.reductions.observations import Routed, Routes, Selections, read_routed, read_routes
from evaluation_assets.reductions.pool_facts import PoolFacts, pool_facts


class RunView:
    """The whole run."""

    def __init__(self, inputs: ReductionInputs) -> None:
        self.inputs = inputs

    @cached_property
    def matrix(self) -> DenseMatrix:
        inputs = self.inputs
        suites = [SuiteOutcomes(suite, rows, tuple(sorted(inputs.arm_ids[suite]))) for suite, rows in inputs.suites_of("outcomes")]
        return dense_matrix(suites, inputs.arms)

    @cached_property
    def matrix_case(self) -> NDArray[np.int64]:
        """Shape (cases of the matrix,): position of each in the cohort."""
        positions, start = [np.empty(0, dtype=np.int64)], 0
        for (suite, _), cases in zip(self.inputs.suites_of("outcomes"), self.matrix.suite_cases, strict=True):
            positions.append(self.inputs.cohort.positions(suite, self.matrix.case_ids.slice(start, cases)))
            start += cases
        return np.concatenate(positions)

    @cached_property
    def pool(self) -> PoolFacts:
        return pool_facts(self.matrix)

    @property
    def arm_costs(self) -> tuple[CostTally, ...]:
        return self.matrix.arm_costs

    @cached_property
    def routes(self) -> Routes:
        return read_routes(self.inputs)

    @cached_property
    def routed(self) -> Routed:
        return read_routed(self.inputs)

    @cached_property
    def selections(self) -> Selections:
        """Of the routed calls if the run has some that name an arm, else of the routing decisions."""
        chosen = Selections(np.empty(0, dtype=np.int32), len(self.inputs.arms))
        if Track.ROUTING in self.inputs.tracks:
            chosen = self.routes.selections
        if Track.JOINT in self.inputs.tracks and (self.routed.selections.counts.any() or not len(chosen.arm)):
            chosen = self.routed.selections
        return chosen

    def rows(self, track: Track) -> int:
        """Planned cells of the track in this view; cases for the model pool."""
        match track:
            case Track.ROUTING:
                return len(self.routes.case)
            case Track.MODEL_POOL:
                return self.pool.cases
            case Track.JOINT:
                return len(self.routed.case)
            case _:
                return 0

    def oracle(self, case: NDArray[np.int64]) -> NDArray[np.float64] | None:
        """Shape of `case`: best quality of the dense matrix on these cases. None if one of them is not complete, or no matrix is."""
        rows = self._dense_rows(case)
        return None if rows is None else self.pool.best[rows]

    def frontier(self, case: NDArray[np.int64]) -> NDArray[np.float64] | None:
        """Shape of `case`: quality of the best fixed arm on these cases, None as for `oracle`."""
        rows = self._dense_rows(case)
        return None if rows is None else self.pool.quality[rows, self.pool.frontier]

    def chosen(self, case: NDArray[np.int64], selections: Selections) -> NDArray[np.float64] | None:
        """Shape of `case`: dense quality of the chosen arm, NaN where none of the frozen arms was chosen; None as for `oracle`."""
        rows = self._dense_rows(case)
        if rows is None:
            return None
        return np.where(selections.arm >= 0, self.pool.quality[rows, selections.arm], np.nan)

    def _dense_rows(self, case: NDArray[np.int64]) -> NDArray[np.int64] | None:
        if Track.MODEL_POOL not in self.inputs.tracks or not self.pool.quality_complete:
            return None
        row_of_case = np.full(self.inputs.cohort.size, -1, dtype=np.int64)
        row_of_case[self.matrix_case] = np.arange(len(self.matrix_case))
        rows = row_of_case[case]
        return None if (rows < 0).any() else rows


class SliceView(RunView):
    """The cases of one slice. Costs are added up over the whole run and have no slices."""

    def __init__(self, whole: RunView, members: NDArray[np.bool_]) -> None:
        super().__init__(whole.inputs)
        self._whole = whole
        self._members = members

    @cached_property
    def matrix(self) -> DenseMatrix:
        return self._whole.matrix

    @cached_property
    def _kept(self) -> NDArray[np.bool_]:
        return self._members[self._whole.matrix_case]

    @cached_property
    def matrix_case(self) -> NDArray[np.int64]:
        return self._whole.matrix_case[self._kept]

    @cached_property
    def pool(self) -> PoolFacts:
        return pool_facts(self.matrix, self._kept)

    @property
    def arm_costs(self) -> tuple[CostTally, ...]:
        raise ValueError("a cost metric is marked as sliced in the catalog")

    @cached_property
    def routes(self) -> Routes:
        return self._whole.routes.where(self._members[self._whole.routes.case])

    @cached_property
    def routed(self) -> Routed:
        return self._whole.routed.where(self._members[self._whole.routed.case])
