"""Executors and targets as registry data: who runs what, on which kind of suite, and how deep its evidence can be.

Compatibility is read from these rows, never from a branch on an id.
"""

from typing import Literal, Self

from pydantic import Field, model_validator

from contracts.base import Document, PortableId, ShortText, Text
from contracts.levels import Level
from contracts.runs import EnvironmentKind, Mode
from contracts.suites import SuiteClass
from contracts.tracks import Track


class ExecutorDefinition(Document):
    executor_id: PortableId
    mode: Mode
    suite_class: SuiteClass
    tracks: tuple[Track, ...] = Field(min_length=1)
    ceiling: Level
    environment_kind: EnvironmentKind
    description: Text


class AcceptedExecutor(Document):
    mode: Mode
    executor_id: PortableId


class TargetDefinition(Document):
    """A recorded target: a name for evidence that others produced. It has no connectivity and is always there."""

    target_id: PortableId
    kind: Literal["recorded"]
    name: ShortText
    description: Text
    accepts: tuple[AcceptedExecutor, ...] = Field(min_length=1)


class ExecutionCatalog(Document):
    schema_version: Literal["evaluation-execution-catalog.v1"]
    executors: tuple[ExecutorDefinition, ...]
    targets: tuple[TargetDefinition, ...]

    @model_validator(mode="after")
    def _references_resolve(self) -> Self:
        executors = {row.executor_id: row for row in self.executors}
        if len(executors) != len(self.executors) or len({row.target_id for row in self.targets}) != len(self.targets):
            raise ValueError("an executor or target id occurs twice")
        for target in self.targets:
            for accepted in target.accepts:
                if accepted.executor_id not in executors or executors[accepted.executor_id].mode is not accepted.mode:
                    raise ValueError(f"target {target.target_id} accepts an executor that is not in the catalog with this mode")
        return self
