"""Geometry of bars and strips: numbers in, places on the paper out. The macros of templates/plots.svg.j2 draw them.

On the page colours are the variables of tokens.css, so that both themes and print come for free. What ends in `_svg` stands
alone, for viewers without our style sheet: concrete colours, and nothing but track names, gate ids, arm ids, verdicts and counts,
so that it may be shown where no prompt or hidden label may go. More of them: scatter.py, pool_plots.py.
"""

from collections.abc import Sequence
from typing import NamedTuple

from contracts.gates import GateResult
from contracts.measured import Interval
from contracts.reports import TrackCoverage
from evaluation_assets.reports.templating import environment
from evaluation_assets.reports.words import number


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


def coverage_svg(coverage: Sequence[TrackCoverage]) -> bytes:
    """One bar a track with its counts, standing alone: UTF-8 SVG, the same bytes for the same counts."""
    return standalone("coverage_chart", [(track, stacked(track, 260)) for track in coverage])


def gate_strip_svg(gates: Sequence[GateResult]) -> bytes:
    """Gate ids with glyph, word and border, standing alone: UTF-8 SVG, the same bytes for the same verdicts."""
    return standalone("gate_strip", list(gates))


def standalone(macro: str, content: object) -> bytes:
    """One macro of plots.svg.j2 as a file of its own: UTF-8 SVG."""
    template = environment().get_template("plots.svg.j2")
    return (str(getattr(template.module, macro)(content)).strip() + "\n").encode()
