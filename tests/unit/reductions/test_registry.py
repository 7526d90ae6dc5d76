"""Registry, catalog and documentation say the same."""

import re
from pathlib import Path

import pytest

from contracts.catalogs import metric_catalog
from contracts.measured import Reason
from contracts.metrics import ARM
from contracts.tracks import Track
from evaluation_assets.reductions.catalog import BEGIN, END, anchor, markdown_table
from evaluation_assets.reductions.registry import REDUCERS, reduce_run, reduce_track
from tests.unit.reductions.runs import golden_run, run

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "metrics.md").read_text(encoding="utf-8")
ROWS = metric_catalog().metrics
SOURCES = Path(__file__).resolve().parents[3] / "evaluation_assets" / "reductions"


@pytest.mark.parametrize("track", Track)
def test_reducers_are_the_reduced_rows(track: Track) -> None:
    assert set(REDUCERS[track]) == {row.metric_id for row in metric_catalog().of_track(track) if row.reduced}


def test_every_track_has_rows() -> None:
    assert {row.track for row in ROWS} == set(Track) == set(REDUCERS)


def test_no_cost_and_nothing_unreduced_is_sliced() -> None:
    assert not [row.metric_id for row in ROWS if row.sliced and (not row.reduced or row.unit.startswith("USD"))]


def test_golden_run_has_every_row_of_its_tracks_in_order() -> None:
    inputs = golden_run()
    metrics = reduce_run(inputs).metrics
    ids = {row.metric_id.replace(ARM, arm) for row in ROWS if row.track in inputs.tracks for arm in inputs.arms}
    assert {value.metric_id for value in metrics if value.slice == "all"} == ids
    places = [(list(Track).index(value.track), value.metric_id, value.slice) for value in metrics]
    assert places == sorted(places)
    assert len(places) == len(set(places))


@pytest.mark.parametrize("track", golden_run().tracks)
def test_one_track_alone_says_the_same(track: Track) -> None:
    inputs = golden_run()
    assert reduce_track(track, inputs) == tuple(value for value in reduce_run(inputs).metrics if value.track is track)


@pytest.mark.parametrize("track", [Track.AGENTIC, Track.MULTIMODAL, Track.PREFERENCE, Track.SAFETY, Track.CAPACITY])
def test_unreduced_tracks_are_null_and_say_so(track: Track) -> None:
    names = {
        Track.AGENTIC: "trajectories",
        Track.MULTIMODAL: "media_outcomes",
        Track.PREFERENCE: "preferences",
        Track.SAFETY: "safety_decisions",
        Track.CAPACITY: "load_requests",
    }
    rows = [{"case_id": case, "attempt": 1, "status": "succeeded"} for case in "cd"]
    values = reduce_run(run("a", (track,), cases={"s": [{"case_id": "c"}, {"case_id": "d"}]}, **{names[track]: {"s": rows}})).metrics
    assert len(values) == len(metric_catalog().of_track(track)) > 0
    assert {(value.value, value.reason, value.n, value.planned_n) for value in values} == {(None, Reason.NO_REDUCER, 0, 2)}


def test_the_page_has_the_generated_table() -> None:
    assert PAGE[PAGE.index(BEGIN) + len(BEGIN) + 1 : PAGE.index(END)] == markdown_table()


def test_every_row_and_every_method_has_an_anchor() -> None:
    anchors = re.findall(r'<a id="([^"]+)">', PAGE)
    assert len(anchors) == len(set(anchors))
    assert {anchor(row.metric_id) for row in ROWS} | {row.interval for row in ROWS if row.interval} <= set(anchors)


def test_the_page_explains_each_reason_once() -> None:
    assert re.findall(r"^\| `([a-z_]+)` \| .+\. \|$", PAGE, flags=re.MULTILINE) == list(Reason)


def test_docstrings_name_anchors_that_exist() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(SOURCES.glob("*.py")))
    named = set(re.findall(r"docs/metrics\.md, ([a-z_]+\.[a-z_.<>0-9]+[a-z0-9_])", text))
    assert len(named) > 30
    assert {anchor(name) for name in named} <= set(re.findall(r'<a id="([^"]+)">', PAGE))
