"""A Mixture of Models as a router config declares it: the arms that may answer, what chooses among them, and by which names.

    RouterCatalog   everything that one config offers: mixtures that can run, and recipes that cannot, with reasons
    Mixture         one request-reachable recipe with at least two arms
    FactorDigests   the mixture taken apart into factors that experiments move one at a time (evaluation_assets/targets/factors.py)

All of it may be shown: backends, provider model ids and credentials appear as one-way digests or not at all, and no prompt does.
A price is null where the config gives none; 0 stands only where the config says 0.
"""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from hashlib import sha256
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from contracts.base import ArmId, Count, Digest, Document, ShortText, Text

MixtureId = Annotated[str, Field(pattern=r"^mom-[0-9a-f]{64}$")]
RecipeName = Annotated[str, Field(min_length=1, max_length=160)]
Alias = Annotated[str, Field(min_length=1, max_length=512)]
Modality = Literal["text", "image", "document", "audio", "video"]

MAX_ARMS = 64


class ConfigDialect(StrEnum):
    """Generation of the config language, told by its keys; `version` says v0.3 in all of them."""

    AUGUST_2026 = "2026-08"
    RELEASE_0_4 = "0.4.0"
    MIXED = "mixed"
    UNDETERMINED = "undetermined"


class RefusalReason(StrEnum):
    NO_ARMS = "no_arms"
    EMPTY_DEFAULT = "empty_default"
    UNREACHABLE = "unreachable"
    ONE_ARM = "one_arm"
    TOO_MANY_ARMS = "too_many_arms"
    UNSERVED_ARM = "unserved_arm"


class TokenPrices(Document):
    """Whole micro-USD per million tokens, so that tokens x price is an exact integer of pico-USD. Null is unpriced."""

    input: Count | None
    output: Count | None
    cached_input: Count | None
    cache_write: Count | None


class ModelArm(Document):
    """One model that the router can call by its logical name, as far as its identity may be shown."""

    arm_id: ArmId
    provider_model_id_digest: Digest
    prices: TokenPrices
    capabilities: tuple[ShortText, ...] = Field(max_length=256)
    modalities: tuple[Modality, ...] = Field(min_length=1, description="What it takes as input.")
    context_window: Count | None
    parameter_size: Annotated[str, Field(min_length=1, max_length=64)] | None
    loras: tuple[ArmId, ...] = Field(max_length=256, description="Adapters; the router names an adapter instead of its model.")
    revision: Annotated[str, Field(min_length=1, max_length=160)] | None
    config_digest: Digest = Field(description="Of everything that the config says about it but for backends and retries.")


class SupportModel(Document):
    """A model that helps to choose and is no arm: a signal model, a judge, a planner, a trained selector."""

    model: Annotated[str, Field(min_length=1, max_length=512)]
    provider_model_id_digest: Digest | None
    config_digest: Digest
    revision: Annotated[str, Field(min_length=1, max_length=160)] | None
    backend_digest: Digest | None


class DecisionSummary(Document):
    """One decision in config order. Null means that the config is silent, so that the router's own default holds."""

    name: Annotated[str, Field(min_length=1, max_length=256)]
    algorithm: ShortText | None
    arm_ids: tuple[ArmId, ...]
    priority: int | None
    tier: int | None


class EnvironmentDigests(Document):
    """Null where nothing is configured: a mixture read from a file alone has neither endpoints nor services."""

    endpoints: Digest | None
    services: Digest | None
    serving: Digest


class FactorDigests(Document):
    """Identity of each factor. `selector` covers `selector_policy` and the support models."""

    recipe: Digest
    selector_policy: Digest
    selector: Digest
    adaptation: Digest
    binding: Digest
    pool: Digest
    environment: EnvironmentDigests


