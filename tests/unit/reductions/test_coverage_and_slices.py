"""Counts per track, and which slices a run has."""

import pytest

from contracts.errors import IntegrityError
from contracts.tracks import Track
from evaluation_assets.reductions.coverage import StatusCounts, status_counts, track_coverage
from evaluation_assets.reductions.inputs import ReductionInputs
from evaluation_assets.reductions.slices import MAX_VALUES, slices
from tests.unit.reductions.runs import Row, run

ROUTE_STATUSES = ["selected", "selected", "fallback", "abstained", "error", "unavailable"]
STATUSES = ["succeeded", "succeeded", "failed", "timed_out", "unavailable", "unavailable"]


def observed(track: Track, name: str, column: str, statuses: list[str]) -> ReductionInputs:
    rows: list[Row] = [{"case_id": f"c{number}", "attempt": 1, column: status} for number, status in enumerate(statuses)]
    return run("a", (track,), cases={"s": [{"case_id": row["case_id"]} for row in rows]}, **{name: {"s": rows}})


@pytest.mark.parametrize(
    ("track", "name", "column", "statuses", "expected"),
    [
        (Track.ROUTING, "routes", "selection_status", ROUTE_STATUSES, StatusCounts(6, 4, 1, 1)),
        (Track.JOINT, "routed_outcomes", "status", STATUSES, StatusCounts(6, 2, 2, 2)),
        (Track.AGENTIC, "trajectories", "status", STATUSES, StatusCounts(6, 2, 2, 2)),
        (Track.CAPACITY, "load_requests", "status", STATUSES[:1], StatusCounts(1, 1, 0, 0)),
    ],
    ids=["an abstention is a decision", "late is failed", "a track without reducer", "one cell"],
)
def test_counts(track: Track, name: str, column: str, statuses: list[str], expected: StatusCounts) -> None:
    inputs = observed(track, name, column, statuses)
    assert status_counts(track, inputs) == expected
    assert track_coverage(track, inputs, "E0").succeeded == expected.succeeded


def test_refuses_a_status_of_another_table() -> None:
    with pytest.raises(IntegrityError):
        status_counts(Track.JOINT, observed(Track.JOINT, "routed_outcomes", "status", ["selected"]))


def test_refuses_fewer_rows_than_planned() -> None:
    inputs = observed(Track.JOINT, "routed_outcomes", "status", STATUSES)
    short = ReductionInputs(inputs.tracks, inputs.arm_ids, inputs.cases, inputs.tables, {Track.JOINT: 7})
    with pytest.raises(IntegrityError, match="7 cells were planned"):
        status_counts(Track.JOINT, short)


def test_refuses_a_table_of_a_foreign_suite() -> None:
    inputs = observed(Track.JOINT, "routed_outcomes", "status", STATUSES)
    other = {"routed_outcomes": {"other": inputs.tables["routed_outcomes"]["s"]}}
    with pytest.raises(IntegrityError):
        status_counts(Track.JOINT, ReductionInputs(inputs.tracks, inputs.arm_ids, inputs.cases, other, inputs.planned))


def labels(*domains: str | None) -> dict[str, list[bool]]:
    cases = [{"case_id": f"c{number:03d}", "domain": domain} for number, domain in enumerate(domains)]
    inputs = run("a", (), cases={"s": cases})
    return {label: members.tolist() for label, members in slices(inputs)}


def test_a_value_is_a_slice() -> None:
    assert labels("b", "a", None, "b") == {"domain=a": [False, True, False, False], "domain=b": [True, False, False, True]}


@pytest.mark.parametrize(
    "domains",
    [[], [None, None], ["a", "a"], ["a", None], ["a", ""], ["a", "b" * 513]],
    ids=["no case", "no value", "one value", "one value and none", "an empty one", "one too long for a label"],
)
def test_one_value_is_no_slice(domains: list[str | None]) -> None:
    assert labels(*domains) == {}


def test_of_many_values_the_usual_ones_are_taken() -> None:
    rare = [f"v{number:03d}" for number in range(MAX_VALUES + 3)]
    got = labels(*rare, "zz", "zz")
    assert list(got) == [*(f"domain={value}" for value in rare[: MAX_VALUES - 1]), "domain=zz"]


def test_suites_are_stacked_by_id() -> None:
    cases = {"two": [{"case_id": "c", "language": "de"}], "one": [{"case_id": "c", "language": "en"}, {"case_id": "d", "language": "de"}]}
    assert {label: members.tolist() for label, members in slices(run("a", (), cases=cases))} == {
        "language=de": [False, True, True],
        "language=en": [True, False, False],
    }
