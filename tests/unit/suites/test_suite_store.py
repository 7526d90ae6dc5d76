"""The suite store: what it keeps where, what it takes twice, and what it calls damage."""

import stat
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from contracts.errors import AlreadyExists, DocumentError, IntegrityError, UnknownName
from contracts.suites import SourceReceipt, SourceStatus, SuiteArtifact, SuiteClass, SuiteDescription, SuiteManifest
from contracts.tables import GRADING_CASES, VISIBLE_CASES
from contracts.tracks import Track
from evaluation_assets.suites.artifacts import GRADING_PATH, LICENCES_PATH, OUTCOMES_PATH, VISIBLE_PATH
from evaluation_assets.suites.install import install_tables
from evaluation_assets.suites.store_view import grading_cases, recorded_decisions, recorded_outcomes, visible_cases
from ledgers.store.suites import SuiteStore

NOW, LATER = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)
CASES = ("a", "b/1", "c")


def visible(cases: tuple[str, ...] = CASES, track: str = "routing") -> pa.Table:
    rows = [{"case_id": case, "tracks": [track], "tags": []} for case in cases]
    return pa.Table.from_pylist(rows, schema=VISIBLE_CASES)


def grading(cases: tuple[str, ...] = CASES, route: str | None = "m", weight: float = 1.0) -> pa.Table:
    return pa.Table.from_pylist([{"case_id": case, "weight": weight, "expected_route": route} for case in cases], schema=GRADING_CASES)


def describe(
    *, origin: str = "builtin", suite_id: str = "tiny", name: str = "tiny"
) -> Callable[[tuple[SuiteArtifact, ...]], SuiteDescription]:
    def described(artifacts: tuple[SuiteArtifact, ...]) -> SuiteDescription:
        return SuiteDescription(
            suite_id=suite_id,
            name=name,
            suite_class=SuiteClass.FIXTURE,
            adapter_id="none",
            normalizer_id="none",
            origin=origin,
            source=SourceReceipt(
                status=SourceStatus.BUILTIN, expected_source_revision=None, expected_dataset_revision=None, export_files=()
            ),
            decision_unit="case",
            action_space="model",
            split_protocol="none",
            tracks=(Track.ROUTING,),
            case_count=3,
            arm_ids=("m", "n"),
            grader_id="hidden-answer-exact.v1",
            data_classification="public",
            redistribution="allowed",
            limitations=("Tiny.",),
            quality_issues=(),
            artifacts=artifacts,
        )

    return described


def install(store: SuiteStore, *, now: datetime = NOW, weight: float = 1.0, **said: str) -> SuiteManifest:
    tables = {VISIBLE_PATH: visible(), GRADING_PATH: grading(weight=weight)}
    return install_tables(store, describe(**said), tables=tables, licences=b"{}", now=now)


@pytest.fixture
def store(tmp_path: Path) -> SuiteStore:
    tmp_path.chmod(0o700)
    return SuiteStore(tmp_path / "suites")


