"""Reference values of other libraries (scipy, statsmodels, R, numpy, pandas): proportions, quantiles, diversity, pool and joint."""

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from contracts.errors import InputError
from contracts.metrics import MetricValue
from contracts.tracks import Track
from evaluation_assets.reductions.dominance import pareto_dominated, quality_dominated
from evaluation_assets.reductions.registry import reduce_run
from evaluation_assets.reductions.run_view import RunView
from evaluation_assets.statistics import proportions
from evaluation_assets.statistics.diversity import entropy_bits, mean_jaccard, normalised_entropy, overlap_counts
from evaluation_assets.statistics.quantiles import quantile
from tests.shared_data import shared
from tests.unit.reductions.runs import by_id, pool_run, run

Case = dict[str, Any]
NOT_OURS = {
    "quantile_hf1": "another definition, published for contrast",
    "joint.normalized_regret_worst_case_zero_oracle": "the rule of gate G3, not of the metric",
}


def cases(family: str) -> list[Case]:
    found: list[Case] = json.loads(shared("statistics", f"{family}.json").read_text(encoding="utf-8"))["cases"]
    return [case for case in found if case["fn"] not in NOT_OURS]


def check(family: str, compute: Any, *, at_least: int) -> None:
    """Every case of the family: a value within its own tolerance, null, or a refusal."""
    wrong, seen = [], 0
    for case in cases(family):
        seen += 1
        if case["kind"] == "error":
            with pytest.raises(InputError):
                compute(case["fn"], case["args"])
            continue
        got, tol = compute(case["fn"], case["args"]), case.get("tol", {"abs": 0, "rel": 0})
        expected = case["expect"] if case["kind"] != "value" else pytest.approx(case["expect"], abs=tol["abs"], rel=tol["rel"])
        if got != expected:
            wrong.append((case["id"], got, case["expect"]))
    assert wrong == []
    assert seen >= at_least


@pytest.mark.parametrize("family", ["wilson", "clopper_pearson"])
def test_proportions(family: str) -> None:
    def compute(fn: str, args: Case) -> Any:
        successes = float("nan") if args["successes"] == "NaN" else args["successes"]
        bounds = getattr(proportions, fn.replace("two_sided", "interval"))(successes, args["n"], args["confidence"])
        return list(bounds) if isinstance(bounds, tuple) else bounds

    check(family, compute, at_least=75)


def test_quantiles() -> None:
    check("quantiles", lambda _, args: quantile(np.array([float(value) for value in args["values"]]), args["q"]), at_least=27)


def test_entropy_and_jaccard() -> None:
    def compute(fn: str, args: Case) -> Any:
        if fn == "failure_jaccard":
            overlap = mean_jaccard(overlap_counts(np.array([args["failures_a"], args["failures_b"]], dtype=bool).T))
            return overlap and overlap.mean
        counts = np.array(args["counts"])
        return {
            "entropy_bits": entropy_bits,
            "entropy_normalised": normalised_entropy,
            "selected_arm_coverage": lambda chosen: (chosen > 0).sum() / len(chosen),
        }[fn](counts)

    check("entropy_jaccard", compute, at_least=31)


@cache
def pool_sets() -> list[Case]:
    sets: list[Case] = json.loads(shared("statistics", "pool_sets.json").read_text(encoding="utf-8"))
    return sets


def routed_rows(args: Case) -> list[Case]:
    routed = args["routed"]
    return [
        {
            "case_id": f"case-{number:05d}",
            "attempt": 1,
            "status": "succeeded" if ok else "failed",
            "success": bool(ok),
            "quality": quality,
            "runtime_cost_pico_usd": None if cost is None else round(cost * 10**12),
            "cost_scope": "call",
            "cost_reason": "missing_token_record" if cost is None else None,
        }
        for number, (quality, ok, cost) in enumerate(zip(routed["quality"], routed["success"], routed["cost"], strict=True))
    ]


def reduced(args: Case) -> tuple[dict[str, MetricValue], RunView]:
    """Metrics and view of a run with the pool of a case, its routed calls, or both."""
    dense = pool_sets()[args["set"]] if "set" in args else args
    rows = routed_rows(args) if "routed" in args else []
    if "quality" not in dense:
        ids = [{"case_id": row["case_id"]} for row in rows]
        inputs = run("a", (Track.JOINT,), cases={"suite": ids}, routed_outcomes={"suite": rows})
    else:
        pool = pool_run(dense["quality"], dense["success"], dense["cost"])
        tables = {"outcomes": pool.tables["outcomes"]["suite"].to_pylist(), "routed_outcomes": rows}
        inputs = run(
            pool.arm_ids["suite"],
            (Track.MODEL_POOL, Track.JOINT),
            cases={"suite": pool.cases["suite"].to_pylist()},
            **{name: {"suite": table} for name, table in tables.items()},
        )
    return by_id(reduce_run(inputs)), RunView(inputs)


def test_pool_and_joint() -> None:
    def per_arm(metrics: dict[str, MetricValue], view: RunView, name: str) -> list[float | None]:
        return [metrics[f"model_pool.arm.{arm}.{name}"].value for arm in view.inputs.arms]

    direct = {
        "joint.oracle_capture": "joint.oracle_capture_ratio",
        "joint.normalized_regret_positive_oracle": "joint.normalized_regret",
        "joint.cost_per_success": "joint.runtime_cost_per_success",
        "joint.total_cost": "joint.runtime_cost_usd",
        "joint.frontier_lift": "joint.no_information_frontier_lift",
    }
    families = {
        "pool.arm_mean_quality": "quality",
        "pool.arm_reliability": "success_rate",
        "pool.marginal_contribution": "marginal_contribution",
    }

    def compute(fn: str, args: Case) -> Any:
        metrics, view = reduced(args)
        if fn in families:
            return per_arm(metrics, view, families[fn])
        pool = view.pool if "set" in args or "quality" in args else None
        match fn:
            case "pool.best_single_arm" | "joint.no_information_frontier_arm" if pool:
                return pool.frontier
            case "pool.quality_dominated_arms" if pool:
                return np.flatnonzero(quality_dominated(pool.quality, pool.quality_totals)).tolist()
            case "pool.pareto_dominated_arms" if pool:
                return np.flatnonzero(pareto_dominated(pool.quality_totals, [cost.pico for cost in view.arm_costs])).tolist()
            case "joint.positive_oracle_cases":
                return metrics["joint.normalized_regret"].n
        return metrics[direct.get(fn, fn.replace("pool.", "model_pool."))].value

    check("pool_and_joint", compute, at_least=138)
