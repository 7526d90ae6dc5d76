"""The same run through Dagster and without it; a wiped Dagster home; partitions that nobody admitted."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from contracts.errors import EvaluationError, StoreError, UnknownName, WrongState
from contracts.runs import RunState
from definitions import definitions_of
from evaluation_assets import launch
from ledgers.store.layout import local_principal
from ledgers.store.store import Store
from tests.plain_runs import created, new_store, run_id, sealed, smoke_request

PRINCIPAL_NAME = "tester"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def instance(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[dg.DagsterInstance]:
    monkeypatch.setenv("DAGSTER_HOME", "set by instance_of")
    with launch.instance_of(store) as opened:
        yield opened


def start(store: Store, instance: dg.DagsterInstance, number: int = 1) -> str:
    principal = local_principal(store.root, PRINCIPAL_NAME)
    return launch.start(definitions_of(store, principal), instance, store, store.run(run_id(number)), principal=principal).result_digest


def test_dagster_and_the_plain_library_seal_the_same_result(store: Store, instance: dg.DagsterInstance, tmp_path: Path) -> None:
    created(store, smoke_request())
    assert start(store, instance) == sealed(new_store(tmp_path / "plain"), smoke_request(), 7).result_digest


def test_metrics_gates_and_checks_show_in_dagster(store: Store, instance: dg.DagsterInstance) -> None:
    created(store, smoke_request())
    start(store, instance)
    event = instance.get_latest_materialization_event(dg.AssetKey("model_pool"))
    assert event is not None
    assert event.asset_materialization is not None
    table = event.asset_materialization.metadata["all_cases"]
    assert isinstance(table, dg.TableMetadataValue)
    shown = {record.data["metric"]: record.data["value"] for record in table.records}
    assert float(str(shown["model_pool.oracle_quality"])) == 1.0
    checks = {
        check.name: instance.event_log_storage.get_latest_asset_check_execution_by_key([check])[check].status.value
        for check in [dg.AssetCheckKey(dg.AssetKey("gates"), f"G{number}") for number in range(10)]
    }
    assert {name for name, status in checks.items() if status == "SUCCEEDED"} == {"G0", "G1"}


def test_a_wiped_home_is_told_again_what_the_store_knows(store: Store, instance: dg.DagsterInstance) -> None:
    created(store, smoke_request())
    start(store, instance)
    shutil.rmtree(store.root / "dagster")
    with launch.instance_of(store) as fresh:
        assert launch.project(store, fresh) == 1
        assert launch.project(store, fresh) == 0
        assert fresh.get_materialized_partitions(dg.AssetKey("report")) == {run_id(1)}
        assert fresh.get_materialized_partitions(dg.AssetKey("records")) == {f"{run_id(1)}|evaluation-smoke"}


def test_pruning_hides_no_run(store: Store, instance: dg.DagsterInstance) -> None:
    created(store, smoke_request())
    start(store, instance)
    assert launch.prune(store, instance, keep=0) == 3
    assert instance.get_runs_count() == 0
    assert instance.get_materialized_partitions(dg.AssetKey("report")) == {run_id(1)}


def test_a_partition_that_the_store_lacks_is_refused(store: Store, instance: dg.DagsterInstance) -> None:
    definitions = definitions_of(store, local_principal(store.root, PRINCIPAL_NAME))
    instance.add_dynamic_partitions("run", [run_id(9)])
    with pytest.raises(UnknownName):
        definitions.resolve_job_def("freeze_run").execute_in_process(instance=instance, partition_key=run_id(9))


def test_a_run_that_was_not_started_is_refused(store: Store, instance: dg.DagsterInstance) -> None:
    run = created(store, smoke_request())
    launch.sync_partitions(store, instance)
    definitions = definitions_of(store, local_principal(store.root, PRINCIPAL_NAME))
    with pytest.raises(WrongState):
        definitions.resolve_job_def("freeze_run").execute_in_process(instance=instance, partition_key=run.run_id)
    assert run.status().state is RunState.PENDING


def test_the_ui_jobs_create_and_start_one_run(store: Store, instance: dg.DagsterInstance) -> None:
    definitions = definitions_of(store, local_principal(store.root, PRINCIPAL_NAME))
    assert definitions.resolve_job_def("create_run").execute_in_process(instance=instance).success
    (made,) = store.run_ids()
    assert instance.get_dynamic_partitions("run") == [made]
    started = definitions.resolve_job_def("start_run").execute_in_process(
        instance=instance, run_config={"ops": {"start_run_op": {"config": {"run_id": made}}}}
    )
    assert started.success
    assert store.run(made).status().state is RunState.COMPLETED


def test_a_failing_step_ends_the_run_as_failed_with_its_code(
    store: Store, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = created(store, smoke_request())
    definitions = definitions_of(store, local_principal(store.root, PRINCIPAL_NAME))

    def refuse(*_: object) -> None:
        raise WrongState("Nothing works today.")

    monkeypatch.setattr("evaluation_assets.execution.assets.publish_observations", refuse)
    with pytest.raises(EvaluationError):
        launch.start(definitions, instance, store, run, principal=local_principal(store.root, PRINCIPAL_NAME))
    assert run.status().state is RunState.FAILED
    assert run.status().error is not None
    monkeypatch.undo()
    assert start(store, instance) == run.status().result_digest


def test_a_bug_keeps_its_text_out_of_dagster(store: Store, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch) -> None:
    run = created(store, smoke_request())
    definitions = definitions_of(store, local_principal(store.root, PRINCIPAL_NAME))

    def break_down(*_: object) -> None:
        raise ZeroDivisionError("canary-7f3a")

    monkeypatch.setattr("evaluation_assets.execution.assets.publish_observations", break_down)
    with pytest.raises(Exception, match="ZeroDivisionError"):
        launch.start(definitions, instance, store, run, principal=local_principal(store.root, PRINCIPAL_NAME))
    home = store.root / "dagster"
    assert not [path for path in home.rglob("*") if path.is_file() and b"canary-7f3a" in path.read_bytes()]


@pytest.mark.parametrize(
    ("keys", "wanted", "blocks"),
    [
        pytest.param(["a", "b", "c"], ["a", "b", "c"], [("a", "c")], id="unbroken"),
        pytest.param(["a", "b", "c"], ["a", "c"], [("a", "a"), ("c", "c")], id="a gap makes two ranges"),
        pytest.param(["c", "a", "b"], ["a", "c"], [("c", "a")], id="the order is that of the keys, not of the alphabet"),
    ],
)
def test_blocks_are_contiguous_in_key_order(keys: list[str], wanted: list[str], blocks: list[tuple[str, str]]) -> None:
    assert launch.contiguous_blocks(keys, wanted) == blocks


def test_a_dead_process_leaves_no_started_run(store: Store, instance: dg.DagsterInstance) -> None:
    definitions = definitions_of(store, local_principal(store.root, PRINCIPAL_NAME))
    job = definitions.resolve_job_def("inventory")
    stale = instance.create_run_for_job(job, status=dg.DagsterRunStatus.STARTED, tags={"evalplane/process": "1@another-boot"})
    launch.fail_dead_runs(instance)
    record = instance.get_run_by_id(stale.run_id)
    assert record is not None
    assert record.status is dg.DagsterRunStatus.FAILURE


def test_a_broken_home_says_what_to_delete(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAGSTER_HOME", "set by instance_of")
    (launch.dagster_home(store) / "dagster.yaml").write_bytes(b"storage: {")
    with pytest.raises(StoreError, match="can't be opened") as refused, launch.instance_of(store):
        pytest.fail("a broken home was opened")
    assert "dagster/" in refused.value.fix


def test_processes_that_start_at_once_share_one_new_home(store: Store) -> None:
    code = "import sys; from pathlib import Path; from evaluation_assets import launch; from ledgers.store.store import Store\n"
    code += "with launch.instance_of(Store.open(Path(sys.argv[1]))) as instance: print(instance.get_dynamic_partitions('run'))"
    for number in (1, 2, 3):
        created(store, smoke_request(seed=number), number)
    command = [sys.executable, "-W", "ignore", "-c", code, str(store.root)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    ended = [process.communicate() for process in started]
    assert [process.returncode for process in started] == [0, 0, 0], ended
    assert {out for out, _ in ended} == {f"{[run_id(1), run_id(2), run_id(3)]}\n"}
