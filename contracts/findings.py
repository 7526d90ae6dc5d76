"""Finding rules: which measured numbers point to which cause, and what to try next. Data, so that a threshold is never code."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from contracts.base import Document, PortableId, Text
from contracts.metrics import MetricId
from contracts.tracks import Track

_TRACKS = (Track.ROUTING, Track.MODEL_POOL, Track.JOINT)


class Condition(Document):
    """One comparison of a metric over all cases with a fixed threshold."""

    metric_id: MetricId
    operator: Literal["<", "<=", ">", ">="]
    threshold: float


class FindingRule(Document):
    """Fires when every condition holds. Silent as soon as one of its metrics is null or absent: unknown is no finding."""

    finding_id: PortableId
    conditions: tuple[Condition, ...] = Field(min_length=1, max_length=4)
    observation: Text
    cause: Text
    next_treatment: Text


class FindingCatalog(Document):
    """golden/catalogs/findings.json, sorted by finding id."""

    schema_version: Literal["evaluation-finding-catalog.v1"]
    rules: Annotated[tuple[FindingRule, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        ids = [rule.finding_id for rule in self.rules]
        if ids != sorted(set(ids)):
            raise ValueError("finding ids are unique and sorted")
        for rule in self.rules:
            metrics = [condition.metric_id for condition in rule.conditions]
            if len(set(metrics)) != len(metrics):
                raise ValueError("a rule compares a metric once")
            if any(metric.split(".")[0] not in _TRACKS for metric in metrics):
                raise ValueError(f"a finding rests on metrics of {', '.join(_TRACKS)}")
        return self
