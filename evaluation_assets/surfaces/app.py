"""The application behind `up`: the list of runs, their sealed reports, and the Dagster UI below /dagster. All of it guarded.

Pages are complete without script and load nothing from elsewhere. Handlers read files, so they are plain functions that run
in threads, off the event loop.
"""

from http import HTTPStatus

from jinja2 import Environment
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from contracts.errors import EvaluationError, IntegrityError, UnknownName
from evaluation_assets.reports.page import content_security_policy
from evaluation_assets.surfaces.pages import newest_runs, sealed_page, templates
from evaluation_assets.surfaces.security.guard import Guard
from ledgers.store.store import Store

DAGSTER_PREFIX = "/dagster"


def application(store: Store, *, port: int, dagster: ASGIApp | None = None) -> ASGIApp:
    """Everything that is served on loopback `port`. `dagster` answers below DAGSTER_PREFIX; without it there is no such page."""
    own = _pages(store, has_dagster=dagster is not None)

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        below = path == DAGSTER_PREFIX or path.startswith(f"{DAGSTER_PREFIX}/")
        await (dagster if dagster is not None and below else own)(scope, receive, send)

    return Guard(dispatch, port=port)


def _pages(store: Store, *, has_dagster: bool) -> Starlette:
    made = templates()

    def index(request: Request) -> Response:
        rows, total = newest_runs(store)
        return _page(made, "index.html.j2", HTTPStatus.OK, rows=rows, total=total, graph=DAGSTER_PREFIX if has_dagster else None)

    def report(request: Request) -> Response:
        try:
            page = sealed_page(store, request.path_params["run_id"])
        except UnknownName as error:
            return _problem_page(made, HTTPStatus.NOT_FOUND, error)
        except EvaluationError as error:
            return _problem_page(made, HTTPStatus.INTERNAL_SERVER_ERROR, error)
        return Response(page, media_type="text/html", headers={"Content-Security-Policy": content_security_policy()})

    def missing(request: Request, error: Exception) -> Response:
        status = HTTPStatus(error.status_code) if isinstance(error, HTTPException) else HTTPStatus.INTERNAL_SERVER_ERROR
        allow = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
        if request.url.path == "/api" or request.url.path.startswith("/api/"):
            return JSONResponse(
                {
                    "type": "about:blank",
                    "title": status.phrase,
                    "status": status.value,
                    "code": "not_found",
                    "detail": "There is no such resource.",
                },
                status,
                allow,
                media_type="application/problem+json",
            )
        page = _problem_page(made, status, UnknownName("There is no such page.", fix="go back to the list of runs"))
        page.headers.update(allow)
        return page

    return Starlette(
        routes=[Route("/", index), Route("/reports/{run_id}", report), Route("/healthz", _healthy)],
        exception_handlers={HTTPException: missing},
    )


def _healthy(request: Request) -> Response:
    return JSONResponse({"status": "ok"})


def _page(made: Environment, name: str, status: HTTPStatus, **values: object) -> Response:
    text = made.get_template(name).render(values)
    return Response(text, status, media_type="text/html", headers={"Content-Security-Policy": content_security_policy()})


def _problem_page(made: Environment, status: HTTPStatus, error: EvaluationError) -> Response:
    return _page(made, "problem.html.j2", status, error=error, broken=isinstance(error, IntegrityError))
