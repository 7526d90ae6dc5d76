"""What the pool numbers say in words: the best arm, what perfect routing would add to it, and where the routed system stands."""

from contracts.metrics import MetricValue
from evaluation_assets.reports.words import REASONS, number, several

_ARM, _QUALITY = "model_pool.arm.", ".quality"


def told(whole: dict[str, MetricValue]) -> tuple[str, ...]:
    """Two or three sentences; what is missing says why. `whole`: metrics over all cases, by id."""
    return tuple(part for part in (_best(whole), _oracle(whole), _routed(whole)) if part)


def best_arms(whole: dict[str, MetricValue]) -> list[str]:
    """Arms whose mean quality is the best single quality; several on a tie, none where that is unknown."""
    best = _value(whole, "model_pool.best_single_quality")
    found = [
        metric_id.removeprefix(_ARM).removesuffix(_QUALITY)
        for metric_id, metric in whole.items()
        if metric_id.startswith(_ARM) and metric_id.endswith(_QUALITY) and metric.value is not None and metric.value == best
    ]
    return sorted(found)


def _best(whole: dict[str, MetricValue]) -> str:
    best, arms = _value(whole, "model_pool.best_single_quality"), best_arms(whole)
    if best is None or not arms:
        return _missing(whole, "model_pool.best_single_quality", "The best single arm")
    if len(arms) > 1:
        return f"Best single arms: {several(arms)}, equal with a mean quality of {number(best)}."
    return f"Best single arm: {several(arms)}, with a mean quality of {number(best)}."


def _oracle(whole: dict[str, MetricValue]) -> str:
    oracle, gain = _value(whole, "model_pool.oracle_quality"), _value(whole, "model_pool.oracle_gain")
    if oracle is None or gain is None:
        return _missing(whole, "model_pool.oracle_gain", "What a perfect router could add")
    if gain == 0:
        return f"A perfect router would add nothing: it reaches {number(oracle)} too."
    return f"A perfect router over these arms would reach {number(oracle)}, which is {number(gain)} more."


def _routed(whole: dict[str, MetricValue]) -> str:
    realized, lift = _value(whole, "joint.realized_quality"), _value(whole, "joint.no_information_frontier_lift")
    if realized is None:
        return _missing(whole, "joint.realized_quality", "What the routed system reached")
    if lift is None:
        return f"The routed system reached {number(realized)}."
    than = "the best single arm" if len(best_arms(whole)) == 1 else "a best single arm"
    if lift == 0:
        return f"The routed system reached {number(realized)}, the same as {than}."
    return f"The routed system reached {number(realized)}: {number(abs(lift))} {'more' if lift > 0 else 'less'} than {than}."


def _value(whole: dict[str, MetricValue], metric_id: str) -> float | None:
    return whole[metric_id].value if metric_id in whole else None


def _missing(whole: dict[str, MetricValue], metric_id: str, what: str) -> str:
    reason = whole[metric_id].reason if metric_id in whole else None
    return f"{what} is unknown: {REASONS[reason]}." if reason else ""
