"""A gate whose evidence no run of this version can bring: it says so, with the words and typed ids of the gate policy."""

from contracts.catalogs import gate_policy
from evaluation_assets.gates.interface import Absent, Decision
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store


class AwaitedEvidence:
    """Unavailable for every run. It can't pass, and it can't fail either: nothing was looked at."""

    def __init__(self, gate: str) -> None:
        self.gate = gate

    def judge(self, store: Store, run: RunDirectory) -> Decision | Absent:
        row = gate_policy().gates[int(self.gate[1:])]
        return Absent(row.evidence, row.without_evidence)
