"""The report page: what it must say, what it must never show, and that it stays one harmless, reproducible file."""

import base64
import hashlib
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from contracts.catalogs import gate_policy
from contracts.errors import InputError
from contracts.gates import Disposition, Verdict
from contracts.measured import Reason
from contracts.suites import SourceStatus
from contracts.tracks import Track
from evaluation_assets.reports.page import content_security_policy, render
from evaluation_assets.reports.words import DIRECTIONS, DISPOSITIONS, ENVIRONMENTS, LEDGERS, LEVELS, REASONS, SOURCES, TRACKS, VERDICTS
from tests import builders
from tests.unit.reports.reading import Element, read

SCRIPT = "<script>alert('x')</script>"
RIGHT_TO_LEFT = "\u202egnp.troper"
VERDICT_WORDS = {Verdict.PASS: "Pass", Verdict.FAIL: "Fail", Verdict.UNAVAILABLE: "Unavailable", Verdict.NOT_APPLICABLE: "Not applicable"}
READING_ORDER = [
    "In short",
    "What was evaluated",
    "Evidence levels",
    "Gates",
    "Coverage",
    "Quality, safety and preference",
    "Pool",
    "Latency, reliability and costs",
    "Lineage",
    "Failures and findings",
]


def page(**changes: object) -> Element:
    return read(render(builders.report(**changes)))


def strong_report(**changes: object) -> Element:
    levels = tuple(builders.coverage(track, 64, 0, 0, "E4") for track in (Track.ROUTING, Track.MODEL_POOL, Track.JOINT))
    return page(**{"evidence_level": "E4", "environment_kind": "live", "coverage": levels} | changes)


def hostile() -> Element:
    suite = builders.report_suite(
        name=f"{SCRIPT}{RIGHT_TO_LEFT}", arm_ids=(f"{SCRIPT}&\"'", RIGHT_TO_LEFT, "y" * 512), limitations=("L" * 4000, SCRIPT)
    )
    metrics = (
        *builders.metrics(),
        builders.metric(f"model_pool.arm.{SCRIPT}.quality", 0.5),
        builders.metric(f"model_pool.arm.{SCRIPT}.runtime_cost_usd", 0.001, unit="USD"),
        builders.metric("routing.coverage", 0.5, slice=f"domain={SCRIPT}"),
    )
    gates = (builders.gate(0, Verdict.PASS, rationale=f"{SCRIPT}{'R' * 4000}"), *builders.gates()[1:])
    return page(run=builders.report_run(name=f"{SCRIPT}{RIGHT_TO_LEFT}"), suites=(suite,), metrics=metrics, gates=gates)


