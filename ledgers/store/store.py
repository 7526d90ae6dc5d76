"""One store: the authority on suites and runs. Everything else (Dagster, the evidence index, the pages) shows it.

Opening costs a few file checks. Writers found the store first; readers refuse what is not one.
"""

from pathlib import Path
from typing import Self

from contracts.errors import UnknownName
from ledgers.audit.chain import AuditLog
from ledgers.store.layout import check_store, found_store
from ledgers.store.objects import Objects
from ledgers.store.runs import RunDirectory
from ledgers.store.suites import SuiteStore


class Store:
    """`root`: absolute path of the store."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.suites = SuiteStore(root / "suites")
        self.objects = Objects(root / "objects" / "sha256")
        self.audit = AuditLog(root / "audit")

    @classmethod
    def open(cls, root: Path) -> Self:
        """A store that must be there already: for reading."""
        root = root.absolute()
        check_store(root)
        return cls(root)

    @classmethod
    def found(cls, root: Path) -> Self:
        """A store that is made where none is: for writing."""
        root = root.absolute()
        found_store(root)
        return cls(root)

    def run_ids(self) -> list[str]:
        """Ids of all runs, sealed or not, sorted."""
        runs = self.root / "runs"
        return sorted(entry.name for entry in runs.iterdir() if not entry.name.startswith(".")) if runs.is_dir() else []

    def run_path(self, run_id: str) -> Path:
        return self.root / "runs" / run_id

    def has_run(self, run_id: str) -> bool:
        return (self.run_path(run_id) / "run-manifest.json").is_file()

    def run(self, run_id: str) -> RunDirectory:
        """The run of exactly this id."""
        if run_id not in self.run_ids():
            raise UnknownName("This store has no run of this id.", at=f"run {run_id[:64]}")
        return RunDirectory(self.run_path(run_id))

    def find_run(self, wanted: str) -> RunDirectory:
        """`latest`, a whole id, or a prefix that only one run has."""
        ids = self.run_ids()
        if wanted == "latest":
            if not ids:
                raise UnknownName("This store has no run yet.", at="latest", fix="evalplane demo")
            return max((self.run(run_id) for run_id in ids), key=lambda run: (run.manifest().created_at, run.run_id))
        matches = [run_id for run_id in ids if run_id.startswith(wanted)] if wanted else []
        if len(matches) != 1:
            problem = "No run has" if not matches else f"{len(matches)} runs have"
            raise UnknownName(f"{problem} an id that begins like this.", at=f"run {wanted[:64]}")
        return self.run(matches[0])
