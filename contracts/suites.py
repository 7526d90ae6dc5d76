"""Suites: a frozen cohort with visible cases, hidden grading and metadata, and the request that installs one.

The three roles are stored apart and a worker may read `visible` alone. Rows are Parquet (contracts/tables.py); the
revision is a digest of their logical content, so the same rows in another file order are the same suite.
"""

from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, model_validator

from contracts.base import ArmId, Count, Digest, Document, PartitionKey, PortableId, RelativePath, ShortText, Text, Timestamp
from contracts.canonical import digest_of
from contracts.tracks import Track


class Role(StrEnum):
    """Domain of the suite store that an artifact lies in."""

    VISIBLE = "visible"
    GRADING = "grading"
    METADATA = "metadata"


class SuiteClass(StrEnum):
    """What an executor must know to run the suite."""

    FIXTURE = "fixture"
    COHORT = "mom-cohort"
    NORMALIZED = "normalized-suite"


class SourceStatus(StrEnum):
    """`source_unverified` keeps an import at E0 for ever: nobody checked that these bytes belong to the pinned source."""

    BUILTIN = "builtin"
    VERIFIED = "verified"
    UNVERIFIED = "source_unverified"


class QualityIssue(Document):
    """A fact about the corpus that a reader of its numbers must know. Never a failure, never dropped."""

    kind: PortableId
    count: Count
    detail: Text


class SourceReceipt(Document):
    """What was known about the origin of the bytes when they were normalized."""

    status: SourceStatus
    expected_source_revision: ShortText | None
    expected_dataset_revision: ShortText | None
    export_files: tuple["ExportFile", ...]

    @property
    def verified(self) -> bool:
        return self.status is not SourceStatus.UNVERIFIED


class ExportFile(Document):
    name: RelativePath
    digest: Digest
    size_bytes: Count


class SuiteArtifact(Document):
    """One file of the bundle. Tables carry `table_digest` (schema and columns in canonical order) beside the file's own."""

    role: Role
    path: RelativePath
    media_type: ShortText
    digest: Digest
    table_digest: Digest | None
    rows: Count | None
    size_bytes: Count


class SuiteDescription(Document):
    """What a suite says about itself, before and after it is installed."""

    suite_id: PartitionKey
    name: ShortText
    suite_class: SuiteClass
    adapter_id: PortableId
    normalizer_id: PortableId
    origin: Literal["builtin", "registered_parser_import", "user_provided_import"]
    source: SourceReceipt
    decision_unit: ShortText
    action_space: ShortText
    split_protocol: Text
    tracks: tuple[Track, ...] = Field(min_length=1)
    case_count: Count = Field(ge=1)
    arm_ids: tuple[ArmId, ...]
    grader_id: PortableId
    data_classification: Literal["public", "internal", "confidential", "restricted"]
    redistribution: Literal["allowed", "metadata_only", "prohibited"]
    limitations: tuple[Text, ...] = Field(min_length=1)
    quality_issues: tuple[QualityIssue, ...]
    artifacts: tuple[SuiteArtifact, ...] = Field(min_length=3, max_length=16)

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        for what, values in (("arm id", self.arm_ids), ("track", self.tracks), ("artifact path", [a.path for a in self.artifacts])):
            if len(set(values)) != len(values):
                raise ValueError(f"an {what} occurs twice")
        if {artifact.role for artifact in self.artifacts} != set(Role):
            raise ValueError("a suite has visible, grading and metadata artifacts")
        return self

    def artifact(self, path: str) -> SuiteArtifact | None:
        return next((artifact for artifact in self.artifacts if artifact.path == path), None)

    def revision(self) -> str:
        """Digest of the logical content: tables by their table digest, other artifacts by their bytes, and the arms.

        The export's file digests, the suite id and its name are no part of it.
        """
        content = [[artifact.path, artifact.table_digest or artifact.digest] for artifact in self.artifacts]
        return digest_of(
            "suite-content",
            {
                "adapter_id": self.adapter_id,
                "normalizer_id": self.normalizer_id,
                "grader_id": self.grader_id,
                "tracks": [track.value for track in self.tracks],
                "arm_ids": list(self.arm_ids),
                "artifacts": sorted(content),
            },
        )


class InstallRequest(Document):
    """request.json of a normalized bundle."""

    schema_version: Literal["evaluation-suite-install.v1"]
    suite: SuiteDescription


class SuiteManifest(Document):
    """A suite as the store holds it."""

    schema_version: Literal["evaluation-suite.v1"]
    suite: SuiteDescription
    revision: Digest
    installed_at: Timestamp

    @model_validator(mode="after")
    def _revision_is_of_this_content(self) -> Self:
        if self.revision != self.suite.revision():
            raise ValueError("the revision is not the digest of this content")
        return self


class SuiteIndexEntry(Document):
    """suites/index/<suite-id>.json: the manifest that this id means now."""

    schema_version: Literal["evaluation-suite-index.v1"]
    suite_id: PartitionKey
    manifest: Digest
