"""Declares `observations`: what the executor of a run saw on each of its suites, ungraded and private."""

import dagster as dg

from evaluation_assets.execution.observe import publish_observations
from evaluation_assets.partitions import BY_RUN, BY_SUITE, RUN_SUITES
from evaluation_assets.resources import counts, private_failures
from ledgers.store.store import Store


@dg.asset(
    group_name="execution",
    partitions_def=RUN_SUITES,
    backfill_policy=dg.BackfillPolicy.single_run(),
    deps=[dg.AssetDep("execution_plan", partition_mapping=BY_RUN), dg.AssetDep("suite", partition_mapping=BY_SUITE)],
)
@private_failures
def observations(context: dg.AssetExecutionContext, store: dg.ResourceParam[Store]) -> dg.MaterializeResult:
    """One step for a block of suites; each is published whole. Cells that nobody observed have no row here."""
    rows = 0
    for key in context.partition_keys:
        run_id, _, suite_id = str(key).partition("|")
        rows += sum(entry.part.rows for entry in publish_observations(store, store.run(run_id), suite_id).parts)
    return dg.MaterializeResult(metadata=counts({"suites": len(context.partition_keys), "rows": rows}))
