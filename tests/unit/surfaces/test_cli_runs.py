"""Runs are created, cancelled, deleted and exported from the command line; what is refused leaves nothing behind."""

import json
import stat
from pathlib import Path

import pyarrow as pa
import pytest

from contracts.runs import RunState
from contracts.tables import RECORD_TABLES
from contracts.tracks import Track
from ledgers.store.store import Store
from tests.plain_runs import finish, run_id
from tests.unit.surfaces.commands import answer, evalplane, refusal

SMOKE = ("run", "create", "--target", "fixture", "--suite", "evaluation-smoke")
SEALED = run_id(1)


def test_create_prints_the_id_and_takes_every_shared_track(tmp_path: Path) -> None:
    root = tmp_path / "root"
    created = evalplane(root, *SMOKE).stdout.strip()
    manifest = Store.open(root).run(created).manifest()
    assert manifest.tracks == tuple(Track)
    assert (manifest.mode, manifest.change_profile, manifest.seed, manifest.sample_limit) == ("replay", "schema_adapter", 0, None)
    assert Store.open(root).run(created).status().state is RunState.PENDING


def test_create_freezes_what_was_asked_for(own_root: Path) -> None:
    made = answer(
        own_root,
        *SMOKE,
        "--tracks",
        "joint,routing",
        "--profile",
        "recipe",
        "--name",
        "a name",
        "--description",
        "why",
        "--seed",
        "7",
        "--samples",
        "2",
        "--concurrency",
        "3",
        "--baseline",
        "latest",
    )
    manifest = Store.open(own_root).run(made["run_id"]).manifest()
    assert set(made) == {"run_id"}
    assert manifest.tracks == (Track.ROUTING, Track.JOINT)
    assert (manifest.change_profile, manifest.name, manifest.description) == ("recipe", "a name", "why")
    assert (manifest.seed, manifest.sample_limit, manifest.concurrency, manifest.baseline_run_id) == (7, 2, 3, SEALED)
    assert manifest.suites[0].selected_cases == 2


def test_a_retry_under_the_same_id_makes_no_second_run(tmp_path: Path) -> None:
    root, chosen = tmp_path / "root", run_id(9)
    assert answer(root, *SMOKE, "--run-id", chosen) == answer(root, *SMOKE, "--run-id", chosen) == {"run_id": chosen}
    assert refusal(root, *SMOKE, "--run-id", chosen, "--seed", "1")[0] == "evalplane: name.exists"
    assert Store.open(root).run_ids() == [chosen]


def test_once_under_the_id_of_a_sealed_run_is_done_already(own_root: Path) -> None:
    again = evalplane(own_root, "run", "once", *SMOKE[2:], "--run-id", SEALED, status=2)
    assert "from another request" in again.stderr  # the sealed one has another owner and name
    chosen = answer(own_root, *SMOKE, "--run-id", run_id(3))["run_id"]
    finish(Store.open(own_root), Store.open(own_root).run(chosen))
    assert answer(own_root, "run", "once", *SMOKE[2:], "--run-id", chosen) == {"run_id": chosen}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        pytest.param(["--target", "nope"], "name.unknown", id="target"),
        pytest.param(["--suite", "nope"], "store.invalid", id="a suite that only a store could have"),
        pytest.param(["--profile", "nope"], "name.unknown", id="profile"),
        pytest.param(["--mode", "nope"], "name.unknown", id="mode"),
    ],
)
def test_a_wrong_name_makes_no_store(changes: list[str], code: str, tmp_path: Path) -> None:
    assert refusal(tmp_path / "root", *SMOKE, *changes)[0] == f"evalplane: {code}"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        pytest.param(["--tracks", "routing,nope"], "name.unknown", id="track"),
        pytest.param(["--tracks", ","], "name.unknown", id="no track"),
        pytest.param(["--mode", "live"], "admission.refused", id="a recorded target is never called"),
        pytest.param(["--suite", "nope"], "name.unknown", id="suite"),
        pytest.param(["--suite", "evaluation-smoke"], "document.invalid", id="the same suite twice"),
        pytest.param(["--baseline", "ffff"], "name.unknown", id="baseline"),
        pytest.param(["--run-id", "7"], "document.invalid", id="run id"),
        pytest.param(["--name", " "], "document.invalid", id="name"),
        pytest.param(["--samples", "1", "--seed", "0"], "admission.refused", id="a track that no chosen case carries"),
    ],
)
def test_a_refused_request_creates_no_run(changes: list[str], code: str, own_root: Path) -> None:
    assert refusal(own_root, *SMOKE, *changes)[0] == f"evalplane: {code}"
    assert Store.open(own_root).run_ids() == [SEALED]


