"""A closed CSV table, column by column: text is read once by Arrow, and everything that is refused names its line.

Rules of the files that are read here:
- the header has exactly the declared columns, each once, in any order;
- every line has as many cells as the header, and the last one has its end: a file cut off anywhere is refused;
- quotes mean nothing, so that a line is a line (LF, CRLF or CR) and row i stands on line i + 2;
- numbers are decimal: no NaN, no infinity, no hexadecimal, no blanks around them.

Good files never pay for the line numbers: a column is converted as a whole, and only a refused one is searched, by halves.
Columns may be converted by several threads at once; Arrow and numpy work outside the interpreter's lock.
"""

from collections.abc import Callable
from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray

from contracts.errors import ExportError
from evaluation_assets.benchmarks.normalizers.interface import refusal

HEADER_LINE, FIRST_ROW = 1, 2
_BLOCK = 1 << 22
_PICO_PLACES = 12
_MAX_WHOLE = 2**31 - 1
_PICO = pa.decimal128(38, _PICO_PLACES)
_MONEY = (_PICO, pa.decimal128(38, 30), pa.decimal256(76, 68))
"""Tried in turn: plain amounts, printed doubles, and doubles below 1e-13. All have room for eight digits before the point."""

Whole = NDArray[np.int64]
Real = NDArray[np.float64]


class CsvColumns:
    """One CSV file in memory. `labels` are columns with few distinct values, `numbers` the others; together they are the header."""

    def __init__(self, data: bytes, file: str, *, labels: tuple[str, ...], numbers: tuple[str, ...]) -> None:
        self._file = file
        names = _header(data, file, frozenset(labels + numbers))
        if not data.endswith((b"\n", b"\r")):
            raise refusal("The last line has no end: the file is cut off.", file, len(data.splitlines()))
        types = dict.fromkeys(labels, pa.dictionary(pa.int32(), pa.string())) | dict.fromkeys(numbers, pa.string())
        try:
            table = pyarrow.csv.read_csv(
                pa.BufferReader(data),
                read_options=pyarrow.csv.ReadOptions(column_names=names, skip_rows=1, block_size=_BLOCK),
                parse_options=pyarrow.csv.ParseOptions(quote_char=False, ignore_empty_lines=False),
                convert_options=pyarrow.csv.ConvertOptions(column_types=types, strings_can_be_null=False),
            )
        except pa.ArrowInvalid:
            _refuse_line(data, file, len(names))
        self.rows: int = table.num_rows
        if self.rows == 0:
            raise refusal("The table has no rows.", file, HEADER_LINE)
        merged = table.unify_dictionaries().combine_chunks()
        self._columns: dict[str, pa.Array] = {name: merged.column(name).chunk(0) for name in names}

    def refuse(self, row: int, field: str, message: str) -> NoReturn:
        raise refusal(message, self._file, row + FIRST_ROW, field)

    def refuse_where(self, wrong: NDArray[np.bool_], field: str, message: str) -> None:
        """Refuses the first row that is marked; shape (rows,)."""
        if wrong.any():
            self.refuse(int(wrong.argmax()), field, message)

    def positions(self, field: str, known: pa.Array, message: str) -> Whole:
        """For each row the place of its label among `known`, shape (rows,). A label that is not known is refused."""
        column = self._columns[field]
        found = pc.fill_null(pc.index_in(column.dictionary, value_set=known), -1).to_numpy(zero_copy_only=False).astype(np.int64)
        places: Whole = found[column.indices.to_numpy()]
        self.refuse_where(places < 0, field, message)
        return places

    def whole(self, field: str) -> Whole:
        """Whole numbers from 0 to 2^31 - 1, so that a sum or a product with a price never overflows; shape (rows,)."""
        values: Whole = self._converted(field, _decimal_integers, "This is not a whole number.").to_numpy()
        self.refuse_where(values < 0, field, "A number is negative that cannot be.")
        self.refuse_where(values > _MAX_WHOLE, field, f"A number is above {_MAX_WHOLE}.")
        return values

    def real(self, field: str, highest: float) -> Real:
        """Finite numbers from 0 to `highest`; shape (rows,). Out of range is refused, never clamped."""
        values: Real = self._converted(field, lambda part: pc.cast(part, pa.float64()), "This is not a number.").to_numpy()
        self.refuse_where(~np.isfinite(values), field, "A number is not finite.")
        self.refuse_where((values < 0) | (values > highest), field, f"A number is outside [0, {highest:g}].")
        return values + 0.0  # -0.0 becomes 0.0

    def pico(self, field: str) -> Whole:
        """Amounts of money as pico units (1e-12): the decimal text, exact, rounded half to even once; shape (rows,)."""
        if (surely := _pico_by_double(self._columns[field])) is not None:
            return surely
        amounts = self._converted(field, _pico_amounts, "This is not a decimal amount below 1e8.")
        words = np.frombuffer(amounts.buffers()[1], dtype="<i8")[: 2 * self.rows].reshape(self.rows, 2)  # low, high
        self.refuse_where(words[:, 1] < 0, field, "An amount is negative.")
        self.refuse_where((words[:, 1] > 0) | (words[:, 0] < 0), field, "An amount is above 9.2 million.")
        pico: Whole = words[:, 0].copy()
        return pico

    def _converted(self, field: str, convert: Callable[[pa.Array], pa.Array], message: str) -> pa.Array:
        column = self._columns[field]
        try:
            return convert(column)
        except pa.ArrowInvalid:
            self.refuse(_first_failure(column, convert), field, message)


