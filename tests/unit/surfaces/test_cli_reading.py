"""Commands that read: one JSON document each, text for people beside it, sealed bytes or none, and no hidden label anywhere."""

import json
from pathlib import Path

import pytest

from contracts.catalogs import execution_catalog, fixture_cohort, gate_policy, metric_catalog
from contracts.gates import Verdict
from contracts.tables import OUTCOMES, ROUTES
from evaluation_assets.benchmarks.inventory import inventory
from ledgers.store.store import Store
from tests.plain_runs import created, run_id, smoke_request
from tests.unit.surfaces.commands import answer, evalplane, refusal

RUN = run_id(1)
LISTS = (
    ("benchmarks",),
    ("normalizers",),
    ("executors",),
    ("profiles",),
    ("metrics",),
    ("suite", "list"),
    ("run", "list"),
    ("run", "events", "latest"),
    ("cases", "latest"),
    ("sql", "select gate, verdict from gates order by gate"),
)
OBJECTS = (
    ("catalog",),
    ("benchmarks", "coderouterbench"),
    ("normalizers", "coderouterbench"),
    ("suite", "show", "evaluation-smoke"),
    ("run", "show", "latest"),
    ("report", "latest"),
    ("gates", "latest"),
    ("cases", "latest", "reasoning-1"),
    ("config",),
    ("evidence", "path"),
    ("verify", "latest", "--digests-only"),
)


def words(arguments: tuple[str, ...]) -> str:
    return " ".join(arguments)


@pytest.mark.parametrize("arguments", LISTS, ids=words)
def test_a_list_is_an_array_of_objects(arguments: tuple[str, ...], sealed_root: Path) -> None:
    rows = answer(sealed_root, *arguments)
    assert rows
    assert {type(row) for row in rows} == {dict}
    assert len({tuple(row) for row in rows}) == 1, "every object has the same keys"


@pytest.mark.parametrize("arguments", OBJECTS, ids=words)
def test_one_thing_is_an_object(arguments: tuple[str, ...], sealed_root: Path) -> None:
    assert isinstance(answer(sealed_root, *arguments), dict)


@pytest.mark.parametrize("arguments", [*LISTS, *OBJECTS], ids=words)
def test_text_for_people_is_no_json_and_is_there(arguments: tuple[str, ...], sealed_root: Path) -> None:
    shown = evalplane(sealed_root, *arguments).stdout
    assert shown.strip()
    with pytest.raises(json.JSONDecodeError):
        json.loads(shown)


def test_catalogs_are_complete(sealed_root: Path) -> None:
    assert [row["adapter_id"] for row in answer(sealed_root, "benchmarks")] == [row.adapter_id for row in inventory().benchmarks]
    assert [row["metric_id"] for row in answer(sealed_root, "metrics")] == [row.metric_id for row in metric_catalog().metrics]
    assert [row["executor_id"] for row in answer(sealed_root, "executors")] == [row.executor_id for row in execution_catalog().executors]
    known = answer(sealed_root, "catalog")
    assert [row["target_id"] for row in known["targets"]][:2] == ["fixture", "benchmark-source"]
    assert [row["kind"] for row in known["targets"]][2:] == ["mixture-of-models"]
    assert known["change_profiles"] == [row.profile for row in gate_policy().profiles]
    runnable = answer(sealed_root, "normalizers", "--runnable-only")
    assert [row["normalizer_id"] for row in runnable] == [row.normalizer_id for row in inventory().normalizers if row.available]
    assert answer(sealed_root, "profiles")[0]["dispositions"]["G4"] == "required"


@pytest.mark.parametrize(
    "arguments",
    [
        ("benchmarks", "nope"),
        ("normalizers", "nope"),
        ("suite", "show", "nope"),
        ("cases", "latest", "nope"),
        ("run", "show", "nope"),
    ],
)
def test_an_unknown_name_is_refused(arguments: tuple[str, ...], sealed_root: Path) -> None:
    assert refusal(sealed_root, *arguments)[0] == "evalplane: name.unknown"


@pytest.mark.parametrize("wanted", ["latest", RUN, RUN[:8]], ids=["latest", "whole id", "prefix"])
def test_a_run_has_three_names(wanted: str, sealed_root: Path) -> None:
    assert answer(sealed_root, "run", "show", wanted)["run_id"] == RUN


