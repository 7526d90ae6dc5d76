"""A process that makes a run is killed at every failpoint of the store; whoever comes next seals the same result, and it is clean.

The child is a real process and dies by SIGKILL; a child that ends in any other way fails the test. A run meets every failpoint.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from contracts.runs import RunState
from evaluation_assets.reports.sealing import sealed_report
from evaluation_assets.reports.verification import verify_run
from evaluation_assets.runs.code_revision import code_revision
from ledgers.store.layout import local_principal
from ledgers.store.os_calls import FAILPOINT_VARIABLE, FAILPOINTS, install_failpoint_hook
from ledgers.store.publication import is_temporary
from ledgers.store.store import Store
from tests.plain_runs import created, finish, new_store, run_id, smoke_request

pytestmark = pytest.mark.slow

_CHILD = """
import sys
from pathlib import Path
from evaluation_assets.runs import create
from tests.plain_runs import created, finish, new_store, smoke_request
create.code_revision = lambda: sys.argv[2]  # of the parent: somebody may edit the checkout while its tests run
store = new_store(Path(sys.argv[1]))
finish(store, created(store, smoke_request()))
"""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as name:
        yield Path(name)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, int]]:
    """The result digest of a run that nobody killed, and how often it meets each failpoint."""
    met: dict[str, int] = {}
    install_failpoint_hook(lambda name: met.__setitem__(name, met.get(name, 0) + 1))
    try:
        store = new_store(tmp_path_factory.mktemp("undisturbed"))
        digest = finish(store, created(store, smoke_request())).result_digest
    finally:
        install_failpoint_hook(None)
    return digest, met


def killed(place: Path, failpoint: str, hit: int) -> bool:
    """True: the child died at the failpoint. False: it never came that far and sealed its run."""
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, str(place), code_revision()],
        env={**os.environ, FAILPOINT_VARIABLE: f"{failpoint}:{hit}"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode != 0


def taken_up(place: Path) -> str:
    """What the next process does: the same request, from wherever the dead one left it."""
    store = new_store(place)
    run = created(store, smoke_request())
    report = sealed_report(run) if run.status().state is RunState.COMPLETED else finish(store, run)
    fresh = Store.open(store.root)
    result = verify_run(fresh, fresh.run(run_id(1)), digests_only=False, progress=lambda stage, done, total: None)
    assert (result.clean, result.recomputed, result.problems) == (True, True, ())
    assert fresh.audit.verify().sequence >= 4
    return report.result_digest


def hits(count: int) -> list[int]:
    """In the middle, and the last time that the failpoint is met; the first times are those of the last test but one."""
    return sorted({(count + 1) // 2, count})


@pytest.mark.parametrize("failpoint", FAILPOINTS)
def test_the_next_process_seals_the_same_result(place: Path, undisturbed: tuple[str, dict[str, int]], failpoint: str) -> None:
    digest, met = undisturbed
    kills = 0
    for hit in hits(met[failpoint]):
        home = place / f"{failpoint}-{hit}"
        home.mkdir(mode=0o700)
        kills += killed(home, failpoint, hit)
        assert taken_up(home) == digest, f"{failpoint} at hit {hit}"
        half_made = [path.name for path in (home / "root" / "runs").iterdir() if is_temporary(path.name)]
        assert half_made == []
    assert kills == len(hits(met[failpoint]))


def test_a_run_meets_every_failpoint(undisturbed: tuple[str, dict[str, int]]) -> None:
    assert set(undisturbed[1]) == set(FAILPOINTS)


@pytest.mark.parametrize("number", range(1, 6))
def test_killed_again_and_again(place: Path, undisturbed: tuple[str, dict[str, int]], number: int) -> None:
    """Each successor dies a little later at the same kind of moment, until one comes through."""
    digest, met = undisturbed
    failpoint = ("publish.renamed", "replace.renamed", "append.chunk", "write.chunk", "directory.renamed")[number - 1]
    for hit in range(1, 1 + min(3, met[failpoint])):
        killed(place, failpoint, hit)
    assert taken_up(place) == digest


def test_the_owner_is_the_same_after_a_kill(place: Path) -> None:
    """The key of the store is made once, whoever dies while it is made."""
    killed(place, "publish.renamed", 2)
    store = new_store(place)
    owner = local_principal(store.root, "tester")
    assert created(store, smoke_request()).manifest().owner_principal == owner
