"""The suite store: artifacts by content in three domains, manifests by identity, and an index that says what a suite id means now.

    objects/{visible,grading,metadata}/sha256/<hex>      a worker may be given `visible` alone
    manifests/sha256/<hex>                               immutable; the name is the identity of the document
    index/<suite-id>.json                                names a manifest

- Artifacts are durable before their manifest, the manifest before the index entry: an id never means something incomplete.
- The same content under the same id again is nothing, and the manifest that is there is returned.
- Other content under a taken id is refused, except that a built-in suite replaces the built-in suite of an older version. Runs name
  manifests by identity, so they keep the suite that they froze.
"""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from contracts.base import MAX_DOCUMENT_BYTES, Document
from contracts.errors import AlreadyExists, InputError, IntegrityError, UnknownName
from contracts.suites import Role, SuiteArtifact, SuiteDescription, SuiteIndexEntry, SuiteManifest
from ledgers.store.objects import Objects
from ledgers.store.parts import read_parquet
from ledgers.store.publication import ensure_directory, publish_bytes, replace_bytes, sweep_temporaries, temporary_path
from ledgers.store.reading import read_bytes

D = TypeVar("D", bound=Document)


class SuiteStore:
    """`directory`: the suites directory of a store. Opening it reads nothing; directories are made by the first install."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._objects = {role: Objects(directory / "objects" / role / "sha256") for role in Role}
        self._manifests = directory / "manifests" / "sha256"
        self._index = directory / "index"
        self._checked: set[Path] = set()

    # -- writing ---------------------------------------------------------------------------------------------------

    def install(self, suite: SuiteDescription, files: Mapping[str, Path], now: datetime) -> SuiteManifest:
        """Keep a suite. `files`: where the bytes of each artifact path lie now; they are copied.

        IntegrityError: a file has not the digest that the description gives. AlreadyExists: the id is taken by other content.
        """
        current = self._current(suite.suite_id)
        if current is not None and _is_same(current.suite, suite):
            return current
        if current is not None and not current.suite.origin == suite.origin == "builtin":
            raise AlreadyExists("This suite id is installed with other content.", at=f"suite {suite.suite_id}")
        for directory in (*(objects.directory for objects in self._objects.values()), self._manifests, self._index):
            ensure_directory(directory)
            sweep_temporaries(directory)
        for artifact in suite.artifacts:
            if self._objects[artifact.role].put_file(files[artifact.path]) != artifact.digest:
                raise IntegrityError("An artifact has other bytes than its description says.", at=artifact.path)
        manifest = SuiteManifest(schema_version="evaluation-suite.v1", suite=suite, revision=suite.revision(), installed_at=now)
        publish_bytes(self._manifest_path(manifest.identity()), manifest.canonical())
        self._name(manifest, replace=current is not None)
        return manifest

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A private directory beside the objects, for files that are about to be installed; gone afterwards."""
        ensure_directory(self.directory)
        sweep_temporaries(self.directory)
        path = temporary_path(self.directory, "new")
        ensure_directory(path)
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)

    def _name(self, manifest: SuiteManifest, *, replace: bool) -> None:
        suite_id = manifest.suite.suite_id
        entry = SuiteIndexEntry(schema_version="evaluation-suite-index.v1", suite_id=suite_id, manifest=manifest.identity())
        path = self._index / f"{suite_id}.json"
        if replace:
            replace_bytes(path, entry.canonical())
            return
        try:
            publish_bytes(path, entry.canonical())
        except AlreadyExists:  # somebody installed this id since we looked
            raise AlreadyExists("This suite id was installed meanwhile.", at=f"suite {suite_id}", fix="run the command again") from None

    # -- reading ---------------------------------------------------------------------------------------------------

    def manifests(self) -> list[SuiteManifest]:
        """What each installed suite id means now, sorted by id."""
        names = sorted(path.stem for path in self._index.glob("*.json")) if self._index.is_dir() else []
        return [self.open(name) for name in names]

    def open(self, suite_id: str) -> SuiteManifest:
        """The suite that this id means now."""
        manifest = self._current(suite_id)
        if manifest is None:
            raise UnknownName("This store has no suite of this id.", at=f"suite {suite_id[:64]}", fix="see `evalplane suite list`")
        return manifest

    def open_manifest(self, identity: str) -> SuiteManifest:
        """The manifest of this identity, also when its id has come to mean another. IntegrityError if its bytes are not it."""
        path = self._manifest_path(identity)
        manifest = self._document(path, SuiteManifest)
        if manifest.identity() != identity:
            raise IntegrityError("A suite manifest is not the one that its name says.", at=f"suites/manifests/sha256/{path.name}")
        return manifest

    def table(self, manifest: SuiteManifest, path: str, schema: pa.Schema, columns: list[str] | None = None) -> pa.Table:
        """The rows of one artifact. Its bytes are hashed when this store object first touches them.

        UnknownName: the suite has no such artifact. IntegrityError: damaged bytes, foreign columns or another number of rows.
        """
        artifact = _artifact(manifest, path)
        return read_parquet(self._checked_path(artifact), schema, at=path, columns=columns, rows=artifact.rows)

    def artifact_bytes(self, manifest: SuiteManifest, path: str) -> bytes:
        """The bytes of one artifact, hashed whenever they are read."""
        artifact = _artifact(manifest, path)
        self._checked_path(artifact)
        return self._objects[artifact.role].get(artifact.digest, max_bytes=artifact.size_bytes)

    def artifact_path(self, manifest: SuiteManifest, path: str) -> Path:
        """Where an artifact lies, after its bytes were hashed: for giving a visible one to a worker."""
        return self._checked_path(_artifact(manifest, path))

    def _checked_path(self, artifact: SuiteArtifact) -> Path:
        objects = self._objects[artifact.role]
        path = objects.path(artifact.digest)
        if path not in self._checked:
            objects.check(artifact.digest)
            self._checked.add(path)
        return path

    def _document(self, path: Path, kind: type[D]) -> D:
        """A document of ours: canonical bytes and nothing else, or somebody rewrote them."""
        at = f"suites/{path.relative_to(self.directory)}"
        data = read_bytes(path, max_bytes=MAX_DOCUMENT_BYTES, root=self.directory)
        try:
            document = kind.parse(data, at)
        except InputError as error:
            raise IntegrityError(f"A document of the store is damaged: {error.message}", at=error.at) from None
        if document.canonical() != data:
            raise IntegrityError("A document of the store is not in canonical form.", at=at)
        return document

    def _manifest_path(self, identity: str) -> Path:
        return Objects(self._manifests).path(identity)

    def _current(self, suite_id: str) -> SuiteManifest | None:
        path = self._index / f"{suite_id}.json"
        if "/" in suite_id or "\0" in suite_id or not path.exists():
            return None
        entry = self._document(path, SuiteIndexEntry)
        manifest = self.open_manifest(entry.manifest)
        if not entry.suite_id == manifest.suite.suite_id == suite_id:
            raise IntegrityError("The index names the manifest of another suite.", at=f"suites/index/{path.name}")
        return manifest


def _artifact(manifest: SuiteManifest, path: str) -> SuiteArtifact:
    artifact = manifest.suite.artifact(path)
    if artifact is None:
        raise UnknownName("The suite has no such artifact.", at=f"suite {manifest.suite.suite_id}, {path}")
    return artifact


def _is_same(installed: SuiteDescription, new: SuiteDescription) -> bool:
    """Equal in all but how the export's files and the Parquet files were written: neither is content."""
    return installed.revision() == new.revision() and _said(installed) == _said(new)


def _said(suite: SuiteDescription) -> SuiteDescription:
    artifacts = tuple(artifact.model_copy(update={"digest": "", "size_bytes": 0}) for artifact in suite.artifacts)
    return suite.model_copy(update={"source": suite.source.model_copy(update={"export_files": ()}), "artifacts": artifacts})
