"""The graph is pinned: one line an asset, so that a change of the graph is a change of a sentence in tests/graph/graph.txt."""

from pathlib import Path

import dagster as dg
import pytest

from definitions import definitions_of
from evaluation_assets.jobs import JOBS
from tests.plain_runs import new_store

PINNED = Path(__file__).with_name("graph.txt")
PARTITION_OF_GROUP = {
    "benchmarks": "-",
    "suites": "suite",
    "targets": "-",
    "runs": "run",
    "execution": "run|suite",
    "records": "run|suite",
    "reductions": "run",
    "gates": "run",
    "reports": "run",
}


@pytest.fixture(scope="module")
def definitions(tmp_path_factory: pytest.TempPathFactory) -> dg.Definitions:
    return definitions_of(new_store(tmp_path_factory.mktemp("graph")), "sha256:" + "0" * 64)


def lines(definitions: dg.Definitions) -> list[str]:
    graph = definitions.resolve_asset_graph()
    checks: dict[str, list[str]] = {}
    for key in graph.asset_check_keys:
        checks.setdefault(key.asset_key.to_user_string(), []).append(key.name)
    found = []
    for key in sorted(graph.get_all_asset_keys()):
        node, name = graph.get(key), key.to_user_string()
        deps = ",".join(sorted(parent.to_user_string() for parent in node.parent_keys)) or "-"
        found.append(f"{name} {node.group_name} {_space(node.partitions_def)} {deps} {','.join(sorted(checks.get(name, []))) or '-'}")
    return found


def _space(partitions: dg.PartitionsDefinition | None) -> str:
    if isinstance(partitions, dg.MultiPartitionsDefinition):
        return "|".join(dimension.name for dimension in partitions.partitions_defs)
    return "-" if partitions is None else str(partitions.name)


def test_the_graph_is_the_pinned_one(definitions: dg.Definitions) -> None:
    assert lines(definitions) == PINNED.read_text().splitlines()


def test_a_removed_dependency_is_seen(definitions: dg.Definitions) -> None:
    removed = [
        line.replace("gates,", "", 1).replace(" gates ", " - ", 1) if line.startswith("report ") else line for line in lines(definitions)
    ]
    assert removed != PINNED.read_text().splitlines()


def test_one_package_is_one_group_and_one_partition_space(definitions: dg.Definitions) -> None:
    for line in lines(definitions):
        name, group, space, _, _ = line.split(" ")
        assert space == PARTITION_OF_GROUP[group], name


def test_names_are_short_enough_for_the_picture(definitions: dg.Definitions) -> None:
    too_long = [line.split()[0] for line in lines(definitions) if len(line.split()[0]) > 16]
    assert too_long == ["benchmark_inventory"]


def test_every_job_resolves(definitions: dg.Definitions) -> None:
    assert sorted(definitions.resolve_job_def(job.name).name for job in JOBS) == [
        "create_run",
        "execute_run",
        "freeze_run",
        "inventory",
        "judge_run",
        "start_run",
        "suites_job",
    ]


def test_every_gate_check_is_partitioned_by_run(definitions: dg.Definitions) -> None:
    graph = definitions.resolve_asset_graph()
    for key in graph.asset_check_keys:
        partitions = graph.get(key).partitions_def
        assert isinstance(partitions, dg.DynamicPartitionsDefinition)
        assert partitions.name == "run"
