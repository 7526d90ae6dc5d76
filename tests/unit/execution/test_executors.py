"""Executors: the registry is the catalog, and what each hands over for one suite."""

from pathlib import Path

import pyarrow as pa
import pytest

from contracts.catalogs import execution_catalog
from contracts.errors import DocumentError, EvaluationError, WrongState
from contracts.runs import RunManifest
from contracts.tables import DECISIONS, OUTCOMES, record_table
from contracts.tracks import Track
from evaluation_assets.execution.executors.interface import EvaluationInputs
from evaluation_assets.execution.executors.normalized_suite_replay import routed_outcomes, routes
from evaluation_assets.execution.executors.registry import EXECUTORS
from evaluation_assets.execution.observe import publish_observations
from evaluation_assets.records.publish import publish_records
from evaluation_assets.runs.publish import publish_plan
from evaluation_assets.runs.state import begin, cancel
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store
from tests.plain_runs import NOW, created, import_request, new_store, smoke_request
from tests.unit.records.rows import observed, outcome
from tests.unit.suite_makers import fixture_suite, imported_suite, table_of

WHO = "sha256:" + "1" * 64


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def planned(store: Store, run: RunDirectory) -> RunDirectory:
    begin(store, run, principal=WHO, now=NOW)
    publish_plan(store, run)
    return run


def records(store: Store, run: RunDirectory, suite_id: str, table: str) -> list[dict[str, object]]:
    publish_observations(store, run, suite_id)
    publish_records(store, run, suite_id)
    rows = run.table("records", suite_id, table)
    assert rows is not None
    found: list[dict[str, object]] = rows.to_pylist()
    return found


def test_registry_and_catalog_have_the_same_executors() -> None:
    assert set(EXECUTORS) == {row.executor_id for row in execution_catalog().executors}
    assert all(executor.executor_id == name for name, executor in EXECUTORS.items())
    accepted = [*execution_catalog().mixture_accepts, *(entry for row in execution_catalog().targets for entry in row.accepts)]
    assert {entry.executor_id for entry in accepted} == set(EXECUTORS)


# -- normalized-suite-replay.v1 ----------------------------------------------------------------------------------------


def joined(decisions: list[dict[str, object]], outcomes: list[dict[str, object]]) -> list[tuple[object, ...]]:
    rows = routed_outcomes(
        table_of(DECISIONS, [{"selection_status": "selected", "fallback": False, **row} for row in decisions]),
        table_of(OUTCOMES, [{"attempt": 1, "status": "succeeded", **row} for row in outcomes]),
    )
    assert rows.schema.equals(record_table("routed_outcomes").observed)
    return sorted((row["case_id"], row["selected_arm_id"], row["status"], row["reason"], row["quality"]) for row in rows.to_pylist())


@pytest.mark.parametrize(
    ("decision", "outcomes", "expected"),
    [
        pytest.param(
            {"selected_arm_id": "b"},
            [{"arm_id": "a", "quality": 0.1}, {"arm_id": "b", "quality": 0.9}],
            ("b", "succeeded", None, 0.9),
            id="the outcome of the chosen arm",
        ),
        pytest.param(
            {"selected_arm_id": "b"},
            [{"arm_id": "a", "quality": 0.1}],
            ("b", "unavailable", "absent_cell", None),
            id="the chosen cell was never recorded",
        ),
        pytest.param(
            {"selected_arm_id": None, "selection_status": "abstained"},
            [{"arm_id": "a", "quality": 0.1}],
            (None, "unavailable", "no_selection", None),
            id="nothing was chosen",
        ),
        pytest.param(
            {"selected_arm_id": "a"},
            [{"arm_id": "a", "status": "failed", "reason": "failed_call"}],
            ("a", "failed", "failed_call", None),
            id="the chosen call failed",
        ),
        pytest.param(
            {"selected_arm_id": "a"},
            [{"arm_id": "a", "attempt": 2, "quality": 0.1}],
            ("a", "unavailable", "absent_cell", None),
            id="only a later attempt was recorded",
        ),
        pytest.param(
            {"selected_arm_id": "a"},
            [{"arm_id": "a", "action": "think", "quality": 0.1}],
            ("a", "unavailable", "absent_cell", None),
            id="only a variant of the arm was recorded",
        ),
    ],
)
def test_routed_outcome(decision: dict[str, object], outcomes: list[dict[str, object]], expected: tuple[object, ...]) -> None:
    assert joined([{"case_id": "c1", **decision}], [{"case_id": "c1", **row} for row in outcomes]) == [("c1", *expected)]


