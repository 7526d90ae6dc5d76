"""Targets on the command line: what is listed, what is refused, and that nothing which must stay private is shown."""

import json
from pathlib import Path

import pytest

from evaluation_assets.targets.reading import config_bytes
from tests.unit.surfaces.commands import answer, evalplane, refusal

PRIVATE = ("127.0.0.1:8801", "bundled/fern-small", "response_cache")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "router.yaml"
    path.write_bytes(config_bytes(None)[0])
    return path


def test_the_bundled_mixture_and_the_recorded_targets_are_listed(tmp_path: Path) -> None:
    rows = answer(tmp_path / "none", "target", "list")
    assert [row["target_id"] for row in rows[:2]] == ["fixture", "benchmark-source"]
    assert rows[2]["arm_ids"] == ["atlas-large", "fern-small", "iris-vision", "lathe-coder"]
    assert list(tmp_path.iterdir()) == []


def test_a_mixture_is_shown_with_exact_prices_and_without_what_is_private(tmp_path: Path) -> None:
    (target_id,) = (row["target_id"] for row in answer(tmp_path / "none", "target", "list") if row["kind"] == "mixture-of-models")
    shown = answer(tmp_path / "none", "target", "show", target_id)
    prices = {arm["arm_id"]: (arm["prices"]["input"], arm["prices"]["output"]) for arm in shown["mixture"]["arms"]}
    assert prices["fern-small"] == (50_000, 200_000)
    offered = {(offer["mode"], offer["track"]): offer["offered"] for offer in shown["tracks"]}
    assert offered["replay", "joint"]
    assert not any(value for (mode, _), value in offered.items() if mode == "live")
    assert {method["status"] for method in shown["methods"]} == {"data_required"}
    for extra in ([], ["--json"]):
        text = evalplane(tmp_path / "none", "target", "show", target_id[:12], *extra).stdout
        assert [word for word in PRIVATE if word in text] == []


def test_a_recipe_that_cannot_run_is_shown_with_its_reason(tmp_path: Path, config: Path) -> None:
    lines = config.read_text().splitlines(keepends=True)
    start = next(number for number, line in enumerate(lines) if line.startswith("  decisions:"))
    config.write_text("".join(lines[:start]) + "  decisions: []\n")
    (refused,) = (row for row in answer(tmp_path / "none", "target", "list", "--config", str(config)) if not row["runnable"])
    assert refused["target_id"] is None
    assert "empty_default" in refused["reasons"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        pytest.param(b"version: [", "input.strict_read", id="no YAML"),
        pytest.param(b"a: &x 1\nb: *x\n", "input.strict_read", id="an alias"),
        pytest.param(b"routing: 7\n", "document.invalid", id="another shape"),
    ],
)
def test_a_config_that_cannot_be_read_is_refused(tmp_path: Path, config: Path, data: bytes, code: str) -> None:
    config.write_bytes(data)
    assert refusal(tmp_path / "none", "target", "list", "--config", str(config))[0] == f"evalplane: {code}"


def test_a_registry_scopes_its_targets_and_a_hostile_one_is_refused(tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = tmp_path / "deployments"
    registry.mkdir()
    (registry / "router.yaml").write_bytes(config.read_bytes())
    row = {
        "id": "candidate",
        "name": "Candidate",
        "description": "The next pool",
        "config_file": "router.yaml",
        "router_origin": "http://candidate-router:8080",
        "envoy_origin": "http://candidate-envoy:8899",
    }
    document = {"schema_version": "evaluation-deployments.v1", "deployments": [row]}
    (registry / "registry.json").write_text(json.dumps(document))
    monkeypatch.setenv("EVALUATION_DEPLOYMENTS_DIR", str(registry))
    (target_id,) = (row["target_id"] for row in answer(tmp_path / "none", "target", "list") if row["kind"] == "mixture-of-models")
    assert target_id.startswith("candidate--mom-")
    assert "candidate-router" not in evalplane(tmp_path / "none", "target", "show", target_id, "--json").stdout
    (registry / "registry.json").write_text(json.dumps({**document, "deployments": [row | {"config_file": "../router.yaml"}]}))
    refusal(tmp_path / "none", "target", "list")


def test_a_config_that_moved_since_creation_refuses_the_start_and_names_the_factor(
    tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALUATION_ROUTER_CONFIG", str(config))
    root = tmp_path / "root"
    (target_id,) = (row["target_id"] for row in answer(root, "target", "list") if row["kind"] == "mixture-of-models")
    made = answer(root, "run", "create", "--target", target_id, "--suite", "live-mom-core", "--samples", "8")["run_id"]
    text = config.read_text()
    config.write_text(text.replace("prompt_per_1m: 1.5", "prompt_per_1m: 1.6"))
    assert "pool" in refusal(root, "run", "start", made)[1]
    assert answer(root, "run", "show", made)["status"] == "pending"
    config.write_text(text)
    assert answer(root, "run", "start", made)["run_id"] == made
    assert answer(root, "run", "show", made)["environment_kind"] == "counterfactual"
