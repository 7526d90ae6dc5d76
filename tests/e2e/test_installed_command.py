"""The installed `evalplane`, as a shell meets it: what it prints where, how it ends, what it loads, and the main job end to end."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ledgers.store.store import Store
from tests.plain_runs import new_store, run_id, sealed, smoke_request

COMMAND = Path(sys.executable).with_name("evalplane")
READING = (
    ["--help"],
    ["gates", "latest"],
    ["gates", "latest", "--json"],
    ["sql", "select count(*) from runs"],
    ["report", "latest"],
    ["run", "list"],
    ["run", "show", "latest"],
    ["cases", "latest"],
    ["verify", "latest", "--digests-only"],
    ["verify", "latest"],
    ["run", "create", "--target", "fixture", "--suite", "evaluation-smoke"],
    ["suite", "list"],
    ["catalog"],
    ["evidence", "build"],
)


def environment(**changes: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("EVALUATION_", "DAGSTER"))}
    return {**kept, **changes}


def shell(folder: Path, *arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *arguments], cwd=folder, env=environment(), capture_output=True, text=True, check=False, **settings)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory whose ./evaluation-root has one sealed run."""
    made = tmp_path_factory.mktemp("shell")
    store = new_store(made)
    sealed(store, smoke_request())
    (made / "root").rename(made / "evaluation-root")
    (made / "root.keys").rename(made / "evaluation-root.keys")
    return made


def test_the_root_is_found_in_three_ways(folder: Path, tmp_path: Path) -> None:
    here = shell(folder, "run", "list", "--json")
    option = shell(tmp_path, "--root", str(folder / "evaluation-root"), "run", "list", "--json")
    variable = subprocess.run(
        [COMMAND, "run", "list", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env=environment(EVALUATION_ROOT=str(folder / "evaluation-root")),
    )
    assert here.stdout == option.stdout == variable.stdout
    assert [row["run_id"] for row in json.loads(here.stdout)] == [run_id(1)]


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        pytest.param(["gates", "nope"], 2, id="no such run"),
        pytest.param(["bogus"], 2, id="no such command"),
        pytest.param(["sql", "select * from nowhere"], 2, id="no such view"),
        pytest.param(["--root", "nowhere", "run", "list"], 2, id="no store"),
        pytest.param(["gates", "latest", "--check"], 1, id="a check that is not met"),
    ],
)
def test_what_goes_wrong_has_a_status_and_no_traceback(arguments: list[str], status: int, folder: Path) -> None:
    done = shell(folder, *arguments)
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert (done.stdout == "") is (status == 2)


def test_damaged_bytes_end_with_three(folder: Path, tmp_path: Path) -> None:
    subprocess.run(["cp", "-a", f"{folder}/.", str(tmp_path)], check=True)
    victim = tmp_path / "evaluation-root" / "runs" / run_id(1) / "gates.json"
    victim.write_bytes(victim.read_bytes().replace(b'"pass"', b'"fail"'))
    for arguments in (["gates", "latest"], ["verify", "latest"]):
        done = shell(tmp_path, *arguments)
        assert (done.returncode, "Traceback" in done.stderr) == (3, False)


def test_reading_commands_never_load_dagster(folder: Path, tmp_path: Path) -> None:
    subprocess.run(["cp", "-a", f"{folder}/.", str(tmp_path)], check=True)
    code = f"""
import sys
from typer.testing import CliRunner
from evaluation_assets.surfaces.cli.main import app
for arguments in {READING!r}:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, (arguments, result.output)
    assert not [name for name in sys.modules if name.partition('.')[0].startswith('dagster')], arguments
"""
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment(), check=True)


def test_a_closed_pipe_is_no_bug(folder: Path) -> None:
    script = f'"{COMMAND}" metrics | head -1'
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment(), capture_output=True, text=True, check=True)
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


