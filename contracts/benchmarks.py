"""What the thirteen research benchmarks are, where they are pinned, and how little of each may be claimed from an import.

Rules, kept by the validators:
- Descriptor and normalizer are one to one. The descriptor tells the native ambition, the normalizer what an import may say.
- A normalizer is `runnable` when the pin offers a per-case export that can be read without executing upstream code or
  a pickle; otherwise its benchmark is diagnostic only, both give their reason, and there is nothing to import.
- `available` is about this version of the product: a parser ships. Only then does `proved_on` name the bytes it was proved on.
- Every source belongs to exactly one benchmark, which has one code source and at most one dataset source.
- A normalizer claims no track beyond the ambition of its benchmark, and no evidence above E0.
- What has no licence is `prohibited`; only a licence file read at the pin makes it `allowed`.
"""

from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from contracts.base import Document, PartitionKey, PortableId, ShortText, Text, stays_inside
from contracts.errors import UnknownName
from contracts.tracks import Track, in_order

Revision = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
Repository = Annotated[str, Field(pattern=r"^https://[a-z.]+(/[A-Za-z0-9._-]+)+$", max_length=256)]
Licence = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.+-]*$", max_length=64)]  # an SPDX id, or NOASSERTION
NormalizerId = Annotated[str, Field(pattern=r"^[a-z0-9-]+\.[a-z0-9-]+\.v[1-9][0-9]*$", max_length=128)]
ExportPattern = Annotated[str, Field(pattern=r"^[A-Za-z0-9._*-]+(/[A-Za-z0-9._*-]+)*$", max_length=256), AfterValidator(stays_inside)]

Status = Literal["exploratory-import", "data-required", "blocked"]
Redistribution = Literal["allowed", "metadata_only", "prohibited"]
LicenceBasis = Literal["file_at_pin", "file_elsewhere", "statement_only", "none"]
PinRead = Literal["tree", "tree_in_fork", "readme_only", "not_read"]
ProvedOn = Literal["real_complete", "real_partial", "synthetic", "not_proved"]
ProducedTable = Literal[
    "visible_cases", "grading_cases", "outcomes", "decisions", "trajectories", "perturbations", "faults", "media_outcomes", "media_manifest"
]


class SourcePin(Document):
    """One external checkout at one exact revision. `pin_read` says how much of that revision was readable when this row was written."""

    source_id: PortableId
    kind: Literal["code", "dataset"]
    repository: Repository
    revision: Revision
    pin_read: PinRead


class BenchmarkDescriptor(Document):
    """The benchmark as its authors meant it. Nothing here is evidence: a metric named here is not thereby computed."""

    adapter_id: PartitionKey
    name: ShortText
    status: Status
    diagnostic_only: bool
    diagnostic_reason: Text | None
    native_ambition: Text
    ambition_tracks: tuple[Track, ...] = Field(min_length=1, max_length=len(Track))
    decision_unit: ShortText
    action_space: ShortText
    split_protocol: Text
    licence: Licence
    licence_basis: LicenceBasis
    redistribution: Redistribution
    source_ids: tuple[PortableId, ...] = Field(min_length=1, max_length=2)
    normalizer_id: NormalizerId
    limitations: tuple[Text, ...] = Field(min_length=1, max_length=16)

    @model_validator(mode="after")
    def _diagnostic_only_is_explained(self) -> Self:
        if self.diagnostic_only != (self.diagnostic_reason is not None):
            raise ValueError("a diagnostic reason stands exactly where a benchmark is diagnostic only")
        if self.diagnostic_only != (self.status == "blocked"):
            raise ValueError("a benchmark is blocked exactly when it is diagnostic only")
        return self

    @model_validator(mode="after")
    def _no_licence_no_redistribution(self) -> Self:
        if (self.licence == "NOASSERTION") != (self.licence_basis == "none"):
            raise ValueError("the licence is NOASSERTION exactly when there is no basis for one")
        if self.licence_basis == "none" and self.redistribution != "prohibited":
            raise ValueError("without a licence redistribution is prohibited")
        if self.redistribution == "allowed" and self.licence_basis != "file_at_pin":
            raise ValueError("redistribution is allowed only by a licence file read at the pin")
        return self

    @model_validator(mode="after")
    def _tracks_in_order(self) -> Self:
        _require_order(self.ambition_tracks, "ambition_tracks")
        return self


