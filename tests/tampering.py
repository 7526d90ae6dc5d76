"""Everything that an attacker can do to the bytes of a sealed run, one change at a time, and undone again.

The attacker edits files and, for documents, writes them back in canonical form. `reseal` is the stronger one: it also writes both
lists, the anchor and a new record of the audit chain, as only a key could forbid.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.canonical import canonical_bytes, digest_bytes
from contracts.reports import ReportAnchor
from evaluation_assets.reports.sealing import control_digest
from ledgers.store.inventory import ANCHOR, PRIVATE_LIST, PUBLIC_LIST, checksum_list, sealed_files
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store
from tests.plain_runs import NOW

FLIPS = 9


@dataclass(frozen=True)
class Tamper:
    """`apply` changes what lies at or around `path`; the files that it may touch are restored afterwards."""

    name: str
    path: Path
    apply: Callable[[Path], None]


@contextmanager
def applied(tamper: Tamper, root: Path) -> Iterator[None]:
    """The store with the change in it. Names that are new afterwards are removed, the touched file gets its bytes back."""
    before = set(root.rglob("*"))
    data = tamper.path.read_bytes() if tamper.path.is_file() else None
    tamper.apply(tamper.path)
    try:
        yield
    finally:
        for path in sorted(set(root.rglob("*")) - before, reverse=True):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        if data is not None:
            if tamper.path.is_symlink():
                tamper.path.unlink()
            put(tamper.path, data)


def put(path: Path, data: bytes) -> None:
    if not path.exists():
        path.touch(mode=0o600)
    path.write_bytes(data)
    path.chmod(0o600)


def of_bytes(path: Path, shown: str, *, flips: int = FLIPS) -> Iterator[Tamper]:
    """Flipped bits, cut ends, added bytes, and the file gone, emptied, replaced by a link or opened to others."""
    data = path.read_bytes()
    places = sorted({number * (len(data) - 1) // max(1, flips - 1) for number in range(flips)}) if data else []
    for at in places:
        bit = 1 << (at % 8)
        yield Tamper(f"{shown} bit {at}", path, lambda p, at=at, bit=bit: put(p, data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]))
    yield Tamper(f"{shown} cut by one byte", path, lambda p: put(p, data[:-1]))
    yield Tamper(f"{shown} cut in half", path, lambda p: put(p, data[: len(data) // 2]))
    yield Tamper(f"{shown} emptied", path, lambda p: put(p, b""))
    yield Tamper(f"{shown} with a line more", path, lambda p: put(p, data + b"x\n"))
    yield Tamper(f"{shown} twice", path, lambda p: put(p, data + data))
    yield Tamper(f"{shown} deleted", path, lambda p: p.unlink())
    yield Tamper(f"{shown} open to others", path, lambda p: p.chmod(0o644))
    yield Tamper(f"{shown} as a link", path, lambda p: _linked(p, data))


def _linked(path: Path, data: bytes) -> None:
    other = path.with_name(f"{path.name}.real")
    put(other, data)
    path.unlink()
    path.symlink_to(other)


def of_leaves(path: Path, shown: str) -> Iterator[Tamper]:
    """Every leaf and every container of a JSON document changed, the rest written back canonically."""
    document = json.loads(path.read_bytes())
    for place in _places(document, ()):
        yield Tamper(
            f"{shown} at {'.'.join(map(str, place))}", path, lambda p, place=place: put(p, canonical_bytes(_changed(document, place)))
        )


def _places(value: Any, here: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _places(inner, (*here, key))
    elif isinstance(value, list) and value:
        yield here  # loses its last item
        for number, inner in enumerate(value):
            yield from _places(inner, (*here, number))
    else:
        yield here


def _changed(value: Any, place: tuple[str | int, ...]) -> Any:
    if place:
        inner = _changed(value[place[0]], place[1:])
        if isinstance(value, list):
            return [*value[: place[0]], inner, *value[place[0] + 1 :]]
        return value | {place[0]: inner}
    match value:
        case bool():
            return not value
        case str() if value.startswith("sha256:"):
            return value[:-1] + ("0" if value[-1] != "0" else "1")
        case str():
            return f"{value}x"
        case int() | float():
            return value + 1
        case list():
            return value[:-1] or ["x"]
        case _:
            return {"x": 1} if value == {} else "x"


def reseal(store: Store, run: RunDirectory, principal: str) -> None:
    """Writes lists, anchor and audit record anew, so that every digest fits what lies there now."""
    public, private = sealed_files(run.path)
    lists = {PUBLIC_LIST: checksum_list(run.path, public), PRIVATE_LIST: checksum_list(run.path, private)}
    for name, data in lists.items():
        put(run.path / name, data)
    anchor = ReportAnchor.parse(run.read(ANCHOR), ANCHOR).model_copy(
        update={
            "manifest": digest_bytes(run.read("run-manifest.json")),
            "report": digest_bytes(run.read("report.json")),
            "gates": digest_bytes(run.read("gates.json")),
            "public_checksums": digest_bytes(lists[PUBLIC_LIST]),
            "private_checksums": digest_bytes(lists[PRIVATE_LIST]),
        }
    )
    put(run.path / ANCHOR, anchor.canonical())
    store.audit.append(
        now=NOW,
        action="complete",
        decision="allowed",
        reason_code="system",
        actor=principal,
        resource_kind="run",
        resource_id=run.run_id,
        subject_digest=control_digest(run),
    )
