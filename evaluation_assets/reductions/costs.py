"""The three cost ledgers of a run: what serving cost, what evaluating cost, and what capacity costs to own.

    runtime               routed calls only                                      routed_outcomes
    evaluation_overhead   calls made to evaluate, not to serve: the dense matrix   outcomes
    capacity_tco          owning the capacity; nothing measures it yet           -

Sums are Python integers of pico-USD. A ledger with one unknown cell, or with two cost scopes, has no amount.
"""

from typing import get_args

from contracts.reports import Ledger, LedgerCost, RunCosts
from contracts.tables import record_table
from evaluation_assets.reductions.cost_cells import COST_COLUMNS, NOTHING, CostTally, Scopes, cost_cells, usd
from evaluation_assets.reductions.inputs import ReductionInputs
from evaluation_assets.reductions.sources import batches
from evaluation_assets.statistics.exact import integer_total

_TABLE_OF_LEDGER: dict[Ledger, str | None] = {"runtime": "routed_outcomes", "evaluation_overhead": "outcomes", "capacity_tco": None}


def run_costs(inputs: ReductionInputs) -> RunCosts:
    """Three ledgers, in the order of the contract. One without a selected track is `unmeasured`, 0 of 0: nothing was bought."""
    ledgers: tuple[Ledger, ...] = get_args(Ledger)
    return RunCosts(schema_version="evaluation-costs.v1", ledgers=tuple(ledger_cost(name, _tally(name, inputs)) for name in ledgers))


def ledger_cost(ledger: Ledger, tally: CostTally) -> LedgerCost:
    amount, known = tally.amount, tally.known_amount
    return LedgerCost(
        ledger=ledger,
        amount_usd=_usd(amount),
        amount_pico_usd=_text(amount),
        known_usd=_usd(known),
        known_pico_usd=_text(known),
        n=tally.known,
        planned_n=tally.planned,
        complete=amount is not None,
        reason=tally.reason,
    )


def _tally(ledger: Ledger, inputs: ReductionInputs) -> CostTally:
    name = _TABLE_OF_LEDGER[ledger]
    tally = NOTHING
    if name is None or record_table(name).track not in inputs.tracks:
        return tally
    scopes = Scopes()
    for _, records in inputs.suites_of(name):
        for batch in batches(records, COST_COLUMNS):
            pico, state = cost_cells(batch, scopes)
            tally += CostTally.of(integer_total(pico), state, scopes)
    return tally


def _usd(pico: int | None) -> float | None:
    return None if pico is None else usd(pico)


def _text(pico: int | None) -> str | None:
    return None if pico is None else str(pico)
