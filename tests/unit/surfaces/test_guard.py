"""The guard against what a page of another origin, a rebound name or a crafted path could try; and what must still pass.

Requests are ASGI scopes as uvicorn makes them: `path` decoded once, `raw_path` as it stood in the request line.
"""

import asyncio
import json
from dataclasses import dataclass, field
from urllib.parse import unquote

import pytest
from starlette.types import Message, Receive, Scope, Send

from evaluation_assets.surfaces.security.guard import Guard, loopback_hosts, refusal

PORT = 8177
HOST = f"127.0.0.1:{PORT}"
OURS = {"origin": f"http://{HOST}"}
EVIL = {"origin": "http://evil.example"}
JSON = {"content-type": "application/json"}
GRAPHQL = "/dagster/graphql"
RUN = "/reports/6f1c9f0e-3b1a-4c9e-9f0e-2a64c1a7b013"


def asked(method: str, target: str, headers: dict[str, str] | None = None, more: list[tuple[str, str]] | None = None) -> Scope:
    """`more`: headers that come in addition, such as a second Host."""
    raw, _, query = target.partition("?")
    given = [*({"host": HOST} | (headers or {})).items(), *(more or [])]
    scope: Scope = {
        "type": "http",
        "method": method,
        "path": unquote(raw),
        "raw_path": raw.encode(),
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in given if value],
    }
    if method == "WEBSOCKET":
        scope |= {"type": "websocket", "extensions": {"websocket.http.response": {}}}
        del scope["method"]
    return scope


@dataclass
class Served:
    """An application that records what reaches it and answers as the UI does."""

    reached: list[str] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.reached.append(scope["path"])
        headers = [(b"Cache-Control", b"public"), (b"Referrer-Policy", b"origin"), (b"content-security-policy", b"base-uri 'none'")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"page"})


def ask(scope: Scope, served: Served) -> list[Message]:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(Guard(served, port=PORT)(scope, receive, send))
    return sent


def values(message: Message, name: bytes) -> list[bytes]:
    return [value for key, value in message["headers"] if key.lower() == name]


