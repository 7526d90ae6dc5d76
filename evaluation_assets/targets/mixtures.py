"""From a router config to its catalog: the recipes that are mixtures, and those that are not, with every reason.

A recipe is a mixture when a request can reach it, its decisions bind at least two arms, and somebody serves each of them. One arm is no
mixture: there is nothing to choose, no oracle above the best single arm and no regret. The catalog shows such a recipe with its reason.
"""

from contracts.errors import UnknownName
from contracts.mixtures import (
    MAX_ARMS,
    Mixture,
    MixtureRefusal,
    RefusalReason,
    RouterCatalog,
    mixture_id,
    replica_groups,
)
from evaluation_assets.targets.arms import arm_order, bound_models
from evaluation_assets.targets.dialect import Recipe, RouterConfig
from evaluation_assets.targets.factors import NOWHERE, Surroundings, project
from evaluation_assets.targets.models import is_served, read_arm, read_support
from evaluation_assets.targets.nodes import Node

_WHY = {
    RefusalReason.NO_ARMS: "No decision binds a model, so that nothing could answer.",
    RefusalReason.EMPTY_DEFAULT: "The default recipe has no decisions.",
    RefusalReason.UNREACHABLE: "No entrypoint and no automatic alias leads to this recipe.",
    RefusalReason.ONE_ARM: "One arm is no mixture: there is nothing to choose between, so that model pool and joint have no question.",
    RefusalReason.TOO_MANY_ARMS: f"More than {MAX_ARMS} arms are beyond a dense matrix.",
    RefusalReason.UNSERVED_ARM: "A decision binds a model that no provider serves.",
}


def router_catalog(config: RouterConfig, surroundings: Surroundings = NOWHERE) -> RouterCatalog:
    """Everything that a config offers. DocumentError: a key that is used is malformed, a price among them."""
    mixtures, refused = [], []
    for recipe in config.recipes:
        if reasons := _reasons(config, recipe):
            explanation = " ".join(_WHY[reason] for reason in reasons)
            refused.append(MixtureRefusal(recipe_name=recipe.name, reasons=reasons, explanation=explanation))
        else:
            mixtures.append(read_mixture(config, recipe, surroundings))
    return RouterCatalog.build(
        {
            "config_digest": config.digest,
            "dialect": config.dialect.value,
            "mixtures": [mixture.to_json() for mixture in mixtures],
            "refused": [refusal.to_json() for refusal in refused],
        },
        at=config.root.file,
    )


def find_mixture(catalog: RouterCatalog, wanted: str) -> Mixture:
    """UnknownName: no mixture of this config has the id `wanted`."""
    for mixture in catalog.mixtures:
        if mixture.mixture_id == wanted:
            return mixture
    raise UnknownName("The config has no mixture of this id.", at=f"target {wanted}", fix="see `evalplane target list`")


def read_mixture(config: RouterConfig, recipe: Recipe, surroundings: Surroundings = NOWHERE) -> Mixture:
    """One recipe that `router_catalog` admits."""
    order, fallback = arm_order(recipe), config.default_model
    loras = _asked_loras(recipe)
    arms = tuple(read_arm(config, arm, frozenset(loras.get(arm, ()))) for arm in sorted(order))
    outside = fallback is not None and fallback not in order and fallback in config.providers
    return Mixture.build(
        {
            "mixture_id": mixture_id(recipe.name),
            "recipe_name": recipe.name,
            "description": recipe.description,
            "aliases": recipe.aliases,
            "entrypoint_model": recipe.entrypoint_model,
            "decisions": [_summary(decision) for decision in recipe.decisions],
            "arms": [arm.to_json() for arm in arms],
            "support_models": [model.to_json() for model in read_support(config, recipe, order)],
            "fallback_arm_id": fallback if fallback in order else None,
            "outside_fallback": read_arm(config, fallback).to_json() if outside and fallback is not None else None,
            "factors": project(config, recipe, surroundings).digests().to_json(),
            "config_digest": config.digest,
            "served": all(is_served(config, arm) for arm in order),
            "replica_groups": replica_groups(arms),
        },
        at=f"{config.root.file}  recipe {recipe.name}",
    )


def _reasons(config: RouterConfig, recipe: Recipe) -> tuple[RefusalReason, ...]:
    arms = arm_order(recipe)
    reasons = [] if recipe.aliases else [RefusalReason.UNREACHABLE]
    if recipe.is_default and not recipe.decisions:
        reasons.append(RefusalReason.EMPTY_DEFAULT)
    elif not arms:
        reasons.append(RefusalReason.NO_ARMS)
    elif len(arms) == 1:
        reasons.append(RefusalReason.ONE_ARM)
    elif len(arms) > MAX_ARMS:
        reasons.append(RefusalReason.TOO_MANY_ARMS)
    if any(arm not in config.providers for arm in arms):
        reasons.append(RefusalReason.UNSERVED_ARM)
    return tuple(reasons)


def _summary(decision: Node) -> dict[str, object]:
    """Values of a `DecisionSummary`."""
    return {
        "name": decision.get("name").name(256),
        "algorithm": decision.get("algorithm").get("type").text(256) or None,
        "arm_ids": sorted(bound_models(decision)),
        "priority": decision.get("priority").whole(),
        "tier": decision.get("tier").whole(),
    }


def _asked_loras(recipe: Recipe) -> dict[str, set[str]]:
    """Arm -> the adapters that decisions ask for. The router then names the adapter as the selected model."""
    asked: dict[str, set[str]] = {}
    for decision in recipe.decisions:
        iterated = [ref for block in decision.get("candidateIterations").items() for ref in block.get("models").items()]
        for ref in [*decision.get("modelRefs").items(), *iterated]:
            if adapter := ref.get("lora_name").text(512):
                asked.setdefault(ref.get("model").name(), set()).add(adapter)
    return asked
