"""No change of a sealed run survives `verify`: every file, every leaf, the suites and the audit chain.

And nothing is called changed that is not: the untouched run is clean before and after.
"""

import shutil
from collections.abc import Iterator
from itertools import chain, pairwise
from pathlib import Path

import pytest

from contracts.verification import VerifyResult
from evaluation_assets.reports.verification import verify_run
from ledgers.store.layout import local_principal
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store
from tests.plain_runs import created, new_store, run_id, sealed, smoke_request
from tests.tampering import Tamper, applied, of_bytes, of_leaves, put, reseal


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """One sealed run, and one that was only created: the store is alive."""
    store = new_store(tmp_path_factory.mktemp("tamper"))
    sealed(store, smoke_request())
    created(store, smoke_request(tracks=["routing"]), 2)
    return store


def verified(store: Store, *, digests_only: bool = True) -> VerifyResult:
    """With a store that remembers nothing."""
    fresh = Store.open(store.root)
    return verify_run(fresh, fresh.run(run_id(1)), digests_only=digests_only, progress=lambda stage, done, total: None)


def survivors(store: Store, tampers: Iterator[Tamper]) -> tuple[int, list[str]]:
    """How many changes were tried, and those that nobody noticed."""
    count, unnoticed = 0, []
    for tamper in tampers:
        with applied(tamper, store.root):
            count += 1
            result = verified(store)
            assert result.clean == (not result.problems)
            if result.clean:
                unnoticed.append(tamper.name)
    assert verified(store).clean, "a change was not undone"
    return count, unnoticed


def files_of(store: Store) -> list[Path]:
    return sorted(path for path in (store.root / "runs" / run_id(1)).rglob("*") if path.is_file())


def test_untouched_it_is_clean(store: Store) -> None:
    result = verified(store, digests_only=False)
    assert (result.clean, result.recomputed, result.note, result.problems) == (True, True, None, ())
    assert result.files == len(files_of(store)) - 6  # two lists, the anchor, and three files that may still change
    assert verified(store).note == "not recomputed: digests only"


def test_every_file_of_the_run(store: Store) -> None:
    run = store.root / "runs" / run_id(1)
    tampers = chain.from_iterable(of_bytes(path, str(path.relative_to(run))) for path in files_of(store))
    count, unnoticed = survivors(store, tampers)
    assert count > 500
    assert unnoticed == []


@pytest.mark.slow
def test_every_leaf_of_every_document(store: Store) -> None:
    run = store.root / "runs" / run_id(1)
    small = [path for path in files_of(store) if path.suffix == ".json" and path.stat().st_size < 8192]
    assert {"report-anchor.json", "status.json", "lifecycle.json", "run-manifest.json", "gates.json", "lineage.json"} <= {
        path.name for path in small
    }
    count, unnoticed = survivors(store, chain.from_iterable(of_leaves(path, str(path.relative_to(run))) for path in small))
    assert count > 500
    assert unnoticed == []


def test_every_file_of_the_suite(store: Store) -> None:
    suites = store.root / "suites"
    files = sorted(path for folder in ("objects", "manifests") for path in (suites / folder).rglob("*") if path.is_file())
    tampers = chain.from_iterable(of_bytes(path, str(path.relative_to(suites)), flips=5) for path in files)
    count, unnoticed = survivors(store, tampers)
    assert count > 100
    assert unnoticed == []


def test_every_bit_of_the_audit_chain(store: Store) -> None:
    """The last record is another run's, so that no cut can hide behind it."""
    path = store.root / "audit" / "active.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    own = [number for number, line in enumerate(lines) if run_id(1).encode() in line]
    assert own == [0, 1, 2, 3]
    changes = [
        *of_bytes(path, "audit", flips=40),
        *(Tamper(f"record {number + 1} dropped", path, lambda p, n=number: put(p, b"".join(lines[:n] + lines[n + 1 :]))) for number in own),
        *(Tamper(f"record {number + 1} doubled", path, lambda p, n=number: put(p, b"".join(lines[: n + 1] + lines[n:]))) for number in own),
        *(
            Tamper(
                f"records {a + 1} and {b + 1} swapped",
                path,
                lambda p, a=a, b=b: put(p, b"".join([*lines[:a], lines[b], lines[a], *lines[b + 1 :]])),
            )
            for a, b in pairwise(own)
        ),
    ]
    count, unnoticed = survivors(store, iter(changes))
    assert count > 50
    # A line without its end was never acknowledged: only what lies behind this run's records is lost then, which a kept head would show.
    assert unnoticed == [f"audit bit {path.stat().st_size - 1}", "audit cut by one byte"]


