"""What each way of publishing leaves on the disk when nothing goes wrong, and what it refuses. Failing disks: test_publication_errors."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from stat import S_IMODE

import pytest

from contracts.errors import AlreadyExists, HostileFile, InputError, StoreError
from ledgers.store.os_calls import FAILPOINTS, failpoint, install_failpoint_hook
from ledgers.store.publication import (
    append_line,
    ensure_directory,
    is_temporary,
    publish_bytes,
    publish_directory,
    publish_file,
    read_lines,
    replace_bytes,
    sweep_temporaries,
    temporary_path,
)
from tests.unit.ledgers.disks import Hesitant


def _names(directory: Path) -> list[str]:
    return sorted(entry.name for entry in directory.iterdir())


def _mode(path: Path) -> int:
    return S_IMODE(path.lstat().st_mode)


def test_published_bytes_are_private_and_whole(tmp_path: Path) -> None:
    assert publish_bytes(tmp_path / "a", b"0123456789" * 50, os_calls=Hesitant(7)) is True
    assert (tmp_path / "a").read_bytes() == b"0123456789" * 50
    assert (_mode(tmp_path / "a"), _names(tmp_path)) == (0o600, ["a"])


def test_same_bytes_again_change_nothing(tmp_path: Path) -> None:
    publish_bytes(tmp_path / "a", b"one")
    inode = (tmp_path / "a").stat().st_ino
    assert publish_bytes(tmp_path / "a", b"one") is False
    assert (tmp_path / "a").stat().st_ino == inode


@pytest.mark.parametrize("other", [b"", b"two", b"one and more"])
def test_other_bytes_are_refused(tmp_path: Path, other: bytes) -> None:
    publish_bytes(tmp_path / "a", b"one")
    with pytest.raises(AlreadyExists):
        publish_bytes(tmp_path / "a", other)
    assert ((tmp_path / "a").read_bytes(), _names(tmp_path)) == (b"one", ["a"])


def test_a_link_at_the_name_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    for publish in (publish_bytes, append_line):
        with pytest.raises(HostileFile):
            publish(tmp_path / "a", b"one")
    assert _names(tmp_path) == ["a"]


def test_racing_writers_of_one_name(tmp_path: Path) -> None:
    """Exactly one says that it is new, the others that it was there; two contents never both win."""
    results: list[bool] = []
    threads = [threading.Thread(target=lambda: results.append(publish_bytes(tmp_path / "a", b"one"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [False] * 7 + [True]
    assert _names(tmp_path) == ["a"]


def test_file_of_a_library(tmp_path: Path) -> None:
    for expected in (True, False):
        temporary = temporary_path(tmp_path)
        temporary.write_bytes(b"parquet")
        temporary.chmod(0o644)
        assert publish_file(temporary, tmp_path / "part") is expected
    assert (_mode(tmp_path / "part"), _names(tmp_path)) == (0o600, ["part"])
    other = temporary_path(tmp_path)
    other.write_bytes(b"other")
    with pytest.raises(AlreadyExists):
        publish_file(other, tmp_path / "part")
    assert _names(tmp_path) == ["part"]


def test_status_is_replaced(tmp_path: Path) -> None:
    for content in (b"created", b"running", b""):
        replace_bytes(tmp_path / "status.json", content)
        assert (tmp_path / "status.json").read_bytes() == content
    assert (_mode(tmp_path / "status.json"), _names(tmp_path)) == (0o600, ["status.json"])


def test_lines_and_a_torn_last_line(tmp_path: Path) -> None:
    log = tmp_path / "log"
    append_line(log, b"first")
    append_line(log, b"second", os_calls=Hesitant(2))
    with log.open("ab") as file:
        file.write(b"torn " * 40_000)
    assert read_lines(log, max_bytes=1 << 20) == [b"first", b"second"]
    append_line(log, b"third")
    assert log.read_bytes() == b"first\nsecond\nthird\n"
    assert _mode(log) == 0o600


def test_file_that_is_one_torn_line(tmp_path: Path) -> None:
    log = tmp_path / "log"
    append_line(log, b"first")
    os.truncate(log, 3)
    assert read_lines(log, max_bytes=100) == []
    append_line(log, b"again")
    assert read_lines(log, max_bytes=100) == [b"again"]


def test_line_with_a_line_feed_is_a_bug(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="line feed"):
        append_line(tmp_path / "log", b"a\nb")


def test_appending_to_an_open_file_is_refused(tmp_path: Path) -> None:
    append_line(tmp_path / "log", b"first")
    (tmp_path / "log").chmod(0o666)
    with pytest.raises(HostileFile):
        append_line(tmp_path / "log", b"second")


def _fill(new: Path) -> None:
    (new / "records").mkdir(mode=0o755)
    (new / "records/part").write_bytes(b"rows")
    (new / "manifest").write_bytes(b"{}")


def test_directory_is_whole_and_private(tmp_path: Path) -> None:
    publish_directory(tmp_path / "run", _fill)
    run = tmp_path / "run"
    assert [_mode(run), _mode(run / "records"), _mode(run / "manifest"), _mode(run / "records/part")] == [0o700, 0o700, 0o600, 0o600]
    assert _names(tmp_path) == ["run"]
    with pytest.raises(AlreadyExists):
        publish_directory(run, _fill)


def test_directory_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(AlreadyExists):
        publish_directory(tmp_path / "run", lambda new: (tmp_path / "run").mkdir())
    assert (_names(tmp_path), _names(tmp_path / "run")) == (["run"], [])


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        pytest.param(lambda new: (new / "l").symlink_to("/etc/passwd"), HostileFile, id="link"),
        pytest.param(lambda new: os.mkfifo(new / "fifo"), HostileFile, id="FIFO"),
        pytest.param(lambda new: (new / "second").hardlink_to(new / "manifest"), HostileFile, id="hard link"),
        pytest.param(lambda new: (new / "manifest").open("xb"), StoreError, id="error of the disk"),
        pytest.param(lambda new: {}["bug"], KeyError, id="bug keeps its type"),
    ],
)
def test_directory_that_cannot_be_filled_leaves_nothing(tmp_path: Path, spoil: object, error: type[Exception]) -> None:
    def fill(new: Path) -> None:
        _fill(new)
        spoil(new)

    with pytest.raises(error):
        publish_directory(tmp_path / "run", fill)
    assert _names(tmp_path) == []


def test_ensured_directory_is_private_with_its_new_parents(tmp_path: Path) -> None:
    for _ in range(2):
        ensure_directory(tmp_path / "a/b/c")
    assert [_mode(tmp_path / name) for name in ("a", "a/b", "a/b/c")] == [0o700] * 3
    (tmp_path / "a").chmod(0o755)
    (tmp_path / "file").write_bytes(b"")
    for name in ("a", "file"):
        with pytest.raises(HostileFile):
            ensure_directory(tmp_path / name)


def test_sweep_takes_what_the_dead_left_and_nothing_else(tmp_path: Path) -> None:
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True, text=True)
    pid = dead.stdout.strip()
    gone = [f".new-{pid}-{'b' * 16}", f".tmp-{pid}-{'a' * 16}", f".tmp-{pid}-{'c' * 16}"]
    (tmp_path / gone[0] / "records").mkdir(parents=True)
    (tmp_path / gone[1]).write_bytes(b"half")
    (tmp_path / gone[2]).symlink_to(tmp_path / "kept")
    stays = [".tmp-notes", f".tmp-1-{'a' * 16}", temporary_path(tmp_path).name, "kept"]
    for name in stays:
        (tmp_path / name).write_bytes(b"")
    assert sweep_temporaries(tmp_path) == gone
    assert _names(tmp_path) == sorted(stays)
    assert [is_temporary(name) for name in (*gone, ".tmp-notes", "kept")] == [True] * 3 + [False] * 2


def test_unknown_failpoint_is_a_bug() -> None:
    install_failpoint_hook(lambda name: None)
    try:
        failpoint(FAILPOINTS[0])
        with pytest.raises(KeyError):
            failpoint("nowhere")
    finally:
        install_failpoint_hook(None)


@pytest.mark.parametrize(
    ("value", "status", "published"),
    [
        pytest.param("publish.renamed", -9, ["0"], id="first hit"),
        pytest.param("publish.renamed:3", -9, ["0", "1", "2"], id="third hit"),
        pytest.param("publish.renamed:9", 0, ["0", "1", "2", "3"], id="never that often"),
        pytest.param("", 5, [], id="empty"),
        pytest.param("publish.renamed:0", 5, [], id="hit zero"),
        pytest.param("nowhere", 5, [], id="no such failpoint"),
    ],
)
def test_failpoint_of_the_environment_kills_the_process(tmp_path: Path, value: str, status: int, published: list[str]) -> None:
    program = (
        "import sys\nfrom pathlib import Path\n"
        "from contracts.errors import InputError\nfrom ledgers.store.publication import publish_bytes\n"
        "try:\n    [publish_bytes(Path(sys.argv[1], str(n)), b'x') for n in range(4)]\n"
        "except InputError:\n    sys.exit(5)\n"
    )
    environment = {**os.environ, "EVALUATION_FAILPOINT": value}
    ended = subprocess.run([sys.executable, "-c", program, str(tmp_path)], env=environment, check=False)
    assert (ended.returncode, [name for name in _names(tmp_path) if not is_temporary(name)]) == (status, published)


def test_input_error_is_not_taken_for_one_of_the_disk(tmp_path: Path) -> None:
    def fill(new: Path) -> None:
        raise InputError("no")

    with pytest.raises(InputError):
        publish_directory(tmp_path / "run", fill)
