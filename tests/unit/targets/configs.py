"""A small router config with two recipes, as a value to edit; and what tests do with it."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

from contracts.mixtures import RouterCatalog
from evaluation_assets.targets.dialect import RouterConfig, open_config
from evaluation_assets.targets.factors import NOWHERE, Projection, Surroundings, projection_of
from evaluation_assets.targets.mixtures import router_catalog
from evaluation_assets.targets.nodes import Node

Config = dict[str, Any]
Path = tuple[str | int, ...]

SMALL: Config = {
    "version": "v0.3",
    "providers": {
        "defaults": {"default_model": "ant", "default_reasoning_effort": "low"},
        "models": [
            {
                "name": "ant",
                "provider_model_id": "maker/ant",
                "pricing": {"currency": "USD", "prompt_per_1m": 0.5, "completion_per_1m": 2},
                "backend_refs": [{"endpoint": "ant:8000", "api_key": "hunter2", "api_key_env": "ANT_KEY"}],
                "reliability": {"retry_count": 1},
            },
            {
                "name": "bee",
                "provider_model_id": "maker/bee",
                "pricing": {"prompt_per_1m": 1.25, "completion_per_1m": 5},
                "backend_refs": [{"endpoint": "bee:8000"}],
            },
            {"name": "bee-twin", "provider_model_id": "maker/bee", "backend_refs": [{"endpoint": "bee-twin:8000"}]},
            {"name": "judge", "provider_model_id": "maker/judge", "backend_refs": [{"endpoint": "judge:8000"}]},
        ],
    },
    "routing": {
        "modelCards": [
            {"name": "ant", "capabilities": ["chat"], "context_window_size": 8192, "modality": "text", "quality_score": 0.5},
            {"name": "bee", "capabilities": ["vision", "chat"], "param_size": "9b", "loras": [{"name": "bee-law"}]},
        ],
    },
    "entrypoints": [
        {"model_names": ["demo/main", "demo/other-name"], "recipe": "main"},
        {"model_names": ["demo/second"], "recipe": "second"},
    ],
    "recipes": [
        {
            "name": "main",
            "description": "The one under test.",
            "routing": {
                "strategy": "priority",
                "signals": {"keywords": [{"name": "hard", "keywords": ["prove"]}], "classifiers": [{"name": "tone", "model": "judge"}]},
                "projections": {"scores": [{"name": "load", "weight": 0.5}]},
                "decisions": [
                    {
                        "name": "panel",
                        "priority": 10,
                        "tier": 1,
                        "rules": {"type": "keyword", "name": "hard"},
                        "modelRefs": [{"model": "bee", "use_reasoning": True, "reasoning_effort": "low"}, {"model": "ant"}],
                        "algorithm": {"type": "fusion", "fusion": {"model": "bee", "analysis_models": ["ant", "bee"]}},
                        "adaptations": {"mode": "apply"},
                    },
                    {"name": "rest", "priority": 1, "modelRefs": [{"model": "ant"}]},
                ],
            },
        },
        {
            "name": "second",
            "description": "Somebody else's.",
            "routing": {
                "signals": {"keywords": [{"name": "soft", "keywords": ["please"]}]},
                "decisions": [{"name": "only", "modelRefs": [{"model": "bee"}, {"model": "bee-twin"}], "plugins": [{"type": "cache"}]}],
            },
        },
    ],
    "global": {
        "router": {"auto_model_names": [], "learning": {"enabled": True}, "strategy": "confidence"},
        "stores": {"response_cache": {"enabled": False}},
    },
}


def edited(edit: Callable[[Config], object] = lambda config: None) -> Config:
    """A copy of SMALL after `edit`."""
    config = copy.deepcopy(SMALL)
    edit(config)
    return config


def put(config: Config, path: str, value: object) -> None:
    """Sets `a.0.b` in a config."""
    *way, last = [int(step) if step.isdecimal() else step for step in path.split(".")]
    place: Any = config
    for step in way:
        place = place[step]
    place[last] = value


def opened(config: Config, file: str = "config.yaml") -> RouterConfig:
    """Through bytes, as everything comes in; JSON is YAML."""
    return open_config(json.dumps(config).encode(), file=file)


def catalog(config: Config) -> RouterCatalog:
    return router_catalog(opened(config))


def projection(config: Config, recipe: str = "main", surroundings: Surroundings = NOWHERE) -> Projection:
    return projection_of(opened(config), recipe, surroundings)


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every scalar and every empty container."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    else:
        yield path, value


def another(leaf: Any) -> Any:
    """A different value of the same type."""
    match leaf:
        case bool():
            return not leaf
        case int() | float():
            return leaf + 1
        case str():
            return leaf + "-changed"
        case []:
            return ["changed"]
        case {}:
            return {"changed": 1}
    return "changed"


def replaced(value: Any, path: Path, leaf: Any) -> Any:
    """The value with one leaf exchanged. Shares everything that is not on the way, as a projection's comparison expects."""
    if not path:
        return leaf
    copied = list(value) if isinstance(value, list) else dict(value)
    copied[path[0]] = replaced(value[path[0]], path[1:], leaf)
    return copied


def raw(value: Any) -> RouterConfig:
    """A config from values that were read before; it has no bytes, hence no digest."""
    return RouterConfig(Node(value, "config.yaml"), "sha256:" + 64 * "0")
