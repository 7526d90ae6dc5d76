"""Real router configs: sixteen mixtures in nine files, and every leaf of them moves exactly the factor of the table.

Oracle: factor_table.txt and factorless_leaves.txt, two lists of key paths, over names that this file works out from the plain config.
Nothing is sampled: one mutation for each leaf of each config under each of its mixtures. It is quick because a mutated config shares
everything but one way from the root with its original, and what is shared is equal without a look.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from contracts.errors import NotAdmitted, StrictReadError
from contracts.mixtures import ConfigDialect, RefusalReason, RouterCatalog
from contracts.profiles import Factor
from evaluation_assets.targets.dialect import RouterConfig, open_config
from evaluation_assets.targets.factors import project, projection_of
from evaluation_assets.targets.mixtures import router_catalog
from evaluation_assets.targets.movement import moved
from evaluation_assets.targets.reading import without_secrets
from tests.shared_data import shared
from tests.unit.targets.configs import Path as Leaf
from tests.unit.targets.configs import another, leaves, raw, replaced

HERE = Path(__file__).parent
MIXTURES = {  # file -> recipes that are mixtures
    "03_e2e_authz_rbac.yaml": ("default",),
    "04_recipe_knowledge.yaml": ("default",),
    "05_recipe_accuracy.yaml": ("default",),
    "06_bench_scicode_omni.yaml": ("default",),
    "07_recipe_privacy.yaml": ("default",),
    "08_recipe_agent.yaml": ("default",),
    "09_recipe_multi_objective.yaml": ("balanced", "speed-first", "cost-first", "accuracy-first"),
    "10_reference_full.yaml": ("default",),
    "11_builtin_mom_v1.yaml": ("balance", "speed", "cost", "accuracy", "vault"),
}
ONE, EMPTY, LOST, NONE = RefusalReason.ONE_ARM, RefusalReason.EMPTY_DEFAULT, RefusalReason.UNREACHABLE, RefusalReason.NO_ARMS
REFUSED = {
    "01_cli_template_min.yaml": {"default": (ONE,)},
    "02_e2e_testing_entrypoint.yaml": {"default": (ONE,), "metadata-policy": (ONE,)},
    "09_recipe_multi_objective.yaml": {"default": (LOST, EMPTY), "privacy-first": (ONE,)},
    "10_reference_full.yaml": {"privacy-first": (ONE,)},
    "11_builtin_mom_v1.yaml": {"default": (LOST, EMPTY)},
}
SECRETS = {"access_key", "api_key", "auth_token", "password"}
PORTABLE = ("router_configs", "vllm_sr_0_4_0", "mom_v1_portable.yaml")


@cache
def opened(file: str) -> RouterConfig:
    return open_config(shared("router_configs", file).read_bytes(), file=file)


@cache
def catalog(file: str) -> RouterCatalog:
    return router_catalog(opened(file))


@pytest.mark.parametrize("file", sorted({*MIXTURES, *REFUSED}))
def test_a_config_offers_these_mixtures_and_refuses_the_rest_with_reasons(file: str) -> None:
    found = catalog(file)
    assert tuple(mixture.recipe_name for mixture in found.mixtures) == MIXTURES.get(file, ())
    assert {row.recipe_name: row.reasons for row in found.refused} == REFUSED.get(file, {})
    assert found.dialect is ConfigDialect.AUGUST_2026


def test_there_are_sixteen() -> None:
    assert sum(len(catalog(file).mixtures) for file in MIXTURES) == 16


def test_the_portable_recipes_of_the_later_generation_are_unassigned() -> None:
    data = shared(*PORTABLE).read_bytes()
    with pytest.raises(StrictReadError, match="an anchor"):
        open_config(data, file="mom_v1_portable.yaml")
    found = router_catalog(open_config(json.dumps(yaml.safe_load(data)).encode(), file="expanded"))
    assert found.mixtures == ()
    assert found.dialect is ConfigDialect.RELEASE_0_4
    assert {row.recipe_name: row.reasons for row in found.refused} == dict.fromkeys(
        ("balance", "speed", "cost", "accuracy", "vault"), (LOST, NONE)
    )


def test_prices_replicas_and_sight() -> None:
    arms = {file: {arm.arm_id: arm for mixture in catalog(file).mixtures for arm in mixture.arms} for file in MIXTURES}
    priced = {file for file, found in arms.items() if all(None not in (arm.prices.input, arm.prices.output) for arm in found.values())}
    free = {file: sum(arm.prices.input == arm.prices.output == 0 for arm in found.values()) for file, found in arms.items()}
    assert priced == set(MIXTURES) - {"03_e2e_authz_rbac.yaml"}
    assert {file[:2]: count for file, count in free.items() if count} == {"05": 4, "07": 1, "08": 1}
    uncached = {file[:2] for file, found in arms.items() if any(arm.prices.cached_input is None for arm in found.values())}
    assert uncached == {"03", "04", "07", "10"}
    assert {file[:2] for file, found in arms.items() if any("image" in arm.modalities for arm in found.values())} == {"10", "11"}
    assert {file[:2] for file in MIXTURES if any(mixture.replica_groups for mixture in catalog(file).mixtures)} == {"09"}
    assert arms["09_recipe_multi_objective.yaml"]["local/qwen3.5-9b-economy"].prices.to_json() == {
        "input": 20_000,
        "output": 80_000,
        "cached_input": 5_000,
        "cache_write": None,
    }


class Row(NamedTuple):
    text: str
    pattern: re.Pattern[str]
    factors: frozenset[str]


def rows(name: str) -> list[Row]:
    lines = [line.split() for line in (HERE / name).read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return [Row(pattern, _pattern(pattern), frozenset(factors)) for pattern, *factors in lines]


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(re.escape(text).replace(r"\*\*", ".*").replace(r"\*", "[^.]+"))


class Reading:
    """What the plain config says about one mixture, read here once more and otherwise than the product reads it."""

    def __init__(self, config: Any, recipe: str) -> None:
        self.config, self.recipe = config, recipe
        routings = {"default": config["routing"], **{entry["name"]: entry["routing"] for entry in config.get("recipes", [])}}
        self.routing = routings[recipe]
        refs = [
            (ref["model"], index)
            for index, row in enumerate(self.routing["decisions"])
            for ref in (*row.get("modelRefs", []), *(ref for block in row.get("candidateIterations", []) for ref in block["models"]))
        ]
        self.references = Counter(model for model, _ in refs)
        self.named = Counter(
            re.findall(
                r'"(?:\w*model|\w*models|analysis_models)": (\[[^\]]*\]|"[^"]*")',
                json.dumps(
                    [[row.get("algorithm") for row in self.routing["decisions"]], self.routing.get("signals", {}).get("classifiers")]
                ),
            )
        )
        router = config.get("global", {}).get("router", {})
        self.auto_list = "auto_model_names" in router
        strategies = {"recipe": self.routing, "routing": config["routing"], "global": router}
        self.strategy = next((place for place, said in strategies.items() if said.get("strategy")), None)

    def in_blocks(self, model: str) -> bool:
        return any(f'"{model}"' in text for text in self.named)

    def role(self, model: str) -> str:
        if model in self.references:
            return "arm"
        if self.in_blocks(model):
            return "support"
        return "fallback" if model == self.config["providers"]["defaults"]["default_model"] else "other"

    def normal(self, leaf: Leaf, value: object) -> str:
        """The name of a leaf in the tables."""
        path = _text(leaf)
        if leaf[-1] in SECRETS and value:
            return f"secret.{path}"
        head = leaf[:2]
        match leaf:
            case ("routing", "modelCards", int(index), *_):
                return f"{self.role(self.config['routing']['modelCards'][index]['name'])}.card.{_text(leaf[3:])}"
            case ("providers", "models", int(index), *_):
                return f"{self.role(self.config['providers']['models'][index]['name'])}.provider.{_text(leaf[3:])}"
            case ("entrypoints", int(index), *_):
                own = self.config["entrypoints"][index]["recipe"] == self.recipe
                return f"{'own' if own else 'other'}.entrypoints.{_text(leaf[2:])}"
            case ("routing", "strategy") | ("global", "router", "strategy"):
                place = "recipe" if leaf[0] == "routing" and self.recipe == "default" else head[0]
                return "effective.strategy" if self.strategy == place else "shadowed.strategy"
            case ("global", "router", "auto_model_name" | "auto_model_names", *_):
                if self.recipe != "default":
                    return f"unused.{_text(leaf[2:])}"
                return "shadowed.auto_model_name" if leaf[2] == "auto_model_name" and self.auto_list else f"own.{_text(leaf[2:])}"
            case ("routing", *rest):
                return f"{'recipe' if self.recipe == 'default' else 'other.recipe'}.{_text(tuple(rest))}"
            case ("recipes", int(index), *rest):
                if self.config["recipes"][index]["name"] != self.recipe:
                    return f"other.recipe.{_text(tuple(rest))}"
                return f"recipe.{_text(tuple(rest[1:]))}" if rest[0] == "routing" else f"recipe.{rest[0]}"
        return path

    def consequences(self, leaf: Leaf, name: str) -> set[str]:
        """A reference that is the last one to its arm takes the arm out of the pool, and out of every block that names it."""
        if not re.fullmatch(r"recipe\.decisions\[\]\.(?:modelRefs\[\]|candidateIterations\[\]\.models\[\])\.model", name):
            return set()
        model = _at(self.config, leaf)
        if self.references[model] > 1:
            return set()
        return {"pool", "serving", *(["selector_policy", "selector"] if self.in_blocks(model) else [])}

    def mutation(self, leaf: Leaf, value: object, name: str) -> object:
        """Another value; a reference to an arm is turned to the first other arm, so that it stays a reference."""
        if re.fullmatch(r"recipe\.decisions\[\]\..*\.model", name) and value in self.references and ".algorithm" not in name:
            return min(arm for arm in self.references if arm != value)
        return another(value)


def _text(leaf: Leaf) -> str:
    return "".join("[]" if isinstance(step, int) else f".{step}" for step in leaf).lstrip(".")


def _at(value: Any, leaf: Leaf) -> Any:
    for step in leaf:
        value = value[step]
    return value


def outcomes(file: str, recipe: str) -> Iterator[tuple[str, str, frozenset[str], frozenset[str]]]:
    """(name, line of a list or "", expected factors, factors that moved) for each leaf."""
    table, factorless = rows("factor_table.txt"), rows("factorless_leaves.txt")
    config = opened(file).root.value
    reading, before = Reading(config, recipe), projection_of(opened(file), recipe)
    lines: dict[str, tuple[str, frozenset[str]]] = {}
    for leaf, value in leaves(config):
        name = reading.normal(leaf, value)
        if name == "recipe.name":
            with pytest.raises(NotAdmitted):
                projection_of(raw(replaced(config, leaf, another(value))), recipe)
            continue
        changed = replaced(config, leaf, reading.mutation(leaf, value, name))
        after = raw(without_secrets(changed) if name.startswith("secret.") else changed)
        actual = moved(before, project(after, next(row for row in after.recipes if row.name == recipe))).factors
        if name not in lines:
            hits = [row for row in (*factorless, *table) if row.pattern.fullmatch(name)]
            lines[name] = (hits[0].text, hits[0].factors) if hits else ("", frozenset())
        line, factors = lines[name]
        expected = factors | reading.consequences(leaf, name)
        if name == "arm.provider.name" and "pricing" in config["providers"]["models"][leaf[2]]:
            expected |= {Factor.SHARED_PRICES.value}
        yield name, line, expected, frozenset(factor.value for factor in actual)


def test_every_leaf_moves_exactly_its_factor() -> None:
    used: set[str] = set()
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for file, recipes in MIXTURES.items():
        for recipe in recipes:
            for name, line, expected, actual in outcomes(file, recipe):
                used.add(line)
                counts["+".join(sorted(actual)) or "none"] += 1
                if not line or expected != actual:
                    wrong.append(f"{file[:2]} {recipe} {name}: {sorted(expected)} expected by {line or 'no line'}, {sorted(actual)} moved")
    print(sum(counts.values()), "mutations:", dict(counts.most_common()))
    assert wrong[:40] == []
    assert {row.text for name in ("factor_table.txt", "factorless_leaves.txt") for row in rows(name)} - used == set()
    moving = set(Factor) - {Factor.SOURCE_CODE, Factor.ENDPOINTS, Factor.SERVICES}  # the three that no config says
    assert {factor for key in counts for factor in key.split("+")} - {"none"} == {factor.value for factor in moving}


@pytest.mark.parametrize(
    ("file", "recipe", "arm"),
    [
        pytest.param("05_recipe_accuracy.yaml", "default", "opus48-worker", id="a worker of fusion and workflows"),
        pytest.param("05_recipe_accuracy.yaml", "default", "qwen-coordinator", id="the judge itself"),
        pytest.param("06_bench_scicode_omni.yaml", "default", "gpt-worker", id="the synthesis model of three loops"),
        pytest.param("09_recipe_multi_objective.yaml", "accuracy-first", "local/qwen3.5-122b-frontier", id="a fusion judge"),
        pytest.param("11_builtin_mom_v1.yaml", "accuracy", "local/glm-5.2", id="a planner and final model"),
    ],
)
def test_an_arm_exchanged_everywhere_moves_what_model_pool_permits_and_no_selector(file: str, recipe: str, arm: str) -> None:
    text = json.dumps(opened(file).root.value)
    exchanged = raw(json.loads(text.replace(f'"{arm}"', '"a-newcomer"')))
    factors = moved(projection_of(opened(file), recipe), projection_of(exchanged, recipe)).factors
    assert factors == {Factor.BINDING, Factor.POOL, Factor.SERVING}