def test_the_router_s_latency_is_not_the_call_s() -> None:
    rows = routed_outcomes(
        table_of(
            DECISIONS, [{"case_id": "c1", "selection_status": "selected", "fallback": False, "selected_arm_id": "a", "latency_ms": 2.0}]
        ),
        table_of(OUTCOMES, [{"case_id": "c1", "arm_id": "a", "attempt": 1, "status": "succeeded", "latency_ms": 300.0}]),
    )
    assert rows.column("latency_ms").to_pylist() == [300.0]


def test_routes_say_who_abstained() -> None:
    rows = routes(
        table_of(
            DECISIONS,
            [
                {"case_id": "c1", "selection_status": "abstained", "fallback": False},
                {"case_id": "c2", "selection_status": "fallback", "fallback": True, "selected_arm_id": "a", "latency_ms": 2.0},
            ],
        )
    )
    assert rows.select(["abstained", "fallback", "latency_ms", "attempt"]).to_pylist() == [
        {"abstained": True, "fallback": False, "latency_ms": None, "attempt": 1},
        {"abstained": False, "fallback": True, "latency_ms": 2.0, "attempt": 1},
    ]


def test_an_import_with_gaps_keeps_every_planned_cell(store: Store) -> None:
    imported_suite(
        store,
        outcomes=[{"case_id": "c1", "arm_id": "a", "quality": 0.5}, {"case_id": "c2", "arm_id": "b", "quality": 1.0}],
        decisions=[{"case_id": "c1", "selected_arm_id": "b"}],
    )
    run = planned(store, created(store, import_request("imported")))
    pool = records(store, run, "imported", "outcomes")
    assert [(row["case_id"], row["arm_id"], row["status"], row["reason"], row["quality"]) for row in pool] == [
        ("c1", "a", "succeeded", None, 0.5),
        ("c1", "b", "unavailable", "absent_cell", None),
        ("c2", "a", "unavailable", "absent_cell", None),
        ("c2", "b", "succeeded", None, 1.0),
    ]
    assert [(row["case_id"], row["status"], row["reason"]) for row in records(store, run, "imported", "routed_outcomes")] == [
        ("c1", "unavailable", "absent_cell"),
        ("c2", "unavailable", "absent_cell"),
    ]
    assert [row["selection_status"] for row in records(store, run, "imported", "routes")] == ["selected", "unavailable"]


# -- fixture-replay.v1 -------------------------------------------------------------------------------------------------


def test_a_sample_replays_the_rows_of_its_cases_only(store: Store) -> None:
    run = planned(store, created(store, smoke_request(tracks=["routing", "model_pool"], sample_limit=2, seed=3)))
    chosen = set(run.plan().column("case_id").to_pylist())
    assert len(chosen) == 2
    parts = publish_observations(store, run, "evaluation-smoke")
    assert {entry.table: entry.part.rows for entry in parts.parts} == {"outcomes": 4, "routes": 2}
    rows = run.table("observations", "evaluation-smoke", "outcomes")
    assert rows is not None
    assert set(rows.column("case_id").to_pylist()) == chosen


def test_tracks_that_were_not_chosen_are_not_replayed(store: Store) -> None:
    run = planned(store, created(store, smoke_request(tracks=["safety"])))
    assert [entry.table for entry in publish_observations(store, run, "evaluation-smoke").parts] == ["safety_decisions"]


# -- what comes back is not trusted ------------------------------------------------------------------------------------


