"""Declares the nine reductions: one per track, and costs. Five tracks have no reducer yet: they show coverage and null metrics."""

import dagster as dg

from contracts.metrics import MetricValue
from contracts.tracks import Track
from evaluation_assets.partitions import BY_RUN, RUNS
from evaluation_assets.reductions.publish import publish_costs, publish_track
from evaluation_assets.resources import counts, private_failures, reference, table
from ledgers.store.store import Store

SHOWN_METRICS = 60


def _reduction(track: Track) -> dg.AssetsDefinition:
    @dg.asset(
        name=track.value,
        group_name="reductions",
        partitions_def=RUNS,
        deps=[dg.AssetDep("records", partition_mapping=BY_RUN)],
        description=f"Metrics of the track {track.value}, each with its n and, where it is missing, its reason.",
    )
    @private_failures
    def reduce(context: dg.AssetExecutionContext, store: dg.ResourceParam[Store]) -> dg.MaterializeResult:
        metrics = publish_track(store, store.run(context.partition_key), track)
        if metrics is None:
            return dg.MaterializeResult(metadata={"selected": False})
        whole = [metric for metric in metrics.metrics if metric.slice == "all"]
        return dg.MaterializeResult(
            metadata={
                **reference("metrics", metrics.identity(), len(metrics.canonical())),
                "selected": True,
                **counts({"metrics": len(metrics.metrics), "missing": sum(metric.value is None for metric in metrics.metrics)}),
                "all_cases": table(
                    ["metric", "value", "unit", "n", "planned", "reason"], [_shown(metric) for metric in whole[:SHOWN_METRICS]]
                ),
            }
        )

    return reduce


def _shown(metric: MetricValue) -> list[str]:
    value = "" if metric.value is None else repr(metric.value)
    return [metric.metric_id, value, metric.unit, str(metric.n), str(metric.planned_n), metric.reason or ""]


@dg.asset(group_name="reductions", partitions_def=RUNS, deps=[dg.AssetDep("records", partition_mapping=BY_RUN)])
@private_failures
def costs(context: dg.AssetExecutionContext, store: dg.ResourceParam[Store]) -> dg.MaterializeResult:
    """The three cost ledgers; an incomplete one has no amount."""
    sealed = publish_costs(store, store.run(context.partition_key))
    rows = [
        [row.ledger, "" if row.amount_usd is None else repr(row.amount_usd), str(row.n), str(row.planned_n), row.reason or ""]
        for row in sealed.ledgers
    ]
    return dg.MaterializeResult(
        metadata={
            **reference("costs", sealed.identity(), len(sealed.canonical())),
            "ledgers": table(["ledger", "amount_usd", "n", "planned", "reason"], rows),
        }
    )


TRACKS = [_reduction(track) for track in Track]
