"""Who may run what: each way of not fitting together has its refusal, and the refusal names what to change."""

import pytest

from contracts.errors import NotAdmitted, UnknownName
from contracts.runs import Mode
from contracts.suites import SuiteManifest
from contracts.tracks import Track
from evaluation_assets.runs.admission import admit
from evaluation_assets.targets.subjects import BUNDLED
from ledgers.store.store import Store
from tests.plain_runs import new_store
from tests.unit.suite_makers import fixture_suite, imported_suite


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return new_store(tmp_path_factory.mktemp("admission"))


@pytest.fixture(scope="module")
def suites(store: Store) -> dict[str, SuiteManifest]:
    def imported(suite_id: str, **said: object) -> SuiteManifest:
        return imported_suite(store, suite_id, outcomes=[], decisions=[], **said)

    return {
        "fixture": fixture_suite(store, "fixture"),
        "routing": fixture_suite(store, "routing", cases={"c1": ("routing",)}),
        "import": imported("import"),
        "same-arms": imported("same-arms", arm_ids=("b", "a")),
        "other-arms": imported("other-arms", arm_ids=("a", "z")),
        "other-grader": imported("other-grader", grader_id="hidden-answer-exact.v1"),
        "no-grader": imported("no-grader", grader_id="made-up.v1"),
    }


@pytest.mark.parametrize(
    ("target_id", "names", "tracks", "executor"),
    [
        pytest.param("fixture", ["fixture"], ["routing"], "fixture-replay.v1", id="a fixture on the fixture target"),
        pytest.param("benchmark-source", ["import"], ["routing", "model_pool"], "normalized-suite-replay.v1", id="an import on its source"),
        pytest.param(
            "benchmark-source",
            ["import", "same-arms"],
            ["model_pool"],
            "normalized-suite-replay.v1",
            id="two suites whose arms are told in another order",
        ),
        pytest.param(
            "benchmark-source", ["import", "other-arms"], ["routing"], "normalized-suite-replay.v1", id="two pools where no matrix is due"
        ),
        pytest.param(
            "fixture", ["fixture", "routing"], ["routing", "joint"], "fixture-replay.v1", id="a track that one suite of two carries"
        ),
    ],
)
def test_admitted(suites: dict[str, SuiteManifest], target_id: str, names: list[str], tracks: list[str], executor: str) -> None:
    chosen = admit(BUNDLED.snapshot(target_id), Mode.REPLAY, [suites[name] for name in names], [Track(track) for track in tracks], "recipe")
    assert chosen.executor_id == executor


@pytest.mark.parametrize(
    ("target_id", "mode", "names", "tracks", "profile", "refusal", "at"),
    [
        pytest.param("nowhere", "replay", ["fixture"], ["routing"], "recipe", UnknownName, "target nowhere", id="unknown target"),
        pytest.param("fixture", "replay", ["fixture"], ["routing"], "everything", UnknownName, "profile everything", id="unknown profile"),
        pytest.param("fixture", "live", ["fixture"], ["routing"], "recipe", NotAdmitted, "mode", id="a recorded target does not run live"),
        pytest.param(
            "fixture", "replay", ["import"], ["routing"], "recipe", NotAdmitted, "suite import", id="an import on the fixture target"
        ),
        pytest.param(
            "benchmark-source",
            "replay",
            ["fixture"],
            ["routing"],
            "recipe",
            NotAdmitted,
            "suite fixture",
            id="a fixture on a benchmark source",
        ),
        pytest.param(
            "benchmark-source",
            "replay",
            ["import", "fixture"],
            ["routing"],
            "recipe",
            NotAdmitted,
            "suite fixture",
            id="two executor classes in one run",
        ),
        pytest.param(
            "fixture", "replay", ["fixture"], ["safety"], "recipe", NotAdmitted, "track safety", id="a track that no suite carries"
        ),
        pytest.param(
            "fixture",
            "replay",
            ["fixture", "routing"],
            ["joint"],
            "recipe",
            NotAdmitted,
            "suite routing",
            id="a suite that carries none of the tracks",
        ),
        pytest.param(
            "benchmark-source",
            "replay",
            ["import", "other-arms"],
            ["model_pool"],
            "recipe",
            NotAdmitted,
            "suites",
            id="two pools where the matrix is due",
        ),
        pytest.param(
            "benchmark-source",
            "replay",
            ["import", "other-arms"],
            ["routing", "joint"],
            "recipe",
            NotAdmitted,
            "suites",
            id="two pools where the joint result is due",
        ),
        pytest.param(
            "benchmark-source", "replay", ["import", "other-grader"], ["routing"], "recipe", NotAdmitted, "suites", id="two graders"
        ),
        pytest.param(
            "benchmark-source", "replay", ["no-grader"], ["routing"], "recipe", NotAdmitted, "suites", id="a grader that does not ship"
        ),
    ],
)
def test_refused(
    *,
    suites: dict[str, SuiteManifest],
    target_id: str,
    mode: str,
    names: list[str],
    tracks: list[str],
    profile: str,
    refusal: type[Exception],
    at: str,
) -> None:
    with pytest.raises(refusal) as refused:
        admit(BUNDLED.snapshot(target_id), Mode(mode), [suites[name] for name in names], [Track(track) for track in tracks], profile)
    assert type(refused.value) is refusal
    assert refused.value.at == at  # type: ignore[attr-defined]


def test_an_unknown_target_is_answered_with_those_that_exist() -> None:
    with pytest.raises(UnknownName) as refused:
        BUNDLED.snapshot("fixtur")
    assert "benchmark-source" in refused.value.fix