def _decimal_integers(text: pa.Array) -> pa.Array:
    """Arrow also reads hexadecimal, whose letters lie above the digits."""
    _, ends, characters = text.buffers()
    if characters is not None:
        offsets = np.frombuffer(ends, np.int32)
        used = np.frombuffer(characters, np.uint8)[offsets[text.offset] : offsets[text.offset + len(text)]]
        if used.max(initial=0) > ord("9"):
            raise pa.ArrowInvalid("a letter in a number")
    return pc.cast(text, pa.int64())


def _pico_by_double(text: pa.Array) -> Whole | None:
    """What `_pico_amounts` gives, in a third of the time, or None unless that is certain for every row.

    A double of the text, times 1e12, is off by at most two roundings, 2^-52 of itself: below 1e14 pico less than 0.03. Where it lies
    within 0.4 of a whole number, the exact product lies within 0.43 of it, and rounds to it.
    """
    try:
        amounts = pc.cast(text, pa.float64()).to_numpy() * 1e12
    except pa.ArrowInvalid:
        return None
    if not np.isfinite(amounts).all():
        return None
    nearest = np.rint(amounts)
    certain = (np.abs(amounts - nearest) <= 0.4) & (amounts >= 0) & (amounts < 1e14)
    return nearest.astype(np.int64) if certain.all() else None


def _pico_amounts(text: pa.Array) -> pa.Array:
    for kind in _MONEY[:-1]:
        try:
            return _rounded(pc.cast(text, kind))
        except pa.ArrowInvalid:
            continue
    return _rounded(pc.cast(text, _MONEY[-1]))


def _rounded(amounts: pa.Array) -> pa.Array:
    if amounts.type == _PICO:
        return amounts
    return pc.cast(pc.round(amounts, ndigits=_PICO_PLACES, round_mode="half_to_even"), _PICO)


def _first_failure(column: pa.Array, convert: Callable[[pa.Array], pa.Array]) -> int:
    """Index of the first value that cannot be converted: the half with it is halved again, O(rows) in all."""
    start, length = 0, len(column)
    while length > 1:
        half = length // 2
        try:
            convert(column.slice(start, half))
        except pa.ArrowInvalid:
            length = half
        else:
            start, length = start + half, length - half
    return start


def _header(data: bytes, file: str, declared: frozenset[str]) -> list[str]:
    """Names of the columns as the file orders them; exactly the declared ones."""
    lines = data[: 1 << 16].splitlines()
    names = lines[0].decode("utf-8", "replace").split(",") if lines else []
    for place, name in enumerate(names, 1):
        if name not in declared:
            raise refusal("A column is not declared for this file.", file, HEADER_LINE, f"column {place}")
        if name in names[: place - 1]:
            raise refusal("A column occurs twice.", file, HEADER_LINE, name)
    for name in sorted(declared - set(names)):
        raise refusal("A column is missing.", file, HEADER_LINE, name)
    return names


def _refuse_line(data: bytes, file: str, cells: int) -> NoReturn:
    """Arrow refused the file as a whole: find the line."""
    for number, line in enumerate(data.splitlines(), 1):
        if line.count(b",") != cells - 1:
            raise refusal(f"The line has not the {cells} cells of the header.", file, number) from None
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            raise refusal("The line is not UTF-8.", file, number) from None
    raise ExportError("The file is not a CSV table.", at=file) from None
