"""JSON Schemas of the documents that are stored or handed out: golden/schemas/<schema_version>.json, generated, never edited.

A document with a `schema_version` stands in this list, and only such a document does (a test compares the two). The schema is what
another program can check; rules between fields are in the validators of the class, and its docstring is the description.
"""

from collections.abc import Iterable

import orjson
from pydantic import BaseModel

from contracts.benchmarks import BenchmarkInventory
from contracts.cohorts import FixtureCohort, HiddenAnswerCohort
from contracts.deployments import DeploymentRegistry
from contracts.executors import ExecutionCatalog
from contracts.features import TargetFeatureCatalog
from contracts.findings import FindingCatalog
from contracts.gates import GatePolicy, RunGates
from contracts.graders import GraderCatalog
from contracts.metrics import MetricCatalog, RunMetrics
from contracts.mixtures import RouterCatalog
from contracts.pool_pictures import PoolPicture
from contracts.profiles import ProfileCatalog
from contracts.reports import (
    FailureSummary,
    Lineage,
    Provenance,
    Report,
    ReportAnchor,
    RunCosts,
    RunCoverage,
    SuiteParts,
    WorkerReportDraft,
)
from contracts.runs import ControlEvent, Lifecycle, RunManifest, RunRequest, RunStatus
from contracts.suites import InstallRequest, SuiteIndexEntry, SuiteManifest
from contracts.verification import VerifyResult

DIALECT = "https://json-schema.org/draft/2020-12/schema"

CATALOGS = (
    BenchmarkInventory,
    DeploymentRegistry,
    ExecutionCatalog,
    FindingCatalog,
    FixtureCohort,
    GatePolicy,
    GraderCatalog,
    HiddenAnswerCohort,
    MetricCatalog,
    ProfileCatalog,
    RouterCatalog,
    TargetFeatureCatalog,
)
SUITES = (InstallRequest, SuiteIndexEntry, SuiteManifest)
RUNS = (
    ControlEvent,
    FailureSummary,
    Lifecycle,
    Lineage,
    PoolPicture,
    Provenance,
    Report,
    ReportAnchor,
    RunCosts,
    RunCoverage,
    RunGates,
    RunManifest,
    RunMetrics,
    RunRequest,
    RunStatus,
    SuiteParts,
    VerifyResult,
    WorkerReportDraft,
)
DOCUMENTS: tuple[type[BaseModel], ...] = (*CATALOGS, *SUITES, *RUNS)


def schema_files(documents: Iterable[type[BaseModel]]) -> dict[str, bytes]:
    """File name -> bytes, of each document. ValueError: two documents have one schema version."""
    files: dict[str, bytes] = {}
    for document in documents:
        name = f"{schema_version(document)}.json"
        if name in files:
            raise ValueError(f"two documents are {name}")
        schema = {"$schema": DIALECT, "$id": schema_version(document), **document.model_json_schema(mode="validation")}
        files[name] = orjson.dumps(schema, option=orjson.OPT_INDENT_2) + b"\n"
    return files


def schema_version(document: type[BaseModel]) -> str:
    """The one value that its field `schema_version` may have."""
    constant: str = document.model_json_schema()["properties"]["schema_version"]["const"]
    return constant
