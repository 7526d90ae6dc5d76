"""Dagster Definitions: collects assets, checks, jobs and resources. Nothing else."""

import dagster as dg

from contracts.settings import load_settings
from evaluation_assets import jobs, resources, sensors
from evaluation_assets.benchmarks import assets as benchmarks
from evaluation_assets.execution import assets as execution
from evaluation_assets.gates import assets as gates
from evaluation_assets.records import assets as records
from evaluation_assets.reductions import assets as reductions
from evaluation_assets.reports import assets as reports
from evaluation_assets.runs import assets as runs
from evaluation_assets.suites import assets as suites
from evaluation_assets.targets import assets as targets
from evaluation_assets.targets.subjects import BUNDLED, Subjects
from ledgers.store.layout import local_principal
from ledgers.store.store import Store


def definitions_of(store: Store, principal: str, subjects: Subjects = BUNDLED) -> dg.Definitions:
    """The graph over one store. `principal`: owner digest of whoever acts. `subjects`: the targets that a run may name."""
    built = dg.Definitions(
        assets=dg.load_assets_from_modules([benchmarks, suites, targets, runs, execution, records, reductions, gates, reports]),
        jobs=jobs.JOBS,
        sensors=[sensors.store_facts],
        resources=resources.run_resources(store, principal, subjects, lambda: built),
        executor=dg.in_process_executor,
    )
    return built


def defs() -> dg.Definitions:
    """What a code location loads: the store that the environment names."""
    settings = load_settings()
    store = Store.found(settings.root)
    subjects = Subjects(settings.router_config, settings.deployments_dir)
    return definitions_of(store, local_principal(store.root, settings.principal), subjects)
