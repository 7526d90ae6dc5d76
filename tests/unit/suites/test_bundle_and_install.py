"""suite-normalize and suite-install on the committed export: what is written, what is found when somebody touched it."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from contracts.canonical import digest_bytes
from contracts.errors import (
    AlreadyExists,
    DocumentError,
    EvaluationError,
    ExportError,
    HostileFile,
    InputError,
    IntegrityError,
    NotAdmitted,
    UnknownName,
)
from contracts.suites import InstallRequest, SuiteManifest
from evaluation_assets.suites import bundle as bundles
from evaluation_assets.suites.bundle import normalize_to_bundle
from evaluation_assets.suites.install import install_bundle
from evaluation_assets.suites.store_view import recorded_decisions, recorded_outcomes
from golden.fixtures.coderouterbench.generate import FILES
from ledgers.store.suites import SuiteStore

EXPORT = Path(__file__).parents[3] / "golden" / "fixtures" / "coderouterbench" / "export"
NOW, LATER = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)
PATHS = [
    "grading/cases.parquet",
    "grading/decisions.parquet",
    "grading/outcomes.parquet",
    "metadata/licenses.json",
    "visible/cases.parquet",
]


def quiet(_: str) -> None:
    """Progress is not looked at here."""


def normalize(
    output: Path, export: Path = EXPORT, *, adapter: str = "coderouterbench", suite_id: str = "crb", name: str = "CRB"
) -> InstallRequest:
    return normalize_to_bundle(adapter, suite_id=suite_id, name=name, export_root=export, output=output, progress=quiet)


def install(place: Path, export: Path = EXPORT, now: datetime = NOW) -> SuiteManifest:
    return install_bundle(
        SuiteStore(place / "suites"),
        request_path=place / "out" / "request.json",
        bundle=place / "out" / "bundle",
        export_root=export,
        now=now,
        progress=quiet,
    )


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with a normalized bundle in `out`; a store is made in `suites`."""
    tmp_path.chmod(0o700)
    normalize(tmp_path / "out")
    return tmp_path


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """A copy of the export that a test may change."""
    copy = tmp_path / "export"
    copy.mkdir()
    for name in FILES:
        (copy / name).write_bytes((EXPORT / name).read_bytes())
    return copy


