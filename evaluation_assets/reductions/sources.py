"""Record rows as a stream of batches: from a table in memory, or from sealed Parquet parts, one row group at a time.

A reduction names the columns it needs and never holds more than one batch of them, so its memory does not grow with
the columns that it does not read.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from contracts.errors import IntegrityError
from ledgers.store.reading import open_plain

BATCH_ROWS = 1 << 17


@dataclass(frozen=True)
class ParquetParts:
    """Parts of one record table of one suite, in row order. Text is read as dictionary codes: ids repeat on many rows."""

    paths: tuple[Path, ...]

    @property
    def num_rows(self) -> int:
        return sum(_row_count(path) for path in self.paths)

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        for path in self.paths:
            yield from _row_groups(path, list(columns))


Records: TypeAlias = pa.Table | ParquetParts


def batches(records: Records, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The named columns of `records`, at most BATCH_ROWS rows at a time, in row order."""
    if isinstance(records, ParquetParts):
        yield from records.batches(columns)
    else:
        yield from records.select(list(columns)).to_batches(max_chunksize=BATCH_ROWS)


def _row_count(path: Path) -> int:
    with _readable(path), open_plain(path) as source:
        return int(pq.read_metadata(source).num_rows)


def _row_groups(path: Path, columns: list[str]) -> Iterator[pa.RecordBatch]:
    with _readable(path), open_plain(path) as source:
        texts = [field.name for field in pq.read_schema(source) if pa.types.is_string(field.type) and field.name in columns]
        source.seek(0)
        file = pq.ParquetFile(source, read_dictionary=texts)
        for group in range(file.num_row_groups):
            yield from file.read_row_group(group, columns=columns).to_batches(max_chunksize=BATCH_ROWS)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """No error of the Parquet library leaves this module."""
    try:
        yield
    except pa.ArrowException as error:
        raise IntegrityError(f"A part is not readable Parquet ({type(error).__name__}).", at=path.name) from None
