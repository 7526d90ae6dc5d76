"""The six questions that a reader brings, each answered in one or two sentences, with a link to the section that shows more.

Names that somebody else chose are isolated. An E0 report answers the question for the best arm in its Pool section alone: nothing up
here may look like a headline.
"""

from collections.abc import Sequence
from typing import NamedTuple

from contracts.gates import Disposition, GateResult, Verdict
from contracts.metrics import MetricValue
from contracts.reports import LedgerCost, Report
from evaluation_assets.reports.pool_story import told
from evaluation_assets.reports.verdict import named
from evaluation_assets.reports.words import ENVIRONMENTS, LEDGERS, LEVELS, REASONS, counted, isolated, listed, several, spoken, usd

_PAID_BY = {
    "recorded": "As the source recorded them; this run bought nothing.",
    "counterfactual": "Made-up usage at the mixture's prices; nothing was bought.",
    "reference": "Simulated usage at frozen prices; nothing was bought.",
    "live": "Measured usage at frozen prices.",
}


class Answer(NamedTuple):
    question: str
    sentences: tuple[str, ...]
    section: str
    link: str


def answers(report: Report, whole: dict[str, MetricValue]) -> tuple[Answer, ...]:
    """`whole`: metrics over all cases, by id."""
    return (
        Answer("What was evaluated?", _subject(report), "subject", "What was evaluated"),
        Answer("On what?", _cohort(report), "coverage", "Coverage"),
        Answer("How deep is the evidence?", _depth(report), "levels", "Evidence levels"),
        Answer("What stands against a promotion?", _against(report.gates), "gates", "Gates"),
        Answer("Which arm is best, and what could a perfect router add?", _pool(report, whole), "pool", "Pool"),
        Answer("What did it cost, and is that all?", _costs(report), "costs", "Costs"),
    )


def _subject(report: Report) -> tuple[str, ...]:
    mixture = report.subject
    if mixture is not None:
        arms = [arm.arm_id for arm in mixture.arms]
        return (
            f"The mixture of models {isolated(mixture.recipe_name)}: {counted(len(mixture.decisions), 'decision')} choose among "
            f"{counted(len(arms), 'arm')} ({several(arms)}). It answers to {isolated(mixture.entrypoint_model)}.",
        )
    arms = sorted({arm for suite in report.suites for arm in suite.arm_ids})
    among = f"{counted(len(arms), 'arm')} ({several(arms)})" if arms else "no arm of its own"
    return (f"The recorded target {report.run.target_id}, with {among}. What chose among the arms was not frozen.",)


def _cohort(report: Report) -> tuple[str, ...]:
    suites = [
        f"{isolated(suite.name)} ({'all ' if suite.selected_cases == suite.case_count else ''}{suite.selected_cases:,}"
        f"{'' if suite.selected_cases == suite.case_count else f' of {suite.case_count:,}'} {'case' if suite.case_count == 1 else 'cases'})"
        for suite in report.suites
    ]
    planned, failed, missing = (sum(getattr(track, name) for track in report.coverage) for name in ("planned", "failed", "unavailable"))
    return (
        f"{listed(suites) if suites else 'No suite'}.",
        f"{counted(planned, 'cell')} planned in {counted(len(report.coverage), 'track')}: {failed:,} failed, {missing:,} unavailable.",
    )


def _depth(report: Report) -> tuple[str, ...]:
    level = report.evidence_level
    environment = ENVIRONMENTS[report.environment_kind]
    return (f"{level} on a ladder from E0 to E5. {LEVELS[level]}.", f"{environment[:1].upper()}{environment[1:]}.")


def _against(gates: Sequence[GateResult]) -> tuple[str, ...]:
    required = [gate for gate in gates if gate.disposition is Disposition.REQUIRED]
    failed = [gate for gate in required if gate.verdict is Verdict.FAIL]
    undecided = [gate for gate in required if gate.verdict is Verdict.UNAVAILABLE]
    advisory = [gate for gate in gates if gate.disposition is Disposition.ADVISORY and gate.verdict is not Verdict.PASS]
    passed = len(required) - len(failed) - len(undecided)
    said = (
        [f"{passed} of {counted(len(required), 'required gate')} {'passes' if passed == 1 else 'pass'}."]
        if required
        else ["No gate is required."]
    )
    said += [f"{listed(named(failed))} {'fails' if len(failed) == 1 else 'fail'}."] if failed else []
    said += [f"{gate.gate} {gate.name} is missing {listed([spoken(item) for item in gate.missing])}." for gate in undecided]
    said += [f"Advisory, not passed either: {listed([gate.gate for gate in advisory])}."] if advisory else []
    return tuple(said)


def _pool(report: Report, whole: dict[str, MetricValue]) -> tuple[str, ...]:
    if report.pool is None:
        return ("The arms were not run on all cases in this run, so nothing can be said.",)
    if report.evidence_level == "E0":
        return ("E0 shows no result up here. What was seen, for diagnosis alone, stands under Pool.",)
    return told(whole)


def _costs(report: Report) -> tuple[str, ...]:
    return (*(_ledger(cost) for cost in report.costs), _PAID_BY[report.environment_kind])


def _ledger(cost: LedgerCost) -> str:
    name = LEDGERS[cost.ledger].partition(":")[0]
    if cost.amount_pico_usd is not None:
        return f"{name}: {usd(cost.amount_pico_usd)}, complete ({counted(cost.n, 'call')})."
    priced = f"{cost.n:,} of {counted(cost.planned_n, 'call')} priced" if cost.planned_n else "no call"
    reason = REASONS[cost.reason] if cost.reason else ""
    if cost.known_pico_usd is not None:
        return f"{name}: at least {usd(cost.known_pico_usd)}, incomplete: {priced}; {reason}."
    return f"{name}: unknown: {priced}; {reason}."
