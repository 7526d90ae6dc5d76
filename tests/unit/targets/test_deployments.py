"""The deployment registry and its directory: the good one, and one table of hostile ones."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from contracts.deployments import canonical_origin
from contracts.errors import DocumentError, EvaluationError, HostileFile, InputError, StrictReadError, UnknownName
from contracts.mixtures import mixture_id
from evaluation_assets.targets.deployments import find_target, open_deployments
from evaluation_assets.targets.factors import NOWHERE, Surroundings
from tests.unit.targets.configs import Config, edited

ROW = {
    "id": "baseline",
    "name": "Baseline",
    "description": "In production.",
    "config_file": "baseline/config.yaml",
    "router_origin": "http://baseline-router:8080",
    "envoy_origin": "http://baseline-envoy:8899",
}
OTHER = {**ROW, "id": "candidate", "name": "Candidate", "config_file": "candidate.yaml", "router_origin": "http://candidate-router:8080"}
FIRST = "registry.json  deployments[0]"
REGISTRY = {"schema_version": "evaluation-deployments.v1", "deployments": [ROW, OTHER]}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    root = tmp_path / "deployments"
    (root / "baseline").mkdir(parents=True)
    write(root, REGISTRY)
    for row in (ROW, OTHER):
        (root / row["config_file"]).write_text(json.dumps(edited()), encoding="utf-8")
    return root


def write(root: Path, registry: object) -> None:
    overwrite(root, json.dumps(registry).encode())


def overwrite(root: Path, data: bytes) -> None:
    (root / "registry.json").write_bytes(data)


def test_every_deployment_offers_its_mixtures_under_its_own_ids(directory: Path) -> None:
    opened = open_deployments(directory, NOWHERE)
    assert [deployment.deployment.name for deployment in opened] == ["Baseline", "Candidate"]
    main = mixture_id("main")
    deployment, mixture = find_target(opened, f"candidate--{main}")
    assert (deployment.deployment.id, mixture.recipe_name) == ("candidate", "main")
    one, other = (each.target_ids()[f"{each.deployment.id}--{main}"] for each in opened)
    assert one.mixture_id == other.mixture_id
    assert one.config_digest == other.config_digest
    assert one.factors.environment.endpoints != other.factors.environment.endpoints
    assert one.factors.pool == other.factors.pool
    with pytest.raises(UnknownName):
        find_target(opened, "candidate--mom-0")


def test_services_are_those_of_the_surroundings(directory: Path) -> None:
    ours = Surroundings(services={"ledger": ("http://ledger:9000", "LEDGER_KEY")})
    with_services, without = (open_deployments(directory, each)[0].catalog.mixtures[0].factors.environment for each in (ours, NOWHERE))
    assert with_services.services is not None
    assert without.services is None


def test_no_origin_or_path_is_in_what_is_shown(directory: Path) -> None:
    text = b"".join(each.catalog.canonical() for each in open_deployments(directory, NOWHERE)).decode()
    assert "demo/main" in text
    assert not [private for private in ("baseline-router", "8899", "config.yaml", "hunter2") if private in text]


def changed(**said: object) -> Callable[[Path], object]:
    return lambda root: write(root, {**REGISTRY, "deployments": [{**ROW, **said}, OTHER]})


def whole(**said: object) -> Callable[[Path], object]:
    return lambda root: write(root, {**REGISTRY, **said})


def without(key: str) -> Callable[[Path], object]:
    return lambda root: write(root, {**REGISTRY, "deployments": [{name: value for name, value in ROW.items() if name != key}]})


def linked(inside: str) -> Callable[[Path], object]:
    """The file is moved out and a symbolic link to it left behind."""

    def edit(root: Path) -> None:
        outside = root.parent / "elsewhere"
        (root / inside).rename(outside)
        (root / inside).symlink_to(outside)

    return edit


def twice(root: Path) -> None:
    os.link(root / "candidate.yaml", root.parent / "second-name")


def fifo(root: Path) -> None:
    (root / "candidate.yaml").unlink()
    os.mkfifo(root / "candidate.yaml")


def config(edit: Callable[[Config], object]) -> Callable[[Path], object]:
    return lambda root: (root / "candidate.yaml").write_text(json.dumps(edited(edit)), encoding="utf-8")


@pytest.mark.parametrize(
    ("spoil", "refusal", "at"),
    [
        pytest.param(changed(token="x"), DocumentError, f"{FIRST}.token", id="an unknown field"),
        pytest.param(whole(ledgers=[]), DocumentError, "registry.json  ledgers", id="a ledger endpoint"),
        pytest.param(whole(deployments=[]), DocumentError, "registry.json  deployments", id="an empty list"),
        pytest.param(whole(schema_version="v2"), DocumentError, "registry.json  schema_version", id="another schema"),
        pytest.param(changed(id="candidate"), DocumentError, "registry.json", id="a duplicate id"),
        pytest.param(changed(id="Baseline"), DocumentError, f"{FIRST}.id", id="an id in capitals"),
        pytest.param(changed(id="x" * 49), DocumentError, f"{FIRST}.id", id="an id too long"),
        pytest.param(changed(name="<b>"), DocumentError, f"{FIRST}.name", id="a name with markup"),
        pytest.param(changed(name="x" * 97), DocumentError, f"{FIRST}.name", id="a name too long"),
        pytest.param(changed(description="x" * 513), DocumentError, f"{FIRST}.description", id="a description too long"),
        pytest.param(without("router_origin"), DocumentError, f"{FIRST}.router_origin", id="no router origin"),
        pytest.param(without("envoy_origin"), DocumentError, f"{FIRST}.envoy_origin", id="no Envoy origin"),
        pytest.param(changed(envoy_origin=None), DocumentError, f"{FIRST}.envoy_origin", id="a null origin"),
        pytest.param(changed(router_origin="http://router/"), DocumentError, f"{FIRST}.router_origin", id="a trailing slash"),
        pytest.param(changed(envoy_origin=ROW["router_origin"]), DocumentError, FIRST, id="one origin twice"),
        pytest.param(changed(config_file="/etc/passwd"), DocumentError, f"{FIRST}.config_file", id="an absolute path"),
        pytest.param(changed(config_file="../config.yaml"), DocumentError, f"{FIRST}.config_file", id="a climbing path"),
        pytest.param(changed(config_file="a/../../c.yaml"), DocumentError, f"{FIRST}.config_file", id="a path that climbs later"),
        pytest.param(changed(config_file="./c.yaml"), DocumentError, f"{FIRST}.config_file", id="a path that is not clean"),
        pytest.param(changed(config_file="a//c.yaml"), DocumentError, f"{FIRST}.config_file", id="a path with an empty part"),
        pytest.param(changed(config_file="a\\c.yaml"), DocumentError, f"{FIRST}.config_file", id="a backslash"),
        pytest.param(changed(config_file="absent.yaml"), InputError, "absent.yaml", id="a config that is not there"),
        pytest.param(changed(config_file="baseline"), HostileFile, "baseline", id="a directory as config"),
        pytest.param(linked("registry.json"), HostileFile, "registry.json", id="a linked registry"),
        pytest.param(linked("candidate.yaml"), HostileFile, "candidate.yaml", id="a linked config"),
        pytest.param(linked("baseline"), HostileFile, "baseline/config.yaml", id="a linked directory on the way"),
        pytest.param(twice, HostileFile, "candidate.yaml", id="a hard link"),
        pytest.param(fifo, HostileFile, "candidate.yaml", id="a FIFO"),
        pytest.param(lambda root: overwrite(root, b" " * (1024 * 1024 + 1)), InputError, "registry.json", id="more than 1 MiB"),
        pytest.param(
            lambda root: overwrite(root, b'{"deployments":[],"deployments":[]}'),
            StrictReadError,
            "registry.json, line 1, column 19",
            id="a duplicate key",
        ),
        pytest.param(lambda root: (root / "registry.json").unlink(), InputError, "registry.json", id="no registry"),
        pytest.param(
            lambda root: (root / "candidate.yaml").write_text("a: &b 1"),
            StrictReadError,
            "candidate.yaml, line 1, column 4",
            id="an anchor in a config",
        ),
        pytest.param(
            config(lambda c: c["providers"]["models"][0]["pricing"].update(prompt_per_1m=0.0000001)),
            DocumentError,
            "candidate.yaml  providers.models[0].pricing.prompt_per_1m",
            id="a price between two micro-USD",
        ),
    ],
)
def test_a_hostile_directory_is_refused_with_its_place(
    directory: Path, spoil: Callable[[Path], object], refusal: type[EvaluationError], at: str
) -> None:
    spoil(directory)
    with pytest.raises(EvaluationError) as refused:
        open_deployments(directory, NOWHERE)
    assert type(refused.value) is refusal
    assert refused.value.at == at
    assert "baseline-router" not in str(refused.value)


@pytest.mark.parametrize("where", ["deployments", "parent"])
def test_a_link_to_the_directory_or_above_it_is_refused(directory: Path, where: str) -> None:
    link = directory.parent / "link"
    link.symlink_to(directory if where == "deployments" else directory.parent)
    with pytest.raises(HostileFile):
        open_deployments(link if where == "deployments" else link / "deployments", NOWHERE)


def test_a_directory_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        open_deployments(tmp_path / "absent", NOWHERE)


@pytest.mark.parametrize(
    "origin",
    [
        "http://router:8080",
        "https://router.example",
        "http://127.0.0.1:8899",
        "http://[::1]:8080",
        "https://a-b.c1:65535",
        "http://localhost",
        "https://router:80",
        "http://router:443",
        "http://xn--bcher-kva.example",
        "http://1password.example",
    ],
)
def test_canonical_origins(origin: str) -> None:
    assert canonical_origin(origin) == origin


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "router:8080",
        "ftp://router",
        "HTTP://router",
        "http://Router",
        "http://router/",
        "http://router/api",
        "http://router?x=1",
        "http://router#x",
        "http://user@router",
        "http://user:pw@router",
        "http://router:80",
        "https://router:443",
        "http://router:0",
        "http://router:65536",
        "http://router:08080",
        "http://router:",
        "http://",
        "http://rou ter",
        " http://router",
        "http://router\n",
        "http://router.",
        "http://.router",
        "http://a..b",
        "http://-a",
        "http://a-",
        "http://b\u00fccher.example",
        "http://127.1",
        "http://0x7f.0.0.1",
        "http://2130706433",
        "http://127.0.0.01",
        "http://256.0.0.1",
        "http://0x7f000001",
        "http://[::ffff:7f00:1]",
        "http://[0:0:0:0:0:0:0:1]",
        "http://[::1%25eth0]",
        "http://[::1",
        "http://" + "a" * 64,
        "http://ro_uter",
        "http:router",
        "http:///router",
        "//router",
        "http://a\\b",
    ],
)
def test_origins_in_another_spelling_are_refused_without_repeating_them(origin: str) -> None:
    with pytest.raises(ValueError) as refused:
        canonical_origin(origin)
    assert len(origin) < 9 or origin.strip() not in str(refused.value)
