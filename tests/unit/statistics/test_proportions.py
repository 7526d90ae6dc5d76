"""Bounds on proportions. Oracles: closed forms at the edges, scipy elsewhere."""

import numpy as np
import pytest
from scipy.stats import beta, binomtest

from contracts.errors import InputError
from evaluation_assets.statistics.proportions import (
    clopper_pearson_interval,
    clopper_pearson_lower,
    clopper_pearson_upper,
    wilson_interval,
    wilson_lower,
    wilson_upper,
)

SIZES = [1, 2, 5, 20, 59, 100, 999, 20_000, 3_000_000]


def pairs() -> list[tuple[int, int]]:
    return sorted({(k, n) for n in SIZES for k in (0, 1, n // 7, n // 2, n - 1, n)})


@pytest.mark.parametrize(("successes", "n"), pairs())
def test_agrees_with_scipy(successes: int, n: int) -> None:
    wilson = binomtest(successes, n).proportion_ci(0.95, method="wilson")
    assert wilson_interval(successes, n) == pytest.approx((wilson.low, wilson.high), abs=1e-12)
    one_sided = beta.ppf(0.05, successes, n - successes + 1) if successes else 0.0
    assert clopper_pearson_lower(successes, n) == pytest.approx(one_sided, abs=1e-12, rel=1e-9)
    exact = (
        beta.ppf(0.025, successes, n - successes + 1) if successes else 0.0,
        beta.ppf(0.975, successes + 1, n - successes) if successes < n else 1.0,
    )
    assert clopper_pearson_interval(successes, n) == pytest.approx(exact, abs=1e-12, rel=1e-9)


@pytest.mark.parametrize("n", SIZES)
def test_a_perfect_score_has_a_closed_form(n: int) -> None:
    assert clopper_pearson_lower(n, n) == pytest.approx(0.05 ** (1 / n), abs=1e-12)
    assert clopper_pearson_upper(0, n) == pytest.approx(-np.expm1(np.log(0.05) / n), abs=1e-12)
    assert (wilson_upper(n, n), wilson_lower(0, n), clopper_pearson_upper(n, n), clopper_pearson_lower(0, n)) == (1.0, 0.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("successes", "bound", "reached"),
    [
        pytest.param(58, clopper_pearson_lower, False, id="58 of 58 does not prove 0.95"),
        pytest.param(59, clopper_pearson_lower, True, id="59 of 59 does"),
        pytest.param(51, wilson_lower, False, id="51 of 51 by Wilson does not"),
        pytest.param(52, wilson_lower, True, id="52 of 52 by Wilson does"),
    ],
)
def test_smallest_perfect_score_that_proves_95_percent(successes: int, bound: object, reached: bool) -> None:
    assert (bound(successes, successes) >= 0.95) is reached  # type: ignore[operator]


@pytest.mark.parametrize(
    "bound", [wilson_lower, wilson_upper, wilson_interval, clopper_pearson_lower, clopper_pearson_upper, clopper_pearson_interval]
)
@pytest.mark.parametrize(
    ("successes", "n"),
    [
        pytest.param(0, 0, id="nobody was asked"),
        pytest.param(-1, 5, id="negative"),
        pytest.param(6, 5, id="more than all"),
        pytest.param(3.0, 10, id="a float"),
        pytest.param(float("nan"), 10, id="not a number"),
        pytest.param(3, -1, id="negative trials"),
        pytest.param(True, 1, id="a flag"),
    ],
)
def test_refuses_what_is_no_count(bound: object, successes: int, n: int) -> None:
    with pytest.raises(InputError):
        bound(successes, n)  # type: ignore[operator]


@pytest.mark.parametrize("confidence", [0.0, 1.0, 1.5])
def test_refuses_what_is_no_confidence(confidence: float) -> None:
    with pytest.raises(InputError):
        wilson_interval(3, 5, confidence)
