"""The dense matrix and the choices of the router, one row an arm: geometry of strips and bars from a PoolPicture.

A strip is drawn on a canvas of its own width and stretched to the room that it gets, so its textures are horizontal: stripes for a failed
call, one thin line where nobody observed, two where nobody graded. Tone alone tells quality, so that grey is enough.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from contracts.pool_pictures import STATES, ArmPicture, PoolPicture
from evaluation_assets.reports.plots import standalone
from evaluation_assets.reports.words import counted, isolated, percent

HISTOGRAM_WIDTH = 600
STRIP_HEIGHT, MIDDLE = 18, 9


class Strip(NamedTuple):
    """`tones`: path of horizontal lines per tenth of quality. The other three are paths too, empty where the state does not occur."""

    arm: str
    width: int
    tones: tuple[tuple[int, str], ...]
    failed: str
    unobserved: str
    ungraded: str
    gaps: str
    description: str


class Share(NamedTuple):
    """Chosen by the router, alone the best, equally the best: each as (count, part of a hundred)."""

    arm: str
    selected: int
    selected_width: float
    best_alone: int
    alone_width: float
    best_shared: int
    shared_width: float
    description: str


class PoolPlots(NamedTuple):
    """`aligned`: a column is one case in every strip; else each strip is a histogram of its own."""

    picture: PoolPicture
    aligned: bool
    strips: tuple[Strip, ...]
    shares: tuple[Share, ...]


def pool_plots(picture: PoolPicture) -> PoolPlots:
    aligned = all(arm.cells is not None for arm in picture.arms)
    return PoolPlots(
        picture, aligned, tuple(_strip(arm, picture) for arm in picture.arms), tuple(_share(arm, picture) for arm in picture.arms)
    )


def pool_matrix_svg(picture: PoolPicture) -> bytes:
    """Case x arm matrix, standing alone: UTF-8 SVG, the same bytes for the same picture."""
    return standalone("pool_matrix_chart", pool_plots(picture))


def pool_shares_svg(picture: PoolPicture) -> bytes:
    """How often each arm was chosen and how often it was the best, standing alone: UTF-8 SVG."""
    return standalone("pool_shares_chart", pool_plots(picture))


def _strip(arm: ArmPicture, picture: PoolPicture) -> Strip:
    if arm.cells is not None:
        width, spans = max(1, picture.cases), list(_runs(arm.cells))
    else:
        width, spans = HISTOGRAM_WIDTH, list(_blocks(arm.histogram, picture.cases))
    lines = {state: "".join(f"M{x} {MIDDLE}h{wide}" for seen, x, wide in spans if seen == state) for state in STATES}
    return Strip(
        arm=arm.arm_id,
        width=width,
        tones=tuple((tenth, lines[str(tenth)]) for tenth in range(10) if lines[str(tenth)]),
        failed="".join(f"M{x} 0h{wide}v{STRIP_HEIGHT}h-{wide}z" for seen, x, wide in spans if seen == "x"),
        unobserved=lines["-"],
        ungraded="".join(f"M{x} 6h{wide}m-{wide} 6h{wide}" for seen, x, wide in spans if seen == "?"),
        gaps=_gaps(arm),
        description=_states(arm, picture.cases),
    )


def _runs(cells: str) -> Iterator[tuple[str, str, str]]:
    x = 0
    for state, run in groupby(cells):
        wide = len(list(run))
        yield state, str(x), str(wide)
        x += wide


def _blocks(histogram: tuple[int, ...], cases: int) -> Iterator[tuple[str, str, str]]:
    """From the best tenth down to what is missing; what occurred at all is at least 2 wide."""
    present = [(state, histogram[STATES.index(state)]) for state in "9876543210x?-" if histogram[STATES.index(state)]]
    spare, x = HISTOGRAM_WIDTH - 2 * len(present), 0.0
    for state, count in present:
        wide = 2 + spare * count / cases
        yield state, f"{x:.1f}", f"{wide:.1f}"
        x += wide


def _gaps(arm: ArmPicture) -> str:
    failed, ungraded, unobserved = arm.histogram[10:]
    words = {"failed": failed, "not graded": ungraded, "not observed": unobserved}
    return ", ".join(f"{count:,} {word}" for word, count in words.items() if count) or "none"


def _states(arm: ArmPicture, cases: int) -> str:
    graded = sum(arm.histogram[:10])
    high, low = sum(arm.histogram[5:10]), sum(arm.histogram[:5])
    failed, ungraded, unobserved = arm.histogram[10:]
    said = f"{counted(cases, 'case')}: {graded:,} graded ({high:,} at 0.5 or better, {low:,} below)"
    return f"{said}, {failed:,} failed, {unobserved:,} not observed, {ungraded:,} not graded."


def _share(arm: ArmPicture, picture: PoolPicture) -> Share:
    routed, complete = max(1, picture.selections), max(1, picture.complete_cases)
    best = arm.best_alone + arm.best_shared
    return Share(
        arm=arm.arm_id,
        selected=arm.selected,
        selected_width=100 * arm.selected / routed,
        best_alone=arm.best_alone,
        alone_width=100 * arm.best_alone / complete,
        best_shared=arm.best_shared,
        shared_width=100 * arm.best_shared / complete,
        description=(
            f"{isolated(arm.arm_id)} was chosen {arm.selected:,} of {picture.selections:,} times ({percent(arm.selected, routed)}); it is "
            f"the best on {best:,} of {picture.complete_cases:,} complete cases ({percent(best, complete)}), alone on {arm.best_alone:,}."
        ),
    )
