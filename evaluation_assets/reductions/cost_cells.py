"""Costs by the cell: exact pico-USD where known, a reason where not, and the scope that says what the amount covers.

Two scopes (one call, all calls of a case, ...) are two different things: an amount that mixes them is no amount.
"""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from contracts.errors import IntegrityError
from contracts.measured import Measured, Reason, absent
from evaluation_assets.reductions.cells import ABSENT, codes, encode, flags, indices, numbers

PICO = 10**12
COST_COLUMNS = ("runtime_cost_pico_usd", "cost_scope", "cost_reason")

_REASONS = tuple(Reason)
_REASON_CODES = {reason.value: code for code, reason in enumerate(_REASONS)}
_UNMEASURED = _REASON_CODES[Reason.UNMEASURED]
_MAX_SCOPES = 100  # a state is an int8


@dataclass
class Scopes:
    """Numbers for the scopes seen so far; the absence of a scope is one too."""

    numbers: dict[str | None, int] = field(default_factory=dict)

    def number(self, scope: str | None) -> int:
        if scope not in self.numbers and len(self.numbers) == _MAX_SCOPES:
            raise IntegrityError(f"More than {_MAX_SCOPES} cost scopes in one table.", at="cost_scope")
        return self.numbers.setdefault(scope, len(self.numbers))


def missing_state(reason: Reason) -> int:
    """State of a cell whose cost is not known."""
    return -1 - _REASON_CODES[reason]


def cost_cells(batch: pa.RecordBatch, scopes: Scopes) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """(pico, state) of a batch with COST_COLUMNS, shape (rows,). state >= 0: known, number of its scope; below 0: the reason.

    pico is 0 where not known, so that a sum over the column is the sum of what is known.
    """
    amounts = batch.column("runtime_cost_pico_usd")
    texts = encode(batch.column("cost_scope"))
    names: list[str | None] = [*texts.dictionary.to_pylist(), None]
    places = indices(texts, null=len(names) - 1)
    table = np.zeros(len(names), dtype=np.int8)
    for place in np.flatnonzero(np.bincount(places, minlength=len(names))).tolist():
        table[place] = scopes.number(names[place])
    state = table[places]
    if amounts.null_count:
        unknown = amounts.is_null()
        reasons = codes(batch.column("cost_reason").filter(unknown), _REASON_CODES)
        reasons[reasons == ABSENT] = _UNMEASURED
        if (reasons < 0).any():
            raise IntegrityError("A cost is missing for a reason that is not in the list.", at="cost_reason")
        state[flags(unknown) == 1] = -1 - reasons
    return numbers(amounts.fill_null(0)), state


@dataclass(frozen=True)
class CostTally:
    """What is known of a sum of cells. Fail closed: `amount` is None unless every cell is known and all have one scope."""

    pico: int
    known: int
    planned: int
    gaps: tuple[int, ...]
    scopes: frozenset[str | None]

    @classmethod
    def of(cls, pico: int, state: NDArray[np.int8], scopes: Scopes) -> "CostTally":
        """pico: exact sum of the known cells; state: shape (cells,), as from `cost_cells`."""
        counts = np.bincount(state.astype(np.int64) + len(_REASONS), minlength=len(_REASONS) + len(scopes.numbers))
        gaps = tuple(int(count) for count in counts[: len(_REASONS)][::-1])
        used = counts[len(_REASONS) :]
        return cls(
            pico=pico,
            known=int(used.sum()),
            planned=len(state),
            gaps=gaps,
            scopes=frozenset(scope for scope, number in scopes.numbers.items() if used[number]),
        )

    def __add__(self, other: "CostTally") -> "CostTally":
        return CostTally(
            self.pico + other.pico,
            self.known + other.known,
            self.planned + other.planned,
            tuple(a + b for a, b in zip(self.gaps, other.gaps, strict=True)),
            self.scopes | other.scopes,
        )

    @property
    def reason(self) -> Reason | None:
        """Why there is no amount; the one reason of the missing cells where they agree. None for a complete sum."""
        if len(self.scopes) > 1:
            return Reason.MIXED_COST_SCOPES
        if self.planned == 0:
            return Reason.UNMEASURED
        missing = [reason for reason, count in zip(_REASONS, self.gaps, strict=True) if count]
        return None if not missing else missing[0] if len(missing) == 1 else Reason.INCOMPLETE_LEDGER

    @property
    def amount(self) -> int | None:
        """Complete sum in pico-USD."""
        return self.pico if self.reason is None else None

    @property
    def known_amount(self) -> int | None:
        """Sum of the known cells in pico-USD; None where none is known (no cell has a scope then) or scopes are mixed."""
        return self.pico if len(self.scopes) == 1 else None

    def complete_usd(self) -> Measured:
        return self._measured(self.amount)

    def known_usd(self) -> Measured:
        return self._measured(self.known_amount)

    def _measured(self, pico: int | None) -> Measured:
        if pico is None:
            return absent(self.reason or Reason.UNMEASURED, n=self.known, planned_n=self.planned)
        return Measured(value=usd(pico), n=self.known, planned_n=self.planned)


NOTHING = CostTally(pico=0, known=0, planned=0, gaps=(0,) * len(_REASONS), scopes=frozenset())


def usd(pico: int, over: int = 1) -> float:
    """pico-USD, shared by `over` units, in USD: one correctly rounded division of integers."""
    return pico / (PICO * over)
