"""Disks that misbehave on purpose: one fails at the n-th call, one writes a few bytes at a time, one remembers every call."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from errno import ENOSPC
from pathlib import Path
from typing import Any

from ledgers.store.os_calls import OsCalls

CALLS = tuple(name for name in vars(OsCalls) if not name.startswith("_"))


class Watched(OsCalls, ABC):
    """Calls `before(name, arguments)` in front of every call to the disk."""

    @abstractmethod
    def before(self, name: str, arguments: tuple[Any, ...]) -> None: ...


def _watched(name: str) -> Callable[..., Any]:
    real = getattr(OsCalls, name)

    def call(self: Watched, *arguments: Any) -> Any:
        self.before(name, arguments)
        return real(self, *arguments)

    return call


for _name in CALLS:
    setattr(Watched, _name, _watched(_name))


class Failing(Watched):
    """Raises OSError(error) at call number `at` (from 1); with `for_ever`, at every later one too: the disk stays full."""

    def __init__(self, at: int, error: int = ENOSPC, *, for_ever: bool = False) -> None:
        self.at, self.error, self.for_ever = at, error, for_ever
        self.calls = 0

    def before(self, name: str, arguments: tuple[Any, ...]) -> None:
        self.calls += 1
        if self.calls == self.at or (self.for_ever and self.calls > self.at):
            if name == "close":
                os.close(arguments[0])  # as Linux does: the descriptor is gone even when close reports an error
            raise OSError(self.error, os.strerror(self.error))

    @property
    def was_hit(self) -> bool:
        return self.calls >= self.at


class Hesitant(OsCalls):
    """Writes at most `bytes_a_call`: what one write call would do becomes many moments at which a process can die."""

    def __init__(self, bytes_a_call: int) -> None:
        self.bytes_a_call = bytes_a_call

    def write(self, descriptor: int, data: memoryview) -> int:
        return super().write(descriptor, data[: self.bytes_a_call])


@dataclass(frozen=True)
class Call:
    """One change of the disk, with paths relative to the store. `data` is of a write, `size` of a truncate, `ack` of a promise given."""

    name: str
    path: str = ""
    target: str = ""
    data: bytes = b""
    size: int = 0
    ack: str = ""


@dataclass
class Recorder(Watched):
    """Does everything for real below `root` and keeps the calls that change what a crash may leave."""

    root: Path
    trace: list[Call] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)

    def ack(self, promise: str) -> None:
        """The caller was told that it is done: from here on no crash may undo it."""
        self.trace.append(Call("ack", ack=promise))

    def create(self, path: Path) -> int:
        descriptor = OsCalls.create(self, path)
        self.names[descriptor] = self._shown(path)
        self.trace.append(Call("create", self._shown(path)))
        return descriptor

    def open_existing(self, path: Path, flags: int) -> int:
        descriptor = OsCalls.open_existing(self, path, flags)
        self.names[descriptor] = self._shown(path)
        return descriptor

    def write(self, descriptor: int, data: memoryview) -> int:
        written = OsCalls.write(self, descriptor, data)
        self.trace.append(Call("write", self.names[descriptor], data=bytes(data[:written])))
        return written

    def before(self, name: str, arguments: tuple[Any, ...]) -> None:
        if name in ("fsync", "truncate"):
            self.trace.append(Call(name, self.names[arguments[0]], size=arguments[1] if name == "truncate" else 0))
        elif name in ("mkdir", "unlink", "fsync_dir"):
            self.trace.append(Call(name, self._shown(arguments[0])))
        elif name in ("rename_noreplace", "replace"):
            source, target = arguments
            if name == "replace" or not os.path.lexists(target):
                self.trace.append(Call("rename", self._shown(source), self._shown(target)))

    def _shown(self, path: Path) -> str:
        return "" if path == self.root else str(path.relative_to(self.root))
