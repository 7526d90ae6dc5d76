"""Reads a page as a browser would, as far as tests need: balanced elements with attributes and text."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "img", "input", "hr"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    parts: list["Element | str"] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)

    @property
    def classes(self) -> list[str]:
        return self.attributes.get("class", "").split()

    def all(self, *tags: str) -> list["Element"]:
        """Descendants in document order; every one without `tags`."""
        found: list[Element] = []
        for part in self.parts:
            if isinstance(part, Element):
                found += [part] if not tags or part.tag in tags else []
                found += part.all(*tags)
        return found

    def by_id(self, identifier: str) -> "Element":
        return next(element for element in self.all() if element.attributes.get("id") == identifier)

    def row_of(self, *needles: str) -> "Element":
        """The one table row that holds all of these words."""
        (row,) = [row for row in self.all("tr") if all(needle in row.text for needle in needles)]
        return row


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("document", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"{tag} repeats an attribute"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].parts.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].parts.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].parts.append(data)


def read(markup: bytes) -> Element:
    """AssertionError for an element that is not closed, or closed out of order."""
    reader = _Reader()
    reader.feed(markup.decode())
    reader.close()
    assert [element.tag for element in reader.open] == ["document"]
    return reader.open[0]
