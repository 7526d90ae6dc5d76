"""Exact sums. Oracle: rational arithmetic, each value rounded half to even to a multiple of 2^-52."""

from fractions import Fraction

import numpy as np
import pytest

from contracts.errors import InputError
from evaluation_assets.statistics.exact import SCALE, fixed_mean, fixed_total, fixed_totals, fixed_totals_by_group, integer_total

VALUES = np.concatenate([np.random.default_rng(7).random((20_000, 3)), [[0.0, 1.0, 2.0**-60], [1 / 3, 1 - 2.0**-53, 2.0**-53 * 3]]])


def rounded(values: np.ndarray) -> int:
    return sum(round(Fraction(value) * SCALE) for value in values.tolist())


def test_totals_are_the_sums_of_the_rounded_values() -> None:
    assert fixed_totals(VALUES) == tuple(rounded(VALUES[:, column]) for column in range(3))


def test_mean_is_within_half_a_unit_of_the_rational_mean() -> None:
    mean = fixed_mean(fixed_total(VALUES[:, 0]), len(VALUES))
    assert abs(Fraction(mean) - sum(map(Fraction, VALUES[:, 0].tolist())) / len(VALUES)) < Fraction(1, 2**52)


@pytest.mark.parametrize("layout", ["C", "F"])
def test_order_and_layout_cannot_show(layout: str) -> None:
    shuffled = np.asarray(np.random.default_rng(1).permutation(VALUES), order=layout)  # type: ignore[call-overload]
    assert fixed_totals(shuffled) == fixed_totals(VALUES)


def test_groups_add_up_apart() -> None:
    groups = np.arange(len(VALUES)) % 5
    totals = fixed_totals_by_group(VALUES[:, 0], groups, 6)
    assert totals == (*(rounded(VALUES[groups == group, 0]) for group in range(5)), 0)


@pytest.mark.parametrize("value", [float("nan"), -1e-12, 1.0000001, float("inf")], ids=["missing", "below 0", "above 1", "infinite"])
def test_refuses_what_is_no_share(value: float) -> None:
    with pytest.raises(InputError):
        fixed_totals(np.array([[0.5, 0.5], [0.5, value]]))


def test_no_rows_add_up_to_zero() -> None:
    assert fixed_totals(np.empty((0, 2))) == (0, 0)


def test_integers_add_beyond_64_bits() -> None:
    values = np.array([2**63 - 1, 2**63 - 1, 2**63 - 1, -(2**63), -5], dtype=np.int64)
    assert integer_total(values) == sum(values.tolist())
