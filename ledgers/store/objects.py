"""Content-addressed objects: a directory in which the name of a file is the SHA-256 of its bytes.

Equal bytes are one object, so putting them twice changes nothing. An object is hashed again whenever it is read: a name that
its bytes do not have is damage (IntegrityError) and is never overwritten.
"""

import os
import re
from hashlib import sha256
from pathlib import Path

from contracts.errors import AlreadyExists, InputError, IntegrityError, StoreError
from ledgers.store.os_calls import DISK, OsCalls
from ledgers.store.publication import is_temporary, publish_blocks, publish_bytes
from ledgers.store.reading import foreign_blocks, read_bytes, sha256_file

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}", re.ASCII)
_DAMAGED = "An object has other bytes than its name says."


class Objects:
    """The objects of one directory, which is private and exists."""

    def __init__(self, directory: Path, *, os_calls: OsCalls = DISK) -> None:
        self.directory = directory
        self._os_calls = os_calls

    def path(self, digest: str) -> Path:
        """Where the object is or would be. InputError: `digest` is not `sha256:` and 64 hex digits."""
        if not _DIGEST.fullmatch(digest):
            raise InputError("This is not a digest.", at=self.directory.name, fix="give `sha256:` and 64 lower-case hex digits")
        return self.directory / digest.removeprefix("sha256:")

    def put(self, data: bytes) -> str:
        """Keeps `data` and returns its digest; durable on return. IntegrityError: the object is there and damaged."""
        digest = f"sha256:{sha256(data).hexdigest()}"
        path = self.path(digest)
        try:
            publish_bytes(path, data, os_calls=self._os_calls)
        except AlreadyExists:
            raise IntegrityError(_DAMAGED, at=path.name) from None
        return digest

    def put_file(self, path: Path) -> str:
        """As `put`, with the bytes of a file that a person gave us, read once and of any size. The file stays where it is."""
        try:
            return publish_blocks(self.directory, foreign_blocks(path), self.path, os_calls=self._os_calls)[0]
        except AlreadyExists as error:
            raise IntegrityError(_DAMAGED, at=error.at) from None

    def get(self, digest: str, *, max_bytes: int) -> bytes:
        """The bytes that `digest` names. IntegrityError: they have another digest. StoreError: they are not there."""
        path = self.path(digest)
        data = read_bytes(path, max_bytes=max_bytes)
        if f"sha256:{sha256(data).hexdigest()}" != digest:
            raise IntegrityError(_DAMAGED, at=path.name)
        return data

    def check(self, digest: str) -> None:
        """IntegrityError unless the object of this name, of any size, is what its name says."""
        path = self.path(digest)
        if sha256_file(path) != digest:
            raise IntegrityError(_DAMAGED, at=path.name)

    def has(self, digest: str) -> bool:
        """Is there something of this name? Says nothing about its bytes."""
        return os.path.lexists(self.path(digest))

    def digests(self) -> list[str]:
        """All objects, sorted. What is half made is not counted; StoreError names anything else that does not belong here."""
        found = []
        for entry in self.directory.iterdir():
            digest = f"sha256:{entry.name}"
            if _DIGEST.fullmatch(digest):
                found.append(digest)
            elif not is_temporary(entry.name):
                raise StoreError("This is no object.", at=entry.name, fix="move it out of the store")
        return sorted(found)
