"""Declares `report`: the sealed report of one run, with its levels, coverage and digest; the page itself is served by us."""

import dagster as dg

from contracts.clock import utc_now
from contracts.reports import Report
from evaluation_assets.partitions import RUNS
from evaluation_assets.reports.plots import coverage_svg, gate_strip_svg
from evaluation_assets.reports.pool_plots import pool_matrix_svg, pool_shares_svg
from evaluation_assets.reports.scatter import quality_cost_svg
from evaluation_assets.reports.sealing import seal_run
from evaluation_assets.resources import Shown, picture, private_failures, reference, table
from ledgers.store.store import Store


@dg.asset(group_name="reports", partitions_def=RUNS, deps=["gates"])
@private_failures
def report(context: dg.AssetExecutionContext, store: dg.ResourceParam[Store], principal: dg.ResourceParam[str]) -> dg.MaterializeResult:
    """Sealed once. An E0 report has no headline."""
    run = store.run(context.partition_key)
    sealed = seal_run(store, run, principal=principal, now=utc_now())
    coverage = [
        [row.track, str(row.planned), str(row.succeeded), str(row.failed), str(row.unavailable), row.level] for row in sealed.coverage
    ]
    return dg.MaterializeResult(
        metadata={
            **reference("report", sealed.result_digest, len(sealed.canonical())),
            "evidence_level": sealed.evidence_level,
            "environment_kind": sealed.environment_kind,
            "page": dg.MetadataValue.url(f"/reports/{run.run_id}"),
            "coverage": table(["track", "planned", "succeeded", "failed", "unavailable", "level"], coverage),
            **_pictures(sealed),
        }
    )


def _pictures(report: Report) -> Shown:
    """The plots of the page, without a label or a case."""
    shown = {
        "gates_plot": picture(gate_strip_svg(report.gates), "ten gates"),
        "coverage_plot": picture(coverage_svg(report.coverage), "coverage per track"),
    }
    if report.pool is not None:
        shown["matrix_plot"] = picture(pool_matrix_svg(report.pool), "every arm on every case")
        shown["shares_plot"] = picture(pool_shares_svg(report.pool), "chosen against best")
    front = quality_cost_svg(report)
    return shown if front is None else {**shown, "front_plot": picture(front, "quality against cost")}