class NormalizerDefinition(Document):
    """The smaller evidence surface that can be derived safely from the pin, with its claims and its limits."""

    normalizer_id: NormalizerId
    adapter_id: PartitionKey
    runnable: bool
    available: bool
    proved_on: ProvedOn
    evidence_ceiling: Literal["E0"]
    reason: Text | None
    tracks: tuple[Track, ...] = Field(max_length=len(Track))
    required_files: tuple[ExportPattern, ...] = Field(max_length=16)
    produces: tuple[ProducedTable, ...] = Field(max_length=16)
    may_claim: tuple[Text, ...] = Field(max_length=16)
    limitations: tuple[Text, ...] = Field(min_length=1, max_length=16)

    @model_validator(mode="after")
    def _not_runnable_produces_nothing(self) -> Self:
        if self.runnable != (self.reason is None):
            raise ValueError("a reason stands exactly where a normalizer is not runnable")
        for field in ("tracks", "required_files", "produces", "may_claim"):
            if self.runnable != bool(getattr(self, field)):
                raise ValueError(f"{field} is filled exactly when the normalizer is runnable")
        return self

    @model_validator(mode="after")
    def _only_a_shipped_parser_is_proved(self) -> Self:
        if self.available and not self.runnable:
            raise ValueError("no parser can ship for a normalizer that is not runnable")
        if self.available != (self.proved_on != "not_proved"):
            raise ValueError("proved_on names bytes exactly when the parser is available")
        return self

    @model_validator(mode="after")
    def _lists_are_sets(self) -> Self:
        _require_order(self.tracks, "tracks")
        _require_unique(self.required_files, "required file")
        _require_unique(self.produces, "produced table")
        return self


class BenchmarkInventory(Document):
    """All benchmarks, their sources and their normalizers; every reference resolves, in both directions."""

    schema_version: Literal["evaluation-research-benchmark-inventory.v1"]
    benchmarks: tuple[BenchmarkDescriptor, ...] = Field(min_length=1, max_length=256)
    sources: tuple[SourcePin, ...] = Field(min_length=1, max_length=512)
    normalizers: tuple[NormalizerDefinition, ...] = Field(min_length=1, max_length=256)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        _require_unique((b.adapter_id for b in self.benchmarks), "adapter id")
        _require_unique((s.source_id for s in self.sources), "source id")
        _require_unique((f"{s.repository}@{s.revision}" for s in self.sources), "pin")
        _require_unique((n.normalizer_id for n in self.normalizers), "normalizer id")
        return self

    @model_validator(mode="after")
    def _sources_resolve(self) -> Self:
        kinds = {s.source_id: s.kind for s in self.sources}
        used = [source_id for b in self.benchmarks for source_id in b.source_ids]
        _require_unique(used, "use of source")
        if set(used) != set(kinds):
            raise ValueError(f"sources without pin or without benchmark: {sorted(set(used) ^ set(kinds))}")
        for b in self.benchmarks:
            if [kinds[source_id] for source_id in b.source_ids] not in (["code"], ["code", "dataset"]):
                raise ValueError(f"{b.adapter_id} needs one code source, then at most one dataset source")
        return self

    @model_validator(mode="after")
    def _normalizers_match(self) -> Self:
        by_id = {n.normalizer_id: n for n in self.normalizers}
        named = {b.normalizer_id for b in self.benchmarks}
        if named != set(by_id) or len(by_id) != len(self.benchmarks):
            raise ValueError(f"normalizers and benchmarks are one to one; these are not: {sorted(named ^ set(by_id))}")
        for b in self.benchmarks:
            n = by_id[b.normalizer_id]
            if n.adapter_id != b.adapter_id:
                raise ValueError(f"{n.normalizer_id} belongs to {n.adapter_id}, not to {b.adapter_id}")
            if n.runnable == b.diagnostic_only:
                raise ValueError(f"{b.adapter_id} is diagnostic only exactly when {n.normalizer_id} is not runnable")
            if not set(n.tracks) <= set(b.ambition_tracks):
                raise ValueError(f"{n.normalizer_id} claims a track that {b.adapter_id} never aimed at")
        return self

    def benchmark(self, adapter_id: str) -> BenchmarkDescriptor:
        """Raises UnknownName: an id is one of the thirteen, never a prefix."""
        for row in self.benchmarks:
            if row.adapter_id == adapter_id:
                return row
        raise UnknownName("There is no such benchmark adapter.", at="adapter", fix="list the adapters with `evalplane benchmarks`")

    def normalizer_of(self, adapter_id: str) -> NormalizerDefinition:
        """The one normalizer of this adapter. Raises UnknownName."""
        wanted = self.benchmark(adapter_id).normalizer_id
        return next(row for row in self.normalizers if row.normalizer_id == wanted)

    def sources_of(self, adapter_id: str) -> tuple[SourcePin, ...]:
        """The code pin first, then the dataset pin where there is one. Raises UnknownName."""
        pins = {row.source_id: row for row in self.sources}
        return tuple(pins[source_id] for source_id in self.benchmark(adapter_id).source_ids)


def _require_unique(values: Iterable[str], what: str) -> None:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise ValueError(f"the same {what} twice: {value}")
        seen.add(value)


def _require_order(tracks: tuple[Track, ...], field: str) -> None:
    if tracks != in_order(tracks):
        raise ValueError(f"{field} lists each track once, in the order of the eight")
