"""Type 7 quantiles. Oracle: numpy.percentile with its default method."""

import numpy as np
import pytest

from contracts.errors import InputError
from evaluation_assets.statistics.quantiles import quantile


@pytest.mark.parametrize("size", [1, 2, 3, 19, 20, 100, 1001])
@pytest.mark.parametrize("q", [0.0, 0.25, 0.5, 0.95, 0.99, 1.0])
def test_agrees_with_numpy(size: int, q: float) -> None:
    values = np.random.default_rng(size).gamma(2.0, 300.0, size)
    assert quantile(values, q) == pytest.approx(float(np.percentile(values, 100 * q)), rel=1e-14)


def test_nothing_has_no_quantile() -> None:
    assert quantile(np.empty(0), 0.5) is None


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.001])
def test_refuses_what_is_no_measurement(value: float) -> None:
    with pytest.raises(InputError):
        quantile(np.array([1.0, value]), 0.5)


def test_refuses_a_level_outside_0_and_1() -> None:
    with pytest.raises(InputError):
        quantile(np.array([1.0]), 95)
