"""Declares `suite_source` and `suite`: where an installed suite came from, and what it holds. Labels stay in the store."""

import dagster as dg

from evaluation_assets.partitions import SUITES
from evaluation_assets.resources import counts, private_failures, reference, table
from ledgers.store.store import Store


@dg.asset(group_name="suites", partitions_def=SUITES, deps=["benchmark_inventory"])
@private_failures
def suite_source(context: dg.AssetExecutionContext, store: dg.ResourceParam[Store]) -> dg.MaterializeResult:
    """What was known about the origin of the bytes when they were normalized."""
    suite = store.suites.open(context.partition_key).suite
    return dg.MaterializeResult(
        metadata={
            **reference("source-receipt", suite.source.identity(), len(suite.source.canonical())),
            "status": suite.source.status.value,
            "adapter": suite.adapter_id,
            "normalizer": suite.normalizer_id,
            "origin": suite.origin,
            **counts({"export_files": len(suite.source.export_files)}),
        }
    )


@dg.asset(group_name="suites", partitions_def=SUITES, deps=["suite_source"])
@private_failures
def suite(context: dg.AssetExecutionContext, store: dg.ResourceParam[Store]) -> dg.MaterializeResult:
    """The frozen cohort: revision, cases, arms, and the quality issues that a reader of its numbers must know."""
    manifest = store.suites.open(context.partition_key)
    issues = [[issue.kind, str(issue.count)] for issue in manifest.suite.quality_issues]
    return dg.MaterializeResult(
        metadata={
            **reference("suite", manifest.revision, sum(artifact.size_bytes for artifact in manifest.suite.artifacts)),
            "source_status": manifest.suite.source.status.value,
            "tracks": ", ".join(manifest.suite.tracks),
            "arms": ", ".join(manifest.suite.arm_ids),
            **counts({"cases": manifest.suite.case_count}),
            "quality_issues": table(["kind", "count"], issues),
        }
    )
