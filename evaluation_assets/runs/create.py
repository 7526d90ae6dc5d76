"""`run create`: a request is admitted, its suites and cases are frozen, and the run directory is published in one step.

Plain library, without Dagster: the store is the authority on which runs exist. Nothing of the run is written before all is checked;
a built-in suite is installed when it is first asked for, whatever becomes of the run.
"""

from datetime import datetime

import pyarrow as pa

from contracts.catalogs import gate_policy, metric_catalog
from contracts.errors import AlreadyExists, UnknownName, WrongState
from contracts.runs import (
    ArmPrice,
    ControlEvent,
    GenerationLimits,
    Lifecycle,
    RunManifest,
    RunRequest,
    RunState,
    RunStatus,
    TargetSnapshot,
)
from evaluation_assets.runs.admission import admit, grader_of
from evaluation_assets.runs.code_revision import code_revision
from evaluation_assets.runs.cohort import SelectedSuite, Selection, select
from evaluation_assets.runs.planning import check_plan, plan_suite
from evaluation_assets.suites.builtin import open_suite
from evaluation_assets.targets.subjects import BUNDLED, Subjects
from ledgers.store.runs import RunDirectory, create_run_directory
from ledgers.store.store import Store

REDACTION_POLICY = "evaluation-default-v1"
AUDIT_ACTION = "create"


def create_run(
    store: Store, request: RunRequest, *, run_id: str, principal: str, now: datetime, subjects: Subjects = BUNDLED
) -> RunDirectory:
    """Freeze `request` as run `run_id` and publish its directory.

    `principal`: owner digest. `subjects`: where the target is looked up.
    The same request under the same id again gives the run that exists; another one is refused.
    """
    target = subjects.snapshot(request.target_id)
    manifests = [open_suite(store, suite_id, now=now) for suite_id in sorted(request.suite_ids)]
    executor = admit(target, request.mode, manifests, request.tracks, request.change_profile)
    if request.baseline_run_id is not None and not store.has_run(request.baseline_run_id):
        raise UnknownName("The baseline is not a run of this store.", at="baseline_run_id")
    asked = Selection(tracks=request.tracks, seed=request.seed, limit=request.sample_limit, target_arms=target.arm_ids)
    selected = [select(store.suites, manifest, asked) for manifest in manifests]
    _check_every_track_is_planned(selected, request)
    grader = grader_of(executor, manifests)
    manifest = RunManifest(
        schema_version="evaluation-run-manifest.v1",
        run_id=run_id,
        name=request.name,
        description=request.description,
        created_at=now,
        owner_principal=principal,
        mode=request.mode,
        target=target,
        change_profile=request.change_profile,
        suites=tuple(suite.frozen for suite in selected),
        executor_id=executor.executor_id,
        tracks=request.tracks,
        sample_limit=request.sample_limit,
        concurrency=request.concurrency,
        seed=request.seed,
        baseline_run_id=request.baseline_run_id,
        environment_kind=executor.environment_kind,
        gate_policy_digest=gate_policy().identity(),
        metric_catalog_digest=metric_catalog().identity(),
        grader_id=grader.grader_id,
        grader_revision=grader.identity(),
        prices=_prices(target),
        code_revision=code_revision(),
        redaction_policy=REDACTION_POLICY,
        generation=GenerationLimits(max_tokens=None, temperature=None, seed=request.seed, prompt_cache="not_applicable"),
    )
    if store.has_run(run_id):
        return _same_run(store.run(run_id), manifest)
    return _publish(store, manifest, now)


def check_admission(store: Store, manifest: RunManifest) -> None:
    """Ask again, from the frozen manifest: the catalog or the store may have changed since the run was created."""
    suites = [store.suites.open_manifest(suite.manifest) for suite in manifest.suites]
    executor = admit(manifest.target, manifest.mode, suites, manifest.tracks, manifest.change_profile)
    if executor.executor_id != manifest.executor_id:
        raise WrongState("The executor of this run is not the one that its target accepts now.", at="executor_id", fix="create a new run")
    for what, frozen, current in (
        ("gate_policy_digest", manifest.gate_policy_digest, gate_policy().identity()),
        ("metric_catalog_digest", manifest.metric_catalog_digest, metric_catalog().identity()),
        ("code_revision", manifest.code_revision, code_revision()),
    ):
        if frozen != current:
            raise WrongState("The run was frozen with another version of the package.", at=what, fix="create a new run")


def _prices(target: TargetSnapshot) -> tuple[ArmPrice, ...]:
    """The price snapshot: every arm of a mixture, unpriced ones with nulls; empty where costs were recorded by the source."""
    arms = () if target.mixture is None else target.mixture.arms
    return tuple(
        ArmPrice(
            arm_id=arm.arm_id,
            input_micro_usd_per_million_tokens=arm.prices.input,
            output_micro_usd_per_million_tokens=arm.prices.output,
        )
        for arm in arms
    )


def _check_every_track_is_planned(selected: list[SelectedSuite], request: RunRequest) -> None:
    plans = [plan_suite(s.frozen.suite_id, s.cases, s.frozen.arm_ids[:1], request.tracks) for s in selected]
    check_plan(pa.concat_tables(plans), request.tracks)


def _same_run(existing: RunDirectory, manifest: RunManifest) -> RunDirectory:
    was = existing.manifest()
    if was.model_copy(update={"created_at": manifest.created_at}) != manifest:
        raise AlreadyExists(
            "A run of this id exists and was frozen from another request, or by another version of the package.",
            at=f"run {manifest.run_id}",
        )
    return existing


def _publish(store: Store, manifest: RunManifest, now: datetime) -> RunDirectory:
    audit = store.audit.append(
        now=now,
        action=AUDIT_ACTION,
        decision="allowed",
        reason_code="owner",
        actor=manifest.owner_principal,
        resource_kind="run",
        resource_id=manifest.run_id,
    )
    status = RunStatus(
        schema_version="evaluation-run-status.v1",
        run_id=manifest.run_id,
        state=RunState.PENDING,
        stage="created",
        completed=0,
        total=0,
        updated_at=now,
        started_at=None,
        completed_at=None,
        error=None,
        result_digest=None,
    )
    event = ControlEvent(schema_version="evaluation-control-event.v1", sequence=1, at=now, type="created", message="run created")
    lifecycle = Lifecycle(
        schema_version="evaluation-run-lifecycle.v1",
        run_id=manifest.run_id,
        owner_principal=manifest.owner_principal,
        retention_class="standard",
        evidence_hold=False,
        created_at=now,
        updated_at=now,
        creation_audit_digest=audit.digest,
    )
    return create_run_directory(
        store.run_path(manifest.run_id),
        {
            "run-manifest.json": manifest.canonical(),
            "status.json": status.canonical(),
            "control-events.jsonl": event.canonical() + b"\n",
            "lifecycle.json": lifecycle.canonical(),
        },
    )
