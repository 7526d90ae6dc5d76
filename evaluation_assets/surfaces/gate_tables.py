"""The generated part of docs/gates.md: the frozen gate policy as four tables. golden/catalogs/gate_policy.json is the authority."""

from collections.abc import Iterator, Sequence

from contracts.catalogs import gate_policy
from contracts.gates import BoundMethod, Disposition, GatePolicy, ThresholdRule

_BOUNDS = {BoundMethod.CLOPPER_PEARSON: "Clopper-Pearson", BoundMethod.WILSON: "Wilson"}
_CELLS = {Disposition.REQUIRED: "required", Disposition.ADVISORY: "advisory", Disposition.NOT_APPLICABLE: "-"}


def markdown_tables() -> str:
    """Evidence, thresholds, dispositions and campaign slots, each under its heading. Ends with a newline."""
    policy = gate_policy()
    return "\n".join([_evidence(policy), _thresholds(policy), _dispositions(policy), _slots(policy)])


def _evidence(policy: GatePolicy) -> str:
    rows = [
        (f"{row.gate} {row.name}", row.question, row.track or "all", _codes(row.evidence), str(row.minimum_n) if row.minimum_n else "-")
        for row in policy.gates
    ]
    return _table("Questions and evidence", ("gate", "question", "track", "evidence", "least n"), rows)


def _thresholds(policy: GatePolicy) -> str:
    rows = [
        (row.gate, rule.name, f"{rule.operator} {_limit(rule)}", rule.unit, _bound(rule)) for row in policy.gates for rule in row.thresholds
    ]
    intro = (
        f"One-sided and two-sided bounds are at {policy.confidence:.0%}. A sample ratio mismatch is one with p below "
        f"{policy.srm_alpha:g}. Evidence from a simulated environment is "
        f"{'accepted' if policy.accepts_reference_environment else 'refused outside demonstrations'}."
    )
    return _table("Thresholds", ("gate", "compared", "must be", "unit", "bound"), rows, intro)


def _limit(rule: ThresholdRule) -> str:
    return "what the run froze" if rule.value is None else f"{rule.value:g}"


def _bound(rule: ThresholdRule) -> str:
    return "-" if rule.bound_method is None else _BOUNDS[rule.bound_method]


def _dispositions(policy: GatePolicy) -> str:
    rows = [(f"`{row.profile}`", *(_CELLS[disposition] for disposition in row.dispositions)) for row in policy.profiles]
    return _table("Dispositions by change profile", ("profile", *(row.gate for row in policy.gates)), rows)


def _slots(policy: GatePolicy) -> str:
    rows = [(slot.gate, slot.binding.replace("_", " "), slot.track, slot.minimum_level, _codes(slot.executors)) for slot in policy.slots]
    intro = "What a campaign binds to each gate: which runs, how deep they looked, and who may have executed them."
    return _table("Campaign slots", ("gate", "binds", "track", "least level", "executors"), rows, intro)


def _codes(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], intro: str = "") -> str:
    return "\n".join(_lines(title, columns, rows, intro)) + "\n"


def _lines(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], intro: str) -> Iterator[str]:
    yield from (f"### {title}", "")
    if intro:
        yield from (intro, "")
    for row in (columns, ["---"] * len(columns), *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
