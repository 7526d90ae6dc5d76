"""Declares `records`: the observations of each suite, checked against the plan and graded with the hidden labels."""

import dagster as dg

from evaluation_assets.partitions import RUN_SUITES
from evaluation_assets.records.publish import publish_records
from evaluation_assets.resources import counts, private_failures
from ledgers.store.store import Store


@dg.asset(group_name="records", partitions_def=RUN_SUITES, backfill_policy=dg.BackfillPolicy.single_run(), deps=["observations"])
@private_failures
def records(context: dg.AssetExecutionContext, store: dg.ResourceParam[Store]) -> dg.MaterializeResult:
    """Exactly one record per planned cell; a cell without an observation is recorded as unavailable."""
    rows: dict[str, int] = {}
    for key in context.partition_keys:
        run_id, _, suite_id = str(key).partition("|")
        for entry in publish_records(store, store.run(run_id), suite_id).parts:
            rows[entry.table] = rows.get(entry.table, 0) + entry.part.rows
    return dg.MaterializeResult(metadata=counts({"suites": len(context.partition_keys), **rows}))
