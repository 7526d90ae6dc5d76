"""One model as its config describes it: an arm with prices and capabilities, or a support model by its digests.

Image input is declared in `capabilities`, in `modality` or in `modalities.input`, whichever generation wrote the card; `diffusion`
makes images and takes none. A model without `provider_model_id` is asked for by its logical name.
"""

from collections.abc import Iterator
from typing import get_args

from contracts.canonical import digest_of
from contracts.mixtures import Modality, ModelArm, SupportModel
from contracts.strict_json import JsonValue
from evaluation_assets.targets.dialect import Recipe, RouterConfig
from evaluation_assets.targets.factors import Parts, arm_entry, support_models
from evaluation_assets.targets.nodes import Node
from evaluation_assets.targets.prices import read_prices

_NOTHING: JsonValue = None
_SEES = frozenset({"vision", "multimodal", "image", "image_input", "image_understanding", "omni", "vlm"})
_HEARS = frozenset({"audio", "audio_input", "speech"})
_WATCHES = frozenset({"video", "video_input"})
_READS = frozenset({"document", "pdf", "file"})
_TAKES: dict[Modality, frozenset[str]] = {"image": _SEES, "document": _READS, "audio": _HEARS, "video": _WATCHES}


def read_arm(config: RouterConfig, arm: str, loras: frozenset[str] = frozenset()) -> ModelArm:
    """An arm by its logical name; `loras` are the adapters that decisions ask for. DocumentError as its card or prices are wrong."""
    card, provider = _node(config, config.cards, arm), _node(config, config.providers, arm)
    declared = {item.get("name").name() for item in card.get("loras").items()}
    return ModelArm.build(
        {
            "arm_id": arm,
            "provider_model_id_digest": digest_of("provider-model", provider.get("provider_model_id").text(512) or arm),
            "prices": read_prices(provider.get("pricing")).to_json(),
            "capabilities": sorted(set(card.get("capabilities").names(256))),
            "modalities": _modalities(card),
            "context_window": _size(card.get("context_window_size")),
            "parameter_size": card.get("param_size").text(64) or None,
            "loras": sorted(declared | loras),
            "revision": card.get("revision").text(160) or None,
            "config_digest": digest_of("model-arm", arm_entry(config, arm)),
        },
        at=f"{config.root.file}  arms[{arm}]",
    )


def read_support(config: RouterConfig, recipe: Recipe, arms: tuple[str, ...]) -> tuple[SupportModel, ...]:
    """Every model that helps to choose: those the recipe names, and those the whole router shares; sorted by name."""
    found = {model.model: model for model in _shared(config)}
    for name in support_models(config, recipe, arms):
        found[name] = _named(config, name)
    return tuple(found[name] for name in sorted(found))


def _named(config: RouterConfig, name: str) -> SupportModel:
    provider = _node(config, config.providers, name)
    parts: Parts = arm_entry(config, name)
    return SupportModel(
        model=name,
        provider_model_id_digest=digest_of("provider-model", provider.get("provider_model_id").text(512) or name),
        config_digest=digest_of("model-arm", parts),
        revision=_node(config, config.cards, name).get("revision").text(160) or None,
        backend_digest=_backend(provider),
    )


def _shared(config: RouterConfig) -> Iterator[SupportModel]:
    """One entry for each part of global.model_catalog and for each trained selector, under its key path."""
    catalog = config.root.get("global").get("model_catalog")
    for section, value in catalog.members().items():
        if isinstance(value, dict):
            yield from (_part(f"model_catalog.{section}.{name}", item) for name, item in value.items())
        elif isinstance(value, list):
            yield from (_part(f"model_catalog.{section}.{_label(item, index)}", item) for index, item in enumerate(value))
    trained = config.root.get("global").get("router").get("model_selection").get("ml")
    yield from (_part(f"model_selection.ml.{name}", item) for name, item in trained.members().items() if isinstance(item, dict))


def _part(path: str, value: JsonValue) -> SupportModel:
    model = value if isinstance(value, str) else None
    return SupportModel(
        model=path[:512],
        provider_model_id_digest=digest_of("provider-model", model) if model else None,
        config_digest=digest_of("support-model", value),
        revision=None,
        backend_digest=None,
    )


def _label(item: JsonValue, index: int) -> str:
    name = item.get("name") if isinstance(item, dict) else None
    return f"{index}.{name}" if isinstance(name, str) and name else str(index)


def is_served(config: RouterConfig, arm: str) -> bool:
    """Does the provider of this arm name a backend?"""
    return arm in config.providers and _backend(config.providers[arm]) is not None


def _backend(provider: Node) -> str | None:
    backends = provider.get("backend_refs").value
    return digest_of("model-backend", backends) if backends else None


def _modalities(card: Node) -> tuple[Modality, ...]:
    words = {word.lower() for word in (*card.get("capabilities").names(256), *card.get("modalities").get("input").names(64))}
    words.add((card.get("modality").text(64) or "").lower())
    known: tuple[Modality, ...] = get_args(Modality)
    return tuple(modality for modality in known if modality == "text" or words & _TAKES[modality])


def _size(node: Node) -> int | None:
    value = node.whole()
    if value is not None and value < 0:
        node.refuse("A size is not negative")
    return value or None  # the router writes 0 where it knows none


def _node(config: RouterConfig, models: dict[str, Node], name: str) -> Node:
    return models.get(name, Node(_NOTHING, config.root.file, f"models[{name}]"))