def test_files_too_many(store: Store) -> None:
    run = store.root / "runs" / run_id(1)
    names = [
        "extra.json",
        "records/extra.parquet",
        "records/outcomes/suite=evaluation-smoke/part-0000000000000000.parquet",
        "capacity-profile.json",
        ".hidden",
        "report.json~",
        "name with spaces",
        "line\nfeed",
        "reductions/none.json",
        "\udcff",
        "/".join(["x" * 100] * 4),
    ]

    def placed(name: str) -> Tamper:
        def place(path: Path) -> None:
            path.parent.mkdir(parents=True, exist_ok=True)
            put(path, b"{}")

        return Tamper(f"extra {name!a}", run / name, place)

    count, unnoticed = survivors(store, map(placed, names))
    assert (count, unnoticed) == (len(names), [])


def test_parts_and_documents_in_each_other_s_place(store: Store) -> None:
    files = files_of(store)
    parquet = [path for path in files if path.suffix == ".parquet"]
    documents = [path for path in files if path.suffix == ".json"]
    for group in (parquet, documents):
        for one, other in pairwise(group):
            first, second = one.read_bytes(), other.read_bytes()
            put(one, second)
            put(other, first)
            assert not verified(store).clean, (one, other)
            put(one, first)
            put(other, second)
    assert len(parquet) + len(documents) > 30
    assert verified(store).clean


def test_a_run_of_another_store_in_its_place(store: Store, tmp_path: Path) -> None:
    """Sealed, clean and of the same id, but nobody here sealed it."""
    other = new_store(tmp_path)
    sealed(other, smoke_request(seed=1))
    place, kept = store.root / "runs" / run_id(1), tmp_path / "kept"
    place.rename(kept)
    shutil.copytree(other.root / "runs" / run_id(1), place)
    try:
        assert not verified(store).clean
    finally:
        shutil.rmtree(place)
        kept.rename(place)
    assert verified(store).clean


def test_anchor_and_status_together(store: Store) -> None:
    """Without its anchor a completed run is damaged; with an unreadable status too it is not taken for one that was never sealed."""
    run = store.root / "runs" / run_id(1)
    anchor, status = (run / "report-anchor.json").read_bytes(), (run / "status.json").read_bytes()
    (run / "report-anchor.json").unlink()
    assert not verified(store).clean
    put(run / "status.json", b"{}")
    assert not verified(store).clean
    put(run / "report-anchor.json", anchor)
    put(run / "status.json", status)
    assert verified(store).clean


# -- the attacker who fits every digest --------------------------------------------------------------------------------


@pytest.fixture
def opened(tmp_path: Path) -> tuple[Store, RunDirectory, str]:
    store = new_store(tmp_path)
    sealed(store, smoke_request())
    return store, store.run(run_id(1)), local_principal(store.root, "tester")


@pytest.mark.slow
def test_recomputation_finds_a_changed_number_under_fitting_digests(opened: tuple[Store, RunDirectory, str]) -> None:
    """One leaf of every derived document changed, all lists and the anchor written anew: the digests fit, the numbers do not follow."""
    store, run, principal = opened
    backup = run.path.with_name(".backup")
    shutil.copytree(run.path, backup)
    tried, unnoticed = 0, []
    skipped = {"report-anchor.json", "status.json", "lifecycle.json"}
    for name in sorted(str(path.relative_to(run.path)) for path in run.path.rglob("*.json") if path.name not in skipped):
        leaves = list(of_leaves(run.path / name, name))
        for tamper in {leaves[at * (len(leaves) - 1) // 3].name: leaves[at * (len(leaves) - 1) // 3] for at in range(4)}.values():
            tamper.apply(tamper.path)
            reseal(store, RunDirectory(run.path), principal)
            tried += 1
            if verified(store, digests_only=False).clean:
                unnoticed.append(tamper.name)
            shutil.rmtree(run.path)
            shutil.copytree(backup, run.path)
    assert tried > 80
    assert unnoticed == []


def test_the_resealing_attacker_is_not_found_by_digests_alone(opened: tuple[Store, RunDirectory, str]) -> None:
    """Positive control: what the test above finds is found by recomputation."""
    store, run, principal = opened
    data = run.read("report.html")
    put(run.path / "report.html", data.replace(b"E0", b"E5", 1))
    assert run.read("report.html") != data
    reseal(store, run, principal)
    assert verified(store).clean
    result = verified(store, digests_only=False)
    assert [problem.path for problem in result.problems] == ["report.html"]
