"""A person opens the asset graph in a browser: a run, its checks, and its way back to the suite can be read."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from ledgers.index.build import refresh
from tests.e2e.test_up import up
from tests.plain_runs import new_store, run_id, sealed, smoke_request

pytestmark = pytest.mark.slow
PATIENCE = 60_000
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, str]]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    folder: Path = tmp_path_factory.mktemp("graph-page")
    store = new_store(folder)
    sealed(store, smoke_request())
    refresh(store)
    with up(store.root, dagster=True, cwd=folder) as (_, url), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": 1680, "height": 860})
        page.set_default_timeout(PATIENCE)
        yield page, url.rstrip("/")
        browser.close()


def test_the_graph_shows_every_step_from_suite_to_report(served: tuple[Page, str]) -> None:
    page, url = served
    page.goto(f"{url}/dagster/asset-groups")
    expect(page.get_by_text("reductions").first).to_be_visible()
    page.keyboard.press("Alt+e")
    for name in ("suite", "run_manifest", "observations", "records", "model_pool", "gates", "report"):
        expect(page.get_by_text(name, exact=True).first).to_be_visible()


def test_only_passed_gates_are_green_and_each_says_why(served: tuple[Page, str]) -> None:
    page, url = served
    page.goto(f"{url}/dagster/assets/gates?view=checks&checkDetail=G3")
    expect(page.get_by_text("Checks (10)")).to_be_visible()
    expect(page.get_by_text("A single run never decides value", exact=False).first).to_be_visible()
    expect(page.get_by_text("Succeeded", exact=True)).to_have_count(2)


def test_the_run_leads_back_to_its_suite(served: tuple[Page, str]) -> None:
    page, url = served
    page.goto(f"{url}/dagster/assets/observations?view=lineage")
    expect(page.get_by_text("suite", exact=True).first).to_be_visible()
    expect(page.get_by_text("execution_plan", exact=True).first).to_be_visible()


def test_the_report_page_opens_from_the_runs_page(served: tuple[Page, str]) -> None:
    page, url = served
    page.goto(url)
    page.locator(f'a[href="/reports/{run_id(1)}"]').click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert run_id(1) in page.url