def test_what_is_written_is_private(folder: Path, tmp_path: Path) -> None:
    shell(folder, "report", "latest", "--html", str(tmp_path / "page.html"))
    assert (tmp_path / "page.html").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("typed", "status", "left"),
    [
        pytest.param("yes", 2, 1, id="another word"),
        pytest.param(run_id(1)[:8], 0, 0, id="the beginning of the id"),
    ],
)
def test_delete_on_a_terminal_wants_the_id_typed(typed: str, status: int, left: int, folder: Path, tmp_path: Path) -> None:
    subprocess.run(["cp", "-a", f"{folder}/.", str(tmp_path)], check=True)
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [COMMAND, "run", "delete", "latest"], cwd=tmp_path, env=environment(), stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        os.write(ours, f"{typed}\n".encode())
        process.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)
    assert (process.returncode, len(Store.open(tmp_path / "evaluation-root").run_ids())) == (status, left)


def test_the_main_job(tmp_path: Path) -> None:
    """The demo, called twice: two suites each, one result a suite, text for people, and suggestions that work."""
    first, second = shell(tmp_path, "demo"), shell(tmp_path, "demo", "--json")
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    lines = first.stdout.splitlines()
    assert lines[0].split(None, 2)[2] == "4 cases  8 tracks  E0 diagnostic"
    assert lines[1].startswith("G0 pass   G1 pass   G2 unavailable: needs sealed_window:hard_policy")
    assert [line for line in lines if line.startswith("run ")][1].endswith("3 tracks  E0 diagnostic  counterfactual: no model was called")
    assert "Warning" not in first.stderr
    assert [line for line in first.stderr.splitlines() if line.startswith("sealed")] == ["sealed 3/3"] * 2
    runs = json.loads(shell(tmp_path, "run", "list", "--json").stdout)
    assert len(runs) == 4
    assert {run["result_digest"] for run in runs} == {made["result_digest"] for made in json.loads(second.stdout)["runs"]}
    assert len({run["result_digest"] for run in runs}) == 2
    for said in ("query", "verify"):
        suggestion = next(line for line in lines if line.startswith(said)).split(None, 1)[1]
        tried = subprocess.run(
            suggestion.replace("evalplane", f'"{COMMAND}"', 1),
            shell=True,
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert tried.returncode == 0, tried.stderr
    page = next(line for line in lines if line.startswith("report")).split(None, 1)[1]
    assert (tmp_path / page).is_file()


def test_an_interrupted_run_goes_on(folder: Path, tmp_path: Path) -> None:
    subprocess.run(["cp", "-a", f"{folder}/.", str(tmp_path)], check=True)
    made = shell(tmp_path, "run", "create", "--target", "fixture", "--suite", "evaluation-smoke", "--seed", "5").stdout.strip()
    directory = tmp_path / "evaluation-root" / "runs" / made
    with subprocess.Popen(
        [COMMAND, "run", "start", made], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("execute"):
                break
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in rest) == (130, False)
    assert json.loads((directory / "status.json").read_bytes())["state"] == "failed"
    again = shell(tmp_path, "run", "start", made)
    assert (again.returncode, again.stdout) == (0, f"{made}\n")
    assert shell(tmp_path, "verify", made).returncode == 0


def test_a_run_whose_bytes_are_damaged_says_so_without_a_traceback(folder: Path, tmp_path: Path) -> None:
    """The refusal comes out of a Dagster step."""
    subprocess.run(["cp", "-a", f"{folder}/.", str(tmp_path)], check=True)
    made = shell(tmp_path, "run", "create", "--target", "fixture", "--suite", "evaluation-smoke", "--seed", "5").stdout.strip()
    for path in (tmp_path / "evaluation-root" / "suites" / "objects" / "grading" / "sha256").iterdir():
        path.write_bytes(path.read_bytes()[:-1] + b"x")
    done = shell(tmp_path, "run", "start", made)
    assert (done.returncode, done.stdout, "Traceback" in done.stderr) == (3, "", False)
    assert "evalplane: store.integrity" in done.stderr
