"""Where things lie under the root, and the mark that says that a directory is a store of ours.

layout.json  objects/  suites/  runs/  audit/      the evidence
evidence/  dagster/                                derived and disposable
<root>.keys/owner.key                              outside the root: 32 random bytes that key the owner digests
"""

import getpass
import hmac
import os
import shutil
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Literal

from contracts.base import Document
from contracts.errors import AlreadyExists, IntegrityError, StoreError
from ledgers.store.publication import ensure_directory, publish_bytes, sweep_temporaries
from ledgers.store.reading import read_bytes, require_private_directory

KEY_BYTES = 32
_FOLDERS = ("objects", "suites", "runs", "audit", "evidence", "evidence/public", "evidence/private", "dagster")
_DIRECTORIES = ("objects", "objects/sha256", "suites", "runs", "audit", "evidence")


class StoreLayout(Document):
    """layout.json."""

    schema_version: Literal["evaluation-store.v1"] = "evaluation-store.v1"


def found_store(root: Path) -> None:
    """Make an empty directory into a store, or check that it is one. A directory with other things in it is refused."""
    mark = root / "layout.json"
    if not mark.exists():
        if root.exists() and any(not entry.name.startswith(".") for entry in root.iterdir()):
            raise StoreError("This directory holds other files and is not a store.", at=root.name)
        ensure_directory(root)
        publish_bytes(mark, StoreLayout().canonical())  # before the rest: who is killed here finds a store to complete, not foreign files
    check_store(root)
    for name in _DIRECTORIES:
        if not (root / name).is_dir():
            ensure_directory(root / name)
    for name in (".", "runs", "audit", "evidence"):
        sweep_temporaries(root / name)


def discard_store(root: Path) -> None:
    """Remove a store that was founded for something which was then refused, and its key: nothing was written."""
    shutil.rmtree(root)
    shutil.rmtree(_keys(root), ignore_errors=True)


def check_store(root: Path) -> None:
    """Refuses a root that does not exist, is open to others, or has another layout."""
    if not root.is_dir():
        raise StoreError("There is no store here.", at=root.name, fix="run `evalplane demo`, or name a store with --root")
    require_private_directory(root)
    for name in _FOLDERS:  # a link here would lead every reader, and every cleaner, out of the store
        if os.path.lexists(root / name):
            require_private_directory(root / name)
    mark = root / "layout.json"
    if not mark.exists():
        raise StoreError("This directory is not a store.", at=root.name)
    if read_bytes(mark, max_bytes=4096, root=root) != StoreLayout().canonical():
        raise StoreError(
            "This store has another layout than this version reads.",
            at="layout.json",
            fix="use the version that made it, or begin a new store with --root",
        )


def principal_digest(root: Path, principal: str) -> str:
    """A keyed digest that stands for a person in documents; the same person is another digest in another store."""
    keys = _keys(root)
    ensure_directory(keys)
    path = keys / "owner.key"
    if not path.exists():
        with suppress(AlreadyExists):  # another process has just made it
            publish_bytes(path, os.urandom(KEY_BYTES))
    key = read_bytes(path, max_bytes=KEY_BYTES)
    if len(key) != KEY_BYTES:
        raise IntegrityError("The owner key is damaged.", at=path.name, fix="restore it from a copy: owner digests depend on it")
    return "sha256:" + hmac.new(key, b"evaluation-principal.v1\0" + principal.encode(), sha256).hexdigest()


def local_principal(root: Path, name: str | None) -> str:
    """Who acts on the local command line and in Dagster: the given name, or the user of the operating system."""
    return principal_digest(root, name or getpass.getuser())


def _keys(root: Path) -> Path:
    return root.parent / f"{root.name}.keys"
