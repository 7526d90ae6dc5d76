"""The directory of one run: immutable documents and parts, and one mutable status that is replaced atomically.

Everything but status.json, lifecycle.json and control-events.jsonl is published once. Publishing the same bytes again
is nothing; other bytes under the same name are refused, so a stage may be repeated but never changes its mind.
"""

from datetime import datetime
from pathlib import Path
from typing import Literal, TypeVar

import pyarrow as pa

from contracts.base import MAX_DOCUMENT_BYTES, Document
from contracts.canonical import digest_bytes
from contracts.errors import AlreadyExists, InputError, IntegrityError, UnknownName, WrongState
from contracts.reports import FailureSummary, Lineage, SealedPart, SuiteParts, TablePart
from contracts.runs import TRANSITIONS, ControlEvent, RunError, RunManifest, RunState, RunStatus
from contracts.tables import PLAN, record_table
from ledgers.store.parts import read_part, write_named_part, write_part
from ledgers.store.publication import append_line, ensure_directory, publish_bytes, publish_directory, read_lines, replace_bytes
from ledgers.store.reading import read_bytes

MAX_EVENT_BYTES = 64 * 1024 * 1024
Stage = Literal["observations", "records"]
D = TypeVar("D", bound=Document)


class RunDirectory:
    """One run of a store. Opening it reads nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.run_id = path.name
        self._manifest: RunManifest | None = None

    # -- documents -------------------------------------------------------------------------------------------------

    def exists(self, name: str = "run-manifest.json") -> bool:
        return (self.path / name).is_file()

    def manifest(self) -> RunManifest:
        if self._manifest is None:
            manifest = self.document("run-manifest.json", RunManifest)
            if manifest.run_id != self.run_id:
                raise IntegrityError("The manifest belongs to another run.", at=f"runs/{self.run_id}/run-manifest.json")
            self._manifest = manifest
        return self._manifest

    def document(self, name: str, kind: type[D]) -> D:
        """A document of the run; its bytes must be the canonical ones, or somebody rewrote them."""
        data = self.read(name)
        try:
            document = kind.parse(data, f"runs/{self.run_id}/{name}")
        except InputError as error:
            raise IntegrityError(f"A document of the run is damaged: {error.message}", at=error.at) from None
        if document.canonical() != data:
            raise IntegrityError("A document is not in canonical form.", at=f"runs/{self.run_id}/{name}")
        return document

    def read(self, name: str, *, max_bytes: int = MAX_DOCUMENT_BYTES) -> bytes:
        if not (self.path / name).exists():
            raise UnknownName("The run has no such file yet.", at=f"runs/{self.run_id}/{name}")
        return read_bytes(self.path / name, max_bytes=max_bytes, root=self.path)

    def publish(self, name: str, document: Document) -> str:
        """Publish a document once; returns its file digest."""
        return self.publish_bytes(name, document.canonical())

    def publish_bytes(self, name: str, data: bytes) -> str:
        ensure_directory((self.path / name).parent)
        try:
            publish_bytes(self.path / name, data)
        except AlreadyExists:
            raise IntegrityError(
                "A stage was repeated with another result.",
                at=f"runs/{self.run_id}/{name}",
                fix="create a new run; the code or the suite under this one has changed",
            ) from None
        return digest_bytes(data)

    # -- state -----------------------------------------------------------------------------------------------------

    def status(self) -> RunStatus:
        return self.document("status.json", RunStatus)

    def move(
        self,
        state: RunState,
        *,
        now: datetime,
        stage: str,
        completed: int = 0,
        total: int = 0,
        error: RunError | None = None,
        result_digest: str | None = None,
    ) -> RunStatus:
        """Replace the status. A move that the state model lacks is refused (contracts.runs.TRANSITIONS)."""
        after = self.moved(state, now=now, stage=stage, completed=completed, total=total, error=error, result_digest=result_digest)
        self.replace_status(after)
        return after

    def moved(
        self,
        state: RunState,
        *,
        now: datetime,
        stage: str,
        completed: int = 0,
        total: int = 0,
        error: RunError | None = None,
        result_digest: str | None = None,
    ) -> RunStatus:
        """The status that `move` would write, refused as there."""
        before = self.status()
        if state not in TRANSITIONS[before.state]:
            raise WrongState(f"The run is {before.state} and can't become {state}.", at=f"run {self.run_id}")
        return RunStatus(
            schema_version="evaluation-run-status.v1",
            run_id=self.run_id,
            state=state,
            stage=stage,
            completed=completed,
            total=total,
            updated_at=now,
            started_at=before.started_at or (now if state is RunState.RUNNING else None),
            completed_at=now if not TRANSITIONS[state] or state is RunState.FAILED else None,
            error=error,
            result_digest=result_digest,
        )

    def replace_status(self, status: RunStatus) -> None:
        replace_bytes(self.path / "status.json", status.canonical())

    def require_admitted(self) -> RunManifest:
        """The manifest of a run that may go on: created by the store, started, and neither cancelled nor sealed."""
        manifest, state = self.manifest(), self.status().state
        if state not in (RunState.RUNNING, RunState.SEALING):
            raise WrongState(
                f"The run is {state}; only a started run can be worked on.",
                at=f"run {self.run_id}",
                fix=f"evalplane run start {self.run_id}" if RunState.RUNNING in TRANSITIONS[state] else "create a new run",
            )
        return manifest

    def record_event(self, kind: str, message: str, *, now: datetime) -> ControlEvent:
        event = ControlEvent.build(
            {
                "schema_version": "evaluation-control-event.v1",
                "sequence": len(self.event_lines()) + 1,
                "type": kind,
                "at": now.isoformat(),
                "message": message[:512],
            },
            "control-events.jsonl",
        )
        append_line(self.path / "control-events.jsonl", event.canonical())
        return event

    def event_lines(self) -> list[bytes]:
        return read_lines(self.path / "control-events.jsonl", max_bytes=MAX_EVENT_BYTES, root=self.path)

    def events(self) -> list[ControlEvent]:
        return [ControlEvent.parse(line, f"runs/{self.run_id}/control-events.jsonl") for line in self.event_lines()]

    # -- parts -----------------------------------------------------------------------------------------------------

    def publish_plan(self, plan: pa.Table) -> SealedPart:
        part = write_named_part(self.path / "plan.parquet", plan, root=self.path)
        self.publish("plan.json", part)
        return part

    def plan(self, columns: list[str] | None = None) -> pa.Table:
        return read_part(self.path, self.plan_part(), PLAN, columns=columns)

    def plan_part(self) -> SealedPart:
        return self.document("plan.json", SealedPart)

    def publish_parts(self, stage: Stage, suite_id: str, tables: dict[str, pa.Table]) -> SuiteParts:
        """Publish the tables of one suite, and last the list that makes them visible."""
        written = [
            TablePart(table=name, part=write_part(self.path / stage / name / f"suite={suite_id}", table, root=self.path))
            for name, table in sorted(tables.items())
        ]
        parts = SuiteParts(suite_id=suite_id, parts=tuple(written))
        self.publish(f"{stage}/suite={suite_id}.json", parts)
        return parts

    def parts(self, stage: Stage, suite_id: str) -> SuiteParts:
        return self.document(f"{stage}/suite={suite_id}.json", SuiteParts)

    def has_parts(self, stage: Stage, suite_id: str) -> bool:
        return self.exists(f"{stage}/suite={suite_id}.json")

    def table(self, stage: Stage, suite_id: str, name: str, columns: list[str] | None = None) -> pa.Table | None:
        """Rows of one table of one suite; None where the suite does not carry its track."""
        part = self.parts(stage, suite_id).part(name)
        kind = record_table(name)
        schema = kind.schema if stage == "records" else kind.observed
        return None if part is None else read_part(self.path, part, schema, columns=columns)

    def lineage(self) -> Lineage:
        return self.document("lineage.json", Lineage)

    def failure_part(self, suite_id: str) -> FailureSummary:
        return self.document(f"records/suite={suite_id}.failures.json", FailureSummary)


def create_run_directory(path: Path, files: dict[str, bytes]) -> RunDirectory:
    """Publish manifest, status, first event and lifecycle as one directory: a reader sees all of it or nothing."""

    def fill(directory: Path) -> None:
        for name, data in files.items():
            (directory / name).write_bytes(data)

    publish_directory(path, fill)
    return RunDirectory(path)
