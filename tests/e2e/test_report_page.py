"""Somebody gets nothing but report.html and opens it, offline: wide and narrow, light and dark, by keyboard and on paper."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from contracts.catalogs import fixture_cohort, hidden_answer_cohort
from contracts.cohorts import CohortCase
from contracts.runs import RunRequest
from evaluation_assets.targets.subjects import BUNDLED
from tests.e2e.test_graph_page import FLAGS
from tests.plain_runs import POOL_TRACKS, import_request, install, new_store, run_id, sealed, smoke_request

pytestmark = pytest.mark.slow
EXPORT = Path(__file__).parents[2] / "golden" / "fixtures" / "coderouterbench" / "export"
KINDS = ("smoke", "import", "mixture")
PATIENCE = 60_000


@dataclass(frozen=True)
class Written:
    """The pages of three runs, as files, and a browser without a network."""

    pages: dict[str, Path]
    browser: Browser

    def opened(self, kind: str, width: int, theme: str) -> tuple[Page, list[str]]:
        """The page, and everything that it complained of or asked for while it was opened."""
        heard: list[str] = []
        context = self.browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme, offline=True)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", lambda message: heard.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: heard.append(f"error: {error}"))
        page.on("request", lambda request: heard.append(f"request: {request.url}"))
        address = self.pages[kind].as_uri()
        page.goto(address)
        heard.remove(f"request: {address}")
        return page, heard


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    folder = tmp_path_factory.mktemp("report-page")
    store = new_store(folder)
    install(store, "coderouterbench", EXPORT, folder, "coding")
    (target_id,) = BUNDLED.mixtures()
    mixture = RunRequest.build(
        {"suite_ids": ["live-mom-core"], "tracks": [str(track) for track in POOL_TRACKS], "mode": "replay", "target_id": target_id},
        "request",
    )
    pages = {}
    for number, (kind, request) in enumerate(zip(KINDS, (smoke_request(), import_request("coding"), mixture), strict=True), start=1):
        sealed(store, request, number)
        pages[kind] = folder / f"{kind}.html"
        pages[kind].write_bytes(store.run(run_id(number)).read("report.html"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield Written(pages, browser)
        browser.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390, 320])
@pytest.mark.parametrize("kind", KINDS)
def test_it_opens_offline_fits_and_is_accessible(written: Written, kind: str, width: int, theme: str) -> None:
    page, heard = written.opened(kind, width, theme)
    assert heard == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    violations = Axe().run(page).response["violations"]
    assert [(found["id"], [node["target"] for node in found["nodes"]][:3]) for found in violations] == []
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(246, 246, 242)", "dark": "rgb(16, 21, 27)"}[theme]


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_leaves_its_box_and_no_picture_is_empty(written: Written, kind: str) -> None:
    page, _ = written.opened(kind, 390, "light")
    spilled = page.evaluate(
        """[...document.querySelectorAll('h1, h2, h3, dd, li, .strip a, .gates .why, figcaption')]
           .filter(box => box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).display !== 'inline')
           .map(box => box.textContent.slice(0, 60))"""
    )
    assert spilled == []
    sizes = page.evaluate(
        "[...document.querySelectorAll('svg[role=img]')].filter(s => s.checkVisibility()).map(s => s.getBoundingClientRect().width)"
    )
    assert sizes
    assert min(sizes) > 40


def test_the_first_screen_holds_verdict_level_and_gates(written: Written) -> None:
    page, _ = written.opened("mixture", 1280, "light")
    for wanted in ("h1", ".opening .ladder", ".opening .strip li:last-child", ".opening .notes li"):
        box = page.locator(wanted).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 900, wanted
    assert "Counterfactual" in page.locator(".opening .notes li").first.inner_text()


def test_keys_lead_past_the_list_of_sections_to_a_gate(written: Written) -> None:
    page, _ = written.opened("mixture", 1280, "light")
    page.keyboard.press("Tab")
    skip = page.locator(":focus")
    assert skip.inner_text() == "Skip to the report"
    box = skip.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    first = page.locator(":focus")
    assert first.get_attribute("href") == "#G0"
    assert first.evaluate("link => getComputedStyle(link).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    assert page.url.endswith("#G0")


def test_on_paper_everything_is_open_and_light(written: Written) -> None:
    page, _ = written.opened("mixture", 1280, "dark")
    page.emulate_media(media="print")
    assert not page.locator(".toc").is_visible()
    # The theme of a browser doesn't reach the page while it prints: the ink is dark whatever the reader prefers.
    assert page.locator("h1").evaluate("title => getComputedStyle(title).color") == "rgb(23, 33, 43)"
    closed = page.locator("details:not([open])")
    assert closed.count() > 1
    assert all(closed.nth(at).bounding_box()["height"] > 100 for at in range(closed.count()))  # type: ignore[index]
    assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.parametrize("kind", KINDS)
def test_tables_fit_on_a_sheet(written: Written, kind: str) -> None:
    page, _ = written.opened(kind, 690, "light")  # A4 without its margins
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 690


def _cases(kind: str) -> tuple[CohortCase, ...]:
    return hidden_answer_cohort("live-mom-core").cases if kind == "mixture" else fixture_cohort("evaluation-smoke").cases


@pytest.mark.parametrize("kind", ["smoke", "mixture"])
def test_no_prompt_no_answer_and_no_case_is_in_its_bytes(written: Written, kind: str) -> None:
    """Answers such as `42` stand in any page that counts something, so those are looked for that no other page would hold."""
    page = written.pages[kind].read_text(encoding="utf-8")
    cases = _cases(kind)
    prompts = [message.content for case in cases for message in case.messages]
    assert len(prompts) >= len(cases) > 3
    assert [prompt for prompt in prompts if prompt in page or prompt[:40] in page] == []
    assert [case.case_id for case in cases if re.search(rf"\b{re.escape(case.case_id)}\b", page)] == []
    other = written.pages["import"].read_text(encoding="utf-8").casefold()
    telling = [case.expected_answer for case in cases if case.expected_answer and len(case.expected_answer) > 3]
    words = set(re.findall(r"[\w.-]+", page.casefold()))
    assert [answer for answer in telling if answer.casefold() in words and answer.casefold() not in other] == []
    if kind == "mixture":
        assert len(telling) > 10


@pytest.mark.parametrize("kind", KINDS)
def test_it_stays_small_and_names_no_host(written: Written, kind: str) -> None:
    data = written.pages[kind].read_bytes()
    assert len(data) < 300_000
    assert re.findall(rb"https?://(?!www\.w3\.org)[^\s\"<]+", data) == []
    assert b"127.0.0.1" not in data
