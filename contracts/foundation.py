"""What G0 and G1 look at: facts about the sealed files of one run, each true, false, or unknown because it could not be looked at."""

from contracts.base import Count, Document


class ReproducibilityEvidence(Document):
    """G0. Can the result be recomputed from what is kept?"""

    manifest_is_canonical: bool
    suites_are_the_frozen_ones: bool | None
    records_match_their_digests: bool | None
    lineage_is_complete: bool | None
    failures_account_for_the_plan: bool | None
    record_rows: Count


class StaticEvidence(Document):
    """G1. Does the run follow its contract, and has every planned cell exactly one account?"""

    admission_holds: bool | None
    plan_is_derivable: bool | None
    every_cell_has_one_record: bool | None
    planned_cells: Count
