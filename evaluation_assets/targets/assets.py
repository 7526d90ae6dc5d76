"""Declares `target_catalog`: which mixtures the configured router offers, and which recipes can't run, with the reason."""

import dagster as dg

from contracts.canonical import canonical_bytes, digest_bytes
from evaluation_assets.resources import counts, private_failures, reference, table
from evaluation_assets.targets.subjects import Subjects


@dg.asset(group_name="targets")
@private_failures
def target_catalog(subjects: dg.ResourceParam[Subjects]) -> dg.MaterializeResult:
    """One row per mixture: arms and factor digests. Origins, keys and config paths are not shown."""
    mixtures, refused = subjects.mixtures(), subjects.refused()
    content = canonical_bytes({target_id: mixture.to_json() for target_id, mixture in mixtures.items()})
    rows = [
        [target_id, mixture.recipe_name, ", ".join(arm.arm_id for arm in mixture.arms), mixture.factors.recipe, mixture.factors.pool]
        for target_id, mixture in mixtures.items()
    ]
    return dg.MaterializeResult(
        metadata={
            **reference("target-catalog", digest_bytes(content), len(content)),
            **counts({"mixtures": len(mixtures), "refused": len(refused)}),
            "targets": table(["target", "recipe", "arms", "recipe_digest", "pool_digest"], rows),
            "not_runnable": table(["recipe", "reasons"], [[row.recipe_name, ", ".join(row.reasons)] for row in refused]),
        }
    )
