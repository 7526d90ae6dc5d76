"""Every error that a person is meant to read: one tree, each class with its code and its remedy.

    EvaluationError                  exit 2: wrong input or refused, nothing was written
    +-- InputError                   a file, document, option or id is not what it must be
    |   +-- StrictReadError          bytes are not the strict JSON, YAML or CSV that we read
    |   +-- DocumentError            a well-formed document breaks its contract
    |   +-- UnknownName              an id that no catalog or store has
    |   +-- ExportError              a benchmark export breaks its declared schema
    |   +-- StatementRefused         SQL that is not one SELECT or EXPLAIN
    +-- Refused                      well-formed, but admission, state or identity says no
    |   +-- AlreadyExists            an id that is taken by other content
    |   +-- NotAdmitted              suite, target, executor or track do not fit together
    |   +-- WrongState               the run is not in the state that the action needs
    +-- StoreError                   the store itself: layout, permissions, hostile files, no space
        +-- HostileFile              symlink, hard link, FIFO, foreign owner or mode where a plain file must be
        +-- StoreFull                the disk refused the bytes; what was begun has been removed
        +-- IntegrityError           exit 3: bytes do not match their digest

A bug is not in this tree: it keeps its traceback and is never a verdict. `at` names file and field, never a value.
"""

from typing import ClassVar


class EvaluationError(Exception):
    """One sentence, where it is, and what to do. The sentence holds no value that could be a label or a secret."""

    code: ClassVar[str] = "evaluation.error"
    remedy: ClassVar[str] = "see `evalplane --help`"
    exit_status: ClassVar[int] = 2

    def __init__(self, message: str, *, at: str = "", fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.at = at
        self.fix = fix or self.remedy

    def __str__(self) -> str:
        where = f" at {self.at}" if self.at else ""
        return f"{self.code}: {self.message}{where} (fix: {self.fix})"


class InputError(EvaluationError):
    """What was given is not what it must be."""

    code = "input.invalid"
    remedy = "correct the input and run the command again"


class StrictReadError(InputError):
    """Bytes are not the strict JSON, YAML or CSV that we read."""

    code = "input.strict_read"
    remedy = "write plain UTF-8 with unique keys and finite numbers"


class DocumentError(InputError):
    """A well-formed document breaks its contract."""

    code = "document.invalid"
    remedy = "compare the document with its JSON Schema under golden/schemas"


class UnknownName(InputError):
    """An id that no catalog or store has."""

    code = "name.unknown"
    remedy = "list what exists with `evalplane catalog`, `evalplane suite list` or `evalplane run list`"


class ExportError(InputError):
    """A benchmark export breaks its declared schema."""

    code = "export.invalid"
    remedy = "export the benchmark again, complete and unchanged"


class StatementRefused(InputError):
    """SQL that is not one SELECT or EXPLAIN over the evidence views."""

    code = "sql.refused"
    remedy = "send one SELECT or EXPLAIN over the evidence views"


class Refused(EvaluationError):
    """A well-formed request that admission, state or identity does not allow."""

    code = "request.refused"
    remedy = "see the reason above"


class AlreadyExists(Refused):
    """An id is taken by other content."""

    code = "name.exists"
    remedy = "choose another id"


class NotAdmitted(Refused):
    """Suite, target, executor, mode or track do not fit together."""

    code = "admission.refused"
    remedy = "see `evalplane catalog` for what each target accepts"


class WrongState(Refused):
    """The run is not in the state that the action needs."""

    code = "run.wrong_state"
    remedy = "see `evalplane run show ID`"


class StoreError(EvaluationError):
    """The store itself is not as it must be."""

    code = "store.invalid"
    remedy = "name another directory with --root, or repair this one"


class HostileFile(StoreError):
    """A symlink, hard link, FIFO, foreign owner or open mode where a plain private file must be."""

    code = "store.hostile_file"
    remedy = "replace it by a plain file of your own with mode 0600, or restore the store from a copy"


class StoreFull(StoreError):
    """The disk refused the bytes. What was begun has been removed; what was there before is unchanged."""

    code = "store.full"
    remedy = "free some space and run the command again"


class IntegrityError(StoreError):
    """Bytes do not match the digest that names or seals them."""

    code = "store.integrity"
    remedy = "run `evalplane verify --all`; restore the file from a copy, never edit it"
    exit_status = 3
