"""The routing label: which arm should the router have chosen? Read from the same run's dense matrix, never from the router.

expected_arm_id is the first of the best arms in id order. It is null where a cell of the case is missing (no oracle), where
the best quality is 0 (no arm was right), and where the suite brings its own expected route instead.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from contracts.tables import ROUTES


def with_expected_arm(routes: pa.Table, outcomes: pa.Table | None, labels: pa.Table, arm_ids: tuple[str, ...]) -> pa.Table:
    """routes: rows of ROUTES. outcomes: graded, sorted by case and arm, one row per planned cell; None without the pool track."""
    by_case = _native_routes(labels)
    if outcomes is not None and len(outcomes):
        by_case = _oracle_arms(outcomes, arm_ids) | by_case
    expected = pa.array([by_case.get(case_id) for case_id in routes.column("case_id").to_pylist()], pa.string())
    at = ROUTES.get_field_index("expected_arm_id")
    return routes.set_column(at, ROUTES.field(at), expected)


def _native_routes(labels: pa.Table) -> dict[str, str]:
    known = labels.filter(pc.is_valid(labels.column("expected_route")))
    return dict(zip(known.column("case_id").to_pylist(), known.column("expected_route").to_pylist(), strict=True))


def _oracle_arms(outcomes: pa.Table, arm_ids: tuple[str, ...]) -> dict[str, str]:
    first = outcomes.filter(pc.and_(pc.is_null(outcomes.column("action")), pc.equal(outcomes.column("attempt"), 1)))
    if len(first) % len(arm_ids):
        return {}
    quality = first.column("quality").to_numpy().reshape(-1, len(arm_ids))  # null becomes NaN
    cases = first.column("case_id").take(pa.array(np.arange(0, len(first), len(arm_ids)))).to_pylist()
    complete = ~np.isnan(quality).any(axis=1)
    best = np.where(complete, np.argmax(np.nan_to_num(quality, nan=-1.0), axis=1), 0)
    right = complete & (quality.max(axis=1, initial=0.0, where=~np.isnan(quality)) > 0)
    return {case: arm_ids[arm] for case, arm, usable in zip(cases, best.tolist(), right.tolist(), strict=True) if usable}
