"""The picture of the pool: what each cell becomes, who is best, and that neither an order nor a case can be read off it."""

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError

from contracts.pool_pictures import MAX_COLUMNS, PoolPicture
from evaluation_assets.reductions.matrix import DenseMatrix
from evaluation_assets.reductions.observations import Selections
from evaluation_assets.reductions.pool_facts import PoolFacts, pool_facts
from evaluation_assets.reductions.pool_picture import picture_of
from tests import builders

NAN = float("nan")
NOBODY = Selections(np.array([], dtype=np.int32), 2)


def pool(quality: list[list[float]], success: list[list[int]] | None = None) -> PoolFacts:
    """Rows are cases. Success is 1 where a quality is known, else missing."""
    values = np.array(quality)
    known = np.where(np.isnan(values), -1, 1) if success is None else np.array(success)
    return facts(values, known.astype(np.int8))


def facts(quality: NDArray[np.float64], success: NDArray[np.int8]) -> PoolFacts:
    cases, arms = quality.shape
    matrix = DenseMatrix(
        case_ids=pa.array([f"case-{case:04d}" for case in range(cases)]),
        suite_cases=(cases,),
        arm_ids=tuple(f"arm-{arm}" for arm in range(arms)),
        quality=quality,
        success=success,
        cost_known=np.zeros(quality.shape, dtype=np.bool_),
        arm_costs=(),
    )
    return pool_facts(matrix)


def cells(picture: PoolPicture) -> list[str | None]:
    return [arm.cells for arm in picture.arms]


@pytest.mark.parametrize(
    ("quality", "success", "state"),
    [
        (1.0, 1, "9"),
        (0.9, 1, "9"),
        (0.899, 1, "8"),
        (0.1, 1, "1"),
        (0.0999, 1, "0"),
        (0.0, 1, "0"),
        (0.0, 0, "x"),
        (NAN, 1, "?"),
        (NAN, -1, "-"),
        (0.5, -1, "5"),
    ],
)
def test_each_cell_has_one_state(quality: float, success: int, state: str) -> None:
    picture = picture_of(pool([[quality, 0.5]], [[success, 1]]), NOBODY)
    assert cells(picture) == [state, "5"]


def test_columns_are_cases_from_easy_to_hard_in_whatever_order_they_came() -> None:
    rows = [[0.0, 0.95], [0.95, 0.95], [0.0, 0.0], [0.3, 0.6]]
    pictures = [picture_of(pool([rows[at] for at in order]), NOBODY) for order in ((0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1))]
    assert cells(pictures[0]) == ["9030", "9960"]
    assert pictures[0] == pictures[1] == pictures[2]
    assert len({picture.canonical() for picture in pictures}) == 1


def test_who_is_best_alone_together_or_nowhere() -> None:
    picture = picture_of(pool([[0.9, 0.1], [0.5, 0.5], [0.0, 0.0], [0.2, 0.3], [NAN, 1.0]]), NOBODY)
    assert [(arm.best_alone, arm.best_shared) for arm in picture.arms] == [(1, 1), (1, 1)]
    assert (picture.cases, picture.complete_cases, picture.unsolved_cases, picture.shared_cases) == (5, 4, 1, 1)


def test_one_arm_is_alone_wherever_it_solves() -> None:
    picture = picture_of(pool([[0.9], [0.0]]), Selections(np.array([0, 0, -1], dtype=np.int32), 1))
    assert (picture.arms[0].best_alone, picture.unsolved_cases) == (1, 1)
    assert (picture.arms[0].selected, picture.selections, picture.selected_none) == (2, 3, 1)


def test_choices_of_other_arms_and_of_none_are_counted_apart() -> None:
    picture = picture_of(pool([[0.9, 0.1]]), Selections(np.array([0, 0, 1, -1, -2, -2], dtype=np.int32), 2))
    assert [arm.selected for arm in picture.arms] == [2, 1]
    assert (picture.selections, picture.selected_none, picture.selected_elsewhere) == (6, 1, 2)


@pytest.mark.parametrize("cases", [MAX_COLUMNS, MAX_COLUMNS + 1])
def test_many_cases_leave_the_histogram_alone(cases: int) -> None:
    picture = picture_of(pool([[0.95, 0.0]] * cases), NOBODY)
    assert (cells(picture)[0] is None) == (cases > MAX_COLUMNS)
    assert picture.arms[0].histogram[9] == picture.arms[1].histogram[0] == cases


def test_no_case_and_no_arm() -> None:
    empty = picture_of(facts(np.empty((0, 2)), np.empty((0, 2), dtype=np.int8)), NOBODY)
    assert cells(empty) == ["", ""]
    assert empty.complete_cases == 0


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"cases": 5}, id="another number of cases"),
        pytest.param({"selections": 9}, id="a choice too many"),
        pytest.param({"complete_cases": 1}, id="fewer complete cases than were won"),
        pytest.param({"unsolved_cases": 4}, id="unsolved and won"),
    ],
)
def test_counts_that_do_not_add_up_are_refused(change: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        builders.pool_picture(("9990", "0123"), **change)


def test_columns_out_of_order_are_refused() -> None:
    """An order that does not follow from the columns could be that of the cases."""
    made = builders.pool_picture(("90", "10"))
    arms = tuple(arm.model_copy(update={"cells": arm.cells[::-1]}) for arm in made.arms if arm.cells)
    with pytest.raises(ValidationError, match="sorted by what they hold"):
        PoolPicture(**{**dict(made), "arms": arms})
