"""models.json of CodeRouterBench: the models are the arms, and their list prices are what costs are recomputed with."""

from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from contracts.base import ArmId, Document, ShortText
from contracts.errors import ExportError
from evaluation_assets.benchmarks.normalizers.csv_columns import Whole

MAX_PRICE = 1000.0  # USD per million tokens; with at most 2^31 tokens a cost in pico-USD stays below 2^63


class PricedModel(Document):
    """One model as the export lists it. Prices are USD per million tokens; `provider` and `tier` are read and not used."""

    model: ArmId
    provider: ShortText
    tier: ShortText
    input_per_1m: float = Field(ge=0, le=MAX_PRICE)
    output_per_1m: float = Field(ge=0, le=MAX_PRICE)
    note: ShortText | None = Field(default=None, alias="_note")


class PricedModels(Document):
    models: tuple[PricedModel, ...] = Field(min_length=1, max_length=4096)


class Arms(NamedTuple):
    """Sorted by id. Prices in micro-USD per million tokens, so that tokens times price is pico-USD; shape (arms,)."""

    ids: pa.Array
    input_price: Whole
    output_price: Whole


def read_arms(data: bytes, file: str) -> Arms:
    """StrictReadError, DocumentError or ExportError name the field; a JSON document has fields where a table has lines."""
    models = PricedModels.parse(data, file).models
    rows: dict[str, tuple[int, int]] = {}
    for place, row in enumerate(models):
        where = f"{file}, models[{place}]"
        if row.model in rows:
            raise ExportError("A model occurs twice.", at=f"{where}.model")
        rows[row.model] = _micro(row.input_per_1m, f"{where}.input_per_1m"), _micro(row.output_per_1m, f"{where}.output_per_1m")
    ids = sorted(rows)
    prices = np.array([rows[arm_id] for arm_id in ids], np.int64)
    return Arms(pa.array(ids, pa.string()), prices[:, 0], prices[:, 1])


def _micro(price: float, at: str) -> int:
    micro = Decimal(repr(price)).scaleb(6)  # the shortest text of a double is the text that was printed
    if micro != int(micro):
        raise ExportError("A price is no whole number of micro-USD per million tokens.", at=at)
    return int(micro)