REFUSED = [
    pytest.param(asked("GET", "/", {"host": "evil.example:8177"}), 421, "host_unknown", id="foreign host"),
    pytest.param(asked("GET", "/", {"host": "rebound.evil.example"}), 421, "host_unknown", id="rebound name without a port"),
    pytest.param(asked("GET", "/", {"host": "127.0.0.1"}), 421, "host_unknown", id="right address, no port"),
    pytest.param(asked("GET", "/", {"host": "127.0.0.1:8178"}), 421, "host_unknown", id="right address, other port"),
    pytest.param(asked("GET", "/", {"host": f"{HOST}.evil.example"}), 421, "host_unknown", id="our host as a prefix"),
    pytest.param(asked("GET", "/", {"host": f"evil@{HOST}"}), 421, "host_unknown", id="user part before our host"),
    pytest.param(asked("GET", "/", {"host": "[::1]:8177"}), 421, "host_unknown", id="an address that we do not listen on"),
    pytest.param(asked("GET", "/", {"host": ""}), 421, "host_unknown", id="no host"),
    pytest.param(asked("GET", "/", more=[("Host", "evil.example")]), 421, "host_unknown", id="two hosts"),
    pytest.param(
        asked("POST", GRAPHQL, JSON | {"host": "evil.example", "origin": "http://evil.example"}),
        421,
        "host_unknown",
        id="rebound page that is same-origin with itself",
    ),
    pytest.param(asked("POST", GRAPHQL, JSON | EVIL), 403, "cross_origin", id="graphql from a foreign origin"),
    pytest.param(asked("POST", GRAPHQL, JSON | {"origin": "null"}), 403, "cross_origin", id="graphql from a sandboxed frame"),
    pytest.param(asked("POST", GRAPHQL, JSON | {"origin": f"https://{HOST}"}), 403, "cross_origin", id="right host, other scheme"),
    pytest.param(asked("POST", GRAPHQL, JSON | {"origin": "http://localhost:8177"}), 403, "cross_origin", id="the other name of loopback"),
    pytest.param(asked("POST", GRAPHQL, JSON | {"origin": f"http://{HOST}.evil.example"}), 403, "cross_origin", id="our origin as prefix"),
    pytest.param(asked("POST", GRAPHQL, JSON | OURS, [("Origin", "http://evil.example")]), 403, "cross_origin", id="two origins"),
    pytest.param(asked("POST", GRAPHQL, JSON), 403, "cross_origin", id="graphql that does not say where it comes from"),
    pytest.param(asked("POST", GRAPHQL, JSON | {"sec-fetch-site": "same-site"}), 403, "cross_origin", id="same site, other port"),
    pytest.param(asked("POST", GRAPHQL, JSON | {"sec-fetch-site": "none"}), 403, "cross_origin", id="post without an initiator"),
    pytest.param(asked("POST", GRAPHQL, JSON | OURS | {"sec-fetch-site": "cross-site"}), 403, "cross_origin", id="headers that disagree"),
    pytest.param(asked("OPTIONS", GRAPHQL, EVIL), 403, "cross_origin", id="preflight"),
    pytest.param(asked("DELETE", RUN), 403, "cross_origin", id="any other method without an origin"),
    pytest.param(asked("GET", RUN, EVIL), 403, "cross_origin", id="a read that is sent for a foreign page"),
    pytest.param(asked("GET", f"{GRAPHQL}?query=mutation{{launchRun}}"), 405, "method_not_allowed", id="mutation by GET"),
    pytest.param(asked("GET", f"{GRAPHQL}?query=mutation", OURS), 405, "method_not_allowed", id="mutation by GET of our own page"),
    pytest.param(asked("HEAD", f"{GRAPHQL}?query=mutation"), 405, "method_not_allowed", id="mutation by HEAD"),
    pytest.param(asked("GET", f"{GRAPHQL}/?query=mutation"), 405, "method_not_allowed", id="mutation by GET, trailing slash"),
    pytest.param(asked("GET", "/DAGSTER/GraphQL?query=mutation"), 405, "method_not_allowed", id="mutation by GET, upper case"),
    pytest.param(asked("GET", "/graphql?query=mutation"), 405, "method_not_allowed", id="mutation by GET, without the prefix"),
    pytest.param(asked("PUT", GRAPHQL, JSON | OURS), 405, "method_not_allowed", id="graphql by PUT"),
    pytest.param(asked("POST", GRAPHQL, OURS | {"content-type": "application/graphql"}), 415, "media_type_unsupported", id="graphql text"),
    pytest.param(
        asked("POST", f"{GRAPHQL}?query=mutation", OURS | {"content-type": "text/plain"}),
        415,
        "media_type_unsupported",
        id="form without preflight",
    ),
    pytest.param(
        asked("POST", GRAPHQL, OURS | {"content-type": "text/plain; application/json"}),
        415,
        "media_type_unsupported",
        id="a media type that only contains ours",
    ),
    pytest.param(asked("POST", GRAPHQL, OURS | {"content-type": "multipart/form-data"}), 415, "media_type_unsupported", id="upload"),
    pytest.param(asked("POST", f"{GRAPHQL}?query=mutation", OURS), 415, "media_type_unsupported", id="no media type"),
    pytest.param(
        asked("POST", GRAPHQL, OURS | JSON, [("Content-Type", "text/plain")]), 415, "media_type_unsupported", id="two media types"
    ),
    pytest.param(asked("POST", "/dagster/report_asset_materialization/x", OURS | JSON), 403, "endpoint_closed", id="forged event"),
    pytest.param(asked("POST", "/dagster/report_asset_check/gates", OURS | JSON), 403, "endpoint_closed", id="forged check"),
    pytest.param(asked("POST", "/dagster/report_asset_observation/x", OURS | JSON), 403, "endpoint_closed", id="forged observation"),
    pytest.param(asked("POST", "/report_asset_check/gates", OURS | JSON), 403, "endpoint_closed", id="forged check without the prefix"),
    pytest.param(asked("POST", "/dagster/Report_Asset_Check/gates", OURS | JSON), 403, "endpoint_closed", id="forged check, upper case"),
    pytest.param(asked("POST", "/dagster/report%5Fasset%5Fcheck/gates", OURS | JSON), 403, "endpoint_closed", id="encoded letters"),
    pytest.param(asked("GET", "/dagster/download_debug/1"), 403, "endpoint_closed", id="debug file"),
    pytest.param(asked("GET", "/dagster/logs/a/b.err"), 403, "endpoint_closed", id="logs"),
    pytest.param(asked("GET", "/dagster/logs/"), 403, "endpoint_closed", id="logs, trailing slash"),
    pytest.param(asked("GET", "/dagster/notebook?path=/etc/x.ipynb"), 403, "endpoint_closed", id="notebook"),
    pytest.param(asked("GET", "/dagster/dagit/notebook?path=/etc/x.ipynb"), 403, "endpoint_closed", id="notebook by its old name"),
    pytest.param(asked("POST", "/dagster//report_asset_check/gates", OURS), 400, "path_not_canonical", id="two slashes"),
    pytest.param(asked("POST", "/dagster/x/../report_asset_check/g", OURS), 400, "path_not_canonical", id="dots"),
    pytest.param(asked("POST", "/dagster/x/%2e%2e/report_asset_check/g", OURS), 400, "path_not_canonical", id="encoded dots"),
    pytest.param(asked("GET", "/dagster/./graphql?query=mutation"), 400, "path_not_canonical", id="one dot"),
    pytest.param(asked("GET", "/dagster%2Fgraphql?query=mutation"), 400, "path_not_canonical", id="encoded slash"),
    pytest.param(asked("GET", "/dagster%5cgraphql"), 400, "path_not_canonical", id="encoded backslash"),
    pytest.param(asked("GET", "/dagster\\graphql"), 400, "path_not_canonical", id="backslash"),
    pytest.param(asked("GET", "/dagster/%2567raphql"), 400, "path_not_canonical", id="encoded twice"),
    pytest.param(asked("GET", "/dagster/graphql%00"), 400, "path_not_canonical", id="NUL"),
    pytest.param(asked("GET", "/dagster/graphql%0d%0a"), 400, "path_not_canonical", id="line break"),
    pytest.param(asked("OPTIONS", "*", OURS), 400, "path_not_canonical", id="no path at all"),
    pytest.param(asked("WEBSOCKET", GRAPHQL, EVIL), 403, "cross_origin", id="websocket of a foreign page"),
    pytest.param(asked("WEBSOCKET", GRAPHQL), 403, "cross_origin", id="websocket without an origin"),
    pytest.param(
        asked("WEBSOCKET", GRAPHQL, {"sec-fetch-site": "same-origin"}), 403, "cross_origin", id="websocket by its fetch site alone"
    ),
    pytest.param(asked("WEBSOCKET", GRAPHQL, OURS | {"host": "evil.example"}), 421, "host_unknown", id="websocket by a rebound name"),
    pytest.param(asked("WEBSOCKET", "/dagster/other", OURS), 403, "endpoint_closed", id="websocket elsewhere"),
]


