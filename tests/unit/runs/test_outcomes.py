"""The seven ways in which a run, a cell or a gate can end short of a pass, each produced once for real and told apart."""

from collections.abc import Callable
from pathlib import Path

import pytest

from contracts.errors import DocumentError, NotAdmitted, StoreFull
from contracts.foundation import StaticEvidence
from contracts.gates import RunGates, Verdict
from contracts.reports import Report, RunCoverage
from contracts.runs import RunState
from evaluation_assets.gates import g1_static
from evaluation_assets.gates.interface import Decision
from evaluation_assets.runs.state import fail
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store
from tests.plain_runs import NOW, created, finish, new_store, run_id, smoke_request
from tests.unit.records.rows import observed, outcome
from tests.unit.suite_makers import fixture_suite


def finished(store: Store, **changes: object) -> tuple[RunDirectory, Report]:
    run = created(store, smoke_request(**changes))
    return run, finish(store, run)


def failing(store: Store, run: RunDirectory, error: type[Exception]) -> None:
    """As launch ends a run whose step raised one of our errors."""
    with pytest.raises(error) as raised:
        finish(store, run)
    fail(run, raised.value, now=NOW)  # type: ignore[arg-type]


def rejected_at_planning(store: Store, patch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotAdmitted):
        created(store, smoke_request(target_id="benchmark-source"))
    assert store.run_ids() == []


def failed_execution(store: Store, patch: pytest.MonkeyPatch) -> None:
    fixture_suite(store, recorded={"outcomes": observed(outcome("c1"), outcome("c1"))})
    run = created(store, smoke_request(suite_ids=["tiny"], tracks=["model_pool"]))
    failing(store, run, DocumentError)
    assert run.status().state is RunState.FAILED
    assert not run.exists("gates.json")
    assert not run.exists("report.json")


def failed_sealing(store: Store, patch: pytest.MonkeyPatch) -> None:
    def no_space(*_: object) -> bytes:
        raise StoreFull("The disk is full.")

    run = created(store, smoke_request())
    with patch.context() as broken:
        broken.setattr("evaluation_assets.reports.sealing.render", no_space)
        failing(store, run, StoreFull)
    assert (run.status().state, run.status().error.code) == (RunState.FAILED, "store.full")  # type: ignore[union-attr]
    assert run.exists("gates.json")
    assert not run.exists("report-anchor.json")
    assert finish(store, run).result_digest == run.status().result_digest
    assert run.status().state is RunState.COMPLETED


def unavailable_cell(store: Store, patch: pytest.MonkeyPatch) -> None:
    fixture_suite(store, recorded={"outcomes": observed(outcome("c1"), outcome("c1", "b", status="failed"), outcome("c2"))})
    run, report = finished(store, suite_ids=["tiny"], tracks=["model_pool"])
    (coverage,) = run.document("coverage.json", RunCoverage).tracks
    assert (coverage.planned, coverage.succeeded, coverage.failed, coverage.unavailable, coverage.level) == (4, 2, 1, 1, "E0")
    assert {row.reason.value: row.count for row in report.failures.tracks[0].reasons} == {"absent_cell": 1, "failed_call": 1}
    assert run.status().state is RunState.COMPLETED


def unavailable_gate(store: Store, patch: pytest.MonkeyPatch) -> None:
    run, report = finished(store)
    assert report.gates[3].verdict is Verdict.UNAVAILABLE
    assert report.gates[3].missing == ("controlled_pair",)
    assert report.gates[3].observed is None
    assert run.status().state is RunState.COMPLETED


def failed_gate(store: Store, patch: pytest.MonkeyPatch) -> None:
    evidence = StaticEvidence(admission_holds=True, plan_is_derivable=False, every_cell_has_one_record=True, planned_cells=4)

    def judged(*_: object) -> Decision:
        return g1_static.decide(evidence)

    with patch.context() as other:
        other.setattr(g1_static.StaticCorrectness, "judge", judged)
        run, report = finished(store)
    assert report.gates[1].verdict is Verdict.FAIL
    assert "the plan follows from the manifest" in report.gates[1].rationale
    assert run.status().state is RunState.COMPLETED, "a verdict is data: it never fails the run"


def not_applicable(store: Store, patch: pytest.MonkeyPatch) -> None:
    run, report = finished(store, change_profile="agent_multimodal")
    assert report.gates[3].verdict is Verdict.NOT_APPLICABLE
    assert run.document("gates.json", RunGates).gates[3].missing == ()
    assert run.status().state is RunState.COMPLETED


OUTCOMES = (rejected_at_planning, failed_execution, failed_sealing, unavailable_cell, unavailable_gate, failed_gate, not_applicable)


@pytest.mark.parametrize("happens", OUTCOMES, ids=lambda happens: happens.__name__.replace("_", " "))
def test_outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, happens: Callable[[Store, pytest.MonkeyPatch], None]) -> None:
    store = new_store(tmp_path)
    happens(store, monkeypatch)
    assert store.has_run(run_id(1)) == (happens is not rejected_at_planning)
