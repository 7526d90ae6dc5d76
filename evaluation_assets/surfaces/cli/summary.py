"""A sealed run in a few lines: how deep it looked, what the gates say, what was covered, and the numbers one asks for first.

run 6f1c9f0e  4 cases  8 tracks  E0 diagnostic
G0 pass   G1 pass   G2 unavailable: needs sealed_window:hard_policy   ...
"""

from collections.abc import Iterator

from contracts.gates import GateResult, Verdict
from contracts.measured import Reason
from contracts.metrics import MetricValue
from contracts.reports import Report
from evaluation_assets.reports.words import REASONS, counted, number

WIDTH = 110
_SIMULATED = {"reference": "  simulated environment", "counterfactual": "  counterfactual: no model was called"}
_NUMBERS = (
    ("best single arm", "model_pool.best_single_quality"),
    ("oracle", "model_pool.oracle_quality"),
    ("realized", "joint.realized_quality"),
    ("normalized regret", "joint.normalized_regret"),
)


def summary(report: Report) -> Iterator[str]:
    """Lines without a final newline. Deterministic but for the run id."""
    cases = sum(suite.selected_cases for suite in report.suites)
    level = "E0 diagnostic" if report.evidence_level == "E0" else f"{report.evidence_level} evidence"
    simulated = _SIMULATED.get(report.environment_kind, "")
    tracks = counted(len(report.run.tracks), "track")
    yield f"run {report.run.run_id[:8]}  {counted(cases, 'case')}  {tracks}  {level}{simulated}"
    yield from _flow([gate_line(gate) for gate in report.gates])
    yield from _flow([f"{row.track} {row.succeeded}/{row.planned}" for row in report.coverage], label="observed  ")
    known = {metric.metric_id: metric for metric in report.metrics if metric.slice == "all"}
    numbers = [f"{name} {value_text(known[metric_id])}" for name, metric_id in _NUMBERS if metric_id in known]
    if numbers:
        yield from _flow(numbers, label="quality   ")
    there = sum(metric.value is not None for metric in known.values())
    waiting = sum(metric.reason is Reason.NO_REDUCER for metric in known.values())
    yield f"metrics   {there} of {len(known)} have a value" + (f"; {waiting} are not computed by this version" if waiting else "")


def gate_line(gate: GateResult) -> str:
    """`G0 pass`, `G2 unavailable: needs sealed_window:hard_policy`."""
    verdict = str(gate.verdict).replace("_", " ")
    return f"{gate.gate} {verdict}" + (f": needs {', '.join(gate.missing)}" if gate.verdict is Verdict.UNAVAILABLE else "")


def value_text(metric: MetricValue) -> str:
    """`0.75 (n 4 of 4)`, or why there is none."""
    if metric.value is None:
        return f"absent: {REASONS[metric.reason]}" if metric.reason else "absent"
    return f"{number(metric.value)} (n {metric.n} of {metric.planned_n})"


def _flow(parts: list[str], label: str = "") -> Iterator[str]:
    """The parts three spaces apart, broken between parts where a line would get too long; under their label."""
    line = label + parts[0]
    for part in parts[1:]:
        if len(line) + 3 + len(part) > WIDTH:
            yield line
            line = " " * len(label) + part
        else:
            line += f"   {part}"
    yield line
