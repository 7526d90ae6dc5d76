"""What the router decided, whatever the chosen arm answered.

Rules:
- `coverage` counts the planned cells with an observed decision. If a decision is unavailable, no rate is known: the
  others are null (`unmeasured`), with n = the decisions that were observed.
- A decision that failed (`error`) is known: no success, and not accurate.
- The label of a route is the dense matrix of the same run: accurate is who chose an arm of the best quality, ties included.
"""

import numpy as np
from numpy.typing import NDArray

from contracts.measured import Measured, Reason, absent
from evaluation_assets.reductions.measuring import latency_quantile, proportion, share
from evaluation_assets.reductions.observations import SELECTION_CODES, Routes

_UNAVAILABLE, _ERROR = SELECTION_CODES["unavailable"], SELECTION_CODES["error"]


def coverage(routes: Routes) -> Measured:
    """Observed decisions / planned cells: docs/metrics.md, routing.coverage."""
    planned = len(routes.status)
    return share(_observed(routes), planned, planned_n=planned) if planned else absent(Reason.NO_CASES, planned_n=0)


def abstention_rate(routes: Routes) -> Measured:
    """Decisions that chose no arm on purpose / decisions: docs/metrics.md, routing.abstention_rate."""
    return _rate(routes, routes.abstained)


def fallback_rate(routes: Routes) -> Measured:
    """Decisions that ended in the fallback route / decisions: docs/metrics.md, routing.fallback_rate."""
    return _rate(routes, routes.fallback)


def success_rate(routes: Routes) -> Measured:
    """Decisions that were made (selected, fallback or abstained) / decisions: docs/metrics.md, routing.success_rate."""
    return _rate(routes, routes.status != _ERROR)


def accuracy(routes: Routes, chosen: NDArray[np.float64] | None, oracle: NDArray[np.float64] | None) -> Measured:
    """Cells whose chosen arm reaches the best quality of the case / cells with a best quality above 0.

    chosen, oracle: shape (rows,), quality of the chosen arm (NaN without one) and of the best; None without a complete
    dense matrix. A cell without a chosen arm is not accurate. Source: docs/metrics.md, routing.accuracy
    """
    planned = len(routes.status)
    if (gap := _gap(routes)) is not None:
        return gap
    if chosen is None or oracle is None:
        return absent(Reason.NO_DENSE_MATRIX, planned_n=planned)
    reachable = oracle > 0.0
    n = int(reachable.sum())
    if not n:
        return absent(Reason.ZERO_ORACLE, planned_n=planned, excluded=planned)
    return proportion(int((chosen[reachable] == oracle[reachable]).sum()), n, planned_n=planned, excluded=planned - n)


def latency_p50_ms(routes: Routes) -> Measured:
    """Median latency of the decisions: docs/metrics.md, routing.latency_p50_ms."""
    return latency_quantile(routes.latency, 0.50)


def latency_p95_ms(routes: Routes) -> Measured:
    """95th percentile of the latency of the decisions: docs/metrics.md, routing.latency_p95_ms."""
    return latency_quantile(routes.latency, 0.95)


def _rate(routes: Routes, hits: NDArray[np.bool_]) -> Measured:
    return _gap(routes) or proportion(int(hits.sum()), len(hits), planned_n=len(hits))


def _gap(routes: Routes) -> Measured | None:
    planned, observed = len(routes.status), _observed(routes)
    if not planned:
        return absent(Reason.NO_CASES, planned_n=0)
    return absent(Reason.UNMEASURED, n=observed, planned_n=planned) if observed < planned else None


def _observed(routes: Routes) -> int:
    return int((routes.status != _UNAVAILABLE).sum())
