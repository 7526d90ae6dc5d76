"""Which profile admits which movement: every profile once with its own delta, and refusals that name what is in the way."""

from collections.abc import Callable

import pytest

from contracts.catalogs import gate_policy
from contracts.errors import NotAdmitted, UnknownName
from contracts.profiles import Factor
from evaluation_assets.targets.factors import Surroundings
from evaluation_assets.targets.movement import admitting_profiles, profile_catalog, require_admitted
from tests.unit.targets.configs import Config, edited, projection
from tests.unit.targets.test_factors import append_arm, of, swap_bee

BASE = Surroundings("http://router-a:8080", "http://envoy-a:8899", {"ledger": ("http://ledger:9000", "LEDGER_KEY")}, "sha256:one")


def candidate(router: str = "http://router-b:8080", services: str = "LEDGER_KEY", code: str = "sha256:one") -> Surroundings:
    return Surroundings(router, "http://envoy-b:8899", {"ledger": ("http://ledger:9000", services)}, code)


def admitted(edit: Callable[[Config], object], there: Surroundings) -> set[str]:
    verdicts = admitting_profiles(projection(edited(), surroundings=BASE), projection(edited(edit), surroundings=there))
    return {verdict.profile for verdict in verdicts if verdict.admitted}


def both(*edits: Callable[[Config], object]) -> Callable[[Config], object]:
    return lambda config: [edit(config) for edit in edits]


SAME = of("version", "v0.3")
KEYWORD = of("recipes.0.routing.signals.keywords.0.keywords", ["derive"])
WEIGHT = of("recipes.0.routing.projections.scores.0.weight", 0.6)
PRICE = of("providers.models.0.pricing.prompt_per_1m", 0.6)
BACKEND = of("providers.models.0.backend_refs.0.endpoint", "ant:9000")
EFFORT = of("recipes.0.routing.decisions.0.modelRefs.0.reasoning_effort", "high")


@pytest.mark.parametrize(
    ("edit", "there", "profiles"),
    [
        pytest.param(SAME, candidate(code="sha256:two"), {"schema_adapter"}, id="other source code"),
        pytest.param(KEYWORD, candidate(), {"recipe"}, id="a keyword"),
        pytest.param(WEIGHT, candidate(), {"selector"}, id="a projection weight"),
        pytest.param(of("global.model_catalog", {"system": {"guard": "g"}}), candidate(), {"selector"}, id="a signal model"),
        pytest.param(append_arm, candidate(), {"model_pool"}, id="one more arm with its binding and serving"),
        pytest.param(swap_bee, candidate(), {"model_pool"}, id="an arm exchanged that an algorithm names"),
        pytest.param(BACKEND, candidate(), {"runtime_capacity"}, id="another backend"),
        pytest.param(of("global.router.learning.enabled", False), candidate(), {"online_adaptation"}, id="learning off"),
        pytest.param(SAME, candidate(), set(), id="nothing moved"),
        pytest.param(both(KEYWORD, WEIGHT), candidate(), set(), id="recipe and selector together"),
        pytest.param(KEYWORD, candidate(code="sha256:two"), set(), id="a keyword and other source code"),
        pytest.param(KEYWORD, candidate(services="OTHER_KEY"), set(), id="a keyword and another credential"),
        pytest.param(KEYWORD, BASE, set(), id="a keyword at the same endpoints"),
        pytest.param(both(KEYWORD, BACKEND), candidate(), set(), id="a keyword and another backend"),
        pytest.param(PRICE, candidate(), set(), id="the price of an arm that both have"),
        pytest.param(both(append_arm, PRICE), candidate(), set(), id="one more arm, and another price of an old one"),
        pytest.param(EFFORT, candidate(), set(), id="reasoning effort alone"),
    ],
)
def test_a_movement_is_admitted_by_its_profile_alone(edit: Callable[[Config], object], there: Surroundings, profiles: set[str]) -> None:
    assert admitted(edit, there) == profiles


@pytest.mark.parametrize(
    ("edit", "profile", "words"),
    [
        pytest.param(EFFORT, "recipe", "reasoning settings are part of the binding", id="effort"),
        pytest.param(PRICE, "model_pool", r"shared_prices moved and is frozen \(arms\[ant\].provider.pricing.prompt_per_1m\)", id="price"),
        pytest.param(WEIGHT, "recipe", r"selector_policy moved and is frozen \(recipe.projections.scores\[0\].weight\)", id="weight"),
        pytest.param(KEYWORD, "selector", "selector is what this profile is about, and did not move", id="no selector"),
        pytest.param(KEYWORD, "agent_multimodal", "agents and media have no factor of their own yet", id="no paired treatment"),
    ],
)
def test_a_refusal_says_what_is_in_the_way(edit: Callable[[Config], object], profile: str, words: str) -> None:
    with pytest.raises(NotAdmitted, match=words):
        require_admitted(projection(edited(), surroundings=BASE), projection(edited(edit), surroundings=candidate()), profile)


def test_what_is_admitted_is_returned() -> None:
    there = projection(edited(KEYWORD), surroundings=candidate())
    movement = require_admitted(projection(edited(), surroundings=BASE), there, "recipe")
    assert movement.factors == {Factor.RECIPE, Factor.ENDPOINTS}


def test_without_endpoints_the_rest_is_judged() -> None:
    verdicts = admitting_profiles(projection(edited()), projection(edited(KEYWORD)))
    assert {verdict.profile for verdict in verdicts if verdict.admitted} == {"recipe"}


def test_profiles_are_those_of_the_gate_policy() -> None:
    assert [row.profile for row in profile_catalog().profiles] == [row.profile for row in gate_policy().profiles]
    with pytest.raises(UnknownName):
        profile_catalog().profile("vibes")


def test_the_table_of_permitted_and_frozen_factors() -> None:
    """The specification's table, with the environment in three parts."""
    rows = {row.profile: row for row in profile_catalog().profiles if row.primary is not None}
    assert {name: (row.primary, set(row.permitted)) for name, row in rows.items()} == {
        "schema_adapter": ("source_code", set()),
        "recipe": ("recipe", set()),
        "selector": ("selector", {"selector_policy"}),
        "model_pool": ("pool", {"binding", "serving"}),
        "runtime_capacity": ("serving", set()),
        "online_adaptation": ("adaptation", set()),
    }
    assert all(row.disclosed == (Factor.ENDPOINTS,) for row in rows.values())
