"""What a disk may hold after the power went, for a recorded trace of calls: a small model, stricter than ext4.

- A file has the bytes of its last fsync; or, of what was written since, all, a part, or zeros in its place.
- A directory has the names of its last fsync; of the changes since, any subset is there, each whole (a rename is one change).
- The power may go after every call. Nothing else is promised, in particular not that a file's fsync makes its name durable.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product

from tests.unit.ledgers.disks import Call

Tree = dict[str, bytes | None]  # path to bytes; None is a directory
Check = Callable[[Tree, frozenset[str]], str | None]
Edit = tuple[int, str, int | None]  # directory, name, what it is from now on


@dataclass
class _File:
    durable: bytes = b""
    now: bytes = b""

    def after_crash(self) -> set[bytes]:
        """A write of ours is an append: the kept part is a prefix of the new bytes, or as long as they are and zero."""
        if self.durable == self.now:
            return {self.now}
        keep = len(self.durable) if self.now.startswith(self.durable) else 0
        half = keep + (len(self.now) - keep) // 2
        return {self.durable, self.now, self.now[:half], self.now[:keep] + bytes(len(self.now) - keep)}


@dataclass
class Disk:
    """Inodes by number (0 is the root directory), the names as a process sees them, the names on the disk, the changes between."""

    files: dict[int, _File] = field(default_factory=dict)
    names: dict[int, dict[str, int]] = field(default_factory=lambda: {0: {}})
    durable: dict[int, dict[str, int]] = field(default_factory=lambda: {0: {}})
    pending: list[tuple[Edit, ...]] = field(default_factory=list)

    def apply(self, call: Call) -> None:
        if call.name == "fsync_dir":
            self._sync_names(self._find(call.path))
        elif call.name in ("create", "mkdir"):
            self._make(call)
        elif call.name == "unlink":
            self._change((*self._place(call.path), None))
        elif call.name == "rename":
            source = self._place(call.path)
            self._change((*source, None), (*self._place(call.target), self.names[source[0]][source[1]]))
        elif call.name != "ack":
            file = self.files[self._find(call.path)]
            if call.name == "fsync":
                file.durable = file.now
            else:
                file.now = file.now + call.data if call.name == "write" else file.now[: call.size]

    def after_crash(self) -> Iterator[Tree]:
        """Every tree that the disk may hold if the power goes now."""
        for kept in product((False, True), repeat=len(self.pending)):
            names = {inode: dict(entries) for inode, entries in self.durable.items()}
            for edits, there in zip(self.pending, kept, strict=True):
                if there:
                    _edit(names, edits)
            shape = list(_walk(names, 0, ""))
            files = [inode for _, inode in shape if inode in self.files]
            for contents in product(*(sorted(self.files[inode].after_crash()) for inode in files)):
                held = dict(zip(files, contents, strict=True))
                yield {path: held.get(inode) for path, inode in shape}

    def _make(self, call: Call) -> None:
        directory, name = self._place(call.path)
        if name in self.names[directory]:  # only a mutated trace does this: it writes over what is there
            self.files[self.names[directory][name]].now = b""
            return
        inode = len(self.files) + len(self.names)
        if call.name == "mkdir":
            self.names[inode], self.durable[inode] = {}, {}
        else:
            self.files[inode] = _File()
        self._change((directory, name, inode))

    def _change(self, *edits: Edit) -> None:
        _edit(self.names, edits)
        self.pending.append(edits)

    def _sync_names(self, directory: int) -> None:
        waiting = []
        for edits in self.pending:
            if any(edit[0] == directory for edit in edits):
                _edit(self.durable, edits)
            else:
                waiting.append(edits)
        self.pending = waiting

    def _place(self, path: str) -> tuple[int, str]:
        parent, _, name = path.rpartition("/")
        return self._find(parent), name

    def _find(self, path: str) -> int:
        inode = 0
        for part in path.split("/") if path else ():
            inode = self.names[inode][part]
        return inode


def _edit(names: dict[int, dict[str, int]], edits: tuple[Edit, ...]) -> None:
    for directory, name, inode in edits:
        if inode is None:
            names[directory].pop(name, None)
        else:
            names[directory][name] = inode


def _walk(names: dict[int, dict[str, int]], directory: int, prefix: str) -> Iterator[tuple[str, int]]:
    for name, inode in sorted(names[directory].items()):
        yield prefix + name, inode
        if inode in names:
            yield from _walk(names, inode, f"{prefix}{name}/")


def violations(trace: list[Call], check: Check) -> tuple[int, list[str]]:
    """The number of trees that a power cut can leave behind, and what `check` says against them, given what was acknowledged."""
    disk, acknowledged, states = Disk(), frozenset[str](), 0
    found = []
    for call in trace:
        disk.apply(call)
        acknowledged |= {call.ack} - {""}
        for tree in disk.after_crash():
            states += 1
            wrong = check(tree, acknowledged)
            if wrong is not None:
                found.append(f"after {call.name} {call.path}: {wrong}")
    return states, found


def without_each_sync(trace: list[Call]) -> Iterator[tuple[str, list[Call]]]:
    """The same trace again and again, each time without one of its fsyncs."""
    for place, call in enumerate(trace):
        if call.name in ("fsync", "fsync_dir"):
            yield f"call {place}, {call.name} of {call.path or 'the root'}", trace[:place] + trace[place + 1 :]


def in_place(trace: list[Call]) -> list[Call]:
    """The same trace without its renames: everything is written under its final name from the start."""
    written: list[Call] = []
    for call in trace:
        if call.name != "rename":
            written.append(call)
            continue
        old, new = call.path, call.target
        written = [replace(made, path=new + made.path[len(old) :]) if f"{made.path}/".startswith(f"{old}/") else made for made in written]
    return written
