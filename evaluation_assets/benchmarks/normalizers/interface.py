"""What a normalizer is given and what it returns.

A normalizer reads only what its `ExportFolder` hands out and returns Arrow tables. It never executes code of the benchmark, asks
no network and no clock, and its result depends on the content of the files alone, never on the order of their rows.
What it does not find it leaves null with a reason; what contradicts itself it refuses, naming file, line and field.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from contracts.canonical import digest_bytes
from contracts.errors import ExportError
from contracts.suites import ExportFile, QualityIssue
from contracts.tracks import Track
from ledgers.store.reading import foreign_directory, read_foreign

Progress = Callable[[str], None]
"""Tells a person what begins now, in one line that names no case."""

FIRST_ATTEMPT = 1  # what a source recorded once is attempt 1 of the plan


class ExportFolder:
    """The directory that a person exported. Only declared files are opened, each once, and what was read is remembered."""

    def __init__(self, root: Path, declared: tuple[str, ...]) -> None:
        self._root = foreign_directory(root)
        self._declared = frozenset(declared)
        self._read: dict[str, ExportFile] = {}

    def read(self, name: str, *, max_bytes: int) -> bytes:
        """All bytes of a declared file. InputError: it is missing or too large. HostileFile: a link or no regular file."""
        if name not in self._declared or name in self._read:
            raise ValueError(f"a normalizer reads each file that the catalog declares for it, once: {name}")
        data = read_foreign(Path(name), max_bytes=max_bytes, root=self._root)
        self._read[name] = ExportFile(name=name, digest=digest_bytes(data), size_bytes=len(data))
        return data

    @property
    def files(self) -> tuple[ExportFile, ...]:
        """What was read so far, sorted by name."""
        return tuple(self._read[name] for name in sorted(self._read))


@dataclass(frozen=True)
class NormalizedSuite:
    """The logical content of a suite, sorted by its keys.

    visible: VISIBLE_CASES; grading: GRADING_CASES, the same cases in the same order; outcomes: OUTCOMES, one row per observed cell;
    decisions: DECISIONS, one row per case (all of contracts.tables).
    """

    visible: pa.Table
    grading: pa.Table
    outcomes: pa.Table | None
    decisions: pa.Table | None
    arm_ids: tuple[str, ...]
    tracks: tuple[Track, ...]
    quality_issues: tuple[QualityIssue, ...]


class Normalizer(Protocol):
    """One parser of one export format. Another format, or another reading of the same one, is another id."""

    @property
    def normalizer_id(self) -> str: ...

    def normalize(self, export: ExportFolder, progress: Progress) -> NormalizedSuite:
        """Raises only errors that name file and field: ExportError, StrictReadError, DocumentError, InputError, StoreError."""
        ...


def refusal(message: str, file: str, line: int, field: str = "") -> ExportError:
    """The refusal of one line of an export; the message never repeats what the line holds. Lines count from 1, header included."""
    return ExportError(message, at=f"{file}, line {line}" + (f", {field}" if field else ""))
