"""source-recorded.v1: keeps the quality that the source recorded. Text that it cannot judge stays ungraded."""

from contracts.errors import DocumentError


class SourceRecorded:
    grader_id = "source-recorded.v1"
    keeps_recorded = True

    def grade(self, answer: str, expected: str, match: str | None) -> float:
        """An imported suite hands over qualities, never answers; an answer here means that the suite names the wrong grader."""
        raise DocumentError(
            "A suite with answers to grade names the grader of recorded scores.",
            at="grader_id",
            fix="name hidden-answer-exact.v1 in the suite",
        )
