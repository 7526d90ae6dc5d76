"""The Dagster UI and its daemon. The only file that touches private modules of Dagster; the exact pin and tests/e2e/test_up.py hold it.

    ui(instance, prefix)                             the webserver as an ASGI application below `prefix`
    python -P -m evaluation_assets.surfaces.dagster_mount     the daemon: sensors, the run queue, run monitoring

Both load the same code location as Dagster does, in a subprocess of its own, from the environment: EVALUATION_ROOT and
DAGSTER_HOME. `workspace.yaml` says the same for people who start Dagster themselves; an installed package has only
definitions.py, beside `evaluation_assets`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
from dagster._core.workspace.context import WorkspaceProcessContext, WorkspaceRequestContext
from dagster._core.workspace.load_target import PythonFileTarget
from dagster._daemon.controller import daemon_controller_from_instance
from dagster._utils.interrupts import setup_interrupt_handlers
from dagster_webserver.webserver import DagsterWebserver
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp

import evaluation_assets
from contracts.errors import StoreError
from evaluation_assets.surfaces.security.guard import CLOSED, CLOSED_PREFIX

LOCATION = "evaluation-plane"


@contextmanager
def ui(instance: dg.DagsterInstance, prefix: str) -> Iterator[ASGIApp]:
    """The webserver of `instance`. Entering starts the code server and waits until it has loaded; leaving stops it."""
    with WorkspaceProcessContext(instance, code_location(), version=dg.__version__, code_server_log_level="ERROR") as context:
        yield _Webserver(context, app_path_prefix=prefix).create_asgi_app()


def run_daemon() -> None:
    """Run until SIGINT or SIGTERM."""
    setup_interrupt_handlers()
    try:
        with (
            dg.DagsterInstance.get() as instance,
            daemon_controller_from_instance(instance, code_location(), log_level="warning", code_server_log_level="error") as controller,
        ):
            controller.check_daemon_loop()
    except KeyboardInterrupt:
        return


def code_location() -> PythonFileTarget:
    """By file, not by module name: the working directory of a user may hold a definitions.py of its own."""
    file = Path(evaluation_assets.__file__).parent.with_name("definitions.py")
    if not file.is_file():
        raise StoreError("The installation lacks definitions.py.", at="definitions.py", fix="install evalplane again")
    return PythonFileTarget(python_file=str(file), attribute="defs", working_directory=str(file.parent), location_name=LOCATION)


class _Webserver(DagsterWebserver[WorkspaceProcessContext, WorkspaceRequestContext]):
    """Without the endpoints that the guard closes: what is not there has no other spelling."""

    def build_routes(self) -> list[BaseRoute]:
        routes: list[BaseRoute] = super().build_routes()  # type: ignore[no-untyped-call]  # Dagster leaves it untyped
        return [_without_closed(route) if isinstance(route, Mount) else route for route in routes]


def _without_closed(mount: Mount) -> Mount:
    kept = [route for route in mount.routes if not (isinstance(route, Route) and _is_closed(route.path))]
    return Mount(mount.path, routes=kept)


def _is_closed(path: str) -> bool:
    name = path.split("/")[1]
    return name in CLOSED or name.startswith(CLOSED_PREFIX)


if __name__ == "__main__":
    run_daemon()
