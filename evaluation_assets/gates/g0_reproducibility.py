"""G0, reproducibility: can anyone recompute this run from what is sealed?

Rule: docs/gates.md, G0. Every fact must hold: canonical manifest, the suites that it froze, plan, observations and records with
the digests that lineage names, and a failure summary that accounts for every planned cell.
"""

from contracts.errors import EvaluationError
from contracts.foundation import ReproducibilityEvidence
from contracts.reports import FailureSummary, SealedPart
from contracts.runs import RunManifest
from evaluation_assets.gates.foundation import decide_facts
from evaluation_assets.gates.interface import Absent, Decision
from ledgers.store.reading import sha256_file
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store

_EVIDENCE = {
    "the manifest is canonical": "run_manifest",
    "the suites in the store are those that were frozen": "suite_snapshots",
    "observations and records have the digests that lineage names": "sealed_records",
    "lineage names plan, observations and records of every suite": "lineage",
    "the failure summary accounts for every planned cell": "failure_summary",
}


class Reproducibility:
    gate = "G0"

    def judge(self, store: Store, run: RunDirectory) -> Decision | Absent:
        found = gather(store, run)
        return found if isinstance(found, Absent) else decide(found)


def gather(store: Store, run: RunDirectory) -> ReproducibilityEvidence | Absent:
    if not run.exists("lineage.json") or not run.exists("failure-summary.json"):
        return Absent(("lineage", "failure_summary"), "The records of this run were not merged yet.")
    manifest, lineage = run.manifest(), run.lineage()
    records = [part.part for suite in lineage.suites for part in suite.records.parts]
    observed = [part.part for suite in lineage.suites for part in suite.observations.parts]
    return ReproducibilityEvidence(
        manifest_is_canonical=lineage.manifest_digest == manifest.identity(),
        suites_are_the_frozen_ones=_suites_are_frozen(store, manifest),
        records_match_their_digests=all(_matches(run, part) for part in [lineage.plan, *observed, *records]) if records else None,
        lineage_is_complete=tuple(suite.suite_id for suite in lineage.suites) == manifest.suite_ids,
        failures_account_for_the_plan=run.document("failure-summary.json", FailureSummary).total_cells == lineage.plan.rows,
        record_rows=sum(part.rows for part in records),
    )


def decide(found: ReproducibilityEvidence) -> Decision:
    facts = dict(
        zip(
            _EVIDENCE,
            (
                found.manifest_is_canonical,
                found.suites_are_the_frozen_ones,
                found.records_match_their_digests,
                found.lineage_is_complete,
                found.failures_account_for_the_plan,
            ),
            strict=True,
        )
    )
    return decide_facts(
        facts,
        evidence=_EVIDENCE,
        n=found.record_rows,
        holds=f"Manifest, suites, lineage and {found.record_rows} records match their digests.",
    )


def _suites_are_frozen(store: Store, manifest: RunManifest) -> bool:
    try:
        return all(store.suites.open_manifest(suite.manifest).revision == suite.revision for suite in manifest.suites)
    except EvaluationError:
        return False


def _matches(run: RunDirectory, part: SealedPart) -> bool:
    path = run.path / part.path
    return path.is_file() and sha256_file(path) == part.digest
