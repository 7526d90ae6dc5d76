"""What a run publishes: coverage, costs, lineage, provenance, failures, and the report that carries them in reading order.

Reading order: subject, levels, gates, coverage, metrics, pool, costs, lineage, findings. An E0 report has no headline.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from contracts.base import ArmId, Count, Digest, Document, PartitionKey, PortableId, RelativePath, RunId, ShortText, Text, Timestamp
from contracts.gates import GateResult
from contracts.levels import Level
from contracts.measured import Reason
from contracts.metrics import MetricId, MetricValue
from contracts.mixtures import Mixture
from contracts.pool_pictures import PoolPicture
from contracts.runs import EnvironmentKind, Mode, RunName, Seed
from contracts.suites import QualityIssue, SourceStatus
from contracts.tracks import Track

PicoUsd = Annotated[str, Field(pattern=r"^-?[0-9]{1,38}$", description="1e-12 USD as a decimal integer")]
Ledger = Literal["runtime", "evaluation_overhead", "capacity_tco"]


class TrackCoverage(Document):
    """Planned cells and what became of them. Failed, timed-out and unavailable cells stay in the denominator."""

    track: Track
    planned: Count
    succeeded: Count
    failed: Count
    unavailable: Count
    level: Level

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if self.succeeded + self.failed + self.unavailable != self.planned:
            raise ValueError("every planned cell succeeded, failed or is unavailable")
        return self


class LedgerCost(Document):
    """One of the three cost ledgers. An incomplete one has no amount; what is known of it stands beside."""

    ledger: Ledger
    amount_usd: float | None
    amount_pico_usd: PicoUsd | None
    known_usd: float | None
    known_pico_usd: PicoUsd | None
    n: Count
    planned_n: Count
    complete: bool
    reason: Reason | None

    @model_validator(mode="after")
    def _amount_only_when_complete(self) -> Self:
        if self.complete != (self.amount_pico_usd is not None) or self.complete != (self.reason is None):
            raise ValueError("a complete ledger has an amount and no reason, an incomplete one a reason and no amount")
        if (self.amount_pico_usd is None) != (self.amount_usd is None) or (self.known_pico_usd is None) != (self.known_usd is None):
            raise ValueError("an amount stands in both units or in none")
        return self


class RunCosts(Document):
    schema_version: Literal["evaluation-costs.v1"]
    ledgers: tuple[LedgerCost, ...] = Field(min_length=3, max_length=3)


class RunCoverage(Document):
    schema_version: Literal["evaluation-coverage.v1"]
    tracks: tuple[TrackCoverage, ...]


class SealedPart(Document):
    """A Parquet part: file digest for the bytes, table digest for the content."""

    path: RelativePath
    rows: Count
    size_bytes: Count
    digest: Digest
    table_digest: Digest


class SuiteParts(Document):
    """What one stage published for one suite, by table."""

    schema_version: Literal["evaluation-suite-parts.v1"] = "evaluation-suite-parts.v1"
    suite_id: PartitionKey
    parts: tuple["TablePart", ...]

    def part(self, table: str) -> SealedPart | None:
        return next((entry.part for entry in self.parts if entry.table == table), None)


class TablePart(Document):
    table: PortableId
    part: SealedPart


class SuiteLineage(Document):
    """From one frozen suite to its parts. Private: it names files of the private run directory."""

    suite_id: PartitionKey
    revision: Digest
    selection_digest: Digest
    observations: SuiteParts
    records: SuiteParts


class Lineage(Document):
    schema_version: Literal["evaluation-lineage.v1"]
    manifest_digest: Digest
    plan: SealedPart
    executor_id: PortableId
    suites: tuple[SuiteLineage, ...]


class Provenance(Document):
    schema_version: Literal["evaluation-provenance.v1"]
    code_revision: Digest
    gate_policy_digest: Digest
    metric_catalog_digest: Digest
    grader_id: PortableId
    grader_revision: Digest
    target_id: PortableId
    seed: Seed
    redaction_policy: ShortText
    environment_kind: EnvironmentKind
    suites: tuple["SuiteProvenance", ...]


class SuiteProvenance(Document):
    suite_id: PartitionKey
    revision: Digest
    source_status: SourceStatus
    adapter_id: PortableId
    normalizer_id: PortableId


class TrackFailures(Document):
    """Counts per reason, without case ids."""

    track: Track
    succeeded: Count
    failed: Count
    unavailable: Count
    reasons: tuple["ReasonCount", ...]


class ReasonCount(Document):
    reason: Reason
    count: Count


class FailureSummary(Document):
    """Of one suite while the run goes on, of all suites once they are merged."""

    schema_version: Literal["evaluation-failure-summary.v1"]
    total_cells: Count
    tracks: tuple[TrackFailures, ...]


class Finding(Document):
    """One row of architecture feedback: what was seen, its likely cause, and the next controlled treatment."""

    finding_id: PortableId
    metric_ids: tuple[MetricId, ...]
    observation: Text
    cause: Text
    next_treatment: Text


class ReportRun(Document):
    run_id: RunId
    name: RunName
    created_at: Timestamp
    mode: Mode
    target_id: PortableId
    executor_id: PortableId
    change_profile: PortableId
    suite_ids: tuple[PartitionKey, ...]
    tracks: tuple[Track, ...]
    sample_limit: Count | None
    seed: Seed
    manifest_digest: Digest


class ReportSuite(Document):
    """`arm_ids`: those that were frozen for the suite, its own or the target's."""

    suite_id: PartitionKey
    name: ShortText
    revision: Digest
    source_status: SourceStatus
    case_count: Count
    selected_cases: Count
    arm_ids: tuple[ArmId, ...]
    limitations: tuple[Text, ...]
    quality_issues: tuple[QualityIssue, ...]


class Report(Document):
    """report.json, sealed by the control plane and never written by a worker. `pool` is there where the track model_pool was run."""

    schema_version: Literal["evaluation-report.v1"]
    run: ReportRun
    subject: Mixture | None = Field(description="The frozen mixture; null for a recorded target, whose policy nobody froze.")
    evidence_level: Level
    environment_kind: EnvironmentKind
    gates: tuple[GateResult, ...] = Field(min_length=10, max_length=10)
    coverage: tuple[TrackCoverage, ...]
    metrics: tuple[MetricValue, ...]
    pool: PoolPicture | None
    costs: tuple[LedgerCost, ...]
    suites: tuple[ReportSuite, ...]
    provenance: Provenance
    failures: FailureSummary
    findings: tuple[Finding, ...]
    result_digest: Digest


class WorkerReportDraft(Document):
    """What an untrusted worker may claim: reachability and counts. Levels, receipts, gates and digests are the server's."""

    schema_version: Literal["evaluation-worker-report-draft.v1"]
    run_id: RunId
    executor_id: PortableId
    planned_cells: Count
    observed_cells: Count
    tracks: tuple[Track, ...]


class ReportAnchor(Document):
    """report-anchor.json: the digests that seal a run. Digest-only until runs are attested."""

    schema_version: Literal["evaluation-report-anchor.v1"]
    run_id: RunId
    sealed_at: Timestamp
    manifest: Digest
    report: Digest
    gates: Digest
    public_checksums: Digest
    private_checksums: Digest
    result_digest: Digest
    audit_head: Digest
