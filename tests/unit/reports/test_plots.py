"""Bars: geometry at its edges, standing alone without page or labels; and the colours, readable in both themes."""

import re
from importlib import resources

import pytest

from contracts.gates import Verdict
from contracts.tracks import Track
from evaluation_assets.reports.plots import coverage_svg, gate_strip_svg, interval_bar, stacked
from evaluation_assets.reports.words import isolated, metric_name, number, percent, price, several, usd
from tests import builders
from tests.unit.reports.reading import read

TOKENS = {
    name: (light, dark)
    for name, light, dark in re.findall(
        r"--([a-z-]+): light-dark\((#\w{6}), (#\w{6})\)",
        (resources.files("evaluation_assets.reports") / "templates" / "tokens.css").read_text(encoding="utf-8"),
    )
}
TEXT_PAIRS = [
    ("ink", "bg"),
    ("ink", "surface"),
    ("muted", "bg"),
    ("muted", "surface"),
    ("muted", "sunken"),
    ("pass", "sunken"),
    ("accent", "surface"),
    ("accent", "bg"),
    ("on-accent", "accent"),
    ("pass", "surface"),
    ("pass", "pass-bg"),
    ("fail", "surface"),
    ("fail", "fail-bg"),
    ("muted", "fail-bg"),
    ("unavail", "surface"),
    ("unavail", "unavail-bg"),
    ("muted", "unavail-bg"),
    ("muted", "pass-bg"),
    ("ink", "unavail-bg"),
    ("na", "surface"),
    ("na", "na-bg"),
    ("muted", "na-bg"),
    ("ink", "fail-bg"),
]


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_has_contrast(theme: int) -> None:
    weak = [(a, b) for a, b in TEXT_PAIRS if contrast(TOKENS[a][theme], TOKENS[b][theme]) < 4.5]
    assert weak == []
    assert contrast(TOKENS["line-strong"][theme], TOKENS["surface"][theme]) >= 3


def test_one_failure_in_thousands_is_visible_and_the_bar_is_full() -> None:
    parts = stacked(builders.coverage(Track.CAPACITY, 99_999, 1, 0), 220)
    assert [part.kind for part in parts] == ["succeeded", "failed"]
    assert parts[1].width >= 4
    assert sum(part.width for part in parts) == pytest.approx(220)
    assert parts[1].x == parts[0].width


def test_nothing_planned_is_no_bar() -> None:
    assert stacked(builders.coverage(Track.SAFETY, 0, 0, 0), 220) == ()


@pytest.mark.parametrize(
    ("value", "ends", "unit", "axis"),
    [
        pytest.param(0.5, (0.25, 0.75), "fraction", ("0", "1"), id="a fraction lies on zero to one"),
        pytest.param(40.0, (38.0, 50.0), "ms", ("0", "50"), id="milliseconds start at zero"),
        pytest.param(0.0, (-0.5, 0.5), "score", ("-0.5", "0.5"), id="a signed score is not clipped"),
        pytest.param(0.0, (0.0, 0.0), "USD", ("0", "0"), id="an interval without width"),
    ],
)
def test_interval_stays_on_its_axis(value: float, ends: tuple[float, float], unit: str, axis: tuple[str, str]) -> None:
    bar = interval_bar(value, builders.interval(*ends), unit)
    assert bar.axis == axis
    assert 0 <= bar.lower <= bar.value <= bar.upper <= 1


@pytest.mark.parametrize(
    "drawn",
    [
        coverage_svg((builders.coverage(), builders.coverage(Track.JOINT, 1, 1, 2))),
        gate_strip_svg(builders.gates(Verdict.PASS, Verdict.FAIL, Verdict.NOT_APPLICABLE)),
    ],
    ids=["coverage", "gates"],
)
def test_standalone_pictures_carry_their_colours_and_words(drawn: bytes) -> None:
    (svg,) = [element for element in read(drawn).parts if not isinstance(element, str)]
    assert svg.attributes["xmlns"] == "http://www.w3.org/2000/svg"
    assert svg.attributes["role"] == "img"
    assert len(svg.all("title")) == len(svg.all("desc")) == 1
    assert b"var(" not in drawn
    assert b"<style" not in drawn
    assert drawn.count(b"href") == 0


def test_standalone_strip_says_every_verdict() -> None:
    text = read(gate_strip_svg(builders.gates(Verdict.PASS, Verdict.FAIL, Verdict.NOT_APPLICABLE))).text
    assert "G0: Pass. G1: Fail. G2: Not applicable. G3: Unavailable." in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (0.8906, "0.891"),
        (0.99996, "0.99996"),
        (-0.99996, "-0.99996"),
        (1e-7, "0.0000001"),
        (41.84, "41.8"),
        (1841.8, "1,841.8"),
        (12345678.0, "12,345,678"),
        (0.1, "0.1"),
        (1.0001, "1.0001"),
        (-0.05, "-0.05"),
    ],
)
def test_rounding_never_makes_a_zero_or_a_one(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("pico", "text"),
    [
        ("0", "0.00 USD"),
        ("1", "0.000000000001 USD"),
        ("2500000000", "0.0025 USD"),
        ("1234500000000000", "1,234.50 USD"),
        ("-1000000000000", "-1.00 USD"),
    ],
)
def test_money_is_exact(pico: str, text: str) -> None:
    assert usd(pico) == text


@pytest.mark.parametrize(
    ("micro", "text"),
    [(None, "unpriced"), (0, "0.00 USD"), (50_000, "0.05 USD"), (1, "0.000001 USD"), (12_500, "0.0125 USD"), (6_000_000, "6.00 USD")],
)
def test_prices_are_exact_and_none_is_not_free(micro: int | None, text: str) -> None:
    assert price(micro) == text


@pytest.mark.parametrize(
    ("part", "whole", "text"), [(0, 7, "0%"), (7, 7, "100%"), (1, 999, "under 1%"), (998, 999, "over 99%"), (1, 3, "33%"), (0, 1, "0%")]
)
def test_a_share_never_looks_like_nothing_or_everything(part: int, whole: int, text: str) -> None:
    assert percent(part, whole) == text


def test_a_foreign_name_cannot_leave_its_isolate() -> None:
    assert isolated("a\u2069b\u2066c") == "\u2068abc\u2069"
    assert several(["a", "b", "c"], shown=2) == "\u2068a\u2069, \u2068b\u2069 and 1 more"


@pytest.mark.parametrize(
    ("metric_id", "name"),
    [
        ("model_pool.best_single_quality", "Best single quality"),
        ("routing.latency_p95_ms", "Latency p95 (ms)"),
        ("multimodal.image.quality", "Image: quality"),
        ("capacity.slo_headroom", "SLO headroom"),
    ],
)
def test_metric_names_are_words(metric_id: str, name: str) -> None:
    assert metric_name(metric_id) == name
