"""Graders as registry data: an id, what it compares, and a revision that changes whenever its rule does."""

from typing import Literal

from pydantic import Field

from contracts.base import Document, PortableId, Text


class GraderDefinition(Document):
    grader_id: PortableId
    version: int = Field(ge=1, le=1000, description="Raised with every change of the rule.")
    rule: Text


class GraderCatalog(Document):
    schema_version: Literal["evaluation-grader-catalog.v1"]
    graders: tuple[GraderDefinition, ...] = Field(min_length=1)
