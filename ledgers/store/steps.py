"""The single steps of a publication: write and sync a temporary, sync a tree, cut a torn line. Their order is publication.py.

None of them makes anything visible under a final name; each raises the OSError of the call that failed.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from stat import S_IMODE, S_ISDIR, S_ISREG

from contracts.errors import HostileFile
from ledgers.store.os_calls import OsCalls, failpoint

Bytes = bytes | memoryview


@contextmanager
def removed_on_failure(temporary: Path, os_calls: OsCalls) -> Iterator[None]:
    """Whatever stops the block, the file does not stay."""
    try:
        yield
    except BaseException:
        with suppress(OSError):  # gone already, or for sweep_temporaries
            os_calls.unlink(temporary)
        raise


def write_synced(path: Path, blocks: Iterable[Bytes], os_calls: OsCalls) -> str:
    """A new private file with these bytes, durable but for its name; their digest `sha256:<hex>`."""
    digest = sha256()
    descriptor = os_calls.create(path)
    try:
        failpoint("write.created")
        for block in blocks:
            digest.update(block)
            write_all(descriptor, block, "write.chunk", os_calls)
        failpoint("write.written")
        os_calls.fsync(descriptor)
        failpoint("write.synced")
    finally:
        os_calls.close(descriptor)
    return f"sha256:{digest.hexdigest()}"


def write_all(descriptor: int, data: Bytes, moment: str, os_calls: OsCalls) -> None:
    """All of `data`, however little a call takes; failpoint `moment` is met after each call."""
    left = memoryview(data)
    while left:
        left = left[os_calls.write(descriptor, left) :]
        failpoint(moment)


def sync_tree(directory: Path, os_calls: OsCalls) -> None:
    """Files first, then each directory after all that is in it."""
    found = list(_from_below(directory))
    for entry, is_directory in found:
        if not is_directory:
            sync_file(entry, os_calls)
    failpoint("directory.files_synced")
    for entry, is_directory in found:
        if is_directory:
            _make_private(entry, 0o700, entry.lstat(), os_calls)
            os_calls.fsync_dir(entry)


def _from_below(directory: Path) -> Iterator[tuple[Path, bool]]:
    """Every entry with whether it is a directory (a link is none), each directory after its entries and `directory` last."""
    for entry in sorted(directory.iterdir()):
        if S_ISDIR(entry.lstat().st_mode):
            yield from _from_below(entry)
        else:
            yield entry, False
    yield directory, True


def _make_private(path: Path, mode: int, status: os.stat_result, os_calls: OsCalls) -> None:
    if S_IMODE(status.st_mode) != mode:
        os_calls.chmod(path, mode)


def sync_file(path: Path, os_calls: OsCalls) -> None:
    """Makes the bytes of a file that somebody else wrote private and durable. HostileFile: it is no plain file with one link."""
    status = path.lstat()
    if not S_ISREG(status.st_mode) or status.st_nlink != 1:
        raise HostileFile("Only plain files with one link are published.", at=path.name)
    _make_private(path, 0o600, status, os_calls)
    descriptor = os_calls.open_existing(path, os.O_RDONLY)
    try:
        os_calls.fsync(descriptor)
    finally:
        os_calls.close(descriptor)


def cut_torn_line(descriptor: int, os_calls: OsCalls) -> int:
    """The size of the file up to the end of its last complete line, after cutting what is behind it."""
    size = keep = os.fstat(descriptor).st_size
    while keep:
        start = max(0, keep - 65536)
        end = os.pread(descriptor, keep - start, start).rfind(b"\n")
        keep = start + end + 1
        if end >= 0:
            break
    if keep < size:
        os_calls.truncate(descriptor, keep)
    return keep
