"""Slices: the cases of one language, domain or modality.

A dimension needs two values to be worth slicing; of more than 64 the ones with the most cases are taken, then by name.
A case without a value is in no slice of that dimension. A value too long for a label names no slice.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluation_assets.reductions.cells import encode, indices
from evaluation_assets.reductions.inputs import ReductionInputs

DIMENSIONS = ("language", "domain", "modality")
MAX_VALUES = 64
_MAX_LENGTH = 512


def slices(inputs: ReductionInputs) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """(`<dimension>=<value>`, members) with members of shape (cases of the cohort,), by dimension, then by value."""
    for dimension in DIMENSIONS:
        columns = [inputs.cases[suite].column(dimension) for suite in inputs.cohort.suites]
        values = encode(pa.chunked_array([chunk for column in columns for chunk in column.chunks], pa.string()).combine_chunks())
        numbers = indices(values, null=len(values.dictionary))
        counts = np.bincount(numbers, minlength=len(values.dictionary))
        names = [(name, number) for number, name in enumerate(values.dictionary.to_pylist()) if 0 < len(name) <= _MAX_LENGTH]
        usual = sorted(names, key=lambda entry: (-int(counts[entry[1]]), entry[0]))[:MAX_VALUES]
        if len(usual) > 1:
            for name, number in sorted(usual):
                yield f"{dimension}={name}", numbers == number