def test_a_run_shows_what_it_froze_and_its_result(sealed_root: Path) -> None:
    shown = answer(sealed_root, "run", "show", "latest")
    report = answer(sealed_root, "report", "latest")
    (row,) = answer(sealed_root, "run", "list")
    assert shown["result_digest"] == report["result_digest"] == row["result_digest"]
    assert (shown["status"], shown["evidence_level"], row["status"], row["evidence_level"]) == ("completed", "E0", "completed", "E0")
    assert shown["manifest"]["run_id"] == row["run_id"] == RUN
    assert shown["sealed_at"] == row["sealed_at"]


def test_the_report_is_the_sealed_one_byte_for_byte(sealed_root: Path) -> None:
    result = evalplane(sealed_root, "report", "latest", "--json")
    assert result.stdout_bytes == Store.open(sealed_root).run(RUN).read("report.json") + b"\n"


def test_the_page_is_copied(sealed_root: Path, tmp_path: Path) -> None:
    evalplane(sealed_root, "report", "latest", "--html", str(tmp_path / "report.html"))
    assert (tmp_path / "report.html").read_bytes() == Store.open(sealed_root).run(RUN).read("report.html")
    assert refusal(sealed_root, "report", "latest", "--html", str(tmp_path / "none" / "report.html"))[0] == "evalplane: input.invalid"


def test_gates_tell_every_verdict_and_what_is_missing(sealed_root: Path) -> None:
    shown = answer(sealed_root, "gates", "latest")
    assert shown["run_id"] == RUN
    assert [gate["gate"] for gate in shown["gates"]] == [f"G{number}" for number in range(10)]
    text = evalplane(sealed_root, "gates", "latest").stdout
    for gate in shown["gates"]:
        assert gate["rationale"] in text
        assert all(name in text for name in gate["missing"])
        assert bool(gate["missing"]) is (gate["verdict"] == Verdict.UNAVAILABLE)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        pytest.param([], 0, id="reading is no check"),
        pytest.param(["--check"], 1, id="a required gate is unavailable"),
        pytest.param(["--check", "--only", "G0"], 0, id="the one gate passes"),
        pytest.param(["--check", "--only", "G3"], 1, id="the one gate is unavailable, though only advisory"),
        pytest.param(["--check", "--only", "G9"], 1, id="the one gate is not applicable, which is no pass"),
        pytest.param(["--only", "G11"], 2, id="no such gate"),
    ],
)
def test_check_turns_verdicts_into_a_status(arguments: list[str], status: int, sealed_root: Path) -> None:
    evalplane(sealed_root, "gates", "latest", *arguments, status=status)


def test_one_gate_alone(sealed_root: Path) -> None:
    assert [gate["gate"] for gate in answer(sealed_root, "gates", "latest", "--only", "G2")["gates"]] == ["G2"]


@pytest.mark.parametrize("command", ["report", "gates", "cases", "verify"])
def test_a_run_that_is_not_sealed_has_nothing_to_show(command: str, own_root: Path) -> None:
    created(Store.open(own_root), smoke_request(seed=7), 2)
    lines = refusal(own_root, command, run_id(2))
    assert lines[1] == "  The run has no sealed report yet."
    assert answer(own_root, "run", "show", run_id(2))["result_digest"] is None


@pytest.mark.parametrize(
    ("file", "arguments"),
    [
        ("gates.json", ("gates", "latest")),
        ("report.json", ("report", "latest")),
        ("report.json", ("run", "show", "latest")),
        ("report-anchor.json", ("cases", "latest")),
    ],
)
def test_sealed_bytes_that_differ_are_not_shown(file: str, arguments: tuple[str, ...], own_root: Path) -> None:
    path = own_root / "runs" / RUN / file
    path.write_bytes(path.read_bytes().replace(b"sha256:", b"sha256;", 1) if b"sha256:" in path.read_bytes() else path.read_bytes() + b" ")
    assert refusal(own_root, *arguments, status=3)[0] == "evalplane: store.integrity"


def test_a_page_that_differs_is_not_copied(own_root: Path, tmp_path: Path) -> None:
    with (own_root / "runs" / RUN / "report.html").open("ab") as page:
        page.write(b"<!-- -->")
    refusal(own_root, "report", "latest", "--html", str(tmp_path / "page.html"), status=3)
    assert not (tmp_path / "page.html").exists()


def test_cases_add_up_to_the_plan(sealed_root: Path) -> None:
    rows = answer(sealed_root, "cases", "latest")
    coverage = answer(sealed_root, "report", "latest")["coverage"]
    assert sorted(row["case_id"] for row in rows) == sorted(case.case_id for case in fixture_cohort("evaluation-smoke").cases)
    for name, column in (("planned", "cells"), ("succeeded", "succeeded"), ("failed", "failed"), ("unavailable", "unavailable")):
        assert sum(row[column] for row in rows) == sum(track[name] for track in coverage)


