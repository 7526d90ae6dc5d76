"""Three ledgers: exact integers, closed by one unknown cell, never of mixed scopes."""

import pytest

from contracts.measured import Reason
from contracts.reports import LedgerCost
from contracts.tracks import Track
from evaluation_assets.reductions.costs import run_costs
from tests.unit.reductions.runs import THREE, Row, golden_rows, golden_run, run


def ledgers(inputs: object) -> dict[str, LedgerCost]:
    return {cost.ledger: cost for cost in run_costs(inputs).ledgers}  # type: ignore[arg-type]


def of_calls(*calls: tuple[int | None, str | None, str | None]) -> LedgerCost:
    rows: list[Row] = [
        {
            "case_id": f"c{number}",
            "attempt": 1,
            "status": "succeeded",
            "runtime_cost_pico_usd": pico,
            "cost_scope": scope,
            "cost_reason": reason,
        }
        for number, (pico, scope, reason) in enumerate(calls)
    ]
    cases = [{"case_id": f"c{number}"} for number in range(len(calls))]
    return ledgers(run("a", (Track.JOINT,), cases={"s": cases}, routed_outcomes={"s": rows}))["runtime"]


def test_golden_run_adds_up() -> None:
    tables, got = golden_rows()["tables"], ledgers(golden_run())
    for ledger, name in (("runtime", "routed_outcomes"), ("evaluation_overhead", "outcomes")):
        pico = sum(row["runtime_cost_pico_usd"] for rows in tables[name].values() for row in rows)
        assert (got[ledger].amount_pico_usd, got[ledger].amount_usd, got[ledger].complete) == (str(pico), pico / 10**12, True)
    assert (got["capacity_tco"].reason, got["capacity_tco"].n, got["capacity_tco"].planned_n) == (Reason.UNMEASURED, 0, 0)


def test_sums_are_exact_beyond_double_and_int64() -> None:
    big = of_calls((2**63 - 1, "call", None), (2**63 - 1, "call", None), (1, "call", None))
    assert big.amount_pico_usd == str(2**64 - 1)


@pytest.mark.parametrize(
    ("calls", "reason", "known"),
    [
        pytest.param([(5, "call", None), (None, "call", "failed_call")], Reason.FAILED_CALL, "5", id="one unknown"),
        pytest.param([(5, "call", None), (None, None, None)], Reason.UNMEASURED, "5", id="unknown without a word why"),
        pytest.param(
            [(5, "call", None), (None, None, "unpriced"), (None, None, "timed_out")], Reason.INCOMPLETE_LEDGER, "5", id="two reasons"
        ),
        pytest.param([(5, "call", None), (5, "case", None)], Reason.MIXED_COST_SCOPES, None, id="two scopes"),
        pytest.param([(5, "call", None), (5, None, None)], Reason.MIXED_COST_SCOPES, None, id="a scope and none"),
        pytest.param([(None, None, "unpriced")], Reason.UNPRICED, None, id="nothing known"),
    ],
)
def test_fails_closed(calls: list[tuple[int | None, str | None, str | None]], reason: Reason, known: str | None) -> None:
    got = of_calls(*calls)
    assert (got.amount_pico_usd, got.complete, got.reason, got.known_pico_usd) == (None, False, reason, known)
    assert got.planned_n == len(calls)


def test_a_known_zero_is_an_amount() -> None:
    assert of_calls((0, "call", None)).amount_usd == 0.0


def test_tracks_that_did_not_run_cost_nothing_that_we_know_of() -> None:
    got = ledgers(golden_run((Track.ROUTING,)))
    assert {ledger: (cost.reason, cost.planned_n) for ledger, cost in got.items()} == dict.fromkeys(got, (Reason.UNMEASURED, 0))


def test_order_of_ledgers() -> None:
    assert [cost.ledger for cost in run_costs(golden_run(THREE)).ledgers] == ["runtime", "evaluation_overhead", "capacity_tco"]
