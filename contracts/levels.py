"""Evidence levels E0-E5: how deep the observation went, never how good the result was."""

from collections.abc import Iterable
from enum import IntEnum
from typing import Annotated

from pydantic import Field

Level = Annotated[str, Field(pattern=r"^E[0-5]$")]


class EvidenceLevel(IntEnum):
    """Ordered, so that the level of a run is the minimum of its tracks."""

    E0 = 0
    E1 = 1
    E2 = 2
    E3 = 3
    E4 = 4
    E5 = 5


def weakest(levels: Iterable[EvidenceLevel]) -> EvidenceLevel:
    """One strong track lifts no other. Without any track there is nothing to be sure of: E0."""
    return min(levels, default=EvidenceLevel.E0)
