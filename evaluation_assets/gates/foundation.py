"""The verdict of a list of facts: one false fails, else one unknown is unavailable, else pass. Shared by G0 and G1."""

from collections.abc import Mapping

from contracts.gates import Verdict
from evaluation_assets.gates.interface import Decision


def decide_facts(facts: Mapping[str, bool | None], *, evidence: Mapping[str, str], holds: str, n: int) -> Decision:
    """facts: sentence -> true, false or unknown. evidence: the same sentences -> typed id of what is missing when unknown."""
    false = [fact for fact, value in facts.items() if value is False]
    unknown = [fact for fact, value in facts.items() if value is None]
    files = tuple(dict.fromkeys(evidence.values()))
    if false:
        return Decision(Verdict.FAIL, f"Does not hold: {'; '.join(false)}.", files, n=n)
    if unknown:
        missing = tuple(dict.fromkeys(evidence[fact] for fact in unknown))
        return Decision(Verdict.UNAVAILABLE, f"Could not be looked at: {'; '.join(unknown)}.", files, missing=missing, n=n)
    return Decision(Verdict.PASS, holds, files, n=n)