def test_page_runs_nothing_and_fetches_nothing() -> None:
    for element in page().all() + hostile().all():
        assert element.tag not in {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
        assert [name for name in element.attributes if name.startswith("on") or name in {"style", "src", "srcset"}] == []
        assert element.attributes.get("href", "#").startswith("#")
    style = page().all("style")[0].text
    assert "url(" not in style
    assert "@import" not in style


def test_policy_admits_exactly_the_style_of_the_page() -> None:
    (style,) = page().all("style")
    digest = base64.b64encode(hashlib.sha256(style.text.encode()).digest()).decode()
    assert content_security_policy() == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert content_security_policy() in {meta.attributes.get("content") for meta in page().all("meta")}


def test_hostile_names_are_text() -> None:
    shown = hostile()
    assert SCRIPT in shown.all("section")[0].text
    assert shown.by_id("subject").text.count(SCRIPT) == 3  # suite name, arm, limitation
    assert "L" * 4000 in shown.text
    bidi = [element.text for element in shown.all("bdi")]
    assert {f"{SCRIPT}{RIGHT_TO_LEFT}", RIGHT_TO_LEFT} <= set(bidi)
    loose = [
        element
        for element in shown.all()
        for part in element.parts
        if isinstance(part, str) and element.tag != "bdi" and "\u202e" in re.sub("\u2068[^\u2069]*\u2069", "", part)
    ]
    assert loose == []
    assert f"\u2068{SCRIPT}{RIGHT_TO_LEFT}\u2069" in shown.all("title")[0].text


@pytest.mark.parametrize("reason", list(Reason))
def test_null_metric_shows_its_reason_and_no_digit(reason: Reason) -> None:
    shown = page(metrics=(builders.metric("routing.accuracy", None, reason=reason),))
    (cell,) = [cell for cell in shown.by_id("metrics").all("td") if "absent" in cell.classes]
    assert REASONS[reason] in cell.text
    assert reason.value in cell.text
    assert not re.search(r"\d", cell.text)
    assert "0 of 4" in shown.by_id("metrics").row_of("routing.accuracy").text


def test_null_metrics_of_slices_arms_and_facts_show_their_reason() -> None:
    null = {"reason": Reason.NO_SUCCESS}
    shown = page(
        metrics=(
            builders.metric("routing.accuracy", None, slice="language=en", **null),
            builders.metric("model_pool.oracle_gain", None, **null),
            builders.metric("model_pool.arm.arm-a.quality", None, **null),
        )
    )
    assert shown.text.count(REASONS[Reason.NO_SUCCESS]) == 5  # slice, arm, and the oracle gain in words, as fact and as row
    assert [cell.text for cell in shown.all("td") if not cell.text.strip() and not cell.all("svg")] == []


def test_every_member_has_words() -> None:
    assert set(REASONS) == set(Reason)
    assert set(VERDICTS) == set(Verdict)
    assert set(DISPOSITIONS) == set(Disposition)
    assert set(TRACKS) == set(Track)
    assert set(SOURCES) == set(SourceStatus)
    assert len(DIRECTIONS) == 3
    assert sorted(LEVELS) == [f"E{level}" for level in range(6)]
    assert set(ENVIRONMENTS) == {"recorded", "counterfactual", "reference", "live"}
    assert set(LEDGERS) == {"runtime", "evaluation_overhead", "capacity_tco"}


def test_every_gate_shows_its_word_its_glyph_and_its_border() -> None:
    verdicts = [Verdict.PASS, Verdict.FAIL, Verdict.NOT_APPLICABLE, *[Verdict.UNAVAILABLE] * 7]
    shown = page(gates=builders.gates(*verdicts))
    for number, verdict in enumerate(verdicts):
        row = shown.by_id(f"G{number}")
        link = next(a for a in shown.all("a") if a.attributes["href"] == f"#G{number}")
        for place in (row, link):
            assert {"pass", "fail", "unavailable", "not_applicable"} & set(place.classes) == {verdict.value}
            assert VERDICT_WORDS[verdict] in place.text
            assert [use.attributes["href"] for use in place.all("use")] == [f"#{verdict.value}"]
            if verdict is not Verdict.PASS:
                assert "pass" not in {name for element in place.all() for name in element.classes}


def test_unavailable_gate_names_what_is_missing_and_what_to_do() -> None:
    shown = page(gates=(*builders.gates()[:6], builders.gate(6, missing=("sealed_window:fault_recovery",)), *builders.gates()[7:]))
    text = shown.by_id("G6").text
    assert "Missing: sealed window: fault recovery (sealed_window:fault_recovery)." in text
    assert f"Next: {gate_policy().gates[6].next_step.removesuffix('.')}.\n" in text


def test_failed_gate_shows_what_was_observed_and_needed() -> None:
    failed = builders.gate(4, Verdict.FAIL, observed=0.875, threshold=0.9, operator=">=", n=80)
    text = page(gates=(*builders.gates()[:4], failed, *builders.gates()[5:])).by_id("G4").text
    assert "Observed 0.875; needed at least 0.9; n = 80." in text
    assert "Missing" not in text


@pytest.mark.parametrize(
    ("verdicts", "level", "tone", "said"),
    [
        pytest.param([Verdict.PASS] * 10, "E4", "pass", "All 10 required gates pass, on E4 evidence.", id="everything passes"),
        pytest.param(
            [Verdict.PASS] * 10,
            "E0",
            "unavailable",
            "A diagnostic, not a promotion: all 10 required gates pass, on E0 evidence.",
            id="E0 never looks like a pass",
        ),
        pytest.param(
            [Verdict.PASS] * 9,
            "E4",
            "unavailable",
            "Not enough evidence to promote: required gate G9 Online preference can't be decided.",
            id="one undecided",
        ),
        pytest.param(
            [Verdict.FAIL, *[Verdict.PASS] * 8],
            "E4",
            "fail",
            "Not fit to promote: required gate G0 Reproducibility fails; G9 Online preference can't be decided.",
            id="one failed",
        ),
        pytest.param(
            [Verdict.NOT_APPLICABLE] * 10,
            "E4",
            "unavailable",
            "Nothing to promote on: no gate is required of this run.",
            id="nothing required",
        ),
    ],
)
def test_first_line_is_the_verdict(verdicts: list[Verdict], level: str, tone: str, said: str) -> None:
    shown = page(gates=builders.gates(*verdicts), evidence_level=level)
    assert shown.all("h1")[0].text == said
    assert shown.all("section")[0].classes == ["card", "opening", tone]


def test_e0_has_no_headline_and_says_so() -> None:
    opening = page().all("section")[0]
    assert "E0 diagnostic: no promotion headline." in opening.text
    assert opening.all("data") == []
    assert "0.75" not in opening.text


def test_stronger_run_has_a_headline_and_no_such_sentence() -> None:
    opening = strong_report().all("section")[0]
    assert "no promotion headline" not in opening.text
    assert [data.attributes["value"] for data in opening.all("data")] == ["0.75", "0.25"]
    assert "Accuracy" in opening.text  # null, so it stands there with its reason
    assert REASONS[Reason.NO_DENSE_MATRIX] in opening.text


def test_mixed_run_of_weakest_track_e0_has_no_headline() -> None:
    shown = page(coverage=(builders.coverage(), builders.coverage(Track.JOINT, 4, 0, 0, "E5")))
    assert shown.all("section")[0].all("data") == []
    assert "stronger tracks show findings only" in shown.all("section")[0].text


def test_reference_environment_and_unverified_source_are_marked() -> None:
    plain = page().all("section")[0]
    marked = strong_report(environment_kind="reference", suites=(builders.report_suite(source_status=SourceStatus.UNVERIFIED),))
    marks = [item.text for item in marked.all("li") if "mark" in item.classes]
    assert marks == ["environment: reference", "source_unverified"]
    assert "demonstration" in marked.all("section")[0].text
    assert [item.text for item in plain.all("li") if "mark" in item.classes] == []


def test_reading_order_and_heading_levels() -> None:
    for shown in (page(), strong_report()):
        assert [heading.text for heading in shown.all("h2")] == READING_ORDER
        levels = [int(heading.tag[1]) for heading in shown.all("h1", "h2", "h3", "h4")]
        assert levels.count(1) == 1
        assert levels[0] == 1
        assert all(below <= above + 1 for above, below in pairwise(levels))


def test_pictures_have_a_title_and_ids_are_unique() -> None:
    shown = strong_report()
    ids = [element.attributes["id"] for element in shown.all() if "id" in element.attributes]
    assert sorted(ids) == sorted(set(ids))
    pictures = [svg for svg in shown.all("svg") if svg.attributes.get("aria-hidden") != "true"]
    assert len(pictures) > 8
    for svg in pictures:
        assert svg.attributes["role"] == "img"
        named = [shown.by_id(name) for name in svg.attributes["aria-labelledby"].split()]
        assert [element.tag for element in named] == ["title", "desc"]
        assert all(element.text for element in named)
    targets = {a.attributes["href"].removeprefix("#") for a in shown.all("a", "use") if a.attributes["href"].startswith("#")}
    assert targets <= set(ids)


def test_wide_tables_can_be_scrolled_by_keyboard_and_have_captions() -> None:
    shown = page(subject=builders.mixture())
    regions = [element for element in shown.all("div") if "scroll" in element.classes]
    assert len(shown.all("table")) == len(regions) > 10
    assert {(region.attributes["role"], region.attributes["tabindex"]) for region in regions} == {("region", "0")}
    captions = [shown.by_id(region.attributes["aria-labelledby"]) for region in regions]
    assert {caption.tag for caption in captions} == {"caption"}
    assert len({caption.text for caption in captions}) == len(captions)


def test_incomplete_ledgers_show_the_known_part_and_never_zero() -> None:
    costs = page().by_id("costs")
    assert "0.0025 USD" in costs.row_of("Runtime: the routed calls").text
    overhead = costs.row_of("Evaluation overhead").text
    assert "at least 0.0015 USD" in overhead
    assert "Incomplete" in overhead
    assert REASONS[Reason.UNPRICED] in overhead
    capacity = costs.row_of("Capacity: cost of serving").text
    assert "unknown" in capacity
    assert "USD" not in capacity


def test_metric_row_has_value_interval_method_and_counts() -> None:
    row = page().by_id("metrics").row_of("routing.coverage").text
    for words in ("0.75", "0.301 to 0.954", "4 of 4", "95%, wilson; higher is better"):
        assert words in row


def test_metrics_stand_in_the_section_where_they_are_read() -> None:
    shown = page()
    assert "routing.latency_p95_ms" in shown.by_id("costs").text
    assert "routing.latency_p95_ms" not in shown.by_id("metrics").text
    assert "joint.normalized_regret" in shown.by_id("pool").text
    assert "language=en" in shown.by_id("metrics").all("details")[0].text
    assert shown.by_id("pool").row_of("arm-b.v1", "(unpriced)").text.count(REASONS[Reason.UNPRICED]) == 1
    assert "Not drawn, because quality or every cost is missing: arm-b.v1." in shown.by_id("pool").text


def test_lineage_and_feedback_are_there() -> None:
    shown = page()
    lineage, feedback = shown.by_id("lineage").text, shown.by_id("feedback").text
    for character in "abcdef9":
        assert builders.digest(character) in lineage
    for words in ("Four cases show", "Two cases ask the same."):
        assert words in shown.by_id("subject").text
    for words in ("hidden-answer-exact.v1", f"evalplane verify {builders.RUN_ID}"):
        assert words in lineage
    for words in ("Few cases are routed.", "A gap in the signals.", "Close the gap.", "AF-ROUTING-COVERAGE", "1: the call ran out of time"):
        assert words in feedback


@pytest.mark.parametrize(
    ("url", "accepted"),
    [
        ("https://example.org/dagster/asset?x=1&y=2", True),
        ("/dagster/runs/1", True),
        ("javascript:alert(1)", False),
        ("//example.org/", False),
        ("/\\example.org/", False),
        ("data:text/html,x", False),
        ("", False),
    ],
)
def test_link_to_dagster(url: str, accepted: bool) -> None:
    if accepted:
        links = [a.attributes["href"] for a in read(render(builders.report(), dagster_url=url)).all("a")]
        assert url in links
    else:
        with pytest.raises(InputError):
            render(builders.report(), dagster_url=url)


def test_page_is_small() -> None:
    assert len(render(builders.report())) < 70_000


def test_same_report_same_bytes_in_another_process() -> None:
    code = (
        "import hashlib; from tests import builders; from evaluation_assets.reports.page import render;"
        "print(hashlib.sha256(render(builders.report())).hexdigest())"
    )
    other = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "7"}
    )
    assert other.stdout.strip() == hashlib.sha256(render(builders.report())).hexdigest()
