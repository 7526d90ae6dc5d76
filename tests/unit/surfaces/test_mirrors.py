"""Mirrors: the checkout equals what it is generated from, and a difference is named."""

import json
import re
import shutil
from pathlib import Path

import pytest

from contracts.catalogs import gate_policy
from contracts.schemas import DIALECT, DOCUMENTS, schema_files, schema_version
from evaluation_assets.surfaces import gate_tables, mirrors

CHECKOUT = mirrors.CHECKOUT
GATES = (CHECKOUT / "docs" / "gates.md").read_text(encoding="utf-8")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the files that are mirrors or hold one."""
    for folder in ("docs", "golden/schemas"):
        shutil.copytree(CHECKOUT / folder, tmp_path / folder)
    return tmp_path


def test_this_checkout_is_up_to_date() -> None:
    assert mirrors.stale(CHECKOUT, mirrors.mirrors(CHECKOUT)) == []


def test_check_names_what_is_stale_and_writes_nothing(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = checkout / "docs" / "gates.md"
    page.write_text(GATES.replace("| G5 | matching cases | >= 0.95", "| G5 | matching cases | >= 0.90"))
    (checkout / "golden/schemas/evaluation-report.v1.json").unlink()
    (checkout / "golden/schemas/evaluation-gone.v1.json").write_text("{}")
    before = page.read_bytes()
    assert mirrors.main(["--check"], checkout) == 1
    assert [line for line in capsys.readouterr().err.splitlines() if line.startswith("stale: ")] == [
        "stale: docs/gates.md",
        "stale: golden/schemas/evaluation-gone.v1.json",
        "stale: golden/schemas/evaluation-report.v1.json",
    ]
    assert page.read_bytes() == before


def test_sync_makes_it_right_and_then_has_nothing_to_do(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / "docs" / "cli.md").write_text("old")
    (checkout / "golden/schemas/evaluation-gone.v1.json").write_text("{}")
    assert mirrors.main([], checkout) == 0
    assert capsys.readouterr().err.splitlines() == ["wrote docs/cli.md", "wrote golden/schemas/evaluation-gone.v1.json"]
    assert mirrors.main(["--check"], checkout) == 0
    assert mirrors.main([], checkout) == 0
    assert capsys.readouterr().err == ""


def test_the_hand_written_part_of_a_page_stays(checkout: Path) -> None:
    page = checkout / "docs" / "gates.md"
    page.write_text("# Mine\n<!-- generated: gates -->\nold\n<!-- end generated -->\nand mine\n")
    mirrors.main([], checkout)
    text = page.read_text()
    assert text.startswith("# Mine\n<!-- generated: gates -->\n### Questions")
    assert text.endswith("<!-- end generated -->\nand mine\n")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("# Gates\n", id="no marks"),
        pytest.param("<!-- generated: gates -->\n", id="no end"),
        pytest.param("<!-- end generated -->\n<!-- generated: gates -->\n", id="the end comes first"),
    ],
)
def test_a_page_without_its_place_is_refused(text: str, checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout / "docs" / "gates.md").write_text(text)
    assert mirrors.main(["--check"], checkout) == 2
    assert "  at   gates.md" in capsys.readouterr().err


def test_wrong_arguments_and_wrong_places_are_refused(tmp_path: Path) -> None:
    assert mirrors.main(["--chekc"]) == 2
    assert mirrors.main([], tmp_path) == 2


def test_schemas_are_of_every_document_with_a_schema_version() -> None:
    """Found in the sources, so that a new document can't be forgotten."""
    sources = [path for folder in ("contracts", "ledgers", "evaluation_assets") for path in (CHECKOUT / folder).rglob("*.py")]
    field = re.compile(r'^    schema_version: Literal\["([^"]+)"\]', re.MULTILINE)
    declared = {name for path in sources for name in field.findall(path.read_text())}
    listed = [schema_version(document) for document in (*DOCUMENTS, *mirrors.LEDGER_DOCUMENTS)]
    assert len(set(listed)) == len(listed)
    assert set(listed) == declared


def test_a_schema_is_closed_and_names_its_version() -> None:
    for name, data in schema_files(DOCUMENTS).items():
        schema = json.loads(data)
        assert schema["$schema"] == DIALECT
        assert f"{schema['$id']}.json" == name
        assert schema["properties"]["schema_version"]["const"] == schema["$id"]
        assert schema["additionalProperties"] is False
    with pytest.raises(ValueError, match="two documents"):
        schema_files((DOCUMENTS[0], DOCUMENTS[0]))


def test_the_page_on_gates_explains_each_one_under_its_name() -> None:
    headings = re.findall(r"^## (G[0-9] .+)$", GATES, re.MULTILINE)
    assert headings == [f"{row.gate} {row.name}" for row in gate_policy().gates]
    for verdict in ("pass", "fail", "unavailable", "not_applicable"):
        assert f"| `{verdict}` |" in GATES


def test_the_gate_tables_have_every_row_of_the_policy() -> None:
    tables, policy = gate_tables.markdown_tables(), gate_policy()
    rows = [line for line in tables.splitlines() if line.startswith("| ") and not line.startswith("| ---")]
    thresholds = sum(len(row.thresholds) for row in policy.gates)
    assert len(rows) == 4 + len(policy.gates) + thresholds + len(policy.profiles) + len(policy.slots)
    assert "| G5 | matching cases | >= 0.95 | fraction | Clopper-Pearson |" in tables
    assert ("| `schema_adapter` | required | required | advisory | advisory | required | advisory | - | advisory | - | - |") in tables
    assert "| G4 | run | routing | E4 | `normalized-suite-live.v1` |" in tables
