"""Factors are orthogonal, and their digests and their movements say the same. The table of real configs: tests/vectors."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.errors import NotAdmitted
from contracts.mixtures import FactorDigests
from contracts.profiles import Factor
from evaluation_assets.targets.factors import Surroundings, project
from evaluation_assets.targets.movement import moved
from evaluation_assets.targets.reading import SET, without_secrets
from tests.unit.targets.configs import Config, another, edited, leaves, opened, projection, put, raw, replaced

F = Factor


def of(path: str, value: object) -> Callable[[Config], object]:
    return lambda config: put(config, path, value)


def append_arm(config: Config) -> None:
    config["recipes"][0]["routing"]["decisions"][1]["modelRefs"].append({"model": "bee-twin"})


def swap_bee(config: Config) -> None:
    """Everywhere, as one does who replaces a model: in modelRefs, in the algorithm, in cards and providers."""
    decision = config["recipes"][0]["routing"]["decisions"][0]
    decision["modelRefs"][0]["model"] = "wasp"
    decision["algorithm"]["fusion"] = {"model": "wasp", "analysis_models": ["ant", "wasp"]}
    config["providers"]["models"].append({"name": "wasp", "provider_model_id": "maker/wasp", "backend_refs": [{"endpoint": "wasp:8000"}]})


RECIPE, POLICY, POOL = {F.RECIPE}, {F.SELECTOR_POLICY, F.SELECTOR}, {F.POOL}


@pytest.mark.parametrize(
    ("edit", "factors"),
    [
        pytest.param(of("recipes.0.routing.signals.keywords.0.keywords", ["derive"]), RECIPE, id="a keyword"),
        pytest.param(of("recipes.0.routing.decisions.0.tier", 2), RECIPE, id="a tier"),
        pytest.param(of("recipes.0.routing.strategy", "confidence"), RECIPE, id="the strategy"),
        pytest.param(of("global.router.strategy", "priority"), set(), id="a strategy that the recipe overrides"),
        pytest.param(of("recipes.0.routing.never_heard_of", 1), RECIPE, id="an unknown key of the recipe"),
        pytest.param(of("recipes.0.routing.decisions.0.never_heard_of", 1), RECIPE, id="an unknown key of a decision"),
        pytest.param(of("recipes.0.routing.projections.scores.0.weight", 0.6), POLICY, id="a projection weight"),
        pytest.param(of("recipes.0.routing.signals.classifiers.0.name", "mood"), POLICY, id="a classifier"),
        pytest.param(of("recipes.0.routing.decisions.0.algorithm.fusion.model", "ant"), POLICY, id="another judge of the panel"),
        pytest.param(of("providers.models.3.provider_model_id", "maker/other"), {F.SELECTOR}, id="the classifier's model"),
        pytest.param(of("providers.models.3.backend_refs", []), {F.SELECTOR}, id="where the classifier's model runs"),
        pytest.param(of("global.model_catalog", {"system": {"guard": "g"}}), {F.SELECTOR}, id="a signal model"),
        pytest.param(of("global.router.model_selection", {"method": "knn"}), {F.SELECTOR}, id="the trained selector"),
        pytest.param(of("recipes.0.routing.decisions.0.adaptations.mode", "bypass"), {F.ADAPTATION}, id="a decision's adaptation"),
        pytest.param(of("global.router.learning.enabled", False), {F.ADAPTATION}, id="learning"),
        pytest.param(of("recipes.0.routing.decisions.0.modelRefs.0.reasoning_effort", "high"), {F.BINDING}, id="reasoning effort"),
        pytest.param(of("entrypoints.0.model_names", ["demo/new"]), {F.BINDING}, id="an alias"),
        pytest.param(of("providers.defaults.default_model", "bee"), {F.BINDING}, id="the fallback"),
        pytest.param(of("routing.modelCards.0.capabilities", []), POOL, id="a capability"),
        pytest.param(of("providers.models.0.pricing.prompt_per_1m", 0.6), {F.POOL, F.SHARED_PRICES}, id="a price"),
        pytest.param(of("providers.defaults.default_reasoning_effort", "high"), POOL, id="the default effort"),
        pytest.param(of("providers.models.0.reliability.retry_count", 2), {F.SERVING}, id="a retry"),
        pytest.param(of("providers.models.0.backend_refs.0.endpoint", "ant:9000"), {F.SERVING}, id="a backend"),
        pytest.param(of("providers.models.0.backend_refs.0.api_key", "hunter3"), set(), id="a rotated key"),
        pytest.param(of("providers.models.0.backend_refs.0.api_key", ""), {F.SERVING}, id="a key that is gone"),
        pytest.param(append_arm, {F.BINDING, F.POOL, F.SERVING}, id="one more arm"),
        pytest.param(swap_bee, {F.BINDING, F.POOL, F.SERVING}, id="an arm exchanged, also inside the algorithm"),
        pytest.param(of("global.stores.response_cache.enabled", True), set(), id="the cache, which lies in no factor"),
    ],
)
def test_an_edit_moves_its_factor_and_no_other(edit: Callable[[Config], object], factors: set[Factor]) -> None:
    assert moved(projection(edited()), projection(edited(edit))).factors == factors


def test_what_no_factor_takes_is_disclosed() -> None:
    movement = moved(projection(edited()), projection(edited(of("global.stores.response_cache.enabled", True))))
    assert movement.outside == ("global.stores.response_cache.enabled",)


def test_an_alias_of_the_default_recipe_is_binding_and_of_no_other() -> None:
    def with_default(config: Config) -> None:
        config["routing"]["decisions"] = [{"name": "d", "modelRefs": [{"model": "ant"}, {"model": "bee"}]}]
        config["global"]["router"]["auto_model_names"] = ["auto"]

    one = edited(with_default)
    other = edited(lambda config: (with_default(config), put(config, "global.router.auto_model_names", ["robot"])))
    assert moved(projection(one, "default"), projection(other, "default")).factors == {F.BINDING}
    assert moved(projection(one), projection(other)).factors == set()


def test_surroundings_are_factors_too() -> None:
    here = Surroundings("http://router:8080", "http://envoy:8899", {"ledger": ("http://ledger:1", "LEDGER_KEY")}, "sha256:a")
    there = Surroundings("http://router2:8080", "http://envoy:8899", {"ledger": ("http://ledger:2", "LEDGER_KEY")}, "sha256:b")
    movement = moved(projection(edited(), surroundings=here), projection(edited(), surroundings=there))
    assert movement.factors == {F.ENDPOINTS, F.SERVICES, F.SOURCE_CODE}
    assert projection(edited()).digests().environment.endpoints is None
    assert projection(edited(), surroundings=here).digests().environment.endpoints is not None


def test_paths_name_places_and_no_values() -> None:
    movement = moved(projection(edited()), projection(edited(swap_bee)))
    assert "recipe.decisions[0].modelRefs[0].model" in movement.paths[F.BINDING]
    assert "arms[wasp].provider.name" in movement.paths[F.POOL]
    assert all("8000" not in path for paths in movement.paths.values() for path in paths)


def test_two_recipes_are_not_compared() -> None:
    with pytest.raises(NotAdmitted):
        moved(projection(edited()), projection(edited(), "second"))
    with pytest.raises(NotAdmitted):
        projection(edited(), "third")


def digests_that_differ(a: FactorDigests, b: FactorDigests) -> set[str]:
    one, other = ({**digests.environment.to_json(), **digests.to_json(), "environment": None} for digests in (a, b))
    return {name for name in one if one[name] != other[name]}


def test_digests_differ_exactly_where_something_moved() -> None:
    """Over every leaf of the config. A reference to an arm also renumbers algorithm blocks, which only a comparison can undo."""
    base, checked = opened(edited()), 0
    before = project(base, base.recipes[1])
    for path, leaf in leaves(base.root.value):
        if path[-1] in {"name", "model"} and path[0] in {"recipes", "providers"}:
            continue
        config = raw(without_secrets(replaced(base.root.value, path, another(leaf))))
        after = project(config, next(recipe for recipe in config.recipes if recipe.name == "main"))
        expected = {str(factor) for factor in moved(before, after).factors - {F.SHARED_PRICES}}
        assert digests_that_differ(before.digests(), after.digests()) == expected, path
        checked += 1
    assert checked > 50


def test_secrets_are_marks_and_headers_of_that_kind_too() -> None:
    masked = without_secrets({"password": "p", "api_key": "", "Authorization": "Bearer x", "auth": [{"secret": 5}], "api_key_env": "K"})
    assert masked == {"password": SET, "api_key": "", "Authorization": SET, "auth": [{"secret": SET}], "api_key_env": "K"}


values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(
    signals=st.dictionaries(st.text(min_size=1, max_size=6), values, max_size=4),
    plugins=values,
    description=st.text(max_size=9),
    arms=st.lists(st.sampled_from(["ant", "bee", "bee-twin", "judge"]), max_size=4),
    strategy=st.text(max_size=4),
)
def test_editing_another_recipe_moves_no_factor_of_this_one(
    signals: Config, plugins: object, description: str, arms: list[str], strategy: str
) -> None:
    other = {
        "name": "second",
        "description": description,
        "routing": {
            "strategy": strategy,
            "signals": signals,
            "decisions": [
                {"name": "only", "modelRefs": [{"model": arm} for arm in arms], "plugins": plugins, "algorithm": {"model": "judge"}}
            ],
        },
    }
    base = opened(edited())
    config = raw({**base.root.value, "recipes": [base.root.value["recipes"][0], other]})
    movement = moved(projection(edited()), project(config, config.recipes[1]))
    assert (movement.factors, movement.outside) == (frozenset(), ())
