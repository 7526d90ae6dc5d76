"""Quality against cost: each arm, the routed system among them, and the levels of the best single arm and of perfect routing.

A cost that is not complete is a lower bound: its point is hollow and carries an arrow, and no frontier goes through it.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import ceil, floor, log10
from typing import NamedTuple

from contracts.metrics import MetricValue
from contracts.reports import LedgerCost, Report
from evaluation_assets.reports.plots import standalone
from evaluation_assets.reports.words import isolated, number, shortened

MAX_LABEL = 20
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 440, 320, 50, 14, 30, 48  # as in templates/plots.svg.j2
_LETTER = 7.6  # width of a letter at 13 px, on the safe side
_ARM = "model_pool.arm."
LEVELS = {"oracle": ("perfect router", "model_pool.oracle_quality"), "single": ("best single arm", "model_pool.best_single_quality")}


class Point(NamedTuple):
    """An arm, or the routed system; `complete`: the cost is all of it, not a lower bound."""

    name: str
    quality: float
    cost: float
    complete: bool = True
    routed: bool = False


class Mark(NamedTuple):
    """A drawn point; `label` is empty where there is no room for one (the table has them all), else it starts at its own place."""

    point: Point
    x: float
    y: float
    label: str
    label_x: float
    label_y: float


class Tick(NamedTuple):
    at: float
    text: str


class Line(NamedTuple):
    """A level of quality across the picture; its text ends at `end`."""

    kind: str
    y: float
    text: str
    end: float


class Scatter(NamedTuple):
    marks: tuple[Mark, ...]
    frontier: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    lines: tuple[Line, ...]
    bounds: bool
    description: str


class Drawn(NamedTuple):
    """What a report gives to draw, and the arms that lack a quality or any cost."""

    picture: Scatter | None
    unplotted: tuple[str, ...]


def quality_cost(report: Report) -> Drawn:
    """No picture where no arm has both a quality and at least a part of its cost."""
    whole = {metric.metric_id: metric for metric in report.metrics if metric.slice == "all"}
    names = sorted({name.removeprefix(_ARM).rpartition(".")[0] for name in whole if name.startswith(_ARM)})
    found = {name: _arm(name, whole) for name in names}
    points = [point for point in found.values() if point is not None]
    unplotted = tuple(name for name, point in found.items() if point is None)
    if not points:
        return Drawn(None, unplotted)
    routed = _routed(whole, next((cost for cost in report.costs if cost.ledger == "runtime"), None))
    values = [(kind, name, _value(whole, metric_id)) for kind, (name, metric_id) in LEVELS.items()]
    levels = [(kind, name, value) for kind, name, value in values if value is not None]
    return Drawn(scatter([*points, *([routed] if routed else [])], levels), unplotted)


def quality_cost_svg(report: Report) -> bytes | None:
    """The same picture, standing alone; None where there is nothing to draw."""
    picture = quality_cost(report).picture
    return None if picture is None else standalone("quality_cost_chart", picture)


def scatter(points: Sequence[Point], levels: Sequence[tuple[str, str, float]]) -> Scatter:
    """Points by cost (x) and quality (y); `levels` are (kind of LEVELS, name, quality). Needs at least one point."""
    qualities = [point.quality for point in points] + [quality for _, _, quality in levels]
    x_ends, y_ends = _padded(0.0, max(point.cost for point in points)), _padded(min(qualities), max(qualities))
    best = frontier(point for point in points if point.complete and not point.routed)
    lines = _lines(levels, y_ends)
    ranked = sorted(points, key=lambda p: (not p.routed, p not in best[-1:], p not in best, p.cost, -p.quality, p.name))
    places = [(_x(point.cost, x_ends), _y(point.quality, y_ends)) for point in ranked]  # the system and the best get their labels first
    taken = [_Box(x - 7, y - 7, x + (7 if point.complete else 22), y + 7) for point, (x, y) in zip(ranked, places, strict=True)]
    for line in lines:
        taken += [_Box(LEFT, line.y - 2, WIDTH, line.y + 2), _Box(line.end - _LETTER * len(line.text), line.y - 18, line.end, line.y)]
    path = " ".join(f"{_x(point.cost, x_ends):.1f},{_y(point.quality, y_ends):.1f}" for point in best)
    return Scatter(
        marks=tuple(_mark(point, x, y, taken) for point, (x, y) in zip(ranked, places, strict=True)),
        frontier=path if len(best) > 1 else "",
        x_ticks=tuple(Tick(_x(at, x_ends), f"${number(at)}") for at in _ticks(*x_ends)),
        y_ticks=tuple(Tick(_y(at, y_ends), number(at)) for at in _ticks(*y_ends)),
        lines=lines,
        bounds=not all(point.complete for point in points),
        description=_described(points, best, levels),
    )


def frontier(points: Iterable[Point]) -> list[Point]:
    """Points that no point beats on one axis without losing on the other, cheapest first."""
    best: list[Point] = []
    for point in sorted(points, key=lambda p: (p.cost, -p.quality, p.name)):
        if not best or point.quality > best[-1].quality:
            best.append(point)
    return best


def _arm(arm: str, whole: dict[str, MetricValue]) -> Point | None:
    quality, cost = _value(whole, f"{_ARM}{arm}.quality"), _value(whole, f"{_ARM}{arm}.runtime_cost_usd")
    known = cost if cost is not None else _value(whole, f"{_ARM}{arm}.known_runtime_cost_usd")
    return None if quality is None or known is None else Point(arm, quality, known, complete=cost is not None)


def _routed(whole: dict[str, MetricValue], ledger: LedgerCost | None) -> Point | None:
    """Only where it answered as many cells as one arm: else its cost is that of another number of calls."""
    realized, single = whole.get("joint.realized_quality"), whole.get("model_pool.best_single_quality")
    if realized is None or realized.value is None or single is None or realized.planned_n != single.planned_n:
        return None
    if ledger is None or ledger.known_usd is None:
        return None
    return Point("routed system", realized.value, ledger.known_usd, complete=ledger.complete, routed=True)


def _lines(levels: Sequence[tuple[str, str, float]], y_ends: tuple[float, float]) -> tuple[Line, ...]:
    """Each with its words at the right end; where a line follows so closely that they would meet, its words end in the middle."""
    lines: list[Line] = []
    for kind, name, quality in levels:
        y = _y(quality, y_ends)
        meets = any(abs(line.y - y) < 20 and line.end > WIDTH / 2 for line in lines)
        lines.append(Line(kind, y, f"{name} {number(quality)}", WIDTH * 0.55 if meets else WIDTH - RIGHT))
    return tuple(lines)


def _value(whole: dict[str, MetricValue], metric_id: str) -> float | None:
    return whole[metric_id].value if metric_id in whole else None


def _x(cost: float, ends: tuple[float, float]) -> float:
    return LEFT + (cost - ends[0]) / (ends[1] - ends[0]) * (WIDTH - LEFT - RIGHT)


def _y(quality: float, ends: tuple[float, float]) -> float:
    return HEIGHT - BOTTOM - (quality - ends[0]) / (ends[1] - ends[0]) * (HEIGHT - TOP - BOTTOM)


def _padded(low: float, high: float) -> tuple[float, float]:
    """The axis: zero stays an end, the rest gets a tenth of air."""
    span = (high - low) or abs(high) or 1.0
    return (low if low == 0 else low - span / 10), high + span / 10


def _ticks(low: float, high: float) -> list[float]:
    """Three to seven round numbers inside [low, high]."""
    raw = (high - low) / 5
    power = 10.0 ** floor(log10(raw))
    step = next(step * power for step in (1, 2, 5, 10) if step * power >= raw)
    return [round(index * step, 12) for index in range(ceil(low / step), floor(high / step) + 1)]


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "_Box") -> bool:
        return self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom


_INSIDE = _Box(LEFT, TOP - 12, WIDTH, HEIGHT - BOTTOM)


def _mark(point: Point, x: float, y: float, taken: list[_Box]) -> Mark:
    """The label beside, above or below its point, at the first of these places that is free; `taken` grows by it."""
    label = shortened(point.name, MAX_LABEL)
    wide, after = _LETTER * len(label), 10 if point.complete else 26
    right, left, above, below = x + after, x - 10 - wide, y - 12, y + 21
    beside = [(right, y + 4), (left, y + 4)]
    around = [(x + 4, above), (x - wide, above), (x - wide / 2, above), (x + 4, below), (x - wide, below), (x - wide / 2, below)]
    slanted = [(right, y - 8), (left, y - 8), (right, y + 16), (left, y + 16)]
    for start, base in beside + around + slanted:
        box = _Box(start, base - 12, start + wide, base + 4)
        inside = box.left >= _INSIDE.left and box.right <= _INSIDE.right and box.top >= _INSIDE.top and box.bottom <= _INSIDE.bottom
        if inside and not any(box.meets(other) for other in taken):
            taken.append(box)
            return Mark(point, x, y, isolated(label), start, base)
    return Mark(point, x, y, "", x, y)


def _described(points: Sequence[Point], best: Sequence[Point], levels: Sequence[tuple[str, str, float]]) -> str:
    arms = [point for point in points if not point.routed]
    top = max(arms, key=lambda p: (p.quality, -p.cost, p.name))
    steps = "; ".join(
        f"{isolated(b.name)} costs {number(b.cost - a.cost)} USD more than {isolated(a.name)} and gains {number(b.quality - a.quality)}"
        for a, b in pairwise(best)
    )
    parts = [
        f"{len(arms)} arms; the best is {isolated(top.name)} with {number(top.quality)} for {_amount(top)}.",
        *(f"The routed system reaches {number(point.quality)} for {_amount(point)}." for point in points if point.routed),
        f"On the frontier: {steps}." if steps else "",
        f"Lines: {', '.join(f'{name} {number(quality)}' for _, name, quality in levels)}." if levels else "",
        "The table of arms holds the same numbers.",
    ]
    return " ".join(part for part in parts if part)


def _amount(point: Point) -> str:
    return f"{'' if point.complete else 'at least '}{number(point.cost)} USD"
