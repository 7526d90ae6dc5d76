"""Sealing: what is listed where, in which order things become true, and that a seal is given once."""

from pathlib import Path

import pytest

from contracts.canonical import digest_bytes
from contracts.errors import IntegrityError, UnknownName, WrongState
from contracts.pool_pictures import PoolPicture
from contracts.reports import Report, ReportAnchor
from contracts.runs import Lifecycle, RunState
from evaluation_assets.reports.sealing import bound_control, control_digest, seal_run, sealed_report
from evaluation_assets.reports.verification import verify_run
from evaluation_assets.targets.subjects import BUNDLED
from ledgers.store.inventory import ANCHOR, MUTABLE_FILES, PRIVATE_LIST, PUBLIC_LIST, read_checksums, sealed_files
from ledgers.store.reading import sha256_file
from ledgers.store.runs import RunDirectory
from ledgers.store.store import Store
from tests.builders import pool_picture
from tests.plain_runs import NOW, created, finish, new_store, run_id, sealed, smoke_request

WHO = "sha256:" + "1" * 64


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


@pytest.fixture
def run(store: Store) -> RunDirectory:
    """Sealed."""
    sealed(store, smoke_request())
    return store.run(run_id(1))


def clean(store: Store, run: RunDirectory) -> bool:
    return verify_run(store, RunDirectory(run.path), digests_only=True, progress=lambda stage, done, total: None).clean


def test_every_file_is_in_exactly_one_place(run: RunDirectory) -> None:
    found = {str(path.relative_to(run.path)) for path in run.path.rglob("*") if path.is_file()}
    public, private = read_checksums(run.path, PUBLIC_LIST), read_checksums(run.path, PRIVATE_LIST)
    assert not set(public) & set(private)
    assert found == set(public) | set(private) | {PUBLIC_LIST, PRIVATE_LIST, ANCHOR, *MUTABLE_FILES}
    assert set(public) == {"report.json", "report.html", "metrics.json", "gates.json", "provenance.json", "failure-summary.json"}
    assert (list(public), list(private)) == sealed_files(run.path)
    assert all(sha256_file(run.path / name) == digest for name, digest in {**public, **private}.items())


def test_lists_are_what_sha256sum_checks(run: RunDirectory) -> None:
    for name in (PUBLIC_LIST, PRIVATE_LIST):
        for line in run.read(name).decode().splitlines():
            digest, path = line.split("  ")
            assert sha256_file(run.path / path) == f"sha256:{digest}"


def test_the_anchor_binds_lists_manifest_report_and_gates(store: Store, run: RunDirectory) -> None:
    anchor = run.document(ANCHOR, ReportAnchor)
    assert (anchor.manifest, anchor.report, anchor.gates, anchor.public_checksums, anchor.private_checksums) == tuple(
        digest_bytes(run.read(name)) for name in ("run-manifest.json", "report.json", "gates.json", PUBLIC_LIST, PRIVATE_LIST)
    )
    report = run.document("report.json", Report)
    assert anchor.result_digest == report.result_digest == run.status().result_digest
    assert {record.digest: record.action for record in store.audit.records()}[anchor.audit_head] == "seal"
    assert bound_control(store, run) == control_digest(run)


def test_the_events_tell_it_in_order(store: Store, run: RunDirectory) -> None:
    assert [event.type for event in run.events()] == ["created", "started", "sealing", "completed"]
    assert [record.action for record in store.audit.records()] == ["create", "start", "seal", "complete"]


