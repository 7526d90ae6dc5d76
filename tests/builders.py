"""Small valid documents for tests. Each builder makes the dull case; a test changes what it is about with keywords."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from contracts.gates import Disposition, GateResult, Verdict
from contracts.measured import Interval, Reason
from contracts.metrics import Direction, MetricValue
from contracts.mixtures import (
    DecisionSummary,
    EnvironmentDigests,
    FactorDigests,
    Mixture,
    ModelArm,
    TokenPrices,
    mixture_id,
    replica_groups,
)
from contracts.pool_pictures import MAX_COLUMNS, STATES, ArmPicture, PoolPicture, in_column_order
from contracts.reports import (
    FailureSummary,
    Finding,
    LedgerCost,
    Provenance,
    ReasonCount,
    Report,
    ReportRun,
    ReportSuite,
    SuiteProvenance,
    TrackCoverage,
    TrackFailures,
)
from contracts.runs import Mode
from contracts.suites import QualityIssue, SourceStatus
from contracts.tracks import Track

RUN_ID = "6f1c9f0e-3b1a-4c9e-9f0e-2a64c1a7b013"
GATE_NAMES = (
    "Reproducibility",
    "Static correctness",
    "Hard policy",
    "Offline value",
    "Declared-shift robustness",
    "Live fidelity",
    "Live fault recovery",
    "Cost, latency and capacity",
    "Shadow and canary",
    "Online preference",
)


def digest(character: str) -> str:
    return "sha256:" + character * 64


def metric(metric_id: str, value: float | None, **changes: Any) -> MetricValue:
    """A fraction over 4 of 4 cases; a null one is `unmeasured` over 0 of 4."""
    values: dict[str, Any] = {
        "metric_id": metric_id,
        "track": Track(metric_id.partition(".")[0]),
        "slice": "all",
        "value": value,
        "reason": Reason.UNMEASURED if value is None else None,
        "n": 0 if value is None else 4,
        "planned_n": 4,
        "excluded": 0,
        "unit": "fraction",
        "direction": Direction.HIGHER,
        "interval": None,
    }
    return MetricValue(**(values | changes))


def interval(lower: float, upper: float) -> Interval:
    return Interval(lower=lower, upper=upper, confidence=0.95, method="wilson")


def gate(number: int, verdict: Verdict = Verdict.UNAVAILABLE, **changes: Any) -> GateResult:
    values: dict[str, Any] = {
        "gate": f"G{number}",
        "name": GATE_NAMES[number],
        "verdict": verdict,
        "evidence_level": None,
        "disposition": Disposition.NOT_APPLICABLE if verdict is Verdict.NOT_APPLICABLE else Disposition.REQUIRED,
        "rationale": "The evidence that decides this gate was looked for.",
        "missing": ("controlled_pair",) if verdict is Verdict.UNAVAILABLE else (),
    }
    return GateResult(**(values | changes))


def gates(*verdicts: Verdict) -> tuple[GateResult, ...]:
    """G0 on with the given verdicts, the rest unavailable."""
    return tuple(gate(number, *verdicts[number : number + 1]) for number in range(10))


def coverage(track: Track = Track.ROUTING, succeeded: int = 3, failed: int = 1, unavailable: int = 0, level: str = "E0") -> TrackCoverage:
    planned = succeeded + failed + unavailable
    return TrackCoverage(track=track, planned=planned, succeeded=succeeded, failed=failed, unavailable=unavailable, level=level)


def complete_cost(ledger: str, pico: str = "2500000000") -> LedgerCost:
    return LedgerCost(
        ledger=ledger,
        amount_usd=int(pico) / 1e12,
        amount_pico_usd=pico,
        known_usd=int(pico) / 1e12,
        known_pico_usd=pico,
        n=4,
        planned_n=4,
        complete=True,
        reason=None,
    )


def incomplete_cost(ledger: str, known: str | None = None, reason: Reason = Reason.UNPRICED) -> LedgerCost:
    return LedgerCost(
        ledger=ledger,
        amount_usd=None,
        amount_pico_usd=None,
        known_usd=None if known is None else int(known) / 1e12,
        known_pico_usd=known,
        n=0 if known is None else 3,
        planned_n=4,
        complete=False,
        reason=reason,
    )


def report_run(**changes: Any) -> ReportRun:
    values: dict[str, Any] = {
        "run_id": RUN_ID,
        "name": "smoke",
        "created_at": datetime(2026, 12, 2, 9, 40, tzinfo=UTC),
        "mode": Mode.REPLAY,
        "target_id": "fixture",
        "executor_id": "fixture-replay.v1",
        "change_profile": "schema_adapter",
        "suite_ids": ("evaluation-smoke",),
        "tracks": (Track.ROUTING, Track.MODEL_POOL, Track.JOINT),
        "sample_limit": None,
        "seed": 0,
        "manifest_digest": digest("a"),
    }
    return ReportRun(**(values | changes))


def report_suite(**changes: Any) -> ReportSuite:
    values: dict[str, Any] = {
        "suite_id": "evaluation-smoke",
        "name": "Evaluation smoke",
        "revision": digest("b"),
        "source_status": SourceStatus.BUILTIN,
        "case_count": 4,
        "selected_cases": 4,
        "arm_ids": ("arm-a", "arm-b.v1"),
        "limitations": ("Four cases show that the pipeline works, and nothing about a router.",),
        "quality_issues": (QualityIssue(kind="duplicate_prompt", count=1, detail="Two cases ask the same."),),
    }
    return ReportSuite(**(values | changes))


def metrics() -> tuple[MetricValue, ...]:
    """A few of three tracks: with interval, without, null, of one slice, of two arms."""
    return (
        metric("routing.coverage", 0.75, interval=interval(0.301, 0.954)),
        metric("routing.accuracy", None, reason=Reason.NO_DENSE_MATRIX),
        metric("routing.coverage", 0.5, slice="language=en", n=2, planned_n=2),
        metric("routing.latency_p95_ms", 41.84, unit="ms", direction=Direction.LOWER),
        metric("model_pool.best_single_quality", 0.75, unit="score"),
        metric("model_pool.oracle_quality", 1.0, unit="score"),
        metric("model_pool.oracle_gain", 0.25, unit="score"),
        metric("model_pool.arm.arm-a.quality", 0.75, unit="score"),
        metric("model_pool.arm.arm-a.success_rate", 1.0),
        metric("model_pool.arm.arm-a.runtime_cost_usd", 0.0021, unit="USD"),
        metric("model_pool.arm.arm-b.v1.quality", 0.5, unit="score"),
        metric("model_pool.arm.arm-b.v1.success_rate", 0.75),
        metric("model_pool.arm.arm-b.v1.runtime_cost_usd", None, unit="USD", reason=Reason.UNPRICED),
        metric("joint.realized_quality", 0.75, unit="score"),
        metric("joint.normalized_regret", 0.25, direction=Direction.LOWER),
    )


def pool_picture(rows: Sequence[str], *, selected: Sequence[int] = (), arm_ids: Sequence[str] = (), **changes: Any) -> PoolPicture:
    """One text per arm over the same cases, in any order; who is best is read off the tenths. Nothing was chosen unless said."""
    cases = [*zip(*rows, strict=True)]
    complete = [case for case in cases if not set(case) & {"?", "-"}]
    best = [max(int(state) if state.isdigit() else 0 for state in case) for case in complete]
    winners = [[state == str(top) for state in case] if top else [] for case, top in zip(complete, best, strict=True)]
    names, chosen = arm_ids or ("arm-a", "arm-b.v1", *(f"arm-c{n:02d}" for n in range(len(rows)))), selected or [0] * len(rows)
    shown = in_column_order(rows) if len(cases) <= MAX_COLUMNS else [None] * len(rows)
    values: dict[str, Any] = {
        "cases": len(cases),
        "complete_cases": len(complete),
        "unsolved_cases": best.count(0),
        "selections": sum(chosen),
        "selected_elsewhere": 0,
        "selected_none": 0,
        "arms": tuple(
            ArmPicture(
                arm_id=names[arm],
                cells=shown[arm],
                histogram=tuple(map(row.count, STATES)),
                selected=chosen[arm],
                best_alone=sum(won[arm] and sum(won) == 1 for won in winners if won),
                best_shared=sum(won[arm] and sum(won) > 1 for won in winners if won),
            )
            for arm, row in enumerate(rows)
        ),
    }
    return PoolPicture(**(values | changes))


def model_arm(arm_id: str, provider: str = "", **changes: Any) -> ModelArm:
    """A priced text arm; `provider` is the one character that its provider digest repeats."""
    values: dict[str, Any] = {
        "arm_id": arm_id,
        "provider_model_id_digest": digest(provider or arm_id[-1]),
        "prices": TokenPrices(input=50_000, output=200_000, cached_input=None, cache_write=0),
        "capabilities": ("chat",),
        "modalities": ("text",),
        "context_window": 32_768,
        "parameter_size": "4b",
        "loras": (),
        "revision": None,
        "config_digest": digest("8"),
    }
    return ModelArm(**(values | changes))


def mixture(**changes: Any) -> Mixture:
    """Two arms, two decisions, a fallback arm; nothing shared, everything priced."""
    arms = changes.pop("arms", (model_arm("arm-a"), model_arm("arm-b")))
    names = tuple(arm.arm_id for arm in arms)
    values: dict[str, Any] = {
        "mixture_id": mixture_id("house"),
        "recipe_name": "house",
        "description": "Cheap first.",
        "aliases": ("house/auto", "auto"),
        "entrypoint_model": "house/auto",
        "decisions": (
            DecisionSummary(name="hard", algorithm="static", arm_ids=names, priority=10, tier=None),
            DecisionSummary(name="rest", algorithm=None, arm_ids=names[:1], priority=None, tier=None),
        ),
        "arms": arms,
        "support_models": (),
        "fallback_arm_id": names[0],
        "outside_fallback": None,
        "factors": FactorDigests(
            recipe=digest("1"),
            selector_policy=digest("2"),
            selector=digest("3"),
            adaptation=digest("4"),
            binding=digest("5"),
            pool=digest("6"),
            environment=EnvironmentDigests(endpoints=None, services=None, serving=digest("7")),
        ),
        "config_digest": digest("0"),
        "served": True,
        "replica_groups": replica_groups(arms),
    }
    return Mixture(**(values | changes))


def report(**changes: Any) -> Report:
    """A replay of four cases at E0: two gates pass, the others lack evidence, one ledger is incomplete, one finding."""
    suites = changes.get("suites", (report_suite(),))
    values: dict[str, Any] = {
        "schema_version": "evaluation-report.v1",
        "run": report_run(),
        "subject": None,
        "evidence_level": "E0",
        "environment_kind": "recorded",
        "gates": (*gates(Verdict.PASS, Verdict.PASS)[:8], gate(8, Verdict.NOT_APPLICABLE), gate(9, Verdict.NOT_APPLICABLE)),
        "coverage": (coverage(), coverage(Track.MODEL_POOL, 6, 1, 1), coverage(Track.JOINT, 4, 0)),
        "metrics": metrics(),
        "pool": pool_picture(("9990", "90x-"), selected=(3, 1)),
        "costs": (complete_cost("runtime"), incomplete_cost("evaluation_overhead", "1500000000"), incomplete_cost("capacity_tco")),
        "suites": suites,
        "provenance": Provenance(
            schema_version="evaluation-provenance.v1",
            code_revision=digest("c"),
            gate_policy_digest=digest("d"),
            metric_catalog_digest=digest("e"),
            grader_id="hidden-answer-exact.v1",
            grader_revision=digest("f"),
            target_id="fixture",
            seed=0,
            redaction_policy="labels-and-prompts-private.v1",
            environment_kind=changes.get("environment_kind", "recorded"),
            suites=tuple(
                SuiteProvenance(
                    suite_id=s.suite_id,
                    revision=s.revision,
                    source_status=s.source_status,
                    adapter_id="builtin",
                    normalizer_id="builtin.v1",
                )
                for s in suites
            ),
        ),
        "failures": FailureSummary(
            schema_version="evaluation-failure-summary.v1",
            total_cells=16,
            tracks=(
                TrackFailures(
                    track=Track.ROUTING, succeeded=3, failed=1, unavailable=0, reasons=(ReasonCount(reason=Reason.FAILED_CALL, count=1),)
                ),
                TrackFailures(
                    track=Track.MODEL_POOL,
                    succeeded=6,
                    failed=1,
                    unavailable=1,
                    reasons=(ReasonCount(reason=Reason.TIMED_OUT, count=1), ReasonCount(reason=Reason.ABSENT_CELL, count=1)),
                ),
                TrackFailures(track=Track.JOINT, succeeded=4, failed=0, unavailable=0, reasons=()),
            ),
        ),
        "findings": (
            Finding(
                finding_id="AF-ROUTING-COVERAGE",
                metric_ids=("routing.coverage",),
                observation="Few cases are routed.",
                cause="A gap in the signals.",
                next_treatment="Close the gap.",
            ),
        ),
        "result_digest": digest("9"),
    }
    return Report(**(values | changes))
