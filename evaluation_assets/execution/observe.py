"""One suite of one run is executed and its observations are published: private, ungraded, once."""

import pyarrow.compute as pc

from contracts.errors import DocumentError
from contracts.reports import SuiteParts
from contracts.tables import TABLE_OF_TRACK, record_table
from evaluation_assets.execution.executors.interface import EvaluationInputs
from evaluation_assets.execution.executors.registry import EXECUTORS
from evaluation_assets.runs.cohort import selected_suite
from evaluation_assets.runs.create import check_admission
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store


def publish_observations(store: Store, run: RunDirectory, suite_id: str) -> SuiteParts:
    """Observe every planned cell of `suite_id`. Published already: the list that is there, after the same admission."""
    manifest = run.require_admitted()
    check_admission(store, manifest)
    if run.has_parts("observations", suite_id):
        return run.parts("observations", suite_id)
    plan = run.plan()
    inputs = EvaluationInputs(
        run=manifest,
        suite=selected_suite(store.suites, manifest, suite_id),
        suites=store.suites,
        plan=plan.filter(pc.equal(plan.column("suite_id"), suite_id)),
    )
    observed = EXECUTORS[manifest.executor_id].observe(inputs)
    planned = {TABLE_OF_TRACK[track].name for track in inputs.tracks}
    for name, rows in observed.items():
        if name not in planned:
            raise DocumentError("An executor handed over a table that was not planned.", at=manifest.executor_id)
        if not rows.schema.equals(record_table(name).observed):
            raise DocumentError("An executor handed over other columns than its record table has.", at=f"{manifest.executor_id}  {name}")
    run.require_admitted()
    return run.publish_parts("observations", suite_id, dict(observed))