def test_sealing_again_changes_nothing(store: Store, run: RunDirectory) -> None:
    before = {path: path.read_bytes() for path in store.root.rglob("*") if path.is_file()}
    assert seal_run(store, run, principal=WHO, now=NOW) == sealed_report(run)
    assert {path: path.read_bytes() for path in store.root.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("name", ["status.json", "lifecycle.json", "control-events.jsonl"])
def test_sealing_again_blesses_no_change(store: Store, run: RunDirectory, name: str) -> None:
    """Whoever edits a mutable file of a sealed run can't have it bound by asking for the report once more."""
    if name == "control-events.jsonl":
        (run.path / name).write_bytes(run.read(name) * 2)
    elif name == "lifecycle.json":
        changed = run.document(name, Lifecycle).model_copy(update={"evidence_hold": True})
        (run.path / name).write_bytes(changed.canonical())
    else:
        (run.path / name).write_bytes(run.status().model_copy(update={"stage": "other"}).canonical())
    assert not clean(store, run)
    seal_run(store, run, principal=WHO, now=NOW)
    assert not clean(store, run)


def test_before_it_is_sealed_there_is_no_report_and_nothing_to_verify(store: Store) -> None:
    run = created(store, smoke_request())
    for ask in (lambda: sealed_report(run), lambda: clean(store, run)):
        with pytest.raises(UnknownName) as refused:
            ask()
        assert refused.value.fix == f"evalplane run start {run.run_id}"
    with pytest.raises(WrongState):
        seal_run(store, run, principal=WHO, now=NOW)


class Stopped(BaseException):
    """Stands for a kill: nothing catches it."""


@pytest.mark.parametrize(
    ("where", "state"),
    [
        pytest.param("evaluation_assets.reports.sealing.build_report", RunState.SEALING, id="before the report"),
        pytest.param("evaluation_assets.reports.sealing.render", RunState.SEALING, id="between report and page"),
        pytest.param("evaluation_assets.reports.sealing.checksum_list", RunState.SEALING, id="before the lists"),
        pytest.param("evaluation_assets.reports.sealing.ReportAnchor", RunState.SEALING, id="between lists and anchor"),
        pytest.param("evaluation_assets.reports.sealing.control_digest", RunState.SEALING, id="between anchor and its record"),
        pytest.param("ledgers.store.runs.RunDirectory.replace_status", RunState.RUNNING, id="before any status"),
    ],
)
def test_a_sealing_that_stopped_goes_on(store: Store, monkeypatch: pytest.MonkeyPatch, where: str, state: RunState) -> None:
    expected = sealed(new_store(store.root.parent / "undisturbed"), smoke_request()).result_digest
    run = created(store, smoke_request())

    def stop(*_: object, **__: object) -> None:
        raise Stopped

    from evaluation_assets.reports import sealing

    real = sealing.seal_run
    with monkeypatch.context() as patch:

        def seal(*args: object, **named: object) -> Report:
            patch.setattr(where, stop)
            return real(*args, **named)  # type: ignore[arg-type]

        patch.setattr("tests.plain_runs.seal_run", seal)
        with pytest.raises(Stopped):
            finish(store, run)
    assert run.status().state is state
    assert finish(store, run).result_digest == expected
    assert clean(store, run)


def test_a_killed_process_can_leave_no_completed_run_that_is_not_bound(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """`completed` is the last thing that is written: at every status before, somebody still has to finish."""
    run = created(store, smoke_request())
    bound: list[tuple[RunState, bool]] = []
    real = RunDirectory.replace_status

    def watched(self: RunDirectory, status: object) -> None:
        real(self, status)  # type: ignore[arg-type]
        bound.append((self.status().state, self.exists(ANCHOR) and bound_control(store, self) == control_digest(self)))

    monkeypatch.setattr(RunDirectory, "replace_status", watched)
    finish(store, run)
    assert bound == [(RunState.RUNNING, False), (RunState.SEALING, False), (RunState.COMPLETED, True)]


def test_another_report_under_a_sealed_name_is_refused(store: Store, run: RunDirectory) -> None:
    with pytest.raises(IntegrityError):
        run.publish_bytes("report.html", b"<html>other</html>")


def test_a_run_of_another_version_is_compared_by_bytes_alone(store: Store, run: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluation_assets.reports.verification.code_revision", lambda: "sha256:" + "0" * 64)
    result = verify_run(store, run, digests_only=False, progress=lambda stage, done, total: None)
    assert (result.clean, result.recomputed) == (True, False)
    assert "another version" in (result.note or "")


@pytest.mark.parametrize(
    "line",
    [
        "short  report.json",
        "0" * 64 + " report.json",
        "0" * 64 + "  ../report.json",
        "0" * 64 + "  a/../b",
        "0" * 64 + "  /etc/passwd",
        "0" * 64 + "  a\tb",
        "A" * 64 + "  report.json",
        "",
        "0" * 64 + "  report.json\n" + "0" * 64 + "  report.json",
    ],
)
def test_a_list_that_is_none_is_refused(run: RunDirectory, line: str) -> None:
    (run.path / PUBLIC_LIST).write_text(line + "\n")
    with pytest.raises(IntegrityError):
        read_checksums(run.path, PUBLIC_LIST)


def test_the_report_carries_the_picture_that_the_metrics_agree_with(store: Store, run: RunDirectory) -> None:
    report = sealed_report(run)
    values = {metric.metric_id: metric.value for metric in report.metrics if metric.slice == "all"}
    assert report.subject is None
    assert report.pool == run.document("reductions/pool_picture.json", PoolPicture)
    assert sum(arm.best_alone for arm in report.pool.arms) == values["model_pool.unique_wins"]
    assert report.pool.unsolved_cases == values["model_pool.zero_oracle_case_count"]
    assert sum(arm.selected > 0 for arm in report.pool.arms) == values["routing.selected_arm_count"]


def test_a_run_without_the_pool_has_no_picture(store: Store) -> None:
    assert sealed(store, smoke_request(tracks=["routing"])).pool is None
    assert not store.run(run_id(1)).exists("reductions/pool_picture.json")


def test_verify_draws_the_picture_again(store: Store, run: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    other = pool_picture(("9999", "xxxx"))
    monkeypatch.setattr("evaluation_assets.reports.verification.repeated_picture", lambda store, run: other)
    result = verify_run(store, run, digests_only=False, progress=lambda stage, done, total: None)
    assert [problem.path for problem in result.problems] == ["reductions/pool_picture.json"]


def test_a_mixture_is_the_subject_of_its_report(store: Store) -> None:
    (target_id, mixture), *_ = BUNDLED.mixtures().items()
    tracks = ["routing", "model_pool", "joint"]
    report = sealed(store, smoke_request(suite_ids=["live-mom-core"], target_id=target_id, tracks=tracks, sample_limit=4))
    assert report.subject == mixture
    assert report.suites[0].arm_ids == tuple(arm.arm_id for arm in mixture.arms)
    result = verify_run(store, store.run(run_id(1)), digests_only=False, progress=lambda stage, done, total: None)
    assert (result.clean, result.recomputed) == (True, True)
