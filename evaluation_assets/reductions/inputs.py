"""What a reduction reads: the records of a run per table and suite, the selected cases, and what was planned."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from contracts.errors import IntegrityError
from contracts.tables import record_table
from contracts.tracks import Track
from evaluation_assets.reductions.cells import numbers
from evaluation_assets.reductions.sources import Records


@dataclass(frozen=True)
class ReductionInputs:
    """`tables[name][suite_id]` may load on access; only tables of selected tracks are touched, one suite after the other.

    arm_ids: per suite, in any order. cases: per suite, VISIBLE_CASES of the selected cases, sorted by case id (columns case_id,
    language, domain and modality are read). planned: number of planned cells per selected track. Suites are always
    taken in the order of their ids.
    """

    tracks: tuple[Track, ...]
    arm_ids: Mapping[str, tuple[str, ...]]
    cases: Mapping[str, pa.Table]
    tables: Mapping[str, Mapping[str, Records]]
    planned: Mapping[Track, int]

    @cached_property
    def cohort(self) -> "Cohort":
        return Cohort(tuple(sorted(self.cases)), self.cases)

    @cached_property
    def arms(self) -> tuple[str, ...]:
        """All arms of all suites, each once, sorted."""
        return tuple(sorted({arm for arms in self.arm_ids.values() for arm in arms}))

    def suites_of(self, name: str) -> list[tuple[str, Records]]:
        """(suite id, records) of a record table in suite order. IntegrityError unless its rows are as many as were planned."""
        tables = self.tables.get(name, {})
        if set(tables) - set(self.cases):
            raise IntegrityError("A record table names a suite that is not in the cohort.", at=name)
        loaded = [(suite, tables[suite]) for suite in self.cohort.suites if suite in tables]
        rows, planned = sum(records.num_rows for _, records in loaded), self.planned[record_table(name).track]
        if rows != planned:
            raise IntegrityError(f"{rows} records where {planned} cells were planned.", at=name)
        return loaded


class Cohort:
    """Every selected case has one position: suites by id, cases by id."""

    def __init__(self, suites: tuple[str, ...], cases: Mapping[str, pa.Table]) -> None:
        self.suites = suites
        self._ids = {suite: cases[suite].column("case_id").combine_chunks() for suite in suites}
        ends = np.cumsum([len(self._ids[suite]) for suite in suites], dtype=np.int64).tolist()
        self._starts: dict[str, int] = dict(zip(suites, [0, *ends], strict=False))
        self.size = ends[-1] if ends else 0

    def positions(self, suite: str, case_ids: pa.Array) -> NDArray[np.int64]:
        """Shape (rows,). IntegrityError for a case that is not selected."""
        ids, start = self._ids[suite], self._starts[suite]
        if case_ids.equals(ids):
            return np.arange(len(ids), dtype=np.int64) + start
        found = pc.index_in(case_ids, value_set=ids)
        if found.null_count:
            raise IntegrityError("A record belongs to a case that is not selected.", at=f"suite={suite}")
        return numbers(found).astype(np.int64) + start
