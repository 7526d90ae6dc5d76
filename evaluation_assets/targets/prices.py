"""Prices of a model in whole micro-USD per million tokens, exactly as the config says them.

    micro-USD = USD per million tokens x 1,000,000        0.0875 USD -> 87,500

The router holds a price as a double, and so does strict YAML; its shortest decimal is the price that was meant, and what is computed with
it here is exact. A price between two micro-USD is refused: no integer could stand for it. What is not said is unpriced, never free.
The router itself counts cached tokens without a price as free; here their cost is unknown.
"""

from decimal import Decimal

from contracts.mixtures import TokenPrices
from evaluation_assets.targets.nodes import Node

MICRO = Decimal(1_000_000)
MAX_USD_PER_MILLION_TOKENS = Decimal(1_000_000)  # a dollar a token; above it the digits of a double no longer hold a micro-USD
CURRENCY = "USD"


def read_prices(pricing: Node) -> TokenPrices:
    """Of `providers.models[].pricing`. DocumentError: another currency, a negative price, or one that is no whole micro-USD."""
    currency = pricing.get("currency")
    if currency.text(16) not in (None, "", CURRENCY):
        currency.refuse("Prices are in USD; this is another currency", fix="convert the prices of this model to USD")
    return TokenPrices(
        input=_micro_usd(pricing.get("prompt_per_1m")),
        output=_micro_usd(pricing.get("completion_per_1m")),
        cached_input=_micro_usd(pricing.get("cached_input_per_1m")),
        cache_write=_micro_usd(pricing.get("cache_write_per_1m")),
    )


def _micro_usd(price: Node) -> int | None:
    value = price.value
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        price.refuse("A price is a number")
    usd = Decimal(repr(value))
    if not 0 <= usd <= MAX_USD_PER_MILLION_TOKENS:
        price.refuse("A price is from 0 to 1,000,000 USD per million tokens")
    micro = usd * MICRO
    if micro != int(micro):
        price.refuse(
            "A price is a whole number of micro-USD per million tokens; this one has more decimals",
            fix="round the price to six decimals of a USD",
        )
    return int(micro)
