"""Which cases a run takes: eligible ones, by seed, and again the same from its manifest alone."""

from pathlib import Path

import pytest

from contracts.errors import EvaluationError, IntegrityError
from contracts.tracks import Track
from evaluation_assets.runs.cohort import Selection, select, selected_suite
from evaluation_assets.suites.selection import select_cases
from ledgers.store.store import Store
from tests.plain_runs import created, new_store, smoke_request
from tests.unit.suite_makers import fixture_suite

CASES = {f"case-{number:02}": ("routing",) if number % 2 else ("routing", "joint") for number in range(20)}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = new_store(tmp_path)
    fixture_suite(store, "twenty", cases=CASES)
    return store


def chosen(store: Store, tracks: tuple[Track, ...] = (Track.ROUTING,), seed: int = 0, limit: int | None = None) -> list[str]:
    suite = select(store.suites, store.suites.open("twenty"), Selection(tracks=tracks, seed=seed, limit=limit, target_arms=()))
    ids: list[str] = suite.cases.column("case_id").to_pylist()
    assert suite.frozen.selected_cases == len(ids)
    return ids


def test_only_cases_that_carry_a_chosen_track_are_eligible(store: Store) -> None:
    assert chosen(store) == sorted(CASES)
    assert chosen(store, (Track.JOINT,)) == [case for case in sorted(CASES) if "joint" in CASES[case]]
    assert chosen(store, (Track.ROUTING, Track.JOINT)) == sorted(CASES)
    assert chosen(store, (Track.SAFETY,)) == []


def test_the_sample_is_that_of_the_selection_rule(store: Store) -> None:
    revision = store.suites.open("twenty").revision
    joint = [case for case in CASES if "joint" in CASES[case]]
    assert chosen(store, (Track.JOINT,), seed=7, limit=4) == select_cases(joint, revision, 7, 4)
    assert set(chosen(store, limit=5)) < set(chosen(store, limit=6))
    assert chosen(store, seed=1, limit=5) != chosen(store, seed=2, limit=5)


def test_a_run_finds_its_cases_again(store: Store) -> None:
    manifest = created(store, smoke_request(suite_ids=["twenty"], tracks=["joint"], sample_limit=3, seed=5)).manifest()
    again = selected_suite(store.suites, manifest, "twenty")
    assert again.frozen == manifest.suites[0]
    assert again.cases.column("case_id").to_pylist() == chosen(store, (Track.JOINT,), seed=5, limit=3)


@pytest.mark.parametrize("change", [{"seed": 6}, {"sample_limit": 4}, {"tracks": (Track.ROUTING,)}], ids=str)
def test_another_selection_than_the_frozen_one_is_damage(store: Store, change: dict[str, object]) -> None:
    manifest = created(store, smoke_request(suite_ids=["twenty"], tracks=["joint"], sample_limit=3, seed=5)).manifest()
    with pytest.raises(IntegrityError):
        selected_suite(store.suites, manifest.model_copy(update=change), "twenty")


def test_a_suite_that_is_gone_is_refused(store: Store) -> None:
    manifest = created(store, smoke_request(suite_ids=["twenty"], tracks=["joint"])).manifest()
    for path in (store.suites.directory / "objects" / "visible").rglob("*"):
        if path.is_file():
            path.unlink()
    with pytest.raises(EvaluationError):
        selected_suite(Store.open(store.root).suites, manifest, "twenty")
