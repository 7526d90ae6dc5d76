"""mom-cohort-replay.v1: what a run of this mixture on this cohort would look like, derived from frozen digests. Nothing is called.

Every number is u(parts): the first 8 bytes of SHA-256 over the parts, joined by NUL, as a fraction of 2^64. One part is always the
snapshot of the whole case, so that a changed byte of a case changes its own outcomes and no other case's.

    arm fails        u(provider model, arm config, snapshot, "reliability") < 0.08
    quality          u(provider model, arm config, snapshot, "quality"), six decimals; a failed call has none
    arm latency      12 ms + 108 ms x u(arm, snapshot, "latency")
    decision         u(selector, snapshot, "decision") among the decisions, then an arm of it: the frozen decision boundary holds
    route latency    1 ms + 9 ms x u(selector, snapshot, "route-latency")
    tokens           16 in, 4 out; cost at the frozen prices, in whole pico-USD

The selector identity covers recipe, selector, adaptation and binding: another pool alone selects alike.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TypeVar

import pyarrow as pa

from contracts.canonical import digest_of
from contracts.errors import NotAdmitted
from contracts.measured import Reason
from contracts.mixtures import DecisionSummary, Mixture, ModelArm
from contracts.tables import record_table
from contracts.tracks import Track
from evaluation_assets.execution.executors.interface import EvaluationInputs, Observed

FAILURE_SHARE = 0.08
INPUT_TOKENS, OUTPUT_TOKENS = 16, 4
METHOD, COST_SCOPE = "counterfactual", "usd_counterfactual"

T = TypeVar("T")
Row = dict[str, str | int | float | bool | None]


class MomCohortReplay:
    executor_id = "mom-cohort-replay.v1"

    def observe(self, inputs: EvaluationInputs) -> Observed:
        mixture = inputs.run.target.mixture
        if mixture is None:
            raise NotAdmitted("This executor replays a mixture, and the target is none.", at=f"target {inputs.run.target.target_id}")
        subject = _Subject(mixture)
        snapshots = inputs.case_snapshots()
        rows: dict[Track, Iterable[Row]] = {
            Track.ROUTING: (subject.route(case, snapshot) for case, snapshot in snapshots.items()),
            Track.MODEL_POOL: (subject.outcome(case, snapshot, arm) for case, snapshot in snapshots.items() for arm in mixture.arms),
            Track.JOINT: (subject.routed(case, snapshot) for case, snapshot in snapshots.items()),
        }
        names = {Track.ROUTING: "routes", Track.MODEL_POOL: "outcomes", Track.JOINT: "routed_outcomes"}
        return {names[track]: _table(names[track], rows[track]) for track in inputs.tracks}


def share(*parts: str) -> float:
    """u(parts) in [0, 1)."""
    return int.from_bytes(sha256("\0".join(parts).encode()).digest()[:8], "big") / 2**64


class _Subject:
    """The frozen mixture, asked case by case."""

    def __init__(self, mixture: Mixture) -> None:
        factors = mixture.factors
        self._mixture = mixture
        self._arms = {arm.arm_id: arm for arm in mixture.arms}
        self._decisions = [decision for decision in mixture.decisions if decision.arm_ids]
        self._selector = digest_of("counterfactual-selector", [factors.recipe, factors.selector, factors.adaptation, factors.binding])

    def choice(self, snapshot: str) -> tuple[DecisionSummary, ModelArm]:
        decision = _pick(self._decisions, share(self._selector, snapshot, "decision"))
        return decision, self._arms[_pick(decision.arm_ids, share(self._selector, snapshot, "selection"))]

    def route(self, case_id: str, snapshot: str) -> Row:
        decision, arm = self.choice(snapshot)
        return {
            "case_id": case_id, "attempt": 1, "alias": self._mixture.entrypoint_model, "recipe": self._mixture.recipe_name,
            "decision": decision.name, "selection_status": "selected", "selection_method": METHOD, "selected_arm_id": arm.arm_id,
            "fallback": False, "abstained": False, "latency_ms": 1 + 9 * share(self._selector, snapshot, "route-latency"),
        }  # fmt: skip

    def outcome(self, case_id: str, snapshot: str, arm: ModelArm) -> Row:
        called: Row = {"case_id": case_id, "arm_id": arm.arm_id, "attempt": 1, "cost_scope": COST_SCOPE}
        called["latency_ms"] = 12 + 108 * share(arm.arm_id, snapshot, "latency")
        identity = (arm.provider_model_id_digest, arm.config_digest, snapshot)
        if share(*identity, "reliability") < FAILURE_SHARE:
            return called | {"status": "failed", "reason": Reason.FAILED_CALL.value, "cost_reason": Reason.FAILED_CALL.value}
        cost = _cost(arm)
        return called | {
            "status": "succeeded", "quality": round(share(*identity, "quality"), 6), "input_tokens": INPUT_TOKENS,
            "output_tokens": OUTPUT_TOKENS, "runtime_cost_pico_usd": cost, "cost_reason": Reason.UNPRICED.value if cost is None else None,
        }  # fmt: skip

    def routed(self, case_id: str, snapshot: str) -> Row:
        """The selected arm's own outcome, reached through the router: its latency is added."""
        route, (decision, arm) = self.route(case_id, snapshot), self.choice(snapshot)
        outcome = self.outcome(case_id, snapshot, arm)
        outcome["latency_ms"] = float(outcome["latency_ms"] or 0) + float(route["latency_ms"] or 0)
        chosen: Row = {
            "selected_arm_id": outcome.pop("arm_id"), "selection_method": METHOD, "recipe": self._mixture.recipe_name,
            "decision": decision.name,
        }  # fmt: skip
        return outcome | chosen


def _cost(arm: ModelArm) -> int | None:
    """pico-USD: micro-USD per million tokens times tokens; None for an arm without a price."""
    if arm.prices.input is None or arm.prices.output is None:
        return None
    return INPUT_TOKENS * arm.prices.input + OUTPUT_TOKENS * arm.prices.output


def _pick(items: Sequence[T], where: float) -> T:
    return items[int(where * len(items))]


def _table(name: str, rows: Iterable[Row]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), record_table(name).observed)
