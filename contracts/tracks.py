"""The eight tracks, in the one order that manifests, reports and tables use."""

from collections.abc import Iterable
from enum import StrEnum


class Track(StrEnum):
    ROUTING = "routing"
    MODEL_POOL = "model_pool"
    JOINT = "joint"
    AGENTIC = "agentic"
    MULTIMODAL = "multimodal"
    PREFERENCE = "preference"
    SAFETY = "safety"
    CAPACITY = "capacity"


def in_order(tracks: Iterable[Track]) -> tuple[Track, ...]:
    """Each track once, in the order of the enumeration."""
    chosen = set(tracks)
    return tuple(track for track in Track if track in chosen)
