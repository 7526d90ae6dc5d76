"""The outermost layer of everything we serve: a request is refused here before any page or Dagster sees it.

Dagster's webserver asks nobody who they are, runs mutations from GET requests and lets anyone report events. A page that a
browser has open elsewhere could use all of that, so:

- Host is exactly the loopback address and port we listen on (a rebound DNS name ends here).
- An Origin, where one is sent, is our own. Whatever is not GET or HEAD proves that it comes from our pages, by Origin or by
  Sec-Fetch-Site; a websocket by Origin.
- GraphQL is POST with a body of application/json, or the websocket of the UI. Nothing else is a websocket.
- Dagster's endpoints that report events, or hand out logs, debug files and notebooks, are closed.
- A path has one spelling. Encoded separators, dots and percent signs, `//`, `\\` and `..` are refused, and what is closed is
  closed in any case and with any trailing slash.

What passes is answered with headers against framing, sniffing, referrers and caches. Roles and sessions are not decided here.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

CLOSED = frozenset({"logs", "notebook", "dagit", "download_debug"})
CLOSED_PREFIX = "report_"
"""Names right below the root or below /dagster. `report_` are the event endpoints; our own pages live under `reports`."""
STATIC = frozenset({"_next", "vendor", "static"})
_ENCODED = (b"%2f", b"%5c", b"%2e", b"%25")
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_PRIVATE = (b"cache-control", b"private, no-store")
_NO_FRAMES = (b"content-security-policy", b"frame-ancestors 'none'")
Headers = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Refusal:
    """An answer as problem+json (RFC 9457). `detail` repeats nothing that the request said."""

    status: HTTPStatus
    code: str
    detail: str
    allow: str | None = None

    def body(self) -> bytes:
        return json.dumps(
            {"type": "about:blank", "title": self.status.phrase, "status": self.status.value, "code": self.code, "detail": self.detail}
        ).encode()

    def headers(self) -> list[tuple[bytes, bytes]]:
        allow = [(b"allow", self.allow.encode())] if self.allow else []
        return [(b"content-type", b"application/problem+json"), (b"content-length", str(len(self.body())).encode()), *allow]


def loopback_hosts(port: int) -> frozenset[str]:
    """The Host values of a server on this loopback port. Clients leave port 80 out."""
    return frozenset(name if port == 80 else f"{name}:{port}" for name in ("127.0.0.1", "localhost"))


def refusal(scope: Scope, hosts: frozenset[str]) -> Refusal | None:
    """Why a request (ASGI scope of type http or websocket) may not pass; None if it may."""
    headers: Headers = scope["headers"]
    host = _only(headers, b"host")
    if host not in hosts:
        return Refusal(HTTPStatus.MISDIRECTED_REQUEST, "host_unknown", "This server answers to its own loopback address and port alone.")
    if not _has_one_spelling(scope["path"], scope.get("raw_path") or b""):
        return Refusal(HTTPStatus.BAD_REQUEST, "path_not_canonical", "The path has more than one spelling.")
    names = _below_dagster(scope["path"])
    if names and (names[0] in CLOSED or names[0].startswith(CLOSED_PREFIX)):
        return Refusal(HTTPStatus.FORBIDDEN, "endpoint_closed", "This endpoint of Dagster is closed; evidence enters through the store.")
    if scope["type"] == "websocket":
        return _refused_websocket(headers, host, names)
    return _refused_origin(headers, host, scope["method"]) or _refused_graphql(headers, scope["method"], names)


class Guard:
    """ASGI layer around `app`, for a server on loopback `port`."""

    def __init__(self, app: ASGIApp, *, port: int) -> None:
        self._app = app
        self._hosts = loopback_hosts(port)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        static = _is_static(scope)

        async def secured(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                message = {**message, "headers": _secured(message.get("headers", ()), static=static)}
            await send(message)

        refused = refusal(scope, self._hosts)
        if refused is None:
            await self._app(scope, receive, secured)
        else:
            await _answer(refused, scope, secured)


def _refused_origin(headers: Headers, host: str, method: str) -> Refusal | None:
    origins, sites = _all(headers, b"origin"), _all(headers, b"sec-fetch-site")
    ours = [f"http://{host}"]
    if origins not in ([], ours):
        return Refusal(HTTPStatus.FORBIDDEN, "cross_origin", "The request comes from another origin.")
    if method in ("GET", "HEAD"):
        return None
    if sites not in ([], ["same-origin"]) or (not origins and not sites):
        return Refusal(
            HTTPStatus.FORBIDDEN,
            "cross_origin",
            "A request that may change something says that it comes from this server: send its address as Origin.",
        )
    return None


def _refused_websocket(headers: Headers, host: str, names: list[str]) -> Refusal | None:
    if names != ["graphql"]:
        return Refusal(HTTPStatus.FORBIDDEN, "endpoint_closed", "There is no websocket here.")
    if _all(headers, b"origin") != [f"http://{host}"]:
        return Refusal(HTTPStatus.FORBIDDEN, "cross_origin", "A websocket is for pages of this server alone.")
    return None


def _refused_graphql(headers: Headers, method: str, names: list[str]) -> Refusal | None:
    if names[:1] != ["graphql"]:
        return None
    if method != "POST":
        return Refusal(HTTPStatus.METHOD_NOT_ALLOWED, "method_not_allowed", "GraphQL is POST alone.", allow="POST")
    if (_only(headers, b"content-type") or "").partition(";")[0].strip().lower() != "application/json":
        return Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "media_type_unsupported", "GraphQL takes application/json alone.")
    return None


def _has_one_spelling(path: str, raw: bytes) -> bool:
    """`path` is decoded, `raw` is what stood in the request line, without the query."""
    if not path.startswith("/") or "//" in path or "\\" in path or any(ord(character) < 32 or ord(character) == 127 for character in path):
        return False
    return not {".", ".."} & set(path.split("/")) and not any(code in raw.lower() for code in _ENCODED)


def _below_dagster(path: str) -> list[str]:
    names = [name for name in path.casefold().split("/") if name]
    return names[1:] if names[:1] == ["dagster"] else names


def _is_static(scope: Scope) -> bool:
    names = _below_dagster(scope["path"])
    return scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and bool(names) and names[0] in STATIC


def _secured(headers: Headers, *, static: bool) -> list[tuple[bytes, bytes]]:
    # A second policy narrows the page's own one; the other headers replace what stood there.
    ours = [*_HEADERS] if static else [*_HEADERS, _PRIVATE]
    replaced = {name for name, _ in ours}
    return [*((name, value) for name, value in headers if name.lower() not in replaced), *ours, _NO_FRAMES]


async def _answer(refused: Refusal, scope: Scope, send: Send) -> None:
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008, "reason": refused.code})
        return
    kind = "websocket.http.response" if scope["type"] == "websocket" else "http.response"
    await send({"type": f"{kind}.start", "status": refused.status.value, "headers": refused.headers()})
    await send({"type": f"{kind}.body", "body": b"" if scope.get("method") == "HEAD" else refused.body()})


def _all(headers: Headers, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key.lower() == name]


def _only(headers: Headers, name: bytes) -> str | None:
    """The value of a header that came once; None where it is missing or repeated."""
    values = _all(headers, name)
    return values[0] if len(values) == 1 else None
