"""verify: 0 clean, 1 only derived parts, 3 damaged; and whatever is wrong is named by file."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ledgers.store.store import Store
from tests.plain_runs import created, run_id, sealed, smoke_request
from tests.unit.surfaces.commands import answer, evalplane, refusal

RUN = run_id(1)


def flip(path: Path, at: int = 100) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(bytes(data))


def part(root: Path, side: str, table: str) -> Path:
    return next((root / "evidence" / side / table).rglob("*.parquet"))


def test_a_clean_run_is_computed_again(sealed_root: Path) -> None:
    shown = answer(sealed_root, "verify", "latest")
    assert (shown["run_id"], shown["clean"], shown["recomputed"], shown["problems"]) == (RUN, True, True, [])
    assert answer(sealed_root, "verify", RUN, "--digests-only")["recomputed"] is False


@pytest.mark.parametrize("arguments", [["--all"], []], ids=["--all", "without a run"])
def test_all_of_a_store(arguments: list[str], own_root: Path) -> None:
    sealed(Store.open(own_root), smoke_request(seed=3), 2)
    created(Store.open(own_root), smoke_request(seed=4), 3)
    result = evalplane(own_root, "verify", "--digests-only", *arguments)
    assert "2 of 3 runs sealed" in result.stderr
    shown = answer(own_root, "verify", "--digests-only", *arguments)
    assert (shown["clean"], [run["run_id"] for run in shown["runs"]]) == (True, [RUN, run_id(2)])


def test_one_run_and_all_of_them_is_one_too_many(sealed_root: Path) -> None:
    assert refusal(sealed_root, "verify", "latest", "--all")[0] == "evalplane: input.invalid"


@pytest.mark.parametrize(
    ("damage", "digests_too"),
    [
        pytest.param(lambda root: part(root, "public", "metrics").unlink(), True, id="a part of a run is gone"),
        pytest.param(lambda root: part(root, "private", "outcomes").write_bytes(b"PAR1"), True, id="a part of a run is torn"),
        pytest.param(lambda root: flip(part(root, "private", "outcomes")), False, id="a bit of a part of a run"),
        pytest.param(lambda root: flip(part(root, "public", "runs")), False, id="a bit of a table of the store"),
        pytest.param(lambda root: part(root, "private", "cases").unlink(), True, id="a table of the store is gone"),
        pytest.param(lambda root: (root / "evidence/public/evidence.duckdb").write_bytes(b"nothing"), False, id="a database"),
    ],
)
def test_derived_parts_need_a_rebuild_and_nothing_more(damage: Callable[[Path], None], digests_too: bool, own_root: Path) -> None:
    evalplane(own_root, "evidence", "rebuild")
    damage(own_root)
    shown = answer(own_root, "verify", status=1)
    problems = [*shown["problems"], *(problem for run in shown["runs"] for problem in run["problems"])]
    assert shown["clean"] is True
    assert {problem["derived"] for problem in problems} == {True}
    assert all(problem["path"].startswith("evidence/") for problem in problems)
    assert "evalplane evidence rebuild" in evalplane(own_root, "verify", status=1).stdout
    evalplane(own_root, "verify", "--digests-only", status=1 if digests_too else 0)
    evalplane(own_root, "evidence", "rebuild")
    evalplane(own_root, "verify")


@pytest.mark.parametrize("name", ["report.json", "gates.json", "plan.parquet", "status.json"])
def test_a_bit_of_the_evidence(name: str, own_root: Path) -> None:
    flip(own_root / "runs" / RUN / name)
    shown = answer(own_root, "verify", "latest", status=3)
    assert shown["clean"] is False
    assert not any(problem["derived"] for problem in shown["problems"])
    assert "restore it from a copy" in evalplane(own_root, "verify", "--all", status=3).stdout


def test_damage_wins_over_a_rebuild(own_root: Path) -> None:
    part(own_root, "public", "metrics").unlink()
    flip(own_root / "runs" / RUN / "report.html")
    evalplane(own_root, "verify", status=3)


def test_a_broken_audit_log_without_any_run(tmp_path: Path) -> None:
    store = Store.found(tmp_path / "root")
    created(store, smoke_request(), 1)
    flip(store.audit.path)
    shown = answer(store.root, "verify", status=3)
    assert (shown["clean"], shown["runs"]) == (False, [])
    assert shown["problems"][0]["path"].startswith("audit/active.jsonl")


def test_verify_leaves_nothing_beside_the_index(own_root: Path) -> None:
    before = sorted(path.name for path in (own_root / "evidence").iterdir())
    evalplane(own_root, "verify")
    assert sorted(path.name for path in (own_root / "evidence").iterdir()) == before
