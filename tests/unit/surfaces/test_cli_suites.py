"""An export becomes a bundle, a bundle becomes a suite; --suite-store names the store in three ways."""

import json
import shutil
from pathlib import Path

import pytest

from ledgers.store.store import Store
from tests.unit.surfaces.commands import answer, evalplane, refusal

EXPORT = Path(__file__).resolve().parents[3] / "golden" / "fixtures" / "coderouterbench" / "export"
NORMALIZE = ("suite-normalize", "--adapter", "coderouterbench", "--suite-id", "tiny", "--export-root", str(EXPORT))


@pytest.fixture(scope="module")
def normalized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("normalized") / "out"
    evalplane(output.parent, *NORMALIZE, "--output", str(output))
    return output


def install(folder: Path) -> tuple[str, ...]:
    return ("suite-install", "--request", str(folder / "request.json"), "--bundle", str(folder / "bundle"), "--export-root", str(EXPORT))


def test_normalize_says_what_it_wrote(tmp_path: Path) -> None:
    output = tmp_path / "out"
    shown = answer(tmp_path, *NORMALIZE, "--output", str(output), "--suite-name", "A name")
    assert (shown["suite_id"], shown["request"], shown["bundle"]) == ("tiny", str(output / "request.json"), str(output / "bundle"))
    suite = json.loads((output / "request.json").read_bytes())["suite"]
    assert (suite["name"], suite["suite_id"]) == ("A name", "tiny")
    assert refusal(tmp_path, *NORMALIZE, "--output", str(output))[-4] == "evalplane: name.exists"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        pytest.param(["--adapter", "nope"], "name.unknown", id="adapter"),
        pytest.param(["--adapter", "routereval"], "admission.refused", id="a benchmark that can't be imported"),
        pytest.param(["--suite-id", "Not An Id"], "document.invalid", id="suite id"),
        pytest.param(["--export-root", "nowhere"], "input.invalid", id="export"),
    ],
)
def test_normalize_refuses_and_writes_nothing(changes: list[str], code: str, tmp_path: Path) -> None:
    assert f"evalplane: {code}" in refusal(tmp_path, *NORMALIZE, "--output", str(tmp_path / "out"), *changes)
    assert list(tmp_path.iterdir()) == []


def test_installed_twice_it_is_one_suite(normalized: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    assert evalplane(root, *install(normalized)).stdout == "tiny\n"
    shown = answer(root, *install(normalized))
    assert (shown["suite_id"], shown["source_status"]) == ("tiny", "source_unverified")
    rows = {row["suite_id"]: row for row in answer(root, "suite", "list")}
    assert (rows["tiny"]["installed"], rows["tiny"]["revision"]) == (True, shown["revision"])
    assert rows["evaluation-smoke"]["installed"] is False
    assert answer(root, "suite", "show", "tiny")["revision"] == shown["revision"]
    assert "source_unverified" in evalplane(root, "suite", "show", "tiny").stdout


def test_a_bundle_that_somebody_touched_is_refused(normalized: Path, tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    shutil.copytree(normalized, touched)
    victim = next((touched / "bundle").rglob("*.parquet"))
    victim.write_bytes(victim.read_bytes()[:-1] + b"0")
    assert "evalplane: store.integrity" in refusal(tmp_path / "root", *install(touched), status=3)
    assert answer(tmp_path / "root", "suite", "list")[0]["suite_id"] == "evaluation-smoke"


@pytest.mark.parametrize("named", ["new", "store", "store/suites"], ids=["a new folder", "a store", "the suites of a store"])
def test_suite_store_names_the_store(named: str, normalized: Path, tmp_path: Path) -> None:
    Store.found(tmp_path / "store")
    evalplane(tmp_path / "elsewhere", *install(normalized), "--suite-store", str(tmp_path / named))
    root = tmp_path / named.removesuffix("/suites")
    assert "tiny" in {row["suite_id"] for row in answer(root, "suite", "list")}
    made = answer(root, "run", "create", "--target", "benchmark-source", "--suite", "tiny")["run_id"]
    assert Store.open(root).run(made).manifest().tracks == ("routing", "model_pool", "joint")
    assert not (tmp_path / "elsewhere").exists()


def test_suites_of_two_kinds_do_not_run_together(normalized: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    evalplane(root, *install(normalized))
    lines = refusal(root, "run", "create", "--target", "benchmark-source", "--suite", "tiny", "--suite", "evaluation-smoke")
    assert lines[0] == "evalplane: admission.refused"
    assert lines[2] == "  at   suite evaluation-smoke"
