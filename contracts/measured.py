"""A number that may be absent: value, how many units entered, how many were planned, and the reason where there is none.

Missing is never zero. Every reason that a cell, a cost or a metric can carry stands in one closed list, `Reason`.
"""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from contracts.base import Count, Document, ShortText


class Reason(StrEnum):
    """Why a value is null. docs/metrics.md explains each in one sentence (a test compares the two)."""

    UNMEASURED = "unmeasured"
    ABSENT_CELL = "absent_cell"
    FAILED_CALL = "failed_call"
    TIMED_OUT = "timed_out"
    UNGRADED = "ungraded"
    UNPRICED = "unpriced"
    LOCAL_ZERO_PRICE = "local_zero_price"
    MISSING_TOKEN_RECORD = "missing_token_record"
    INCOMPLETE_LEDGER = "incomplete_ledger"
    INCOMPLETE_MATRIX = "incomplete_matrix"
    MIXED_COST_SCOPES = "mixed_cost_scopes"
    NO_CASES = "no_cases"
    NO_SUCCESS = "no_success"
    ZERO_ORACLE = "zero_oracle"
    NO_DENSE_MATRIX = "no_dense_matrix"
    NO_SELECTION = "no_selection"
    SINGLE_ARM = "single_arm"
    NO_REDUCER = "no_reducer"
    NOT_APPLICABLE = "not_applicable"


class Interval(Document):
    """lower <= value <= upper at `confidence`, by `method` (an anchor of docs/metrics.md)."""

    lower: float
    upper: float
    confidence: float = Field(gt=0, lt=1)
    method: ShortText


class Measured(Document):
    """value XOR reason. `n` units entered, `planned_n` were asked for, `excluded` were left out by the metric's own rule."""

    value: float | None
    n: Count
    planned_n: Count
    excluded: Count = 0
    reason: Reason | None = None
    interval: Interval | None = None

    @model_validator(mode="after")
    def _value_or_reason(self) -> Self:
        if (self.value is None) == (self.reason is None):
            raise ValueError("a measured value has either a value or a reason")
        if self.value is None and self.interval is not None:
            raise ValueError("an absent value has no interval")
        return self


def absent(reason: Reason, *, planned_n: int, n: int = 0, excluded: int = 0) -> Measured:
    """The measured value that is not there."""
    return Measured(value=None, n=n, planned_n=planned_n, excluded=excluded, reason=reason)