class Mixture(Document):
    mixture_id: MixtureId
    recipe_name: RecipeName
    description: str = Field(max_length=4000)
    aliases: tuple[Alias, ...] = Field(min_length=1, max_length=64)
    entrypoint_model: Alias = Field(description="The alias that routed calls use.")
    decisions: tuple[DecisionSummary, ...] = Field(min_length=1, max_length=1024)
    arms: tuple[ModelArm, ...] = Field(min_length=2, max_length=MAX_ARMS)
    support_models: tuple[SupportModel, ...] = Field(max_length=512)
    fallback_arm_id: ArmId | None
    outside_fallback: ModelArm | None = Field(description="The default model where no decision binds it: it may answer, yet is no arm.")
    factors: FactorDigests
    config_digest: Digest = Field(description="Plain SHA-256 of the config's bytes.")
    served: bool = Field(description="Every arm names a backend, so that the serving topology has an identity.")
    replica_groups: tuple[tuple[ArmId, ...], ...] = Field(description="Arms of one provider model: what they gain together is noise.")

    @model_validator(mode="after")
    def _names_resolve(self) -> Self:
        arm_ids = [arm.arm_id for arm in self.arms]
        if arm_ids != sorted(set(arm_ids)):
            raise ValueError("arms are unique and sorted by id")
        if self.mixture_id != mixture_id(self.recipe_name):
            raise ValueError("the id of a mixture is the digest of its recipe name")
        if self.entrypoint_model not in self.aliases or len(set(self.aliases)) != len(self.aliases):
            raise ValueError("aliases are unique and hold the entrypoint model")
        bound = {arm_id for decision in self.decisions for arm_id in decision.arm_ids}
        if bound != set(arm_ids) or (self.fallback_arm_id is not None and self.fallback_arm_id not in bound):
            raise ValueError("the arms are what the decisions bind, and the fallback arm is one of them")
        if self.outside_fallback is not None and (self.fallback_arm_id is not None or self.outside_fallback.arm_id in bound):
            raise ValueError("a fallback outside the pool is no arm")
        names = [decision.name for decision in self.decisions]
        if len(set(names)) != len(names):
            raise ValueError("a decision name occurs twice")
        return self

    @model_validator(mode="after")
    def _support_and_replicas_fit(self) -> Self:
        support = [model.model for model in self.support_models]
        if support != sorted(set(support)) or set(support) & {arm.arm_id for arm in self.arms}:
            raise ValueError("support models are unique, sorted, and no arms")
        if self.replica_groups != replica_groups(self.arms):
            raise ValueError("replica groups are the arms that share a provider model")
        return self


class MixtureRefusal(Document):
    """A recipe that is no target, and all the reasons why."""

    recipe_name: RecipeName
    reasons: tuple[RefusalReason, ...] = Field(min_length=1)
    explanation: Text


class RouterCatalog(Document):
    """What one config offers. Every recipe of the config stands in exactly one of the two lists, in config order."""

    schema_version: Literal["evaluation-router-catalog.v1"] = "evaluation-router-catalog.v1"
    config_digest: Digest
    dialect: ConfigDialect
    mixtures: tuple[Mixture, ...] = Field(max_length=256)
    refused: tuple[MixtureRefusal, ...] = Field(max_length=256)

    @model_validator(mode="after")
    def _recipes_are_unique(self) -> Self:
        names = [*(row.recipe_name for row in self.mixtures), *(row.recipe_name for row in self.refused)]
        if len(set(names)) != len(names):
            raise ValueError("a recipe occurs twice")
        return self


def mixture_id(recipe_name: str) -> str:
    """`mom-<sha256 of the recipe name>`: stable over edits, so that two revisions of a recipe are one subject."""
    return f"mom-{sha256(recipe_name.encode()).hexdigest()}"


def replica_groups(arms: Iterable[ModelArm]) -> tuple[tuple[str, ...], ...]:
    """Arms with one provider model, at least two together; sorted."""
    served = [(arm.provider_model_id_digest, arm.arm_id) for arm in arms]
    shared = [digest for digest, arms_of_it in Counter(digest for digest, _ in served).items() if arms_of_it > 1]
    return tuple(sorted(tuple(sorted(arm_id for digest, arm_id in served if digest == wanted)) for wanted in shared))
