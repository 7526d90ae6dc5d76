"""Every change that the store makes to a disk goes through one small object, so that a test can watch it, fail it or stop it.

- `OsCalls` is the real disk. A test passes a subclass that records the calls, raises at the n-th, or writes three bytes at a time.
- `failpoint(name)` marks the moments between two calls. It does nothing, unless a test installed a hook or the variable
  EVALUATION_FAILPOINT=<name>[:<n>] was set when the first failpoint was met: then the process kills itself at the n-th hit.

Nothing here decides anything: the order of the calls, which is what makes a publication atomic, is ledgers/store/publication.py.
Linux only: renameat2 and openat2 are called through the C library, since Python has neither.
"""

import ctypes
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import EDQUOT, EINVAL, ELOOP, ENOSPC, ENOSYS
from functools import cache
from pathlib import Path

from contracts.errors import EvaluationError, HostileFile, InputError, StoreError, StoreFull

FAILPOINTS = (
    "write.created",  # a temporary exists and is empty
    "write.chunk",  # some of its bytes are written: the torn file
    "write.written",  # all of its bytes are written, none is durable
    "write.synced",  # its bytes are durable, its final name does not exist
    "publish.renamed",  # the final name exists and is not durable
    "publish.durable",  # nothing is left to do but to say so
    "replace.renamed",
    "replace.durable",
    "append.opened",
    "append.chunk",  # a part of the line is written: the torn line
    "append.written",
    "append.synced",
    "directory.made",  # the new directory has its temporary name and is empty
    "directory.filled",
    "directory.files_synced",
    "directory.synced",
    "directory.renamed",
    "directory.durable",
    "ensure.made",
    "ensure.durable",
)

FAILPOINT_VARIABLE = "EVALUATION_FAILPOINT"

AT_FDCWD = -100
RENAME_NOREPLACE = 1
OPENAT2 = 437  # one number on every architecture (asm-generic/unistd.h)
RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS, RESOLVE_BENEATH = 0x02, 0x04, 0x08

Hook = Callable[[str], None]
_installed: list[Hook] = []
_libc = ctypes.CDLL(None, use_errno=True)


class OsCalls:
    """The disk. Each method is one call of the kernel (`fsync_dir`: open, fsync, close) and raises the OSError of that call."""

    def create(self, path: Path) -> int:
        """A new private file, open for writing. FileExistsError if the name is taken by anything, a dangling link included."""
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)

    def open_existing(self, path: Path, flags: int) -> int:
        """An existing file, with O_NOFOLLOW and without waiting for the other end of a FIFO."""
        return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)

    def write(self, descriptor: int, data: memoryview) -> int:
        """Writes some of `data` and returns how much; the caller loops."""
        return os.write(descriptor, data)

    def truncate(self, descriptor: int, size: int) -> None:
        os.ftruncate(descriptor, size)

    def chmod(self, path: Path, mode: int) -> None:
        """Follows links: only for an entry just seen by lstat in a directory where nobody else can write."""
        path.chmod(mode)

    def fsync(self, descriptor: int) -> None:
        os.fsync(descriptor)

    def close(self, descriptor: int) -> None:
        os.close(descriptor)

    def rename_noreplace(self, source: Path, target: Path) -> None:
        """Atomic; FileExistsError if `target` exists, whatever it is. Never link and unlink: nlink is 1 at every moment."""
        arguments = AT_FDCWD, os.fsencode(source), AT_FDCWD, os.fsencode(target), RENAME_NOREPLACE
        if _libc.renameat2(*arguments) == 0:
            return
        number = ctypes.get_errno()
        if number in (EINVAL, ENOSYS):
            raise StoreError(
                "The file system cannot rename without replacing.", at=target.name, fix="keep the store on ext4, XFS, Btrfs or tmpfs"
            )
        raise OSError(number, os.strerror(number), str(target))

    def replace(self, source: Path, target: Path) -> None:
        source.replace(target)

    def mkdir(self, path: Path) -> None:
        path.mkdir(mode=0o700)

    def unlink(self, path: Path) -> None:
        path.unlink()

    def fsync_dir(self, path: Path) -> None:
        """Makes the names in a directory durable. A renamed file is on the disk only after this, whatever was synced before."""
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


DISK = OsCalls()


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def openat2_beneath(directory: int, name: str, flags: int) -> int:
    """A descriptor of `name`, looked up beneath an open directory without passing any symbolic link. openat2(2), Linux 5.6.

    OSError as the kernel says it: ELOOP is a link, EXDEV left the directory, ENOSYS is an older kernel. The caller has refused
    NUL in `name`: C would stop there and open another file.
    """
    how = _OpenHow(flags, 0, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)
    descriptor: int = _libc.syscall(OPENAT2, directory, os.fsencode(name), ctypes.byref(how), ctypes.sizeof(how))
    if descriptor < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)
    return descriptor


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """An OSError of the block, as StoreFull, HostileFile or StoreError that names `path` by its last name."""
    try:
        yield
    except OSError as error:
        raise _refusal(error, path) from error


def _refusal(error: OSError, path: Path) -> EvaluationError:
    if error.errno in (ENOSPC, EDQUOT):
        return StoreFull("The disk is full.", at=path.name)
    if error.errno == ELOOP:
        return HostileFile("A symbolic link stands where a file must be.", at=path.name)
    return StoreError(f"The disk refused: {error.strerror or type(error).__name__}.", at=path.name)


def failpoint(name: str) -> None:
    """A moment at which a test may stop the process. Free when nobody listens."""
    hook = _installed[-1] if _installed else _hook_of_environment()
    if hook is not None:
        if name not in FAILPOINTS:
            raise KeyError(name)
        hook(name)


def install_failpoint_hook(hook: Hook | None) -> None:
    """Calls `hook(name)` at every failpoint from now on, instead of what the environment says; None takes it away. For tests."""
    _installed.clear()
    if hook is not None:
        _installed.append(hook)


def kill_at(name: str, hit: int) -> Hook:
    """A hook that ends this process by SIGKILL at the `hit`-th time (from 1) that failpoint `name` is met."""
    left = [hit]

    def hook(met: str) -> None:
        if met == name:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    return hook


@cache
def _hook_of_environment() -> Hook | None:
    value = os.environ.get(FAILPOINT_VARIABLE)
    if value is None:
        return None
    name, _, hit = value.partition(":")
    if name not in FAILPOINTS or not (hit or "1").isdecimal() or hit == "0":
        raise InputError("The variable names no failpoint.", at=FAILPOINT_VARIABLE, fix="use <name>[:<n>] with a name of FAILPOINTS")
    return kill_at(name, int(hit or "1"))
