"""One view of both generations of router configs: which recipes there are, by which names they are reached, and what serves each model.

The generations are told by their keys, since `version` is the same in both. A key that was renamed is read under both of its names,
so a config that mixes them is read as well.

    2026-08: providers.defaults.default_model      0.4.0: providers.defaults.model
             providers.defaults.default_reasoning_effort  providers.defaults.reasoning_effort
             providers.models[].reasoning_family          providers.models[].reasoning
             routing.modelCards[].quality_score           routing.modelCards[].modalities, revision

How a recipe is reached: the default recipe (the top-level `routing`) by the automatic aliases and by entrypoints that name it, any other
by entrypoints alone. `auto_model_names`, also an empty list, replaces the three automatic aliases; `auto_model_name` only the last.
"""

from dataclasses import dataclass
from functools import cached_property

from contracts.canonical import digest_bytes
from contracts.mixtures import ConfigDialect
from evaluation_assets.targets.nodes import Node
from evaluation_assets.targets.reading import read_config

DEFAULT_RECIPE = "default"
FIRST_AUTO_ALIASES, LAST_AUTO_ALIAS = ("vllm-sr/auto", "auto"), "MoM"

_KEYS = {
    ConfigDialect.AUGUST_2026: {
        "defaults": {"default_model", "default_reasoning_effort", "reasoning_families"},
        "models": {"reasoning_family"},
        "cards": {"quality_score"},
    },
    ConfigDialect.RELEASE_0_4: {
        "defaults": {"model", "reasoning_effort"},
        "models": {"reasoning", "catalog"},
        "cards": {"modalities", "revision", "lifecycle", "max_output_tokens", "distribution", "display_name", "publisher"},
        "routing": {"candidate_requirements", "fallback", "model_bindings", "data_policy"},
        "root": {"evaluation"},
    },
}


@dataclass(frozen=True)
class Recipe:
    """One recipe of a config and the names that reach it, in the order in which the router lists them."""

    name: str
    description: str
    routing: Node
    aliases: tuple[str, ...]
    entrypoint_model: str | None

    @property
    def is_default(self) -> bool:
        return self.name == DEFAULT_RECIPE

    @property
    def decisions(self) -> list[Node]:
        return list(self.routing.get("decisions").items())


@dataclass(frozen=True)
class RouterConfig:
    root: Node
    digest: str

    @cached_property
    def dialect(self) -> ConfigDialect:
        root, providers = self.root, self.root.get("providers")
        routings = [root.get("routing"), *(recipe.get("routing") for recipe in root.get("recipes").items())]
        found = {
            "root": set(root.members()),
            "defaults": set(providers.get("defaults").members()),
            "models": {key for model in providers.get("models").items() for key in model.members()},
            "cards": {key for card in root.get("routing").get("modelCards").items() for key in card.members()},
            "routing": {key for routing in routings for key in routing.members()},
        }
        told = [dialect for dialect, places in _KEYS.items() if any(found[place] & keys for place, keys in places.items())]
        return told[0] if len(told) == 1 else ConfigDialect.MIXED if told else ConfigDialect.UNDETERMINED

    @cached_property
    def default_model(self) -> str | None:
        return self.root.get("providers").get("defaults").either("default_model", "model").text(512) or None

    @cached_property
    def cards(self) -> dict[str, Node]:
        """Logical model name -> its model card."""
        return _by_name(self.root.get("routing").get("modelCards"))

    @cached_property
    def providers(self) -> dict[str, Node]:
        """Logical model name -> who serves it."""
        return _by_name(self.root.get("providers").get("models"))

    @cached_property
    def auto_aliases(self) -> tuple[str, ...]:
        router = self.root.get("global").get("router")
        given = router.get("auto_model_names")
        if given.value is not None:
            names = [item.text(512) or "" for item in given.items()]
        else:
            names = [*FIRST_AUTO_ALIASES, router.get("auto_model_name").text(512) or LAST_AUTO_ALIAS]
        return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))

    @cached_property
    def recipes(self) -> tuple[Recipe, ...]:
        """The default recipe first, where the config has a top-level routing; then the others in config order."""
        declared = {DEFAULT_RECIPE: ("", self.root.get("routing"))} if "routing" in self.root.members() else {}
        for node in self.root.get("recipes").items():
            name = node.get("name").name(160)
            if name in declared:
                node.get("name").refuse("A recipe of this name is there already; the top-level routing is called default")
            declared[name] = (node.get("description").text(4000) or "", node.get("routing"))
        named = self._entrypoint_aliases()
        recipes = []
        for name, (description, routing) in declared.items():
            automatic = self.auto_aliases if name == DEFAULT_RECIPE else ()
            aliases = tuple(dict.fromkeys([*automatic, *named.get(name, ())]))
            preferred = named.get(name) or aliases  # an entrypoint says which recipe it means; an automatic alias may move
            recipes.append(Recipe(name, description, routing, aliases, preferred[0] if preferred else None))
        return tuple(recipes)

    def _entrypoint_aliases(self) -> dict[str, list[str]]:
        aliases: dict[str, list[str]] = {}
        owner = dict.fromkeys(self.auto_aliases, DEFAULT_RECIPE)
        for entry in self.root.get("entrypoints").items():
            recipe = entry.get("recipe").name(160)
            for item in entry.get("model_names").items():
                alias = item.name()
                if owner.setdefault(alias, recipe) != recipe:
                    item.refuse("This alias leads to two recipes")
                if alias not in aliases.setdefault(recipe, []):
                    aliases[recipe].append(alias)
        return aliases


def open_config(data: bytes, *, file: str) -> RouterConfig:
    """A config by its exact bytes. StrictReadError: not the YAML that we read. DocumentError: not a mapping."""
    root = Node(read_config(data, file=file), file)
    root.members()
    return RouterConfig(root, digest_bytes(data))


def _by_name(models: Node) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for node in models.items():
        name = node.get("name").name()
        if name in found:
            node.get("name").refuse("A model of this name is there already")
        found[name] = node
    return found
