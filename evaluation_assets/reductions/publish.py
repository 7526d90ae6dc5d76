"""The records of one run are reduced, track by track, and published: metrics, the picture of the pool, costs, coverage.

Each track is published by a step of its own as reductions/<track>.json; `publish_reductions` merges them once all are there.
"""

from collections.abc import Iterator, Mapping

import pyarrow as pa

from contracts.errors import WrongState
from contracts.metrics import RunMetrics
from contracts.pool_pictures import PoolPicture
from contracts.reports import RunCosts, RunCoverage
from contracts.runs import RunManifest
from contracts.tables import TABLE_OF_TRACK
from contracts.tracks import Track
from evaluation_assets.records.levels import track_level
from evaluation_assets.reductions.costs import run_costs
from evaluation_assets.reductions.coverage import status_counts, track_coverage
from evaluation_assets.reductions.inputs import ReductionInputs
from evaluation_assets.reductions.pool_picture import pool_picture
from evaluation_assets.reductions.registry import reduce_run, reduce_track
from evaluation_assets.reductions.run_view import RunView
from evaluation_assets.reductions.sources import ParquetParts, Records
from evaluation_assets.runs.cohort import selected_suite
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store

PICTURE = "reductions/pool_picture.json"


def reduction_inputs(store: Store, run: RunDirectory) -> ReductionInputs:
    """What the reducers read of one run; nothing is loaded before a reducer asks for it."""
    manifest = run.manifest()
    planned: dict[Track, int] = dict.fromkeys(manifest.tracks, 0)
    for row in run.plan(["track"]).column("track").value_counts().to_pylist():
        planned[Track(row["values"])] = row["counts"]
    return ReductionInputs(
        tracks=manifest.tracks,
        arm_ids={suite.suite_id: suite.arm_ids for suite in manifest.suites},
        planned=planned,
        cases=_Cases(store, manifest),
        tables={TABLE_OF_TRACK[track].name: _Parts(run, TABLE_OF_TRACK[track].name) for track in manifest.tracks},
    )


def publish_track(store: Store, run: RunDirectory, track: Track) -> RunMetrics | None:
    """Publish the metrics of one track, and the picture of the model pool; None where the run did not select the track."""
    if track not in run.require_admitted().tracks:
        return None
    inputs = reduction_inputs(store, run)
    metrics = RunMetrics(schema_version="evaluation-metrics.v1", metrics=reduce_track(track, inputs))
    run.publish(_place(track), metrics)
    if track is Track.MODEL_POOL:
        run.publish(PICTURE, pool_picture(RunView(inputs)))
    return metrics


def publish_costs(store: Store, run: RunDirectory) -> RunCosts:
    run.require_admitted()
    inputs = reduction_inputs(store, run)
    costs = run_costs(inputs)
    run.publish("costs.json", costs)
    run.publish("coverage.json", _coverage(run.manifest(), inputs))
    return costs


def publish_reductions(run: RunDirectory) -> RunMetrics:
    """Merge the tracks into metrics.json. A selected track without its reduction is refused."""
    tracks = run.require_admitted().tracks
    pictures = (PICTURE,) if Track.MODEL_POOL in tracks else ()
    missing = [name for name in (*map(_place, tracks), *pictures, "costs.json", "coverage.json") if not run.exists(name)]
    if missing:
        raise WrongState(
            "A reduction of this run is missing.", at=f"run {run.run_id}  {missing[0]}", fix=f"evalplane run start {run.run_id}"
        )
    parts = [run.document(_place(track), RunMetrics).metrics for track in tracks]
    merged = RunMetrics(schema_version="evaluation-metrics.v1", metrics=tuple(metric for part in parts for metric in part))
    run.publish("metrics.json", merged)
    return merged


def reduce_all(store: Store, run: RunDirectory) -> tuple[RunMetrics, RunCosts, RunCoverage]:
    """All reductions again, from the records: what verify compares with."""
    inputs = reduction_inputs(store, run)
    return reduce_run(inputs), run_costs(inputs), _coverage(run.manifest(), inputs)


def repeated_picture(store: Store, run: RunDirectory) -> PoolPicture:
    """The picture again, from the records. Only for a run with the track model_pool."""
    return pool_picture(RunView(reduction_inputs(store, run)))


def _coverage(manifest: RunManifest, inputs: ReductionInputs) -> RunCoverage:
    rows = []
    for track in manifest.tracks:
        counts = status_counts(track, inputs)
        level = track_level(manifest, planned=counts.planned, unavailable=counts.unavailable)
        rows.append(track_coverage(track, inputs, level.name))
    return RunCoverage(schema_version="evaluation-coverage.v1", tracks=tuple(rows))


def _place(track: Track) -> str:
    return f"reductions/{track}.json"


class _Cases(Mapping[str, pa.Table]):
    """Suite id -> selected visible cases, each read once."""

    def __init__(self, store: Store, manifest: RunManifest) -> None:
        self._store, self._manifest = store, manifest
        self._read: dict[str, pa.Table] = {}

    def __getitem__(self, suite_id: str) -> pa.Table:
        if suite_id not in self._read:
            self._read[suite_id] = selected_suite(self._store.suites, self._manifest, suite_id).cases
        return self._read[suite_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._manifest.suite_ids)

    def __len__(self) -> int:
        return len(self._manifest.suite_ids)


class _Parts(Mapping[str, Records]):
    """Suite id -> the sealed parts of one record table, for the suites that have it."""

    def __init__(self, run: RunDirectory, table: str) -> None:
        found = {suite_id: run.parts("records", suite_id).part(table) for suite_id in run.manifest().suite_ids}
        self._paths = {suite_id: ParquetParts((run.path / part.path,)) for suite_id, part in found.items() if part is not None}

    def __getitem__(self, suite_id: str) -> Records:
        return self._paths[suite_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)
