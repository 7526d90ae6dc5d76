"""The dense matrix: every frozen arm's observed answer to every case, as arrays of shape (cases, arms).

Rules:
- `outcomes` is sorted by case, arm, action, attempt and holds exactly the planned cells, so building is a reshape. Each
  row is checked to be the cell that its place says; another order, a repeated, missing or foreign cell is an
  IntegrityError, never a gap that is quietly filled.
- A cell that nobody observed is in the table too, as `unavailable`: it is missing here (NaN, MISSING), never 0.
- Suites are stacked in the given order. An arm that a suite does not have is missing on the suite's cases.
- One column is contiguous in memory (the arrays are views of (arms, cases)), since all reductions run along cases.
- One answer per cell: action variants of an arm and repeated attempts make more rows than cells and are refused.
- One batch of the needed columns is in memory beside the result. Costs are added up per arm on the way: 8 bytes a cell
  that no reduction reads again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from contracts.errors import IntegrityError
from contracts.measured import Reason
from evaluation_assets.reductions.cells import MISSING, codes, encode, grades, indices
from evaluation_assets.reductions.cost_cells import COST_COLUMNS, CostTally, Scopes, cost_cells, missing_state
from evaluation_assets.reductions.sources import BATCH_ROWS, Records, batches
from evaluation_assets.statistics.exact import integer_total

_COLUMNS = ("case_id", "arm_id", "status", "success", "quality", *COST_COLUMNS)


@dataclass(frozen=True)
class DenseMatrix:
    """Shape (cases, arms) throughout; rows by suite and case id, columns by arm id.

    quality: in [0, 1], NaN where missing. success: 1, 0 or MISSING. cost_known: whether the cell has a cost.
    arm_costs: per arm, over all its cells.
    """

    case_ids: pa.Array
    suite_cases: tuple[int, ...]
    arm_ids: tuple[str, ...]
    quality: NDArray[np.float64]
    success: NDArray[np.int8]
    cost_known: NDArray[np.bool_]
    arm_costs: tuple[CostTally, ...]

    @property
    def cases(self) -> int:
        return len(self.quality)


@dataclass(frozen=True)
class SuiteOutcomes:
    """The `outcomes` of one suite, and the arms that were frozen for it, sorted."""

    suite_id: str
    records: Records
    arm_ids: tuple[str, ...]


def dense_matrix(suites: Sequence[SuiteOutcomes], arm_ids: tuple[str, ...]) -> DenseMatrix:
    """Stack suites over the sorted union of their arms. IntegrityError when rows != cases x arms or a row is out of place."""
    counts = tuple(_case_count(suite) for suite in suites)
    filling = _Filling(sum(counts), arm_ids)
    for suite, cases in zip(suites, counts, strict=True):
        filling.add(suite, cases)
    return filling.result(counts)


def _case_count(suite: SuiteOutcomes) -> int:
    arms, rows = len(suite.arm_ids), suite.records.num_rows
    if rows % arms if arms else rows:
        raise IntegrityError(f"{rows} outcomes are not one for each case and each of {arms} arms.", at=f"outcomes/suite={suite.suite_id}")
    return rows // arms if arms else 0


class _Filling:
    """Arrays of shape (arms, cases), filled batch by batch."""

    def __init__(self, cases: int, arm_ids: tuple[str, ...]) -> None:
        shape = (len(arm_ids), cases)
        self._arm_ids = arm_ids
        self._scopes = Scopes()
        self._quality = np.full(shape, np.nan)
        self._success = np.full(shape, MISSING, dtype=np.int8)
        self._cost_totals = [0] * len(arm_ids)
        self._cost_state = np.full(shape, missing_state(Reason.ABSENT_CELL), dtype=np.int8)
        self._case_ids: list[pa.Array] = []
        self._done = 0

    def add(self, suite: SuiteOutcomes, cases: int) -> None:
        order = _Order(suite)
        columns = np.array([self._arm_ids.index(arm) for arm in suite.arm_ids], dtype=np.intp)
        row = 0
        for batch in batches(suite.records, _COLUMNS):
            order.check(batch, row)
            quality, success = grades(batch)
            cost_pico, cost_state = cost_cells(batch, self._scopes)
            for target, values in ((self._quality, quality), (self._success, success), (self._cost_state, cost_state)):
                _put(target[:, self._done :], columns, row, values)
            self._add_costs(columns, row, cost_pico)
            row += batch.num_rows
        self._case_ids.append(order.case_ids())
        self._done += cases

    def _add_costs(self, columns: NDArray[np.intp], row: int, pico: NDArray[np.int64]) -> None:
        arms = len(columns)
        by_arm = np.zeros((arms, len(pico) // arms + 2), dtype=np.int64)
        _put(by_arm, np.arange(arms), row % arms, pico)
        for column, amounts in zip(columns.tolist(), by_arm, strict=True):
            self._cost_totals[column] += integer_total(amounts)

    def result(self, suite_cases: tuple[int, ...]) -> DenseMatrix:
        return DenseMatrix(
            case_ids=pa.concat_arrays([pa.array([], pa.string()), *self._case_ids]),
            suite_cases=suite_cases,
            arm_ids=self._arm_ids,
            quality=self._quality.T,
            success=self._success.T,
            cost_known=(self._cost_state >= 0).T,
            arm_costs=tuple(
                CostTally.of(pico, state, self._scopes) for pico, state in zip(self._cost_totals, self._cost_state, strict=True)
            ),
        )


def _put(target: NDArray[np.generic], columns: NDArray[np.intp], row: int, values: NDArray[np.generic]) -> None:
    """Write case-major cells from flat number `row` on into target (arms, cases): the end of a case, whole cases, the begin of one."""
    arms = len(columns)
    case, offset = divmod(row, arms)
    if offset:
        head = min(arms - offset, len(values))
        target[columns[offset : offset + head], case] = values[:head]
        values, case = values[head:], case + 1
    whole = len(values) // arms
    target[columns, case : case + whole] = values[: whole * arms].reshape(whole, arms).T
    tail = values[whole * arms :]
    if len(tail):
        target[columns[: len(tail)], case + whole] = tail


class _Order:
    """Checks that row r of a suite is arm r mod A of its case r div A, with case ids strictly rising."""

    def __init__(self, suite: SuiteOutcomes) -> None:
        self._at = f"outcomes/suite={suite.suite_id}"
        self._numbers = {arm: number for number, arm in enumerate(suite.arm_ids)}
        arms = len(suite.arm_ids)
        self._expected = np.tile(np.arange(arms, dtype=np.int32), BATCH_ROWS // arms + 2)
        self._firsts: list[pa.Array] = []
        self._last: str | None = None

    def check(self, batch: pa.RecordBatch, row: int) -> None:
        offset = row % len(self._numbers)
        expected = self._expected[offset : offset + batch.num_rows]
        case = encode(batch.column("case_id"))
        places = indices(case, null=-1)
        begins = expected == 0
        # Inside a batch a new case begins exactly where the first arm stands again.
        in_place = np.array_equal(codes(batch.column("arm_id"), self._numbers), expected)
        if not (in_place and np.array_equal(places[1:] != places[:-1], begins[1:])):
            raise self._misplaced()
        if offset and case[0].as_py() != self._last:
            raise self._misplaced()
        self._firsts.append(case.dictionary.take(pa.array(places[begins])))
        self._last = case[batch.num_rows - 1].as_py()

    def case_ids(self) -> pa.Array:
        ids = pa.concat_arrays([pa.array([], pa.string()), *self._firsts])
        if not pc.all(pc.less(ids[:-1], ids[1:]), min_count=0).as_py():
            raise self._misplaced()
        return ids

    def _misplaced(self) -> IntegrityError:
        return IntegrityError("Outcomes are not exactly the planned cells, sorted by case and arm.", at=self._at)
