"""The run's evidence is merged, then judged, and the ten verdicts are published as gates.json."""

from contracts.gates import RunGates
from contracts.reports import RunCoverage
from evaluation_assets.gates.verdicts import judge_run
from evaluation_assets.records.merge import publish_run_evidence
from evaluation_assets.reductions.publish import publish_reductions
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store


def publish_gates(store: Store, run: RunDirectory) -> RunGates:
    """Judge a run whose reductions are published. Published already: the verdicts that are there."""
    run.require_admitted()
    if run.exists("gates.json"):
        return run.document("gates.json", RunGates)
    publish_run_evidence(store, run)
    publish_reductions(run)
    gates = judge_run(store, run, levels_of(run))
    run.publish("gates.json", gates)
    return gates


def levels_of(run: RunDirectory) -> dict[str, str]:
    """track -> evidence level, from the published coverage."""
    return {str(row.track): row.level for row in run.document("coverage.json", RunCoverage).tracks}
