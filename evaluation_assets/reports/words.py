"""What numbers, reasons, verdicts and levels are called when a person reads them. No markup here.

Rounding is for the eye only: it never turns a measured number into 0 or 1 that was neither.
"""

from collections.abc import Sequence
from decimal import Decimal

from contracts.gates import Disposition, Verdict
from contracts.measured import Reason
from contracts.metrics import Direction
from contracts.reports import Ledger
from contracts.runs import EnvironmentKind
from contracts.suites import SourceStatus
from contracts.tracks import Track

REASONS: dict[Reason, str] = {
    Reason.UNMEASURED: "nobody observed it",
    Reason.ABSENT_CELL: "a planned cell was never observed",
    Reason.FAILED_CALL: "the call failed",
    Reason.TIMED_OUT: "the call ran out of time",
    Reason.UNGRADED: "the answer was not graded",
    Reason.UNPRICED: "no price is known",
    Reason.LOCAL_ZERO_PRICE: "a local model without a price",
    Reason.MISSING_TOKEN_RECORD: "calls without a token record",
    Reason.INCOMPLETE_LEDGER: "the cost ledger is incomplete",
    Reason.INCOMPLETE_MATRIX: "some arms lack some cases",
    Reason.MIXED_COST_SCOPES: "costs of unlike scope cannot be added",
    Reason.NO_CASES: "no case applies",
    Reason.NO_SUCCESS: "no call succeeded",
    Reason.ZERO_ORACLE: "no case can be answered by any arm",
    Reason.NO_DENSE_MATRIX: "the arms were not run on all cases",
    Reason.NO_SELECTION: "no arm selection was recorded",
    Reason.SINGLE_ARM: "one arm alone cannot be compared",
    Reason.NO_REDUCER: "this version does not compute it yet",
    Reason.NOT_APPLICABLE: "it does not apply to this run",
}
"""Short enough for a table cell and without digits, so that no reason can be read as a value."""

VERDICTS = {
    Verdict.PASS: "Pass",
    Verdict.FAIL: "Fail",
    Verdict.UNAVAILABLE: "Unavailable",
    Verdict.NOT_APPLICABLE: "Not applicable",
}
DISPOSITIONS = {
    Disposition.REQUIRED: "required",
    Disposition.ADVISORY: "advisory",
    Disposition.NOT_APPLICABLE: "not part of this change profile",
}
LEVELS = {
    "E0": "Contract, identity and plumbing: a diagnostic",
    "E1": "Signals: what they detect, miss and cost",
    "E2": "Projections: how they combine the signals",
    "E3": "Decisions: which route is taken, and how fast",
    "E4": "Utility: what the pool could do and what was realized",
    "E5": "Outcomes: final result, safety, full cost and load",
}
TRACKS = {
    Track.ROUTING: "Routing",
    Track.MODEL_POOL: "Model pool",
    Track.JOINT: "Routing and pool together",
    Track.AGENTIC: "Agentic",
    Track.MULTIMODAL: "Multimodal",
    Track.PREFERENCE: "Preference",
    Track.SAFETY: "Safety",
    Track.CAPACITY: "Capacity",
}
LEDGERS: dict[Ledger, str] = {
    "runtime": "Runtime: the routed calls",
    "evaluation_overhead": "Evaluation overhead: dense matrix and grading",
    "capacity_tco": "Capacity: cost of serving",
}
ENVIRONMENTS: dict[EnvironmentKind, str] = {
    "recorded": "recorded: answers were replayed, nothing was called",
    "counterfactual": "counterfactual: derived from frozen digests, nothing was called; no number says anything about a real model",
    "reference": "reference: simulated by the loopback runtime, not production",
    "live": "live: the target was called",
}
SOURCES = {
    SourceStatus.BUILTIN: "built in",
    SourceStatus.VERIFIED: "verified against its pin",
    SourceStatus.UNVERIFIED: "source_unverified: nobody checked its origin",
}
DIRECTIONS = {
    Direction.HIGHER: "higher is better",
    Direction.LOWER: "lower is better",
    Direction.TARGET: "read against its target",
}
_ABBREVIATIONS = {"ms": "(ms)", "usd": "(USD)", "rps": "(rps)", "slo": "SLO", "ips": "IPS", "ece": "ECE", "jaccard": "Jaccard"}
_ISOLATES = dict.fromkeys(range(0x2066, 0x206A))
OPERATORS = {"<": "below", "<=": "at most", ">": "above", ">=": "at least", "==": "exactly"}


def number(value: float) -> str:
    """Three significant digits, more where the whole part is longer; plain notation, thousands separated."""
    if value == int(value):
        return f"{value + 0.0:,.0f}"  # the sum turns -0.0 into 0.0
    for digits in range(max(3, len(str(abs(int(value)))) + 1), 18):
        rounded = Decimal(f"{value:.{digits}g}")
        if rounded not in (-1, 0, 1):
            return f"{rounded:,f}"
    return repr(value)


def usd(pico_usd: str) -> str:
    """An exact amount: pico-USD as a decimal integer, to dollars without rounding."""
    amount = f"{Decimal(pico_usd).scaleb(-12):,f}"
    whole, _, fraction = amount.partition(".")
    return f"{whole}.{fraction.rstrip('0').ljust(2, '0')} USD"


def metric_name(metric_id: str) -> str:
    """`model_pool.best_single_quality` -> `Best single quality`; the words after the track, dots kept as a colon."""
    words = [_ABBREVIATIONS.get(word, word) for word in metric_id.partition(".")[2].replace(".", ": ").replace("_", " ").split(" ")]
    name = " ".join(words)
    return name[:1].upper() + name[1:]


def price(micro_usd: int | None) -> str:
    """Per million tokens: whole micro-USD, exactly. None is `unpriced`, which is not free."""
    return "unpriced" if micro_usd is None else usd(str(micro_usd * 10**6))


def percent(part: int, whole: int) -> str:
    """Of a whole above 0. A share that is not nothing or everything never looks so."""
    if 0 < part < whole:
        shown = round(100 * part / whole)
        return "under 1%" if shown < 1 else "over 99%" if shown > 99 else f"{shown}%"
    return f"{100 * part // whole}%"


def isolated(name: str) -> str:
    """A name that somebody else chose, in plain text: its writing direction ends where it ends, as `bdi` does for markup."""
    return f"\u2068{name.translate(_ISOLATES)}\u2069"


def shortened(name: str, width: int) -> str:
    return name if len(name) <= width else name[: width - 1] + "…"


def several(names: Sequence[str], shown: int = 6) -> str:
    """`a, b and c`, names isolated; of many the first ones and how many more. Needs at least one."""
    first = [isolated(name) for name in names[:shown]]
    return listed(first if len(names) <= shown else [*first, f"{len(names) - shown:,} more"])


def spoken(identifier: str) -> str:
    """`sealed_window:hard_policy` -> `sealed window: hard policy`."""
    return identifier.replace("_", " ").replace(":", ": ")


def listed(names: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def counted(count: int, noun: str) -> str:
    """`1 suite`, `2 suites`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
