"""The routing label: first best arm of a complete row, else nothing; a native route wins."""

import pyarrow as pa
import pytest

from contracts.tables import GRADING_CASES, OUTCOMES, ROUTES
from evaluation_assets.records.route_labels import with_expected_arm
from tests.unit.records.rows import table_of

ARMS = ("a", "b", "c")


def routes(*cases: str) -> pa.Table:
    return table_of(ROUTES, [{"case_id": case, "attempt": 1, "selection_status": "selected", "selected_arm_id": "c"} for case in cases])


def matrix(**qualities: tuple[float | None, ...]) -> pa.Table:
    """case -> quality per arm; sorted by case and arm as records are."""
    return table_of(
        OUTCOMES,
        [
            {"case_id": case, "arm_id": arm, "attempt": 1, "status": "succeeded", "quality": quality}
            for case, row in sorted(qualities.items())
            for arm, quality in zip(ARMS, row, strict=True)
        ],
    )


def labels(**native: str | None) -> pa.Table:
    return table_of(GRADING_CASES, [{"case_id": case, "weight": 1.0, "expected_route": route} for case, route in native.items()])


@pytest.mark.parametrize(
    ("row", "native", "expected"),
    [
        pytest.param((0.2, 0.9, 0.5), None, "b", id="the best arm"),
        pytest.param((0.9, 0.2, 0.9), None, "a", id="a tie goes to the first arm"),
        pytest.param((0.0, 1.0, 1.0), None, "b", id="a tie behind a zero"),
        pytest.param((0.0, 0.0, 0.0), None, None, id="no arm was right"),
        pytest.param((0.9, None, 0.1), None, None, id="a missing cell: no oracle"),
        pytest.param((None, None, None), None, None, id="no cell at all"),
        pytest.param((1e-9, 0.0, 0.0), None, "a", id="the smallest quality is one"),
        pytest.param((0.2, 0.9, 0.5), "c", "c", id="the suite's own route wins"),
        pytest.param((0.0, 0.0, 0.0), "c", "c", id="the suite's own route needs no oracle"),
        pytest.param((0.9, None, 0.1), "a", "a", id="the suite's own route needs no matrix"),
    ],
)
def test_expected_arm(row: tuple[float | None, ...], native: str | None, expected: str | None) -> None:
    labelled = with_expected_arm(routes("c1"), matrix(c0=(1.0, 0.0, 0.0), c1=row, c2=(0.0, 0.0, 1.0)), labels(c1=native), ARMS)
    assert labelled.column("expected_arm_id").to_pylist() == [expected]
    assert labelled.schema.equals(ROUTES)
    assert labelled.column("selected_arm_id").to_pylist() == ["c"]


def test_without_the_pool_track_only_native_routes_are_known() -> None:
    labelled = with_expected_arm(routes("c1", "c2"), None, labels(c1=None, c2="b"), ARMS)
    assert labelled.column("expected_arm_id").to_pylist() == [None, "b"]


def test_a_routed_case_outside_the_matrix_has_no_label() -> None:
    labelled = with_expected_arm(routes("c1", "c9"), matrix(c1=(1.0, 0.0, 0.0)), labels(), ARMS)
    assert labelled.column("expected_arm_id").to_pylist() == ["a", None]


def test_actions_of_an_arm_and_later_attempts_are_not_the_arm() -> None:
    extra = matrix(c1=(0.0, 0.0, 1.0)).to_pylist()
    rows = matrix(c1=(1.0, 0.0, 0.0)).to_pylist()
    rows += [row | {"action": "think"} for row in extra] + [row | {"attempt": 2} for row in extra]
    labelled = with_expected_arm(routes("c1"), table_of(OUTCOMES, rows), labels(), ARMS)
    assert labelled.column("expected_arm_id").to_pylist() == ["a"]
