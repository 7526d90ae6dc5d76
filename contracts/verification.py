"""What `verify` found: every problem by file, and how far it looked."""

from typing import Literal

from contracts.base import Count, Document, RunId, ShortText, Text


class VerifyProblem(Document):
    path: ShortText
    problem: Text
    derived: bool = False


class VerifyResult(Document):
    """`clean` is false as soon as one byte, file or number is not what the seal says. Derived problems need a rebuild only."""

    schema_version: Literal["evaluation-verify-result.v1"] = "evaluation-verify-result.v1"
    run_id: RunId
    clean: bool
    files: Count
    recomputed: bool
    note: Text | None
    problems: tuple[VerifyProblem, ...]
