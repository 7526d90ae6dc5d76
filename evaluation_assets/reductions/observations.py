"""Rows of `routes` and `routed_outcomes` as arrays, one entry a planned cell. Their order never matters."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from contracts.tables import SELECTION_STATUSES, record_table
from evaluation_assets.reductions.cells import ABSENT, codes, flags, grades, known_codes, reals
from evaluation_assets.reductions.cost_cells import COST_COLUMNS, CostTally, Scopes, cost_cells
from evaluation_assets.reductions.inputs import ReductionInputs
from evaluation_assets.reductions.sources import batches
from evaluation_assets.statistics.exact import integer_total

SELECTION_CODES = {status: code for code, status in enumerate(SELECTION_STATUSES)}


@dataclass(frozen=True)
class Selections:
    """Which frozen arm each cell chose. arm: shape (rows,), its number, or below 0 (FOREIGN: an arm that was not frozen)."""

    arm: NDArray[np.int32]
    arms: int

    @property
    def counts(self) -> NDArray[np.int64]:
        """Shape (arms,)."""
        return np.bincount(self.arm[self.arm >= 0], minlength=self.arms).astype(np.int64)

    @property
    def foreign(self) -> int:
        return int((self.arm < ABSENT).sum())


@dataclass(frozen=True)
class Routes:
    """Shape (rows,) throughout. case: position in the cohort. status: SELECTION_CODES. latency: ms, NaN where not measured."""

    case: NDArray[np.int64]
    status: NDArray[np.int32]
    fallback: NDArray[np.bool_]
    abstained: NDArray[np.bool_]
    selections: Selections
    latency: NDArray[np.float64]

    def where(self, keep: NDArray[np.bool_]) -> "Routes":
        return Routes(
            self.case[keep],
            self.status[keep],
            self.fallback[keep],
            self.abstained[keep],
            Selections(self.selections.arm[keep], self.selections.arms),
            self.latency[keep],
        )


@dataclass(frozen=True)
class Routed:
    """Shape (rows,) throughout. quality, success: as in cells.py. latency: ms, NaN where not measured."""

    case: NDArray[np.int64]
    quality: NDArray[np.float64]
    success: NDArray[np.int8]
    selections: Selections
    cost_pico: NDArray[np.int64]
    cost_state: NDArray[np.int8]
    scopes: Scopes
    latency: NDArray[np.float64]

    @property
    def cost(self) -> CostTally:
        return CostTally.of(integer_total(self.cost_pico), self.cost_state, self.scopes)

    def where(self, keep: NDArray[np.bool_]) -> "Routed":
        return Routed(
            self.case[keep],
            self.quality[keep],
            self.success[keep],
            Selections(self.selections.arm[keep], self.selections.arms),
            self.cost_pico[keep],
            self.cost_state[keep],
            self.scopes,
            self.latency[keep],
        )


def read_routes(inputs: ReductionInputs) -> Routes:
    case, rows = _gathered(inputs, "routes", ("selection_status", "fallback", "abstained", "selected_arm_id", "latency_ms"))
    status = known_codes(rows.column("selection_status"), SELECTION_CODES, column="selection_status")
    return Routes(
        case=case,
        status=status,
        fallback=(status == SELECTION_CODES["fallback"]) | (flags(rows.column("fallback")) == 1),
        abstained=(status == SELECTION_CODES["abstained"]) | (flags(rows.column("abstained")) == 1),
        selections=_selections(inputs, rows),
        latency=reals(rows.column("latency_ms")),
    )


def read_routed(inputs: ReductionInputs) -> Routed:
    columns = ("status", "success", "quality", "selected_arm_id", "latency_ms", *COST_COLUMNS)
    case, rows = _gathered(inputs, "routed_outcomes", columns)
    scopes = Scopes()
    quality, success = grades(rows)
    cost_pico, cost_state = cost_cells(rows, scopes)
    return Routed(
        case=case,
        quality=quality,
        success=success,
        selections=_selections(inputs, rows),
        cost_pico=cost_pico,
        cost_state=cost_state,
        scopes=scopes,
        latency=reals(rows.column("latency_ms")),
    )


def _selections(inputs: ReductionInputs, rows: pa.RecordBatch) -> Selections:
    return Selections(codes(rows.column("selected_arm_id"), {arm: number for number, arm in enumerate(inputs.arms)}), len(inputs.arms))


def _gathered(inputs: ReductionInputs, name: str, columns: tuple[str, ...]) -> tuple[NDArray[np.int64], pa.RecordBatch]:
    """(positions of the cases, the columns as one batch) of all suites."""
    schema = pa.schema([record_table(name).schema.field(column) for column in ("case_id", *columns)])
    tables, positions = [schema.empty_table()], [np.empty(0, dtype=np.int64)]
    for suite, records in inputs.suites_of(name):
        tables += [pa.Table.from_batches([batch]).cast(schema) for batch in batches(records, schema.names)]
        positions += [inputs.cohort.positions(suite, table.column("case_id").combine_chunks()) for table in tables[len(positions) :]]
    rows = pa.concat_tables(tables)
    return np.concatenate(positions), pa.RecordBatch.from_arrays([column.combine_chunks() for column in rows.columns], schema=schema)
