"""Creating a run: everything or nothing, once, and audited."""

from pathlib import Path

import pytest

from contracts.errors import AlreadyExists, EvaluationError, NotAdmitted, UnknownName, WrongState
from contracts.runs import Lifecycle, RunRequest, RunState
from evaluation_assets.runs.create import check_admission
from evaluation_assets.suites.builtin import install_builtin
from ledgers.store.layout import local_principal
from ledgers.store.store import Store
from tests.plain_runs import NOW, created, new_store, run_id, smoke_request
from tests.unit.suite_makers import fixture_suite


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """With the built-in suite in it, so that whatever appears is the run's."""
    store = new_store(tmp_path)
    install_builtin(store, "evaluation-smoke", now=NOW)
    return store


def tree(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() if path.is_file() else b"" for path in root.rglob("*")}


def test_a_run_is_four_files_and_one_audit_record(store: Store) -> None:
    run = created(store, smoke_request(description="why"))
    names = sorted(path.name for path in run.path.iterdir())
    assert names == ["control-events.jsonl", "lifecycle.json", "run-manifest.json", "status.json"]
    assert run.status().state is RunState.PENDING
    assert [event.type for event in run.events()] == ["created"]
    (record,) = store.audit.records()
    assert (record.action, record.decision, record.resource_id, record.actor) == (
        "create",
        "allowed",
        run.run_id,
        run.manifest().owner_principal,
    )
    assert run.document("lifecycle.json", Lifecycle).creation_audit_digest == record.digest
    manifest = run.manifest()
    assert (manifest.description, manifest.executor_id, manifest.suites[0].selected_cases) == ("why", "fixture-replay.v1", 4)


def test_the_owner_is_a_keyed_digest(store: Store, tmp_path: Path) -> None:
    owner = created(store, smoke_request()).manifest().owner_principal
    assert owner == local_principal(store.root, "tester") != local_principal(store.root, "tester2")
    other = new_store(tmp_path / "other")
    assert local_principal(other.root, "tester") != owner
    assert "tester" not in "".join(map(str, (path.read_bytes() for path in store.root.rglob("*") if path.is_file())))
    assert (store.root.parent / "root.keys" / "owner.key").stat().st_mode & 0o777 == 0o600


def test_a_damaged_owner_key_is_refused(store: Store) -> None:
    local_principal(store.root, "tester")
    (store.root.parent / "root.keys" / "owner.key").write_bytes(b"short")
    with pytest.raises(EvaluationError, match="owner key is damaged"):
        local_principal(store.root, "tester")


def test_the_same_request_again_is_the_same_run(store: Store) -> None:
    first = created(store, smoke_request())
    before = tree(store.root)
    again = created(store, smoke_request())
    assert again.manifest() == first.manifest()
    assert tree(store.root) == before


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"name": "other"},
        {"description": "other"},
        {"sample_limit": 4},
        {"concurrency": 2},
        {"tracks": ["routing"]},
        {"change_profile": "recipe"},
    ],
    ids=str,
)
def test_another_request_under_a_taken_id_is_refused(store: Store, change: dict[str, object]) -> None:
    created(store, smoke_request())
    before = tree(store.root)
    with pytest.raises(AlreadyExists):
        created(store, smoke_request(**change))
    assert tree(store.root) == before


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        pytest.param({"target_id": "nowhere"}, UnknownName, id="unknown target"),
        pytest.param({"target_id": "benchmark-source"}, NotAdmitted, id="a target that does not take the suite"),
        pytest.param({"mode": "live"}, NotAdmitted, id="a mode that the target lacks"),
        pytest.param({"change_profile": "nothing"}, UnknownName, id="unknown profile"),
        pytest.param({"suite_ids": ["evaluation-smoke", "nowhere"]}, UnknownName, id="unknown suite"),
        pytest.param({"suite_ids": ["routing-only"], "tracks": ["safety"]}, NotAdmitted, id="a track that no suite carries"),
        pytest.param({"tracks": ["agentic"], "sample_limit": 1, "suite_ids": ["half"]}, None, id="a sample that has the track"),
        pytest.param(
            {"tracks": ["routing", "agentic"], "sample_limit": 1, "suite_ids": ["half"]},
            NotAdmitted,
            id="a sample that lost a chosen track",
        ),
        pytest.param({"baseline_run_id": run_id(99)}, UnknownName, id="unknown baseline"),
    ],
)
def test_what_is_refused_leaves_no_trace(store: Store, change: dict[str, object], refusal: type[Exception] | None) -> None:
    fixture_suite(store, "routing-only", cases={"c1": ("routing",)})
    fixture_suite(store, "half", cases={"c1": ("routing",), "c2": ("agentic",)})
    before = tree(store.root)
    if refusal is None:
        assert created(store, smoke_request(**change)).manifest().suites[0].selected_cases == 1
        return
    with pytest.raises(refusal):
        created(store, smoke_request(**change))
    assert tree(store.root) == before


@pytest.mark.parametrize(
    "values",
    [
        pytest.param({"suite_ids": []}, id="no suite"),
        pytest.param({"suite_ids": ["a", "a"]}, id="a suite twice"),
        pytest.param({"suite_ids": ["../x"]}, id="a suite id that leaves the store"),
        pytest.param({"tracks": []}, id="no track"),
        pytest.param({"tracks": ["joint", "routing"]}, id="tracks out of order"),
        pytest.param({"tracks": ["routing", "routing"]}, id="a track twice"),
        pytest.param({"sample_limit": 0}, id="a sample of nothing"),
        pytest.param({"seed": -1}, id="a negative seed"),
        pytest.param({"seed": 1.5}, id="half a seed"),
        pytest.param({"concurrency": 129}, id="too many at once"),
        pytest.param({"name": " padded "}, id="a padded name"),
        pytest.param({"run_id": "latest"}, id="a run id that is a word"),
        pytest.param({"origin": "https://example.org"}, id="an origin"),
        pytest.param({"models": ["x"]}, id="a list of models"),
    ],
)
def test_a_request_that_is_none(values: dict[str, object]) -> None:
    with pytest.raises(EvaluationError):
        smoke_request(**values)


def test_a_run_that_another_version_froze_is_not_admitted(store: Store) -> None:
    manifest = created(store, smoke_request()).manifest()
    check_admission(store, manifest)
    other = "sha256:" + "0" * 64
    for field in ("gate_policy_digest", "metric_catalog_digest", "code_revision"):
        with pytest.raises(WrongState) as refused:
            check_admission(store, manifest.model_copy(update={field: other}))
        assert refused.value.at == field
    with pytest.raises(WrongState):
        check_admission(store, manifest.model_copy(update={"executor_id": "normalized-suite-replay.v1"}))


def test_a_baseline_must_be_there(store: Store) -> None:
    created(store, smoke_request())
    assert created(store, smoke_request(baseline_run_id=run_id(1)), 2).manifest().baseline_run_id == run_id(1)


def test_request_defaults_are_the_documented_ones() -> None:
    request = RunRequest.build({"suite_ids": ["s"], "tracks": ["routing"], "mode": "replay", "target_id": "fixture"}, "request")
    assert (request.change_profile, request.sample_limit, request.concurrency, request.seed) == ("schema_adapter", None, 1, 0)
