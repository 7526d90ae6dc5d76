"""The inventory against pins typed by hand from the specification, against broken copies of itself, and against its page."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contracts.benchmarks import BenchmarkInventory
from contracts.catalogs import read_catalog
from contracts.errors import DocumentError, UnknownName
from contracts.tracks import Track
from evaluation_assets.benchmarks.inventory import inventory, inventory_rows, markdown_table

DOCS = Path(__file__).parents[3] / "docs" / "benchmarks.md"
BEGIN, END = "<!-- generated: benchmarks -->\n", "<!-- end generated -->\n"

PINS = {
    "routerarena": ("fda4c53bcf9a979fd9c6f6bb6b713d6ab08ff43e",),
    "routejudge-orbit": ("494810de2605f69737e72b55baf6e60c95c6dec0",),
    "coderouterbench": ("e43839edb0d5d0a9feec2f7078019406ab4d64bd", "e567d89bdd569c9c74ffc7c7118e50d15e46b886"),
    "llmrouterbench": ("c77cb0506949d8f959e97967d2fefca0e8ff1b05",),
    "routereval": ("bf94b49cc9f8b37181715a7309e1b70ff5308942",),
    "routerbench": ("cc67d1008bd8f3cf1e8040cc3ba4034d31b93c0c",),
    "xroutebench": ("da3430baaea672743c3957457b0c76faba19876e", "ea4b6e1b29d9a734f55f0a637baf326bad6aa681"),
    "twinrouterbench": ("7cbb0deac8f697b5faa8489c309560e53d2ef088",),
    "mmrbench": ("83c8308427a3597213fdba298c098da887b8b01b",),
    "acebench": ("9a17bc2c7ee3fab9ca023036b82a81898512a001",),
    "continuity-bench": ("5b7e7f82027c5b983435057ddc4d7115b7e9a97b",),
    "fusionfactory": ("ef62645a48b9e2167201047da047854415e2bc89",),
    "r2bench": ("b0b2291aeee08feb4bedbd199ab014ec60d0004f",),
}
NORMALIZERS = {
    "routerarena": ("routerarena.predictions-and-robustness.v2", "routing model_pool joint"),
    "routejudge-orbit": ("routejudge-orbit.unavailable.v1", ""),
    "coderouterbench": ("coderouterbench.id-results.v1", "routing model_pool joint"),
    "llmrouterbench": ("llmrouterbench.result-documents.v1", "model_pool"),
    "routereval": ("routereval.unavailable.v1", ""),
    "routerbench": ("routerbench.wide-csv.v1", "model_pool"),
    "xroutebench": ("xroutebench.standardized-csv.v1", "model_pool"),
    "twinrouterbench": ("twinrouterbench.static-summary.v1", "agentic"),
    "mmrbench": ("mmrbench.merged-csv.v1", "model_pool multimodal"),
    "acebench": ("acebench.run-summary.v1", "agentic"),
    "continuity-bench": ("continuitybench.labeled-failover.v3", "agentic"),
    "fusionfactory": ("fusionfactory.aligned-csv.v1", "model_pool"),
    "r2bench": ("r2bench.model-budget-csv.v1", "model_pool"),
}
DIAGNOSTIC_ONLY = {"routejudge-orbit", "routereval"}
UNVERIFIED_FORMATS = {"mmrbench", "r2bench", "fusionfactory", "acebench"}


def test_thirteen_benchmarks_fifteen_sources_thirteen_normalizers() -> None:
    known = inventory()
    assert (len(known.benchmarks), len(known.sources), len(known.normalizers)) == (13, 15, 13)
    assert [source.kind for source in known.sources].count("code") == 13


def test_pins_are_those_of_the_specification_in_its_order() -> None:
    assert [(row.adapter_id, row.revisions) for row in inventory_rows()] == list(PINS.items())


def test_normalizers_and_their_tracks_are_those_of_the_specification() -> None:
    assert {row.adapter_id: (row.normalizer_id, " ".join(row.tracks)) for row in inventory_rows()} == NORMALIZERS


def test_eleven_are_runnable_and_two_say_why_not() -> None:
    known = inventory()
    assert sum(n.runnable for n in known.normalizers) == 11
    assert {b.adapter_id for b in known.benchmarks if b.diagnostic_only} == DIAGNOSTIC_ONLY
    for adapter_id in DIAGNOSTIC_ONLY:
        assert known.benchmark(adapter_id).diagnostic_reason
        assert "pickle" in (known.normalizer_of(adapter_id).reason or "") + (known.benchmark(adapter_id).diagnostic_reason or "")


def test_one_parser_ships_and_names_the_bytes_it_was_proved_on() -> None:
    states = {row.adapter_id: (row.state, row.proved_on) for row in inventory_rows()}
    assert states.pop("coderouterbench") == ("available", "real, partial")
    assert {adapter for adapter, (state, _) in states.items() if state == "diagnostic only"} == DIAGNOSTIC_ONLY
    assert {proved for _, proved in states.values()} == {"none"}


def test_formats_known_from_made_up_files_only_say_so() -> None:
    known = inventory()
    said = {n.adapter_id for n in known.normalizers if "Not verified against a real export." in n.limitations}
    assert said == UNVERIFIED_FORMATS


def test_every_reference_resolves() -> None:
    known = inventory()
    resolved = [pin.source_id for b in known.benchmarks for pin in known.sources_of(b.adapter_id)]
    assert sorted(resolved) == sorted(s.source_id for s in known.sources)
    assert [known.normalizer_of(b.adapter_id).adapter_id for b in known.benchmarks] == list(PINS)


def test_unknown_adapter_is_refused_and_a_prefix_is_no_id() -> None:
    with pytest.raises(UnknownName):
        inventory().benchmark("router")


def test_the_tracks_are_enumeration_members() -> None:
    assert inventory().normalizer_of("mmrbench").tracks == (Track.MODEL_POOL, Track.MULTIMODAL)


def test_catalog_is_sorted_pretty_json() -> None:
    text = read_catalog("benchmarks").decode()
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def test_page_mirrors_the_catalog() -> None:
    _, _, rest = DOCS.read_text(encoding="utf-8").partition(BEGIN)
    generated, marker, _ = rest.partition(END)
    assert marker == END
    assert generated == markdown_table()


Catalog = dict[str, Any]


def _of(rows: list[Catalog], key: str, value: str) -> Catalog:
    return next(row for row in rows if row[key] == value)


def _bench(catalog: Catalog, adapter_id: str = "coderouterbench") -> Catalog:
    return _of(catalog["benchmarks"], "adapter_id", adapter_id)


def _norm(catalog: Catalog, adapter_id: str = "coderouterbench") -> Catalog:
    return _of(catalog["normalizers"], "adapter_id", adapter_id)


def _swap_normalizers(catalog: Catalog) -> None:
    first, second = _bench(catalog, "mmrbench"), _bench(catalog, "r2bench")
    first["normalizer_id"], second["normalizer_id"] = second["normalizer_id"], first["normalizer_id"]


def _unblock_one_side(catalog: Catalog) -> None:
    _bench(catalog, "routereval").update(diagnostic_only=False, diagnostic_reason=None, status="exploratory-import")


BROKEN: list[tuple[str, Callable[[Catalog], object], str]] = [
    ("other schema version", lambda c: c.update(schema_version="evaluation-research-benchmark-inventory.v2"), "schema_version"),
    ("unknown field", lambda c: _bench(c).update(stars=5), "benchmarks[2].stars"),
    ("missing field", lambda c: _bench(c).pop("licence"), "benchmarks[2].licence"),
    ("a pin of 39 digits", lambda c: c["sources"][0].update(revision="f" * 39), "sources[0].revision"),
    ("a branch as pin", lambda c: c["sources"][0].update(revision="main"), "sources[0].revision"),
    ("a pin in capitals", lambda c: c["sources"][0].update(revision="F" * 40), "sources[0].revision"),
    ("a repository without https", lambda c: c["sources"][0].update(repository="git@github.com:a/b"), "sources[0].repository"),
    ("an export pattern that climbs", lambda c: _norm(c).update(required_files=["../x.csv"]), "normalizers[2].required_files[0]"),
    ("an unknown track", lambda c: _norm(c).update(tracks=["speed"]), "normalizers[2].tracks[0]"),
    ("evidence above E0", lambda c: _norm(c).update(evidence_ceiling="E1"), "normalizers[2].evidence_ceiling"),
    ("a flag as text", lambda c: _norm(c).update(available="true"), "normalizers[2].available"),
    ("a benchmark twice", lambda c: c["benchmarks"].append(_bench(c)), "adapter id twice"),
    ("a benchmark gone", lambda c: c["benchmarks"].pop(), "sources without pin or without benchmark"),
    ("a source twice", lambda c: c["sources"].append(c["sources"][0]), "source id twice"),
    ("two sources at one pin", lambda c: c["sources"].append({**c["sources"][0], "source_id": "copy"}), "pin twice"),
    ("a source gone", lambda c: c["sources"].pop(), "sources without pin or without benchmark"),
    ("a source that nobody uses", lambda c: _bench(c)["source_ids"].pop(), "sources without pin or without benchmark"),
    ("a source used by two", lambda c: _bench(c, "r2bench").update(source_ids=["mmrbench.code"]), "use of source twice"),
    ("a dataset before its code", lambda c: _bench(c)["source_ids"].reverse(), "needs one code source"),
    ("two code sources", lambda c: c["sources"][3].update(kind="code"), "needs one code source"),
    ("a normalizer gone", lambda c: c["normalizers"].pop(), "one to one"),
    ("a normalizer twice", lambda c: c["normalizers"].append(_norm(c)), "normalizer id twice"),
    ("an unknown normalizer", lambda c: _bench(c).update(normalizer_id="coderouterbench.other.v1"), "one to one"),
    ("normalizers swapped", _swap_normalizers, "belongs to"),
    ("diagnostic without reason", lambda c: _bench(c, "routereval").update(diagnostic_reason=None), "diagnostic reason"),
    ("a reason without diagnosis", lambda c: _bench(c).update(diagnostic_reason="none"), "diagnostic reason"),
    ("diagnostic but not blocked", lambda c: _bench(c, "routereval").update(status="data-required"), "is blocked exactly"),
    ("importable without a runnable normalizer", _unblock_one_side, "exactly when routereval.unavailable.v1 is not runnable"),
    ("not runnable without reason", lambda c: _norm(c, "routereval").update(reason=None), "a reason stands"),
    ("not runnable with tracks", lambda c: _norm(c, "routereval").update(tracks=["routing"]), "tracks is filled"),
    ("not runnable with claims", lambda c: _norm(c, "routereval").update(may_claim=["Something."]), "may_claim is filled"),
    ("runnable without files", lambda c: _norm(c).update(required_files=[]), "required_files is filled"),
    ("a parser for nothing", lambda c: _norm(c, "routereval").update(available=True, proved_on="synthetic"), "no parser can ship"),
    ("a parser proved on nothing", lambda c: _norm(c).update(proved_on="not_proved"), "proved_on names bytes"),
    ("a proof without a parser", lambda c: _norm(c, "r2bench").update(proved_on="synthetic"), "proved_on names bytes"),
    ("a claim beyond the ambition", lambda c: _norm(c).update(tracks=["capacity"]), "claims a track"),
    ("tracks out of order", lambda c: _norm(c)["tracks"].reverse(), "in the order of the eight"),
    ("a track twice", lambda c: _bench(c)["ambition_tracks"].append("agentic"), "in the order of the eight"),
    ("a file twice", lambda c: _norm(c)["required_files"].append("models.json"), "required file twice"),
    ("a table twice", lambda c: _norm(c)["produces"].append("outcomes"), "produced table twice"),
    ("a benchmark without limits", lambda c: _bench(c).update(limitations=[]), "benchmarks[2].limitations"),
    ("texts without licence", lambda c: _bench(c, "xroutebench").update(redistribution="metadata_only"), "is prohibited"),
    ("a badge as permission", lambda c: _bench(c, "r2bench").update(redistribution="allowed"), "only by a licence file"),
    ("a licence without basis", lambda c: _bench(c).update(licence_basis="none"), "NOASSERTION exactly"),
]


@pytest.mark.parametrize(("breaking", "said"), [pytest.param(breaking, said, id=name) for name, breaking, said in BROKEN])
def test_broken_inventory_is_refused(breaking: Callable[[Catalog], object], said: str) -> None:
    catalog = json.loads(read_catalog("benchmarks"))
    breaking(catalog)
    with pytest.raises(DocumentError) as refusal:
        BenchmarkInventory.parse(json.dumps(catalog).encode(), at="inventory")
    assert said in f"{refusal.value.message} {refusal.value.at}"
