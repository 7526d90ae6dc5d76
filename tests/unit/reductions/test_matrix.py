"""The dense matrix is a reshape of exactly the planned cells, or it is refused."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from contracts.errors import IntegrityError
from contracts.measured import Reason
from contracts.tables import OUTCOMES
from evaluation_assets.reductions.cells import MISSING
from evaluation_assets.reductions.matrix import DenseMatrix, SuiteOutcomes, dense_matrix
from evaluation_assets.reductions.sources import ParquetParts, Records
from tests.unit.reductions.runs import golden_rows, table

ARMS = tuple(golden_rows()["arm_ids"])
ROWS = golden_rows()["tables"]["outcomes"]["alpha"]


def build(records: Records, arms: tuple[str, ...] = ARMS) -> DenseMatrix:
    return dense_matrix([SuiteOutcomes("alpha", records, arms)], arms)


def same(one: DenseMatrix, other: DenseMatrix) -> bool:
    return (
        one.case_ids.equals(other.case_ids)
        and np.array_equal(one.quality, other.quality, equal_nan=True)
        and np.array_equal(one.success, other.success)
        and np.array_equal(one.cost_known, other.cost_known)
        and one.arm_costs == other.arm_costs
    )


@pytest.mark.parametrize(
    ("row", "success", "quality"),
    [
        pytest.param({"status": "succeeded", "success": True, "quality": 0.25}, 1, 0.25, id="an answer with its grade"),
        pytest.param({"status": "succeeded", "success": False, "quality": 0.25}, 0, 0.0, id="no gradable answer, whatever the grade says"),
        pytest.param({"status": "succeeded", "success": True}, 1, None, id="an answer nobody graded"),
        pytest.param({"status": "succeeded", "quality": 0.25}, MISSING, 0.25, id="a grade without a word on success"),
        pytest.param({"status": "failed"}, 0, 0.0, id="a failed call is known"),
        pytest.param({"status": "timed_out", "success": True, "quality": 1.0}, 0, 0.0, id="too late is failed"),
        pytest.param({"status": "unavailable", "success": True, "quality": 1.0}, MISSING, None, id="nobody looked"),
    ],
)
def test_what_a_cell_says(row: dict[str, object], success: int, quality: float | None) -> None:
    matrix = build(table("outcomes", [{"case_id": "c", "arm_id": "a", "attempt": 1, **row}]), ("a",))
    assert matrix.success[0, 0] == success
    assert np.isnan(matrix.quality[0, 0]) if quality is None else matrix.quality[0, 0] == quality


def test_places_of_the_golden_rows() -> None:
    matrix = build(table("outcomes", ROWS))
    assert matrix.case_ids.to_pylist() == sorted({row["case_id"] for row in ROWS})
    assert matrix.quality.tolist() == [[row["quality"] or 0.0 for row in ROWS[start : start + 5]] for start in range(0, len(ROWS), 5)]
    assert [tally.amount for tally in matrix.arm_costs] == [
        sum(row["runtime_cost_pico_usd"] for row in ROWS if row["arm_id"] == arm) for arm in ARMS
    ]


@pytest.mark.parametrize("size", [1, 2, 4, 5, 7, 12, 114, 1000])
def test_chunks_cannot_show(size: int) -> None:
    whole = table("outcomes", ROWS)
    chunked = pa.Table.from_batches(whole.to_batches(max_chunksize=size))
    assert same(build(chunked), build(whole))


@pytest.mark.parametrize("group", [1, 3, 8, 115])
def test_parquet_is_read_as_the_table(tmp_path: Path, group: int) -> None:
    whole, paths = table("outcomes", ROWS), (tmp_path / "one.parquet", tmp_path / "two.parquet")
    for path, part in zip(paths, (whole.slice(0, 42), whole.slice(42)), strict=True):
        pq.write_table(part, path, row_group_size=group)
        path.chmod(0o600)
    parts = ParquetParts(paths)
    assert parts.num_rows == len(ROWS)
    assert same(build(parts), build(whole))


def test_an_arm_that_a_suite_lacks_is_missing_on_its_cases() -> None:
    def row(case: str, arm: str) -> dict[str, object]:
        return {
            "case_id": case,
            "arm_id": arm,
            "attempt": 1,
            "status": "succeeded",
            "success": True,
            "quality": 0.5,
            "runtime_cost_pico_usd": 7,
            "cost_scope": "call",
        }

    suites = [
        SuiteOutcomes("one", table("outcomes", [row("c", "a"), row("c", "b"), row("d", "a"), row("d", "b")]), ("a", "b")),
        SuiteOutcomes("two", table("outcomes", [row("c", "b")]), ("b",)),
    ]
    matrix = dense_matrix(suites, ("a", "b"))
    assert matrix.suite_cases == (2, 1)
    assert np.isnan(matrix.quality).tolist() == [[False, False], [False, False], [True, False]]
    assert [tally.reason for tally in matrix.arm_costs] == [Reason.ABSENT_CELL, None]
    assert [tally.pico for tally in matrix.arm_costs] == [14, 21]


def swapped(rows: list[dict[str, object]], a: int, b: int) -> list[dict[str, object]]:
    rows = list(rows)
    rows[a], rows[b] = rows[b], rows[a]
    return rows


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(ROWS[:-1], id="one row is missing"),
        pytest.param(ROWS[:4] + ROWS[5:], id="one cell is missing inside"),
        pytest.param(ROWS[:4] + ROWS[5:] + ROWS[-1:], id="one cell is missing, another twice"),
        pytest.param(swapped(ROWS, 0, 1), id="two arms change places"),
        pytest.param(ROWS[5:10] + ROWS[:5] + ROWS[10:], id="two cases change places"),
        pytest.param(ROWS[:5] + ROWS, id="one case twice"),
        pytest.param([{**ROWS[0], "arm_id": "foreign"}, *ROWS[1:]], id="a foreign arm"),
        pytest.param([{**ROWS[0], "case_id": "alpha-99"}, *ROWS[1:]], id="one cell under another case"),
        pytest.param([*ROWS[:3], *({**row, "case_id": "alpha-00b"} for row in ROWS[3:5]), *ROWS[5:]], id="the end of a case under another"),
        pytest.param([{**ROWS[0], "status": "maybe"}, *ROWS[1:]], id="an unknown status"),
        pytest.param([{**ROWS[0], "status": "succeeded", "quality": 1.01}, *ROWS[1:]], id="a quality above 1"),
        pytest.param([{**ROWS[0], "status": "succeeded", "quality": -0.01}, *ROWS[1:]], id="a quality below 0"),
        pytest.param([{**ROWS[0], "runtime_cost_pico_usd": None, "cost_reason": "lost"}, *ROWS[1:]], id="an unknown cost reason"),
    ],
)
@pytest.mark.parametrize("size", [3, 1000])
def test_refuses_what_is_not_the_plan(rows: list[dict[str, object]], size: int) -> None:
    with pytest.raises(IntegrityError):
        build(pa.Table.from_batches(table("outcomes", rows).to_batches(max_chunksize=size), OUTCOMES))


def test_a_broken_part_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "part.parquet"
    path.write_bytes(b"PAR1 and then nothing")
    path.chmod(0o600)
    with pytest.raises(IntegrityError, match=r"part\.parquet"):
        build(ParquetParts((path,)))
