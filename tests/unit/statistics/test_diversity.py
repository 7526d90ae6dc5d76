"""Entropy and overlap. Oracles: scipy for entropy, Python sets for overlap."""

from itertools import combinations
from statistics import mean

import numpy as np
import pytest
from scipy.stats import entropy

from evaluation_assets.statistics.diversity import PairOverlap, entropy_bits, mean_jaccard, normalised_entropy, overlap_counts


@pytest.mark.parametrize("counts", [[10, 10], [1, 2, 3, 0], [5], [0, 7], [3, 1, 1, 1, 90]])
def test_entropy_agrees_with_scipy(counts: list[int]) -> None:
    assert entropy_bits(np.array(counts)) == pytest.approx(entropy(counts, base=2), abs=1e-14)


def test_an_even_choice_has_normalised_entropy_one() -> None:
    assert normalised_entropy(np.array([4, 4, 4, 4])) == 1.0


def test_a_single_arm_has_no_entropy() -> None:
    assert normalised_entropy(np.array([9])) == 0.0
    assert str(entropy_bits(np.array([9]))) == "0.0"


def test_no_choice_has_no_entropy_at_all() -> None:
    assert entropy_bits(np.array([0, 0])) is None
    assert normalised_entropy(np.array([0, 0])) is None


@pytest.mark.parametrize("cases", [0, 1, 7, 63, 64, 65, 1000])
def test_overlap_counts_intersections(cases: int) -> None:
    members = np.random.default_rng(cases).random((cases, 4)) < 0.3
    sets = [set(np.flatnonzero(column).tolist()) for column in members.T]
    assert overlap_counts(members).tolist() == [[len(a & b) for b in sets] for a in sets]


def test_mean_jaccard_counts_pairs_of_empty_sets_as_zero() -> None:
    sets = [{0, 1, 2}, {1, 2, 3, 4}, set(), set()]
    members = np.array([[case in one for one in sets] for case in range(5)])
    expected = mean(len(a & b) / len(a | b) if a | b else 0.0 for a, b in combinations(sets, 2))
    assert mean_jaccard(overlap_counts(members)) == PairOverlap(mean=pytest.approx(expected), pairs=6, empty_pairs=1)


def test_one_set_has_no_pair() -> None:
    assert mean_jaccard(np.array([[3]])) is None
