"""G1, static correctness: does the run follow its contract, and has every planned cell exactly one account?

Rule: docs/gates.md, G1. Admission, selection and plan are derived again from the frozen manifest and must come out equal.
"""

import pyarrow as pa

from contracts.errors import EvaluationError
from contracts.foundation import StaticEvidence
from contracts.runs import RunManifest
from contracts.tables import RECORD_TABLES
from contracts.tracks import Track
from evaluation_assets.gates.foundation import decide_facts
from evaluation_assets.gates.interface import Absent, Decision
from evaluation_assets.runs.cohort import selected_suite
from evaluation_assets.runs.create import check_admission
from evaluation_assets.runs.publish import derive_plan
from ledgers.store.parts import table_digest
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store

_EVIDENCE = {
    "target, executor, policy and code are those of the manifest": "run_manifest",
    "the plan follows from the manifest": "execution_plan",
    "every planned cell has exactly one record": "sealed_records",
}


class StaticCorrectness:
    gate = "G1"

    def judge(self, store: Store, run: RunDirectory) -> Decision | Absent:
        found = gather(store, run)
        return found if isinstance(found, Absent) else decide(found)


def gather(store: Store, run: RunDirectory) -> StaticEvidence | Absent:
    if not run.exists("plan.json"):
        return Absent(("execution_plan",), "The plan of this run was not published yet.")
    manifest = run.manifest()
    return StaticEvidence(
        admission_holds=_is_admitted(store, manifest),
        plan_is_derivable=_plan_is_derivable(store, run, manifest),
        every_cell_has_one_record=_is_accounted_for(run, manifest),
        planned_cells=run.plan_part().rows,
    )


def decide(found: StaticEvidence) -> Decision:
    facts = dict(zip(_EVIDENCE, (found.admission_holds, found.plan_is_derivable, found.every_cell_has_one_record), strict=True))
    return decide_facts(
        facts,
        evidence=_EVIDENCE,
        n=found.planned_cells,
        holds=f"All {found.planned_cells} planned cells follow from the manifest and have one record each.",
    )


def _plan_is_derivable(store: Store, run: RunDirectory, manifest: RunManifest) -> bool:
    try:
        suites = [selected_suite(store.suites, manifest, suite_id) for suite_id in manifest.suite_ids]
    except EvaluationError:
        return False
    return table_digest(derive_plan(manifest, suites)) == run.plan_part().table_digest


def _is_accounted_for(run: RunDirectory, manifest: RunManifest) -> bool | None:
    """Planned and recorded rows agree per suite and track; alignment has made each record one planned cell. Unknown without cells."""
    if not run.plan_part().rows or not all(run.has_parts("records", suite_id) for suite_id in manifest.suite_ids):
        return None
    recorded = {
        (suite_id, str(table.track)): part.rows
        for suite_id in manifest.suite_ids
        for table in RECORD_TABLES
        if (part := run.parts("records", suite_id).part(table.name)) is not None
    }
    return recorded == planned_cells(run.plan(["suite_id", "track"]))


def planned_cells(plan: pa.Table) -> dict[tuple[str, str], int]:
    """(suite id, track) -> number of planned cells."""
    counted = plan.group_by(["suite_id", "track"]).aggregate([([], "count_all")])
    return {(row["suite_id"], str(Track(row["track"]))): row["count_all"] for row in counted.to_pylist()}


def _is_admitted(store: Store, manifest: RunManifest) -> bool:
    try:
        check_admission(store, manifest)
    except EvaluationError:
        return False
    return True
