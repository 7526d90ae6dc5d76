"""The counterfactual of a frozen mixture: bound to the whole case, inside the decision boundary, and honest about what it is.

Oracle for `share`: SHA-256 and big-endian integers by hand.
"""

import hashlib
from pathlib import Path

import pyarrow as pa
import pytest

from contracts.catalogs import hidden_answer_cohort
from contracts.cohorts import CohortCase, CohortMessage, HiddenAnswerCohort
from contracts.errors import NotAdmitted, WrongState
from contracts.runs import RunRequest
from evaluation_assets.execution.executors.mom_cohort_replay import share
from evaluation_assets.runs.create import create_run
from evaluation_assets.suites import builtin
from evaluation_assets.targets.reading import config_bytes
from evaluation_assets.targets.subjects import BUNDLED, Subjects
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store
from tests.plain_runs import NOW, POOL_TRACKS, finish, new_store, run_id

CHANGED = "arithmetic-1"
TABLES = ("routes", "outcomes", "routed_outcomes")


def mixture_request(target_id: str, **changes: object) -> RunRequest:
    values = {"suite_ids": ["live-mom-core"], "tracks": [str(track) for track in POOL_TRACKS], "mode": "replay", "target_id": target_id}
    return RunRequest.build({**values, **changes}, "request")


def made(store: Store, number: int = 1, subjects: Subjects = BUNDLED) -> RunDirectory:
    (target_id,) = subjects.mixtures()
    return create_run(store, mixture_request(target_id), run_id=run_id(number), principal="sha256:" + "1" * 64, now=NOW, subjects=subjects)


def finished(store: Store, subjects: Subjects = BUNDLED) -> RunDirectory:
    run = made(store, subjects=subjects)
    finish(store, run)
    return run


def records(run: RunDirectory, name: str) -> pa.Table:
    table = run.table("records", "live-mom-core", name)
    assert table is not None
    return table


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> RunDirectory:
    return finished(new_store(tmp_path_factory.mktemp("mom")))


def test_share_is_the_first_eight_bytes_of_the_digest() -> None:
    assert share("a", "b") == int(hashlib.sha256(b"a\0b").hexdigest()[:16], 16) / 2**64


def test_every_cell_is_there_and_failures_are_known_zeros(reference: RunDirectory) -> None:
    outcomes = records(reference, "outcomes").to_pylist()
    assert len(outcomes) == 64 * 4
    failed = [row for row in outcomes if row["status"] == "failed"]
    assert 0.02 < len(failed) / len(outcomes) < 0.16
    assert all(row["quality"] == 0.0 and row["success"] is False and row["cost_reason"] == "failed_call" for row in failed)
    prices = {price.arm_id: price for price in reference.manifest().prices}
    for row in (row for row in outcomes if row["status"] == "succeeded"):
        price = prices[row["arm_id"]]
        assert row["runtime_cost_pico_usd"] == 16 * price.input_micro_usd_per_million_tokens + 4 * price.output_micro_usd_per_million_tokens


def test_selections_stay_inside_the_decision_and_the_routed_outcome_is_the_arms(reference: RunDirectory) -> None:
    mixture = reference.manifest().target.mixture
    assert mixture is not None
    arms = {decision.name: decision.arm_ids for decision in mixture.decisions}
    quality = {(row["case_id"], row["arm_id"]): row["quality"] for row in records(reference, "outcomes").to_pylist()}
    for row in records(reference, "routed_outcomes").to_pylist():
        assert row["selected_arm_id"] in arms[row["decision"]]
        assert row["quality"] == quality[row["case_id"], row["selected_arm_id"]]


@pytest.mark.parametrize("what", ["visible", "grading"])
def test_one_changed_byte_of_a_case_moves_that_case_and_nothing_else(
    reference: RunDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setitem(builtin.BUILTIN_SUITES, "live-mom-core", lambda: with_another_byte(what))
    changed = finished(new_store(tmp_path))
    for name in TABLES:
        before, after = (
            {(row["case_id"], row.get("arm_id")): row for row in records(run, name).to_pylist()} for run in (reference, changed)
        )
        moved = {key[0] for key in before if before[key] != after[key]}
        assert moved == {CHANGED}, name


def with_another_byte(what: str) -> HiddenAnswerCohort:
    cohort = hidden_answer_cohort("live-mom-core")
    changed = tuple(_touched(case, what) if case.case_id == CHANGED else case for case in cohort.cases)
    return cohort.model_copy(update={"cases": changed})


def _touched(case: CohortCase, what: str) -> CohortCase:
    if what == "grading":
        return case.model_copy(update={"expected_answer": f"{case.expected_answer}1"})
    last = case.messages[-1]
    return case.model_copy(update={"messages": (*case.messages[:-1], CohortMessage(role=last.role, content=last.content + " "))})


def test_threads_change_nothing(reference: RunDirectory, tmp_path: Path) -> None:
    threads = pa.cpu_count()
    try:
        pa.set_cpu_count(1)
        again = finished(new_store(tmp_path))
    finally:
        pa.set_cpu_count(threads)
    assert again.status().result_digest == reference.status().result_digest


def test_it_is_marked_as_what_it_is(reference: RunDirectory) -> None:
    manifest = reference.manifest()
    assert manifest.environment_kind == "counterfactual"
    assert manifest.grader_id == "frozen-counterfactual.v1"


@pytest.mark.parametrize(
    ("old", "new", "factor"),
    [
        pytest.param("prompt_per_1m: 0.05", "prompt_per_1m: 0.06", "pool", id="a price"),
        pytest.param("priority: 300", "priority: 301", "recipe", id="a priority"),
        pytest.param("retry_count: 1", "retry_count: 2", "environment", id="a retry"),
    ],
)
def test_a_config_that_moved_since_creation_is_named_and_refused(tmp_path: Path, old: str, new: str, factor: str) -> None:
    config = tmp_path / "router.yaml"
    text = config_bytes(None)[0].decode()
    config.write_text(text)
    run = made(new_store(tmp_path), subjects=Subjects(config))
    Subjects(config).check_unchanged(run.manifest().target)
    assert text.count(old) >= 1
    config.write_text(text.replace(old, new, 1))
    with pytest.raises(WrongState, match=factor):
        Subjects(config).check_unchanged(run.manifest().target)


def test_an_unpriced_arm_has_an_unknown_cost(tmp_path: Path) -> None:
    config = tmp_path / "router.yaml"
    lines = config_bytes(None)[0].decode().splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if "pricing:" in line)
    config.write_text("".join(lines[:first] + lines[first + 1 :]))
    run = finished(new_store(tmp_path), Subjects(config))
    unpriced = [price.arm_id for price in run.manifest().prices if price.input_micro_usd_per_million_tokens is None]
    rows = [row for row in records(run, "outcomes").to_pylist() if row["arm_id"] in unpriced and row["status"] == "succeeded"]
    assert rows
    assert {(row["runtime_cost_pico_usd"], row["cost_reason"]) for row in rows} == {(None, "unpriced")}


def test_a_recorded_target_does_not_take_the_cohort(tmp_path: Path) -> None:
    with pytest.raises(NotAdmitted):
        create_run(new_store(tmp_path), mixture_request("fixture"), run_id=run_id(1), principal="sha256:" + "1" * 64, now=NOW)
