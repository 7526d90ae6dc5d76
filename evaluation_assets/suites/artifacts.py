"""The files of a suite: which table lies at which path, how they are written, and what must hold between them.

    visible/cases.parquet        what a worker may see
    grading/cases.parquet        hidden labels, the same cases in the same order
    grading/outcomes.parquet     recorded observations of (case, arm), where the source has them
    grading/decisions.parquet    what a recorded router chose, where the source has it
    metadata/licenses.json       under what terms the bytes came

The first folder of a path is its role.
"""

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from contracts.canonical import digest_bytes
from contracts.errors import DocumentError
from contracts.suites import Role, SuiteArtifact, SuiteDescription
from contracts.tables import DECISIONS, GRADING_CASES, OUTCOMES, VISIBLE_CASES
from ledgers.store.parts import table_digest, write_parquet
from ledgers.store.reading import sha256_file

VISIBLE_PATH, GRADING_PATH = "visible/cases.parquet", "grading/cases.parquet"
OUTCOMES_PATH, DECISIONS_PATH = "grading/outcomes.parquet", "grading/decisions.parquet"
LICENCES_PATH = "metadata/licenses.json"

SCHEMAS = {VISIBLE_PATH: VISIBLE_CASES, GRADING_PATH: GRADING_CASES, OUTCOMES_PATH: OUTCOMES, DECISIONS_PATH: DECISIONS}

_PARQUET, _JSON = "application/vnd.apache.parquet", "application/json"
_ARM_COLUMNS = ("arm_id", "selected_arm_id", "preferred_arm_id", "expected_route")


def write_artifacts(directory: Path, tables: Mapping[str, pa.Table], licences: bytes) -> tuple[SuiteArtifact, ...]:
    """Writes all files below `directory`, private to us, and describes them; sorted by path."""
    written = [_write_table(directory, path, table) for path, table in tables.items()]
    place = _new_file(directory, LICENCES_PATH)
    place.write_bytes(licences)
    licence = SuiteArtifact(
        role=Role.METADATA,
        path=LICENCES_PATH,
        media_type=_JSON,
        digest=digest_bytes(licences),
        table_digest=None,
        rows=None,
        size_bytes=len(licences),
    )
    return tuple(sorted((*written, licence), key=lambda artifact: artifact.path))


def check_tables(suite: SuiteDescription, tables: Mapping[str, pa.Table]) -> None:
    """DocumentError unless visible and grading are apart and about the same cases, and every row is about a known case and arm."""
    for path, table in tables.items():
        if path in SCHEMAS and not table.schema.equals(SCHEMAS[path]):
            raise DocumentError("A table has not exactly its declared columns.", at=path)
    for path in (VISIBLE_PATH, GRADING_PATH):
        if path not in tables:
            raise DocumentError("A suite has visible and grading cases.", at=path)
    visible, grading = tables[VISIBLE_PATH], tables[GRADING_PATH]
    cases = visible["case_id"].combine_chunks()
    if len(cases) != suite.case_count or pc.any(pc.greater_equal(cases[:-1], cases[1:])).as_py():
        raise DocumentError("Cases are counted, unique and sorted by id.", at=f"{VISIBLE_PATH}, case_id")
    if not grading["case_id"].combine_chunks().equals(cases):
        raise DocumentError("Grading is not about the same cases in the same order.", at=f"{GRADING_PATH}, case_id")
    _check_values(visible["tracks"].combine_chunks().flatten(), [str(track) for track in suite.tracks], f"{VISIBLE_PATH}, tracks", "track")
    for path, table in tables.items():
        _check_values(table["case_id"], cases, f"{path}, case_id", "case")
        for column in set(_ARM_COLUMNS) & set(table.column_names):
            _check_values(table[column], list(suite.arm_ids), f"{path}, {column}", "arm")


def _check_values(values: pa.Array | pa.ChunkedArray, known: pa.Array | list[str], at: str, what: str) -> None:
    if pc.any(pc.invert(pc.is_in(pc.drop_null(values), value_set=pa.array(known, pa.string())))).as_py():
        raise DocumentError(f"A row names a {what} that the suite does not have.", at=at)


def _write_table(directory: Path, path: str, table: pa.Table) -> SuiteArtifact:
    place = _new_file(directory, path)
    write_parquet(place, table)
    return SuiteArtifact(
        role=Role(path.partition("/")[0]),
        path=path,
        media_type=_PARQUET,
        digest=sha256_file(place),
        table_digest=table_digest(table),
        rows=table.num_rows,
        size_bytes=place.stat().st_size,
    )


def _new_file(directory: Path, path: str) -> Path:
    place = directory / path
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    place.touch(mode=0o600, exist_ok=False)
    return place
