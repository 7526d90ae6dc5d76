"""Ten verdicts: the registry is the policy, G0 and G1 at each of their facts, and no gate that passes on nothing."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from contracts.catalogs import gate_policy
from contracts.foundation import ReproducibilityEvidence, StaticEvidence
from contracts.gates import Disposition, GateResult, Verdict
from contracts.runs import RunState
from contracts.tables import PLAN
from evaluation_assets.gates import g0_reproducibility as g0
from evaluation_assets.gates import g1_static as g1
from evaluation_assets.gates.interface import Absent
from evaluation_assets.gates.registry import GATES
from evaluation_assets.gates.verdicts import judge_run
from evaluation_assets.runs.publish import publish_plan
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store
from tests.plain_runs import NOW, created, new_store, sealed, smoke_request

R, A, N = Disposition.REQUIRED, Disposition.ADVISORY, Disposition.NOT_APPLICABLE
TABLE = {  # G0 to G9
    "schema_adapter": (R, R, A, A, R, A, N, A, N, N),
    "recipe": (R, R, R, R, R, R, N, R, A, N),
    "selector": (R, R, R, R, R, R, A, R, R, N),
    "model_pool": (R, R, R, R, R, R, A, R, R, N),
    "runtime_capacity": (R, R, R, A, A, R, A, R, R, N),
    "agent_multimodal": (R, R, R, N, R, R, R, R, R, A),
    "online_adaptation": (R, R, R, R, R, R, R, R, R, R),
}
MISSING = {
    "G2": {"sealed_window:hard_policy"},
    "G3": {"controlled_pair"},
    "G4": {"verified_source", "perturbation_corpus", "live_execution:declared_shift"},
    "G5": {"fidelity_pair"},
    "G6": {"sealed_window:fault_recovery"},
    "G7": {"service_objective", "live_execution:capacity"},
    "G8": {"sealed_window:production"},
    "G9": {"sealed_window:production", "preference_outcomes"},
}
G0_FACTS = (
    "manifest_is_canonical",
    "suites_are_the_frozen_ones",
    "records_match_their_digests",
    "lineage_is_complete",
    "failures_account_for_the_plan",
)
G1_FACTS = ("admission_holds", "plan_is_derivable", "every_cell_has_one_record")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """One sealed run."""
    store = new_store(tmp_path_factory.mktemp("gates"))
    sealed(store, smoke_request())
    return store


@pytest.fixture
def run(store: Store) -> RunDirectory:
    return store.run(store.run_ids()[0])


def test_registry_and_policy_have_the_same_gates_in_order() -> None:
    assert [gate.gate for gate in GATES] == [row.gate for row in gate_policy().gates] == [f"G{number}" for number in range(10)]


@pytest.mark.parametrize("profile", TABLE)
def test_dispositions(profile: str) -> None:
    assert tuple(gate_policy().disposition(profile, f"G{number}") for number in range(10)) == TABLE[profile]


def test_there_is_no_other_profile() -> None:
    assert {row.profile for row in gate_policy().profiles} == set(TABLE)
    with pytest.raises(KeyError):
        gate_policy().disposition("everything", "G0")


@pytest.mark.parametrize("profile", TABLE)
def test_a_replay_passes_g0_and_g1_and_nothing_else(tmp_path: Path, profile: str) -> None:
    gates = sealed(new_store(tmp_path), smoke_request(change_profile=profile)).gates
    for number, (gate, disposition) in enumerate(zip(gates, TABLE[profile], strict=True)):
        assert gate.disposition is disposition
        expected = Verdict.NOT_APPLICABLE if disposition is N else Verdict.PASS if number < 2 else Verdict.UNAVAILABLE
        assert gate.verdict is expected
        assert set(gate.missing) == (MISSING[gate.gate] if expected is Verdict.UNAVAILABLE else set())
        assert gate.observed is gate.threshold is None
        assert gate.rationale


def g0_evidence(**changes: bool | None) -> ReproducibilityEvidence:
    return ReproducibilityEvidence(**(dict.fromkeys(G0_FACTS, True) | changes), record_rows=4)


def g1_evidence(**changes: bool | None) -> StaticEvidence:
    return StaticEvidence(**(dict.fromkeys(G1_FACTS, True) | changes), planned_cells=4)


def test_all_facts_true_pass() -> None:
    assert g0.decide(g0_evidence()).verdict is g1.decide(g1_evidence()).verdict is Verdict.PASS


@pytest.mark.parametrize("fact", [*G0_FACTS, *G1_FACTS])
def test_one_false_fact_fails_whatever_else_is_unknown(fact: str) -> None:
    decide, evidence, facts = (g0.decide, g0_evidence, G0_FACTS) if fact in G0_FACTS else (g1.decide, g1_evidence, G1_FACTS)
    found = decide(evidence(**{fact: False}))  # type: ignore[operator]
    assert found.verdict is Verdict.FAIL
    assert found.missing == ()
    unknown = {other: None for other in facts if other not in (fact, "manifest_is_canonical")}
    assert decide(evidence(**unknown, **{fact: False})).verdict is Verdict.FAIL  # type: ignore[operator]


@pytest.mark.parametrize("fact", [*G0_FACTS[1:], *G1_FACTS])
def test_one_unknown_fact_is_unavailable_and_named(fact: str) -> None:
    found = g0.decide(g0_evidence(**{fact: None})) if fact in G0_FACTS else g1.decide(g1_evidence(**{fact: None}))
    assert found.verdict is Verdict.UNAVAILABLE
    assert len(found.missing) == 1


# -- a run with less in it ---------------------------------------------------------------------------------------------


def test_no_gate_passes_on_a_run_that_was_only_created(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    run = created(store, smoke_request(change_profile="online_adaptation"))
    assert {gate.verdict for gate in judge_run(store, run, {}).gates} == {Verdict.UNAVAILABLE}
    assert all(isinstance(gate.judge(store, run), Absent) for gate in GATES)


def test_no_gate_passes_on_an_empty_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan without cells can't be made, and would prove nothing."""
    store = new_store(tmp_path)
    run = created(store, smoke_request())
    run.move(RunState.RUNNING, now=NOW, stage="test")
    run.publish_plan(PLAN.empty_table())
    run.publish_parts("records", "evaluation-smoke", {})
    monkeypatch.setattr(g1, "derive_plan", lambda *_: PLAN.empty_table())
    assert {gate.verdict for gate in judge_run(store, run, {}).gates} == {Verdict.UNAVAILABLE, Verdict.NOT_APPLICABLE}


