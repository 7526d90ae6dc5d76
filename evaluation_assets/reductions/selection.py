"""How widely the routed system uses its arms; shared by the routing and the model-pool track."""

from contracts.measured import Measured, Reason, absent
from evaluation_assets.reductions.measuring import count, share
from evaluation_assets.reductions.observations import Selections
from evaluation_assets.statistics.diversity import entropy_bits


def selected_arm_count(chosen: Selections) -> Measured:
    """Number of frozen arms that were chosen at least once: docs/metrics.md, routing.selected_arm_count."""
    n = int(chosen.counts.sum())
    return count(int((chosen.counts > 0).sum()), n=n, planned_n=len(chosen.arm), excluded=chosen.foreign) if n else _nothing(chosen)


def selection_arm_coverage(chosen: Selections) -> Measured:
    """Chosen frozen arms / frozen arms: docs/metrics.md, model_pool.selection_arm_coverage.

    n counts the selections it was seen in; a selection of an arm that was not frozen is excluded.
    """
    n = int(chosen.counts.sum())
    if not n:
        return _nothing(chosen)
    seen = share(int((chosen.counts > 0).sum()), chosen.arms, planned_n=len(chosen.arm), excluded=chosen.foreign)
    return seen.model_copy(update={"n": n})


def selection_entropy_bits(chosen: Selections) -> Measured:
    """H = - sum of p log2 p over the shares p of the frozen arms: docs/metrics.md, routing.selection_entropy_bits."""
    bits = entropy_bits(chosen.counts)
    if bits is None:
        return _nothing(chosen)
    return Measured(value=bits, n=int(chosen.counts.sum()), planned_n=len(chosen.arm), excluded=chosen.foreign)


def _nothing(chosen: Selections) -> Measured:
    return absent(Reason.NO_SELECTION, planned_n=len(chosen.arm), excluded=chosen.foreign)