@pytest.mark.parametrize(("scope", "status", "code"), REFUSED)
def test_refused_before_anything_sees_it(scope: Scope, status: int, code: str) -> None:
    served = Served()
    start, body = ask(scope, served)
    assert not served.reached
    assert start["status"] == status
    assert values(start, b"content-type") == [b"application/problem+json"]
    assert values(start, b"cache-control") == [b"private, no-store"]
    if scope.get("method") == "HEAD":
        assert body["body"] == b""
    else:
        problem = json.loads(body["body"])
        assert (problem["status"], problem["code"]) == (status, code)


@pytest.mark.parametrize(
    "scope",
    [
        pytest.param(asked("GET", "/"), id="index"),
        pytest.param(asked("GET", "/", {"host": "localhost:8177"}), id="index by name"),
        pytest.param(asked("GET", RUN, {"sec-fetch-site": "cross-site"}), id="a link from a wiki"),
        pytest.param(asked("HEAD", RUN), id="a probe"),
        pytest.param(asked("GET", "/dagster"), id="the UI"),
        pytest.param(asked("GET", "/dagster/locations/__repository__%40evaluation-plane/asset-groups/runs"), id="an encoded letter"),
        pytest.param(asked("GET", "/dagster/assets/report?partition=a%7Cb%2Fc"), id="an encoded query"),
        pytest.param(asked("GET", "/dagster/_next/static/chunks/main.js"), id="a script of the UI"),
        pytest.param(asked("GET", "/dagster/server_info"), id="versions"),
        pytest.param(asked("POST", GRAPHQL, JSON | OURS), id="graphql of the UI"),
        pytest.param(asked("POST", GRAPHQL, {"content-type": "Application/JSON; charset=utf-8"} | OURS), id="graphql with a charset"),
        pytest.param(asked("POST", GRAPHQL, JSON | OURS | {"sec-fetch-site": "same-origin"}), id="graphql with both headers"),
        pytest.param(asked("POST", GRAPHQL, JSON | {"sec-fetch-site": "same-origin"}), id="graphql with the fetch site alone"),
        pytest.param(asked("POST", GRAPHQL, JSON | {"host": "localhost:8177", "origin": "http://localhost:8177"}), id="graphql by name"),
        pytest.param(asked("WEBSOCKET", GRAPHQL, OURS), id="subscriptions of the UI"),
    ],
)
def test_legitimate_requests_pass(scope: Scope) -> None:
    served = Served()
    ask(scope, served)
    assert served.reached == [scope["path"]]


