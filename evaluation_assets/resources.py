"""What assets are given: the store, who acts, and an IO manager that moves nothing.

Evidence lives in the store. Dagster keeps references and what `shown` lets through: ids, digests, counts, levels, verdicts,
metric values with units, catalog reasons, arm ids and label-free SVG.
"""

import base64
import functools
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import ParamSpec, TypeVar

import dagster as dg

from contracts.errors import EvaluationError, Refused
from evaluation_assets.targets.subjects import Subjects
from ledgers.store.store import Store

MAX_PICTURE_BYTES = 100_000
Shown = dict[str, dg.MetadataValue]


class NothingMoves(dg.IOManager):
    """Assets return references. Dagster's own IO manager would pickle values into a readable file."""

    def handle_output(self, context: dg.OutputContext, obj: object) -> None:
        if obj is not None:
            raise Refused("An asset returned a value; evidence goes to the store, references go into metadata.", at=context.name)

    def load_input(self, context: dg.InputContext) -> object:
        raise Refused("An asset asked Dagster for a value; evidence is read from the store.", at=context.name)


Graph = Callable[[], dg.Definitions]
"""The definitions that a resource belongs to: what an op needs to start further jobs of the same graph."""


def run_resources(store: Store, principal: str, subjects: Subjects, graph: Graph) -> dict[str, object]:
    """The resources of every asset and op: store, owner digest, the targets that a run may name, the graph itself, and no IO manager."""
    hard = dg.ResourceDefinition.hardcoded_resource
    return {
        "store": hard(store),
        "principal": hard(principal),
        "subjects": hard(subjects),
        "graph": hard(graph),
        "io_manager": NothingMoves(),
    }


P = ParamSpec("P")
R = TypeVar("R")


def private_failures(step: Callable[P, R]) -> Callable[P, R]:
    """Keep the text of a bug out of Dagster's database: its traceback goes to standard error, Dagster gets the type alone.

    Our own errors pass: their sentences hold no value that could be a label or a secret.
    """

    @functools.wraps(step)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return step(*args, **kwargs)
        except (EvaluationError, dg.DagsterError):
            raise
        except Exception as bug:
            traceback.print_exc(file=sys.stderr)
            raise StepBug(type(bug).__name__) from None

    return guarded


class StepBug(Exception):
    """A step ended with a bug. Names the type of its exception; the traceback is on standard error."""


def reference(kind: str, digest: str, size_bytes: int) -> Shown:
    """The typed reference that a materialization carries."""
    return {"kind": dg.MetadataValue.text(kind), "digest": dg.MetadataValue.text(digest), "size_bytes": dg.MetadataValue.int(size_bytes)}


def counts(values: Mapping[str, int]) -> Shown:
    return {name: dg.MetadataValue.int(value) for name, value in values.items()}


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> dg.MetadataValue:
    """A table of short texts, as the UI shows it."""
    schema = dg.TableSchema(columns=[dg.TableColumn(name) for name in columns])
    return dg.MetadataValue.table(records=[dg.TableRecord(dict(zip(columns, map(str, row), strict=True))) for row in rows], schema=schema)


def picture(svg: bytes, alt: str) -> dg.MetadataValue:
    """A small SVG without labels of cases, inline; nothing when it would bloat the event log."""
    if len(svg) > MAX_PICTURE_BYTES:
        return dg.MetadataValue.text("too large to show here; see the report")
    return dg.MetadataValue.md(f"![{alt}](data:image/svg+xml;base64,{base64.b64encode(svg).decode()})")
