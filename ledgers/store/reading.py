"""How a file is opened without trusting its name, its neighbours or its size.

Files of the store (`open_plain`, `read_bytes`, `sha256_file`) are ours alone, and everything else at their place is refused:

- the name has no NUL, no `..` and does not leave `root`; beneath `root` no component is a symbolic link (openat2, or a walk with
  O_NOFOLLOW on kernels before 5.6);
- opened without waiting, so that a FIFO cannot hang us, and judged by fstat on that same descriptor: a regular file, one hard
  link, our owner, no permission for group or others;
- read up to a bound that is compared with the size before a byte is allocated; size and mtime are the same afterwards.

Files that a person gives us (`read_foreign`) may have any owner, mode and number of links, but are regular and bounded too.
Without `root` the directory of the file is trusted and only its last name is checked.
"""

import os
from collections.abc import Callable, Iterator
from errno import ELOOP, ENOENT, ENOSYS, ENOTDIR, ENXIO, EPERM, EXDEV
from hashlib import sha256
from pathlib import Path
from stat import S_IMODE, S_ISDIR, S_ISREG
from typing import BinaryIO

from contracts.errors import EvaluationError, HostileFile, InputError, StoreError
from ledgers.store.os_calls import openat2_beneath

BLOCK = 1 << 20
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NOCTTY
_OTHERS = 0o077


def open_plain(path: Path, *, root: Path | None = None) -> BinaryIO:
    """A file of the store, checked and open for reading; the caller closes it. `path` is absolute beneath `root`, or relative to it.

    HostileFile: it is not a plain private file of ours, or its name leaves `root`. StoreError: it is not there.
    """
    descriptor, name = _open(path, root, _missing_in_store)
    try:
        check_plain(os.fstat(descriptor), name)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_bytes(path: Path, *, max_bytes: int, root: Path | None = None) -> bytes:
    """All bytes of a file of the store, at most `max_bytes` of them. Refuses as `open_plain`, and a file that is larger or changes."""
    with open_plain(path, root=root) as file:
        return _read_whole(file.fileno(), _shown(path, root), max_bytes)


def sha256_file(path: Path, *, root: Path | None = None) -> str:
    """`sha256:<hex>` of a file of the store, of any size. Refuses as `open_plain`, and a file that changes while it is read."""
    digest = sha256()
    with open_plain(path, root=root) as file:
        for block in _blocks(file.fileno(), _shown(path, root)):
            digest.update(block)
    return f"sha256:{digest.hexdigest()}"


def read_foreign(path: Path, *, max_bytes: int, root: Path | None = None) -> bytes:
    """All bytes of a file that a person gave us, such as a benchmark export; `root` if it came as a file of a directory.

    InputError: it is not there, cannot be read or is larger than `max_bytes`. HostileFile: a link, or no regular file.
    """
    with open_foreign(path, root=root) as file:
        return _read_whole(file.fileno(), _shown(path, root), max_bytes, InputError)


def foreign_blocks(path: Path) -> Iterator[memoryview]:
    """The bytes of a file that a person gave us, block by block; each block is valid only until the next is asked for."""
    with open_foreign(path) as file:
        yield from _blocks(file.fileno(), path.name)


def open_foreign(path: Path, *, root: Path | None = None) -> BinaryIO:
    """A regular file of any owner and mode, open for reading. Refuses as `read_foreign`, except for the size."""
    descriptor, name = _open(path, root, _missing_input)
    if not S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise HostileFile("This is not a regular file.", at=name, fix="name a regular file")
    return os.fdopen(descriptor, "rb")


def foreign_directory(path: Path) -> Path:
    """`path`, if it is a directory and not a link to one. InputError if it is not there or something else."""
    _refuse_nul(path)
    try:
        status = path.lstat()
    except OSError as error:
        raise _missing_input(error, path.name) from None
    if not S_ISDIR(status.st_mode):
        raise InputError("This is not a directory.", at=path.name, fix="name the directory itself, not a link to it")
    return path


def require_private_directory(path: Path) -> None:
    """HostileFile unless `path` is a directory of ours without permissions for others, and no link; StoreError if it is not there."""
    _refuse_nul(path)
    try:
        status = path.lstat()
    except OSError as error:
        raise _missing_in_store(error, path.name) from None
    if not S_ISDIR(status.st_mode):
        raise HostileFile("A directory of the store is no directory.", at=path.name)
    _refuse_others(status, path.name, "directory", "make it yours with mode 0700, or name another directory with --root")


def check_plain(status: os.stat_result, name: str) -> None:
    """HostileFile unless fstat says: a regular file with one link, owned by us and closed to everybody else."""
    if not S_ISREG(status.st_mode):
        raise HostileFile("A file of the store is no regular file.", at=name)
    if status.st_nlink != 1:
        raise HostileFile(f"A file of the store has {status.st_nlink} hard links.", at=name)
    _refuse_others(status, name, "file")


