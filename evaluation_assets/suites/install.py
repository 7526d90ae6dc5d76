"""`suite-install`: from a bundle that anyone may have touched to a suite in the store; and the same last step for built-in suites.

1. The request is read strictly, and the bundle holds its files, nothing else: no link, no second name, no other directory.
2. Every file has the digest and size that the request says.
3. The registered parser reads the export again. Its request must have the same bytes, which contain the digests of all artifacts.
4. What the parser has just written is installed, not the bundle: nobody can exchange a file after it was checked.

This proves that the parser makes these bytes of that export. It does not prove who made the export.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from stat import S_ISDIR, S_ISREG

import pyarrow as pa

from contracts.base import MAX_DOCUMENT_BYTES
from contracts.canonical import digest_file_chunks
from contracts.errors import HostileFile, InputError, IntegrityError
from contracts.suites import InstallRequest, SuiteArtifact, SuiteDescription, SuiteManifest
from evaluation_assets.benchmarks.normalizers.interface import Progress
from evaluation_assets.suites.artifacts import check_tables, write_artifacts
from evaluation_assets.suites.bundle import BUNDLE, run_parser, write_bundle
from ledgers.store.reading import foreign_blocks, foreign_directory, read_foreign
from ledgers.store.suites import SuiteStore

_FIX = "normalize the export again with `evalplane suite-normalize` and install what it wrote, unchanged"


def install_bundle(
    store: SuiteStore, *, request_path: Path, bundle: Path, export_root: Path, now: datetime, progress: Progress
) -> SuiteManifest:
    """Checks everything, then installs. IntegrityError: bytes differ from what the request or the parser says.

    InputError, HostileFile: the bundle holds something else than its files. AlreadyExists: the id is taken by other content.
    """
    given = read_foreign(request_path, max_bytes=MAX_DOCUMENT_BYTES)
    request = InstallRequest.parse(given, request_path.name)
    progress("checking the bundle")
    _check_inventory(bundle, frozenset(artifact.path for artifact in request.suite.artifacts))
    for artifact in request.suite.artifacts:
        _check_bytes(bundle, artifact)
    suite = request.suite
    imported = run_parser(suite.adapter_id, suite_id=suite.suite_id, name=suite.name, export_root=export_root, progress=progress)
    with store.scratch() as scratch:
        again = write_bundle(scratch, imported)
        _check_same(suite, again.suite)
        if again.canonical() != given:
            raise IntegrityError("The parser describes this export otherwise than the request does.", at=request_path.name, fix=_FIX)
        progress("installing")
        return store.install(again.suite, {artifact.path: scratch / BUNDLE / artifact.path for artifact in again.suite.artifacts}, now)


def install_tables(
    store: SuiteStore,
    describe: Callable[[tuple[SuiteArtifact, ...]], SuiteDescription],
    *,
    tables: Mapping[str, pa.Table],
    licences: bytes,
    now: datetime,
) -> SuiteManifest:
    """Installs tables that we made ourselves, at paths as in artifacts.py. `describe` is given the artifacts and returns the whole."""
    with store.scratch() as scratch:
        suite = describe(write_artifacts(scratch, tables, licences))
        check_tables(suite, tables)
        return store.install(suite, {artifact.path: scratch / artifact.path for artifact in suite.artifacts}, now)


def _check_inventory(bundle: Path, expected: frozenset[str]) -> None:
    """The bundle holds exactly the expected files, each plain and with one name, and no directory but theirs."""
    missing = set(expected)
    folders = {str(parent) for path in expected for parent in Path(path).parents}
    for path, status in _entries(foreign_directory(bundle)):
        inside = str(path.relative_to(bundle))
        if S_ISDIR(status.st_mode):
            if inside not in folders:
                raise InputError("The bundle holds a directory that the request does not name.", at=BUNDLE, fix=_FIX)
        elif not S_ISREG(status.st_mode):
            raise HostileFile("The bundle holds a link or a special file.", at=BUNDLE, fix=_FIX)
        elif status.st_nlink != 1:
            raise HostileFile("A file of the bundle has a second name.", at=BUNDLE, fix=_FIX)
        elif inside not in expected:
            raise InputError("The bundle holds a file that the request does not name.", at=BUNDLE, fix=_FIX)
        missing.discard(inside)
    if missing:
        raise InputError("A file of the bundle is missing.", at=min(missing), fix=_FIX)


def _entries(directory: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for path in sorted(directory.iterdir()):
        status = path.lstat()
        yield path, status
        if S_ISDIR(status.st_mode):
            yield from _entries(path)


def _check_bytes(bundle: Path, artifact: SuiteArtifact) -> None:
    path = bundle / artifact.path
    if path.stat().st_size != artifact.size_bytes or digest_file_chunks(map(bytes, foreign_blocks(path))) != artifact.digest:
        raise IntegrityError("A file of the bundle has other bytes than the request says.", at=artifact.path, fix=_FIX)


def _check_same(given: SuiteDescription, again: SuiteDescription) -> None:
    """Names the first file that differs; the comparison of the requests, which follows, would find it too."""
    for artifact in given.artifacts:
        ours = again.artifact(artifact.path)
        if ours is None or ours.digest != artifact.digest:
            message = "The parser makes other bytes of this export: export or bundle were changed, or another version wrote the bundle."
            raise IntegrityError(message, at=artifact.path, fix=_FIX)
