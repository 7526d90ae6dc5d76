"""Every planned cell gets exactly one record: what was observed, or a row that says that nothing was.

An observation outside the plan, or a second one of the same cell, is refused; it is never dropped silently. O(n log n).
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from contracts.errors import DocumentError
from contracts.measured import Reason
from contracts.tables import RecordTable


def align(plan: pa.Table, observed: pa.Table, table: RecordTable) -> pa.Table:
    """Rows of `table.observed`, one per row of `plan` and in its order.

    plan: the cells of one suite and track (contracts.tables.PLAN). observed: rows of the same table in any order.
    """
    planned, seen = _codes(plan, observed, table.key)
    order = np.argsort(planned, kind="stable")
    if not np.diff(planned[order]).all():
        raise DocumentError("The plan holds a cell twice.", at=table.name)
    place = np.searchsorted(planned, seen, sorter=order)
    found = order[np.minimum(place, len(order) - 1)] if len(order) else np.zeros(len(seen), dtype=np.int64)
    if len(seen) and (not len(order) or (planned[found] != seen).any()):
        raise DocumentError("An observation belongs to no planned cell.", at=table.name)
    if len(np.unique(found)) != len(found):
        raise DocumentError("A planned cell was observed twice.", at=table.name)
    source = np.full(len(planned), -1, dtype=np.int64)
    source[found] = np.arange(len(found))
    return _fill(plan, observed, table, source)


def _codes(plan: pa.Table, observed: pa.Table, key: tuple[str, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One integer per cell; equal integers mean equal keys. Null (no action) is a value of its own."""
    planned, seen = np.zeros(len(plan), dtype=np.int64), np.zeros(len(observed), dtype=np.int64)
    for name in key:
        values = pc.unique(pa.chunked_array([*plan.column(name).chunks, *observed.column(name).chunks]))
        width = len(values) + 1
        if int(max(planned.max(initial=0), seen.max(initial=0))) > (2**62) // width:
            raise DocumentError("The plan has more cells than can be numbered.", at=name)
        planned = planned * width + _index(plan.column(name), values)
        seen = seen * width + _index(observed.column(name), values)
    return planned, seen


def _index(column: pa.ChunkedArray, values: pa.Array) -> NDArray[np.int64]:
    places: NDArray[np.int64] = pc.index_in(column, value_set=values).cast(pa.int64()).to_numpy()
    return places


def _fill(plan: pa.Table, observed: pa.Table, table: RecordTable, source: NDArray[np.int64]) -> pa.Table:
    absent = pa.array(source < 0)
    rows = observed.take(pa.array(source, mask=source < 0))
    columns = {}
    for field in table.observed:
        column = rows.column(field.name)
        if field.name in table.key:
            column = plan.column(field.name).cast(field.type)
        elif field.name == table.status:
            column = pc.if_else(absent, "unavailable", column)
        elif field.name == "reason":
            column = pc.if_else(absent, str(Reason.ABSENT_CELL), column)
        columns[field.name] = column
    return pa.table([columns[name] for name in table.observed.names], schema=table.observed)
