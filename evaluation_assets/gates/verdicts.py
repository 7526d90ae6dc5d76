"""All ten verdicts of one run. The one place where absent evidence becomes `unavailable` and a profile says not_applicable."""

from contracts.catalogs import gate_policy
from contracts.gates import Disposition, GateDefinition, GateResult, RunGates, Verdict
from contracts.levels import Level
from evaluation_assets.gates.interface import Absent, Decision
from evaluation_assets.gates.registry import GATES
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store


def judge_run(store: Store, run: RunDirectory, levels: dict[str, Level]) -> RunGates:
    """levels: track -> sealed evidence level; the level of a gate is that of its track, or the weakest where it has none."""
    policy, profile = gate_policy(), run.manifest().change_profile
    weakest = min(levels.values(), default="E0")
    results = []
    for gate, row in zip(GATES, policy.gates, strict=True):
        disposition = policy.disposition(profile, gate.gate)
        level = weakest if row.track is None else levels.get(row.track)
        if disposition is Disposition.NOT_APPLICABLE:
            results.append(_not_applicable(row, profile))
        else:
            results.append(_result(row, disposition, level, gate.judge(store, run)))
    return RunGates(
        schema_version="evaluation-gates.v1",
        contract=policy.contract,
        policy_digest=policy.identity(),
        change_profile=profile,
        gates=tuple(results),
    )


def _result(row: GateDefinition, disposition: Disposition, level: Level | None, found: Decision | Absent) -> GateResult:
    if isinstance(found, Absent):
        return GateResult(
            gate=row.gate,
            name=row.name,
            disposition=disposition,
            verdict=Verdict.UNAVAILABLE,
            evidence_level=None,
            rationale=found.rationale,
            missing=found.missing,
        )
    return GateResult(
        gate=row.gate,
        name=row.name,
        disposition=disposition,
        verdict=found.verdict,
        evidence_level=level,
        observed=found.observed,
        threshold=found.threshold,
        operator=found.operator,
        n=found.n,
        rationale=found.rationale,
        missing=found.missing,
        evidence=found.evidence,
    )


def _not_applicable(row: GateDefinition, profile: str) -> GateResult:
    return GateResult(
        gate=row.gate,
        name=row.name,
        disposition=Disposition.NOT_APPLICABLE,
        verdict=Verdict.NOT_APPLICABLE,
        evidence_level=None,
        rationale=f"The change profile {profile} does not ask for this gate.",
    )
