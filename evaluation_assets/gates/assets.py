"""Declares `gates`: the reduced evidence of one run in, ten verdicts out. Each gate decides in a module of its own."""

import dagster as dg

from contracts.catalogs import gate_policy
from contracts.gates import GateResult, Verdict
from evaluation_assets.gates.publish import publish_gates
from evaluation_assets.partitions import BY_RUN, RUNS
from evaluation_assets.resources import private_failures, reference, table
from ledgers.store.store import Store

REDUCTIONS = ("routing", "model_pool", "joint", "agentic", "multimodal", "preference", "safety", "capacity", "costs")


@dg.asset(
    group_name="gates",
    partitions_def=RUNS,
    deps=[*REDUCTIONS, dg.AssetDep("records", partition_mapping=BY_RUN)],
    # Without a partitions definition the verdicts of all runs would share one history.
    check_specs=[
        dg.AssetCheckSpec(row.gate, asset="gates", partitions_def=RUNS, description=f"{row.name}. {row.question}")
        for row in gate_policy().gates
    ],
)
@private_failures
def gates(context: dg.AssetExecutionContext, store: dg.ResourceParam[Store]) -> dg.MaterializeResult:
    """Sealed as gates.json. A verdict is data: it never fails the step that computed it."""
    sealed = publish_gates(store, store.run(context.partition_key))
    rows = [[gate.gate, gate.name, gate.disposition, gate.verdict, ", ".join(gate.missing)] for gate in sealed.gates]
    return dg.MaterializeResult(
        metadata={
            **reference("gates", sealed.identity(), len(sealed.canonical())),
            "verdicts": table(["gate", "name", "disposition", "verdict", "missing"], rows),
        },
        check_results=[check_result(gate) for gate in sealed.gates],
    )


def check_result(gate: GateResult) -> dg.AssetCheckResult:
    """Only `pass` is green; `unavailable` and `not_applicable` warn, so that nobody reads them as success."""
    return dg.AssetCheckResult(
        check_name=gate.gate,
        passed=gate.verdict is Verdict.PASS,
        severity=dg.AssetCheckSeverity.ERROR if gate.verdict is Verdict.FAIL else dg.AssetCheckSeverity.WARN,
        metadata={
            "verdict": gate.verdict.value,
            "disposition": gate.disposition.value,
            "rationale": gate.rationale,
            "missing": ", ".join(gate.missing) or "nothing",
        },
    )
