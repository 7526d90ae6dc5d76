"""Hidden labels, prompts, answers and case ids stay private: canaries put into a suite are found where they belong and nowhere else.

Public is: the report and its page, every file of the public list, the public half of the evidence index, and all of Dagster's home.
Each canary is also found in the private half (positive control), by the same search.
"""

import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from contracts.errors import DocumentError
from contracts.runs import RunState
from evaluation_assets import launch
from evaluation_assets.runs.state import fail
from ledgers.index.build import refresh
from ledgers.store.inventory import PUBLIC_FILES
from ledgers.store.layout import local_principal
from ledgers.store.store import Store
from tests.plain_runs import NOW, created, finish, new_store, run_id, smoke_request
from tests.unit.records.rows import observed, outcome
from tests.unit.suite_makers import fixture_suite

PROMPT, LABEL, ANSWER, CASE, PERSON = "canaryprompt71", "canarylabel72", "canaryanswer73", "canarycase74", "canaryperson75"
CANARIES = (PROMPT, LABEL, ANSWER, CASE)
CASES = (f"{CASE}-1", f"{CASE}-2")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def install(store: Store, *, broken: bool = False) -> None:
    """Right, wrong, failed and missing answers, so that every way of a cell is gone. `broken`: a cell was observed twice."""
    rows = [outcome(CASES[0], output_text=LABEL), outcome(CASES[0], "b", output_text=ANSWER), outcome(CASES[1], output_text=ANSWER)]
    routes = [{"case_id": case, "selected_arm_id": "a", "decision": ANSWER, "recipe": ANSWER} for case in CASES]
    routed = [
        {"case_id": CASES[0], "selected_arm_id": "a", "output_text": ANSWER, "decision": ANSWER},
        {"case_id": CASES[1], "status": "failed", "reason": "failed_call"},
    ]
    fixture_suite(
        store,
        "canaries",
        cases=dict.fromkeys(CASES, ("routing", "model_pool", "joint")),
        expected=dict.fromkeys(CASES, LABEL),
        messages=dict.fromkeys(CASES, f'[{{"content":"{PROMPT}","role":"user"}}]'),
        recorded={
            "outcomes": observed(*rows, *rows[:broken]),
            "routes": observed(*routes, table="routes"),
            "routed_outcomes": observed(*routed, table="routed_outcomes"),
        },
    )


def texts(path: Path) -> Iterator[str]:
    """All text of a file, also where it is packed: Parquet columns, and what SQLite keeps compressed."""
    data = path.read_bytes()
    yield data.decode("utf-8", errors="replace")
    yield str(path)
    if data.startswith(b"PAR1"):
        yield str(pq.read_table(path).to_pylist())
    if data.startswith(b"SQLite format 3"):
        with sqlite3.connect(path) as database:
            for (name,) in database.execute("select name from sqlite_master where type = 'table'").fetchall():
                yield from (_unpacked(cell) for row in database.execute(f'select * from "{name}"') for cell in row)


def _unpacked(cell: object) -> str:
    if isinstance(cell, bytes):
        try:
            return zlib.decompress(cell).decode("utf-8", errors="replace")
        except zlib.error:
            return cell.decode("utf-8", errors="replace")
    return str(cell)


def found(paths: Iterable[Path], words: tuple[str, ...] = CANARIES) -> dict[str, set[str]]:
    """word -> names of the files that hold it."""
    held: dict[str, set[str]] = {}
    for path in paths:
        if path.is_file():
            for text in texts(path):
                for word in words:
                    if word in text:
                        held.setdefault(word, set()).add(path.name)
    return held


def assert_private(store: Store) -> None:
    refresh(store)
    run = store.root / "runs" / run_id(1)
    public = [run / name for name in PUBLIC_FILES if (run / name).exists()]
    assert len(public) == 6
    assert {path.name for path in public} >= {"report.json", "report.html"}
    assert found(public) == {}
    assert list((store.root / "evidence" / "public").rglob("*.parquet"))
    assert found((store.root / "evidence" / "public").rglob("*")) == {}
    assert found((store.root / "audit").rglob("*")) == {}
    assert found([run / name for name in ("status.json", "control-events.jsonl", "lifecycle.json", "run-manifest.json")]) == {}
    private = found([*(store.root / "suites").rglob("*"), *run.rglob("*")])
    assert set(private) == set(CANARIES), "the search finds what is there"
    assert {ANSWER, CASE} <= set(found((run / "observations").rglob("*")))
    assert set(found((run / "records").rglob("*"))) >= {CASE}
    assert LABEL not in found((store.root / "suites" / "objects" / "visible").rglob("*"))


def test_a_plain_run_keeps_them(store: Store) -> None:
    install(store)
    finish(store, created(store, smoke_request(suite_ids=["canaries"], tracks=["routing", "model_pool", "joint"])))
    assert_private(store)


def test_records_hold_no_text_of_an_answer(store: Store) -> None:
    install(store)
    finish(store, created(store, smoke_request(suite_ids=["canaries"], tracks=["model_pool"])))
    records = (store.root / "runs" / run_id(1) / "records").rglob("*")
    assert set(found(records, (PROMPT, LABEL, ANSWER))) == set()


def test_a_run_that_fails_tells_none(store: Store) -> None:
    install(store, broken=True)
    run = created(store, smoke_request(suite_ids=["canaries"], tracks=["model_pool"]))
    with pytest.raises(DocumentError) as refused:
        finish(store, run)
    fail(run, refused.value, now=NOW)
    assert not any(word in str(refused.value) for word in CANARIES)
    assert found(run.path / name for name in ("status.json", "control-events.jsonl")) == {}


def test_the_name_of_a_person_is_nowhere(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.plain_runs.local_principal", lambda root, name: local_principal(root, PERSON))
    finish(store, created(store, smoke_request()))
    refresh(store)
    assert found([*store.root.rglob("*"), *(store.root.parent / "root.keys").rglob("*")], (PERSON,)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("broken", [False, True], ids=["a run that is sealed", "a run that fails"])
def test_dagster_never_sees_them(store: Store, monkeypatch: pytest.MonkeyPatch, broken: bool) -> None:
    from definitions import definitions_of

    monkeypatch.setenv("DAGSTER_HOME", "set by instance_of")
    install(store, broken=broken)
    run = created(store, smoke_request(suite_ids=["canaries"], tracks=["routing", "model_pool", "joint"], description=PROMPT))
    principal = local_principal(store.root, PERSON)
    with launch.instance_of(store) as instance:
        definitions = definitions_of(store, principal)
        if broken:
            with pytest.raises(DocumentError):
                launch.start(definitions, instance, store, run, principal=principal)
        else:
            launch.start(definitions, instance, store, run, principal=principal)
    home = list((store.root / "dagster").rglob("*"))
    assert found(home, (run.run_id,)), "the search finds what Dagster was told"
    assert found(home, (*CANARIES, PERSON)) == {}
    assert run.status().state is (RunState.FAILED if broken else RunState.COMPLETED)
    if not broken:
        _assert_sealed_private(store)


def _assert_sealed_private(store: Store) -> None:
    """As for a plain run, but for the manifest: this one's description, which is private, holds a canary."""
    manifest = store.root / "runs" / run_id(1) / "run-manifest.json"
    assert set(found([manifest])) == {PROMPT}
    run = manifest.parent
    assert found(run / name for name in PUBLIC_FILES) == {}
    refresh(store)
    assert found((store.root / "evidence" / "public").rglob("*")) == {}
