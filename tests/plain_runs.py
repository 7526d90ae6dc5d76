"""Runs without Dagster: the same library calls that the assets make, in the same order."""

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from contracts.reports import Report
from contracts.runs import RunRequest
from contracts.tracks import Track
from evaluation_assets.execution.observe import publish_observations
from evaluation_assets.gates.publish import publish_gates
from evaluation_assets.records.publish import publish_records
from evaluation_assets.reductions.publish import publish_costs, publish_track
from evaluation_assets.reports.sealing import seal_run
from evaluation_assets.runs.create import create_run
from evaluation_assets.runs.publish import publish_plan
from evaluation_assets.runs.state import begin
from evaluation_assets.suites.bundle import normalize_to_bundle
from evaluation_assets.suites.install import install_bundle
from ledgers.store.layout import local_principal
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ALL_TRACKS = tuple(Track)
POOL_TRACKS = (Track.ROUTING, Track.MODEL_POOL, Track.JOINT)


def new_store(directory: Path) -> Store:
    return Store.found(directory / "root")


def run_id(number: int) -> str:
    return str(UUID(int=number, version=4))


def smoke_request(**changes: object) -> RunRequest:
    values = {"suite_ids": ["evaluation-smoke"], "tracks": [str(track) for track in ALL_TRACKS], "mode": "replay", "target_id": "fixture"}
    return RunRequest.build({**values, **changes}, "request")


def import_request(suite_id: str, **changes: object) -> RunRequest:
    values = {"suite_ids": [suite_id], "tracks": [str(track) for track in POOL_TRACKS], "mode": "replay", "target_id": "benchmark-source"}
    return RunRequest.build({**values, **changes}, "request")


def created(store: Store, request: RunRequest, number: int = 1) -> RunDirectory:
    return create_run(store, request, run_id=run_id(number), principal=local_principal(store.root, "tester"), now=NOW)


def sealed(store: Store, request: RunRequest, number: int = 1) -> Report:
    """Create, execute, judge and seal."""
    return finish(store, created(store, request, number))


def finish(store: Store, run: RunDirectory) -> Report:
    principal = local_principal(store.root, "tester")
    begin(store, run, principal=principal, now=NOW)
    publish_plan(store, run)
    for suite_id in run.manifest().suite_ids:
        publish_observations(store, run, suite_id)
        publish_records(store, run, suite_id)
    for track in Track:
        publish_track(store, run, track)
    publish_costs(store, run)
    publish_gates(store, run)
    return seal_run(store, run, principal=principal, now=NOW)


def install(store: Store, adapter: str, export: Path, scratch: Path, suite_id: str) -> None:
    """Normalize an export and install what came out."""
    output = scratch / f"normalized-{suite_id}"
    normalize_to_bundle(adapter, suite_id=suite_id, name=suite_id, export_root=export, output=output, progress=lambda message: None)
    install_bundle(
        store.suites,
        request_path=output / "request.json",
        bundle=output / "bundle",
        export_root=export,
        now=NOW,
        progress=lambda message: None,
    )
