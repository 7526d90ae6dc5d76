"""Which tracks a mixture target offers, and why not the others; read from golden/catalogs/target_features.json, never from a target id."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from contracts.catalogs import read_catalog
from contracts.features import Feature, MethodStatus, TargetFeatureCatalog, TrackOffer
from contracts.mixtures import Mixture
from contracts.runs import Mode
from contracts.tracks import Track

LEDGERS = frozenset(
    {
        Feature.AGENT_TASK_LEDGER,
        Feature.FAULT_RECOVERY_LEDGER,
        Feature.HARD_POLICY_LEDGER,
        Feature.PRODUCTION_EXPERIMENT_LEDGER,
    }
)


@dataclass(frozen=True)
class Connectivity:
    """What is configured around a mixture. `may_classify`: the router lets us ask (evaluation_assets/targets/management.py).

    `served`: every arm has a backend, so that the topology has an identity.
    """

    router: bool = False
    envoy: bool = False
    may_classify: bool = False
    served: bool = False
    ledgers: frozenset[Feature] = frozenset()


@cache
def feature_catalog() -> TargetFeatureCatalog:
    return TargetFeatureCatalog.parse(read_catalog("target_features"), "golden/catalogs/target_features.json")


def target_features(mixture: Mixture, connectivity: Connectivity) -> frozenset[Feature]:
    """ValueError: something else than a ledger is given as one, which is a bug of the caller."""
    if connectivity.ledgers - LEDGERS:
        raise ValueError(f"not ledgers: {sorted(connectivity.ledgers - LEDGERS)}")
    present = set(connectivity.ledgers) | {Feature.MIXTURE_POOL}  # a mixture has at least two arms
    if connectivity.served:
        present.add(Feature.TOPOLOGY)
    if connectivity.router and connectivity.may_classify:
        present.add(Feature.ROUTER_API)
    if connectivity.envoy:
        present.add(Feature.ENVOY_CHAT)
    if any(set(arm.modalities) - {"text"} for arm in mixture.arms):
        present.add(Feature.MULTIMODAL_ARM)
    for row in feature_catalog().features:
        if present & set(row.any_of):
            present.add(row.feature)
    return frozenset(present)


def track_offers(features: frozenset[Feature], mode: Mode) -> tuple[TrackOffer, ...]:
    """All eight tracks of one mode."""
    required = {row.track: row.requires for row in feature_catalog().tracks if row.mode is mode}
    offers = []
    for track in Track:
        missing = tuple(feature for feature in required.get(track, ()) if feature not in features)
        reason = f"A mixture has nothing to {mode.value} on this track." if track not in required else _reason(missing)
        offers.append(TrackOffer(mode=mode, track=track, offered=reason is None, missing=missing, reason=reason))
    return tuple(offers)


def method_statuses(features: frozenset[Feature]) -> tuple[MethodStatus, ...]:
    """Every live method: configured, or which data it still requires."""
    statuses = []
    for row in feature_catalog().methods:
        reason = _reason([feature for feature in row.requires if feature not in features])
        statuses.append(
            MethodStatus(
                method_id=row.method_id,
                track=row.track,
                gate_ids=row.gate_ids,
                evidence_origin=row.evidence_origin,
                status="configured" if reason is None else "data_required",
                reason=reason,
            )
        )
    return tuple(statuses)


def _reason(missing: Sequence[Feature]) -> str | None:
    sentences = {row.feature: row.missing for row in feature_catalog().features}
    return " ".join(sentences[feature] for feature in missing) or None