def test_cancel_ends_a_run_for_good(own_root: Path) -> None:
    made = answer(own_root, *SMOKE)["run_id"]
    assert answer(own_root, "run", "cancel", made) == {"run_id": made}
    assert answer(own_root, "run", "show", made)["status"] == "cancelled"
    assert refusal(own_root, "run", "cancel", made)[0] == "evalplane: run.wrong_state"
    assert refusal(own_root, "run", "cancel", SEALED)[0] == "evalplane: run.wrong_state"


def test_delete_asks_or_is_told(own_root: Path) -> None:
    lines = refusal(own_root, "run", "delete", SEALED)
    assert lines[-1] == "  fix  add --yes to delete it"
    assert Store.open(own_root).run_ids() == [SEALED]
    assert answer(own_root, "run", "delete", SEALED, "--yes") == {"run_id": SEALED}
    assert Store.open(own_root).run_ids() == []
    assert answer(own_root, "run", "list") == []


def test_a_run_that_is_a_baseline_stays(own_root: Path) -> None:
    answer(own_root, *SMOKE, "--baseline", SEALED)
    assert refusal(own_root, "run", "delete", SEALED, "--yes")[0] == "evalplane: run.wrong_state"
    assert SEALED in Store.open(own_root).run_ids()


def test_what_was_done_is_in_the_audit_log(own_root: Path) -> None:
    made = answer(own_root, *SMOKE)["run_id"]
    evalplane(own_root, "run", "cancel", made)
    refusal(own_root, "run", "cancel", made)
    evalplane(own_root, "run", "delete", made, "--yes")
    records = [(it.action, it.decision) for it in Store.open(own_root).audit.records() if it.resource_id == made]
    assert records == [("create", "allowed"), ("cancel", "allowed"), ("cancel", "denied"), ("delete", "allowed")]


def test_export_writes_every_record_as_a_line(sealed_root: Path, tmp_path: Path) -> None:
    target = tmp_path / "records"
    rows = answer(sealed_root, "run", "export", "latest", "--jsonl", "--output", str(target))["rows"]
    run = Store.open(sealed_root).run(SEALED)
    for kind in RECORD_TABLES:
        kept = run.table("records", "evaluation-smoke", kind.name)
        assert isinstance(kept, pa.Table)
        lines = [json.loads(line) for line in (target / f"{kind.name}.jsonl").read_bytes().splitlines()]
        labels = {"expected_arm_id", "should_block", "preferred_arm_id"}
        shown = [{name: value for name, value in row.items() if name not in labels} for row in kept.to_pylist()]
        assert lines == [{"run_id": SEALED, "suite_id": "evaluation-smoke", **row} for row in shown]
        assert rows[kind.name] == kept.num_rows
    assert stat.S_IMODE(target.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in target.iterdir()} == {0o600}


def test_export_never_overwrites(sealed_root: Path, tmp_path: Path) -> None:
    arguments = ("run", "export", "latest", "--output", str(tmp_path / "records"))
    assert refusal(sealed_root, *arguments)[1] == "  Name the format of the export."
    (tmp_path / "records").mkdir()
    assert refusal(sealed_root, *arguments, "--jsonl")[0] == "evalplane: name.exists"
    missing = str(tmp_path / "none" / "records")
    assert refusal(sealed_root, "run", "export", "latest", "--jsonl", "--output", missing)[0] == "evalplane: input.invalid"
    assert list((tmp_path / "records").iterdir()) == []
