"""Founding a store: whole, again, after a kill, and never over somebody else's files."""

import os
from pathlib import Path

import pytest

from contracts.errors import HostileFile, StoreError, UnknownName
from ledgers.store.layout import check_store, found_store, principal_digest
from ledgers.store.os_calls import FAILPOINTS, install_failpoint_hook
from ledgers.store.store import Store

FOLDERS = {"audit", "evidence", "objects", "runs", "suites"}


class Stopped(BaseException):
    """Stands for a kill: nothing catches it."""


def test_a_store_is_made_once_and_found_again(tmp_path: Path) -> None:
    store = Store.found(tmp_path / "root")
    assert {path.name for path in store.root.iterdir()} == FOLDERS | {"layout.json"}
    assert {path.stat().st_mode & 0o777 for path in store.root.rglob("*") if path.is_dir()} == {0o700}
    Store.found(tmp_path / "root")
    Store.open(tmp_path / "root")


@pytest.mark.parametrize("failpoint", [name for name in FAILPOINTS if name.split(".")[0] in ("write", "publish", "ensure")])
@pytest.mark.parametrize("hit", [1, 2, 4])
def test_founding_that_was_stopped_is_taken_up_again(tmp_path: Path, failpoint: str, hit: int) -> None:
    left = [hit]

    def stop(name: str) -> None:
        left[0] -= name == failpoint
        if left[0] == 0:
            raise Stopped

    install_failpoint_hook(stop)
    try:
        found_store(tmp_path / "root")
    except Stopped:
        pass
    finally:
        install_failpoint_hook(None)
    found_store(tmp_path / "root")
    check_store(tmp_path / "root")
    assert {path.name for path in (tmp_path / "root").iterdir() if not path.name.startswith(".")} == FOLDERS | {"layout.json"}


def test_a_directory_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    tmp_path.chmod(0o700)
    with pytest.raises(StoreError, match="not a store"):
        found_store(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize(
    "break_it",
    [
        pytest.param(lambda root: (root / "layout.json").unlink(), id="no mark"),
        pytest.param(lambda root: (root / "layout.json").write_bytes(b'{"schema_version":"evaluation-store.v2"}'), id="another layout"),
        pytest.param(lambda root: root.chmod(0o755), id="open to others"),
        pytest.param(lambda root: (root / "layout.json").chmod(0o644), id="a mark open to others"),
    ],
)
def test_what_is_not_our_store_is_not_opened(tmp_path: Path, break_it: object) -> None:
    Store.found(tmp_path / "root")
    break_it(tmp_path / "root")  # type: ignore[operator]
    with pytest.raises(StoreError):
        Store.open(tmp_path / "root")
    with pytest.raises(StoreError):
        Store.open(tmp_path / "nowhere")


def test_two_processes_may_make_the_owner_key_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Store.found(tmp_path / "root").root
    key = root.parent / "root.keys" / "owner.key"

    def late(count: int) -> bytes:
        key.touch(mode=0o600)
        key.write_bytes(b"k" * count)
        return b"m" * count

    monkeypatch.setattr(os, "urandom", late)
    first = principal_digest(root, "a")
    assert key.read_bytes() == b"k" * 32
    assert principal_digest(root, "a") == first


@pytest.mark.parametrize("name", ["runs", "suites", "audit", "evidence", "evidence/public", "dagster"])
@pytest.mark.parametrize("kind", ["link", "file"])
def test_a_folder_of_the_store_is_a_folder_of_the_store(tmp_path: Path, name: str, kind: str) -> None:
    """A link would lead readers, and whoever cleans up, out of the store."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    found_store(root)
    outside.mkdir(mode=0o700)
    place = root / name
    if place.exists():
        place.rename(tmp_path / "away")
    if kind == "link":
        place.symlink_to(outside)
    else:
        place.write_bytes(b"")
    with pytest.raises(HostileFile):
        check_store(root)


def test_a_link_or_a_file_beside_the_runs_is_no_run(tmp_path: Path) -> None:
    store = Store.found(tmp_path / "root")
    (tmp_path / "elsewhere").mkdir()
    (store.root / "runs" / "linked").symlink_to(tmp_path / "elsewhere")
    (store.root / "runs" / "notes.txt").write_bytes(b"")
    assert store.run_ids() == []
    with pytest.raises(UnknownName):
        store.run("linked")
