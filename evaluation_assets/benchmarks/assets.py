"""Declares `benchmark_inventory`: the research inventory that ships with the package, as a table."""

import dagster as dg

from evaluation_assets.benchmarks.inventory import inventory
from evaluation_assets.resources import counts, private_failures, reference, table


@dg.asset(group_name="benchmarks")
@private_failures
def benchmark_inventory() -> dg.MaterializeResult:
    """Pinned benchmarks, their sources, and what the normalizers may claim."""
    catalog = inventory()
    rows = [[row.adapter_id, row.status, row.normalizer_id, str(len(row.source_ids))] for row in catalog.benchmarks]
    return dg.MaterializeResult(
        metadata={
            **reference("benchmark-inventory", catalog.identity(), len(catalog.canonical())),
            **counts({"benchmarks": len(catalog.benchmarks), "sources": len(catalog.sources), "normalizers": len(catalog.normalizers)}),
            "inventory": table(["benchmark", "status", "normalizer", "sources"], rows),
        }
    )
