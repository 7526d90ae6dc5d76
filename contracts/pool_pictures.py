"""The dense matrix as a picture that may be shown: which arms answered how well, with nothing left that tells one case from another.

    0-9   quality by tenths: 0 is below 0.1, 9 is 0.9 and more        x   the call failed, a known quality of 0
    ?     an answer that was not graded                                -   nobody observed the cell

Columns are cases, from the easiest to the hardest (the sum of their tenths), equal sums by their own text: the order follows from the
columns alone, so that a place in it names no case. Beyond MAX_COLUMNS cases only the histograms are kept.
Integers and strings; no part of `result_digest`, since it is a view of what metrics.json says exactly.
"""

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from contracts.base import ArmId, Count, Document

STATES = "0123456789x?-"
MAX_COLUMNS = 240

Cells = Annotated[str, Field(max_length=MAX_COLUMNS, pattern=r"^[0-9x?-]*$")]


class ArmPicture(Document):
    """One arm. `histogram`: cases in each of STATES. `best_alone`, `best_shared`: complete cases on which it is the best, above 0."""

    arm_id: ArmId
    cells: Cells | None
    histogram: tuple[Count, ...] = Field(min_length=len(STATES), max_length=len(STATES))
    selected: Count
    best_alone: Count
    best_shared: Count


class PoolPicture(Document):
    """`complete_cases`: every arm has a quality. `unsolved_cases`: complete, and no arm is above 0. `selections`: planned routed cells."""

    schema_version: Literal["evaluation-pool-picture.v1"] = "evaluation-pool-picture.v1"
    cases: Count
    complete_cases: Count
    unsolved_cases: Count
    selections: Count
    selected_elsewhere: Count = Field(description="Chose an arm that was not frozen.")
    selected_none: Count
    arms: tuple[ArmPicture, ...]

    @model_validator(mode="after")
    def _counts_add_up(self) -> Self:
        ids = [arm.arm_id for arm in self.arms]
        if ids != sorted(set(ids)):
            raise ValueError("arms are unique and sorted by id")
        if any(sum(arm.histogram) != self.cases for arm in self.arms):
            raise ValueError("every case is in one state of each arm")
        if sum(arm.selected for arm in self.arms) + self.selected_elsewhere + self.selected_none != self.selections:
            raise ValueError("every routed cell chose one arm, another one or none")
        if self.complete_cases > self.cases or self.unsolved_cases > self.complete_cases or self.shared_cases < 0:
            raise ValueError("the cases that arms solve best are complete cases")
        return self

    @model_validator(mode="after")
    def _columns_are_in_their_order(self) -> Self:
        if any((arm.cells is None) != (self.cases > MAX_COLUMNS) for arm in self.arms):
            raise ValueError(f"cells are there for at most {MAX_COLUMNS} cases, and then for every arm")
        rows = [arm.cells for arm in self.arms if arm.cells is not None]
        if any(tuple(map(arm.cells.count, STATES)) != arm.histogram for arm in self.arms if arm.cells is not None):
            raise ValueError("cells and histogram of an arm count alike")
        columns = ["".join(column) for column in zip(*rows, strict=True)]
        if columns != sorted(columns, key=column_order):
            raise ValueError("columns are sorted by what they hold")
        return self

    @property
    def shared_cases(self) -> int:
        """Solved cases on which two arms or more are equally good."""
        return self.complete_cases - self.unsolved_cases - sum(arm.best_alone for arm in self.arms)


def column_order(column: str) -> tuple[int, str]:
    """Sort key of one case: easy first."""
    return -sum(int(state) for state in column if state.isdigit()), column


def in_column_order(rows: Sequence[str]) -> list[str]:
    """One text per arm, its cases in the order of a picture."""
    columns = sorted(("".join(column) for column in zip(*rows, strict=True)), key=column_order)
    return ["".join(row) for row in zip(*columns, strict=True)] or ["" for _ in rows]
