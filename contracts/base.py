"""The one base of all documents: frozen, strict, closed, bounded; parsed from strict JSON, written as canonical bytes.

A document is small. Evidence by the row lives in Arrow tables (contracts/tables.py), never in documents.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from contracts.canonical import canonical_bytes, digest_of
from contracts.errors import DocumentError
from contracts.strict_json import read_json

MAX_DOCUMENT_BYTES = 16 * 1024 * 1024
MAX_INTEGER = 2**53 - 1
_CAPITAL = re.compile(r"(?<=.)(?=[A-Z])")


def _utc(value: datetime) -> datetime:
    if value.utcoffset() != timedelta(0):
        raise ValueError("a timestamp is in UTC")
    return value.astimezone(UTC)


def _without_dots(value: str) -> str:
    if ".." in value:
        raise ValueError("two dots in a row are not allowed")
    return value


def stays_inside(value: str) -> str:
    """Refuses a relative path with a part `.` or `..`."""
    if any(part in (".", "..") for part in value.split("/")):
        raise ValueError("a path stays inside its directory")
    return value


Count = Annotated[int, Field(ge=0, le=MAX_INTEGER)]
Timestamp = Annotated[datetime, AfterValidator(_utc)]
PortableId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")]
ArmId = Annotated[str, Field(min_length=1, max_length=512, pattern=r"^[^\x00-\x1f\x7f]+$")]
PartitionKey = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$"), AfterValidator(_without_dots)]
RunId = Annotated[str, Field(pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")]
Digest = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
ShortText = Annotated[str, Field(min_length=1, max_length=256)]
Text = Annotated[str, Field(min_length=1, max_length=4096)]
RelativePath = Annotated[str, Field(pattern=r"^[A-Za-z0-9._=-]+(/[A-Za-z0-9._=-]+)*$", max_length=512), AfterValidator(stays_inside)]
Unit = Annotated[str, Field(min_length=1, max_length=64)]


class Document(BaseModel):
    """Frozen, strict and closed. Unknown fields, duplicate keys, NaN and numbers beyond 2**53-1 are refused."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True, strict=True, extra="forbid", allow_inf_nan=False, hide_input_in_errors=True
    )

    @classmethod
    def parse(cls, data: bytes, at: str) -> Self:
        """Strict JSON bytes to a document. A refusal names file and field, and never repeats a value."""
        read_json(data, at=at, max_bytes=MAX_DOCUMENT_BYTES)
        try:
            return cls.model_validate_json(data)
        except ValidationError as error:
            raise _refusal(error, at) from None

    @classmethod
    def build(cls, values: dict[str, Any], at: str) -> Self:
        """Values that a person or a parser gave, to a document, by the same rules and with the same refusals as `parse`."""
        return cls.parse(canonical_bytes(values), at)

    def to_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json")

    def canonical(self) -> bytes:
        """The bytes that are stored and that digests cover."""
        return canonical_bytes(self.to_json())

    def identity(self) -> str:
        """`sha256:...` in the domain of this class of document."""
        return digest_of(_CAPITAL.sub("-", type(self).__name__).lower(), self.to_json())


def _refusal(error: ValidationError, at: str) -> DocumentError:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    field = ""
    for part in first["loc"]:
        field += f"[{part}]" if isinstance(part, int) else f".{part}" if field else str(part)
    more = f" ({error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return DocumentError(f"{first['msg']}{more}.", at=f"{at}  {field}".rstrip())
