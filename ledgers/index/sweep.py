"""Removes from the folders of the index what no view lists: parts of deleted runs, parts that others replaced, leftovers of a crash."""

import os
from contextlib import suppress
from pathlib import Path

from ledgers.index.paths import EvidencePaths
from ledgers.index.stamp import EvidenceIndex
from ledgers.store.publication import is_temporary, sweep_temporaries


def remove_unlisted(paths: EvidencePaths, index: EvidenceIndex) -> list[str]:
    """The names removed, relative to `evidence/`, sorted. What a living process still writes stays, and so does an absolute database."""
    removed = [str(path.relative_to(paths.directory)) for side in paths.sides for path in _folders(side.directory) if path.is_symlink()]
    for name in removed:
        (paths.directory / name).unlink()
    for side in paths.sides:
        kept = {side.database, side.absolute_database}
        kept |= {side.directory / place for table in side.views for place in index.places(table)}
        for folder in _folders(side.directory):
            removed += [str((folder / name).relative_to(paths.directory)) for name in sweep_temporaries(folder)]
            for path in sorted(folder.iterdir()):
                if not path.is_dir() and path not in kept and not is_temporary(path.name):
                    path.unlink()
                    removed.append(str(path.relative_to(paths.directory)))
            if folder != side.directory:
                with suppress(OSError):  # it still holds something
                    folder.rmdir()
    return sorted(removed)


def _folders(directory: Path) -> list[Path]:
    """Every folder below `directory` and itself, deepest first; a link to a folder is listed and not followed."""
    found = [directory]
    for here, folders, _ in os.walk(directory):
        found += [Path(here) / name for name in folders]
    return found[::-1]
