"""The audit chain: every way to change it is found at its record, and two writers or a crash never fork it."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from contracts.canonical import canonical_bytes, digest_of
from contracts.errors import DocumentError, HostileFile, IntegrityError, StoreFull
from ledgers.audit.chain import MAX_RECORD_BYTES, AuditLog, AuditRecord, Head
from tests.unit.ledgers.disks import Failing

NOON = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


def _append(log: AuditLog, **changes: Any) -> AuditRecord:
    fields: dict[str, Any] = {
        "now": NOON,
        "action": "start",
        "decision": "allowed",
        "reason_code": "owner",
        "actor": "sha256:" + "a" * 64,
        "resource_kind": "run",
        "resource_id": "6f1c9f0e-0000-4000-8000-000000000001",
    }
    return log.append(**{**fields, **changes})


@pytest.fixture
def log(tmp_path: Path) -> AuditLog:
    return AuditLog(tmp_path)


@pytest.fixture
def five(log: AuditLog) -> AuditLog:
    for number in range(5):
        _append(log, action=("create", "start", "reveal", "cancel", "delete")[number], decision=("allowed", "denied")[number % 2])
    return log


def test_empty_log(log: AuditLog) -> None:
    assert (log.verify(), log.records()) == (Head(0, None), [])


def test_each_record_continues_the_one_before(five: AuditLog) -> None:
    records = five.records()
    assert [record.sequence for record in records] == [1, 2, 3, 4, 5]
    assert [record.previous_digest for record in records] == [None, *(record.digest for record in records[:-1])]
    assert five.verify() == Head(5, records[-1].digest)
    line = json.loads(five.path.read_bytes().split(b"\n")[2])
    digest = line.pop("digest")
    assert digest == digest_of("audit-record", line), "anyone can recompute a digest from the line alone"


@pytest.mark.parametrize(
    "now",
    [
        NOON,
        NOON + timedelta(microseconds=1),
        NOON + timedelta(milliseconds=120),
        datetime(1999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    ],
)
def test_time_has_one_spelling(log: AuditLog, now: datetime) -> None:
    assert _append(log, now=now).timestamp == now
    assert log.verify().sequence == 1


@pytest.mark.parametrize("now", [datetime(2026, 3, 1), NOON.astimezone(timezone(timedelta(hours=1)))], ids=["naive", "another zone"])
def test_clock_that_is_not_utc_is_a_bug(log: AuditLog, now: datetime) -> None:
    with pytest.raises(ValueError, match="UTC"):
        _append(log, now=now)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("action", ""),
        ("action", "Start"),
        ("action", "start\n"),
        ("action", "a" * 65),
        ("decision", "perhaps"),
        ("reason_code", "two words"),
        ("actor", ""),
        ("actor", "a\nb"),
        ("actor", "a" * 513),
        ("actor", 7),
        ("actor", None),
        ("resource_kind", "../run"),
        ("resource_id", ""),
        ("resource_id", "a\0"),
    ],
)
def test_field_that_breaks_the_contract_is_named_and_nothing_is_written(log: AuditLog, field: str, value: object) -> None:
    with pytest.raises(DocumentError) as refusal:
        _append(log, **{field: value})
    assert refusal.value.at.endswith(field)
    assert log.records() == []


def test_huge_field_is_refused_by_the_bound_of_the_record(log: AuditLog) -> None:
    with pytest.raises(DocumentError, match=f"may have {MAX_RECORD_BYTES}"):
        _append(log, actor="a" * MAX_RECORD_BYTES)


def test_largest_record_fits(log: AuditLog) -> None:
    for _ in range(3):
        _append(log, actor="\U0001f600" * 512, resource_id="\\" * 512)
    assert log.verify().sequence == 3


def _resealed(lines: list[bytes], index: int, **changes: object) -> bytes:
    """Record `index`, edited by somebody who knows how to compute a digest but does not touch the records behind it."""
    fields = {**json.loads(lines[index]), **changes}
    del fields["digest"]
    return canonical_bytes({**fields, "digest": digest_of("audit-record", fields)})


TAMPERS: list[Any] = [
    pytest.param(lambda lines: lines[:1] + lines[2:], 2, id="dropped"),
    pytest.param(lambda lines: lines[1:], 1, id="first dropped"),
    pytest.param(lambda lines: [*lines[:2], lines[1], *lines[2:]], 3, id="doubled"),
    pytest.param(lambda lines: [lines[0], lines[2], lines[1], *lines[3:]], 2, id="swapped"),
    pytest.param(lambda lines: [*lines[:3], lines[3].replace(b"denied", b"allowed"), lines[4]], 4, id="edited"),
    pytest.param(lambda lines: [*lines[:3], _resealed(lines, 3, decision="allowed"), lines[4]], 5, id="edited and digest recomputed"),
    pytest.param(lambda lines: [*lines[:3], _resealed(lines, 3, sequence=9), lines[4]], 4, id="renumbered"),
    pytest.param(lambda lines: [_resealed(lines, 0, previous_digest="sha256:" + "0" * 64), *lines[1:]], 1, id="a record before the first"),
    pytest.param(lambda lines: [*lines[:2], lines[2].replace(b":", b": ", 1), *lines[3:]], 3, id="second spelling"),
    pytest.param(lambda lines: [*lines[:2], b'{"action":"start",' + lines[2][1:], *lines[3:]], 3, id="duplicate key"),
    pytest.param(lambda lines: [*lines[:2], lines[2][:-1] + b',"note":1}', *lines[3:]], 3, id="unknown field"),
    pytest.param(lambda lines: [*lines[:4], b""], 5, id="blank line"),
    pytest.param(lambda lines: [*lines[:4], b"\xff"], 5, id="no UTF-8"),
    pytest.param(lambda lines: [*lines[:4], b"[" * 10_000], 5, id="deep nesting"),
    pytest.param(lambda lines: [*lines[:4], b" " * (MAX_RECORD_BYTES + 1)], 5, id="line too long"),
]


@pytest.mark.parametrize(("tamper", "sequence"), TAMPERS)
def test_tampered_log_is_refused_at_its_record(five: AuditLog, tamper: Callable[[list[bytes]], list[bytes]], sequence: int) -> None:
    lines = five.path.read_bytes().split(b"\n")[:-1]
    five.path.write_bytes(b"\n".join([*tamper(lines), b""]))
    for use in (five.verify, five.records):
        with pytest.raises(IntegrityError) as refusal:
            use()
        assert refusal.value.at == f"active.jsonl  record {sequence}"


def test_every_flipped_byte_is_found(five: AuditLog) -> None:
    data = five.path.read_bytes()
    ends = [place for place, byte in enumerate(data) if byte == 10]
    survivors = []
    for place in range(len(data)):
        five.path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        try:
            five.verify()
        except IntegrityError:
            continue
        survivors.append(place)
    assert survivors == [ends[-1]], "only the last line end: without it the last record reads as torn"


@pytest.mark.parametrize("tail", [b"\xff\n", b"{}\n", b"x" * (2 * MAX_RECORD_BYTES + 10)], ids=["no record", "no fields", "endless"])
def test_damaged_end_is_not_continued(five: AuditLog, tail: bytes) -> None:
    with five.path.open("ab") as file:
        file.write(tail)
    before = five.path.read_bytes()
    with pytest.raises(IntegrityError):
        _append(five)
    assert five.path.read_bytes() == before


@pytest.mark.parametrize("keep", [1, 100, -1], ids=["one byte", "100 bytes", "all but the line end"])
def test_torn_record_was_never_acknowledged(five: AuditLog, keep: int) -> None:
    data = five.path.read_bytes()
    last = data[:-1].rfind(b"\n") + 1
    five.path.write_bytes(data[:last] + data[last:][:keep])
    assert five.verify().sequence == 4
    assert _append(five).sequence == 5
    assert five.verify().sequence == 5


def test_log_that_is_one_torn_record_starts_again(log: AuditLog) -> None:
    _append(log)
    os.truncate(log.path, 50)
    assert log.verify() == Head(0, None)
    assert _append(log).sequence == 1


def test_full_disk_leaves_the_chain_as_it_was(five: AuditLog) -> None:
    before = five.path.read_bytes()
    for call in range(1, 10):
        disk = Failing(call)
        try:
            _append(AuditLog(five.path.parent, os_calls=disk))
        except StoreFull:
            assert disk.was_hit
        assert five.verify().sequence >= 5
        assert five.path.read_bytes().startswith(before)


def test_processes_that_append_together_never_fork_the_chain(tmp_path: Path) -> None:
    children = []
    for writer in range(4):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                for _ in range(10):
                    _append(AuditLog(tmp_path), actor=f"writer {writer}")
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0, 0, 0]
    records = AuditLog(tmp_path).records()
    assert len({record.digest for record in records}) == len(records) == 40


def test_lock_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"")
    (tmp_path / "lock").hardlink_to(tmp_path / "other")
    with pytest.raises(HostileFile):
        _append(AuditLog(tmp_path))
