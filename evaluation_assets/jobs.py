"""The jobs. An evaluation run is three Dagster runs, because a Dagster run targets one partition space.

freeze_run   run          run_manifest, execution_plan
execute_run  run x suite  observations, records          one range run per contiguous block of suites
judge_run    run          reductions, gates, report
suites_job   suite        suite_source, suite
inventory    -            benchmark_inventory, target_catalog
create_run, start_run     what the UI offers instead of the command line: the same library calls, as ops
"""

from uuid import uuid4

import dagster as dg
from pydantic import Field

from contracts.clock import utc_now
from contracts.runs import RunRequest
from evaluation_assets.gates.assets import REDUCTIONS
from evaluation_assets.launch import project_run, start
from evaluation_assets.resources import Graph
from evaluation_assets.runs.create import create_run as create
from evaluation_assets.targets.subjects import Subjects
from ledgers.store.store import Store

inventory_job = dg.define_asset_job(
    "inventory", ["benchmark_inventory", "target_catalog"], description="Show the research inventory and the targets."
)
suites_job = dg.define_asset_job("suites_job", ["suite_source", "suite"], description="Show an installed suite and its source.")
freeze_run = dg.define_asset_job(
    "freeze_run", ["run_manifest", "execution_plan"], description="Check the frozen manifest; publish the plan."
)
execute_run = dg.define_asset_job("execute_run", ["observations", "records"], description="Observe and grade every planned cell.")
judge_run = dg.define_asset_job("judge_run", [*REDUCTIONS, "gates", "report"], description="Reduce, judge and seal.")


class CreateRun(dg.Config):
    """A run request without its free texts: Dagster keeps and shows run config. Name and description come from the command line."""

    suite_ids: list[str] = Field(default=["evaluation-smoke"])
    tracks: list[str] = Field(default=["routing", "model_pool", "joint"])
    target_id: str = "fixture"
    mode: str = "replay"
    change_profile: str = "schema_adapter"
    sample_limit: int | None = None
    concurrency: int = 1
    seed: int = 0


class StartRun(dg.Config):
    run_id: str


@dg.op(out=dg.Out(dg.Nothing))
def create_run_op(
    context: dg.OpExecutionContext,
    config: CreateRun,
    store: dg.ResourceParam[Store],
    principal: dg.ResourceParam[str],
    subjects: dg.ResourceParam[Subjects],
) -> None:
    """Freeze a run and make its partition visible; the run id is in the log and in the runs list."""
    request = RunRequest.build(config.model_dump(), "run config")
    run = create(store, request, run_id=str(uuid4()), principal=principal, now=utc_now(), subjects=subjects)
    project_run(store, context.instance, run.run_id)
    context.log.info(f"created run {run.run_id}")


@dg.op(out=dg.Out(dg.Nothing))
def start_run_op(
    context: dg.OpExecutionContext,
    config: StartRun,
    store: dg.ResourceParam[Store],
    principal: dg.ResourceParam[str],
    subjects: dg.ResourceParam[Subjects],
    graph: dg.ResourceParam[Graph],
) -> None:
    """Execute, judge and seal a created run on the subject that it froze. Its three Dagster runs are listed as runs of their own."""
    run = store.find_run(config.run_id)
    subjects.check_unchanged(run.manifest().target)
    start(graph(), context.instance, store, run, principal=principal)


@dg.job(name="create_run")
def create_run_job() -> None:
    """Create a run from suites, tracks and a target."""
    create_run_op()


@dg.job(name="start_run")
def start_run_job() -> None:
    """Start a created run."""
    start_run_op()


JOBS = (inventory_job, suites_job, freeze_run, execute_run, judge_run, create_run_job, start_run_job)
