"""Alone knows how a run becomes Dagster runs: jobs, ranges, tags, partition sync. CLI, pages and the start_run job go through here.

The store is the authority. Partition keys are synced from it; a fact that Dagster does not know (a wiped dagster/, pruned
runs) is reported again by `project`. A Dagster run that a killed process left STARTED is failed at the next start.
"""

import contextlib
import fcntl
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import dagster as dg

from contracts.clock import utc_now
from contracts.errors import Refused, StoreError
from contracts.gates import RunGates
from contracts.reports import Report
from contracts.runs import RunState
from evaluation_assets.gates.assets import check_result
from evaluation_assets.reports.sealing import sealed_report
from evaluation_assets.runs.state import begin, fail
from ledgers.index.build import refresh
from ledgers.store.publication import ensure_directory, replace_bytes
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store

Progress = Callable[[str, int, int], None]
KEYS_PER_CALL = 500
_RUN_ASSETS = (
    "run_manifest",
    "execution_plan",
    "routing",
    "model_pool",
    "joint",
    "agentic",
    "multimodal",
    "preference",
    "safety",
    "capacity",
    "costs",
    "gates",
    "report",
)
_CELL_ASSETS = ("observations", "records")
_SUITE_ASSETS = ("suite_source", "suite")
_CATALOG_ASSETS = ("benchmark_inventory", "target_catalog")
_QUIET = {"loggers": {"console": {"config": {"log_level": "WARNING"}}}}
_HOME = b"""# Written by evalplane. This folder is derived and disposable: everything in it can be rebuilt from the store.
telemetry: {enabled: false}
nux: {enabled: false}
compute_logs: {module: dagster._core.storage.noop_compute_log_manager, class: NoOpComputeLogManager}
concurrency: {runs: {max_concurrent_runs: 2}}
run_monitoring: {enabled: true, free_slots_after_run_end_seconds: 60}
"""


def dagster_home(store: Store) -> Path:
    """<root>/dagster with its configuration, made where it is missing."""
    home = store.root / "dagster"
    ensure_directory(home)
    if not (home / "dagster.yaml").exists():
        replace_bytes(home / "dagster.yaml", _HOME)
    return home


@contextlib.contextmanager
def instance_of(store: Store) -> Iterator[dg.DagsterInstance]:
    """Dagster's bookkeeping of this store, with partitions synced and dead runs failed.

    StoreError: it can't be opened. It is derived, so the remedy is to delete it.
    """
    os.environ["DAGSTER_HOME"] = str(dagster_home(store))
    os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"
    with _alone(store):  # two processes that initialise one home at once break it
        try:
            opened = dg.DagsterInstance.get()
        except Exception as error:
            raise StoreError(
                "Dagster's bookkeeping of this store can't be opened.",
                at="dagster",
                fix="stop other commands on this store, delete its folder dagster/ and run the command again; nothing is lost",
            ) from error
    with opened as instance:
        sync_partitions(store, instance)
        fail_dead_runs(instance)
        yield instance


@contextlib.contextmanager
def _alone(store: Store) -> Iterator[None]:
    """One process at a time initialises the home or moves partition keys."""
    descriptor = os.open(dagster_home(store) / "evalplane.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def start(
    defs: dg.Definitions, instance: dg.DagsterInstance, store: Store, run: RunDirectory, *, principal: str, progress: Progress | None = None
) -> Report:
    """Execute, judge and seal a created run; a failed or interrupted one goes on from what it published.

    defs: the graph over `store`, from definitions.py, which only surfaces import.

    Our own errors end it as `failed` with their code and are raised again; so is a bug, whose text stays out of the store.
    """
    tell = progress or (lambda stage, done, total: None)
    begin(store, run, principal=principal, now=utc_now())
    sync_partitions(store, instance)
    project_suites(store, instance)
    blocks = contiguous_blocks(instance.get_dynamic_partitions("suite"), run.manifest().suite_ids)
    try:
        tell("freeze", 0, len(blocks) + 2)
        _execute(defs, instance, "freeze_run", partition_key=run.run_id)
        for number, (first, last) in enumerate(blocks, start=1):
            tell("execute", number, len(blocks) + 2)
            _execute(
                defs,
                instance,
                "execute_run",
                tags={
                    "dagster/asset_partition_range_start": f"{run.run_id}|{first}",
                    "dagster/asset_partition_range_end": f"{run.run_id}|{last}",
                },
            )
        tell("judge", len(blocks) + 1, len(blocks) + 2)
        _execute(defs, instance, "judge_run", partition_key=run.run_id)
    except BaseException as error:
        if run.status().state in (RunState.RUNNING, RunState.SEALING):
            fail(run, error, now=utc_now())
        raise
    refresh(store)
    tell("sealed", len(blocks) + 2, len(blocks) + 2)
    return sealed_report(run)


def contiguous_blocks(keys: Sequence[str], wanted: Sequence[str]) -> list[tuple[str, str]]:
    """(first, last) of each stretch of `wanted` that is unbroken in the order of the partition keys: a range run is a rectangle."""
    places = sorted(keys.index(key) for key in wanted)
    blocks: list[list[int]] = []
    for place in places:
        if blocks and place == blocks[-1][-1] + 1:
            blocks[-1].append(place)
        else:
            blocks.append([place])
    return [(keys[block[0]], keys[block[-1]]) for block in blocks]


