"""The frozen mixture arranged for reading: its arms, its factors by name, and what a reader must be warned of."""

from typing import NamedTuple

from contracts.mixtures import Mixture, ModelArm
from evaluation_assets.reports.words import several

FACTORS = (
    ("recipe", "Recipe: signals, rules and their order"),
    ("selector", "Selector: how a decision picks an arm, and the models that help it"),
    ("adaptation", "Adaptation: what the router learns while it runs"),
    ("binding", "Binding: which arms and aliases the decisions use"),
    ("pool", "Pool: models, prices and capabilities"),
)
_ENVIRONMENT = (
    ("endpoints", "Environment: endpoints"),
    ("services", "Environment: services"),
    ("serving", "Environment: backends and retries"),
)


class ArmEntry(NamedTuple):
    """`fallback`: it answers what no decision takes."""

    arm: ModelArm
    fallback: bool


class Subject(NamedTuple):
    """`factors`: (what it is, digest or None where nothing is configured)."""

    mixture: Mixture
    arms: tuple[ArmEntry, ...]
    factors: tuple[tuple[str, str | None], ...]
    warnings: tuple[str, ...]


def subject_of(mixture: Mixture) -> Subject:
    """Deterministic in the mixture alone."""
    arms = tuple(ArmEntry(arm, arm.arm_id == mixture.fallback_arm_id) for arm in mixture.arms)
    factors = mixture.factors
    digests = [(words, getattr(factors, name)) for name, words in FACTORS]
    digests += [(words, getattr(factors.environment, name)) for name, words in _ENVIRONMENT]
    return Subject(mixture, arms, tuple(digests), _warnings(mixture))


def _warnings(mixture: Mixture) -> tuple[str, ...]:
    found = [
        f"{several(group)} are served by one and the same model: what they gain together is chance, not ability."
        for group in mixture.replica_groups
    ]
    unpriced = [arm.arm_id for arm in mixture.arms if arm.prices.input is None or arm.prices.output is None]
    if unpriced:
        found.append(f"No complete price: {several(unpriced)}. What {'it costs' if len(unpriced) == 1 else 'they cost'} stays unknown.")
    if mixture.outside_fallback is not None:
        found.append(
            f"{several([mixture.outside_fallback.arm_id])} answers what no decision takes, yet no decision binds it: it is no arm, and the "
            "dense matrix does not cover it."
        )
    return tuple(found)
