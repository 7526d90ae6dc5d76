"""The audit log: who was allowed or denied what, each record bound to the one before it.

    audit/active.jsonl      one canonical JSON record a line; record n holds the digest of record n - 1
    audit/lock              held while a record is added, so that two processes never continue the same record

- A record is acknowledged when its line is durable. A torn last line was never acknowledged: it is ignored and cut off later.
- `verify` recomputes every digest and the chain, and names the first record that breaks it: an edited, dropped, doubled or
  reordered record, and a line that is not the one spelling of its record.
- Not seen here: that the end of the log was cut off, or all of it written anew. That needs a head that was kept elsewhere.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from contracts.base import Count, Digest, Document, Timestamp
from contracts.canonical import canonical_bytes, digest_of
from contracts.errors import DocumentError, IntegrityError, StoreError
from ledgers.store.os_calls import DISK, OsCalls
from ledgers.store.publication import append_line
from ledgers.store.reading import check_plain, open_plain

MAX_RECORD_BYTES = 16 * 1024

Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_.-]{0,63}$")]
Name = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]{1,512}$")]
_KIND = "audit-record"


class AuditRecord(Document):
    """One decision. `digest` covers all other fields; `actor` is a pseudonymous principal or a name of the system, never an email."""

    schema_version: Literal["evaluation-audit.v1"]
    sequence: Annotated[Count, Field(ge=1)]
    timestamp: Timestamp
    action: Word
    decision: Literal["allowed", "denied"]
    reason_code: Word
    actor: Name
    resource_kind: Word
    resource_id: Name | None
    subject_digest: Digest | None
    previous_digest: Digest | None
    digest: Digest


@dataclass(frozen=True)
class Head:
    """The end of the log: number and digest of the last record; 0 and None before the first."""

    sequence: int
    digest: str | None


_START = Head(0, None)


class AuditLog:
    """The log in `directory`, which is private and exists. Holds nothing in memory: other processes write to it too."""

    def __init__(self, directory: Path, *, os_calls: OsCalls = DISK) -> None:
        self.path = directory / "active.jsonl"
        self._lock_path = directory / "lock"
        self._os_calls = os_calls

    def append(
        self,
        *,
        now: datetime,
        action: str,
        decision: Literal["allowed", "denied"],
        reason_code: str,
        actor: str,
        resource_kind: str,
        resource_id: str | None,
        subject_digest: str | None = None,
    ) -> AuditRecord:
        """Adds one decision; durable on return. `now` is in UTC; `subject_digest` binds bytes that lie outside the log.

        DocumentError: a field that breaks the record's contract.
        """
        with self._locked():
            head = self._head()
            fields: dict[str, object] = {
                "schema_version": "evaluation-audit.v1",
                "sequence": head.sequence + 1,
                "timestamp": _spelled(now),
                "action": action,
                "decision": decision,
                "reason_code": reason_code,
                "actor": actor,
                "resource_kind": resource_kind,
                "resource_id": resource_id,
                "subject_digest": subject_digest,
                "previous_digest": head.digest,
            }
            line = canonical_bytes({**fields, "digest": digest_of(_KIND, fields)})
            if len(line) > MAX_RECORD_BYTES:
                raise DocumentError(f"An audit record has {len(line)} bytes and may have {MAX_RECORD_BYTES}.", at="audit record")
            try:
                record = AuditRecord.model_validate_json(line)
            except ValidationError as error:
                names = ", ".join(str(part["loc"][0]) for part in error.errors(include_input=False, include_context=False))
                raise DocumentError("An audit record breaks its contract.", at=f"audit record  {names}") from None
            append_line(self.path, line, os_calls=self._os_calls)
            return record

    def records(self) -> list[AuditRecord]:
        """All acknowledged records, verified. IntegrityError as `verify`."""
        return list(self._walk())

    def verify(self) -> Head:
        """The head of the whole chain, recomputed. IntegrityError names the sequence number at which it breaks."""
        head = _START
        for record in self._walk():
            head = Head(record.sequence, record.digest)
        return head

    @contextmanager
    def _locked(self) -> Iterator[None]:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(self._lock_path, flags, 0o600)
        except OSError as error:
            raise StoreError(f"The audit log cannot be locked: {error.strerror}.", at=self._lock_path.name) from error
        try:
            check_plain(os.fstat(descriptor), self._lock_path.name)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _head(self) -> Head:
        """The last complete record, checked by itself: adding one must not cost the reading of all."""
        if not os.path.lexists(self.path):
            return _START
        with open_plain(self.path) as file:
            size = os.fstat(file.fileno()).st_size
            window = 2 * (MAX_RECORD_BYTES + 1)  # the longest record and the longest torn line
            tail = os.pread(file.fileno(), window, max(0, size - window))
        lines = tail.split(b"\n")[:-1]
        if not lines and size < window:
            return _START
        if not lines or (len(lines) == 1 and size > window):
            raise _broken("its end", "no record is that long")
        record = _parsed(lines[-1], "its last record")
        return Head(record.sequence, record.digest)

    def _walk(self) -> Iterator[AuditRecord]:
        if not os.path.lexists(self.path):
            return
        head = _START
        with open_plain(self.path) as file:
            while line := file.readline(MAX_RECORD_BYTES + 2):
                place = f"record {head.sequence + 1}"
                if not line.endswith(b"\n"):
                    if len(line) > MAX_RECORD_BYTES + 1:
                        raise _broken(place, "no record is that long")
                    return  # torn
                record = _parsed(line[:-1], place)
                if (record.sequence, record.previous_digest) != (head.sequence + 1, head.digest):
                    raise _broken(place, "it does not continue the record before it")
                head = Head(record.sequence, record.digest)
                yield record


def _parsed(line: bytes, place: str) -> AuditRecord:
    try:
        record = AuditRecord.model_validate_json(line)
    except ValidationError:
        raise _broken(place, "it is no audit record") from None
    fields = record.model_dump(mode="json")
    if canonical_bytes(fields) != line:
        raise _broken(place, "its bytes are not canonical")
    del fields["digest"]
    if digest_of(_KIND, fields) != record.digest:
        raise _broken(place, "its content has another digest")
    return record


def _broken(place: str, why: str) -> IntegrityError:
    return IntegrityError(f"The audit log is broken: {why}.", at=f"active.jsonl  {place}")


def _spelled(now: datetime) -> str:
    if now.utcoffset() != timedelta(0):
        raise ValueError("the clock gives UTC")
    return now.astimezone(UTC).isoformat().replace("+00:00", "Z")