def test_a_plan_without_records_is_unavailable(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    run = created(store, smoke_request())
    run.move(RunState.RUNNING, now=NOW, stage="test")
    publish_plan(store, run)
    found = g1.gather(store, run)
    assert isinstance(found, StaticEvidence)
    assert (found.plan_is_derivable, found.every_cell_has_one_record) == (True, None)
    assert g1.decide(found).missing == ("sealed_records",)


# -- a run with something wrong in it ----------------------------------------------------------------------------------


def changed(run: RunDirectory, name: str, old: str, new: str) -> None:
    path = run.path / name
    data = path.read_bytes()
    assert old.encode() in data
    path.write_bytes(data.replace(old.encode(), new.encode(), 1))


@pytest.mark.parametrize("stage", ["observations", "records"])
def test_g0_fails_when_a_part_has_other_bytes(tmp_path: Path, stage: str) -> None:
    store = new_store(tmp_path)
    sealed(store, smoke_request())
    run = store.run(store.run_ids()[0])
    part = next((run.path / stage / "outcomes").rglob("*.parquet"))
    part.write_bytes(part.read_bytes() + b" ")
    found = g0.gather(store, run)
    assert isinstance(found, ReproducibilityEvidence)
    assert found.records_match_their_digests is False


def test_g0_fails_when_failures_do_not_add_up(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    sealed(store, smoke_request())
    run = store.run(store.run_ids()[0])
    changed(run, "failure-summary.json", '"total_cells":24', '"total_cells":23')
    found = g0.gather(store, run)
    assert isinstance(found, ReproducibilityEvidence)
    assert found.failures_account_for_the_plan is False


def test_g0_fails_when_lineage_lost_a_suite(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    sealed(store, smoke_request())
    run = store.run(store.run_ids()[0])
    lineage = json.loads((run.path / "lineage.json").read_bytes())
    lineage["manifest_digest"], lineage["suites"] = "sha256:" + "0" * 64, []
    (run.path / "lineage.json").write_bytes(json.dumps(lineage, sort_keys=True, separators=(",", ":")).encode())
    found = g0.gather(store, run)
    assert isinstance(found, ReproducibilityEvidence)
    assert (found.lineage_is_complete, found.manifest_is_canonical, found.records_match_their_digests) == (False, False, None)


def test_g0_and_g1_fail_when_a_suite_is_gone(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    sealed(store, smoke_request())
    for path in (store.suites.directory / "manifests").rglob("*"):
        if path.is_file():
            path.unlink()
    run = store.run(store.run_ids()[0])
    verdicts = [gate.verdict for gate in judge_run(store, run, {}).gates[:2]]
    assert verdicts == [Verdict.FAIL, Verdict.FAIL]


def test_g1_fails_when_another_version_froze_the_run(store: Store, run: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluation_assets.runs.create.code_revision", lambda: "sha256:" + "0" * 64)
    found = g1.gather(store, run)
    assert isinstance(found, StaticEvidence)
    assert found.admission_holds is False


def test_g1_fails_when_the_plan_is_another(store: Store, run: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    derived = g1.derive_plan(run.manifest(), [g1.selected_suite(store.suites, run.manifest(), "evaluation-smoke")])
    monkeypatch.setattr(g1, "derive_plan", lambda *_: derived.slice(1))
    found = g1.gather(store, run)
    assert isinstance(found, StaticEvidence)
    assert found.plan_is_derivable is False


def test_g1_fails_when_a_record_is_missing(store: Store, run: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = g1.planned_cells(run.plan())
    assert whole[("evaluation-smoke", "model_pool")] == 8
    monkeypatch.setattr(g1, "planned_cells", lambda plan: whole | {("evaluation-smoke", "model_pool"): 9})
    found = g1.gather(store, run)
    assert isinstance(found, StaticEvidence)
    assert found.every_cell_has_one_record is False


# -- levels and the document -------------------------------------------------------------------------------------------


def test_a_gate_carries_the_level_of_its_track_or_the_weakest(store: Store, run: RunDirectory) -> None:
    levels = {"routing": "E3", "safety": "E4"}
    gates = judge_run(store, run, levels).gates
    assert [gate.evidence_level for gate in gates[:2]] == ["E3", "E3"]
    assert {gate.evidence_level for gate in gates[2:]} == {None}


@pytest.mark.parametrize(
    "values",
    [
        {"verdict": Verdict.UNAVAILABLE, "missing": ()},
        {"verdict": Verdict.PASS, "missing": ("controlled_pair",)},
        {"verdict": Verdict.NOT_APPLICABLE},
        {"disposition": Disposition.NOT_APPLICABLE},
    ],
    ids=str,
)
def test_a_result_that_contradicts_itself_is_none(values: dict[str, object]) -> None:
    whole: dict[str, object] = {
        "gate": "G3",
        "name": "n",
        "disposition": R,
        "verdict": Verdict.PASS,
        "evidence_level": None,
        "rationale": "r",
    }
    GateResult.model_validate(whole)
    with pytest.raises(ValidationError):
        GateResult.model_validate(whole | values)
