"""What a grader is: two columns of text in, qualities in [0, 1] out. It runs in the control plane, after execution."""

from typing import Protocol


class Grader(Protocol):
    grader_id: str
    keeps_recorded: bool
    """May a row bring a quality of its own? Only where the suite's source graded it; else the grade is ours alone."""

    def grade(self, answer: str, expected: str, match: str | None) -> float:
        """Quality of one delivered answer. `match`: exact (default), casefold or number."""
        ...
