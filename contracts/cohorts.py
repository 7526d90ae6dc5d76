"""A built-in cohort as one shipped file: visible cases, hidden labels and, for a fixture, what was recorded.

A case may carry one tag `difficulty:easy`, `difficulty:medium` or `difficulty:hard`: what its author expected, not what was measured.
"""

from typing import Literal, Self

from pydantic import Field, model_validator

from contracts.base import ArmId, Document, PartitionKey, PortableId, ShortText, Text
from contracts.tracks import Track

DIFFICULTY_TAGS = ("difficulty:easy", "difficulty:medium", "difficulty:hard")

Scalar = str | int | float | bool | None


class CohortMessage(Document):
    role: Literal["system", "user", "assistant"]
    content: str = Field(min_length=1, max_length=65_536)


class CohortCase(Document):
    case_id: PortableId
    tracks: tuple[Track, ...] = Field(min_length=1)
    messages: tuple[CohortMessage, ...] = Field(min_length=1)
    language: ShortText | None = None
    domain: ShortText | None = None
    modality: Literal["text", "image", "document", "audio", "video"] = "text"
    tags: tuple[ShortText, ...] = ()
    expected_answer: str | None = None
    match: Literal["exact", "casefold", "number"] | None = None
    should_block: bool | None = None
    preferred_arm_id: ArmId | None = None


class RecordedRow(Document):
    """One recorded observation: the record table, and its columns without those that are null."""

    table: PortableId
    columns: dict[str, Scalar] = Field(max_length=32)


class FixtureCohort(Document):
    schema_version: Literal["evaluation-fixture-cohort.v1"]
    suite_id: PartitionKey
    name: ShortText
    split_protocol: Text
    arm_ids: tuple[ArmId, ...] = Field(min_length=1)
    limitations: tuple[Text, ...] = Field(min_length=1)
    cases: tuple[CohortCase, ...] = Field(min_length=1)
    recorded: tuple[RecordedRow, ...]


class HiddenAnswerCohort(Document):
    """Free-form cases with one right answer each, for arms that are asked live: nothing was recorded and no arm is named.

    The cases are sorted by id and each ends with what the user asks. The labels travel in the file and leave it only for the grading
    domain of the store; no refusal here repeats one.
    """

    schema_version: Literal["evaluation-hidden-answer-cohort.v1"]
    suite_id: PartitionKey
    name: ShortText
    split_protocol: Text
    limitations: tuple[Text, ...] = Field(min_length=1)
    cases: tuple[CohortCase, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _each_id_once_and_in_order(self) -> Self:
        ids = [case.case_id for case in self.cases]
        if len(set(ids)) != len(ids):
            raise ValueError("two cases have one id")
        if ids != sorted(ids):
            raise ValueError("the cases are not sorted by id")
        return self

    @model_validator(mode="after")
    def _each_case_is_a_question_with_an_answer(self) -> Self:
        for case in self.cases:
            if not (case.expected_answer or "").strip():
                raise ValueError(f"case {case.case_id} has no expected answer")
            if case.messages[-1].role != "user" or not case.messages[-1].content.strip():
                raise ValueError(f"case {case.case_id} does not end with a question of the user")
        return self

    @model_validator(mode="after")
    def _at_most_one_known_difficulty(self) -> Self:
        for case in self.cases:
            tags = [tag for tag in case.tags if tag.startswith("difficulty:")]
            if len(tags) > 1 or not set(tags) <= set(DIFFICULTY_TAGS):
                raise ValueError(f"case {case.case_id} has more than one difficulty tag, or an unknown one")
        return self
