"""The ten gates, in order. A test compares them with the gate policy both ways."""

from evaluation_assets.gates.awaited import AwaitedEvidence
from evaluation_assets.gates.g0_reproducibility import Reproducibility
from evaluation_assets.gates.g1_static import StaticCorrectness
from evaluation_assets.gates.interface import Gate

GATES: tuple[Gate, ...] = (Reproducibility(), StaticCorrectness(), *(AwaitedEvidence(f"G{number}") for number in range(2, 10)))