def _refuse_others(status: os.stat_result, name: str, kind: str, fix: str = "") -> None:
    if status.st_uid != os.geteuid():
        raise HostileFile(f"A {kind} of the store belongs to somebody else.", at=name, fix=fix)
    if status.st_mode & _OTHERS:
        raise HostileFile(f"A {kind} of the store has mode {S_IMODE(status.st_mode):04o}.", at=name, fix=fix)


Refusal = Callable[[OSError, str], EvaluationError]


def _missing_in_store(error: OSError, name: str) -> EvaluationError:
    if error.errno in (ENOENT, ENOTDIR):
        return StoreError("A file of the store is missing.", at=name, fix="restore it from a copy")
    return StoreError(f"A file of the store cannot be read: {error.strerror}.", at=name)


def _missing_input(error: OSError, name: str) -> EvaluationError:
    return InputError(f"The input cannot be read: {error.strerror}.", at=name, fix="name one that exists and that you may read")


def _open(path: Path, root: Path | None, missing: Refusal) -> tuple[int, str]:
    """A descriptor and the name by which refusals call the file. No symbolic link was passed beneath `root`."""
    name = _shown(path, root)
    _refuse_nul(path)
    top = path.parent if root is None else root
    inside = Path(path.name) if root is None else _beneath(path, root)
    try:
        directory = os.open(top, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            return _lookup(directory, inside), name
        finally:
            os.close(directory)
    except OSError as error:
        if error.errno == ELOOP:
            raise HostileFile("A symbolic link stands where a file must be.", at=name) from None
        if error.errno == EXDEV:
            raise HostileFile("The name leaves its directory.", at=name) from None
        if error.errno == ENXIO:  # a socket
            raise HostileFile("This is not a regular file.", at=name) from None
        raise missing(error, name) from None


def _lookup(directory: int, inside: Path) -> int:
    try:
        return openat2_beneath(directory, str(inside), _FLAGS)
    except OSError as error:
        if error.errno not in (ENOSYS, EPERM):  # EPERM: a container whose seccomp filter is older than the call
            raise
    return _walk(directory, inside.parts)


def _walk(directory: int, parts: tuple[str, ...]) -> int:
    """openat2 in small steps: every component by itself, from the descriptor of the one before, none followed."""
    here = os.dup(directory)
    try:
        for part in parts[:-1]:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
            os.close(here)
            here = below
        return os.open(parts[-1], _FLAGS, dir_fd=here)
    except NotADirectoryError as error:
        raise OSError(ELOOP, "link or file instead of a directory") from error
    finally:
        os.close(here)


def _beneath(path: Path, root: Path) -> Path:
    inside = path
    if path.is_absolute():
        if not path.is_relative_to(root):
            raise HostileFile("The name leaves its directory.", at=path.name)
        inside = path.relative_to(root)
    if not inside.parts or ".." in inside.parts:
        raise HostileFile("The name leaves its directory.", at=path.name)
    return inside


def _refuse_nul(path: Path) -> None:
    if "\0" in str(path):
        raise HostileFile("A name contains NUL.", at=str(path).partition("\0")[0].rpartition("/")[2])


def _shown(path: Path, root: Path | None) -> str:
    """The name for a message: relative to the root, never where the root is."""
    if root is not None and path.is_absolute() and path.is_relative_to(root):
        return str(path.relative_to(root))
    return path.name if root is None or path.is_absolute() else str(path)


def _read_whole(descriptor: int, name: str, max_bytes: int, refusal: type[EvaluationError] = HostileFile) -> bytes:
    before = os.fstat(descriptor)
    if before.st_size > max_bytes:
        raise refusal(f"The file has {before.st_size} bytes and may have {max_bytes}.", at=name)
    parts, left = [], before.st_size
    while left and (part := os.read(descriptor, left)):  # nearly always one read, and then no copy
        parts.append(part)
        left -= len(part)
    _check_still(descriptor, before, left, name)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _blocks(descriptor: int, name: str) -> Iterator[memoryview]:
    """The file in views of one reused buffer."""
    before = os.fstat(descriptor)
    buffer = bytearray(min(BLOCK, before.st_size) or 1)
    view, left = memoryview(buffer), before.st_size
    while left:
        got = os.readv(descriptor, [view[: min(left, len(buffer))]])
        if got == 0:
            break
        left -= got
        yield view[:got]
    _check_still(descriptor, before, left, name)


def _check_still(descriptor: int, before: os.stat_result, left: int, name: str) -> None:
    """StoreError if the file did not hold still: what was read is then no state it ever had. `left`: bytes that were not there."""
    after = os.fstat(descriptor)
    if left or (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise StoreError("The file changed while it was read.", at=name, fix="run the command again when nobody writes to it")
