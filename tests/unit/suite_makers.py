"""Small suites for runs: installed through the same door as any suite, with only what a test is about said."""

from typing import Any

import pyarrow as pa

from contracts.suites import SourceReceipt, SourceStatus, SuiteArtifact, SuiteClass, SuiteDescription, SuiteManifest
from contracts.tables import DECISIONS, GRADING_CASES, OUTCOMES, VISIBLE_CASES
from evaluation_assets.suites.artifacts import DECISIONS_PATH, GRADING_PATH, OUTCOMES_PATH, VISIBLE_PATH
from evaluation_assets.suites.builtin import recorded_path
from evaluation_assets.suites.install import install_tables
from ledgers.store.store import Store
from tests.plain_runs import NOW

POOL = ("routing", "model_pool", "joint")


def table_of(schema: pa.Schema, rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist([{name: row.get(name) for name in schema.names} for row in rows], schema=schema)


def fixture_suite(
    store: Store,
    suite_id: str = "tiny",
    *,
    cases: dict[str, tuple[str, ...]] | None = None,
    recorded: dict[str, pa.Table] | None = None,
    expected: dict[str, str] | None = None,
    messages: dict[str, str] | None = None,
    **said: Any,
) -> SuiteManifest:
    """A fixture suite. cases: id -> tracks. recorded: record table -> rows of its observed columns. expected: id -> hidden answer."""
    cases = {"c1": POOL, "c2": POOL} if cases is None else cases
    tables = {recorded_path(name): rows for name, rows in (recorded or {}).items()}
    return _install(
        store,
        suite_id,
        cases,
        tables,
        expected=expected or {},
        messages=messages or {},
        said={
            "suite_class": SuiteClass.FIXTURE,
            "grader_id": "hidden-answer-exact.v1",
            "source": SourceReceipt(
                status=SourceStatus.BUILTIN, expected_source_revision=None, expected_dataset_revision=None, export_files=()
            ),
            **said,
        },
    )


def imported_suite(
    store: Store,
    suite_id: str = "imported",
    *,
    outcomes: list[dict[str, Any]],
    decisions: list[dict[str, Any]],
    cases: dict[str, tuple[str, ...]] | None = None,
    **said: Any,
) -> SuiteManifest:
    """A normalized suite as a benchmark import makes it: outcomes and decisions that its source recorded."""
    tables = {
        OUTCOMES_PATH: table_of(OUTCOMES, [{"attempt": 1, "status": "succeeded", **row} for row in outcomes]),
        DECISIONS_PATH: table_of(DECISIONS, [{"selection_status": "selected", "fallback": False, **row} for row in decisions]),
    }
    return _install(
        store,
        suite_id,
        {"c1": POOL, "c2": POOL} if cases is None else cases,
        tables,
        expected={},
        messages={},
        said={
            "suite_class": SuiteClass.NORMALIZED,
            "grader_id": "source-recorded.v1",
            "source": SourceReceipt(
                status=SourceStatus.UNVERIFIED, expected_source_revision=None, expected_dataset_revision=None, export_files=()
            ),
            **said,
        },
    )


def _install(
    store: Store,
    suite_id: str,
    cases: dict[str, tuple[str, ...]],
    tables: dict[str, pa.Table],
    *,
    expected: dict[str, str],
    messages: dict[str, str],
    said: dict[str, Any],
) -> SuiteManifest:
    ids = sorted(cases)
    tables = {
        VISIBLE_PATH: table_of(
            VISIBLE_CASES, [{"case_id": case, "tracks": list(cases[case]), "tags": [], "messages": messages.get(case)} for case in ids]
        ),
        GRADING_PATH: table_of(GRADING_CASES, [{"case_id": case, "weight": 1.0, "expected_answer": expected.get(case)} for case in ids]),
        **tables,
    }
    tracks = tuple(
        track
        for track in ("routing", "model_pool", "joint", "agentic", "multimodal", "preference", "safety", "capacity")
        if any(track in carried for carried in cases.values())
    )

    def describe(artifacts: tuple[SuiteArtifact, ...]) -> SuiteDescription:
        values = {
            "suite_id": suite_id,
            "name": suite_id,
            "adapter_id": "none",
            "normalizer_id": "none",
            "origin": "user_provided_import",
            "decision_unit": "case",
            "action_space": "arm",
            "split_protocol": "none",
            "tracks": tracks,
            "case_count": len(ids),
            "arm_ids": ("a", "b"),
            "data_classification": "public",
            "redistribution": "allowed",
            "limitations": ("Tiny.",),
            "quality_issues": (),
            "artifacts": artifacts,
            **said,
        }
        return SuiteDescription.model_validate(values, strict=False)

    return install_tables(store.suites, describe, tables=tables, licences=b"{}", now=NOW)
