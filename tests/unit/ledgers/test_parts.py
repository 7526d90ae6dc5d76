"""Parquet parts: the table digest is about content and nothing but content, and a part that is not its own is not read."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import AlreadyExists, EvaluationError, IntegrityError
from ledgers.store.parts import read_parquet, read_part, table_digest, write_named_part, write_part

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("text", pa.string()),
        pa.field("flag", pa.bool_()),
        pa.field("real", pa.float64()),
        pa.field("whole", pa.int64()),
        pa.field("small", pa.int32()),
        pa.field("names", pa.list_(pa.string())),
        pa.field("grid", pa.list_(pa.float64())),
    ]
)

ROW = st.fixed_dictionaries(
    {
        "id": st.text(max_size=4),
        "text": st.none() | st.text(max_size=4),
        "flag": st.none() | st.booleans(),
        "real": st.none() | st.floats(allow_nan=False),
        "whole": st.none() | st.integers(-(2**63), 2**63 - 1),
        "small": st.none() | st.integers(-(2**31), 2**31 - 1),
        "names": st.none() | st.lists(st.none() | st.text(max_size=3), max_size=3),
        "grid": st.none() | st.lists(st.none() | st.floats(allow_nan=False), max_size=3),
    }
)
ROWS = st.lists(ROW, max_size=8)
FULL: dict[str, Any] = {"id": "a", "text": "t", "flag": True, "real": 1.5, "whole": 7, "small": 3, "names": ["x", "y"], "grid": [0.5]}


def table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def cut(whole: pa.Table, places: list[int]) -> pa.Table:
    """The same rows in other chunks, some of them empty or slices of a larger buffer."""
    edges = [0, *sorted(place % (len(whole) + 1) for place in places), len(whole)]
    return pa.concat_tables([whole.slice(start, end - start) for start, end in pairwise(edges)])


# -- what the digest does not depend on --------------------------------------------------------------------------------


@given(ROWS, st.lists(st.integers(0, 8), max_size=4))
def test_chunks_are_nothing(rows: list[dict[str, Any]], places: list[int]) -> None:
    whole = table(rows)
    assert table_digest(cut(whole, places)) == table_digest(whole)
    padded = table([FULL, *rows, FULL]).slice(1, len(rows))
    assert table_digest(padded) == table_digest(whole)


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_row_groups_and_compression_are_nothing(tmp_path: Path, size: int) -> None:
    whole = table([FULL | {"id": str(number), "names": None if number % 3 else [str(number)]} for number in range(7)])
    pq.write_table(whole, tmp_path / "x.parquet", row_group_size=size, compression="snappy", use_dictionary=size > 1)
    assert table_digest(pq.read_table(tmp_path / "x.parquet")) == table_digest(whole)


def test_garbage_under_nulls_is_nothing() -> None:
    mask = np.array([False, True, False])
    for clean, dirty in (([1, 0, 3], [1, 99, 3]), ([1.0, 0.0, 3.0], [1.0, float("nan"), 3.0]), ([True, False, True], [True, True, True])):
        digests = {table_digest(pa.table({"x": pa.array(np.array(values), mask=mask)})) for values in (clean, dirty)}
        assert len(digests) == 1
    offsets, data = pa.py_buffer(np.array([0, 1, 4, 5], np.int32)), pa.py_buffer(b"aXXXb")
    dirty_text = pa.StringArray.from_buffers(3, offsets, data, pa.py_buffer(bytes([0b101])), 1)
    assert table_digest(pa.table({"x": dirty_text})) == table_digest(pa.table({"x": pa.array(["a", None, "b"])}))


def test_minus_zero_is_zero() -> None:
    assert table_digest(pa.table({"x": [0.0, -0.0]})) == table_digest(pa.table({"x": [0.0, 0.0]}))


# -- what it depends on ------------------------------------------------------------------------------------------------


@given(ROWS, ROWS)
def test_equal_digest_means_equal_rows(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> None:
    one, other = table(first), table(second)
    assert (table_digest(one) == table_digest(other)) == (one.to_pylist() == other.to_pylist())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("id", "b"),
        ("text", "u"),
        ("text", ""),
        ("text", None),
        ("flag", False),
        ("flag", None),
        ("real", 1.5000000000000002),
        ("real", None),
        ("real", 0.0),
        ("whole", 8),
        ("whole", 0),
        ("whole", None),
        ("small", 4),
        ("small", None),
        ("names", []),
        ("names", None),
        ("names", ["y", "x"]),
        ("names", ["xy"]),
        ("names", ["", "xy"]),
        ("names", ["x", None]),
        ("grid", [0.0]),
        ("grid", [None]),
        ("grid", []),
    ],
)
def test_every_value_counts(name: str, value: object) -> None:
    assert table_digest(table([FULL, FULL | {name: value}])) != table_digest(table([FULL, FULL]))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(table([FULL]), table([FULL, FULL]), id="number of rows"),
        pytest.param(table([FULL, FULL | {"id": "b"}]), table([FULL | {"id": "b"}, FULL]), id="order of rows"),
        pytest.param(table([FULL]), table([FULL]).rename_columns(["id2", *SCHEMA.names[1:]]), id="name of a column"),
        pytest.param(table([FULL]), table([FULL]).select([*SCHEMA.names[1:], "id"]), id="order of columns"),
        pytest.param(table([FULL]), table([FULL]).drop_columns(["grid"]), id="number of columns"),
        pytest.param(pa.table({"x": pa.array([1], pa.int32())}), pa.table({"x": pa.array([1], pa.int64())}), id="width of an integer"),
        pytest.param(pa.table({"x": pa.array([0])}), pa.table({"x": pa.array([0.0])}), id="integer or real"),
        pytest.param(pa.table({"x": pa.array([0])}), pa.table({"x": pa.array([None], pa.int64())}), id="zero or null"),
        pytest.param(pa.table({"x": pa.array([""])}), pa.table({"x": pa.array([None], pa.string())}), id="empty or null"),
        pytest.param(pa.table({"x": pa.array([False])}), pa.table({"x": pa.array([None], pa.bool_())}), id="false or null"),
        pytest.param(pa.table({"x": ["ab", "c"]}), pa.table({"x": ["a", "bc"]}), id="where a text ends"),
        pytest.param(pa.table({"x": [["a"], ["b"]]}), pa.table({"x": [["a", "b"], []]}), id="where a list ends"),
        pytest.param(pa.table({"x": [[None], ["a"]]}), pa.table({"x": [["a"], [None]]}), id="where the null in a list is"),
        pytest.param(pa.table({"x": ["a"], "y": ["b"]}), pa.table({"x": ["b"], "y": ["a"]}), id="which column holds it"),
        pytest.param(pa.table({"x": pa.array([], pa.string())}), pa.table({"x": pa.array([], pa.int64())}), id="type of an empty column"),
    ],
)
def test_shape_counts(one: pa.Table, other: pa.Table) -> None:
    assert table_digest(one) != table_digest(other)


@pytest.mark.parametrize("column", [pa.array([1.0, float("nan")]), pa.array([[1.0], [float("nan")]])], ids=["a value", "an item"])
def test_nan_is_refused(column: pa.Array) -> None:
    with pytest.raises(IntegrityError, match="NaN"):
        table_digest(pa.table({"x": column}))


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return tmp_path


def test_a_part_is_named_by_its_content_and_written_once(root: Path) -> None:
    part = write_part(root / "records", table([FULL]), root=root)
    assert part.path == f"records/part-{part.table_digest[7:23]}.parquet"
    before = (root / part.path).stat()
    assert write_part(root / "records", cut(table([FULL]), [0, 1]), root=root) == part
    assert (root / part.path).stat().st_ino == before.st_ino
    assert [path.name for path in (root / "records").iterdir()] == [Path(part.path).name]
    assert read_part(root, part, SCHEMA).equals(table([FULL]))
    assert read_part(root, part, SCHEMA, columns=["flag", "id"]).column_names == ["flag", "id"]


def test_other_rows_under_the_same_name_are_refused(root: Path) -> None:
    write_named_part(root / "plan.parquet", table([FULL]), root=root)
    with pytest.raises(AlreadyExists):
        write_named_part(root / "plan.parquet", table([FULL, FULL]), root=root)
    assert sorted(path.name for path in root.iterdir()) == ["plan.parquet"]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(table([FULL, FULL]), id="another number of rows"),
        pytest.param(table([FULL]).drop_columns(["grid"]), id="a column too few"),
        pytest.param(table([FULL]).append_column("more", pa.array([1])), id="a column too many"),
        pytest.param(table([FULL]).rename_columns(["id2", *SCHEMA.names[1:]]), id="another name"),
        pytest.param(table([FULL]).select([*SCHEMA.names[1:], "id"]), id="another order"),
        pytest.param(table([FULL]).set_column(4, "whole", pa.array([7], pa.int32())), id="another type"),
    ],
)
def test_a_part_with_other_columns_or_rows_is_not_read(root: Path, other: pa.Table) -> None:
    part = write_part(root, table([FULL]), root=root)
    pq.write_table(other, root / part.path)
    with pytest.raises(IntegrityError):
        read_part(root, part, SCHEMA)


def test_damaged_parquet_is_damage_and_never_a_bug(root: Path) -> None:
    """Every byte of a small part flipped: it is refused by one of our own errors, or read as a table of the same schema."""
    part = write_part(root, table([FULL] * 3), root=root)
    path = root / part.path
    whole, refused = path.read_bytes(), 0
    for at in range(0, len(whole), 3):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x5A]) + whole[at + 1 :])
        try:
            assert read_parquet(path, SCHEMA, at=part.path, rows=3).schema.equals(SCHEMA)
        except EvaluationError:
            refused += 1
    assert refused > 100


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1PAR1", b"x" * 1000, b"PAR1" + b"\xff" * 64 + b"PAR1"], ids=repr)
def test_what_is_no_parquet_is_damage(root: Path, data: bytes) -> None:
    path = root / "x.parquet"
    path.touch(mode=0o600)
    path.write_bytes(data)
    with pytest.raises(IntegrityError):
        read_parquet(path, SCHEMA, at="x.parquet")
