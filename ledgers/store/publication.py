"""How bytes get a name, so that whoever looks sees the old state or the new one, whatever stops us in between.

- A file: write a temporary beside it, fsync it, rename it without replacing, fsync the directory. Only then it is acknowledged.
- An immutable name is never written twice. Equal bytes: nothing to do, but the directory is synced before we say so, since who
  renamed it may have died before. Other bytes: AlreadyExists.
- A status file is replaced whole, in the same order, with a rename that replaces.
- A directory: fill a hidden sibling, fsync its files, then its directories from below, rename it, fsync the parent.
- A line: one fsync'd append under a lock. The name is durable before the first byte. A last line without its end was never
  acknowledged: readers ignore it, the next append cuts it off.
- A failure removes its temporary and raises StoreFull (ENOSPC, EDQUOT) or StoreError. One call may have failed after the rename:
  then the new state is there, complete, and doing it again acknowledges it.
- A killed process leaves temporaries `.tmp-<pid>-<hex>` or `.new-<pid>-<hex>`, which `sweep_temporaries` removes once it is dead.

Each fsync costs milliseconds: publish files, not rows. Proof: tests/unit/ledgers, test_power_loss and test_kill_loop.
The line rule needs a file system that never shows a length before its bytes (ext4 ordered, XFS, Btrfs); the others do not.
"""

import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from contracts.errors import AlreadyExists
from ledgers.store.os_calls import DISK, OsCalls, failpoint, store_errors
from ledgers.store.reading import check_plain, read_bytes, require_private_directory, sha256_file
from ledgers.store.steps import Bytes, cut_torn_line, removed_on_failure, sync_file, sync_tree, write_all, write_synced

_TEMPORARY = re.compile(r"\.(?:tmp|new)-([0-9]{1,10})-[0-9a-f]{16}", re.ASCII)


def temporary_path(directory: Path, kind: str = "tmp") -> Path:
    """A free name in `directory` for a file (`tmp`) or directory (`new`) that is still being made; it names our process."""
    return directory / f".{kind}-{os.getpid()}-{secrets.token_hex(8)}"


def publish_bytes(path: Path, data: bytes, *, os_calls: OsCalls = DISK) -> bool:
    """Gives `data` the immutable name `path`. True: it is new; False: the same bytes were there. AlreadyExists: other bytes are."""
    with store_errors(path):
        if os.path.lexists(path):
            return _already(path, f"sha256:{sha256(data).hexdigest()}", os_calls)
        return publish_blocks(path.parent, [data], lambda _: path, os_calls=os_calls)[1]


def publish_blocks(
    directory: Path, blocks: Iterable[Bytes], path_of: Callable[[str], Path], *, os_calls: OsCalls = DISK
) -> tuple[str, bool]:
    """Streams `blocks` into one new file of `directory`, whose name may depend on its digest: `path_of("sha256:<hex>")`.

    The digest, and True or False as `publish_bytes`, whose refusals these are. No more than one block is held in memory.
    """
    temporary = temporary_path(directory)
    with store_errors(directory), removed_on_failure(temporary, os_calls):
        digest = write_synced(temporary, blocks, os_calls)
        return digest, _name_file(temporary, path_of(digest), digest, os_calls)


def publish_file(temporary: Path, path: Path, *, os_calls: OsCalls = DISK) -> bool:
    """Gives a file that a library has written on the same file system its immutable name. As `publish_bytes`.

    `temporary` (see `temporary_path`) is gone afterwards, whatever happens. HostileFile: it is no plain file with one link.
    """
    with store_errors(path), removed_on_failure(temporary, os_calls):
        sync_file(temporary, os_calls)
        return _name_file(temporary, path, None, os_calls)


def replace_bytes(path: Path, data: bytes, *, os_calls: OsCalls = DISK) -> None:
    """The mutable file `path` holds `data` from now on: all of it, or what it held before."""
    temporary = temporary_path(path.parent)
    with store_errors(path):
        with removed_on_failure(temporary, os_calls):
            write_synced(temporary, [data], os_calls)
            os_calls.replace(temporary, path)
        failpoint("replace.renamed")
        os_calls.fsync_dir(path.parent)
        failpoint("replace.durable")


