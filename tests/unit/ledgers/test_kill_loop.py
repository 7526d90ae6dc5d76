"""A process killed at every failpoint, twenty times each: its successor finds the old state or the new one, and all it was promised.

SIGKILL does not take back what the kernel already has, so this proves the order of the steps; that each fsync is needed is
test_power_loss. The store therefore lies in memory where there is such a place, and children are forked, not started.
"""

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ledgers.audit.chain import AuditLog
from ledgers.store.objects import Objects
from ledgers.store.os_calls import FAILPOINTS, OsCalls, install_failpoint_hook, kill_at
from ledgers.store.publication import (
    append_line,
    ensure_directory,
    is_temporary,
    publish_directory,
    publish_file,
    read_lines,
    replace_bytes,
    sweep_temporaries,
    temporary_path,
)
from ledgers.store.reading import read_bytes
from tests.unit.ledgers.disks import Hesitant

HITS = 20
FOLDERS = ("objects", "parts", "runs", "audit", "homes")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
Told = Callable[[str, int], None]


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as name:
        for folder in FOLDERS:
            ensure_directory(Path(name, folder))
        yield Path(name)


def _content(number: int) -> bytes:
    """Longer than a write of the hesitant disk, and different for each number from the first byte to the last."""
    return f"{number:06} ".encode() * 30


def _work(root: Path, first: int, disk: OsCalls, told: Told) -> None:
    """Publishes in every way there is, again and again, and tells after each success what is now promised."""
    for number in range(first, first + 40):
        Objects(root / "objects", os_calls=disk).put(_content(number))
        told("object", number)
        temporary = temporary_path(root / "parts")
        temporary.write_bytes(_content(number))
        publish_file(temporary, root / "parts" / str(number), os_calls=disk)
        told("part", number)
        replace_bytes(root / "status", _content(number), os_calls=disk)
        told("status", number)
        append_line(root / "log", _content(number), os_calls=disk)
        told("line", number)
        publish_directory(root / "runs" / str(number), lambda new, number=number: _fill(new, number), os_calls=disk)
        told("run", number)
        ensure_directory(root / "homes" / str(number), os_calls=disk)
        told("home", number)
        AuditLog(root / "audit", os_calls=disk).append(
            now=NOON, action="start", decision="allowed", reason_code="owner", actor="test", resource_kind="run", resource_id=str(number)
        )
        told("audit", number)


def _fill(new: Path, number: int) -> None:
    (new / "records").mkdir()
    (new / "manifest").write_bytes(_content(number))
    (new / "records/part").write_bytes(_content(number + 1))


def _killed(work: Callable[[Told], None], failpoint: str, hit: int) -> list[tuple[str, int]]:
    """What a child was told before it died at that failpoint. A child that ends in any other way fails the test."""
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            install_failpoint_hook(kill_at(failpoint, hit))
            work(lambda kind, number: os.write(sink, f"{kind} {number}\n".encode()) and None)
        finally:
            os._exit(1)
    os.close(sink)
    with os.fdopen(source, "r") as told:
        lines = [line.split() for line in told]
    status = os.waitpid(child, 0)[1]
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, f"{failpoint} was not met {hit} times"
    return [(kind, int(number)) for kind, number in lines]


def _visible(directory: Path) -> set[int]:
    return {int(entry.name) for entry in directory.iterdir() if not is_temporary(entry.name)}


def _read_all(root: Path) -> dict[str, set[int]]:
    """What a reader sees, by kind. Anything torn, partial or misnamed fails here."""
    objects = Objects(root / "objects")
    held = {objects.get(digest, max_bytes=1000) for digest in objects.digests()}
    parts, runs = _visible(root / "parts"), _visible(root / "runs")
    for number in parts:
        assert read_bytes(root / "parts" / str(number), max_bytes=1000) == _content(number)
    for number in runs:
        run = root / "runs" / str(number)
        assert {str(path.relative_to(run)) for path in run.rglob("*")} == {"manifest", "records", "records/part"}
        assert read_bytes(run / "manifest", max_bytes=1000) == _content(number)
        assert read_bytes(run / "records/part", max_bytes=1000) == _content(number + 1)
    lines = read_lines(root / "log", max_bytes=1 << 20) if (root / "log").exists() else []
    status = read_bytes(root / "status", max_bytes=1000) if (root / "status").exists() else b""
    return {
        "object": {_number(data) for data in held},
        "part": parts,
        "run": runs,
        "line": {_number(line) for line in lines},
        "status": {_number(status)} if status else set(),
        "home": _visible(root / "homes"),
        "audit": {int(record.resource_id or "") for record in AuditLog(root / "audit").records()},
    }


def _number(data: bytes) -> int:
    number = int(data[:6])
    assert data == _content(number), "torn"
    return number


@pytest.mark.parametrize("failpoint", FAILPOINTS)
def test_killed_process_breaks_no_promise(root: Path, failpoint: str) -> None:
    kills: Counter[str] = Counter()
    promised: dict[str, set[int]] = {}
    last_status = -1
    for kill in range(HITS):
        told = _killed(lambda told, first=100 * kill: _work(root, first, Hesitant(64), told), failpoint, 1 + kill % 7)
        kills[failpoint] += 1
        for kind, number in told:
            promised.setdefault(kind, set()).add(number)
        seen = _read_all(root)
        last_status = max([last_status, *promised.pop("status", set())])
        assert all(status >= last_status for status in seen["status"]), "an older status came back"
        assert last_status < 0 or seen["status"]
        assert {kind: numbers - seen[kind] for kind, numbers in promised.items() if numbers - seen[kind]} == {}
        for folder in (root, *(root / name for name in FOLDERS)):
            sweep_temporaries(folder)
            assert not any(is_temporary(entry.name) for entry in folder.iterdir())
    assert kills[failpoint] >= HITS


class InPlace(OsCalls):
    """A disk for the positive control: what should go to a temporary goes to the final name at once, and no rename happens."""

    def __init__(self, final: Path) -> None:
        self.final = final

    def create(self, path: Path) -> int:
        return os.open(self.final, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)

    def write(self, descriptor: int, data: memoryview) -> int:
        return super().write(descriptor, data[:64])

    def replace(self, source: Path, target: Path) -> None:
        pass


@pytest.mark.parametrize("failpoint", ["write.created", "write.chunk"])
def test_without_the_rename_the_loop_goes_red(root: Path, failpoint: str) -> None:
    replace_bytes(root / "status", _content(1))
    torn = 0
    for _ in range(HITS):
        _killed(lambda told: replace_bytes(root / "status", _content(2), os_calls=InPlace(root / "status")), failpoint, 1)
        torn += (root / "status").read_bytes() not in (_content(1), _content(2))
    assert torn == HITS


def test_an_object_that_was_promised_and_is_removed_is_missed(root: Path) -> None:
    """The reader of this loop really looks: what it counts as seen is what is there."""
    _killed(lambda told: _work(root, 0, OsCalls(), told), "ensure.durable", 3)
    assert 0 in _read_all(root)["object"]
    Objects(root / "objects").path(f"sha256:{sha256(_content(0)).hexdigest()}").unlink()
    assert 0 not in _read_all(root)["object"]
