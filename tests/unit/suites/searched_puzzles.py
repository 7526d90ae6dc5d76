"""Puzzles and graphs of live-mom-core, searched exhaustively.

Each clue stands word for word in its prompt, all arrangements are tried, and a second solution or a second shortest route is refused.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, permutations

from tests.unit.suites.prompt_reading import edges

Clues = dict[str, Callable[[Sequence[str]], bool]]


def only(text: str, worlds: Iterable[Sequence[str]], clues: Clues) -> str:
    assert [clue for clue in clues if clue not in text] == []
    (found,) = [world for world in worlds if all(holds(world) for holds in clues.values())]
    return "".join(found)


def taller(text: str) -> str:
    return only(
        text,
        permutations("LMPZ"),
        {
            "Zoé est plus grande que Paul.": lambda o: o.index("Z") > o.index("P"),
            "Luc est plus petit que Paul.": lambda o: o.index("L") < o.index("P"),
            "Marie est plus grande que Zoé.": lambda o: o.index("M") > o.index("Z"),
        },
    )


def race(text: str) -> str:
    return only(
        text,
        permutations("HIJKL"),
        {
            "Hugo finishes directly after Kim.": lambda o: o.index("H") == o.index("K") + 1,
            "Exactly two runners finish between Ines and Lea.": lambda o: abs(o.index("L") - o.index("I")) == 3,
            "Jon finishes before Kim.": lambda o: o.index("J") < o.index("K"),
            "Ines finishes before Lea.": lambda o: o.index("I") < o.index("L"),
        },
    )


def houses(text: str) -> str:
    """A world: the five persons from left to right, a hyphen, and their animals (at 6 to 10)."""
    worlds = (f"{''.join(people)}-{''.join(animals)}" for people in permutations("EFGHI") for animals in permutations("HIKPS"))
    return only(
        text,
        worlds,
        {
            "Emil wohnt in Haus 3.": lambda o: o[2] == "E",
            "Der Hund wohnt direkt rechts neben dem Papagei.": lambda o: o.index("H", 6) == o.index("P") + 1,
            "Ida wohnt direkt neben Emil": lambda o: abs(o.index("I") - o.index("E")) == 1,
            "und hat nicht den Papagei.": lambda o: o[o.index("I") + 6] != "P",
            "Gustav hat die Katze.": lambda o: o[o.index("G") + 6] == "K",
            "Katze und Schildkröte wohnen an den beiden Enden der Reihe.": lambda o: {o[6], o[10]} == {"K", "S"},
            "Helga wohnt weiter rechts als Ida,": lambda o: o.index("H") > o.index("I"),
            "und die Katze weiter links als der Hund.": lambda o: o.index("K") < o.index("H", 6),
            "Frida hat weder den Hund noch den Papagei,": lambda o: o[o.index("F") + 6] not in "HP",
            "und Helga hat nicht die Schildkröte.": lambda o: o[o.index("H") + 6] != "S",
        },
    )


def knights(text: str) -> str:
    """A world: the initials of the knights. Who is in it told the truth, who is not lied."""
    worlds = ("".join(group) for size in range(6) for group in combinations("MNOPR", size))
    return only(
        text,
        worlds,
        {
            'Mia: "Noa and Otto are of the same kind."': lambda o: ("M" in o) == (("N" in o) == ("O" in o)),
            'Noa: "At least three of the five of us are knights."': lambda o: ("N" in o) == (len(o) >= 3),
            'Otto: "Pia is a knave."': lambda o: ("O" in o) == ("P" not in o),
            'Pia: "Mia and Rex are of different kinds."': lambda o: ("P" in o) == (("M" in o) != ("R" in o)),
            'Rex: "Exactly one of Mia, Noa and Otto is a knight."': lambda o: ("R" in o) == (len(set(o) & set("MNO")) == 1),
        },
    )


def routes(roads: list[tuple[str, str, int]], start: str, end: str) -> list[tuple[int, str]]:
    """Every simple route with its length, shortest first."""

    def onward(path: str, length: int) -> Iterator[tuple[int, str]]:
        if path[-1] == end:
            yield length, path
            return
        for a, b, step in roads:
            if a == path[-1] and b not in path:
                yield from onward(path + b, length + step)

    return sorted(onward(start, 0))


def two_way(text: str) -> list[tuple[str, str, int]]:
    return [road for a, b, length in edges(text) for road in ((a, b, length), (b, a, length))]


def shortest_one_way(text: str) -> str:
    best, second, *_ = routes(edges(text), "S", "T")
    assert best[0] < second[0]
    return best[1]


def cheapest_net(text: str) -> int:
    """Prim: grow one tree by its shortest edge to the outside."""
    lines, total = edges(text), 0
    inside, all_nodes = {lines[0][0]}, {node for a, b, _ in lines for node in (a, b)}
    while inside != all_nodes:
        length, a, b = min((length, a, b) for a, b, length in lines if (a in inside) != (b in inside))
        inside, total = inside | {a, b}, total + length
    return total
