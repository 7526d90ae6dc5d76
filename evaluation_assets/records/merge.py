"""The suites of one run become one: lineage, provenance and failure summary are merged and published before a gate reads them."""

from contracts.errors import WrongState
from contracts.reports import Lineage, Provenance, SuiteLineage, SuiteProvenance
from evaluation_assets.records.failures import merge_failures
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store


def publish_run_evidence(store: Store, run: RunDirectory) -> Lineage:
    """Publish lineage.json, provenance.json and failure-summary.json. A suite without records is refused: half a run is no run."""
    manifest = run.require_admitted()
    missing = [suite_id for suite_id in manifest.suite_ids if not run.has_parts("records", suite_id)]
    if missing:
        raise WrongState(
            f"{len(missing)} suites of this run have no records yet.", at=f"suite {missing[0]}", fix=f"evalplane run start {run.run_id}"
        )
    lineage = lineage_of(run)
    run.publish("failure-summary.json", merge_failures([run.failure_part(suite_id) for suite_id in manifest.suite_ids]))
    run.publish("provenance.json", provenance(store, run))
    run.publish("lineage.json", lineage)
    return lineage


def lineage_of(run: RunDirectory) -> Lineage:
    """From the frozen suites to the parts that were published for them."""
    manifest = run.manifest()
    return Lineage(
        schema_version="evaluation-lineage.v1",
        manifest_digest=manifest.identity(),
        plan=run.plan_part(),
        executor_id=manifest.executor_id,
        suites=tuple(
            SuiteLineage(
                suite_id=suite.suite_id,
                revision=suite.revision,
                selection_digest=suite.selection_digest,
                observations=run.parts("observations", suite.suite_id),
                records=run.parts("records", suite.suite_id),
            )
            for suite in manifest.suites
        ),
    )


def provenance(store: Store, run: RunDirectory) -> Provenance:
    """Where everything came from, by id and digest."""
    manifest = run.manifest()
    suites = []
    for frozen in manifest.suites:
        suite = store.suites.open_manifest(frozen.manifest).suite
        suites.append(
            SuiteProvenance(
                suite_id=frozen.suite_id,
                revision=frozen.revision,
                source_status=frozen.source_status,
                adapter_id=suite.adapter_id,
                normalizer_id=suite.normalizer_id,
            )
        )
    return Provenance(
        schema_version="evaluation-provenance.v1",
        code_revision=manifest.code_revision,
        gate_policy_digest=manifest.gate_policy_digest,
        metric_catalog_digest=manifest.metric_catalog_digest,
        grader_id=manifest.grader_id,
        grader_revision=manifest.grader_revision,
        target_id=manifest.target.target_id,
        seed=manifest.seed,
        redaction_policy=manifest.redaction_policy,
        environment_kind=manifest.environment_kind,
        suites=tuple(suites),
    )
