"""Reads the shipped catalogs: golden/catalogs/*.json, data that the package carries and nobody edits at run time."""

from functools import cache
from importlib import resources

from contracts.cohorts import FixtureCohort, HiddenAnswerCohort
from contracts.errors import UnknownName
from contracts.executors import ExecutionCatalog
from contracts.gates import GatePolicy
from contracts.graders import GraderCatalog
from contracts.metrics import MetricCatalog


@cache
def read_catalog(name: str) -> bytes:
    """Bytes of golden/catalogs/<name>.json."""
    return _read("catalogs", f"{name}.json")


@cache
def gate_policy() -> GatePolicy:
    return GatePolicy.parse(read_catalog("gate_policy"), "golden/catalogs/gate_policy.json")


@cache
def metric_catalog() -> MetricCatalog:
    return MetricCatalog.parse(read_catalog("metrics"), "golden/catalogs/metrics.json")


@cache
def execution_catalog() -> ExecutionCatalog:
    return ExecutionCatalog.parse(read_catalog("execution"), "golden/catalogs/execution.json")


@cache
def grader_catalog() -> GraderCatalog:
    return GraderCatalog.parse(read_catalog("graders"), "golden/catalogs/graders.json")


@cache
def fixture_cohort(name: str) -> FixtureCohort:
    """golden/cohorts/<name>.json: a built-in suite with its hidden labels and recorded answers."""
    return FixtureCohort.parse(_read("cohorts", f"{name}.json"), f"golden/cohorts/{name}.json")


@cache
def hidden_answer_cohort(name: str) -> HiddenAnswerCohort:
    """golden/cohorts/<name>.json: a built-in suite with hidden answers and nothing recorded."""
    return HiddenAnswerCohort.parse(_read("cohorts", f"{name}.json"), f"golden/cohorts/{name}.json")


def _read(folder: str, file: str) -> bytes:
    try:
        return (resources.files("golden") / folder / file).read_bytes()
    except FileNotFoundError:
        raise UnknownName("This catalog does not ship with the package.", at=f"golden/{folder}/{file}") from None
