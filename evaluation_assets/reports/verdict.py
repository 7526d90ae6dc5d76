"""The first sentence of a report: does this evidence promote anything, and if not, which gate stands in the way?"""

from collections.abc import Iterable

from contracts.gates import Disposition, GateResult, Verdict
from contracts.reports import Report
from contracts.suites import SourceStatus
from evaluation_assets.reports.words import counted, listed


def tone(report: Report) -> Verdict:
    """Look of the opening: never a pass while something required is undecided, nothing is required, or the level is E0."""
    required = {gate.verdict for gate in report.gates if gate.disposition is Disposition.REQUIRED}
    if Verdict.FAIL in required:
        return Verdict.FAIL
    return Verdict.PASS if required == {Verdict.PASS} and report.evidence_level != "E0" else Verdict.UNAVAILABLE


def sentence(report: Report) -> str:
    """One sentence without a number of the results."""
    required = [gate for gate in report.gates if gate.disposition is Disposition.REQUIRED]
    failed = named(gate for gate in required if gate.verdict is Verdict.FAIL)
    undecided = named(gate for gate in required if gate.verdict is Verdict.UNAVAILABLE)
    if failed:
        also = f"; {listed(undecided)} can't be decided" if undecided else ""
        return f"Not fit to promote: required {_gates(failed)} {_fails(failed)}{also}"
    if undecided:
        return f"Not enough evidence to promote: required {_gates(undecided)} can't be decided"
    if not required:
        return "Nothing to promote on: no gate is required of this run"
    passed = f"all {counted(len(required), 'required gate')} pass" if len(required) > 1 else "its one required gate passes"
    return (
        f"A diagnostic, not a promotion: {passed}, on E0 evidence"
        if report.evidence_level == "E0"
        else f"{_capital(passed)}, on {report.evidence_level} evidence"
    )


def limits(report: Report) -> tuple[str, ...]:
    """What this report can't support, most important first."""
    found = []
    if report.environment_kind == "counterfactual":
        found.append(
            "Counterfactual: every answer, failure, latency and cost below is made up from frozen digests. No model was called, so no "
            "number here says anything about a real model; the run shows that the mixture can be frozen, planned, graded and judged."
        )
    if report.environment_kind == "reference":
        found.append("Reference environment: the loopback runtime simulated what was observed. This is a demonstration.")
    if report.evidence_level == "E0":
        found.append("E0 diagnostic: no promotion headline. Its numbers help to find faults; they can't support a promotion.")
        if any(track.level != "E0" for track in report.coverage):
            found.append("The run is as strong as its weakest track; stronger tracks show findings only.")
    if any(suite.source_status is SourceStatus.UNVERIFIED for suite in report.suites):
        found.append("Source not verified (source_unverified): nobody checked that the imported bytes belong to the pinned source.")
    return tuple(found)


def named(gates: Iterable[GateResult]) -> list[str]:
    """`G4 Declared-shift robustness`."""
    return [f"{gate.gate} {gate.name}" for gate in gates]


def _gates(names: list[str]) -> str:
    return f"{'gate' if len(names) == 1 else 'gates'} {listed(names)}"


def _fails(names: list[str]) -> str:
    return "fails" if len(names) == 1 else "fail"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
