"""What one observed cell says, decoded from the columns of a record batch into numbers that numpy can reduce.

    status        success             quality
    succeeded     as recorded         as recorded; 0.0 where success is false
    failed        False               0.0: known, the call delivered nothing
    timed_out     False               0.0
    unavailable   missing             missing: nobody observed this cell

A missing success is MISSING, a missing quality is NaN. Neither is ever a number that could be averaged.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from contracts.errors import IntegrityError
from contracts.tables import STATUSES

MISSING = -1
ABSENT = -1  # code of a null
FOREIGN = -2  # code of a text outside the vocabulary

_STATUS_CODES = {status: code for code, status in enumerate(STATUSES)}
_UNAVAILABLE = _STATUS_CODES["unavailable"]
_NULL_FLAG = 2
_SUCCESS = np.array(
    [[0, 1, MISSING] if status == "succeeded" else [MISSING] * 3 if status == "unavailable" else [0] * 3 for status in STATUSES],
    dtype=np.int8,
)


def codes(array: pa.Array, vocabulary: Mapping[str, int]) -> NDArray[np.int32]:
    """Shape (rows,): the number of each text in `vocabulary`, ABSENT for null, FOREIGN for any other text."""
    encoded = encode(array)
    table = np.array([vocabulary.get(text, FOREIGN) for text in encoded.dictionary.to_pylist()] + [ABSENT], dtype=np.int32)
    return table[indices(encoded, null=len(table) - 1)]


def encode(array: pa.Array) -> pa.DictionaryArray:
    """Text as dictionary codes; already so when it was read from Parquet."""
    return array if pa.types.is_dictionary(array.type) else array.dictionary_encode()


def indices(encoded: pa.DictionaryArray, *, null: int) -> NDArray[np.int32]:
    """The dictionary indices of an encoded array, `null` where a row has none."""
    return numbers(encoded.indices.fill_null(null))


def numbers(array: pa.Array) -> NDArray[Any]:
    """The values of a numeric array without nulls; read-only, not copied."""
    values: NDArray[Any] = np.from_dlpack(array)
    return values


def known_codes(array: pa.Array, vocabulary: Mapping[str, int], *, column: str) -> NDArray[np.int32]:
    """As `codes`, for a column that has nothing but words of its vocabulary; IntegrityError for others and for nulls."""
    found = codes(array, vocabulary)
    if found.size and found.min() < 0:
        raise IntegrityError("A record holds a word that its column does not know.", at=column)
    return found


def reals(array: pa.Array) -> NDArray[np.float64]:
    """Shape (rows,), NaN where null."""
    return numbers(array.fill_null(float("nan")))


def flags(array: pa.Array) -> NDArray[np.int8]:
    """Shape (rows,): 0, 1, or 2 where null."""
    return numbers(array.cast(pa.int8()).fill_null(_NULL_FLAG))


def grades(batch: pa.RecordBatch) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    """(quality, success) of a batch with the columns status, success and quality, by the table above.

    IntegrityError for an unknown status, and for a quality outside [0, 1].
    """
    status = known_codes(batch.column("status"), _STATUS_CODES, column="status")
    success = _SUCCESS[status, flags(batch.column("success"))]
    quality = reals(batch.column("quality")).copy()
    if ((quality < 0.0) | (quality > 1.0)).any():
        raise IntegrityError("A quality lies outside [0, 1].", at="quality")
    quality[success == 0] = 0.0
    quality[status == _UNAVAILABLE] = np.nan
    return quality, success
