"""Which recipes are mixtures, by which names they are reached, and what may be seen of them."""

import json
from collections.abc import Callable
from hashlib import sha256

import pytest

from contracts.errors import DocumentError, EvaluationError, StrictReadError
from contracts.mixtures import ConfigDialect, RefusalReason
from evaluation_assets.targets.dialect import open_config
from evaluation_assets.targets.mixtures import find_mixture, router_catalog
from evaluation_assets.targets.reading import config_bytes
from tests.unit.targets.configs import Config, catalog, edited, leaves, opened, put, raw, replaced

ONE, EMPTY, LOST, NONE, UNSERVED = (
    RefusalReason.ONE_ARM,
    RefusalReason.EMPTY_DEFAULT,
    RefusalReason.UNREACHABLE,
    RefusalReason.NO_ARMS,
    RefusalReason.UNSERVED_ARM,
)


def test_a_mixture_says_what_its_config_says() -> None:
    main, second = catalog(edited()).mixtures
    assert main.mixture_id == "mom-" + sha256(b"main").hexdigest()
    assert (main.aliases, main.entrypoint_model) == (("demo/main", "demo/other-name"), "demo/main")
    assert [arm.arm_id for arm in main.arms] == ["ant", "bee"]
    assert [arm.prices.input for arm in main.arms] == [500_000, 1_250_000]
    assert [arm.modalities for arm in main.arms] == [("text",), ("text", "image")]
    assert [arm.loras for arm in main.arms] == [(), ("bee-law",)]
    assert [(row.name, row.algorithm, row.arm_ids, row.priority, row.tier) for row in main.decisions] == [
        ("panel", "fusion", ("ant", "bee"), 10, 1),
        ("rest", None, ("ant",), 1, None),
    ]
    assert [model.model for model in main.support_models] == ["judge"]
    assert (main.fallback_arm_id, main.outside_fallback) == ("ant", None)
    assert main.replica_groups == ()
    assert second.replica_groups == (("bee", "bee-twin"),)
    assert second.arms[1].prices.input is None
    assert second.fallback_arm_id is None
    assert second.outside_fallback is not None
    assert second.outside_fallback.arm_id == "ant"


def test_the_bundled_mixture_is_complete() -> None:
    data, name = config_bytes(None)
    found = router_catalog(open_config(data, file=name))
    (mixture,) = found.mixtures
    assert found.refused == ()
    assert len(mixture.arms) == 4
    assert all(None not in arm.prices.to_json().values() for arm in mixture.arms)
    assert len({arm.capabilities for arm in mixture.arms}) == 4
    assert [arm.arm_id for arm in mixture.arms if "image" in arm.modalities] == ["iris-vision"]
    assert len(mixture.decisions) == 5
    assert len(mixture.aliases) == 2
    assert mixture.fallback_arm_id == "fern-small"
    assert mixture.config_digest == f"sha256:{sha256(data).hexdigest()}"
    assert find_mixture(found, mixture.mixture_id) == mixture


def remove(*path: str | int) -> Callable[[Config], object]:
    def edit(config: Config) -> None:
        place = config
        for step in path[:-1]:
            place = place[step]
        del place[path[-1]]

    return edit


def with_(path: str, value: object) -> Callable[[Config], object]:
    return lambda config: put(config, path, value)


@pytest.mark.parametrize(
    ("edit", "recipe", "reasons"),
    [
        pytest.param(with_("version", "v0.3"), "default", (LOST, EMPTY), id="an empty default that no alias reaches"),
        pytest.param(remove("global", "router", "auto_model_names"), "default", (EMPTY,), id="an empty default behind automatic aliases"),
        pytest.param(with_("entrypoints", []), "main", (LOST,), id="a recipe without entrypoint"),
        pytest.param(with_("recipes.1.routing.decisions.0.modelRefs", [{"model": "bee"}]), "second", (ONE,), id="one arm"),
        pytest.param(with_("recipes.1.routing.decisions.0.modelRefs", None), "second", (NONE,), id="unassigned decisions"),
        pytest.param(with_("recipes.1.routing", {}), "second", (NONE,), id="no decisions"),
        pytest.param(with_("recipes.1.routing.decisions.0.modelRefs.0.model", "cat"), "second", (UNSERVED,), id="an arm nobody serves"),
        pytest.param(remove("providers", "models"), "second", (UNSERVED,), id="no providers at all"),
    ],
)
def test_what_is_no_mixture_is_refused_with_every_reason(
    edit: Callable[[Config], object], recipe: str, reasons: tuple[RefusalReason, ...]
) -> None:
    found = {row.recipe_name: row for row in catalog(edited(edit)).refused}
    assert found[recipe].reasons == reasons
    assert found[recipe].explanation


@pytest.mark.parametrize(
    ("router", "aliases"),
    [
        pytest.param({}, ("vllm-sr/auto", "auto", "MoM"), id="nothing said"),
        pytest.param({"auto_model_name": "mine"}, ("vllm-sr/auto", "auto", "mine"), id="the primary name replaces the last"),
        pytest.param({"auto_model_names": ["a", "a", " b "], "auto_model_name": "mine"}, ("a", "b"), id="a list replaces all"),
        pytest.param({"auto_model_names": []}, (), id="an empty list switches them off"),
    ],
)
def test_automatic_aliases(router: Config, aliases: tuple[str, ...]) -> None:
    config = opened(edited(with_("global.router", router)))
    assert config.recipes[0].aliases == aliases
    assert config.recipes[1].aliases == ("demo/main", "demo/other-name")


