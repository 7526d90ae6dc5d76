"""What an executor is given, and what it gives back. One typed boundary for all of them.

An executor never sees hidden labels: the grading cases stay behind, and join when its rows are graded.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc

from contracts.canonical import digest_of
from contracts.runs import RunManifest
from contracts.tracks import Track
from evaluation_assets.runs.cohort import SelectedSuite
from evaluation_assets.suites.store_view import grading_cases
from ledgers.store.suites import SuiteStore

Observed = Mapping[str, pa.Table]
"""Record table name -> rows with the columns of RecordTable.observed, in any order. A planned cell may lack its row."""


@dataclass(frozen=True)
class EvaluationInputs:
    """One suite of one run. `plan`: the rows of this suite (contracts.tables.PLAN)."""

    run: RunManifest
    suite: SelectedSuite
    plan: pa.Table
    suites: SuiteStore

    @property
    def tracks(self) -> tuple[Track, ...]:
        """The tracks of the run that this suite owes cells for."""
        planned = set(self.plan.column("track").unique().to_pylist())
        return tuple(track for track in self.run.tracks if track in planned)

    def recorded(self, path: str, schema: pa.Schema) -> pa.Table | None:
        """Rows that the source recorded for the selected cases, or None where the suite has no such artifact."""
        if self.suite.manifest.suite.artifact(path) is None:
            return None
        rows = self.suites.table(self.suite.manifest, path, schema)
        if self.suite.frozen.selected_cases == self.suite.manifest.suite.case_count:
            return rows
        return rows.filter(pc.is_in(rows.column("case_id"), self.suite.cases.column("case_id").combine_chunks()))

    def case_snapshots(self) -> dict[str, str]:
        """Case id -> digest over everything that the suite holds of the case, visible and hidden. One way: no label can be read from it."""
        cases = self.suite.cases
        grading = grading_cases(self.suites, self.suite.manifest)
        hidden = grading.filter(pc.is_in(grading.column("case_id"), cases.column("case_id").combine_chunks()))
        pairs = zip(cases.to_pylist(), hidden.to_pylist(), strict=True)
        return {seen["case_id"]: digest_of("case-snapshot", {"visible": seen, "grading": label}) for seen, label in pairs}


class Executor(Protocol):
    """Observes every planned cell of one suite, or leaves it out; it never invents one."""

    executor_id: str

    def observe(self, inputs: EvaluationInputs) -> Observed: ...
