"""live-mom-core as a cohort: wide and hard enough to tell arms apart, and free of answers that a guess, a habit or an echo would hit."""

import re
import unicodedata
from collections import Counter
from fractions import Fraction
from importlib import resources

import pytest

from contracts.cohorts import DIFFICULTY_TAGS, CohortCase, HiddenAnswerCohort
from contracts.errors import DocumentError
from contracts.tracks import Track
from evaluation_assets.records.graders.hidden_answer_exact import HiddenAnswerExact, normal_form
from tests.unit.suites.number_words import chinese, german, italian

FILE = "golden/cohorts/live-mom-core.json"
COHORT = HiddenAnswerCohort.parse((resources.files("golden") / "cohorts" / "live-mom-core.json").read_bytes(), FILE)
CASES = COHORT.cases
GUESSABLE = {"yes", "no", "true", "false", "a", "b", "c", "d", "ja", "nein", "oui", "non", "sí", "si", "是", "否", "はい", "いいえ"}
GRADE = HiddenAnswerExact().grade


def prompt(case: CohortCase) -> str:
    return "\n".join(message.content for message in case.messages)


def answer(case: CohortCase) -> str:
    assert case.expected_answer is not None
    return case.expected_answer


def difficulty(case: CohortCase) -> str:
    (tag,) = set(case.tags) & set(DIFFICULTY_TAGS)
    return tag


def holds(text: str, wanted: str, match: str | None) -> bool:
    """The answer stands in the text: as a token, in normal form, in other case or width, or as another spelling of the number."""
    flat = unicodedata.normalize("NFKC", normal_form(text)).casefold()
    folded = unicodedata.normalize("NFKC", normal_form(wanted)).casefold()
    if match == "number":
        return Fraction(folded) in {Fraction(number) for number in re.findall(r"\d+(?:\.\d+)?", flat) + re.findall(r"\d+", flat)}
    inside_words = len(folded) > 3  # a shorter one, such as a chemical symbol, is only found as a word of its own
    return folded in flat if inside_words else re.search(rf"(?<!\w){re.escape(folded)}(?!\w)", flat) is not None


def test_it_is_as_wide_and_as_hard_as_it_claims() -> None:
    levels = Counter(difficulty(case) for case in CASES)
    languages = Counter(case.language for case in CASES)
    assert len(CASES) == 64
    assert levels == {"difficulty:easy": 16, "difficulty:medium": 22, "difficulty:hard": 26}
    assert languages == {"en": 25, "de": 7, "fr": 7, "zh": 7, "es": 6, "it": 6, "ja": 6}
    assert set(Counter(case.domain for case in CASES).values()) == {4}
    assert len({case.domain for case in CASES}) == 16
    assert {case.tracks for case in CASES} == {(Track.ROUTING, Track.MODEL_POOL, Track.JOINT)}


@pytest.mark.parametrize("language", sorted({str(case.language) for case in CASES}))
def test_each_language_has_each_difficulty(language: str) -> None:
    assert {difficulty(case) for case in CASES if case.language == language} == set(DIFFICULTY_TAGS)


def test_each_domain_has_each_difficulty() -> None:
    assert len({(case.domain, difficulty(case)) for case in CASES}) == 16 * 3


@pytest.mark.parametrize("case", CASES, ids=[case.case_id for case in CASES])
def test_a_case_cannot_be_solved_by_guess_or_echo(case: CohortCase) -> None:
    assert answer(case).casefold() not in GUESSABLE
    assert not holds(prompt(case), answer(case), case.match)
    assert GRADE(prompt(case), answer(case), case.match) == 0.0


@pytest.mark.parametrize("case", CASES, ids=[case.case_id for case in CASES])
def test_a_label_is_written_as_the_grader_reads_it(case: CohortCase) -> None:
    assert case.match in ("exact", "casefold", "number")
    assert normal_form(answer(case)) == answer(case)
    assert GRADE(answer(case), answer(case), case.match) == 1.0  # for a number: both sides were read as one


@pytest.mark.parametrize(
    ("text", "wanted", "match", "found"),
    [
        pytest.param("take 12.50 away", "12.5", "number", True, id="another spelling of the number"),
        pytest.param("on 2024-02-25", "25", "number", True, id="a part of a date"),
        pytest.param("take １２ away", "12", "number", True, id="full-width digits"),
        pytest.param("take 312 away", "12", "number", False, id="digits inside a longer number"),
        pytest.param("tournez au coin", "Au", "exact", True, id="a short word in other case"),
        pytest.param("laut", "Au", "exact", False, id="two letters inside a word"),
        pytest.param("say  SO/SA/FR\nnow", "so/sa/fr", "exact", True, id="other case and white space"),
        pytest.param("三万零八百三十九是多少", "三万零八百三十九", "exact", True, id="no spaces between words"),
    ],
)
def test_the_search_for_an_answer_finds_what_it_must(text: str, wanted: str, match: str, found: bool) -> None:
    assert holds(text, wanted, match) is found


def test_no_prompt_spells_its_number_out() -> None:
    """Whole answers lie above twenty, where a number word is long enough to be no other word, and their words are not in the prompt."""
    wholes = [(case, int(answer(case))) for case in CASES if case.match == "number" and answer(case).isdigit()]
    assert min(value for _, value in wholes) > 20
    written = {"de": german, "it": italian, "zh": chinese}
    for case, value in wholes:
        if case.language in written and value < 1000:
            assert written[case.language](value) not in prompt(case)


def test_a_constant_answer_is_worth_one_case() -> None:
    assert max(sum(GRADE(answer(arm), answer(case), case.match) for case in CASES) for arm in CASES) == 1.0


def test_prompts_and_answers_are_all_different() -> None:
    assert len({normal_form(prompt(case)).casefold() for case in CASES}) == 64
    assert len({answer(case).casefold() for case in CASES}) == 64


def _changed(**case: object) -> dict[str, object]:
    document = COHORT.to_json()
    document["cases"][0].update(case)
    return document


@pytest.mark.parametrize(
    ("document", "words"),
    [
        pytest.param(_changed(case_id=CASES[1].case_id), "two cases have one id", id="an id twice"),
        pytest.param(_changed(case_id="zebra"), "not sorted by id", id="out of order"),
        pytest.param(_changed(expected_answer=None), "has no expected answer", id="no label"),
        pytest.param(_changed(expected_answer=" \n"), "has no expected answer", id="an empty label"),
        pytest.param(_changed(messages=[]), "at least 1 item", id="no message"),
        pytest.param(_changed(messages=[{"role": "user", "content": " "}]), "does not end with a question", id="an empty question"),
        pytest.param(_changed(messages=[{"role": "assistant", "content": "Hello"}]), "does not end with a question", id="nobody asks"),
        pytest.param(_changed(tags=list(DIFFICULTY_TAGS[:2])), "more than one difficulty", id="two difficulties"),
        pytest.param(_changed(tags=["difficulty:brutal"]), "an unknown one", id="an unknown difficulty"),
        pytest.param(COHORT.to_json() | {"arm_ids": ["arm-fast"]}, "Extra inputs", id="arms of a fixture"),
    ],
)
def test_a_broken_cohort_is_refused_without_its_labels(document: dict[str, object], words: str) -> None:
    with pytest.raises(DocumentError, match=words) as refused:
        HiddenAnswerCohort.build(document, FILE)
    assert not [case.case_id for case in CASES if len(answer(case)) > 3 and answer(case) in str(refused.value)]


def test_a_cohort_without_difficulties_is_one_too() -> None:
    assert HiddenAnswerCohort.build(_changed(tags=[]), FILE).cases[0].tags == ()
