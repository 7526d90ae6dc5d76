"""One mixture taken apart: which key path of its config belongs to which factor.

    recipe            effective strategy; signals but for classifiers; of each decision what no other factor takes
    selector policy   signals.classifiers; projections; each decision's algorithm
    selector          the policy, and what chooses with it: global.model_catalog, global.router.model_selection, model_bindings,
                      evaluation records, and every model that is named for choosing and is no arm
    adaptation        global.router.learning; each decision's adaptations
    binding           entrypoints and aliases that reach the recipe; default model; each decision's modelRefs and candidateIterations;
                      candidate requirements; fallback policies; the default model's own entry where no decision binds it
    pool              each arm's card and provider entry but for backends and retries; reasoning families and default effort
    serving           each arm's backend_refs and reliability
    endpoints, services, source code: not in the config; given by deployment and settings

Choices where the specification is silent: docs/decisions.md. A projection threshold is a selector change, since rules lean on it; a price
is a change of the pool, a retry one of serving; reasoning effort stands in modelRefs and is therefore a change of the binding alone, which
no profile admits. A key of a recipe that nobody knows counts as recipe: nothing that a recipe says can move unseen. What lies outside
all factors and is not another recipe's is kept too, so that a comparison can disclose it.

Values are references into the config, not copies: two projections of configs that share a part are compared without walking it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from contracts.canonical import digest_of
from contracts.errors import NotAdmitted
from contracts.mixtures import EnvironmentDigests, FactorDigests
from contracts.profiles import Factor
from contracts.strict_json import JsonValue
from evaluation_assets.targets.arms import arm_numbers, arm_order, named_models, numbered
from evaluation_assets.targets.dialect import Recipe, RouterConfig
from evaluation_assets.targets.nodes import Node

Parts = dict[str, JsonValue]  # key path -> everything below it

_OF_ROUTING = frozenset(
    {
        "modelCards",
        "strategy",
        "signals",
        "projections",
        "decisions",
        "model_bindings",
        "candidate_requirements",
        "fallback",
    }
)
_OF_DECISION = frozenset({"algorithm", "adaptations", "modelRefs", "candidateIterations"})
_OF_GLOBAL_ROUTER = frozenset({"strategy", "learning", "model_selection", "auto_model_names", "auto_model_name", "fallback"})
_OF_ROOT = frozenset({"providers", "routing", "recipes", "entrypoints", "global", "evaluation"})
_DEFAULT_MODEL = ("default_model", "model")
_SERVING = ("backend_refs", "reliability")


@dataclass(frozen=True)
class Surroundings:
    """What a config does not say. `services` maps a service's name to its origin and the name of its credential, never to a credential."""

    router_origin: str | None = None
    envoy_origin: str | None = None
    services: Mapping[str, tuple[str | None, str | None]] = field(default_factory=dict)
    code_revision: str | None = None


NOWHERE = Surroundings()


@dataclass(frozen=True)
class Projection:
    """The parts of every factor, in `Factor` but for `shared_prices`, which only a comparison knows; and what is outside of them."""

    recipe_name: str
    arms: tuple[str, ...]
    parts: Mapping[Factor, Parts]
    outside: Parts

    def digests(self) -> FactorDigests:
        policy = digest_of("mixture-selector-policy", self.policy(arm_numbers(self.arms, self.arms)))
        return FactorDigests(
            recipe=self._digest(Factor.RECIPE),
            selector_policy=policy,
            selector=digest_of("mixture-selector", {"policy": policy, "support": self.parts[Factor.SELECTOR]}),
            adaptation=self._digest(Factor.ADAPTATION),
            binding=self._digest(Factor.BINDING),
            pool=self._digest(Factor.POOL),
            environment=EnvironmentDigests(
                endpoints=self._digest(Factor.ENDPOINTS) if self.parts[Factor.ENDPOINTS] else None,
                services=self._digest(Factor.SERVICES) if self.parts[Factor.SERVICES] else None,
                serving=self._digest(Factor.SERVING),
            ),
        )

    def policy(self, numbers: Mapping[str, int]) -> Parts:
        """The parts of the selector policy with arms by number, so that exchanging an arm does not move the policy."""
        return {path: numbered(part, numbers) for path, part in self.parts[Factor.SELECTOR_POLICY].items()}

    def _digest(self, factor: Factor) -> str:
        return digest_of(f"mixture-{factor.value}", self.parts[factor])


def project(config: RouterConfig, recipe: Recipe, surroundings: Surroundings = NOWHERE) -> Projection:
    """The factors of one recipe. DocumentError where a key that is used has the wrong type."""
    arms = arm_order(recipe)
    policy, support = _selector(config, recipe, arms)
    return Projection(
        recipe.name,
        arms,
        {
            Factor.SOURCE_CODE: _said({"code_revision": surroundings.code_revision}),
            Factor.RECIPE: _recipe(config, recipe),
            Factor.SELECTOR_POLICY: policy,
            Factor.SELECTOR: support,
            Factor.ADAPTATION: _said({"global.router.learning": _router(config, "learning"), **_each(recipe, "adaptations")}),
            Factor.BINDING: _binding(config, recipe, arms),
            Factor.POOL: _pool(config, arms),
            Factor.ENDPOINTS: _said({"router_origin": surroundings.router_origin, "envoy_origin": surroundings.envoy_origin}),
            Factor.SERVICES: {name: list(service) for name, service in surroundings.services.items()},
            Factor.SERVING: _said(
                {f"arms[{arm}].provider.{key}": _entry(config.providers, arm).get(key) for arm in arms for key in _SERVING}
            ),
        },
        _outside(config, recipe),
    )