@pytest.mark.parametrize(
    ("edit", "place"),
    [
        pytest.param(with_("entrypoints.1.model_names", ["demo/main"]), "entrypoints[1].model_names[0]", id="an alias of two recipes"),
        pytest.param(with_("recipes.1.name", "main"), "recipes[1].name", id="two recipes of one name"),
        pytest.param(with_("recipes.1.name", "default"), "recipes[1].name", id="a second default"),
        pytest.param(with_("providers.models.1.name", "ant"), "providers.models[1].name", id="two models of one name"),
        pytest.param(with_("recipes", {}), "recipes", id="recipes that are no list"),
        pytest.param(
            with_("recipes.0.routing.decisions.0.modelRefs.0", {}),
            "recipes[0].routing.decisions[0].modelRefs[0].model",
            id="a reference without model",
        ),
        pytest.param(
            with_("recipes.0.routing.decisions.0.priority", 1.5), "recipes[0].routing.decisions[0].priority", id="half a priority"
        ),
        pytest.param(with_("recipes.0.routing.decisions.1.name", "panel"), "recipe main", id="two decisions of one name"),
        pytest.param(
            with_("routing.modelCards.0.context_window_size", -1), "routing.modelCards[0].context_window_size", id="a negative size"
        ),
        pytest.param(with_("providers.defaults.model", "bee"), "providers.defaults.model", id="two generations that disagree"),
        pytest.param(
            with_("routing.modelCards.0.capabilities", [f"c{n}" for n in range(300)]), "arms[ant]  capabilities", id="too much of a card"
        ),
    ],
)
def test_what_is_used_and_malformed_is_refused_by_file_and_key(edit: Callable[[Config], object], place: str) -> None:
    with pytest.raises(DocumentError) as refused:
        catalog(edited(edit))
    assert refused.value.at == f"config.yaml  {place}"


def test_what_nobody_uses_may_be_anything() -> None:
    def edit(config: Config) -> None:
        config["providers"]["models"][3]["pricing"] = "a riddle"
        config["global"]["services"] = 7
        config["future"] = [None]

    assert [row.recipe_name for row in catalog(edited(edit)).mixtures] == ["main", "second"]


def test_no_wrong_type_anywhere_leaks_a_foreign_exception() -> None:
    """Every leaf of the config in turn becomes something else: it is read, or refused by an error of ours."""
    read, refused = 0, []
    for path, _ in leaves(edited()):
        for strange in (None, True, -3, 2.5, "x\ny", "", [], {}, [[]], [{}], {"name": []}, 10**15):
            try:
                router_catalog(raw(replaced(edited(), path, strange)))
                read += 1
            except EvaluationError as error:
                refused.append(error.at)
    assert read > 100
    assert len(refused) > 100
    assert all(at.startswith("config.yaml  ") for at in refused)


@pytest.mark.parametrize(
    ("edit", "dialect"),
    [
        pytest.param(with_("version", "v9"), ConfigDialect.AUGUST_2026, id="default_model and quality_score"),
        pytest.param(
            lambda c: (put(c, "providers.defaults", {"model": "ant"}), c["routing"]["modelCards"][0].pop("quality_score")),
            ConfigDialect.RELEASE_0_4,
            id="defaults.model",
        ),
        pytest.param(
            lambda c: (put(c, "providers.defaults", {}), c["routing"]["modelCards"][0].pop("quality_score")),
            ConfigDialect.UNDETERMINED,
            id="no key tells",
        ),
        pytest.param(with_("routing.modelCards.0.revision", "r7"), ConfigDialect.MIXED, id="keys of both"),
    ],
)
def test_the_dialect_is_told_by_keys_and_not_by_version(edit: Callable[[Config], object], dialect: ConfigDialect) -> None:
    assert opened(edited(edit)).dialect is dialect


def test_both_generations_say_the_same_arm() -> None:
    """What the later one spells otherwise is read as well: default model, media input, revision."""

    def edit(config: Config) -> None:
        config["providers"]["defaults"] = {"model": "ant"}
        config["routing"]["modelCards"] = [{"name": "bee", "modalities": {"input": ["text", "image"]}, "revision": "r7"}]

    main = catalog(edited(edit)).mixtures[0]
    assert (main.fallback_arm_id, main.arms[1].modalities, main.arms[1].revision) == ("ant", ("text", "image"), "r7")


def test_nothing_private_is_in_a_catalog() -> None:
    text = catalog(edited()).canonical().decode()
    assert "demo/main" in text  # positive control
    for private in ("hunter2", "ANT_KEY", "ant:8000", "maker/", "prove"):
        assert private in json.dumps(edited())
        assert private not in text


def test_config_text_is_strict_yaml_with_room() -> None:
    wide = edited(lambda config: put(config, "recipes.0.routing.signals.keywords.0.keywords", ["word"] * 120_000))
    assert len(catalog(wide).mixtures) == 2
    with pytest.raises(StrictReadError, match="an anchor"):
        open_config(b"a: &x 1\nb: *x\n", file="config.yaml")
    with pytest.raises(DocumentError):
        open_config(b"- 1\n", file="config.yaml")
    with pytest.raises(StrictReadError):
        open_config(b" " * (4 * 2**20 + 1), file="config.yaml")


def test_the_digest_is_of_the_bytes() -> None:
    data = json.dumps(edited()).encode()
    assert open_config(data, file="c").digest != open_config(data + b"\n", file="c").digest
