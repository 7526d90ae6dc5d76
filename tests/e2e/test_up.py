"""`up` as a person starts it: a process that serves, guards, keeps its daemon alive, and leaves nothing behind."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from ledgers.store.store import Store

_SERVE = """
import sys
from pathlib import Path
from evaluation_assets.surfaces.up import serve
serve(Path(sys.argv[1]), port=int(sys.argv[2]), dagster=sys.argv[3] == "dagster", announce=lambda url: print(url, flush=True))
print("dagster" in sys.modules, flush=True)
"""
READY_SECONDS = 120
HEALTH = "{instance{daemonHealth{allDaemonStatuses{daemonType healthy}}}}"
TICKS = """{sensorsOrError(repositorySelector:{repositoryName:"__repository__",repositoryLocationName:"evaluation-plane"})
           {... on Sensors{results{name sensorState{status ticks(limit:1){status}}}}}}"""


@contextmanager
def up(root: Path, *, dagster: bool, cwd: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A served store and its URL; killed if the test did not stop it."""
    command = [sys.executable, "-P", "-c", _SERVE, str(root), "0", "dagster" if dagster else "plain"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd) as process:
        try:
            yield process, _line(process)
        finally:
            process.kill()


def refused_up(root: Path, port: str, mode: str, cwd: Path) -> str:
    """What an `up` says that does not start."""
    command = [sys.executable, "-P", "-c", _SERVE, str(root), port, mode]
    refused = subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)
    assert (refused.returncode, refused.stdout) == (1, "")
    return refused.stderr


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    assert process.stderr is not None
    ready, _, _ = select.select([process.stdout], [], [], READY_SECONDS)
    line = process.stdout.readline().strip() if ready else ""
    if not line:
        process.kill()
        pytest.fail(process.stderr.read()[-2000:])
    return line


def started_by(process: subprocess.Popen[str]) -> dict[int, int]:
    """pid -> pidfd of every descendant."""
    parents = {}
    for directory in Path("/proc").iterdir():
        if directory.name.isdigit():
            try:
                parents[int(directory.name)] = int((directory / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = {process.pid}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return {pid: os.pidfd_open(pid) for pid in found - {process.pid}}


def all_end(handles: dict[int, int], seconds: float = 30) -> bool:
    """Closes the handles."""
    ended = [bool(select.select([handle], [], [], seconds)[0]) for handle in handles.values()]
    for handle in handles.values():
        os.close(handle)
    return all(ended)


def ask(url: str, query: str, origin: str | None = None) -> httpx.Response:
    return httpx.post(f"{url}dagster/graphql", json={"query": query}, headers={"Origin": origin or url.rstrip("/")}, timeout=30)


def wait_for_daemon(process: subprocess.Popen[str], url: str) -> None:
    """Until every daemon has sent a heartbeat and every sensor has ticked."""
    for _ in range(READY_SECONDS):
        daemons = ask(url, HEALTH).json()["data"]["instance"]["daemonHealth"]["allDaemonStatuses"]
        sensors = ask(url, TICKS).json()["data"]["sensorsOrError"]["results"]
        if all(daemon["healthy"] for daemon in daemons) and all(sensor["sensorState"]["ticks"] for sensor in sensors):
            return
        with suppress(subprocess.TimeoutExpired):
            pytest.fail(f"the server ended with {process.wait(1)}")
    pytest.fail(f"no heartbeat or no tick: {daemons}, {sensors}")


@pytest.mark.slow
def test_dagster_is_served_guarded_and_leaves_no_process(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "definitions.py").write_text("raise SystemExit('the working directory is no place to import from')")
    root = tmp_path / "root"
    with up(root, dagster=True, cwd=elsewhere) as (process, url):
        loaded = ask(url, "{workspaceOrError{... on Workspace{locationEntries{name loadStatus locationOrLoadError{__typename}}}}}").json()
        assert loaded["data"]["workspaceOrError"]["locationEntries"] == [
            {"name": "evaluation-plane", "loadStatus": "LOADED", "locationOrLoadError": {"__typename": "RepositoryLocation"}}
        ]
        assert "<title>Runs" in httpx.get(url).text
        assert httpx.get(f"{url}dagster/asset-groups").headers.get_list("content-security-policy")[-1] == "frame-ancestors 'none'"

        assert ask(url, "{version}", origin="http://evil.example").status_code == 403
        assert httpx.get(f"{url}dagster/graphql", params={"query": "{version}"}).status_code == 405
        assert httpx.post(f"{url}dagster/report_asset_check/gates", json={}, headers={"Origin": url.rstrip("/")}).status_code == 403
        assert httpx.get(url, headers={"Host": "evil.example"}).status_code == 421

        wait_for_daemon(process, url)
        assert "Another `evalplane up` serves this store." in refused_up(root, "0", "dagster", elsewhere)

        children = started_by(process)
        assert len(children) >= 4, "watcher, daemon, and a code server for each of daemon and webserver"
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert all_end(children, 0)
    assert not [path for path in root.rglob("*") if path.stat().st_mode & 0o077], "files that others may read"


@pytest.mark.slow
def test_nothing_outlives_a_killed_server(tmp_path: Path) -> None:
    with up(tmp_path / "root", dagster=True, cwd=tmp_path) as (process, _):
        children = started_by(process)
        assert len(children) >= 3
        process.kill()
        assert all_end(children)


def test_reports_alone_are_served_without_dagster(tmp_path: Path) -> None:
    with up(tmp_path / "root", dagster=False, cwd=tmp_path) as (process, url):
        assert "evalplane demo" in httpx.get(url).text
        assert httpx.get(f"{url}dagster").status_code == 404
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert process.stdout is not None
        assert process.stdout.read() == "False\n"


def test_a_taken_port_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    Store.found(tmp_path / "first")
    with up(tmp_path / "first", dagster=False, cwd=tmp_path) as (_, url):
        port = url.rstrip("/").rpartition(":")[2]
        assert f"Port {port} is taken by another process." in refused_up(tmp_path / "second", port, "dagster", tmp_path)
        assert not (tmp_path / "second").exists()