class Hostile:
    """Hands over what a test gives it."""

    def __init__(self, rows: dict[str, pa.Table]) -> None:
        self.executor_id, self.rows = "fixture-replay.v1", rows

    def observe(self, inputs: EvaluationInputs) -> dict[str, pa.Table]:
        return self.rows


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param({"outcomes": observed(outcome("c1")).drop_columns(["output_text"])}, id="a column too few"),
        pytest.param({"outcomes": observed(outcome("c1")).append_column("level", pa.array(["E5"]))}, id="a claim of its own"),
        pytest.param({"made_up": observed()}, id="a table that nobody knows"),
        pytest.param({"routes": observed(table="routes")}, id="a table of a track that was not planned"),
    ],
)
def test_foreign_tables_are_refused_whole(store: Store, monkeypatch: pytest.MonkeyPatch, rows: dict[str, pa.Table]) -> None:
    fixture_suite(store)
    run = planned(store, created(store, smoke_request(suite_ids=["tiny"], tracks=["model_pool"])))
    monkeypatch.setitem(EXECUTORS, "fixture-replay.v1", Hostile(rows))
    with pytest.raises(EvaluationError):
        publish_observations(store, run, "tiny")
    assert not run.has_parts("observations", "tiny")


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([outcome("c1"), outcome("c1")], id="a cell twice"),
        pytest.param([outcome("c9")], id="a case outside the plan"),
        pytest.param([outcome("c1", quality=1.0)], id="a grade of its own"),
        pytest.param([outcome("c1", latency_ms=float("inf"))], id="an endless latency"),
    ],
)
def test_hostile_rows_never_become_records(store: Store, monkeypatch: pytest.MonkeyPatch, rows: list[dict[str, object]]) -> None:
    fixture_suite(store)
    run = planned(store, created(store, smoke_request(suite_ids=["tiny"], tracks=["model_pool"])))
    monkeypatch.setitem(EXECUTORS, "fixture-replay.v1", Hostile({"outcomes": observed(*rows)}))
    publish_observations(store, run, "tiny")
    with pytest.raises(DocumentError):
        publish_records(store, run, "tiny")
    assert not run.has_parts("records", "tiny")


def test_a_run_that_was_cancelled_meanwhile_publishes_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    fixture_suite(store)
    run = planned(store, created(store, smoke_request(suite_ids=["tiny"], tracks=["model_pool"])))

    class Slow(Hostile):
        def observe(self, inputs: EvaluationInputs) -> dict[str, pa.Table]:
            cancel(store, run, principal=WHO, now=NOW)
            return super().observe(inputs)

    monkeypatch.setitem(EXECUTORS, "fixture-replay.v1", Slow({"outcomes": observed(outcome("c1"))}))
    with pytest.raises(WrongState):
        publish_observations(store, run, "tiny")
    assert not run.has_parts("observations", "tiny")


def test_observations_are_published_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run = planned(store, created(store, smoke_request()))
    first = publish_observations(store, run, "evaluation-smoke")
    monkeypatch.setitem(EXECUTORS, "fixture-replay.v1", Hostile({}))
    assert publish_observations(store, run, "evaluation-smoke") == first


def test_inputs_hold_no_label(store: Store) -> None:
    """What an executor is given names no hidden column; the grading cases join later."""
    manifest: RunManifest = created(store, smoke_request()).manifest()
    visible = {"case_id", "tracks", "tags", "messages", "language", "domain", "modality", "session_id", "relation", "trajectory_id"}
    seen: dict[str, object] = {}

    class Looking(Hostile):
        def observe(self, inputs: EvaluationInputs) -> dict[str, pa.Table]:
            seen.update(columns=set(inputs.suite.cases.column_names), tracks=inputs.tracks, cells=len(inputs.plan))
            return {}

    run = planned(store, store.run(manifest.run_id))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(EXECUTORS, "fixture-replay.v1", Looking({}))
        publish_observations(store, run, "evaluation-smoke")
    assert seen == {"columns": visible, "tracks": tuple(Track), "cells": 4 + 8 + 4 + 1 + 1 + 1 + 1 + 4}
