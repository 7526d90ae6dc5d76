"""Executors and targets as registry data: who runs what, on which kind of suite, and how deep its evidence can be.

Compatibility is read from these rows, never from a branch on an id.
"""

from typing import Literal, Self

from pydantic import Field, model_validator

from contracts.base import Document, PortableId, ShortText, Text
from contracts.levels import Level
from contracts.runs import EnvironmentKind, Mode, TargetKind
from contracts.suites import SuiteClass
from contracts.tracks import Track


class ExecutorDefinition(Document):
    executor_id: PortableId
    mode: Mode
    suite_class: SuiteClass
    tracks: tuple[Track, ...] = Field(min_length=1)
    ceiling: Level
    environment_kind: EnvironmentKind
    grader_id: PortableId | None = Field(default=None, description="Grades every suite of its runs; null: the suite's own grader does.")
    description: Text


class AcceptedExecutor(Document):
    mode: Mode
    executor_id: PortableId


class TargetDefinition(Document):
    """A recorded target: a name for evidence that others produced. It has no connectivity and is always there."""

    target_id: PortableId
    kind: Literal[TargetKind.RECORDED]
    name: ShortText
    description: Text
    accepts: tuple[AcceptedExecutor, ...] = Field(min_length=1)


class ExecutionCatalog(Document):
    schema_version: Literal["evaluation-execution-catalog.v1"]
    executors: tuple[ExecutorDefinition, ...]
    targets: tuple[TargetDefinition, ...]
    mixture_accepts: tuple[AcceptedExecutor, ...] = Field(description="What every mixture target accepts.")

    @model_validator(mode="after")
    def _references_resolve(self) -> Self:
        executors = {row.executor_id: row for row in self.executors}
        if len(executors) != len(self.executors) or len({row.target_id for row in self.targets}) != len(self.targets):
            raise ValueError("an executor or target id occurs twice")
        for accepted in (*self.mixture_accepts, *(entry for target in self.targets for entry in target.accepts)):
            if accepted.executor_id not in executors or executors[accepted.executor_id].mode is not accepted.mode:
                raise ValueError("a target accepts an executor that is not in the catalog with this mode")
        return self

    def accepted_by(self, kind: TargetKind, target_id: str) -> tuple[AcceptedExecutor, ...]:
        """What a target accepts; nothing for one that the catalog lacks."""
        if kind is TargetKind.MIXTURE:
            return self.mixture_accepts
        return next((row.accepts for row in self.targets if row.target_id == target_id), ())
