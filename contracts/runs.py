"""A run: what was asked for, what was frozen, where it stands.

    RunRequest  --freeze-->  RunManifest (immutable; its digest is the identity of the run)
    pending --start--> running --> sealing --> completed        pending and running may be cancelled, running and sealing may fail,
                                                                and what failed may be started again or cancelled

Credentials appear nowhere here but as names of environment variables.
"""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from contracts.base import ArmId, Count, Digest, Document, PartitionKey, PortableId, RunId, ShortText, Text, Timestamp
from contracts.mixtures import Mixture
from contracts.suites import SourceStatus, SuiteClass
from contracts.tracks import Track, in_order

RunName = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=False, pattern=r"^\S(.*\S)?$")]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]
SampleLimit = Annotated[int, Field(ge=1, le=100_000)]
Concurrency = Annotated[int, Field(ge=1, le=128)]
EnvironmentKind = Literal["recorded", "counterfactual", "reference", "live"]
"""counterfactual: derived from frozen digests, nobody called anything."""


class Mode(StrEnum):
    REPLAY = "replay"
    LIVE = "live"


class RunState(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    SEALING = "sealing"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


TRANSITIONS = {
    RunState.PENDING: {RunState.RUNNING, RunState.CANCELLED},
    RunState.RUNNING: {RunState.RUNNING, RunState.SEALING, RunState.FAILED, RunState.CANCELLED},
    RunState.SEALING: {RunState.RUNNING, RunState.SEALING, RunState.COMPLETED, RunState.FAILED},
    RunState.FAILED: {RunState.RUNNING, RunState.CANCELLED},
    RunState.COMPLETED: set(),
    RunState.CANCELLED: set(),
}
"""A failed or interrupted run may be started again: each stage is idempotent and resumes from what was published."""


class RunRequest(Document):
    """What a person asks for. Neither origin, recipe nor model list can be injected: the target id says all of it."""

    schema_version: Literal["evaluation-run-request.v1"] = "evaluation-run-request.v1"
    run_id: RunId | None = Field(default=None, description="Chosen by a client that retries; else drawn when the run is created.")
    name: RunName = "run"
    description: str = Field(default="", max_length=4000)
    suite_ids: tuple[PartitionKey, ...] = Field(min_length=1, max_length=64)
    tracks: tuple[Track, ...] = Field(min_length=1)
    mode: Mode
    target_id: PortableId
    change_profile: PortableId = "schema_adapter"
    sample_limit: SampleLimit | None = Field(default=None, description="Cases per suite; null takes every case.")
    concurrency: Concurrency = 1
    seed: Seed = 0
    baseline_run_id: RunId | None = None

    @model_validator(mode="after")
    def _sets_are_sets(self) -> Self:
        if len(set(self.suite_ids)) != len(self.suite_ids):
            raise ValueError("a suite id occurs twice")
        if self.tracks != in_order(self.tracks):
            raise ValueError(f"tracks are given once each, in the order {', '.join(Track)}")
        return self


class TargetKind(StrEnum):
    """What a target is a name for."""

    RECORDED = "recorded"
    MIXTURE = "mixture-of-models"


class TargetSnapshot(Document):
    """The subject as it was when the run was created. A recorded target has no connectivity and no factors; a mixture has both."""

    target_id: PortableId
    kind: TargetKind
    name: ShortText
    mixture: Mixture | None = None

    @model_validator(mode="after")
    def _a_mixture_is_there_when_it_is_one(self) -> Self:
        if (self.kind is TargetKind.MIXTURE) != (self.mixture is not None):
            raise ValueError("a mixture target, and no other, has a mixture")
        return self

    @property
    def arm_ids(self) -> tuple[str, ...]:
        """The arms that the target itself brings; empty where the suite names them."""
        return () if self.mixture is None else tuple(arm.arm_id for arm in self.mixture.arms)


class FrozenSuite(Document):
    """One suite of the cohort, by content."""

    suite_id: PartitionKey
    revision: Digest
    manifest: Digest
    suite_class: SuiteClass
    source_status: SourceStatus
    arm_ids: tuple[ArmId, ...]
    selected_cases: Count
    selection_digest: Digest = Field(description="Digest of the selected case ids in order.")
    grader_id: PortableId


class GenerationLimits(Document):
    """Frozen limits of every model call; null where the target replays recorded answers."""

    max_tokens: Count | None
    temperature: float | None
    seed: Seed
    prompt_cache: Literal["not_applicable", "disabled", "allowed"]


class ArmPrice(Document):
    """Null: the config gives no price, so that a cost of this arm stays unknown."""

    arm_id: ArmId
    input_micro_usd_per_million_tokens: Count | None
    output_micro_usd_per_million_tokens: Count | None


class RunManifest(Document):
    """run-manifest.json: everything that must not move after creation."""

    schema_version: Literal["evaluation-run-manifest.v1"]
    run_id: RunId
    name: RunName
    description: str = Field(max_length=4000)
    created_at: Timestamp
    owner_principal: Digest
    mode: Mode
    target: TargetSnapshot
    change_profile: PortableId
    suites: tuple[FrozenSuite, ...] = Field(min_length=1)
    executor_id: PortableId
    tracks: tuple[Track, ...] = Field(min_length=1)
    sample_limit: SampleLimit | None
    concurrency: Concurrency
    seed: Seed
    baseline_run_id: RunId | None
    environment_kind: EnvironmentKind
    gate_policy_digest: Digest
    metric_catalog_digest: Digest
    grader_id: PortableId
    grader_revision: Digest
    generation: GenerationLimits
    prices: tuple[ArmPrice, ...] = Field(description="Price snapshot; empty where costs were recorded by the source.")
    code_revision: Digest
    redaction_policy: ShortText

    @model_validator(mode="after")
    def _suites_are_sorted(self) -> Self:
        ids = [suite.suite_id for suite in self.suites]
        if ids != sorted(set(ids)):
            raise ValueError("suites are unique and sorted by id")
        return self

    @property
    def suite_ids(self) -> tuple[str, ...]:
        return tuple(suite.suite_id for suite in self.suites)

    @property
    def source_unverified(self) -> bool:
        return any(suite.source_status is SourceStatus.UNVERIFIED for suite in self.suites)

    def suite(self, suite_id: str) -> FrozenSuite:
        """KeyError for a suite outside the cohort."""
        return {suite.suite_id: suite for suite in self.suites}[suite_id]


class RunError(Document):
    code: ShortText
    message: Text


class RunStatus(Document):
    """status.json: the one mutable file of a run, replaced atomically."""

    schema_version: Literal["evaluation-run-status.v1"]
    run_id: RunId
    state: RunState
    stage: ShortText
    completed: Count
    total: Count
    updated_at: Timestamp
    started_at: Timestamp | None
    completed_at: Timestamp | None
    error: RunError | None
    result_digest: Digest | None


class ControlEvent(Document):
    """One line of control-events.jsonl."""

    schema_version: Literal["evaluation-control-event.v1"]
    sequence: Count
    at: Timestamp
    type: Literal["created", "started", "progress", "sealing", "completed", "failed", "cancelled"]
    message: Annotated[str, Field(min_length=1, max_length=512)]


class Lifecycle(Document):
    """lifecycle.json: who owns a run and how long it is kept."""

    schema_version: Literal["evaluation-run-lifecycle.v1"]
    run_id: RunId
    owner_principal: Digest
    retention_class: Literal["ephemeral", "standard", "protected"]
    evidence_hold: bool
    created_at: Timestamp
    updated_at: Timestamp
    creation_audit_digest: Digest
