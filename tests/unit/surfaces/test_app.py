"""The pages of `up` without a server: what they show of a store, and what they refuse to show."""

import asyncio
from pathlib import Path

import httpx
import pytest

from contracts.canonical import digest_bytes
from contracts.gates import RunGates, Verdict
from contracts.runs import RunError, RunState
from evaluation_assets.reports.page import content_security_policy, render
from evaluation_assets.surfaces import pages
from evaluation_assets.surfaces.app import application
from ledgers.store.inventory import checksum_list
from ledgers.store.publication import publish_bytes
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store
from tests.builders import gates
from tests.run_builders import NOW, anchor, create_run, run_id, run_report
from tests.unit.reports.reading import Element, read

PORT = 8177


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.found(tmp_path / "root")


def get(store: Store, path: str, **headers: str) -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(application(store, port=PORT))
        async with httpx.AsyncClient(transport=transport, base_url=f"http://127.0.0.1:{PORT}") as client:
            return await client.get(path, headers=headers)

    return asyncio.run(ask())


def seal(store: Store, number: int = 1, **changes: object) -> RunDirectory:
    """A run whose page, list and anchor agree."""
    run = create_run(store, number, **changes)
    run.move(RunState.RUNNING, now=NOW, stage="execution")
    run.move(RunState.SEALING, now=NOW, stage="sealing")
    decided = gates(Verdict.PASS, Verdict.PASS, Verdict.FAIL)
    run.publish(
        "gates.json",
        RunGates(
            schema_version="evaluation-gates.v1",
            contract="evaluation-release-gates.v2",
            policy_digest="policy",
            change_profile="schema_adapter",
            gates=decided,
        ),
    )
    report = run_report(run.manifest(), gates=decided)
    run.publish_bytes("report.html", render(report))
    publish_bytes(run.path / "checksums.sha256", checksum_list(run.path, ["gates.json", "report.html"]))
    bound = anchor(report).model_copy(update={"public_checksums": digest_bytes(run.read("checksums.sha256"))})
    run.publish("report-anchor.json", bound)
    run.move(RunState.COMPLETED, now=NOW, stage="completed", result_digest=report.result_digest)
    return run


def shown(response: httpx.Response) -> Element:
    assert response.headers.get_list("content-security-policy") == [content_security_policy(), "frame-ancestors 'none'"]
    return read(response.content)


def test_an_empty_store_says_how_to_begin(store: Store) -> None:
    assert "evalplane demo" in shown(get(store, "/")).text


def test_the_list_links_sealed_runs_alone_and_counts_their_verdicts(store: Store) -> None:
    seal(store, 1, name="first <b>try</b>")
    create_run(store, 2)
    failed = create_run(store, 3)
    failed.move(RunState.RUNNING, now=NOW, stage="execution")
    failed.move(RunState.FAILED, now=NOW, stage="execution", error=RunError(code="store.full", message="The disk refused the bytes."))
    page = shown(get(store, "/"))
    sealed = page.row_of(run_id(1))
    assert sealed.all("a")[0].attributes["href"] == f"/reports/{run_id(1)}"
    assert sealed.all("bdi")[0].text == "first <b>try</b>"
    assert [item.text for item in sealed.all("li")] == ["2 pass", "1 fail", "7 unavailable"]
    assert "Created, not started" in page.row_of(run_id(2)).text
    assert not page.row_of(run_id(2)).all("a")
    assert "store.full" in page.row_of(run_id(3)).text


def test_an_unreadable_run_hides_no_other(store: Store) -> None:
    create_run(store, 1)
    (create_run(store, 2).path / "status.json").write_text("{}")
    page = shown(get(store, "/"))
    assert "store.integrity" in page.row_of(run_id(2)).text
    assert "Created, not started" in page.row_of(run_id(1)).text


def test_a_long_list_is_cut_and_says_so(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "SHOWN_RUNS", 2)
    for number in range(3):
        create_run(store, number)
    page = shown(get(store, "/"))
    assert "the newest 2 of 3" in page.text
    assert len(page.all("tr")) == 1 + 2


def test_the_sealed_page_is_served_byte_for_byte(store: Store) -> None:
    run = seal(store)
    response = get(store, f"/reports/{run.run_id}")
    assert (response.status_code, response.content) == (200, run.read("report.html"))
    assert response.headers["cache-control"] == "private, no-store"
    assert shown(response).all("h1")


@pytest.mark.parametrize("changed", ["report.html", "checksums.sha256"])
def test_a_page_that_does_not_match_its_seal_is_not_shown(store: Store, changed: str) -> None:
    run = seal(store)
    (run.path / changed).write_bytes(run.read(changed).replace(b"e", b"f", 1))
    response = get(store, f"/reports/{run.run_id}")
    assert response.status_code == 500
    assert "store.integrity" in shown(response).text


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(f"/reports/{run_id(2)}", id="not sealed"),
        pytest.param(f"/reports/{run_id(9)}", id="no such run"),
        pytest.param("/reports/latest", id="not an id"),
        pytest.param(f"/reports/{run_id(1)}%0A", id="an id and a line break"),
        pytest.param(f"/reports/{run_id(1).upper()}", id="an id in upper case"),
        pytest.param(f"/reports/{run_id(1)}/report.json", id="a file below the report"),
        pytest.param("/dagster", id="the graph, which is left out"),
        pytest.param("/elsewhere", id="no such page"),
    ],
)
def test_what_is_not_there_is_a_page_that_says_so(store: Store, path: str) -> None:
    seal(store, 1)
    create_run(store, 2)
    response = get(store, path)
    assert response.status_code in (400, 404)
    if response.status_code == 404:
        assert "All runs" in shown(response).text


def test_an_unknown_api_resource_is_a_problem_document(store: Store) -> None:
    response = get(store, "/api/evaluation/v1/runs")
    assert (response.status_code, response.headers["content-type"]) == (404, "application/problem+json")
    assert response.json()["code"] == "not_found"


def test_health_is_answered(store: Store) -> None:
    assert get(store, "/healthz").json() == {"status": "ok"}


def test_pages_are_guarded(store: Store) -> None:
    assert get(store, "/", host="evil.example").status_code == 421
