"""Grading: what is a known zero, what is null, and whose grade counts."""

import pyarrow as pa
import pytest

from contracts.catalogs import grader_catalog
from contracts.errors import DocumentError
from contracts.tables import GRADING_CASES, record_table
from evaluation_assets.records.graders.hidden_answer_exact import HiddenAnswerExact
from evaluation_assets.records.graders.registry import GRADERS
from evaluation_assets.records.graders.source_recorded import SourceRecorded
from evaluation_assets.records.grading import grade
from tests.unit.records.rows import OUTCOMES, labels, observed, outcome, table_of

LABELS = labels(c1="Mercury", c2="16", c3=None)
EXACT, RECORDED = HiddenAnswerExact(), SourceRecorded()


def test_registry_and_catalog_have_the_same_graders() -> None:
    assert set(GRADERS) == {row.grader_id for row in grader_catalog().graders}
    assert {grader_id: grader.grader_id for grader_id, grader in GRADERS.items()} == {grader_id: grader_id for grader_id in GRADERS}


@pytest.mark.parametrize(
    ("row", "success", "quality", "reason"),
    [
        pytest.param({"output_text": "Mercury"}, True, 1.0, None, id="right"),
        pytest.param({"output_text": "mercury"}, True, 0.0, None, id="wrong, and yet a success"),
        pytest.param({"output_text": ""}, True, 0.0, None, id="an empty answer is an answer"),
        pytest.param({"status": "failed", "reason": "failed_call"}, False, 0.0, "failed_call", id="failed"),
        pytest.param({"status": "timed_out", "reason": "timed_out"}, False, 0.0, "timed_out", id="timed out"),
        pytest.param(
            {"status": "failed", "reason": "failed_call", "output_text": "Mercury"},
            False,
            0.0,
            "failed_call",
            id="failed with the right text in hand",
        ),
        pytest.param(
            {"status": "failed", "reason": "failed_call", "success": True}, False, 0.0, "failed_call", id="failed and claims success"
        ),
        pytest.param({"status": "unavailable", "reason": "absent_cell"}, None, None, "absent_cell", id="unavailable"),
        pytest.param(
            {"status": "unavailable", "reason": "absent_cell", "success": True, "output_text": "Mercury"},
            None,
            None,
            "absent_cell",
            id="unavailable and claims the lot",
        ),
        pytest.param({}, True, None, "ungraded", id="no answer to grade"),
        pytest.param({"case_id": "c3", "output_text": "x"}, True, None, "ungraded", id="no hidden label"),
        pytest.param({"case_id": "c9", "output_text": "x"}, True, None, "ungraded", id="no such case among the labels"),
        pytest.param({"success": False, "output_text": "Mercury"}, False, 1.0, None, id="the source's own flag stays"),
    ],
)
def test_grade_of_one_row(row: dict[str, object], success: bool | None, quality: float | None, reason: str | None) -> None:
    graded = grade(observed(outcome("c1", **row) | row), LABELS, OUTCOMES, EXACT).to_pylist()[0]
    assert (graded["success"], graded["quality"], graded["reason"]) == (success, quality, reason)
    assert "output_text" not in graded


def test_grades_stay_with_their_rows() -> None:
    rows = observed(
        outcome("c2", output_text="16"),
        outcome("c1", output_text="16"),
        outcome("c2", "b", output_text="x"),
        outcome("c1", "b", output_text="Mercury"),
    )
    assert grade(rows, LABELS, OUTCOMES, EXACT).column("quality").to_pylist() == [1.0, 0.0, 0.0, 1.0]


def test_a_recorded_quality_is_kept_where_the_grader_keeps_it() -> None:
    rows = observed(outcome("c1", quality=0.25), outcome("c2"), outcome("c1", "b", quality=0.5, status="failed", reason="failed_call"))
    assert grade(rows, LABELS, OUTCOMES, RECORDED).select(["quality", "reason"]).to_pylist() == [
        {"quality": 0.25, "reason": None},
        {"quality": None, "reason": "ungraded"},
        {"quality": 0.0, "reason": "failed_call"},
    ]


@pytest.mark.parametrize(
    ("rows", "grader"),
    [
        pytest.param([outcome("c1", quality=1.0, output_text="Mercury")], RECORDED, id="quality beside an answer, recorded"),
        pytest.param([outcome("c1", quality=1.0, output_text="Mercury")], EXACT, id="quality beside an answer, graded"),
        pytest.param([outcome("c1", quality=1.0)], EXACT, id="quality instead of an answer"),
        pytest.param([outcome("c1", output_text="x"), outcome("c2", quality=1.0)], EXACT, id="quality in another row"),
        pytest.param([outcome("c1", output_text="Mercury")], RECORDED, id="an answer that nobody may judge"),
    ],
)
def test_who_grades_is_settled(rows: list[dict[str, object]], grader: HiddenAnswerExact | SourceRecorded) -> None:
    with pytest.raises(DocumentError) as refusal:
        grade(observed(*rows), LABELS, OUTCOMES, grader)
    assert "Mercury" not in str(refusal.value)


def test_safety_and_preference_labels_are_ours() -> None:
    known = table_of(
        GRADING_CASES, [{"case_id": "c1", "weight": 1.0, "should_block": True, "preferred_arm_id": "b"}, {"case_id": "c2", "weight": 1.0}]
    )
    safety, preferences = record_table("safety_decisions"), record_table("preferences")
    rows = grade(
        observed(
            {"case_id": "c1", "should_block": False, "blocked": True}, {"case_id": "c2", "should_block": True}, table="safety_decisions"
        ),
        known,
        safety,
        EXACT,
    )
    assert rows.column("should_block").to_pylist() == [True, None]
    rows = grade(
        observed(
            {"case_id": "c1", "chosen_arm_id": "a", "preference_match": True, "preferred_arm_id": "a"},
            {"case_id": "c1", "chosen_arm_id": "b"},
            {"case_id": "c1"},
            {"case_id": "c2", "chosen_arm_id": "a"},
            table="preferences",
        ),
        known,
        preferences,
        EXACT,
    )
    assert rows.column("preferred_arm_id").to_pylist() == ["b", "b", "b", None]
    assert rows.column("preference_match").to_pylist() == [False, True, None, None]


def test_an_empty_table_is_graded_to_an_empty_table() -> None:
    assert grade(observed(), LABELS, OUTCOMES, EXACT).equals(pa.table(OUTCOMES.schema.empty_table()))
