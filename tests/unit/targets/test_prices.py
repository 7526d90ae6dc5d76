"""Prices at their edges. Oracle: the decimal point moved six places by hand."""

import pytest

from contracts.errors import DocumentError
from contracts.strict_json import JsonValue
from evaluation_assets.targets.nodes import Node
from evaluation_assets.targets.prices import read_prices

PLACE = "providers.models[0].pricing"


def pricing(**said: JsonValue) -> Node:
    return Node(dict(said), "config.yaml", PLACE)


@pytest.mark.parametrize(
    ("usd", "micro"),
    [
        pytest.param(0, 0, id="free because the config says so"),
        pytest.param(0.0, 0, id="free, as a float"),
        pytest.param(0.0875, 87_500, id="four decimals"),
        pytest.param(0.000001, 1, id="one micro-USD"),
        pytest.param(1e-06, 1, id="one micro-USD in scientific spelling"),
        pytest.param(0.1, 100_000, id="a decimal that no double holds"),
        pytest.param(4.35, 4_350_000, id="a decimal that times a million is 4349999.999..."),
        pytest.param(999_999.999999, 999_999_999_999, id="six decimals of a dear model"),
        pytest.param(1_000_000, 10**12, id="the dearest"),
        pytest.param(None, None, id="not said"),
    ],
)
def test_a_price_is_exact(usd: JsonValue, micro: int | None) -> None:
    assert read_prices(pricing(prompt_per_1m=usd)).input == micro


@pytest.mark.parametrize(
    "usd",
    [
        pytest.param(0.0000005, id="half a micro-USD"),
        pytest.param(0.1234567, id="seven decimals"),
        pytest.param(0.1 + 0.2, id="a sum that nobody rounded"),
        pytest.param(-1, id="negative"),
        pytest.param(1_000_001, id="more than a dollar a token"),
        pytest.param("0.5", id="a text"),
        pytest.param(True, id="a truth value"),
        pytest.param([], id="a list"),
    ],
)
@pytest.mark.parametrize("key", ["prompt_per_1m", "completion_per_1m", "cached_input_per_1m", "cache_write_per_1m"])
def test_what_is_no_whole_micro_usd_is_refused_by_its_key(key: str, usd: JsonValue) -> None:
    with pytest.raises(DocumentError) as refused:
        read_prices(pricing(**{key: usd}))
    assert refused.value.at == f"config.yaml  {PLACE}.{key}"
    assert str(usd) not in refused.value.message or usd == []


def test_each_key_has_its_price_and_nothing_is_made_up() -> None:
    said = read_prices(pricing(currency="USD", prompt_per_1m=1, completion_per_1m=2, cached_input_per_1m=3, cache_write_per_1m=4))
    assert said.to_json() == {"input": 10**6, "output": 2 * 10**6, "cached_input": 3 * 10**6, "cache_write": 4 * 10**6}
    assert set(read_prices(pricing()).to_json().values()) == {None}
    assert set(read_prices(Node(None, "config.yaml", PLACE)).to_json().values()) == {None}


def test_another_currency_is_refused() -> None:
    with pytest.raises(DocumentError) as refused:
        read_prices(pricing(currency="EUR", prompt_per_1m=1))
    assert refused.value.at.endswith("pricing.currency")
