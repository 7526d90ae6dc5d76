"""Tracks whose reducer does not ship yet: their coverage is counted, and each of their metrics is null and says so."""

from contracts.measured import Measured, Reason, absent


def unreduced(planned_n: int) -> Measured:
    return absent(Reason.NO_REDUCER, planned_n=planned_n)