def files_below(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_an_empty_store_has_no_suites_and_reading_it_writes_nothing(store: SuiteStore) -> None:
    assert store.manifests() == []
    with pytest.raises(UnknownName):
        store.open("tiny")
    assert not store.directory.exists()


def test_roles_lie_apart_private_and_complete(store: SuiteStore) -> None:
    manifest = install(store)
    places = sorted(files_below(store.directory))
    assert [place.split("/")[:2] for place in places] == [
        ["index", "tiny.json"],
        ["manifests", "sha256"],
        ["objects", "grading"],
        ["objects", "metadata"],
        ["objects", "visible"],
    ]
    assert {stat.S_IMODE(path.stat().st_mode) for path in store.directory.rglob("*")} == {0o600, 0o700}
    assert store.artifact_path(manifest, VISIBLE_PATH).relative_to(store.directory).parts[:3] == ("objects", "visible", "sha256")


def test_what_was_installed_is_read_back(store: SuiteStore) -> None:
    manifest = install(store)
    assert store.open("tiny") == store.open_manifest(manifest.identity()) == manifest
    assert store.manifests() == [manifest]
    assert visible_cases(store, manifest).equals(visible())
    assert grading_cases(store, manifest, ["case_id"]).equals(grading().select(["case_id"]))
    assert recorded_outcomes(store, manifest) is recorded_decisions(store, manifest) is None
    assert store.artifact_bytes(manifest, LICENCES_PATH) == b"{}"
    with pytest.raises(UnknownName):
        store.table(manifest, OUTCOMES_PATH, VISIBLE_CASES)


def test_the_same_content_again_changes_no_byte(store: SuiteStore) -> None:
    first = install(store)
    before = files_below(store.directory)
    assert install(store, now=LATER) == first
    assert files_below(store.directory) == before


def test_other_content_under_a_taken_id_is_refused(store: SuiteStore) -> None:
    install(store, origin="user_provided_import")
    before = files_below(store.directory)
    for said in ({"origin": "user_provided_import", "name": "renamed"}, {"origin": "builtin"}):
        with pytest.raises(AlreadyExists):
            install(store, **said)
    with pytest.raises(AlreadyExists):
        install(store, weight=2.0, origin="user_provided_import")
    assert files_below(store.directory) == before


def test_a_builtin_suite_replaces_its_older_version_which_runs_still_find(store: SuiteStore) -> None:
    old = install(store)
    new = install(store, weight=2.0, now=LATER)
    assert new.revision != old.revision
    assert store.open("tiny") == new
    assert store.open_manifest(old.identity()) == old
    assert grading_cases(store, old)["weight"].to_pylist() == [1.0] * 3


def test_an_imported_suite_does_not_replace_a_builtin_one(store: SuiteStore) -> None:
    install(store)
    with pytest.raises(AlreadyExists):
        install(store, weight=2.0, origin="user_provided_import")


@pytest.mark.parametrize(
    ("place", "read"),
    [
        pytest.param("objects/visible", visible_cases, id="visible cases"),
        pytest.param("objects/grading", grading_cases, id="grading cases"),
        pytest.param("objects/metadata", lambda store, manifest: store.artifact_bytes(manifest, LICENCES_PATH), id="licences"),
        pytest.param("manifests", lambda store, _: store.open("tiny"), id="manifest"),
        pytest.param("index", lambda store, _: store.manifests(), id="index"),
    ],
)
@pytest.mark.parametrize(
    "damage",
    [lambda data: data + b" ", lambda data: data[:-1], lambda data: bytes([data[0] ^ 1]) + data[1:]],
    ids=["a byte more", "a byte less", "a bit flipped"],
)
def test_damage_is_found_when_the_bytes_are_read(
    store: SuiteStore, place: str, read: Callable[[SuiteStore, SuiteManifest], object], damage: Callable[[bytes], bytes]
) -> None:
    manifest = install(store)
    damaged = next(path for path in (store.directory / place).rglob("*") if path.is_file())
    damaged.write_bytes(damage(damaged.read_bytes()))
    with pytest.raises(IntegrityError):
        read(SuiteStore(store.directory), manifest)


def test_an_index_entry_that_names_another_suite_is_damage(store: SuiteStore) -> None:
    install(store)
    install(store, suite_id="other")
    index = store.directory / "index"
    (index / "tiny.json").write_bytes((index / "other.json").read_bytes())
    with pytest.raises(IntegrityError):
        store.open("tiny")


@pytest.mark.parametrize("name", ["", "..", "../objects", "tiny/../tiny", "a\0b"])
def test_a_name_that_is_no_id_is_unknown(store: SuiteStore, name: str) -> None:
    install(store)
    with pytest.raises(UnknownName):
        store.open(name)


WITH_LABEL = visible().append_column("expected_route", pa.array(["m"] * 3))
BROKEN: list[tuple[str, dict[str, pa.Table], str]] = [
    ("a label among visible columns", {VISIBLE_PATH: WITH_LABEL}, VISIBLE_PATH),
    ("grading of fewer cases", {GRADING_PATH: grading(("a", "b/1"))}, GRADING_PATH),
    ("grading in another order", {GRADING_PATH: grading(("b/1", "a", "c"))}, GRADING_PATH),
    ("cases out of order", {VISIBLE_PATH: visible(("b/1", "a", "c")), GRADING_PATH: grading(("b/1", "a", "c"))}, VISIBLE_PATH),
    ("a case twice", {VISIBLE_PATH: visible(("a", "a", "c")), GRADING_PATH: grading(("a", "a", "c"))}, VISIBLE_PATH),
    ("another number of cases", {VISIBLE_PATH: visible(("a", "c")), GRADING_PATH: grading(("a", "c"))}, VISIBLE_PATH),
    ("a track that the suite has not", {VISIBLE_PATH: visible(track="safety")}, f"{VISIBLE_PATH}, tracks"),
    ("a label of an unknown arm", {GRADING_PATH: grading(route="x")}, f"{GRADING_PATH}, expected_route"),
    ("a row of an unknown case", {"grading/extra.parquet": pa.table({"case_id": ["z"]})}, "grading/extra.parquet, case_id"),
]


@pytest.mark.parametrize(("tables", "at"), [pytest.param(tables, at, id=name) for name, tables, at in BROKEN])
def test_tables_that_contradict_each_other_are_refused(store: SuiteStore, tables: dict[str, pa.Table], at: str) -> None:
    with pytest.raises(DocumentError) as refusal:
        install_tables(store, describe(), tables={VISIBLE_PATH: visible(), GRADING_PATH: grading(), **tables}, licences=b"{}", now=NOW)
    assert refusal.value.at.startswith(at)
    assert files_below(store.directory) == {}
    assert list(store.directory.iterdir()) == []