def files_below(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_the_bundle_is_complete_described_and_labelled_unverified(place: Path) -> None:
    data = (place / "out" / "request.json").read_bytes()
    request = InstallRequest.parse(data, "request.json")
    assert request.canonical() == data
    assert sorted(files_below(place / "out" / "bundle")) == PATHS == [artifact.path for artifact in request.suite.artifacts]
    for artifact in request.suite.artifacts:
        found = (place / "out" / "bundle" / artifact.path).read_bytes()
        assert (artifact.digest, artifact.size_bytes) == (digest_bytes(found), len(found))
        assert (artifact.table_digest is None) == artifact.path.endswith(".json")
    suite = request.suite
    assert suite.source.status == "source_unverified"
    assert not suite.source.verified
    assert "Source not verified" in suite.limitations[0]
    assert [file.name for file in suite.source.export_files] == sorted(FILES)
    assert (suite.source.expected_source_revision or "")[:8] == "e43839ed"
    assert (suite.case_count, len(suite.arm_ids), suite.grader_id) == (24, 8, "source-recorded.v1")


def test_visible_files_hold_no_column_of_grading(place: Path) -> None:
    names = {path: set(pq.read_schema(place / "out" / "bundle" / path).names) for path in PATHS if path.endswith("parquet")}
    assert names["visible/cases.parquet"] & names["grading/cases.parquet"] == {"case_id"}
    assert names["visible/cases.parquet"] & names["grading/outcomes.parquet"] == {"case_id"}


def test_the_same_export_gives_the_same_bytes(place: Path) -> None:
    normalize(place / "again")
    assert files_below(place / "again") == files_below(place / "out")


def test_an_output_that_is_there_is_left_alone(place: Path) -> None:
    before = files_below(place)
    with pytest.raises(AlreadyExists):
        normalize(place / "out")
    assert files_below(place) == before


def test_a_refused_export_leaves_nothing_behind(export: Path) -> None:
    results = export / "id_test_results_long.csv"
    results.write_bytes(results.read_bytes()[:-3])
    with pytest.raises(ExportError):
        normalize(export.parent / "out", export)
    assert [path.name for path in export.parent.iterdir()] == ["export"]


def test_a_failure_while_writing_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(bundles, "publish_bytes", no_space)
    with pytest.raises(EvaluationError) as refusal:
        normalize(tmp_path / "out")
    assert refusal.value.code == "store.full"
    assert list(tmp_path.iterdir()) == []


ARGUMENTS: list[tuple[str, dict[str, str], type[EvaluationError]]] = [
    ("an unknown adapter", {"adapter": "other"}, UnknownName),
    ("a prefix of an adapter", {"adapter": "coderouter"}, UnknownName),
    ("an adapter whose parser does not ship", {"adapter": "r2bench"}, NotAdmitted),
    ("an adapter that can have no parser", {"adapter": "routereval"}, NotAdmitted),
    ("a suite id in capitals", {"suite_id": "CRB"}, DocumentError),
    ("a suite id that climbs", {"suite_id": "a..b"}, DocumentError),
    ("no name", {"name": ""}, DocumentError),
]


@pytest.mark.parametrize(("given", "error"), [pytest.param(given, error, id=name) for name, given, error in ARGUMENTS])
def test_wrong_arguments_are_refused_and_nothing_is_written(tmp_path: Path, given: dict[str, str], error: type[EvaluationError]) -> None:
    with pytest.raises(error):
        normalize(tmp_path / "out", **given)
    assert list(tmp_path.iterdir()) == []


def test_installed_suite_is_what_the_parser_makes(place: Path) -> None:
    manifest = install(place)
    store = SuiteStore(place / "suites")
    assert store.open("crb") == manifest
    assert manifest.suite == InstallRequest.parse((place / "out" / "request.json").read_bytes(), "").suite
    outcomes, decisions = recorded_outcomes(store, manifest), recorded_decisions(store, manifest)
    assert outcomes is not None
    assert decisions is not None
    assert (outcomes.num_rows, decisions.num_rows) == (24 * 8, 24)


def test_installing_again_changes_no_byte(place: Path) -> None:
    first = install(place)
    before = files_below(place / "suites")
    assert install(place, now=LATER) == first
    assert files_below(place / "suites") == before


def test_other_content_under_the_same_id_is_refused(place: Path, export: Path) -> None:
    first = install(place)
    lines = (export / "id_decisions.jsonl").read_bytes().splitlines(keepends=True)
    (export / "id_decisions.jsonl").write_bytes(b"".join(lines[1:]))
    (place / "out").rename(place / "first")
    normalize(place / "out", export)
    with pytest.raises(AlreadyExists):
        install(place, export)
    assert SuiteStore(place / "suites").open("crb") == first


def test_shuffled_rows_are_the_same_suite(place: Path, export: Path) -> None:
    first = install(place)
    for name in ("id_decisions.jsonl", "id_test_tasks.jsonl"):
        lines = (export / name).read_bytes().splitlines(keepends=True)
        (export / name).write_bytes(b"".join(lines[::-1]))
    results = export / "id_test_results_long.csv"
    header, *rows = results.read_bytes().splitlines(keepends=True)
    results.write_bytes(header + b"".join(rows[::-1]))
    (place / "out").rename(place / "first")
    again = normalize(place / "out", export)
    assert again.suite.revision() == first.revision
    assert files_below(place / "out" / "bundle") == files_below(place / "first" / "bundle")
    assert install(place, export) == first


def edit_request(place: Path, change: Callable[[dict[str, object]], object], *, redigest: bool = False) -> None:
    path = place / "out" / "request.json"
    document = json.loads(path.read_bytes())
    change(document["suite"])
    if redigest:
        for artifact in document["suite"]["artifacts"]:
            data = (place / "out" / "bundle" / artifact["path"]).read_bytes()
            artifact.update(digest=digest_bytes(data), size_bytes=len(data))
    path.write_text(json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False))


def rewrite_outcomes(place: Path, *, consistent: bool) -> None:
    """Raises one recorded quality, and with `consistent` also the digest in the request: only the parser can tell then."""
    path = place / "out" / "bundle" / "grading" / "outcomes.parquet"
    table = pq.read_table(path)
    place_of = table.column_names.index("quality")
    quality = table["quality"].to_pylist()
    quality[0] = 1.0 - quality[0] / 2
    pq.write_table(table.set_column(place_of, table.schema.field("quality"), [quality]), path)
    if consistent:
        edit_request(place, lambda _: None, redigest=True)


