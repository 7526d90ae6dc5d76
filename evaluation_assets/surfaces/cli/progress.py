"""Tells a person how far long work has come: a bar on a terminal, plain lines elsewhere. Always on standard error."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from evaluation_assets.surfaces.cli.output import say

Stages = Callable[[str, int, int], None]
"""(what is done now, steps done, steps in all)"""

_LINES = 4  # about so many plain lines for one stage


@contextmanager
def stages() -> Iterator[Stages]:
    """Shows what it is told until the block ends."""
    if not sys.stderr.isatty():
        yield _Lines().tell
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)
        yield lambda stage, done, total: bar.update(task, description=stage, completed=done, total=total)


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """As `stages`, for work that does not know how many steps it has."""
    if not sys.stderr.isatty():
        yield say
        return
    from rich.console import Console

    with Console(stderr=True).status("starting") as status:
        from rich.text import Text

        yield lambda step: status.update(Text(step))


class _Lines:
    """Plain lines: each stage once, and a long one from time to time."""

    def __init__(self) -> None:
        self._stage = ""
        self._said = 0

    def tell(self, stage: str, done: int, total: int) -> None:
        every = max(1, total // _LINES)
        if stage == self._stage and done != total and done < self._said + every:
            return
        self._stage, self._said = stage, done
        say(f"{stage} {done}/{total}")
