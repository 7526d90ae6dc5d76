"""What a person may do to a run: start, cancel, delete. Each decision, also a refusal, is one audit record."""

import shutil
from datetime import datetime

from contracts.errors import EvaluationError, WrongState
from contracts.runs import Lifecycle, RunError, RunState
from ledgers.store.publication import temporary_path
from ledgers.store.reading import require_private_directory
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store


def begin(store: Store, run: RunDirectory, *, principal: str, now: datetime) -> None:
    """pending, failed or interrupted -> running."""
    with _Audited(store, run, "start", principal, now):
        run.move(RunState.RUNNING, now=now, stage="starting")
    run.record_event("started", "run started", now=now)


def fail(run: RunDirectory, error: BaseException, *, now: datetime) -> None:
    """running or sealing -> failed, with the code and the sentence; a bug is named as such, its text stays out of the store."""
    if isinstance(error, EvaluationError):
        known = RunError(code=error.code, message=error.message)
    elif isinstance(error, KeyboardInterrupt | SystemExit):
        known = RunError(code="run.interrupted", message="The run was interrupted; start it again and it goes on.")
    else:
        known = RunError(code="internal.bug", message="A step ended with a bug.")
    run.move(RunState.FAILED, now=now, stage="failed", error=known)
    run.record_event("failed", known.code, now=now)


def cancel(store: Store, run: RunDirectory, *, principal: str, now: datetime) -> None:
    """Not yet sealed -> cancelled. A running step notices before it publishes its next document."""
    with _Audited(store, run, "cancel", principal, now):
        run.move(RunState.CANCELLED, now=now, stage="cancelled")
    run.record_event("cancelled", "run cancelled", now=now)


def delete(store: Store, run: RunDirectory, *, principal: str, now: datetime) -> None:
    """Remove a run that nothing refers to. Its directory is renamed away first, so that no reader sees half of it."""
    with _Audited(store, run, "delete", principal, now):
        _check_deletable(store, run)
        require_private_directory(run.path)
        leaving = temporary_path(store.root / "runs", "new")
        run.path.rename(leaving)
        shutil.rmtree(leaving)


def _check_deletable(store: Store, run: RunDirectory) -> None:
    if run.status().state in (RunState.RUNNING, RunState.SEALING):
        raise WrongState("A running run can't be deleted.", at=f"run {run.run_id}", fix=f"evalplane run cancel {run.run_id}")
    lifecycle = run.document("lifecycle.json", Lifecycle)
    if lifecycle.evidence_hold or lifecycle.retention_class == "protected":
        raise WrongState("The evidence of this run is held or protected.", at=f"run {run.run_id}", fix="release it first")
    for other in store.run_ids():
        if other != run.run_id and store.run(other).manifest().baseline_run_id == run.run_id:
            raise WrongState("Another run names this one as its baseline.", at=f"run {other}", fix="delete that run first")


class _Audited:
    """Writes one record of the decision, allowed or denied."""

    def __init__(self, store: Store, run: RunDirectory, action: str, principal: str, now: datetime) -> None:
        self._store, self._run, self._action, self._principal, self._now = store, run, action, principal, now

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is None or isinstance(error, WrongState):
            self._store.audit.append(
                now=self._now,
                action=self._action,
                decision="denied" if error else "allowed",
                reason_code="conflict" if error else "owner",
                actor=self._principal,
                resource_kind="run",
                resource_id=self._run.run_id,
            )