def test_a_refusal_repeats_nothing_of_the_request() -> None:
    canary = "canary4711"
    for scope in (asked("GET", f"/x/../{canary}"), asked("GET", f"/{canary}", {"host": canary}), asked("POST", f"/{canary}")):
        assert canary.encode() not in b"".join(message.get("body", b"") for message in ask(scope, Served()))


def test_answers_carry_our_headers_once_and_keep_the_policy_of_the_page() -> None:
    start = ask(asked("GET", "/dagster"), Served())[0]
    assert values(start, b"x-content-type-options") == [b"nosniff"]
    assert values(start, b"referrer-policy") == [b"no-referrer"]
    assert values(start, b"x-frame-options") == [b"DENY"]
    assert values(start, b"cache-control") == [b"private, no-store"]
    assert values(start, b"content-security-policy") == [b"base-uri 'none'", b"frame-ancestors 'none'"]


def test_static_files_may_be_cached() -> None:
    start = ask(asked("GET", "/dagster/_next/static/chunks/main.js"), Served())[0]
    assert values(start, b"cache-control") == [b"public"]
    assert values(start, b"x-content-type-options") == [b"nosniff"]


def test_a_server_that_cannot_answer_a_websocket_closes_it() -> None:
    scope = asked("WEBSOCKET", GRAPHQL)
    del scope["extensions"]
    assert ask(scope, Served()) == [{"type": "websocket.close", "code": 1008, "reason": "cross_origin"}]


def test_an_allowed_method_is_named() -> None:
    assert values(ask(asked("GET", GRAPHQL), Served())[0], b"allow") == [b"POST"]


def test_port_80_is_left_out_of_host_and_origin() -> None:
    scope = asked("POST", GRAPHQL, JSON | {"host": "localhost", "origin": "http://localhost"})
    assert refusal(scope, loopback_hosts(80)) is None
