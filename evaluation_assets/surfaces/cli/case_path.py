"""One question through the whole path, for the owner of the run: what was asked, what each call answered, what became of it.

The hidden label is not on this path: it takes an audited reveal.
"""

import json
from typing import TYPE_CHECKING, NamedTuple

from contracts.strict_json import JsonValue

if TYPE_CHECKING:
    from ledgers.store.runs import RunDirectory
    from ledgers.store.store import Store

MAX_SHOWN = 4000
_ASKED = ("language", "domain", "modality", "tags", "session_id", "relation")


class Question(NamedTuple):
    """A visible case. `messages` is empty where the source publishes no text."""

    suite_id: str
    messages: list[JsonValue]
    about: dict[str, JsonValue]


class Answer(NamedTuple):
    """One delivered answer. `arm_id` is the arm that was called or selected."""

    suite_id: str
    table: str
    arm_id: str | None
    output_text: str


def is_owner(run: "RunDirectory", principal: str) -> bool:
    """Prompts and answers are the owner's alone."""
    return run.manifest().owner_principal == principal


def questions(store: "Store", run: "RunDirectory", case: str) -> list[Question]:
    """The case as each suite of the run asks it."""
    import pyarrow.compute as pc

    from evaluation_assets.suites.store_view import visible_cases

    found = []
    for frozen in run.manifest().suites:
        cases = visible_cases(store.suites, store.suites.open_manifest(frozen.manifest))
        for row in cases.filter(pc.equal(cases["case_id"], case)).to_pylist():
            messages = json.loads(row["messages"]) if row["messages"] is not None else []
            found.append(Question(frozen.suite_id, messages, {name: row[name] for name in _ASKED if row[name]}))
    return found


def answers(run: "RunDirectory", case: str) -> list[Answer]:
    """What was delivered for this case, in the order of the record tables; nothing where a source recorded scores alone."""
    import pyarrow.compute as pc

    from contracts.tables import RECORD_TABLES

    found = []
    for suite_id in run.manifest().suite_ids:
        for kind in RECORD_TABLES:
            rows = run.table("observations", suite_id, kind.name)
            if rows is None:
                continue
            chosen = rows.filter(pc.and_(pc.equal(rows["case_id"], case), pc.is_valid(rows["output_text"])))
            arm = next((name for name in ("arm_id", "selected_arm_id") if name in chosen.column_names), None)
            for row in chosen.to_pylist():
                found.append(Answer(suite_id, kind.name, row[arm] if arm else None, row["output_text"][:MAX_SHOWN]))
    return found
