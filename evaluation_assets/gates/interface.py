"""What a gate is: `gather` looks for its evidence in one run, `decide` judges what was found. Neither knows the other gates."""

from dataclasses import dataclass
from typing import Literal, Protocol

from contracts.gates import Verdict
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store


@dataclass(frozen=True)
class Absent:
    """The evidence is not there. Becomes `unavailable` in one place, gates/verdicts.py."""

    missing: tuple[str, ...]
    rationale: str


@dataclass(frozen=True)
class Decision:
    """pass or fail, or unavailable where the evidence is there but says too little; then `missing` names what it lacks."""

    verdict: Verdict
    rationale: str
    evidence: tuple[str, ...]
    missing: tuple[str, ...] = ()
    observed: float | None = None
    threshold: float | None = None
    operator: Literal["<=", ">=", "=="] | None = None
    n: int | None = None


class Gate(Protocol):
    """One of the ten. Every gate module has an instance in registry.py."""

    gate: str

    def judge(self, store: Store, run: RunDirectory) -> Decision | Absent: ...
