"""frozen-counterfactual.v1: keeps the quality that the counterfactual executor derived. There is no answer to grade."""

from contracts.errors import DocumentError


class FrozenCounterfactual:
    grader_id = "frozen-counterfactual.v1"
    keeps_recorded = True

    def grade(self, answer: str, expected: str, match: str | None) -> float:
        """A counterfactual answers nothing; text here means that another executor ran."""
        raise DocumentError("A counterfactual has no answers.", at="grader_id", fix="run the suite with the executor of its target")
