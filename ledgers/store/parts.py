"""Parquet parts: written once, named by their content, sealed by two digests.

The file digest covers the bytes, which name the version of the library that wrote them. The table digest covers schema,
rows and values alone: the same rows written by another version, in other chunks or row groups, have the same one.
"""

import hashlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from contracts.canonical import digest_of
from contracts.errors import IntegrityError, StoreFull
from contracts.reports import SealedPart
from ledgers.store.publication import ensure_directory, publish_file, temporary_path
from ledgers.store.reading import open_plain, sha256_file

ROW_GROUP = 1 << 17
_NO_SPACE = (28, 122)  # ENOSPC, EDQUOT


def table_digest(table: pa.Table) -> str:
    """`sha256:...` over schema and columns. O(bytes), one pass per column, no copy of the table.

    A column enters as validity (a byte a row), lengths (int32, for text and lists) and values (little endian; 0 where
    null, -0.0 as 0.0), so that neither chunking nor the garbage under nulls changes it. The items of a list are a column
    of their own: in one stream with their lists their order would depend on the chunks.
    """
    columns = [_Column(field.name, field.type) for field in table.schema]
    for batch in table.to_batches(max_chunksize=ROW_GROUP):
        for column, array in zip(columns, batch.columns, strict=True):
            column.update(array)
    return digest_of("table", {"rows": table.num_rows, "columns": [column.summary() for column in columns]})


class _Column:
    """Three running hashes of one column, and those of its items where it holds lists."""

    def __init__(self, name: str, kind: pa.DataType) -> None:
        self._name = name
        self._items = _Column("item", kind.value_type) if pa.types.is_list(kind) else None
        self._kind = str(kind) if self._items is None else "list"  # Arrow and Parquet have different words for the items of a list
        self._hashes = {"validity": hashlib.sha256(), "lengths": hashlib.sha256(), "values": hashlib.sha256()}

    def update(self, array: pa.Array) -> None:
        self._hashes["validity"].update(pc.is_valid(array).cast(pa.uint8()).to_numpy(zero_copy_only=False).data)
        self._values(array)

    def _values(self, array: pa.Array) -> None:
        kind = array.type
        if self._items is not None:
            self._hashes["lengths"].update(_whole(pc.fill_null(pc.list_value_length(array), -1)))
            self._items.update(array.flatten())
        elif pa.types.is_string(kind):
            filled = pc.fill_null(array, "")
            self._hashes["lengths"].update(_whole(pc.binary_length(filled)))
            self._hashes["values"].update(_text_bytes(filled))
        elif pa.types.is_boolean(kind):
            self._hashes["values"].update(_whole(pc.fill_null(array, False).cast(pa.uint8())))
        elif pa.types.is_floating(kind):
            values = pc.fill_null(array, 0.0).to_numpy(zero_copy_only=False)
            if np.isnan(values).any():
                raise IntegrityError("A table holds NaN where a value or a null must be.", at=self._name)
            self._hashes["values"].update(np.ascontiguousarray(values + 0.0).data)
        else:
            self._hashes["values"].update(_whole(pc.fill_null(array, 0)))

    def summary(self) -> dict[str, object]:
        items = {} if self._items is None else {"items": self._items.summary()}
        return {"name": self._name, "type": self._kind, **{key: h.hexdigest() for key, h in self._hashes.items()}, **items}


def _whole(array: pa.Array) -> memoryview:
    return np.ascontiguousarray(array.to_numpy(zero_copy_only=False)).data


def _text_bytes(array: pa.StringArray) -> memoryview:
    """The characters of a text array as one buffer, without those outside its slice."""
    _, offsets, data = array.buffers()
    if data is None:
        return memoryview(b"")
    ends = np.frombuffer(offsets, dtype=np.int32)[array.offset : array.offset + len(array) + 1]
    return memoryview(data)[int(ends[0]) : int(ends[-1])]


def write_part(directory: Path, table: pa.Table, *, root: Path) -> SealedPart:
    """Publish `table` as directory/part-<16 hex>.parquet; again with the same rows it is the same file.

    `root`: the directory that the path of the returned part is relative to.
    """
    content = table_digest(table)
    return _publish(directory / f"part-{content[7:23]}.parquet", table, content, root)


def write_named_part(path: Path, table: pa.Table, *, root: Path) -> SealedPart:
    """Publish `table` under a name of its own; other rows under the same name are refused."""
    return _publish(path, table, table_digest(table), root)


def _publish(final: Path, table: pa.Table, content: str, root: Path) -> SealedPart:
    ensure_directory(final.parent)
    unfinished = temporary_path(final.parent)
    try:
        write_parquet(unfinished, table)
        publish_file(unfinished, final)
    finally:
        unfinished.unlink(missing_ok=True)
    return SealedPart(
        path=str(final.relative_to(root)),
        rows=table.num_rows,
        size_bytes=final.stat().st_size,
        digest=sha256_file(final),
        table_digest=content,
    )


def write_parquet(path: Path, table: pa.Table) -> None:
    """zstd Parquet without timestamps or paths in it, so that equal rows give equal bytes."""
    try:
        pq.write_table(table, path, compression="zstd", row_group_size=ROW_GROUP, write_statistics=True)
    except OSError as error:
        if error.errno in _NO_SPACE or "No space left" in str(error):
            raise StoreFull("The disk is full.", at=path.parent.name) from None
        raise


def read_part(root: Path, part: SealedPart, schema: pa.Schema, *, columns: list[str] | None = None) -> pa.Table:
    """Rows of a sealed part, with exactly the columns of `schema`; a foreign schema or row count is refused."""
    return read_parquet(root / part.path, schema, columns=columns, rows=part.rows, at=part.path)


def read_parquet(path: Path, schema: pa.Schema, *, at: str, columns: list[str] | None = None, rows: int | None = None) -> pa.Table:
    """A plain Parquet file of ours, memory kept to the columns asked for."""
    try:
        with open_plain(path) as source:
            file = pq.ParquetFile(source)
            if not file.schema_arrow.equals(schema) or (rows is not None and file.metadata.num_rows != rows):
                raise IntegrityError("A part has other columns or rows than its table.", at=at)
            return file.read(columns=columns)
    except (pa.ArrowException, OSError) as error:  # pyarrow calls a damaged footer or page an OSError
        raise IntegrityError(f"A part is not readable Parquet ({type(error).__name__}).", at=at) from None
