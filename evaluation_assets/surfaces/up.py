"""`evalplane up`: pages, Dagster UI and Dagster's daemon of one store, on loopback, until somebody stops it.

- The port is taken first: nothing starts when it is not free.
- One process brings Dagster's bookkeeping up to date before a second one opens it; both at once would break a new one.
- A store is served with Dagster by one `up` at a time: two daemons would launch everything twice.
- Whatever was started is gone when this returns or dies (surfaces/processes.py).

Dagster is imported only where it is wanted: `--no-dagster` shows the reports alone, and is there at once.
"""

import asyncio
import errno
import fcntl
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from contracts.errors import Refused
from evaluation_assets.surfaces.app import DAGSTER_PREFIX, application
from evaluation_assets.surfaces.processes import watched
from ledgers.store.store import Store

HOST = "127.0.0.1"
GRACE_SECONDS = 2


def serve(store_root: Path, *, port: int, dagster: bool, announce: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM, then return. `announce` gets the URL once requests are answered; port 0 picks a free one.

    For the main thread: it installs signal handlers, sets the umask and, with Dagster, variables of this process' environment.
    Refused: the port is taken, or the store is served already.
    """
    os.umask(0o077)
    with _stopped_by_signals(), ExitStack() as stack:
        listener = stack.enter_context(_listener(port))
        store = Store.found(store_root)
        graph = stack.enter_context(_dagster(store)) if dagster else None
        taken = listener.getsockname()[1]
        app = application(store, port=taken, dagster=graph)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="auto" if dagster else "none",
            lifespan="off",
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        asyncio.run(_Server(config, lambda: announce(f"http://{HOST}:{taken}/")).serve([listener]))


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


@contextmanager
def _dagster(store: Store) -> Iterator[ASGIApp]:
    """The webserver's application; its daemon runs beside it."""
    from evaluation_assets.launch import dagster_home, instance_of, project
    from evaluation_assets.surfaces.dagster_mount import ui

    # For the subprocesses, which load definitions.py; a user's working directory is no place to import from.
    os.environ.update(EVALUATION_ROOT=str(store.root), PYTHONSAFEPATH="1")
    with _alone(dagster_home(store)), instance_of(store) as instance, watched():
        project(store, instance)
        daemon = [sys.executable, "-m", "evaluation_assets.surfaces.dagster_mount"]
        # A session of its own: an interrupt typed at the terminal is ours to handle, and ends the daemon in our order.
        subprocess.Popen(daemon, stdin=subprocess.DEVNULL, stdout=sys.stderr, start_new_session=True)
        with ui(instance, DAGSTER_PREFIX) as app:
            yield app


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    with (home / "up.lock").open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(
                "Another `evalplane up` serves this store.", at="dagster/up.lock", fix="stop it first, or add --no-dagster"
            ) from None
        yield


@contextmanager
def _listener(port: int) -> Iterator[socket.socket]:
    try:
        listener = socket.create_server((HOST, port))
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        reason = "is taken by another process" if error.errno == errno.EADDRINUSE else "may not be used by this user"
        raise Refused(f"Port {port} {reason}.", at="--port", fix="name another port, or 0 for a free one") from None
    with listener:
        yield listener


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """SIGINT and SIGTERM leave the block at any point, and leave it cleanly."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