def projection_of(config: RouterConfig, recipe_name: str, surroundings: Surroundings = NOWHERE) -> Projection:
    """`project` by name. NotAdmitted: the config has no such recipe."""
    for recipe in config.recipes:
        if recipe.name == recipe_name:
            return project(config, recipe, surroundings)
    raise NotAdmitted("The config has no recipe of this name.", at=f"{config.root.file}  recipes", fix="see `evalplane target list`")


def arm_entry(config: RouterConfig, arm: str) -> Parts:
    """What a config says about one model but for backends and retries: its share of the pool."""
    provider = {f"provider.{key}": value for key, value in _entry(config.providers, arm).items() if key not in _SERVING}
    return _said({"card": config.cards[arm].value if arm in config.cards else None, **provider})


def support_models(config: RouterConfig, recipe: Recipe, arms: tuple[str, ...]) -> tuple[str, ...]:
    """Models that algorithms and classifiers name, that the config describes, and that are no arms; sorted."""
    blocks = [decision.get("algorithm").value for decision in recipe.decisions]
    named = {name for block in [*blocks, recipe.routing.get("signals").get("classifiers").value] for name in named_models(block)}
    return tuple(sorted(name for name in named - set(arms) if name in config.cards or name in config.providers))


def _recipe(config: RouterConfig, recipe: Recipe) -> Parts:
    routing = recipe.routing
    places = (routing.get("strategy"), config.root.get("routing").get("strategy"), config.root.get("global").get("router").get("strategy"))
    parts: Parts = {"recipe.strategy": next((place.value for place in places if place.value), None)}
    parts |= {f"recipe.{key}": value for key, value in routing.members().items() if key not in _OF_ROUTING}
    parts |= {f"recipe.signals.{key}": value for key, value in routing.get("signals").members().items() if key != "classifiers"}
    for index, decision in enumerate(recipe.decisions):
        parts |= {f"recipe.decisions[{index}].{key}": value for key, value in decision.members().items() if key not in _OF_DECISION}
    return _said(parts)


def _selector(config: RouterConfig, recipe: Recipe, arms: tuple[str, ...]) -> tuple[Parts, Parts]:
    """The policy, and what is there only to choose."""
    routing = recipe.routing
    policy = {
        "recipe.signals.classifiers": routing.get("signals").get("classifiers").value,
        "recipe.projections": routing.get("projections").value,
        **_each(recipe, "algorithm"),
    }
    support: Parts = {
        "global.model_catalog": config.root.get("global").get("model_catalog").value,
        "global.router.model_selection": _router(config, "model_selection"),
        "recipe.model_bindings": routing.get("model_bindings").value,
        "evaluation": config.root.get("evaluation").value,
    }
    for name in support_models(config, recipe, arms):
        support |= _whole_entry(config, name, f"support[{name}]")
    return _said(policy), _said(support)


def _binding(config: RouterConfig, recipe: Recipe, arms: tuple[str, ...]) -> Parts:
    reaching = [entry.value for entry in config.root.get("entrypoints").items() if entry.get("recipe").value == recipe.name]
    defaults, fallback = config.root.get("providers").get("defaults").members(), config.default_model
    parts: Parts = {
        "entrypoints": reaching or None,
        "global.router.auto_model_names": list(config.auto_aliases) if recipe.is_default else None,
        **{f"providers.defaults.{key}": defaults.get(key) for key in _DEFAULT_MODEL},
        "recipe.candidate_requirements": recipe.routing.get("candidate_requirements").value,
        "recipe.fallback": recipe.routing.get("fallback").value,
        "global.router.fallback": _router(config, "fallback"),
        **_each(recipe, "modelRefs"),
        **_each(recipe, "candidateIterations"),
    }
    if fallback is not None and fallback not in arms:
        parts |= _whole_entry(config, fallback, "fallback")
    return _said(parts)


def _pool(config: RouterConfig, arms: tuple[str, ...]) -> Parts:
    defaults = config.root.get("providers").get("defaults").members()
    parts: Parts = {f"providers.defaults.{key}": value for key, value in defaults.items() if key not in _DEFAULT_MODEL}
    for arm in arms:
        parts |= {f"arms[{arm}].{key}": value for key, value in arm_entry(config, arm).items()}
    return _said(parts)


def _outside(config: RouterConfig, recipe: Recipe) -> Parts:
    """What the whole runtime shares and no factor takes. Other recipes and other models are not this mixture's."""
    parts: Parts = {key: value for key, value in config.root.members().items() if key not in _OF_ROOT}
    for key, value in config.root.get("global").members().items():
        if key not in ("router", "model_catalog"):
            parts[f"global.{key}"] = value
    for key, value in config.root.get("global").get("router").members().items():
        if key not in _OF_GLOBAL_ROUTER:
            parts[f"global.router.{key}"] = value
    return _said({**parts, "recipe.description": recipe.description or None})


def _each(recipe: Recipe, key: str) -> Parts:
    return {f"recipe.decisions[{index}].{key}": decision.get(key).value for index, decision in enumerate(recipe.decisions)}


def _router(config: RouterConfig, key: str) -> JsonValue:
    return config.root.get("global").get("router").get(key).value


def _whole_entry(config: RouterConfig, model: str, path: str) -> Parts:
    card, provider = config.cards.get(model), config.providers.get(model)
    return {f"{path}.card": card.value if card else None, f"{path}.provider": provider.value if provider else None}


def _entry(models: Mapping[str, Node], name: str) -> dict[str, JsonValue]:
    return models[name].members() if name in models else {}


def _said(parts: Parts) -> Parts:
    """Without what the config leaves unsaid: null and absence are one."""
    return {path: part for path, part in parts.items() if part is not None}
