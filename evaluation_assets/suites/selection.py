"""Which cases of a suite a run takes: deterministic, so that the same seed and revision choose the same cases anywhere.

    score(case) = SHA-256 of  seed NUL revision NUL case id       (seed as decimal text, revision as `sha256:<hex>`, all UTF-8)

The cases with the smallest scores are taken, equal scores in order of the id, and the result is sorted by id. A larger limit only
adds cases. Eligibility is decided before: what is given here may be chosen.
"""

from collections.abc import Sequence
from hashlib import sha256
from heapq import nsmallest

from contracts.canonical import digest_of


def select_cases(case_ids: Sequence[str], revision: str, seed: int, limit: int | None) -> list[str]:
    """The chosen ids, sorted; all of them where `limit` is None or not smaller than their number. O(n log limit)."""
    if limit is None or limit >= len(case_ids):
        return sorted(case_ids)
    prefix = sha256(f"{seed}\0{revision}\0".encode())

    def score(case_id: str) -> tuple[bytes, str]:
        state = prefix.copy()
        state.update(case_id.encode())
        return state.digest(), case_id

    return sorted(nsmallest(limit, case_ids, key=score))


def selection_digest(case_ids: Sequence[str]) -> str:
    """Identity of a selection: the sorted ids and nothing else."""
    return digest_of("case-selection", sorted(case_ids))
