"""Geometry of the pictures: numbers in, places on the paper out. The macros of templates/plots.svg.j2 draw them.

On the page colours are the variables of tokens.css, so that both themes and print come for free. `coverage_svg` and
`gate_strip_svg` stand alone, for viewers without our style sheet: concrete colours, and nothing but track names, gate ids,
verdicts and counts, so that they may be shown where no prompt or hidden label may go.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor, log10
from typing import NamedTuple

from contracts.gates import GateResult
from contracts.measured import Interval
from contracts.reports import TrackCoverage
from evaluation_assets.reports.templating import environment
from evaluation_assets.reports.words import number

MAX_LABEL = 20
SCATTER_WIDTH, SCATTER_HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 460, 300, 44, 12, 26, 46


class Part(NamedTuple):
    """One piece of a stacked bar, from `x` on, `width` wide."""

    kind: str
    x: float
    width: float


class Bar(NamedTuple):
    """An interval on its axis, all in [0, 1]; `axis` holds the ends of the axis as text."""

    lower: float
    value: float
    upper: float
    axis: tuple[str, str]


class Point(NamedTuple):
    """An arm with both numbers."""

    arm: str
    quality: float
    cost: float


class Mark(NamedTuple):
    """A drawn point; `label` is empty where there is no room for one (the table has them all), else it starts at its own place."""

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
    description: str


def stacked(coverage: TrackCoverage, width: float) -> tuple[Part, ...]:
    """Succeeded, failed, unavailable, in this order; what occurred at all is at least 4 wide, so that one failure in thousands is seen."""
    counts = [("succeeded", coverage.succeeded), ("failed", coverage.failed), ("unavailable", coverage.unavailable)]
    present = [(kind, count) for kind, count in counts if count]
    spare = width - 4 * len(present)
    parts, x = [], 0.0
    for kind, count in present:
        wide = 4 + spare * count / coverage.planned
        parts.append(Part(kind, x, wide))
        x += wide
    return tuple(parts)


def interval_bar(value: float, interval: Interval, unit: str) -> Bar:
    """Fractions and scores on [0, 1], other units from zero to a little above the upper end; wider where the interval is."""
    bounded = unit in ("fraction", "score") and interval.lower >= 0 and interval.upper <= 1
    low = 0.0 if bounded else min(0.0, interval.lower)
    high = 1.0 if bounded else max(0.0, interval.upper)
    span = (high - low) or 1.0
    ends = [(end - low) / span for end in (interval.lower, value, interval.upper)]
    return Bar(ends[0], ends[1], ends[2], (number(low), number(high)))


def scatter(points: Sequence[Point], levels: Sequence[tuple[str, str, float]]) -> Scatter:
    """Arms by cost (x) and quality (y); `levels` are (`oracle` or `routed`, name, quality). Needs at least one point."""
    qualities = [point.quality for point in points] + [quality for _, _, quality in levels]
    x_ends, y_ends = _padded(0.0, max(point.cost for point in points)), _padded(min(qualities), max(qualities))
    best = _frontier(points)
    ends = {"oracle": SCATTER_WIDTH - RIGHT, "routed": SCATTER_WIDTH / 2}
    lines = tuple(Line(kind, _y(quality, y_ends), f"{name} {number(quality)}", ends[kind]) for kind, name, quality in levels)
    ranked = sorted(points, key=lambda p: (p != best[-1], p not in best, p.cost, -p.quality, p.arm))  # the best gets its label first
    places = [(_x(point.cost, x_ends), _y(point.quality, y_ends)) for point in ranked]
    taken = [_Box(x - 6, y - 6, x + 6, y + 6) for x, y in places]
    for line in lines:
        taken += [_Box(LEFT, line.y - 2, SCATTER_WIDTH, line.y + 2), _Box(line.end - 7.0 * len(line.text), line.y - 18, line.end, line.y)]
    marks = [_mark(point.arm, x, y, taken) for point, (x, y) in zip(ranked, places, strict=True)]
    path = " ".join(f"{_x(point.cost, x_ends):.1f},{_y(point.quality, y_ends):.1f}" for point in best)
    return Scatter(
        marks=tuple(marks),
        frontier=path if len(best) > 1 else "",
        x_ticks=tuple(Tick(_x(at, x_ends), f"${number(at)}") for at in _ticks(*x_ends)),
        y_ticks=tuple(Tick(_y(at, y_ends), number(at)) for at in _ticks(*y_ends)),
        lines=lines,
        description=_described(points, best, levels),
    )


def coverage_svg(coverage: Sequence[TrackCoverage]) -> bytes:
    """One bar a track with its counts, standing alone: UTF-8 SVG, the same bytes for the same counts."""
    return _standalone("coverage_chart", [(track, stacked(track, 260)) for track in coverage])


def gate_strip_svg(gates: Sequence[GateResult]) -> bytes:
    """Gate ids with glyph, word and border, standing alone: UTF-8 SVG, the same bytes for the same verdicts."""
    return _standalone("gate_strip", list(gates))


def _standalone(macro: str, rows: list[tuple[TrackCoverage, tuple[Part, ...]]] | list[GateResult]) -> bytes:
    template = environment().get_template("plots.svg.j2")
    return (str(getattr(template.module, macro)(rows)).strip() + "\n").encode()


def _x(cost: float, ends: tuple[float, float]) -> float:
    return LEFT + (cost - ends[0]) / (ends[1] - ends[0]) * (SCATTER_WIDTH - LEFT - RIGHT)


def _y(quality: float, ends: tuple[float, float]) -> float:
    return SCATTER_HEIGHT - BOTTOM - (quality - ends[0]) / (ends[1] - ends[0]) * (SCATTER_HEIGHT - TOP - BOTTOM)


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


def _frontier(points: Sequence[Point]) -> list[Point]:
    """Arms that no arm beats on one axis without losing on the other, cheapest first."""
    best: list[Point] = []
    for point in sorted(points, key=lambda p: (p.cost, -p.quality, p.arm)):
        if not best or point.quality > best[-1].quality:
            best.append(point)
    return best


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "_Box") -> bool:
        return self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom


_INSIDE = _Box(LEFT, TOP - 12, SCATTER_WIDTH, SCATTER_HEIGHT - BOTTOM)


def _mark(arm: str, x: float, y: float, taken: list[_Box]) -> Mark:
    """The label right, left, above or below its point, at the first of these places that is free; `taken` grows by it."""
    label = arm if len(arm) <= MAX_LABEL else arm[: MAX_LABEL - 1] + "…"
    wide = 7.0 * len(label)
    for left, base in ((x + 9, y + 4), (x - 9 - wide, y + 4), (x + 4, y - 9), (x - wide, y - 9), (x + 4, y + 18), (x - wide, y + 18)):
        box = _Box(left, base - 11, left + wide, base + 3)
        inside = box.left >= _INSIDE.left and box.right <= _INSIDE.right and box.top >= _INSIDE.top and box.bottom <= _INSIDE.bottom
        if inside and not any(box.meets(other) for other in taken):
            taken.append(box)
            return Mark(x, y, label, left, base)
    return Mark(x, y, "", x, y)


def _described(points: Sequence[Point], best: Sequence[Point], levels: Sequence[tuple[str, str, float]]) -> str:
    top = max(points, key=lambda p: (p.quality, -p.cost, p.arm))
    steps = "; ".join(
        f"{b.arm} costs {number(b.cost - a.cost)} USD more than {a.arm} and gains {number(b.quality - a.quality)}"
        for a, b in pairwise(best)
    )
    lines = ", ".join(f"{name} {number(quality)}" for _, name, quality in levels)
    parts = [
        f"{len(points)} arms; the best is {top.arm} with {number(top.quality)} for {number(top.cost)} USD.",
        f"On the frontier: {steps}." if steps else "",
        f"Lines: {lines}." if lines else "",
        "The table of arms holds the same numbers.",
    ]
    return " ".join(part for part in parts if part)