def recompress(place: Path) -> None:
    path = place / "out" / "bundle" / "visible" / "cases.parquet"
    pq.write_table(pq.read_table(path), path, compression="none")
    edit_request(place, lambda _: None, redigest=True)


def replace_by_link(place: Path, link: Callable[[Path, Path], object]) -> None:
    path = place / "out" / "bundle" / "visible" / "cases.parquet"
    path.rename(place / "elsewhere")
    link(place / "elsewhere", path)


TAMPERED: list[tuple[str, Callable[[Path], object], type[EvaluationError], str]] = [
    ("an extra file", lambda p: (p / "out/bundle/visible/run.py").write_text("x"), InputError, "bundle"),
    ("an extra file beside the roles", lambda p: (p / "out/bundle/README").write_text("x"), InputError, "bundle"),
    ("an extra directory", lambda p: (p / "out/bundle/visible/more").mkdir(), InputError, "bundle"),
    ("a missing file", lambda p: (p / "out/bundle/metadata/licenses.json").unlink(), InputError, "metadata/licenses.json"),
    ("a missing directory", lambda p: (p / "out/bundle/visible").rename(p / "gone"), InputError, "visible/cases.parquet"),
    ("a symbolic link", lambda p: replace_by_link(p, lambda old, new: new.symlink_to(old)), HostileFile, "bundle"),
    ("a hard link", lambda p: replace_by_link(p, lambda old, new: new.hardlink_to(old)), HostileFile, "bundle"),
    ("a FIFO", lambda p: replace_by_link(p, lambda _, new: os.mkfifo(new)), HostileFile, "bundle"),
    ("a directory as file", lambda p: replace_by_link(p, lambda _, new: new.mkdir()), InputError, "bundle"),
    (
        "a linked directory",
        lambda p: ((p / "out/bundle/visible").rename(p / "v"), (p / "out/bundle/visible").symlink_to(p / "v")),
        HostileFile,
        "bundle",
    ),
    ("a byte more", lambda p: (p / "out/bundle/metadata/licenses.json").open("ab").write(b" "), IntegrityError, "metadata/licenses.json"),
    (
        "a wrong digest",
        lambda p: edit_request(p, lambda s: s["artifacts"][0].update(digest="sha256:" + "0" * 64)),  # type: ignore[index]
        IntegrityError,
        "grading/cases.parquet",
    ),
    ("an outcome changed", lambda p: rewrite_outcomes(p, consistent=False), IntegrityError, "grading/outcomes.parquet"),
    ("an outcome changed with its digest", lambda p: rewrite_outcomes(p, consistent=True), IntegrityError, "grading/outcomes.parquet"),
    ("the same rows in other bytes", recompress, IntegrityError, "visible/cases.parquet"),
    ("a limitation dropped", lambda p: edit_request(p, lambda s: s.update(limitations=["Fine."])), IntegrityError, "request.json"),
    (
        "verified by the author",
        lambda p: edit_request(p, lambda s: s["source"].update(status="verified")),  # type: ignore[index]
        IntegrityError,
        "request.json",
    ),
    ("an arm added", lambda p: edit_request(p, lambda s: s["arm_ids"].append("zeta")), IntegrityError, "request.json"),  # type: ignore[attr-defined]
    ("another adapter", lambda p: edit_request(p, lambda s: s.update(adapter_id="r2bench")), NotAdmitted, "adapter r2bench"),
    ("an unknown field", lambda p: edit_request(p, lambda s: s.update(stars=5)), DocumentError, "request.json  suite.stars"),
    (
        "a request with blanks",
        lambda p: (p / "out/request.json").write_bytes((p / "out/request.json").read_bytes() + b"\n"),
        IntegrityError,
        "request.json",
    ),
]


@pytest.mark.parametrize(("tamper", "error", "at"), [pytest.param(tamper, error, at, id=name) for name, tamper, error, at in TAMPERED])
def test_a_touched_bundle_is_refused(place: Path, tamper: Callable[[Path], object], error: type[EvaluationError], at: str) -> None:
    tamper(place)
    with pytest.raises(error) as refusal:
        install(place)
    assert type(refusal.value) is error
    assert refusal.value.at == at
    assert files_below(place / "suites") == {}


def test_a_changed_export_is_found_by_the_parser(place: Path, export: Path) -> None:
    text = (export / "models.json").read_bytes()
    (export / "models.json").write_bytes(text.replace(b"Alpha", b"Gamma"))
    with pytest.raises(IntegrityError) as refusal:
        install(place, export)
    assert refusal.value.at == "request.json"
