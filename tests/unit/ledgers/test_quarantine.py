"""One damaged run is set aside with its reason; the others stay readable, in the store, on the command line's way and in Dagster."""

from collections.abc import Callable
from pathlib import Path

import pytest

from contracts.errors import EvaluationError, IntegrityError, UnknownName
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store
from tests.plain_runs import created, new_store, run_id, smoke_request


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = new_store(tmp_path)
    for number in (1, 2, 3):
        created(store, smoke_request(seed=number), number)
    return store


def link(path: Path) -> None:
    path.rename(path.with_suffix(".real"))
    path.symlink_to(path.with_suffix(".real"))


def read_whole(run: RunDirectory) -> None:
    run.manifest()
    run.status()


DAMAGE: dict[str, Callable[[Path], object]] = {
    "an empty manifest": lambda run: (run / "run-manifest.json").write_bytes(b""),
    "a flipped byte": lambda run: (run / "run-manifest.json").write_bytes(
        (run / "run-manifest.json").read_bytes().replace(b"replay", b"repla y")
    ),
    "no status": lambda run: (run / "status.json").unlink(),
    "a status that is a link": lambda run: link(run / "status.json"),
    "the manifest of another run": lambda run: (run / "run-manifest.json").write_bytes(
        (run.parent / run_id(3) / "run-manifest.json").read_bytes()
    ),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_the_others_stay_readable(store: Store, damage: Callable[[Path], object]) -> None:
    damage(store.run_path(run_id(2)))
    readable, quarantined = store.examined_runs()
    assert [run.run_id for run in readable] == [run_id(1), run_id(3)]
    assert [run.run_id for run in quarantined] == [run_id(2)]
    assert quarantined[0].error.exit_status in (2, 3)
    assert store.find_run("latest").run_id == run_id(3)
    assert store.find_run(run_id(1)).manifest().seed == 1
    with pytest.raises(EvaluationError):
        read_whole(store.find_run(run_id(2)))


def test_a_store_of_damaged_runs_says_what_is_wrong_and_not_that_it_is_empty(store: Store) -> None:
    for number in (1, 2, 3):
        (store.run_path(run_id(number)) / "status.json").write_bytes(b"{}")
    with pytest.raises(IntegrityError):
        store.find_run("latest")


def test_an_empty_store_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="no run yet"):
        new_store(tmp_path).find_run("latest")
