"""Tracks and methods of a mixture target, from what is configured around it."""

from collections.abc import Callable

import pytest

from contracts.errors import DocumentError, NotAdmitted
from contracts.features import Feature
from contracts.mixtures import Mixture
from contracts.runs import Mode
from contracts.tracks import Track
from evaluation_assets.targets.features import LEDGERS, Connectivity, feature_catalog, method_statuses, target_features, track_offers
from evaluation_assets.targets.management import may_classify
from tests.unit.targets.configs import Config, catalog, edited, opened

T = Track
ENVOY = Connectivity(envoy=True, served=True)
CHAT = {T.MODEL_POOL, T.JOINT, T.CAPACITY}


def with_image(image: bool = True) -> Mixture:
    return catalog(edited(lambda config: None if image else config["routing"].update(modelCards=[]))).mixtures[0]


def connected(**said: object) -> Connectivity:
    return Connectivity(**{"envoy": True, "served": True, **said})


@pytest.mark.parametrize(
    ("connectivity", "image", "live"),
    [
        pytest.param(Connectivity(), True, set(), id="a config and nothing around it"),
        pytest.param(ENVOY, False, CHAT, id="Envoy alone"),
        pytest.param(ENVOY, True, CHAT | {T.MULTIMODAL}, id="Envoy and an arm that sees"),
        pytest.param(connected(router=True, may_classify=True), False, CHAT | {T.ROUTING}, id="an open router"),
        pytest.param(connected(router=True), False, CHAT, id="a router that asks for a credential we lack"),
        pytest.param(connected(router=True, may_classify=True, envoy=False), False, set(), id="a router without Envoy"),
        pytest.param(connected(served=False), False, set(), id="an arm without backend"),
        pytest.param(connected(ledgers=frozenset({Feature.AGENT_TASK_LEDGER})), False, CHAT | {T.AGENTIC}, id="agent tasks"),
        pytest.param(connected(ledgers=frozenset({Feature.FAULT_RECOVERY_LEDGER})), False, CHAT | {T.AGENTIC}, id="fault recovery"),
        pytest.param(connected(ledgers=frozenset({Feature.HARD_POLICY_LEDGER})), False, CHAT | {T.SAFETY}, id="hard policy"),
        pytest.param(connected(ledgers=frozenset({Feature.PRODUCTION_EXPERIMENT_LEDGER})), False, CHAT | {T.PREFERENCE}, id="production"),
        pytest.param(connected(router=True, may_classify=True, ledgers=LEDGERS), True, set(Track), id="everything"),
    ],
)
def test_live_tracks_follow_from_features(connectivity: Connectivity, image: bool, live: set[Track]) -> None:
    offers = track_offers(target_features(with_image(image), connectivity), Mode.LIVE)
    assert [offer.track for offer in offers] == list(Track)
    assert {offer.track for offer in offers if offer.offered} == live
    assert all(offer.reason and offer.missing for offer in offers if not offer.offered)


def test_replay_needs_the_pool_alone_and_offers_three_tracks() -> None:
    offers = track_offers(target_features(with_image(), Connectivity()), Mode.REPLAY)
    assert {offer.track for offer in offers if offer.offered} == {T.ROUTING, T.MODEL_POOL, T.JOINT}


def test_a_ledger_never_stands_in_for_another() -> None:
    features = target_features(with_image(), connected(ledgers=frozenset({Feature.AGENT_TASK_LEDGER})))
    status = {row.method_id: row for row in method_statuses(features)}
    assert status["live-agent-task.v1"].status == "configured"
    assert status["live-fault-recovery.v1"].status == "data_required"
    assert "fault-recovery" in (status["live-fault-recovery.v1"].reason or "")
    with pytest.raises(ValueError):
        target_features(with_image(), connected(ledgers=frozenset({Feature.TOPOLOGY})))


def test_methods_name_gates_of_their_tracks() -> None:
    gates = {gate: row.track for row in feature_catalog().methods for gate in row.gate_ids}
    assert gates == {"G2": T.SAFETY, "G6": T.AGENTIC, "G7": T.CAPACITY, "G8": T.PREFERENCE, "G9": T.PREFERENCE}


def bearer(**auth: object) -> Callable[[Config], object]:
    said = {"mode": "bearer", "tokens": [{"env": "OUR_KEY", "role": "eval"}], "roles": {"eval": ["classify.invoke"]}, **auth}
    return lambda config: config["global"].update(services={"management_api": {"auth": said}})


@pytest.mark.parametrize(
    ("edit", "key", "may"),
    [
        pytest.param(lambda config: None, None, True, id="no management section"),
        pytest.param(bearer(mode="disabled"), None, True, id="authentication disabled"),
        pytest.param(bearer(), None, False, id="bearer without our key"),
        pytest.param(bearer(), "OUR_KEY", True, id="bearer with our key"),
        pytest.param(bearer(roles={"eval": ["*"]}), "OUR_KEY", True, id="a role that may everything"),
        pytest.param(bearer(tokens=[{"env": "OUR_KEY", "role": "viewer"}], roles={}), "OUR_KEY", True, id="a built-in role"),
    ],
)
def test_who_may_classify(edit: Callable[[Config], object], key: str | None, may: bool) -> None:
    assert may_classify(opened(edited(edit)), key) is may


@pytest.mark.parametrize(
    ("edit", "key", "refusal"),
    [
        pytest.param(bearer(), "OTHER_KEY", NotAdmitted, id="a key that the router does not declare"),
        pytest.param(bearer(roles={"eval": ["config.read"]}), "OUR_KEY", NotAdmitted, id="a role that may not classify"),
        pytest.param(bearer(roles={}), "OUR_KEY", NotAdmitted, id="a role nobody defined"),
        pytest.param(
            bearer(tokens=[{"env": "OUR_KEY", "role": "viewer"}], roles={"viewer": []}),
            "OUR_KEY",
            NotAdmitted,
            id="a built-in role redefined",
        ),
        pytest.param(bearer(mode="oauth"), "OUR_KEY", DocumentError, id="a mode nobody knows"),
    ],
)
def test_a_key_that_cannot_serve_is_refused(edit: Callable[[Config], object], key: str, refusal: type[Exception]) -> None:
    with pytest.raises(refusal):
        may_classify(opened(edited(edit)), key)
