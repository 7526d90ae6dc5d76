"""Code revision: the same files, the same revision; one other byte, one other name, another."""

import shutil
from pathlib import Path

import pytest

from evaluation_assets.runs import code_revision as module

ROOT = Path(__file__).parents[3]


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what ships, which a test may change."""
    for name in ("contracts", "evaluation_assets", "golden", "ledgers"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(module.resources, "files", lambda name: tmp_path / name)
    return tmp_path


def revision() -> str:
    return module.code_revision.__wrapped__()


def test_where_the_package_lies_is_nothing(packages: Path) -> None:
    assert revision() == module.code_revision()


@pytest.mark.parametrize(
    "path",
    [
        "contracts/tracks.py",
        "ledgers/store/parts.py",
        "evaluation_assets/gates/g1_static.py",
        "golden/catalogs/gate_policy.json",
        "golden/cohorts/evaluation-smoke.json",
        "evaluation_assets/reports/templates/report.html.j2",
        "evaluation_assets/reports/templates/tokens.css",
    ],
)
def test_one_byte_is_another_revision(packages: Path, path: str) -> None:
    before = revision()
    with (packages / path).open("ab") as file:
        file.write(b" ")
    assert revision() != before


def test_a_name_is_part_of_it(packages: Path) -> None:
    before = revision()
    (packages / "contracts/tracks.py").rename(packages / "contracts/tracks2.py")
    assert revision() != before


def test_a_new_module_and_a_lost_one_are_another_revision(packages: Path) -> None:
    before = revision()
    (packages / "contracts/new.py").write_bytes(b"")
    added = revision()
    (packages / "contracts/new.py").unlink()
    assert revision() == before != added
    (packages / "contracts/clock.py").unlink()
    assert revision() not in (before, added)


@pytest.mark.parametrize(
    "path",
    [
        "contracts/__pycache__/tracks.cpython-311.pyc",
        "contracts/notes.txt",
        "golden/fixtures/new.json",
        "golden/schemas/new.json",
        "contracts/__pycache__/x.py",
    ],
)
def test_what_does_not_run_or_ship_is_nothing(packages: Path, path: str) -> None:
    before = revision()
    (packages / path).parent.mkdir(parents=True, exist_ok=True)
    (packages / path).write_bytes(b"x")
    assert revision() == before
