"""The plan of a started run is derived and published: what every later step works off."""

from collections.abc import Sequence

import pyarrow as pa

from contracts.reports import SealedPart
from contracts.runs import RunManifest
from contracts.tables import PLAN
from evaluation_assets.runs.cohort import SelectedSuite, selected_suite
from evaluation_assets.runs.create import check_admission
from evaluation_assets.runs.planning import plan_suite
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store


def derive_plan(manifest: RunManifest, suites: Sequence[SelectedSuite]) -> pa.Table:
    """All cells of the run, suite by suite in id order."""
    plans = [plan_suite(suite.frozen.suite_id, suite.cases, suite.frozen.arm_ids, manifest.tracks) for suite in suites]
    return pa.concat_tables([PLAN.empty_table(), *plans]).combine_chunks()


def publish_plan(store: Store, run: RunDirectory) -> SealedPart:
    """Publish plan.parquet; again it is the same file."""
    manifest = run.require_admitted()
    check_admission(store, manifest)
    if run.exists("plan.json"):
        return run.plan_part()
    return run.publish_plan(derive_plan(manifest, [selected_suite(store.suites, manifest, suite_id) for suite_id in manifest.suite_ids]))
