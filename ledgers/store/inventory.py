"""The files of a sealed run, and the two lists of their digests: one that may be shared, one that stays private.

A line is `<64 hex>  <path>`, as `sha256sum` writes and checks it.
"""

import re
from pathlib import Path

from contracts.errors import HostileFile, IntegrityError
from ledgers.store.os_calls import store_errors
from ledgers.store.publication import is_temporary
from ledgers.store.reading import read_bytes, sha256_file

PUBLIC_LIST, PRIVATE_LIST, ANCHOR = "checksums.sha256", "private-checksums.sha256", "report-anchor.json"
PUBLIC_FILES = (
    "report.json",
    "report.html",
    "metrics.json",
    "gates.json",
    "provenance.json",
    "failure-summary.json",
    "capacity-profile.json",
)
MUTABLE_FILES = ("status.json", "lifecycle.json", "control-events.jsonl")
MAX_LIST_BYTES = 64 * 1024 * 1024
_LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9._=-]+(?:/[A-Za-z0-9._=-]+)*)", re.ASCII)


def sealed_files(run: Path) -> tuple[list[str], list[str]]:
    """(public, private) relative paths below a run directory, sorted; lists, anchor and mutable files are left out."""
    apart = {PUBLIC_LIST, PRIVATE_LIST, ANCHOR, *MUTABLE_FILES}
    found = sorted(str(path.relative_to(run)) for path in _plain_files(run))
    kept = [name for name in found if name not in apart]
    return [name for name in kept if name in PUBLIC_FILES], [name for name in kept if name not in PUBLIC_FILES]


def checksum_list(run: Path, names: list[str]) -> bytes:
    return "".join(f"{sha256_file(run / name, root=run)[7:]}  {name}\n" for name in names).encode()


def read_checksums(run: Path, name: str) -> dict[str, str]:
    """Relative path -> `sha256:...`, from a list whose lines are exactly of its form, sorted and unique."""
    text = read_bytes(run / name, max_bytes=MAX_LIST_BYTES, root=run).decode("ascii", errors="replace")
    listed: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        match = _LINE.fullmatch(line)
        if match is None or match[2] in listed or ".." in match[2].split("/"):
            raise IntegrityError("A line of the list is not of its form.", at=f"{name} line {number}")
        listed[match[2]] = f"sha256:{match[1]}"
    return listed


def _plain_files(directory: Path) -> list[Path]:
    files, left = [], [directory]
    while left:
        with store_errors(left[-1]):
            entries = list(left.pop().iterdir())
        for path in entries:
            if path.is_symlink():
                raise HostileFile("A run directory holds a symlink.", at=path.name)
            if path.is_dir():
                left.append(path)
            elif not is_temporary(path.name):
                files.append(path)
    return files
