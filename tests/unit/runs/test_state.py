"""The states of a run: every move of the model and every move that it lacks, and what may be deleted."""

from pathlib import Path

import pytest

from contracts.errors import EvaluationError, WrongState
from contracts.runs import TRANSITIONS, Lifecycle, RunState
from evaluation_assets.runs.state import begin, cancel, delete, fail
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store
from tests.plain_runs import NOW, created, new_store, run_id, smoke_request

WHO = "sha256:" + "1" * 64
ROADS = {
    RunState.PENDING: (),
    RunState.RUNNING: (RunState.RUNNING,),
    RunState.SEALING: (RunState.RUNNING, RunState.SEALING),
    RunState.COMPLETED: (RunState.RUNNING, RunState.SEALING, RunState.COMPLETED),
    RunState.FAILED: (RunState.RUNNING, RunState.FAILED),
    RunState.CANCELLED: (RunState.CANCELLED,),
}
ACTIVE = (RunState.RUNNING, RunState.SEALING)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def in_state(store: Store, state: RunState, number: int = 1) -> RunDirectory:
    run = created(store, smoke_request(), number)
    for step in ROADS[state]:
        run.move(step, now=NOW, stage="test")
    assert run.status().state is state
    return run


def decisions(store: Store) -> list[tuple[str, str]]:
    return [(record.action, record.decision) for record in store.audit.records() if record.action != "create"]


@pytest.mark.parametrize("after", RunState)
@pytest.mark.parametrize("before", RunState)
def test_every_move_is_one_of_the_model(store: Store, before: RunState, after: RunState) -> None:
    run = in_state(store, before)
    bytes_before = run.read("status.json")
    if after in TRANSITIONS[before]:
        run.move(after, now=NOW, stage="test")
        assert run.status().state is after
        return
    with pytest.raises(WrongState):
        run.move(after, now=NOW, stage="test")
    assert run.read("status.json") == bytes_before


def test_every_state_but_the_ends_leads_to_an_end() -> None:
    assert {state for state in RunState if not TRANSITIONS[state]} == {RunState.COMPLETED, RunState.CANCELLED}
    assert set(TRANSITIONS) == set(RunState)


@pytest.mark.parametrize(
    ("state", "allowed"),
    [
        (RunState.PENDING, True),
        (RunState.RUNNING, True),
        (RunState.SEALING, True),
        (RunState.FAILED, True),
        (RunState.COMPLETED, False),
        (RunState.CANCELLED, False),
    ],
)
def test_start(store: Store, state: RunState, allowed: bool) -> None:
    run = in_state(store, state)
    if allowed:
        begin(store, run, principal=WHO, now=NOW)
        assert run.status().state is RunState.RUNNING
        assert run.events()[-1].type == "started"
    else:
        with pytest.raises(WrongState):
            begin(store, run, principal=WHO, now=NOW)
        assert run.events()[-1].type != "started"
    assert decisions(store) == [("start", "allowed" if allowed else "denied")]
    assert store.audit.records()[-1].actor == WHO


@pytest.mark.parametrize(
    ("state", "allowed"),
    [
        (RunState.PENDING, True),
        (RunState.RUNNING, True),
        (RunState.SEALING, False),
        (RunState.FAILED, True),
        (RunState.COMPLETED, False),
        (RunState.CANCELLED, False),
    ],
)
def test_cancel(store: Store, state: RunState, allowed: bool) -> None:
    run = in_state(store, state)
    if allowed:
        cancel(store, run, principal=WHO, now=NOW)
        assert (run.status().state, run.events()[-1].type) == (RunState.CANCELLED, "cancelled")
    else:
        with pytest.raises(WrongState):
            cancel(store, run, principal=WHO, now=NOW)
        assert run.status().state is state
    assert decisions(store) == [("cancel", "allowed" if allowed else "denied")]


@pytest.mark.parametrize("state", RunState)
def test_delete_takes_what_does_not_run(store: Store, state: RunState) -> None:
    run = in_state(store, state)
    if state in ACTIVE:
        with pytest.raises(WrongState):
            delete(store, run, principal=WHO, now=NOW)
        assert store.run_ids() == [run.run_id]
    else:
        delete(store, run, principal=WHO, now=NOW)
        assert store.run_ids() == []
        assert not list((store.root / "runs").iterdir())
    assert decisions(store) == [("delete", "denied" if state in ACTIVE else "allowed")]


@pytest.mark.parametrize("change", [{"evidence_hold": True}, {"retention_class": "protected"}], ids=str)
def test_held_evidence_stays(store: Store, change: dict[str, object]) -> None:
    run = in_state(store, RunState.PENDING)
    held = run.document("lifecycle.json", Lifecycle).model_copy(update=change)
    (run.path / "lifecycle.json").write_bytes(held.canonical())
    with pytest.raises(WrongState, match="held or protected"):
        delete(store, run, principal=WHO, now=NOW)
    assert store.run_ids() == [run.run_id]
    assert decisions(store) == [("delete", "denied")]


def test_a_baseline_stays_as_long_as_it_is_one(store: Store) -> None:
    baseline = created(store, smoke_request())
    candidate = created(store, smoke_request(baseline_run_id=run_id(1)), 2)
    with pytest.raises(WrongState, match="baseline"):
        delete(store, baseline, principal=WHO, now=NOW)
    delete(store, candidate, principal=WHO, now=NOW)
    delete(store, baseline, principal=WHO, now=NOW)
    assert store.run_ids() == []
    assert decisions(store) == [("delete", "denied"), ("delete", "allowed"), ("delete", "allowed")]


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [(EvaluationError("It went wrong."), "evaluation.error", "It went wrong."), (None, "internal.bug", "A step ended with a bug.")],
)
def test_failure_tells_code_and_sentence(store: Store, error: EvaluationError | None, code: str, message: str) -> None:
    run = in_state(store, RunState.RUNNING)
    fail(run, error, now=NOW)
    status = run.status()
    assert status.error is not None
    assert (status.state, status.error.code, status.error.message, status.completed_at) == (RunState.FAILED, code, message, NOW)
    begin(store, run, principal=WHO, now=NOW)
    assert (run.status().error, run.status().completed_at, run.status().started_at) == (None, None, NOW)


@pytest.mark.parametrize("state", RunState)
def test_only_a_started_run_is_worked_on(store: Store, state: RunState) -> None:
    run = in_state(store, state)
    if state in ACTIVE:
        assert run.require_admitted() == run.manifest()
        return
    with pytest.raises(WrongState) as refused:
        run.require_admitted()
    can_start = RunState.RUNNING in TRANSITIONS[state]
    assert refused.value.fix == (f"evalplane run start {run.run_id}" if can_start else "create a new run")


def test_events_are_numbered_without_gap(store: Store) -> None:
    run = in_state(store, RunState.PENDING)
    begin(store, run, principal=WHO, now=NOW)
    cancel(store, run, principal=WHO, now=NOW)
    assert [(event.sequence, event.type) for event in run.events()] == [(1, "created"), (2, "started"), (3, "cancelled")]
