"""Where the evidence index lies below the root, and which of its tables stand for runs.

    evidence/.lock  index.json                                       one writer at a time; what is listed, and from what it was made
    evidence/{public,private}/evidence.duckdb                        views over the listed parts, relative to this folder
    evidence/{public,private}/<table>/run_id=<id>/part-<hex>.parquet one file per table and sealed run
    evidence/{public,private}/<table>/part-<hex>.parquet             tables of the whole store

The public side is safe to share. Everything here may be deleted: `refresh` makes it again from the store.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from contracts.evidence_views import PRIVATE_VIEWS, PUBLIC_VIEWS
from ledgers.store.reading import require_private_directory
from ledgers.store.store import Store

STORE_TABLES = ("runs", "suites", "quality_issues", "campaigns", "campaign_slots", "pairs", "windows", "cases")
"""Tables with one part for the whole store. All others have one part for each sealed run, whose folder names the run."""


@dataclass(frozen=True)
class Side:
    """One of the two halves of the index. `directory` is absolute."""

    name: str
    directory: Path
    views: Mapping[str, pa.Schema]

    @property
    def database(self) -> Path:
        return self.directory / "evidence.duckdb"

    @property
    def absolute_database(self) -> Path:
        """Where `evalplane evidence build --absolute` writes; it stays until it is deleted by hand."""
        return self.directory / "evidence-absolute.duckdb"


@dataclass(frozen=True)
class EvidencePaths:
    directory: Path
    public: Side
    private: Side

    @property
    def index(self) -> Path:
        return self.directory / "index.json"

    @property
    def lock(self) -> Path:
        return self.directory / ".lock"

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.public, self.private

    def side_of(self, table: str) -> Side:
        return self.public if table in PUBLIC_VIEWS else self.private


def evidence_paths(store: Store) -> EvidencePaths:
    """The places of the index of this store, whether it was built or not."""
    directory = store.root / "evidence"
    return EvidencePaths(
        directory, Side("public", directory / "public", PUBLIC_VIEWS), Side("private", directory / "private", PRIVATE_VIEWS)
    )


def stored_schema(table: str) -> pa.Schema:
    """The columns inside a part: those of the view, without the `run_id` that the folder names."""
    schema = PUBLIC_VIEWS.get(table) or PRIVATE_VIEWS[table]
    return schema if table in STORE_TABLES else schema.remove(schema.get_field_index("run_id"))


def make_private(directory: Path) -> None:
    """`directory` and its missing parents, closed to others. HostileFile: it or its parent is a link, no folder, or open to others."""
    if directory.parent.exists():
        require_private_directory(directory.parent)
    else:
        make_private(directory.parent)
    if not os.path.lexists(directory):
        directory.mkdir(mode=0o700)
    require_private_directory(directory)
