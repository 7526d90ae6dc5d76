"""Which models a recipe binds, and how a block of configuration refers to them.

An arm is a model that a decision may call: through `modelRefs` or through `candidateIterations`. Everything else that a recipe names -
a planner, a judge, a prompt classifier - helps to choose and is a support model, unless it is an arm anyway.
"""

from collections.abc import Iterable, Iterator, Mapping

from contracts.strict_json import JsonValue
from evaluation_assets.targets.dialect import Recipe
from evaluation_assets.targets.nodes import Node

_MODEL_KEYS = frozenset({"model", "models", "quorum_fallback_target"})
_MODEL_SUFFIXES = ("_model", "_models")


def bound_models(decision: Node) -> tuple[str, ...]:
    """Logical names that one decision may call, each once, in config order."""
    refs = [ref.get("model").name() for ref in decision.get("modelRefs").items()]
    iterated = [ref.get("model").name() for block in decision.get("candidateIterations").items() for ref in block.get("models").items()]
    return tuple(dict.fromkeys([*refs, *iterated]))


def arm_order(recipe: Recipe) -> tuple[str, ...]:
    """The arms of a recipe in the order in which its decisions first name them."""
    return tuple(dict.fromkeys(name for decision in recipe.decisions for name in bound_models(decision)))


def arm_numbers(own: Iterable[str], common: Iterable[str]) -> dict[str, int]:
    """Arm -> number. The arms that both sides of a comparison have come first, sorted; those of one side follow in their own order.

    So an arm that takes another's place takes its number too, and an algorithm block that names it has not moved.
    """
    first = sorted(common)
    return {arm: number for number, arm in enumerate([*first, *(arm for arm in own if arm not in first)])}


def numbered(block: JsonValue, numbers: Mapping[str, int]) -> JsonValue:
    """An algorithm block where every name of an arm is replaced by its number; names of other models stay."""
    if isinstance(block, dict):
        return {key: _named(item, numbers) if _names_models(key) else numbered(item, numbers) for key, item in block.items()}
    if isinstance(block, list):
        return [numbered(item, numbers) for item in block]
    return block


def named_models(block: JsonValue) -> Iterator[str]:
    """Every model that a block names, arms and others alike."""
    if isinstance(block, dict):
        for key, item in block.items():
            if _names_models(key):
                yield from _texts(item)
            yield from named_models(item)
    elif isinstance(block, list):
        for item in block:
            yield from named_models(item)


def _names_models(key: str) -> bool:
    return key in _MODEL_KEYS or key.endswith(_MODEL_SUFFIXES)


def _named(item: JsonValue, numbers: Mapping[str, int]) -> JsonValue:
    if isinstance(item, str):
        return {"arm": numbers[item]} if item in numbers else item
    if isinstance(item, list):
        return [_named(each, numbers) for each in item]
    return numbered(item, numbers)


def _texts(item: JsonValue) -> Iterator[str]:
    if isinstance(item, str):
        yield item
    elif isinstance(item, list):
        yield from (each for each in item if isinstance(each, str))
