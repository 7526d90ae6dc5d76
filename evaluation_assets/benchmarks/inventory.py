"""The shipped benchmark inventory, and the two ways to look at it: rows for a terminal, Markdown for docs/benchmarks.md.

The catalog golden/catalogs/benchmarks.json is the authority; the generated part of the page is its mirror, byte for byte.
"""

from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

from contracts.benchmarks import BenchmarkDescriptor, BenchmarkInventory, NormalizerDefinition, SourcePin
from contracts.catalogs import read_catalog
from contracts.tracks import Track

State = Literal["available", "not in this version", "diagnostic only"]

_PIN_READ = {"tree": "yes", "tree_in_fork": "yes, in a fork", "readme_only": "its README only", "not_read": "no"}
_PROVED_ON = {"real_complete": "real, complete", "real_partial": "real, partial", "synthetic": "synthetic", "not_proved": "none"}
_LICENCE_BASIS = {
    "file_at_pin": "file at the pin",
    "file_elsewhere": "file at another revision",
    "statement_only": "stated without a file",
    "none": "none found",
}


class InventoryRow(NamedTuple):
    """One benchmark as a table shows it. `revisions` has the code pin first, then the dataset pin where there is one."""

    adapter_id: str
    name: str
    state: State
    tracks: tuple[Track, ...]
    normalizer_id: str
    evidence_ceiling: str
    proved_on: str
    revisions: tuple[str, ...]


@cache
def inventory() -> BenchmarkInventory:
    """The catalog that ships with the package, read and validated once."""
    return BenchmarkInventory.parse(read_catalog("benchmarks"), at="golden/catalogs/benchmarks.json")


def inventory_rows() -> list[InventoryRow]:
    """All benchmarks in the order of the catalog, diagnostic-only ones included."""
    return [_row(benchmark, inventory()) for benchmark in inventory().benchmarks]


def markdown_table() -> str:
    """The generated part of docs/benchmarks.md without its markers: overview, pins, and per benchmark the claims and limits."""
    known = inventory()
    sections = [_limits(benchmark, known.normalizer_of(benchmark.adapter_id)) for benchmark in known.benchmarks]
    return "\n".join([_overview(inventory_rows()), _pins(known), *sections])


def _row(benchmark: BenchmarkDescriptor, known: BenchmarkInventory) -> InventoryRow:
    normalizer = known.normalizer_of(benchmark.adapter_id)
    return InventoryRow(
        adapter_id=benchmark.adapter_id,
        name=benchmark.name,
        state=_state(normalizer),
        tracks=normalizer.tracks,
        normalizer_id=normalizer.normalizer_id,
        evidence_ceiling=normalizer.evidence_ceiling,
        proved_on=_PROVED_ON[normalizer.proved_on],
        revisions=tuple(pin.revision for pin in known.sources_of(benchmark.adapter_id)),
    )


def _state(normalizer: NormalizerDefinition) -> State:
    if not normalizer.runnable:
        return "diagnostic only"
    return "available" if normalizer.available else "not in this version"


def _overview(rows: list[InventoryRow]) -> str:
    return _table(
        ("Benchmark", "Adapter", "Normalizer", "Tracks", "Parser", "Proved on"),
        [(r.name, f"`{r.adapter_id}`", f"`{r.normalizer_id}`", ", ".join(r.tracks) or "none", r.state, r.proved_on) for r in rows],
    )


def _pins(known: BenchmarkInventory) -> str:
    return "### Pins\n\n" + _table(
        ("Source", "Repository", "Revision", "Read at the pin"),
        [(f"`{pin.source_id}`", _link(pin), f"`{pin.revision}`", _PIN_READ[pin.pin_read]) for pin in known.sources],
    )


def _limits(benchmark: BenchmarkDescriptor, normalizer: NormalizerDefinition) -> str:
    """One section: what the benchmark wants, then what an import may say and what it may not."""
    lines = [
        f"### {benchmark.name}",
        "",
        benchmark.native_ambition,
        "",
        f"- Decides per: {benchmark.decision_unit}. Action: {benchmark.action_space}.",
        f"- Split: {benchmark.split_protocol}",
        f"- Status: {benchmark.status}. Licence: {benchmark.licence} ({_LICENCE_BASIS[benchmark.licence_basis]});"
        f" redistribution: {benchmark.redistribution.replace('_', ' ')}.",
    ]
    if benchmark.diagnostic_reason is not None and normalizer.reason is not None:
        lines.append(f"- Diagnostic only: {benchmark.diagnostic_reason} {normalizer.reason}")
    if normalizer.required_files:
        lines.append("- Export: " + ", ".join(f"`{name}`" for name in normalizer.required_files))
    lines += [f"- May claim: {claim}" for claim in normalizer.may_claim]
    lines += [f"- Limit: {limit}" for limit in (*normalizer.limitations, *benchmark.limitations)]
    return "\n".join(lines) + "\n"


def _link(pin: SourcePin) -> str:
    return f"[{'/'.join(pin.repository.split('/')[-2:])}]({pin.repository}), {pin.kind}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)
