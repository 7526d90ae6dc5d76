"""Gates G0-G9: the frozen policy that says what each one needs, and the verdict that one run seals."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from contracts.base import Count, Document, PortableId, ShortText, Text
from contracts.levels import Level
from contracts.tracks import Track

GateId = Annotated[str, Field(pattern=r"^G[0-9]$")]
TypedId = Annotated[str, Field(pattern=r"^[a-z_]+(:[A-Za-z0-9_.-]+)?$", max_length=128, description="as in sealed_window:hard_policy")]


class Verdict(StrEnum):
    """`unavailable` lacks the typed evidence to decide; it is never a pass."""

    PASS = "pass"
    FAIL = "fail"
    UNAVAILABLE = "unavailable"
    NOT_APPLICABLE = "not_applicable"


class Disposition(StrEnum):
    REQUIRED = "required"
    ADVISORY = "advisory"
    NOT_APPLICABLE = "not_applicable"


class BoundMethod(StrEnum):
    CLOPPER_PEARSON = "clopper_pearson"
    WILSON = "wilson"


class ThresholdRule(Document):
    """One comparison that a gate makes.

    `value` is null where each run freezes its own (the error rate of a service objective). `bound_method` is null where the compared
    number is not a bound on a proportion.
    """

    name: ShortText
    operator: Literal["<=", ">=", "=="]
    value: float | None
    unit: ShortText
    bound_method: BoundMethod | None = None


class GateDefinition(Document):
    gate: GateId
    name: ShortText
    question: Text
    track: Track | None
    evidence: tuple[TypedId, ...] = Field(min_length=1, description="Typed evidence that the gate decides from.")
    without_evidence: Text = Field(description="What the gate says while that evidence is absent.")
    next_step: Text
    minimum_n: Count
    thresholds: tuple[ThresholdRule, ...]


class DispositionRow(Document):
    """What each of the ten gates means for one change profile, G0 first."""

    profile: PortableId
    dispositions: tuple[Disposition, ...] = Field(min_length=10, max_length=10)


class CampaignSlot(Document):
    gate: GateId
    binding: Literal["run", "controlled_pair", "fidelity_pair"]
    track: Track
    minimum_level: Level
    executors: tuple[PortableId, ...] = Field(min_length=1)


class GatePolicy(Document):
    """Thresholds, bound methods, minimum sizes, dispositions and campaign slots. Its digest enters each manifest."""

    schema_version: Literal["evaluation-gate-policy.v1"]
    contract: Literal["evaluation-release-gates.v2"]
    confidence: float = Field(gt=0.5, lt=1)
    srm_alpha: float = Field(gt=0, lt=0.1)
    accepts_reference_environment: bool
    gates: tuple[GateDefinition, ...] = Field(min_length=10, max_length=10)
    profiles: tuple[DispositionRow, ...] = Field(min_length=1)
    slots: tuple[CampaignSlot, ...]

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if [gate.gate for gate in self.gates] != [f"G{number}" for number in range(10)]:
            raise ValueError("the gates are G0 to G9 in this order")
        if len({row.profile for row in self.profiles}) != len(self.profiles):
            raise ValueError("a change profile occurs twice")
        return self

    def disposition(self, profile: str, gate: str) -> Disposition:
        """Of one gate under one change profile; KeyError for a profile that the policy lacks."""
        return {row.profile: row.dispositions for row in self.profiles}[profile][int(gate[1:])]


class GateResult(Document):
    """One verdict. `missing` names typed evidence; `observed` and `threshold` stand only where something was compared."""

    gate: GateId
    name: ShortText
    disposition: Disposition
    verdict: Verdict
    evidence_level: Level | None
    observed: float | None = None
    threshold: float | None = None
    operator: Literal["<=", ">=", "=="] | None = None
    n: Count | None = None
    rationale: Text
    missing: tuple[TypedId, ...] = ()
    evidence: tuple[ShortText, ...] = Field(default=(), description="Names of the sealed files that decided.")

    @model_validator(mode="after")
    def _verdict_fits(self) -> Self:
        if (self.disposition is Disposition.NOT_APPLICABLE) != (self.verdict is Verdict.NOT_APPLICABLE):
            raise ValueError("disposition and verdict are not_applicable together or not at all")
        if (self.verdict is Verdict.UNAVAILABLE) != bool(self.missing):
            raise ValueError("an unavailable verdict, and no other, names what is missing")
        return self


class RunGates(Document):
    """gates.json: exactly G0 to G9."""

    schema_version: Literal["evaluation-gates.v1"]
    contract: Literal["evaluation-release-gates.v2"]
    policy_digest: ShortText
    change_profile: PortableId
    gates: tuple[GateResult, ...] = Field(min_length=10, max_length=10)
