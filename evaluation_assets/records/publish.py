"""One suite of one run: its observations are checked, aligned with the plan, graded, and published as records."""

import pyarrow as pa
import pyarrow.compute as pc

from contracts.reports import SuiteParts
from contracts.runs import RunManifest
from contracts.tables import TABLE_OF_TRACK
from evaluation_assets.records.alignment import align
from evaluation_assets.records.failures import count_failures
from evaluation_assets.records.graders.registry import GRADERS
from evaluation_assets.records.grading import grade
from evaluation_assets.records.route_labels import with_expected_arm
from evaluation_assets.records.validation import check_rows, with_reasons
from evaluation_assets.suites.store_view import grading_cases
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store


def publish_records(store: Store, run: RunDirectory, suite_id: str) -> SuiteParts:
    """Grade the published observations of `suite_id`. Published already: the list that is there."""
    manifest = run.require_admitted()
    if run.has_parts("records", suite_id):
        return run.parts("records", suite_id)
    tables = grade_suite(store, run, manifest, suite_id)
    run.require_admitted()
    run.publish(f"records/suite={suite_id}.failures.json", count_failures(tables))
    return run.publish_parts("records", suite_id, tables)


def grade_suite(store: Store, run: RunDirectory, manifest: RunManifest, suite_id: str) -> dict[str, pa.Table]:
    """Record table name -> graded rows, for every track that the suite owes cells for. Pure in what is published: verify repeats it."""
    frozen = manifest.suite(suite_id)
    labels = grading_cases(store.suites, store.suites.open_manifest(frozen.manifest))
    plan = run.plan()
    plan = plan.filter(pc.equal(plan.column("suite_id"), suite_id))
    tables = {}
    for track in manifest.tracks:
        cells = plan.filter(pc.equal(plan.column("track"), str(track)))
        if len(cells):
            table = TABLE_OF_TRACK[track]
            observed = run.table("observations", suite_id, table.name)
            rows = align(cells, table.observed.empty_table() if observed is None else observed, table)
            check_rows(rows, table, frozen.arm_ids)
            tables[table.name] = grade(with_reasons(rows), labels, table, GRADERS[manifest.grader_id])
    if "routes" in tables:
        tables["routes"] = with_expected_arm(tables["routes"], tables.get("outcomes"), labels, frozen.arm_ids)
    return tables
