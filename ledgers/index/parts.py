"""Parquet files of the index. They are derived, so they are replaced, not published: no fsync, and a torn one is built anew.

Equal rows give equal bytes: the same writer, the same row groups, nothing of time or place. Record tables are copied row group by row
group from the sealed parts of a run, so that memory stays at one row group however long the run was.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from contracts.canonical import digest_of
from contracts.errors import IntegrityError
from contracts.reports import SealedPart
from contracts.tables import PLAN, record_table
from ledgers.index.paths import Side, make_private, stored_schema
from ledgers.index.stamp import WRITER, IndexedPart
from ledgers.store.os_calls import store_errors
from ledgers.store.parts import ROW_GROUP, table_digest
from ledgers.store.publication import temporary_path
from ledgers.store.reading import open_plain
from ledgers.store.runs import RunDirectory


class PartWriter:
    """Writes the parts of one side, and counts them. Who calls it knows that the part is new, lost or torn."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self.written = 0

    def table(self, name: str, table: pa.Table, run_id: str = "") -> IndexedPart | None:
        """A small table, named by its content. None for no rows: the view is then empty and typed without a file."""
        if not table.num_rows:
            return None
        return self._part(name, table_digest(_digestible(table)), table.num_rows, [table], run_id)

    def records(self, run: RunDirectory) -> list[IndexedPart]:
        """Every record table and the plan of a sealed run, named by the digests of the parts that they are copied from."""
        sources: dict[str, list[tuple[str, SealedPart]]] = {}
        for suite_id in run.manifest().suite_ids:
            for entry in run.parts("records", suite_id).parts:
                sources.setdefault(entry.table, []).append((suite_id, entry.part))
        found = [self._copy(run, name, parts, record_table(name).schema) for name, parts in sorted(sources.items())]
        found.append(self._copy(run, "plan", [("", run.plan_part())], PLAN))
        return [part for part in found if part is not None]

    def _copy(self, run: RunDirectory, name: str, parts: list[tuple[str, SealedPart]], schema: pa.Schema) -> IndexedPart | None:
        rows = sum(part.rows for _, part in parts)
        if not rows:
            return None
        content = digest_of(
            "evidence-copy", {"writer": WRITER, "table": name, "parts": [[suite_id, part.table_digest] for suite_id, part in parts]}
        )
        batches = (_named(batch, suite_id, stored_schema(name)) for suite_id, part in parts for batch in _row_groups(run, part, schema))
        return self._part(name, content, rows, batches, run.run_id)

    def _part(self, name: str, content: str, rows: int, batches: Iterable[pa.Table], run_id: str) -> IndexedPart:
        part = IndexedPart(table=name, name=f"part-{content[7:23]}.parquet", rows=rows, size_bytes=0)
        path = self._side.directory / part.place(run_id)
        _write(path, stored_schema(name), batches)
        self.written += 1
        return part.model_copy(update={"size_bytes": path.stat().st_size})


def _digestible(table: pa.Table) -> pa.Table:
    """Times as whole microseconds and money as text: types that sealed parts, and so `table_digest`, do not have."""
    kinds = [
        pa.int64() if pa.types.is_timestamp(field.type) else pa.string() if pa.types.is_decimal(field.type) else field.type
        for field in table.schema
    ]
    return table.cast(pa.schema([field.with_type(kind) for field, kind in zip(table.schema, kinds, strict=True)]))


def _named(batch: pa.Table, suite_id: str, schema: pa.Schema) -> pa.Table:
    """The plan names its suites itself; a record table is told the suite of its part."""
    if "suite_id" not in batch.column_names:
        batch = batch.append_column("suite_id", pa.repeat(pa.scalar(suite_id), batch.num_rows))
    return batch.select(schema.names).cast(schema)


def _row_groups(run: RunDirectory, part: SealedPart, schema: pa.Schema) -> Iterator[pa.Table]:
    """A sealed part, one row group at a time. IntegrityError: other columns or rows than its table, or no Parquet at all."""
    at = f"runs/{run.run_id}/{part.path}"
    try:
        with open_plain(run.path / part.path, root=run.path) as source:
            file = pq.ParquetFile(source)
            if not file.schema_arrow.equals(schema) or file.metadata.num_rows != part.rows:
                raise IntegrityError("A part has other columns or rows than its table.", at=at)
            for number in range(file.num_row_groups):
                yield file.read_row_group(number)
    except (pa.ArrowException, OSError) as error:  # a damaged page is an OSError
        raise IntegrityError(f"A part is not readable Parquet ({type(error).__name__}).", at=at) from None


def _write(path: Path, schema: pa.Schema, batches: Iterable[pa.Table]) -> None:
    make_private(path.parent)
    unfinished = temporary_path(path.parent)
    try:
        with store_errors(path):
            with pq.ParquetWriter(unfinished, schema, compression="zstd") as writer:
                for batch in batches:
                    writer.write_table(batch, row_group_size=ROW_GROUP)
            unfinished.chmod(0o600)
            unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
