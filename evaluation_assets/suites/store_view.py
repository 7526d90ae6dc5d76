"""The tables of an installed suite by what they are, for everyone who need not know where they lie.

`columns` keeps memory to what is asked for. Grading, outcomes and decisions hold hidden labels: they never reach a worker.
"""

import pyarrow as pa

from contracts.suites import SuiteManifest
from contracts.tables import DECISIONS, GRADING_CASES, OUTCOMES, VISIBLE_CASES
from evaluation_assets.suites.artifacts import DECISIONS_PATH, GRADING_PATH, OUTCOMES_PATH, VISIBLE_PATH
from ledgers.store.suites import SuiteStore


def visible_cases(store: SuiteStore, manifest: SuiteManifest, columns: list[str] | None = None) -> pa.Table:
    """VISIBLE_CASES, sorted by case id."""
    return store.table(manifest, VISIBLE_PATH, VISIBLE_CASES, columns)


def grading_cases(store: SuiteStore, manifest: SuiteManifest, columns: list[str] | None = None) -> pa.Table:
    """GRADING_CASES, row by row the cases of `visible_cases`."""
    return store.table(manifest, GRADING_PATH, GRADING_CASES, columns)


def recorded_outcomes(store: SuiteStore, manifest: SuiteManifest, columns: list[str] | None = None) -> pa.Table | None:
    """OUTCOMES, sorted by case and arm; None where the source recorded none. A cell without a row was not observed."""
    return None if manifest.suite.artifact(OUTCOMES_PATH) is None else store.table(manifest, OUTCOMES_PATH, OUTCOMES, columns)


def recorded_decisions(store: SuiteStore, manifest: SuiteManifest, columns: list[str] | None = None) -> pa.Table | None:
    """DECISIONS, one row per case; None where the source recorded none."""
    return None if manifest.suite.artifact(DECISIONS_PATH) is None else store.table(manifest, DECISIONS_PATH, DECISIONS, columns)
