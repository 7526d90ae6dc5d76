"""Strict YAML: the part of YAML 1.2 that says what JSON says, for the few files that people write by hand.

Values are built from libyaml's events, so no resolver or constructor of PyYAML has a say. Refused: anchors, aliases,
tags (also the bare `!`), merge keys, directives, a second document, duplicate or non-string keys, control characters
and the line breaks that only YAML 1.1 knew (U+0085, U+2028, U+2029), and whatever exceeds size, depth or events.

A plain scalar is, in this order:

- null (`null`, or nothing at all), true, false, or a JSON number under the rules of strict JSON;
- refused, where YAML 1.2 has a second spelling of those: `~`, `True`, `NULL`, `+1`, `012`, `0o17`, `0x1F`, `.5`, `.inf`, `.nan`;
- otherwise a string as written, also what only YAML 1.1 read otherwise: `yes`, `off`, `2026-01-01`, `1_000`, `12:30`.

A quoted or block scalar is always a string. Errors name file, line and column, never a value.
"""

import re
from collections.abc import Iterator
from typing import NoReturn

import yaml

from contracts.errors import StrictReadError
from contracts.strict_json import KIB, Fault, JsonValue, check_size, integer, position, real, refuse, utf8_text

_WORDS: dict[str, JsonValue] = {"": None, "null": None, "true": True, "false": False}
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_REAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_SECOND_SPELLING = re.compile(  # YAML 1.2.2, 10.3.2: what the core schema resolves to something else than a string
    r"~|Null|NULL|True|TRUE|False|FALSE|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
    r"|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
)
_UNREADABLE = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def read_yaml(data: bytes, *, at: str, max_bytes: int = 64 * KIB, max_depth: int = 32, max_events: int = 100_000) -> JsonValue:
    """The value of the one document in `data`. `at` is the file's name for errors; raises StrictReadError only."""
    check_size(data, at, max_bytes)
    text = utf8_text(data, at)
    if found := _UNREADABLE.search(text):
        refuse("a character that YAML texts do not hold or that its versions read differently", at, *position(text, found.start()))
    events = _events(text, at, max_depth, max_events)
    try:
        first = next(events, None)
        if first is None:
            raise StrictReadError("no YAML document", at=at)
        value = _value(first, events, at)
        for _ in events:  # to the end of the stream: syntax errors and second documents are found by reading on
            pass
    except yaml.MarkedYAMLError as error:
        _refuse(f"not YAML: {error.problem}", at, error.problem_mark)
    return value


def _events(text: str, at: str, max_depth: int, max_events: int) -> Iterator[yaml.Event]:
    """The events that carry values, each checked against everything but its place in a mapping."""
    depth = documents = 0
    for number, event in enumerate(yaml.parse(text, Loader=yaml.CSafeLoader), start=1):
        mark = event.start_mark
        if number > max_events:
            _refuse(f"more than {max_events} YAML events", at, mark)
        match event:
            case yaml.DocumentStartEvent():
                documents += 1
                if documents > 1:
                    _refuse("a second document", at, mark)
                if event.version or event.tags:
                    _refuse("a directive", at, mark)
            case yaml.AliasEvent():
                _refuse("an alias", at, mark)
            case yaml.ScalarEvent() | yaml.CollectionStartEvent():
                if event.anchor is not None:
                    _refuse("an anchor", at, mark)
                if event.tag is not None:
                    _refuse("a tag", at, mark)
                if mark and text[mark.index - 1 : mark.index] == "?":  # libyaml drops it: YAML 1.2 reads {?a: b} with the key "?a"
                    _refuse("a question mark that touches its key", at, mark)
                depth += isinstance(event, yaml.CollectionStartEvent)
                if depth > max_depth:
                    _refuse(f"more than {max_depth} levels of nesting", at, mark)
                yield event
            case yaml.CollectionEndEvent():
                depth -= 1
                yield event


def _value(event: yaml.Event, events: Iterator[yaml.Event], at: str) -> JsonValue:
    """The value that begins with `event`; takes the events up to its end."""
    match event:
        case yaml.MappingStartEvent():
            return _mapping(events, at)
        case yaml.SequenceStartEvent():
            items: list[JsonValue] = []
            while not isinstance(item := next(events), yaml.SequenceEndEvent):
                items.append(_value(item, events, at))
            return items
        case yaml.ScalarEvent():
            return _scalar(event, at)
    raise AssertionError(event)  # _events yields nothing else


def _mapping(events: Iterator[yaml.Event], at: str) -> dict[str, JsonValue]:
    mapping: dict[str, JsonValue] = {}
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        if not isinstance(event, yaml.ScalarEvent) or not isinstance(key := _scalar(event, at), str):
            _refuse("a key is not a string", at, event.start_mark)
        if key == "<<" and event.implicit[0]:
            _refuse("a merge key", at, event.start_mark)
        if key in mapping:
            _refuse("a key occurs twice in one mapping", at, event.start_mark)
        mapping[key] = _value(next(events), events, at)
    return mapping


def _scalar(event: yaml.ScalarEvent, at: str) -> JsonValue:
    """By the three rules of this module; `implicit[0]` says that libyaml saw a plain scalar."""
    text: str = event.value
    if not event.implicit[0]:
        return text
    if text in _WORDS:
        return _WORDS[text]
    try:
        if _INTEGER.fullmatch(text):
            return integer(text)
        if _REAL.fullmatch(text):
            return real(text)
    except Fault as fault:
        _refuse(str(fault), at, event.start_mark)
    if _SECOND_SPELLING.fullmatch(text):
        _refuse("null, a truth value or a number in a second spelling; spell it as JSON does, or quote it", at, event.start_mark)
    return text


def _refuse(message: str, at: str, mark: "yaml.Mark | yaml._yaml.Mark | None") -> NoReturn:
    if mark is None:
        raise StrictReadError(message, at=at) from None
    refuse(message, at, mark.line + 1, mark.column + 1)
