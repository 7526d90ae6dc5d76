"""The plan: which cells a run owes, in which order, each exactly once."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import NotAdmitted
from contracts.tables import PLAN, VISIBLE_CASES
from contracts.tracks import Track, in_order
from evaluation_assets.runs.planning import check_plan, plan_suite
from tests.unit.suite_makers import table_of


def cases(carried: dict[str, tuple[str, ...]]) -> pa.Table:
    return table_of(VISIBLE_CASES, [{"case_id": case, "tracks": list(tracks), "tags": []} for case, tracks in sorted(carried.items())])


CASES = {"c1": ("routing", "model_pool"), "c2": ("model_pool", "joint"), "c3": ("safety",)}


def keys(plan: pa.Table) -> list[tuple[str, str, str | None]]:
    return [(row["track"], row["case_id"], row["arm_id"]) for row in plan.to_pylist()]


def test_order_is_track_case_arm() -> None:
    plan = plan_suite("s", cases(CASES), ("a", "b"), (Track.ROUTING, Track.MODEL_POOL, Track.JOINT))
    assert keys(plan) == [
        ("routing", "c1", None),
        ("model_pool", "c1", "a"),
        ("model_pool", "c1", "b"),
        ("model_pool", "c2", "a"),
        ("model_pool", "c2", "b"),
        ("joint", "c2", None),
    ]
    assert plan.schema.equals(PLAN)
    assert {(row["suite_id"], row["attempt"], row["action"]) for row in plan.to_pylist()} == {("s", 1, None)}


def test_tracks_that_were_not_chosen_owe_nothing() -> None:
    assert keys(plan_suite("s", cases(CASES), ("a",), (Track.SAFETY,))) == [("safety", "c3", None)]
    assert len(plan_suite("s", cases({}), ("a",), tuple(Track))) == 0
    assert len(plan_suite("s", cases(CASES), (), (Track.MODEL_POOL,))) == 0


def test_a_chosen_track_without_a_cell_is_refused() -> None:
    plan = plan_suite("s", cases(CASES), ("a",), (Track.ROUTING, Track.AGENTIC))
    with pytest.raises(NotAdmitted) as refused:
        check_plan(plan, (Track.ROUTING, Track.AGENTIC))
    assert refused.value.at == "track agentic"
    check_plan(plan, (Track.ROUTING,))


@given(
    st.dictionaries(st.text("abc/", min_size=1, max_size=4), st.sets(st.sampled_from(list(Track)), min_size=1).map(tuple), max_size=8),
    st.sets(st.sampled_from(["a", "b", "c", "d"])).map(sorted),
    st.sets(st.sampled_from(list(Track))).map(in_order),
)
def test_every_eligible_cell_exactly_once_and_no_other(
    carried: dict[str, tuple[Track, ...]], arms: list[str], tracks: tuple[Track, ...]
) -> None:
    plan = plan_suite("s", cases({case: tuple(map(str, of)) for case, of in carried.items()}), arms, tracks)
    owed = [
        (str(track), case, arm)
        for track in tracks
        for case in sorted(carried)
        if track in carried[case]
        for arm in (arms if track is Track.MODEL_POOL else [None])
    ]
    assert keys(plan) == owed
