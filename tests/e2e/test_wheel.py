"""What a user gets: the wheel, installed in an empty directory, gives the output that the README shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUN_ID = re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){0,3}(-[0-9a-f]{12})?\b")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that holds the installed wheel and nothing else."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)], check=True)
    (wheel,) = folder.glob("evalplane-*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--target", str(folder / "site"), str(wheel)], check=True)
    return folder / "site"


def evalplane(site: Path, folder: Path, *arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("EVALUATION_", "DAGSTER"))}
    done = subprocess.run(
        [str(site / "bin" / "evalplane"), *arguments],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def shown(command: str) -> list[str]:
    """The output that the README shows below `$ command`."""
    lines = (ROOT / "README.md").read_text().splitlines()
    begin = next(number for number, line in enumerate(lines) if line.strip() == f"$ {command}")
    block = []
    for line in lines[begin + 1 :]:
        if not line.startswith("    ") or line.startswith("    $"):
            break
        block.append(line[4:].rstrip())
    return block


def without_ids(lines: list[str]) -> list[str]:
    return [RUN_ID.sub("RUN", line.rstrip()) for line in lines]


def test_the_package_is_the_installed_one(site: Path, tmp_path: Path) -> None:
    code = "import contracts, definitions; print(contracts.__file__); print(definitions.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(site)}, capture_output=True, text=True, check=True
    )
    assert all(line.startswith(str(site)) for line in done.stdout.split())


def test_the_readme_shows_the_real_output(site: Path, tmp_path: Path) -> None:
    demo = without_ids(evalplane(site, tmp_path, "demo").splitlines())
    wanted = without_ids(shown("make demo"))
    assert len(wanted) >= 8
    assert demo[: len(wanted)] == wanted
    query = next(line for line in (ROOT / "README.md").read_text().splitlines() if "evalplane sql --private" in line)
    statement = query.split('"')[1]
    assert [line.split() for line in evalplane(site, tmp_path, "sql", "--private", statement).splitlines()] == [
        line.split() for line in shown(f'.venv/bin/evalplane sql --private "{statement}"')
    ]


def test_the_installed_run_verifies(site: Path, tmp_path: Path) -> None:
    evalplane(site, tmp_path, "demo")
    assert '"clean":true' in evalplane(site, tmp_path, "verify", "--json").replace(" ", "")