def append_line(path: Path, line: bytes, *, os_calls: OsCalls = DISK) -> None:
    """Adds `line` and its end to the file `path`, which is made if need be; durable when this returns. Writers wait for each other."""
    if b"\n" in line:
        raise ValueError("a line holds no line feed")
    with store_errors(path):
        descriptor = _open_for_append(path, os_calls)
        try:
            check_plain(os.fstat(descriptor), path.name)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            failpoint("append.opened")
            size = cut_torn_line(descriptor, os_calls)
            try:
                write_all(descriptor, line + b"\n", "append.chunk", os_calls)
                failpoint("append.written")
                os_calls.fsync(descriptor)
            except BaseException:
                with suppress(OSError):  # what stays is a line that nobody acknowledged
                    os_calls.truncate(descriptor, size)
                raise
            failpoint("append.synced")
        finally:
            os_calls.close(descriptor)


def read_lines(path: Path, *, max_bytes: int, root: Path | None = None) -> list[bytes]:
    """The complete lines of a file that `append_line` wrote, without their ends. A torn last line is not one of them."""
    return read_bytes(path, max_bytes=max_bytes, root=root).split(b"\n")[:-1]


def publish_directory(path: Path, fill: Callable[[Path], None], *, os_calls: OsCalls = DISK) -> None:
    """Makes the directory `path` with all that `fill(new)` puts into `new`, whole or not at all. AlreadyExists: `path` is there.

    Files become 0600 and directories 0700. Anything that is neither, or has a second link, is refused. What `fill` raises passes on,
    an OSError as StoreError or StoreFull.
    """
    new = temporary_path(path.parent, "new")
    with store_errors(path):
        _refuse_taken(path, os.path.lexists(path))
        try:
            os_calls.mkdir(new)
            failpoint("directory.made")
            fill(new)
            failpoint("directory.filled")
            sync_tree(new, os_calls)
            failpoint("directory.synced")
            _refuse_taken(path, not _renamed(new, path, os_calls))
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise
        failpoint("directory.renamed")
        os_calls.fsync_dir(path.parent)
        failpoint("directory.durable")


def ensure_directory(path: Path, *, os_calls: OsCalls = DISK) -> None:
    """`path` is a private directory of ours and its name is durable; missing parents are made too. HostileFile if it is something else."""
    missing = [path]
    while not os.path.lexists(missing[-1].parent):
        missing.append(missing[-1].parent)
    with store_errors(path):
        for directory in reversed(missing):
            with suppress(FileExistsError):
                os_calls.mkdir(directory)
            failpoint("ensure.made")
            require_private_directory(directory)
            os_calls.fsync_dir(directory.parent)  # also if it was there: who made it may have died before this
            failpoint("ensure.durable")


def sweep_temporaries(directory: Path, *, alive: Callable[[int], bool] | None = None) -> list[str]:
    """Removes what dead processes left half made in `directory`; the names removed. What a living process makes is left alone.

    Processes are told apart by their number: all writers of one store share one machine and one namespace of process ids.
    """
    living = _is_alive if alive is None else alive
    removed = []
    for entry in sorted(directory.iterdir()):
        match = _TEMPORARY.fullmatch(entry.name)
        if match is None or living(int(match[1])):
            continue
        with store_errors(entry):
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink(missing_ok=True)
        removed.append(entry.name)
    return removed


def is_temporary(name: str) -> bool:
    """Is this the name of something half made, that no reader may count?"""
    return _TEMPORARY.fullmatch(name) is not None


def _name_file(temporary: Path, path: Path, digest: str | None, os_calls: OsCalls) -> bool:
    """The last two steps of an immutable file. `digest` is that of the temporary, where the caller knows it."""
    if not _renamed(temporary, path, os_calls):
        same = _already(path, digest or sha256_file(temporary), os_calls)
        os_calls.unlink(temporary)
        return same
    failpoint("publish.renamed")
    os_calls.fsync_dir(path.parent)
    failpoint("publish.durable")
    return True


def _renamed(temporary: Path, path: Path, os_calls: OsCalls) -> bool:
    try:
        os_calls.rename_noreplace(temporary, path)
    except FileExistsError:
        return False
    return True


def _refuse_taken(path: Path, taken: bool) -> None:
    if taken:
        raise AlreadyExists("This name is taken.", at=path.name)


def _already(path: Path, digest: str, os_calls: OsCalls) -> bool:
    if sha256_file(path) != digest:
        raise AlreadyExists("This name is taken by other bytes.", at=path.name, fix="published files never change; choose another name")
    os_calls.fsync_dir(path.parent)
    return False


def _open_for_append(path: Path, os_calls: OsCalls) -> int:
    with suppress(FileExistsError):
        os_calls.close(os_calls.create(path))
    descriptor = os_calls.open_existing(path, os.O_RDWR | os.O_APPEND)
    if os.fstat(descriptor).st_size == 0:
        try:
            os_calls.fsync_dir(path.parent)
        except BaseException:
            os_calls.close(descriptor)
            raise
    return descriptor


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True
