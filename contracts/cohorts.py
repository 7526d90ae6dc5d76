"""A built-in cohort as one shipped file: visible cases, hidden labels and, for a fixture, what was recorded."""

from typing import Literal

from pydantic import Field

from contracts.base import ArmId, Document, PartitionKey, PortableId, ShortText, Text
from contracts.tracks import Track

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
