"""One store: the authority on suites and runs. Everything else (Dagster, the evidence index, the pages) shows it.

Opening costs a few file checks. Writers found the store first; readers refuse what is not one.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from contracts.errors import EvaluationError, UnknownName
from ledgers.audit.chain import AuditLog
from ledgers.store.layout import check_store, found_store
from ledgers.store.objects import Objects
from ledgers.store.runs import RunDirectory
from ledgers.store.suites import SuiteStore


@dataclass(frozen=True)
class QuarantinedRun:
    """A run that is left alone, because what it says of itself can't be read."""

    run_id: str
    error: EvaluationError


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
        """Ids of all runs, sealed or not, sorted. A link or a file that lies beside them is no run."""
        runs = self.root / "runs"
        if not runs.is_dir():
            return []
        return sorted(
            entry.name for entry in runs.iterdir() if not entry.name.startswith(".") and entry.is_dir() and not entry.is_symlink()
        )

    def run_path(self, run_id: str) -> Path:
        return self.root / "runs" / run_id

    def has_run(self, run_id: str) -> bool:
        return (self.run_path(run_id) / "run-manifest.json").is_file()

    def run(self, run_id: str) -> RunDirectory:
        """The run of exactly this id."""
        if run_id not in self.run_ids():
            raise UnknownName("This store has no run of this id, or a link in its place.", at=f"run {run_id[:64]}")
        return RunDirectory(self.run_path(run_id))

    def examined_runs(self) -> tuple[list[RunDirectory], list[QuarantinedRun]]:
        """Every run: those whose manifest and status can be read, by id, and those that are quarantined, each with its reason.

        One damaged run keeps no other from being read. O(runs): two small documents each.
        """
        readable, quarantined = [], []
        for run_id in self.run_ids():
            run = RunDirectory(self.run_path(run_id))
            try:
                run.manifest()
                run.status()
            except EvaluationError as error:
                quarantined.append(QuarantinedRun(run_id, error))
            else:
                readable.append(run)
        return readable, quarantined

    def find_run(self, wanted: str) -> RunDirectory:
        """`latest` of the readable ones, a whole id, or a prefix that only one run has."""
        if wanted == "latest":
            readable, quarantined = self.examined_runs()
            if not readable and quarantined:
                raise quarantined[0].error
            if not readable:
                raise UnknownName("This store has no run yet.", at="latest", fix="evalplane demo")
            return max(readable, key=lambda run: (run.manifest().created_at, run.run_id))
        ids = self.run_ids()
        matches = [run_id for run_id in ids if run_id.startswith(wanted)] if wanted else []
        if len(matches) != 1:
            problem = "No run has" if not matches else f"{len(matches)} runs have"
            raise UnknownName(f"{problem} an id that begins like this.", at=f"run {wanted[:64]}")
        return self.run(matches[0])
