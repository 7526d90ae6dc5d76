"""A power cut at any moment of a publication leaves the old state or the new one, and never takes back what was acknowledged.

Positive control: the same traces with any single fsync taken out, or without the rename, must be caught.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from contracts.errors import StoreError
from ledgers.store.publication import append_line, ensure_directory, publish_bytes, publish_directory, publish_file, replace_bytes
from tests.unit.ledgers.disks import Recorder
from tests.unit.ledgers.power_loss import Check, Tree, in_place, violations, without_each_sync

OLD, NEW = b"old state\n", b"the new state\n"


def _new_file(disk: Recorder) -> None:
    ensure_directory(disk.root / "objects", os_calls=disk)
    publish_bytes(disk.root / "objects/a", NEW, os_calls=disk)
    disk.ack("a")


def _file_of_a_library(disk: Recorder) -> None:
    _write(disk, disk.root / ".tmp-part", NEW)
    publish_file(disk.root / ".tmp-part", disk.root / "a", os_calls=disk)
    disk.ack("a")


def _second_writer(disk: Recorder) -> None:
    """The first writer renames and dies before it can sync the name; the second finds equal bytes and acknowledges them."""

    class Dying(Recorder):
        def fsync_dir(self, path: Path) -> None:
            raise OSError

    with pytest.raises(StoreError):
        publish_bytes(disk.root / "a", NEW, os_calls=Dying(disk.root, disk.trace, disk.names))
    assert publish_bytes(disk.root / "a", NEW, os_calls=disk) is False
    disk.ack("a")


def _holds_new(path: str) -> Check:
    def check(tree: Tree, acknowledged: frozenset[str]) -> str | None:
        if path not in tree:
            return "acknowledged and gone" if acknowledged else None
        return None if tree[path] == NEW else "torn"

    return check


def _status(disk: Recorder) -> None:
    replace_bytes(disk.root / "status", OLD, os_calls=disk)
    disk.ack("old")
    replace_bytes(disk.root / "status", NEW, os_calls=disk)
    disk.ack("new")


def _status_check(tree: Tree, acknowledged: frozenset[str]) -> str | None:
    content = tree.get("status")
    if content not in (None, OLD, NEW):
        return "torn"
    if ("new" in acknowledged and content != NEW) or ("old" in acknowledged and content is None):
        return "acknowledged and gone"
    return None


RUN: Tree = {"run": None, "run/manifest": NEW, "run/records": None, "run/records/part": OLD}


def _directory(disk: Recorder) -> None:
    def fill(new: Path) -> None:
        _write(disk, new / "manifest", NEW)
        disk.mkdir(new / "records")
        _write(disk, new / "records/part", OLD)

    publish_directory(disk.root / "run", fill, os_calls=disk)
    disk.ack("run")


def _directory_check(tree: Tree, acknowledged: frozenset[str]) -> str | None:
    found = {path: data for path, data in tree.items() if path == "run" or path.startswith("run/")}
    if not found:
        return "acknowledged and gone" if acknowledged else None
    return None if found == RUN else "partial directory"


LINES = [b"first", b"second", b"third"]


def _log(disk: Recorder) -> None:
    for line in LINES:
        append_line(disk.root / "log", line, os_calls=disk)
        disk.ack(line.decode())


def _log_check(tree: Tree, acknowledged: frozenset[str]) -> str | None:
    complete = (tree.get("log") or b"").split(b"\n")[:-1]
    if complete != LINES[: len(complete)]:
        return "a line that nobody wrote"
    return "acknowledged and gone" if len(complete) < len(acknowledged) else None


def _write(disk: Recorder, path: Path, data: bytes) -> None:
    descriptor = disk.create(path)
    disk.write(descriptor, memoryview(data))
    disk.close(descriptor)


Scenario = tuple[Callable[[Recorder], None], Check]
SCENARIOS = [
    pytest.param((_new_file, _holds_new("objects/a")), id="new file in a new directory"),
    pytest.param((_file_of_a_library, _holds_new("a")), id="file that a library wrote"),
    pytest.param((_second_writer, _holds_new("a")), id="second writer of equal bytes"),
    pytest.param((_status, _status_check), id="status replaced"),
    pytest.param((_directory, _directory_check), id="directory with a directory in it"),
    pytest.param((_log, _log_check), id="lines appended"),
]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_no_power_cut_breaks_a_promise(tmp_path: Path, scenario: Scenario) -> None:
    run, check = scenario
    disk = Recorder(tmp_path)
    run(disk)
    states, found = violations(disk.trace, check)
    assert found == []
    assert states > len(disk.trace), "the model enumerated nothing"


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_single_fsync_is_needed(tmp_path: Path, scenario: Scenario) -> None:
    run, check = scenario
    disk = Recorder(tmp_path)
    run(disk)
    shorter = dict(without_each_sync(disk.trace))
    assert len(shorter) >= 2
    assert [name for name, trace in shorter.items() if not violations(trace, check)[1]] == []


@pytest.mark.parametrize("scenario", [entry for entry in SCENARIOS if entry.id != "lines appended"])
def test_the_rename_is_needed(tmp_path: Path, scenario: Scenario) -> None:
    run, check = scenario
    disk = Recorder(tmp_path)
    run(disk)
    assert violations(in_place(disk.trace), check)[1]


def test_line_after_a_torn_one_survives_every_power_cut(tmp_path: Path) -> None:
    """The next append cuts the torn tail off and writes behind it, with one fsync for both."""
    disk = Recorder(tmp_path)
    append_line(tmp_path / "log", LINES[0], os_calls=disk)
    disk.ack("first")
    descriptor = disk.open_existing(tmp_path / "log", os.O_WRONLY | os.O_APPEND)
    disk.write(descriptor, memoryview(b"torn"))
    disk.close(descriptor)
    for line in LINES[1:]:
        append_line(tmp_path / "log", line, os_calls=disk)
        disk.ack(line.decode())
    assert any(call.name == "truncate" for call in disk.trace)
    assert violations(disk.trace, _log_check)[1] == []