def test_one_case_has_its_records_without_hidden_columns(sealed_root: Path) -> None:
    records = answer(sealed_root, "cases", "latest", "safety-1")["records"]
    assert set(records["outcomes"][0]) == {"suite_id", *OUTCOMES.names}
    assert set(records["routes"][0]) == {"suite_id", *ROUTES.names} - {"expected_arm_id"}
    assert "should_block" not in records["safety_decisions"][0]
    assert "blocked" in records["safety_decisions"][0]


@pytest.mark.parametrize("arguments", [*LISTS, *OBJECTS, ("cases", "latest", "knowledge-1")], ids=words)
def test_no_prompt_answer_or_label_is_shown(arguments: tuple[str, ...], sealed_root: Path) -> None:
    cohort = fixture_cohort("evaluation-smoke")
    private = {message.content for case in cohort.cases for message in case.messages}
    private |= {case.expected_answer for case in cohort.cases if case.expected_answer and len(case.expected_answer) > 3}
    private |= {str(row.columns["output_text"]) for row in cohort.recorded if len(str(row.columns.get("output_text") or "")) > 3}
    assert len(private) > 6
    for extra in ([], ["--json"]):
        result = evalplane(sealed_root, *arguments, *extra)
        assert [text for text in private if text in result.stdout + result.stderr] == []


def test_the_owner_sees_one_question_through_the_whole_path(sealed_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALUATION_PRINCIPAL", "tester")
    shown = answer(sealed_root, "cases", "latest", "knowledge-1")
    (case,) = (case for case in fixture_cohort("evaluation-smoke").cases if case.case_id == "knowledge-1")
    assert [question["messages"] for question in shown["question"]] == [[{"role": "user", "content": case.messages[0].content}]]
    assert {(row["table"], row["arm_id"], row["output_text"]) for row in shown["answers"]} == {
        ("outcomes", "arm-fast", "Venus"),
        ("outcomes", "arm-strong", "Mercury"),
        ("routed_outcomes", "arm-fast", "Venus"),
    }
    assert "preferred_arm_id" not in shown["records"]["preferences"][0]
    assert not {"expected_answer", "match"} & set(shown["question"][0])
    assert case.messages[0].content in evalplane(sealed_root, "cases", "latest", "knowledge-1").stdout


def test_others_see_the_records_alone(sealed_root: Path) -> None:
    shown = answer(sealed_root, "cases", "latest", "knowledge-1")
    assert (shown["question"], shown["answers"]) == ([], [])
    assert len(shown["records"]["outcomes"]) == 2


def test_sql_refuses_and_limits(sealed_root: Path) -> None:
    assert refusal(sealed_root, "sql", "drop table runs")[0] == "evalplane: sql.refused"
    assert refusal(sealed_root, "sql", "select * from private.outcomes")[3] == "  fix  add --private, and write private.<view>"
    result = evalplane(sealed_root, "sql", "--json", "--max-rows", "2", "select gate from gates order by gate")
    assert json.loads(result.stdout) == [{"gate": "G0"}, {"gate": "G1"}]
    assert "only the first 2 rows" in result.stderr
    assert evalplane(sealed_root, "sql", "--max-rows", "10", "select gate from gates").stderr == ""
    rows = answer(sealed_root, "sql", "--private", "select count(*) as n from private.outcomes")
    assert rows == [{"n": 8}]


def test_config_prints_every_setting(sealed_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALUATION_PORT", "9000")
    shown = answer(sealed_root, "config")
    assert (shown["port"], shown["root"]) == (9000, str(sealed_root))
    text = evalplane(sealed_root, "config").stdout
    assert all(f"EVALUATION_{name.upper()}" in text for name in shown)


def test_suites_without_a_store_are_those_that_ship(tmp_path: Path) -> None:
    rows = answer(tmp_path / "none", "suite", "list")
    assert [(row["suite_id"], row["installed"], row["revision"]) for row in rows] == [
        ("evaluation-smoke", False, None),
        ("live-mom-core", False, None),
    ]
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_run_does_not_hide_the_others(own_root: Path) -> None:
    store = Store.open(own_root)
    created(store, smoke_request(seed=7), 2)
    (store.run_path(run_id(2)) / "run-manifest.json").write_bytes(b"{}")
    result = evalplane(own_root, "run", "list", "--json")
    assert [row["run_id"] for row in json.loads(result.stdout)] == [RUN]
    assert run_id(2) in result.stderr
