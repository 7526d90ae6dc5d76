"""What a mixture target needs before a track can be answered on it, as registry data; also for the methods of each track.

A method is `configured` or `data_required`. Nothing in a catalog is ever qualified: that comes from sealed run evidence alone.
"""

from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, model_validator

from contracts.base import Document, PortableId, ShortText, Text
from contracts.gates import GateId
from contracts.runs import Mode
from contracts.tracks import Track, in_order

EvidenceOrigin = Literal["live_runtime", "server_brokered_live", "live_production"]


class Feature(StrEnum):
    TOPOLOGY = "topology"
    ROUTER_API = "router-api"
    ENVOY_CHAT = "envoy-chat"
    MIXTURE_POOL = "mixture-pool"
    MULTIMODAL_ARM = "multimodal-arm"
    AGENT_TASK_LEDGER = "agent-task-ledger"
    FAULT_RECOVERY_LEDGER = "fault-recovery-ledger"
    HARD_POLICY_LEDGER = "hard-policy-ledger"
    PRODUCTION_EXPERIMENT_LEDGER = "production-experiment-ledger"
    AGENTIC_LEDGER = "agentic-ledger"


class FeatureDefinition(Document):
    """`missing` completes the sentence of a refusal; `any_of` makes a feature of others."""

    feature: Feature
    name: ShortText
    missing: Text
    any_of: tuple[Feature, ...] = ()


class TrackRequirement(Document):
    mode: Mode
    track: Track
    requires: tuple[Feature, ...] = Field(min_length=1)


class MethodDefinition(Document):
    method_id: PortableId
    track: Track
    gate_ids: tuple[GateId, ...]
    evidence_origin: EvidenceOrigin
    requires: tuple[Feature, ...] = Field(min_length=1)


class TargetFeatureCatalog(Document):
    schema_version: Literal["evaluation-target-features.v1"]
    features: tuple[FeatureDefinition, ...]
    tracks: tuple[TrackRequirement, ...]
    methods: tuple[MethodDefinition, ...]

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if [row.feature for row in self.features] != list(Feature):
            raise ValueError("every feature has one row, in the order of the enumeration")
        if any(row.feature in row.any_of for row in self.features):
            raise ValueError("a feature cannot stand for itself")
        if len({(row.mode, row.track) for row in self.tracks}) != len(self.tracks):
            raise ValueError("a mode and track occur twice")
        if in_order(row.track for row in self.tracks if row.mode is Mode.LIVE) != tuple(Track):
            raise ValueError("every track says what it needs live")
        if len({row.method_id for row in self.methods}) != len(self.methods):
            raise ValueError("a method id occurs twice")
        return self


class TrackOffer(Document):
    """One track of one target in one mode: offered, or what is missing."""

    mode: Mode
    track: Track
    offered: bool
    missing: tuple[Feature, ...]
    reason: Text | None

    @model_validator(mode="after")
    def _a_refusal_has_its_reason(self) -> Self:
        if self.offered != (self.reason is None) or (self.offered and self.missing):
            raise ValueError("a reason stands exactly where a track is not offered")
        return self


class MethodStatus(Document):
    method_id: PortableId
    track: Track
    gate_ids: tuple[GateId, ...]
    evidence_origin: EvidenceOrigin
    status: Literal["configured", "data_required"]
    reason: Text | None

    @model_validator(mode="after")
    def _a_gap_has_its_reason(self) -> Self:
        if (self.status == "data_required") != (self.reason is not None):
            raise ValueError("a reason stands exactly where data is required")
        return self
