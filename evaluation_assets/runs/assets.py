"""Declares `run_manifest` and `execution_plan`: what was frozen, and the cells that it owes."""

import dagster as dg

from evaluation_assets.partitions import RUNS, UNRELATED
from evaluation_assets.resources import counts, private_failures, reference
from evaluation_assets.runs.create import check_admission
from evaluation_assets.runs.publish import publish_plan
from evaluation_assets.targets.subjects import Subjects
from ledgers.store.store import Store


@dg.asset(group_name="runs", partitions_def=RUNS, deps=["target_catalog", dg.AssetDep("suite", partition_mapping=UNRELATED)])
@private_failures
def run_manifest(
    context: dg.AssetExecutionContext, store: dg.ResourceParam[Store], subjects: dg.ResourceParam[Subjects]
) -> dg.MaterializeResult:
    """Frozen when the run was created; here admission and subject are checked once more. A run that the store lacks is refused."""
    run = store.run(context.partition_key)
    manifest = run.require_admitted()
    check_admission(store, manifest)
    subjects.check_unchanged(manifest.target)
    return dg.MaterializeResult(
        metadata={
            **reference("run-manifest", manifest.identity(), len(manifest.canonical())),
            "target": manifest.target.target_id,
            "executor": manifest.executor_id,
            "change_profile": manifest.change_profile,
            "suites": ", ".join(manifest.suite_ids),
            "tracks": ", ".join(manifest.tracks),
            "environment_kind": manifest.environment_kind,
            **counts({"cases": sum(suite.selected_cases for suite in manifest.suites), "seed": manifest.seed}),
        }
    )


@dg.asset(group_name="runs", partitions_def=RUNS, deps=["run_manifest"])
@private_failures
def execution_plan(context: dg.AssetExecutionContext, store: dg.ResourceParam[Store]) -> dg.MaterializeResult:
    """Every cell that the run owes an observation, as plan.parquet."""
    part = publish_plan(store, store.run(context.partition_key))
    return dg.MaterializeResult(
        metadata={**reference("execution-plan", part.table_digest, part.size_bytes), **counts({"cells": part.rows})}
    )
