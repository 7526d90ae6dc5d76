"""Metrics: the rows of the catalog, and the values that one run seals as metrics.json."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from contracts.base import Count, Document, ShortText, Text, Unit
from contracts.measured import Interval, Measured, Reason
from contracts.tracks import Track

MetricId = Annotated[str, Field(min_length=1, max_length=700, pattern=r"^[a-z0-9_]+\.[^\x00-\x1f\x7f]+$")]
ARM = "<arm>"


class Direction(StrEnum):
    HIGHER = "higher_is_better"
    LOWER = "lower_is_better"
    TARGET = "target"


class MetricDefinition(Document):
    """One catalog row. An id with `<arm>` is a family: one metric per arm, the arm id written out as it is."""

    metric_id: MetricId
    track: Track
    name: ShortText
    unit: Unit
    direction: Direction
    counted_unit: ShortText = Field(description="What n and planned_n count: case, cell, arm or pair.")
    formula: Text
    interval: ShortText | None = Field(description="Method of the interval, an anchor of docs/metrics.md; null where none is due.")
    sliced: bool = Field(description="Also reduced per value of language, domain and modality.")
    reduced: bool = Field(description="False: no reducer ships yet; the metric is null with reason no_reducer.")


class MetricCatalog(Document):
    schema_version: Literal["evaluation-metric-catalog.v1"]
    metrics: tuple[MetricDefinition, ...]

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        if len({row.metric_id for row in self.metrics}) != len(self.metrics):
            raise ValueError("a metric id occurs twice")
        return self

    def of_track(self, track: Track) -> tuple[MetricDefinition, ...]:
        return tuple(row for row in self.metrics if row.track is track)


class MetricValue(Document):
    """One number of one run: metric, slice, and what `Measured` says. `slice` is `all` or `<dimension>=<value>`."""

    metric_id: MetricId
    track: Track
    slice: Annotated[str, Field(min_length=1, max_length=600)]
    value: float | None
    reason: Reason | None
    n: Count
    planned_n: Count
    excluded: Count
    unit: Unit
    direction: Direction
    interval: Interval | None

    @classmethod
    def of(cls, row: MetricDefinition, measured: Measured, *, slice_: str = "all", arm: str | None = None) -> Self:
        metric_id = row.metric_id if arm is None else row.metric_id.replace(ARM, arm)
        return cls(
            metric_id=metric_id,
            track=row.track,
            slice=slice_,
            value=measured.value,
            reason=measured.reason,
            n=measured.n,
            planned_n=measured.planned_n,
            excluded=measured.excluded,
            unit=row.unit,
            direction=row.direction,
            interval=measured.interval,
        )


class RunMetrics(Document):
    """metrics.json: every metric of the selected tracks, ordered by track, metric id and slice."""

    schema_version: Literal["evaluation-metrics.v1"]
    metrics: tuple[MetricValue, ...]

    def value_of(self, metric_id: str, slice_: str = "all") -> MetricValue | None:
        return next((metric for metric in self.metrics if metric.metric_id == metric_id and metric.slice == slice_), None)
