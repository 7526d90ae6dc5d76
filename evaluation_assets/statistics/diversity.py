"""How many arms are really used, and how much their failures overlap."""

from dataclasses import dataclass
from math import fsum, log2

import numpy as np
from numpy.typing import NDArray


def entropy_bits(counts: NDArray[np.int64]) -> float | None:
    """Shannon entropy of how often each of K arms was chosen, in bits; None when nothing was.

    H = - sum over arms with c > 0 of (c / n) log2 (c / n)
    """
    total = int(counts.sum())
    if total == 0:
        return None
    return abs(fsum(-(count / total) * log2(count / total) for count in counts.tolist() if count))  # abs: no -0.0


def normalised_entropy(counts: NDArray[np.int64]) -> float | None:
    """H / log2 K over the K frozen arms, in [0, 1]; 0 for a single arm, None when nothing was chosen."""
    bits = entropy_bits(counts)
    if bits is None:
        return None
    return bits / log2(len(counts)) if len(counts) > 1 else 0.0


def overlap_counts(members: NDArray[np.bool_]) -> NDArray[np.int64]:
    """members: shape (cases, sets), True where the case belongs to the set. Entry (a, b) counts the cases in both; (a, a) in a.

    Sets are packed to one bit a case and intersected word by word. Integers throughout: no order and no thread can show.
    """
    cases, sets = members.shape
    words = np.zeros((sets, -(-cases // 64) * 8), dtype=np.uint8)
    words[:, : -(-cases // 8)] = np.packbits(members.T, axis=1)
    bits = words.view(np.uint64)
    counts = np.zeros((sets, sets), dtype=np.int64)
    for one in range(sets):
        counts[one, one:] = counts[one:, one] = np.bitwise_count(bits[one] & bits[one:]).sum(axis=1, dtype=np.int64)
    return counts


@dataclass(frozen=True)
class PairOverlap:
    """Mean Jaccard index over the pairs of sets. `empty_pairs` of them have no member on either side and enter as 0.0."""

    mean: float
    pairs: int
    empty_pairs: int


def mean_jaccard(counts: NDArray[np.int64]) -> PairOverlap | None:
    """counts: as from `overlap_counts`. None for fewer than two sets.

    J(a, b) = |a and b| / |a or b|        0.0 for two empty sets: arms that never fail do not fail together
    """
    first, second = np.triu_indices(len(counts), k=1)
    if not len(first):
        return None
    both, sizes = counts[first, second], counts.diagonal()
    either = sizes[first] + sizes[second] - both
    ratios = both / np.maximum(either, 1)
    return PairOverlap(mean=fsum(ratios.tolist()) / len(first), pairs=len(first), empty_pairs=int((either == 0).sum()))
