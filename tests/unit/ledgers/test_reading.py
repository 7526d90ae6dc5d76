"""Every kind of file that must not be read where a plain private file must be, and the files of other people that may."""

import os
import socket
from collections.abc import Callable
from errno import ENOSYS
from hashlib import sha256
from pathlib import Path

import pytest

from contracts.errors import HostileFile, InputError, StoreError
from ledgers.store import reading
from ledgers.store.reading import (
    foreign_directory,
    open_plain,
    read_bytes,
    read_foreign,
    require_private_directory,
    sha256_file,
)

DATA = b"plain bytes\n"


@pytest.fixture(params=["openat2", "walk"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with one good file, read with openat2 and as on a kernel without it."""
    if request.param == "walk":

        def absent(directory: int, name: str, flags: int) -> int:
            raise OSError(ENOSYS, "Function not implemented")

        monkeypatch.setattr(reading, "openat2_beneath", absent)
    root = tmp_path / "store"
    for directory in (root, root / "runs"):
        directory.mkdir(mode=0o700)
    _private(root / "runs/good", DATA)
    _private(tmp_path / "outside", b"outside\n")
    return root


def _private(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    path.chmod(0o600)


def _symlink(root: Path) -> str:
    (root / "runs/link").symlink_to("good")
    return "runs/link"


def _symlinked_parent(root: Path) -> str:
    (root / "other").symlink_to("runs")
    return "other/good"


def _hard_link(root: Path) -> str:
    (root / "runs/second").hardlink_to(root / "runs/good")
    return "runs/second"


def _fifo(root: Path) -> str:
    os.mkfifo(root / "runs/fifo", 0o600)
    return "runs/fifo"


def _socket(root: Path) -> str:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(root / "s"))
    return "s"


def _open_mode(root: Path) -> str:
    (root / "runs/good").chmod(0o644)
    return "runs/good"


def _sparse(root: Path) -> str:
    _private(root / "runs/sparse", b"")
    os.truncate(root / "runs/sparse", 1 << 40)
    return "runs/sparse"


HOSTILE: list[Callable[[Path], str]] = [
    pytest.param(_symlink, id="symbolic link"),
    pytest.param(_symlinked_parent, id="symbolic link as parent"),
    pytest.param(lambda root: "runs/../../outside", id="dots that leave"),
    pytest.param(lambda root: "runs/../runs/good", id="dots that stay"),
    pytest.param(lambda root: "/etc/hostname", id="absolute elsewhere"),
    pytest.param(lambda root: str(root.parent / "outside"), id="absolute beside the store"),
    pytest.param(lambda root: ".", id="the root itself"),
    pytest.param(_hard_link, id="hard link"),
    pytest.param(_fifo, id="FIFO"),
    pytest.param(_socket, id="socket"),
    pytest.param(_open_mode, id="mode 0644"),
    pytest.param(_sparse, id="sparse and too large"),
    pytest.param(lambda root: "runs", id="directory"),
    pytest.param(lambda root: "runs/good\0x", id="NUL after a good name"),
]


@pytest.mark.parametrize("make", HOSTILE)
def test_hostile_file_is_refused_beneath_the_root(store: Path, make: Callable[[Path], str]) -> None:
    name = make(store)
    with pytest.raises(HostileFile) as refusal:
        read_bytes(Path(name), max_bytes=1 << 20, root=store)
    assert str(store) not in str(refusal.value), "a message names files relative to the root"


@pytest.mark.parametrize(
    "make",
    [
        case
        for case in HOSTILE
        if case.id in {"symbolic link", "hard link", "FIFO", "socket", "mode 0644", "directory", "NUL after a good name"}
    ],
)
def test_hostile_file_is_refused_without_a_root(store: Path, make: Callable[[Path], str]) -> None:
    path = store / make(store)
    for read in (open_plain, sha256_file, lambda it: read_bytes(it, max_bytes=1 << 20)):
        with pytest.raises(HostileFile):
            read(path)


def test_file_of_somebody_else_is_refused(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    with pytest.raises(HostileFile, match="belongs to somebody else"):
        read_bytes(store / "runs/good", max_bytes=100)
    with pytest.raises(HostileFile, match="belongs to somebody else"):
        require_private_directory(store)


def test_good_file_is_read(store: Path) -> None:
    for path, root in ((Path("runs/good"), store), (store / "runs/good", store), (store / "runs/good", None)):
        assert read_bytes(path, max_bytes=len(DATA), root=root) == DATA
        assert sha256_file(path, root=root) == f"sha256:{sha256(DATA).hexdigest()}"


@pytest.mark.parametrize("size", [0, 1, reading.BLOCK - 1, reading.BLOCK, reading.BLOCK + 1, 3 * reading.BLOCK])
def test_sizes_around_the_buffer(store: Path, size: int) -> None:
    data = bytes(index % 251 for index in range(1000)) * (size // 1000 + 1)
    _private(store / "sized", data[:size])
    assert read_bytes(store / "sized", max_bytes=size) == data[:size]
    assert sha256_file(store / "sized") == f"sha256:{sha256(data[:size]).hexdigest()}"


def test_bound_is_exact(store: Path) -> None:
    with pytest.raises(HostileFile, match="has 12 bytes and may have 11"):
        read_bytes(store / "runs/good", max_bytes=11)


def test_missing_file_is_an_error_of_the_store(store: Path) -> None:
    for name in ("runs/absent", "absent/good", "runs/good/below"):
        with pytest.raises(StoreError):
            read_bytes(Path(name), max_bytes=1, root=store)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda path: path.write_bytes(DATA + b"more"), id="grows"),
        pytest.param(lambda path: os.truncate(path, 3), id="shrinks"),
        pytest.param(lambda path: os.utime(path, ns=(1, 1)), id="written, same size"),
    ],
)
@pytest.mark.parametrize(
    ("call", "read"),
    [
        pytest.param("read", lambda path: read_bytes(path, max_bytes=100), id="whole"),
        pytest.param("readv", sha256_file, id="in blocks"),
    ],
)
def test_file_that_changes_while_it_is_read_is_refused(
    store: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], object], call: str, read: Callable[[Path], object]
) -> None:
    real = getattr(os, call)

    def changed_first(descriptor: int, wanted: object) -> object:
        change(store / "runs/good")
        return real(descriptor, wanted)

    monkeypatch.setattr(os, call, changed_first)
    with pytest.raises(StoreError, match="changed while it was read"):
        read(store / "runs/good")


def test_no_descriptor_is_left_open(store: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for case in HOSTILE:
        (make,) = case.values
        with pytest.raises(HostileFile):
            read_bytes(Path(make(store)), max_bytes=100, root=store)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_private_directory(store: Path) -> None:
    require_private_directory(store)
    (store / "link").symlink_to("runs")
    (store / "runs").chmod(0o750)
    for name in ("runs", "link", "runs/good", "a\0b"):
        with pytest.raises(HostileFile):
            require_private_directory(store / name)
    with pytest.raises(StoreError):
        require_private_directory(store / "absent")


def test_foreign_file_may_have_any_mode_and_links(store: Path) -> None:
    export = store.parent / "export.csv"
    export.write_bytes(DATA)
    export.chmod(0o664)
    (store.parent / "again.csv").hardlink_to(export)
    assert read_foreign(export, max_bytes=100) == DATA
    assert read_foreign(Path("export.csv"), max_bytes=100, root=foreign_directory(store.parent)) == DATA


@pytest.mark.parametrize(
    ("make", "error"),
    [
        pytest.param(_symlink, HostileFile, id="symbolic link"),
        pytest.param(_fifo, HostileFile, id="FIFO"),
        pytest.param(_socket, HostileFile, id="socket"),
        pytest.param(lambda root: "runs", HostileFile, id="directory"),
        pytest.param(lambda root: "runs/good\0x", HostileFile, id="NUL after a good name"),
        pytest.param(_sparse, InputError, id="sparse and too large"),
        pytest.param(lambda root: "absent", InputError, id="missing"),
        pytest.param(lambda root: "runs/good/below", InputError, id="below a file"),
    ],
)
def test_foreign_file_is_refused(store: Path, make: Callable[[Path], str], error: type[Exception]) -> None:
    with pytest.raises(error):
        read_foreign(store / make(store), max_bytes=1 << 20)


@pytest.mark.parametrize("name", ["runs/good", "absent", "link"])
def test_foreign_directory_is_refused(store: Path, name: str) -> None:
    (store / "link").symlink_to("runs")
    with pytest.raises(InputError):
        foreign_directory(store / name)
