"""`suite-normalize`: a native export and a registered parser in, a new directory with a request and a bundle out.

    <output>/request.json        what will be installed, with the digest of every file; canonical bytes
    <output>/bundle/...          the files (evaluation_assets/suites/artifacts.py)

The directory appears whole or not at all. The same export gives the same bytes, so that the installer can do it again and compare.
"""

from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from contracts.base import Document, PartitionKey, ShortText
from contracts.errors import AlreadyExists, NotAdmitted
from contracts.suites import ExportFile, InstallRequest, SourceReceipt, SourceStatus, SuiteArtifact, SuiteClass, SuiteDescription
from evaluation_assets.benchmarks.inventory import inventory
from evaluation_assets.benchmarks.normalizers.interface import ExportFolder, NormalizedSuite, Progress
from evaluation_assets.benchmarks.normalizers.registry import NORMALIZERS
from evaluation_assets.suites.artifacts import (
    DECISIONS_PATH,
    GRADING_PATH,
    OUTCOMES_PATH,
    VISIBLE_PATH,
    check_tables,
    write_artifacts,
)
from ledgers.store.publication import publish_bytes, publish_directory

REQUEST, BUNDLE = "request.json", "bundle"
GRADER_ID = "source-recorded.v1"
NOT_VERIFIED = "Source not verified: nobody checked that this export belongs to the pinned revisions, so it stays at E0."


class Naming(Document):
    """What a person chooses about an import; checked before the parser works for nothing."""

    suite_id: PartitionKey
    name: ShortText


class Licence(Document):
    """The terms of one source, as far as they could be read."""

    source_id: ShortText
    repository: ShortText
    licence: ShortText
    licence_basis: ShortText
    redistribution: ShortText


class LicenceManifest(Document):
    """metadata/licenses.json."""

    licences: tuple[Licence, ...] = Field(min_length=1)


@dataclass(frozen=True)
class Import:
    """What the parser made of an export, and under which id and name it is to be installed."""

    adapter_id: str
    suite_id: str
    name: str
    normalized: NormalizedSuite
    files: tuple[ExportFile, ...]


def normalize_to_bundle(  # noqa: PLR0917 (the options of the command, in its order)
    adapter_id: str, suite_id: str, name: str, export_root: Path, output: Path, progress: Progress
) -> InstallRequest:
    """Writes the new directory `output`. AlreadyExists: it is there. ExportError and its kin: what the parser refuses."""
    if output.exists():
        raise AlreadyExists("The output is there already.", at=output.name, fix="name a directory that does not exist")
    imported = run_parser(adapter_id, suite_id=suite_id, name=name, export_root=export_root, progress=progress)
    progress("writing the bundle")
    requests: list[InstallRequest] = []
    publish_directory(output, lambda new: requests.append(write_bundle(new, imported)))
    return requests[0]


def run_parser(adapter_id: str, *, suite_id: str, name: str, export_root: Path, progress: Progress) -> Import:
    """Runs the registered parser of an adapter. NotAdmitted: this version has none, or there can be none."""
    Naming.build({"suite_id": suite_id, "name": name}, "arguments")
    definition = inventory().normalizer_of(adapter_id)
    if not definition.available:
        reason = definition.reason or "This version has no parser for this benchmark."
        raise NotAdmitted(reason, at=f"adapter {adapter_id}", fix="see `evalplane normalizers` for those that ship")
    export = ExportFolder(export_root, definition.required_files)
    normalized = NORMALIZERS[definition.normalizer_id].normalize(export, progress)
    return Import(adapter_id, suite_id, name, normalized, export.files)


def write_bundle(directory: Path, imported: Import) -> InstallRequest:
    """Request and bundle below an existing, empty directory."""
    normalized = imported.normalized
    tables = {
        VISIBLE_PATH: normalized.visible,
        GRADING_PATH: normalized.grading,
        OUTCOMES_PATH: normalized.outcomes,
        DECISIONS_PATH: normalized.decisions,
    }
    present = {path: table for path, table in tables.items() if table is not None}
    suite = _describe(imported, write_artifacts(directory / BUNDLE, present, _licences(imported.adapter_id)))
    check_tables(suite, present)
    request = InstallRequest(schema_version="evaluation-suite-install.v1", suite=suite)
    publish_bytes(directory / REQUEST, request.canonical())
    return request


def _describe(imported: Import, artifacts: tuple[SuiteArtifact, ...]) -> SuiteDescription:
    known, normalized = inventory(), imported.normalized
    benchmark, definition = known.benchmark(imported.adapter_id), known.normalizer_of(imported.adapter_id)
    revisions = {pin.kind: pin.revision for pin in known.sources_of(imported.adapter_id)}
    return SuiteDescription(
        suite_id=imported.suite_id,
        name=imported.name,
        suite_class=SuiteClass.NORMALIZED,
        adapter_id=imported.adapter_id,
        normalizer_id=definition.normalizer_id,
        origin="registered_parser_import",
        source=SourceReceipt(
            status=SourceStatus.UNVERIFIED,
            expected_source_revision=revisions["code"],
            expected_dataset_revision=revisions.get("dataset"),
            export_files=imported.files,
        ),
        decision_unit=benchmark.decision_unit,
        action_space=benchmark.action_space,
        split_protocol=benchmark.split_protocol,
        tracks=normalized.tracks,
        case_count=normalized.visible.num_rows,
        arm_ids=normalized.arm_ids,
        grader_id=GRADER_ID,
        data_classification="internal",
        redistribution=benchmark.redistribution,
        limitations=(NOT_VERIFIED, *definition.limitations, *benchmark.limitations),
        quality_issues=normalized.quality_issues,
        artifacts=artifacts,
    )


def _licences(adapter_id: str) -> bytes:
    benchmark = inventory().benchmark(adapter_id)
    licences = [
        Licence(
            source_id=pin.source_id,
            repository=pin.repository,
            licence=benchmark.licence,
            licence_basis=benchmark.licence_basis,
            redistribution=benchmark.redistribution,
        )
        for pin in inventory().sources_of(adapter_id)
    ]
    return LicenceManifest(licences=tuple(licences)).canonical()
