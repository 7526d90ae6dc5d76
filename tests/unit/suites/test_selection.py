"""The choice of cases, against scores worked out by hand with `printf '7\\0sha256:ab\\0c1' | sha256sum`."""

import pytest

from evaluation_assets.suites.selection import select_cases, selection_digest

REVISION = "sha256:ab"
SCORES = {  # first hex digits of SHA-256 of 7 NUL sha256:ab NUL id
    "c1": "84c33d4c",
    "c2": "8ef5a496",
    "c3": "a63044ab",
    "c4": "c860d2ab",
    "c5": "10533f46",
}


def test_the_smallest_scores_are_taken_and_sorted_by_id() -> None:
    ranked = sorted(SCORES, key=SCORES.__getitem__)
    assert ranked != sorted(SCORES)
    for limit in range(1, 6):
        assert select_cases(list(SCORES), REVISION, 7, limit) == sorted(ranked[:limit])


@pytest.mark.parametrize("limit", [None, 5, 6], ids=["no limit", "as many as there are", "more than there are"])
def test_all_cases_are_taken_where_the_limit_does_not_bind(limit: int | None) -> None:
    assert select_cases(["c5", "c1", "c3"], REVISION, 7, limit) == ["c1", "c3", "c5"]


def test_the_order_of_the_cases_does_not_matter_and_a_larger_limit_only_adds() -> None:
    cases = [f"case/{number}" for number in range(200)]
    chosen = [select_cases(order, REVISION, 11, limit) for limit in (10, 40) for order in (cases, cases[::-1])]
    assert chosen[0] == chosen[1]
    assert chosen[2] == chosen[3]
    assert set(chosen[0]) < set(chosen[2])


def test_seed_and_revision_choose_other_cases() -> None:
    cases = [f"case/{number}" for number in range(200)]
    first = select_cases(cases, REVISION, 1, 20)
    assert first != select_cases(cases, REVISION, 2, 20)
    assert first != select_cases(cases, "sha256:ac", 1, 20)


def test_the_digest_is_of_the_set() -> None:
    assert selection_digest(["b", "a"]) == selection_digest(["a", "b"])
    assert selection_digest(["a", "b"]) != selection_digest(["ab"])
