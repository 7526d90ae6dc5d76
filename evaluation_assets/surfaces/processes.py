"""Ends everything that `up` started, however `up` ends: cleanly, by an error, or by kill -9.

Dagster starts code servers and run workers of its own, which outlive the webserver that asked for them. All of them inherit
a marker in their environment. A small watcher in a session of its own waits on a pipe that `up` alone holds open; when the
pipe closes, it ends whoever bears the marker: SIGTERM, a grace, SIGKILL. Run as a file, it needs the standard library alone.
"""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

MARKER = "EVALUATION_UP"
GRACE_SECONDS = {signal.SIGTERM: 8.0, signal.SIGKILL: 4.0}


@contextmanager
def watched() -> Iterator[None]:
    """Whatever this process starts inside the block is gone after it. Sets the marker in os.environ."""
    marker = token_hex(16)
    watcher = subprocess.Popen([sys.executable, "-I", __file__, marker], stdin=subprocess.PIPE, start_new_session=True)
    os.environ[MARKER] = marker
    try:
        yield
    finally:
        os.environ.pop(MARKER, None)
        watcher.communicate()  # closes the pipe and waits until all have ended


def end_all(marker: str) -> None:
    """End every process of this user that bears the marker, but not the caller."""
    for number, grace in GRACE_SECONDS.items():
        handles = list(_bearers(f"{MARKER}={marker}".encode()))
        for handle in handles:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(handle, number)
        _wait(handles, grace)


def _bearers(entry: bytes) -> Iterator[int]:
    """A pidfd for each: a number could be another process by the time it is signalled."""
    for directory in Path("/proc").iterdir():
        if directory.name.isdigit() and int(directory.name) != os.getpid():
            with suppress(OSError):
                handle = os.pidfd_open(int(directory.name))
                if entry in (directory / "environ").read_bytes().split(b"\0"):
                    yield handle
                else:
                    os.close(handle)


def _wait(handles: list[int], seconds: float) -> None:
    """Until all have ended; `seconds` is per process that does end, so that a slow one does not shorten the next."""
    poll, left = select.poll(), set(handles)
    for handle in handles:
        poll.register(handle, select.POLLIN)
    while left and (ended := poll.poll(seconds * 1000)):
        for handle, _ in ended:
            poll.unregister(handle)
            left.discard(handle)
    for handle in handles:
        os.close(handle)


def _watch(marker: str) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.stdin.buffer.read()
    end_all(marker)


if __name__ == "__main__":
    _watch(sys.argv[1])
