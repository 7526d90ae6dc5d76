"""A value of a config together with its place, so that every refusal names file and key path and never a value.

Reading is tolerant: what nobody asks for may be anything. What is asked for has its type, or null or absence for "not said".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from contracts.errors import DocumentError
from contracts.strict_json import MAX_INTEGER, JsonValue

_FIX = "correct this key of the router config"


@dataclass(frozen=True, slots=True)
class Node:
    value: JsonValue
    file: str
    path: str = ""

    def get(self, key: str) -> "Node":
        """The member `key`; a node that holds None where it, or this mapping, is absent."""
        return Node(self.members().get(key), self.file, f"{self.path}.{key}" if self.path else key)

    def either(self, first: str, second: str) -> "Node":
        """The member that one generation calls `first` and another `second`. Refused where both are said and differ."""
        one, other = self.get(first), self.get(second)
        if one.value is None:
            return other if other.value is not None else one
        if other.value is not None and other.value != one.value:
            other.refuse(f"This key and {first} say the same thing differently")
        return one

    def members(self) -> dict[str, JsonValue]:
        if self.value is None:
            return {}
        if not isinstance(self.value, dict):
            self.refuse("This must be a mapping")
        return self.value

    def items(self) -> Iterator["Node"]:
        if self.value is None:
            return
        if not isinstance(self.value, list):
            self.refuse("This must be a list")
        for index, item in enumerate(self.value):
            yield Node(item, self.file, f"{self.path}[{index}]")

    def text(self, max_length: int = 4096) -> str | None:
        if self.value is None:
            return None
        if not isinstance(self.value, str) or len(self.value) > max_length:
            self.refuse(f"This must be a text of at most {max_length} characters")
        return self.value

    def name(self, max_length: int = 512) -> str:
        """A text that must be there and must not be empty."""
        value = self.text(max_length)
        if not value:
            self.refuse("A name is missing")
        return value

    def names(self, max_length: int = 512) -> list[str]:
        return [item.name(max_length) for item in self.items()]

    def whole(self) -> int | None:
        """An integer, also when it is written as 3.0."""
        value = self.value
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value) or abs(value) > MAX_INTEGER:
            self.refuse("This must be a whole number")
        return int(value)

    def refuse(self, message: str, fix: str = _FIX) -> NoReturn:
        raise DocumentError(f"{message}.", at=f"{self.file}  {self.path}".rstrip(), fix=fix)
