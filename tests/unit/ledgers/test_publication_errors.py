"""A disk that refuses the n-th call, for every n, once and for ever: the old state or the new one, and nothing half made stays.

Each loop ends only when the operation succeeds without having met its error, so that no call is left out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from errno import EDQUOT, EIO, EMFILE, ENOSPC
from pathlib import Path

import pytest

from contracts.errors import StoreError, StoreFull
from ledgers.store.objects import Objects
from ledgers.store.os_calls import OsCalls
from ledgers.store.publication import (
    append_line,
    ensure_directory,
    is_temporary,
    publish_bytes,
    publish_directory,
    publish_file,
    read_lines,
    replace_bytes,
    sweep_temporaries,
    temporary_path,
)
from tests.unit.ledgers.disks import Failing, Hesitant

OLD, NEW = b"the old state", b"the new state"


@dataclass(frozen=True)
class Operation:
    """Brings a directory to its old state, then to its new one. `state` tells which it is in and fails on anything else."""

    prepare: Callable[[Path], None]
    run: Callable[[Path, OsCalls], object]
    state: Callable[[Path], str]


def _file_state(name: str) -> Callable[[Path], str]:
    def state(root: Path) -> str:
        path = root / name
        return {OLD: "old", NEW: "new"}[path.read_bytes()] if path.exists() else "old"

    return state


def _nothing(root: Path) -> None:
    pass


def _new_file_is_there(root: Path) -> None:
    publish_bytes(root / "a", NEW)


def _torn_log(root: Path) -> None:
    append_line(root / "log", OLD)
    with (root / "log").open("ab") as file:
        file.write(b"torn")


def _library_file(root: Path, disk: OsCalls) -> None:
    temporary = temporary_path(root)
    temporary.write_bytes(NEW)
    publish_file(temporary, root / "a", os_calls=disk)


def _fill(new: Path) -> None:
    (new / "records").mkdir()
    (new / "records/part").write_bytes(OLD)
    (new / "manifest").write_bytes(NEW)


def _directory_state(root: Path) -> str:
    if not (root / "run").exists():
        return "old"
    assert sorted(str(path.relative_to(root / "run")) for path in (root / "run").rglob("*")) == ["manifest", "records", "records/part"]
    assert ((root / "run/manifest").read_bytes(), (root / "run/records/part").read_bytes()) == (NEW, OLD)
    return "new"


def _log_state(root: Path) -> str:
    return {(): "old", (OLD,): "old", (OLD, NEW): "new", (NEW,): "new"}[
        tuple(read_lines(root / "log", max_bytes=1000)) if (root / "log").exists() else ()
    ]


def _objects_state(root: Path) -> str:
    held = [Objects(root).get(digest, max_bytes=100) for digest in Objects(root).digests()]
    return {0: "old", 1: "new"}[held.count(NEW)]


OPERATIONS = [
    pytest.param(Operation(_nothing, lambda root, disk: publish_bytes(root / "a", NEW, os_calls=disk), _file_state("a")), id="new file"),
    pytest.param(
        Operation(_new_file_is_there, lambda root, disk: publish_bytes(root / "a", NEW, os_calls=disk), _file_state("a")),
        id="same file again",
    ),
    pytest.param(Operation(_nothing, _library_file, _file_state("a")), id="file of a library"),
    pytest.param(
        Operation(
            lambda root: replace_bytes(root / "status", OLD),
            lambda root, disk: replace_bytes(root / "status", NEW, os_calls=disk),
            _file_state("status"),
        ),
        id="status replaced",
    ),
    pytest.param(
        Operation(
            lambda root: append_line(root / "log", OLD), lambda root, disk: append_line(root / "log", NEW, os_calls=disk), _log_state
        ),
        id="next line",
    ),
    pytest.param(Operation(_nothing, lambda root, disk: append_line(root / "log", NEW, os_calls=disk), _log_state), id="first line"),
    pytest.param(
        Operation(_torn_log, lambda root, disk: append_line(root / "log", NEW, os_calls=disk), _log_state), id="line after a torn one"
    ),
    pytest.param(
        Operation(_nothing, lambda root, disk: publish_directory(root / "run", _fill, os_calls=disk), _directory_state), id="directory"
    ),
    pytest.param(
        Operation(
            _nothing,
            lambda root, disk: ensure_directory(root / "a/b", os_calls=disk),
            lambda root: "new" if (root / "a/b").exists() else "old",
        ),
        id="ensured directory",
    ),
    pytest.param(Operation(_nothing, lambda root, disk: Objects(root, os_calls=disk).put(NEW), _objects_state), id="object"),
]


@pytest.mark.parametrize("for_ever", [False, True], ids=["once", "for ever"])
@pytest.mark.parametrize("error", [ENOSPC, EDQUOT, EIO, EMFILE], ids=["ENOSPC", "EDQUOT", "EIO", "EMFILE"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_error_at_every_call(tmp_path: Path, operation: Operation, error: int, for_ever: bool) -> None:
    calls = 0
    while True:
        calls += 1
        root = tmp_path / str(calls)
        root.mkdir(mode=0o700)
        operation.prepare(root)
        disk = Failing(calls, error, for_ever=for_ever)
        refusal = _refusal(operation, root, disk)
        assert (refusal is not None) is disk.was_hit, "an error of the disk was swallowed"
        if refusal is None:
            assert operation.state(root) == "new"
            break
        assert (type(refusal) is StoreFull) is (error in (ENOSPC, EDQUOT))
        assert operation.state(root) in ("old", "new")
        left = [entry.name for entry in root.iterdir() if is_temporary(entry.name)]
        if for_ever:
            sweep_temporaries(root, alive=lambda process: False)
        else:
            assert left == []
        assert not any(is_temporary(entry.name) for entry in root.iterdir())
        _again(operation, root)
    assert calls > 1


def _refusal(operation: Operation, root: Path, disk: OsCalls) -> StoreError | None:
    try:
        operation.run(root, disk)
    except StoreError as refusal:
        return refusal
    return None


def _again(operation: Operation, root: Path) -> None:
    """Once the disk is well, doing it again succeeds from whatever state the error left, or it is there already."""
    if operation.state(root) == "old":
        operation.run(root, OsCalls())
    assert operation.state(root) == "new"


def test_full_disk_while_a_directory_is_filled_is_store_full(tmp_path: Path) -> None:
    def fill(new: Path) -> None:
        _fill(new)
        raise OSError(ENOSPC, "No space left on device")

    with pytest.raises(StoreFull):
        publish_directory(tmp_path / "run", fill)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_line_that_was_not_acknowledged_is_taken_back(tmp_path: Path, call: str) -> None:
    """Not left for the next append to cut off: a whole line whose fsync failed would be read."""

    class Full(Hesitant):
        calls = 0

        def write(self, descriptor: int, data: memoryview) -> int:
            self.calls += 1
            if call == "write" and self.calls == 3:
                raise OSError(ENOSPC, "No space left on device")
            return super().write(descriptor, data)

        def fsync(self, descriptor: int) -> None:
            raise OSError(ENOSPC, "No space left on device")

    append_line(tmp_path / "log", OLD)
    with pytest.raises(StoreFull):
        append_line(tmp_path / "log", NEW, os_calls=Full(4))
    assert (tmp_path / "log").read_bytes() == OLD + b"\n"
