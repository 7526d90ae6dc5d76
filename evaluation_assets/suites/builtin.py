"""Suites that ship with the package. They enter the store like any other, when a run first asks for one."""

from collections.abc import Callable
from datetime import datetime

import pyarrow as pa

from contracts.canonical import canonical_bytes
from contracts.catalogs import fixture_cohort, hidden_answer_cohort
from contracts.cohorts import FixtureCohort, HiddenAnswerCohort
from contracts.suites import SourceReceipt, SourceStatus, SuiteArtifact, SuiteClass, SuiteDescription, SuiteManifest
from contracts.tables import GRADING_CASES, RECORD_TABLES, VISIBLE_CASES
from contracts.tracks import Track, in_order
from evaluation_assets.suites.artifacts import GRADING_PATH, VISIBLE_PATH
from evaluation_assets.suites.install import install_tables
from ledgers.store.store import Store

ADAPTER, GRADER = "evaluation-plane", "hidden-answer-exact.v1"
_NORMALIZERS = {SuiteClass.FIXTURE: "fixture-cohort.v1", SuiteClass.COHORT: "hidden-answer-cohort.v1"}
_LICENCES = canonical_bytes({"licences": [{"source_id": "evaluation-plane", "licence": "Apache-2.0", "redistribution": "allowed"}]})


Cohort = FixtureCohort | HiddenAnswerCohort


BUILTIN_SUITES: dict[str, Callable[[], Cohort]] = {
    "evaluation-smoke": lambda: fixture_cohort("evaluation-smoke"),
    "live-mom-core": lambda: hidden_answer_cohort("live-mom-core"),
}


def open_suite(store: Store, suite_id: str, *, now: datetime) -> SuiteManifest:
    """An installed suite, or a built-in one, which is installed in the revision that this package ships."""
    return install_builtin(store, suite_id, now=now) if suite_id in BUILTIN_SUITES else store.suites.open(suite_id)


def install_builtin(store: Store, suite_id: str, *, now: datetime) -> SuiteManifest:
    cohort = BUILTIN_SUITES[suite_id]()

    def describe(artifacts: tuple[SuiteArtifact, ...]) -> SuiteDescription:
        return _describe(cohort, artifacts)

    return install_tables(store.suites, describe, tables=cohort_tables(cohort), licences=_LICENCES, now=now)


def recorded_path(table: str) -> str:
    """Where a fixture keeps the recorded rows of one record table."""
    return f"grading/recorded-{table}.parquet"


def cohort_tables(cohort: Cohort) -> dict[str, pa.Table]:
    """Artifact path -> rows: visible cases, hidden labels, and of a fixture one recorded table per track, all sorted by case."""
    cases = sorted(cohort.cases, key=lambda case: case.case_id)
    visible = [
        {
            "case_id": case.case_id,
            "tracks": [str(track) for track in case.tracks],
            "tags": list(case.tags),
            "language": case.language,
            "domain": case.domain,
            "modality": case.modality,
            "messages": canonical_bytes([message.to_json() for message in case.messages]).decode(),
        }
        for case in cases
    ]
    grading = [
        {
            "case_id": case.case_id,
            "weight": 1.0,
            "expected_answer": case.expected_answer,
            "match": case.match,
            "should_block": case.should_block,
            "preferred_arm_id": case.preferred_arm_id,
        }
        for case in cases
    ]
    tables = {VISIBLE_PATH: pa.Table.from_pylist(visible, VISIBLE_CASES), GRADING_PATH: pa.Table.from_pylist(grading, GRADING_CASES)}
    recorded = cohort.recorded if isinstance(cohort, FixtureCohort) else ()
    for table in RECORD_TABLES:
        rows = [row.columns for row in recorded if row.table == table.name]
        if rows:
            order = [name for name in table.key if name != "action"]
            tables[recorded_path(table.name)] = pa.Table.from_pylist(rows, table.observed).sort_by([(name, "ascending") for name in order])
    return tables


def _describe(cohort: Cohort, artifacts: tuple[SuiteArtifact, ...]) -> SuiteDescription:
    """A fixture brings its arms; any other cohort leaves them to the target."""
    tracks: tuple[Track, ...] = in_order(track for case in cohort.cases for track in case.tracks)
    suite_class = SuiteClass.FIXTURE if isinstance(cohort, FixtureCohort) else SuiteClass.COHORT
    return SuiteDescription(
        suite_id=cohort.suite_id,
        name=cohort.name,
        suite_class=suite_class,
        adapter_id=ADAPTER,
        normalizer_id=_NORMALIZERS[suite_class],
        origin="builtin",
        source=SourceReceipt(status=SourceStatus.BUILTIN, expected_source_revision=None, expected_dataset_revision=None, export_files=()),
        decision_unit="request",
        action_space="one arm",
        split_protocol=cohort.split_protocol,
        tracks=tracks,
        case_count=len(cohort.cases),
        arm_ids=tuple(sorted(cohort.arm_ids)) if isinstance(cohort, FixtureCohort) else (),
        grader_id=GRADER,
        data_classification="public",
        redistribution="allowed",
        limitations=cohort.limitations,
        quality_issues=(),
        artifacts=artifacts,
    )
