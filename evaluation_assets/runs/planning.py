"""The execution plan: every cell that the run owes an observation. A pure function of the manifest and its suites.

Cells of one suite, in order: track, case, arm. The model-pool track owes one cell per case and arm, every other track one
per case. O(cells), in columns.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from contracts.errors import NotAdmitted
from contracts.tables import PLAN
from contracts.tracks import Track


def plan_suite(suite_id: str, cases: pa.Table, arm_ids: Sequence[str], tracks: Sequence[Track]) -> pa.Table:
    """Rows of contracts.tables.PLAN. `cases`: the selected visible cases, sorted by id; `arm_ids` sorted."""
    blocks = [PLAN.empty_table()]
    for track in tracks:
        case_ids = _cases_of(cases, track)
        if track is Track.MODEL_POOL:
            blocks.append(_rows(suite_id, track, _repeat(case_ids, len(arm_ids)), _tile(arm_ids, len(case_ids))))
        else:
            blocks.append(_rows(suite_id, track, case_ids, pa.nulls(len(case_ids), pa.string())))
    return pa.concat_tables(blocks).combine_chunks()


def check_plan(plan: pa.Table, tracks: Sequence[Track]) -> None:
    """A chosen track without one planned cell would be an empty claim: refused."""
    planned = set(plan.column("track").unique().to_pylist())
    for track in tracks:
        if track not in planned:
            raise NotAdmitted(
                "No selected case carries this track.", at=f"track {track}", fix="raise --samples, change --seed, or leave the track out"
            )


def _cases_of(cases: pa.Table, track: Track) -> pa.Array:
    lists = cases.column("tracks").combine_chunks()
    matches = pc.equal(lists.flatten(), str(track))
    owners = lists.value_parent_indices().filter(matches)
    return cases.column("case_id").combine_chunks().take(pc.unique(owners))


def _repeat(values: pa.Array, times: int) -> pa.Array:
    return values.take(pa.array(np.repeat(np.arange(len(values)), times)))


def _tile(arm_ids: Sequence[str], times: int) -> pa.Array:
    return pa.array(list(arm_ids), pa.string()).take(pa.array(np.tile(np.arange(len(arm_ids)), times)))


def _rows(suite_id: str, track: Track, case_ids: pa.Array, arm_ids: pa.Array) -> pa.Table:
    count = len(case_ids)
    columns = {
        "suite_id": pa.repeat(pa.scalar(suite_id), count),
        "track": pa.repeat(pa.scalar(str(track)), count),
        "case_id": case_ids,
        "attempt": pa.repeat(pa.scalar(1, pa.int32()), count),
        "arm_id": arm_ids,
        "action": pa.nulls(count, pa.string()),
    }
    return pa.table([columns[name] for name in PLAN.names], schema=PLAN)
