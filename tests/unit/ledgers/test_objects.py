"""Objects: the name is the digest, twice is once, and a damaged object is never returned or overwritten."""

from hashlib import sha256
from pathlib import Path

import pytest

from contracts.errors import HostileFile, InputError, IntegrityError, StoreError
from ledgers.store.objects import Objects
from ledgers.store.publication import ensure_directory, temporary_path


@pytest.fixture
def objects(tmp_path: Path) -> Objects:
    ensure_directory(tmp_path / "objects/sha256")
    return Objects(tmp_path / "objects/sha256")


def _digest(data: bytes) -> str:
    return f"sha256:{sha256(data).hexdigest()}"


def _foreign(tmp_path: Path, data: bytes) -> Path:
    (tmp_path / "export").write_bytes(data)
    (tmp_path / "export").chmod(0o644)
    return tmp_path / "export"


@pytest.mark.parametrize("data", [b"", b"x", b"block" * 500_000], ids=["empty", "small", "more than a block"])
def test_put_in_both_ways_is_one_object(objects: Objects, tmp_path: Path, data: bytes) -> None:
    digest = _digest(data)
    assert objects.has(digest) is False
    assert objects.put(data) == objects.put(data) == objects.put_file(_foreign(tmp_path, data)) == digest
    assert objects.has(digest) is True
    assert objects.get(digest, max_bytes=len(data)) == data
    assert [entry.name for entry in objects.directory.iterdir()] == [objects.path(digest).name] == [digest.removeprefix("sha256:")]
    assert (tmp_path / "export").read_bytes() == data, "the file of the person stays"


def test_every_flipped_bit_is_found(objects: Objects, tmp_path: Path) -> None:
    data = b"evidence"
    digest = objects.put(data)
    objects.check(digest)
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        objects.path(digest).write_bytes(damaged)
        for use in (
            lambda: objects.get(digest, max_bytes=100),
            lambda: objects.check(digest),
            lambda: objects.put(data),
            lambda: objects.put_file(_foreign(tmp_path, data)),
        ):
            with pytest.raises(IntegrityError) as refusal:
                use()
            assert refusal.value.at == objects.path(digest).name
        assert objects.path(digest).read_bytes() == damaged, "damage is reported, not repaired in silence"


def test_missing_object_is_an_error_of_the_store(objects: Objects) -> None:
    with pytest.raises(StoreError):
        objects.get(_digest(b"absent"), max_bytes=100)


def test_larger_object_than_expected_is_refused(objects: Objects) -> None:
    digest = objects.put(b"0123456789")
    with pytest.raises(HostileFile):
        objects.get(digest, max_bytes=9)


@pytest.mark.parametrize(
    "digest",
    [
        "",
        "sha256:",
        "sha256:" + "A" * 64,
        "sha256:" + "a" * 63,
        "sha256:" + "a" * 64 + "\n",
        "a" * 64,
        "md5:" + "a" * 64,
        "sha256:../" + "a" * 61,
    ],
)
def test_what_is_no_digest_is_refused(objects: Objects, digest: str) -> None:
    for use in (objects.path, objects.has, lambda it: objects.get(it, max_bytes=1)):
        with pytest.raises(InputError):
            use(digest)


def test_input_that_is_a_link_is_refused_and_leaves_nothing(objects: Objects, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(_foreign(tmp_path, b"x"))
    with pytest.raises(HostileFile):
        objects.put_file(tmp_path / "link")
    with pytest.raises(InputError):
        objects.put_file(tmp_path / "absent")
    assert list(objects.directory.iterdir()) == []


def test_digests_are_sorted_and_count_nothing_half_made(objects: Objects) -> None:
    kept = sorted(objects.put(bytes([number])) for number in range(20))
    temporary_path(objects.directory).write_bytes(b"half")
    assert objects.digests() == kept
    (objects.directory / "notes.txt").write_bytes(b"")
    with pytest.raises(StoreError) as refusal:
        objects.digests()
    assert refusal.value.at == "notes.txt"