def sync_partitions(store: Store, instance: dg.DagsterInstance) -> None:
    """Suites and runs of the store become partition keys; keys that the store lacks are removed."""
    with _alone(store):
        _sync_partitions(store, instance)


def _sync_partitions(store: Store, instance: dg.DagsterInstance) -> None:
    wanted = {"suite": [manifest.suite.suite_id for manifest in store.suites.manifests()], "run": store.run_ids()}
    for space, keys in wanted.items():
        known = set(instance.get_dynamic_partitions(space))
        fresh = [key for key in keys if key not in known]
        for begin_at in range(0, len(fresh), KEYS_PER_CALL):
            instance.add_dynamic_partitions(space, fresh[begin_at : begin_at + KEYS_PER_CALL])
        for key in known - set(keys):
            instance.delete_dynamic_partition(space, key)


def project(store: Store, instance: dg.DagsterInstance) -> int:
    """Report every store fact that Dagster lacks; returns how many runs were reported."""
    sync_partitions(store, instance)
    project_suites(store, instance)
    known = set(instance.get_materialized_partitions(dg.AssetKey("report")))
    readable, _ = store.examined_runs()
    missing = [run.run_id for run in readable if run.run_id not in known and run.status().state is RunState.COMPLETED]
    for run_id in missing:
        project_run(store, instance, run_id)
    return len(missing)


def project_suites(store: Store, instance: dg.DagsterInstance) -> None:
    """Report the installed suites, and the catalogs beside them."""
    for asset in _SUITE_ASSETS:
        known = instance.get_materialized_partitions(dg.AssetKey(asset))
        for manifest in store.suites.manifests():
            if manifest.suite.suite_id not in known:
                instance.report_runless_asset_event(
                    dg.AssetMaterialization(
                        dg.AssetKey(asset),
                        partition=manifest.suite.suite_id,
                        metadata={"digest": manifest.revision, "reported": "from the store"},
                    )
                )
    for asset in _CATALOG_ASSETS:
        if instance.get_latest_materialization_event(dg.AssetKey(asset)) is None:
            instance.report_runless_asset_event(dg.AssetMaterialization(dg.AssetKey(asset)))


def project_run(store: Store, instance: dg.DagsterInstance, run_id: str) -> None:
    """Report what the store holds of one run as events without a Dagster run."""
    sync_partitions(store, instance)
    run = store.run(run_id)
    manifest = run.manifest()
    sealed = run.status().state is RunState.COMPLETED
    for asset in _RUN_ASSETS if sealed else _RUN_ASSETS[:1]:
        instance.report_runless_asset_event(
            dg.AssetMaterialization(
                dg.AssetKey(asset), partition=run_id, metadata={"digest": manifest.identity(), "reported": "from the store"}
            )
        )
    for suite_id in manifest.suite_ids if sealed else ():
        for asset in _CELL_ASSETS:
            instance.report_runless_asset_event(
                dg.AssetMaterialization(dg.AssetKey(asset), partition=dg.MultiPartitionKey({"run": run_id, "suite": suite_id}))
            )
    for gate in run.document("gates.json", RunGates).gates if sealed else ():
        shown = check_result(gate)
        instance.report_runless_asset_event(
            dg.AssetCheckEvaluation(
                asset_key=dg.AssetKey("gates"),
                check_name=gate.gate,
                passed=shown.passed,
                severity=shown.severity,
                metadata=shown.metadata,
                partition=run_id,
            )
        )


def prune(store: Store, instance: dg.DagsterInstance, *, keep: int) -> int:
    """Delete the oldest finished Dagster runs but `keep`, then report again what they had shown. Evidence is not touched."""
    finished = instance.get_run_records(
        filters=dg.RunsFilter(statuses=[dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED])
    )
    for record in finished[keep:]:
        instance.delete_run(record.dagster_run.run_id)
    project(store, instance)
    return len(finished[keep:])


def fail_dead_runs(instance: dg.DagsterInstance) -> None:
    """A run whose process is gone stays STARTED for ever; our tags say whose it was."""
    for record in instance.get_run_records(filters=dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED])):
        owner = record.dagster_run.tags.get("evalplane/process")
        if owner and not _is_alive(owner):
            instance.report_run_failed(record.dagster_run, "the process that executed this run is gone")


def _execute(
    defs: dg.Definitions, instance: dg.DagsterInstance, job: str, *, partition_key: str | None = None, tags: dict[str, str] | None = None
) -> None:
    with contextlib.redirect_stdout(sys.stderr):
        result = defs.resolve_job_def(job).execute_in_process(
            instance=instance,
            partition_key=partition_key,
            tags={**(tags or {}), "evalplane/process": _process()},
            raise_on_error=True,
            run_config=_QUIET,
        )
    if not result.success:
        raise Refused(f"The Dagster job {job} did not succeed.", at=job)


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _process() -> str:
    return f"{os.getpid()}@{_boot()}"


def _is_alive(owner: str) -> bool:
    pid, _, boot = owner.partition("@")
    return boot == _boot() and Path(f"/proc/{pid}").exists()
