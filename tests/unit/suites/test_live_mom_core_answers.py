"""Every label of live-mom-core, worked out a second time from the text of its prompt.

Oracle: one function a case reads numbers, words, tables, edges or a program out of the prompt and computes; none sees the label.
A puzzle is searched exhaustively, so a second solution fails the test. Facts that no program yields stand here with their reason.
"""

import calendar
import re
from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction
from importlib import resources
from itertools import pairwise, permutations, product, zip_longest
from math import comb, gcd, prod

import pytest

from contracts.cohorts import CohortCase, HiddenAnswerCohort
from tests.unit.suites.number_words import chinese, german, italian, read_all
from tests.unit.suites.prompt_reading import dates, decimals, formula, ints, listed, matrix, printed, quoted, rows
from tests.unit.suites.searched_puzzles import cheapest_net, houses, knights, race, routes, shortest_one_way, taller, two_way

FILE = resources.files("golden") / "cohorts" / "live-mom-core.json"
CASES = HiddenAnswerCohort.parse(FILE.read_bytes(), "live-mom-core.json").cases

# Periodic table: a number of protons defines an element, and the symbols are IUPAC's. Iron 26, tungsten (wolframio) 74.
IRON, TUNGSTEN = 26, 74
SYMBOLS = {"gold": "Au", "tungsten": "W", "potassium": "K", "mercury": "Hg", "tin": "Sn"}
# German names of the days, Monday first; the prompt decides between Samstag and Sonnabend.
DAYS = ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag")
MONTHS = {"Januar": 1, "Februar": 2, "März": 3}
ROMAN = {"M": 1000, "CM": 900, "D": 500, "CD": 400, "C": 100, "XC": 90, "L": 50, "XL": 40, "X": 10, "IX": 9, "V": 5, "IV": 4, "I": 1}
FRENCH = {"quatre-vingt-douze": 4 * 20 + 12, "soixante-quinze": 60 + 15}
ORDINALS = {"tenth": 10, "fifteenth": 15}


@pytest.mark.parametrize("case", CASES, ids=[case.case_id for case in CASES])
def test_label_is_what_the_prompt_yields(case: CohortCase) -> None:
    yielded = str(ORACLES[case.case_id](case.messages[0].content))
    if case.match == "number":
        assert Fraction(case.expected_answer or "") == Fraction(yielded)
    else:
        assert case.expected_answer == yielded


def test_each_case_has_an_oracle_and_one_message() -> None:
    assert sorted(ORACLES) == [case.case_id for case in CASES]
    assert {len(case.messages) for case in CASES} == {1}


# Arithmetic, dates, strings.


def kiosk(text: str) -> Fraction:
    a, price_a, b, price_b, c, price_c, refund, percent = decimals(text)
    return (a * price_a + b * price_b + c * price_c - refund) * (1 - percent / 100)


def tank(text: str) -> Fraction:
    _height, litres, one, half, added, days, next_day, one_more, third = (Fraction(number) for number in ints(text))
    assert next_day == days + 1
    for _ in range(int(days)):
        litres += added - litres * one / half
    return litres - litres * one_more / third


def remainders(text: str) -> int:
    rests, moduli = ints(text)[::2], ints(text)[1::2]
    return min(n for n in range(1, prod(moduli) + 1) if [n % modulus for modulus in moduli] == rests)


def numbered_day(text: str) -> date:
    day, wanted, seen = dates(text)[0], ints(text)[-1], 0
    while True:
        seen += day.weekday() in (calendar.MONDAY, calendar.WEDNESDAY, calendar.FRIDAY)
        if seen == wanted:
            return day
        day += timedelta(days=1)


def shifted(text: str) -> str:
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    return "".join(alphabet[(alphabet.index(x) + ints(text)[1]) % 26] if i % 2 else x for i, x in enumerate(quoted(text)[0]))


def interleaved(text: str) -> str:
    return re.sub("[aeiou]", "", "".join(a + b for a, b in zip_longest(*quoted(text), fillvalue="")))


# Matrices and counting.


def determinant(entries: list[list[int]]) -> int:
    (a, b, c), (d, e, f), (g, h, i) = entries
    return a * e * i + b * f * g + c * d * h - c * e * g - b * d * i - a * f * h


def sum_of_power(text: str) -> int:
    """e_k = M e_(k-1) from the vector of ones: the entries of M^k add up to those of e_k."""
    vector = [1, 1]
    for _ in range(ints(text)[-1]):
        vector = [sum(entry * x for entry, x in zip(row, vector, strict=True)) for row in matrix(text)]
    return sum(vector)


def system(text: str) -> Fraction:
    """Cramer's rule; a determinant of zero, which is more than one solution or none, is a division by zero."""
    assert re.search(r"x \+ y \+ z = \d+, \d+x - y = \d+ et y \+ \d+z = \d+\. Calcule \d+x \+ \d+y \+ z", text)
    first, two, second, three, third, *weights = ints(text)
    left, right = [[1, 1, 1], [two, -1, 0], [0, 1, three]], (first, second, third)
    replaced = [[[*row[:i], value, *row[i + 1 :]] for row, value in zip(left, right, strict=True)] for i in range(3)]
    x, y, z = (Fraction(determinant(entries), determinant(left)) for entries in replaced)
    return weights[0] * x + weights[1] * y + z


def lattice(text: str) -> int:
    x0, y0, x1, y1, bad_x, bad_y = ints(text)
    ways = {(x0, y0): 1}
    for x, y in product(range(x0, x1 + 1), range(y0, y1 + 1)):
        if (x, y) != (x0, y0):
            ways[x, y] = 0 if (x, y) == (bad_x, bad_y) else ways.get((x - 1, y), 0) + ways.get((x, y - 1), 0)
    return ways[x1, y1]


def codes(text: str) -> int:
    length, *digits = ints(text)
    chosen = set(digits)
    return sum(
        all(a != b for a, b in pairwise((*code, code[0]))) and set(code) == chosen for code in product(sorted(chosen), repeat=length)
    )


# Units, notations, tables, instructions, sequences.


def train(text: str) -> Fraction:
    minutes_a, km_h, minutes_b, m_s = ints(text)
    return Fraction(minutes_a, 60) * km_h * 1000 + minutes_b * 60 * m_s


def shaku(text: str) -> int:
    _, cho, _, ken, _, foot, *lengths = ints(text)
    first, second = (((a * cho + b) * ken + c) * foot + d for a, b, c, d in (lengths[:4], lengths[4:]))
    return first - second


def in_base(number: int, base: int) -> str:
    return (in_base(number // base, base) if number >= base else "") + "0123456789ABCDEF"[number % base]


def base_sum(text: str) -> str:
    base, other = int(re.findall(r"base-(\d+) numbers", text)[0]), int(re.findall(r"in base (\d+)", text)[0])
    return in_base(sum(int(number, base) for number in re.findall(r"\b\d[\dA-C]{2}\b", text)), other)


def to_roman(number: int) -> str:
    text = ""
    for sign, value in ROMAN.items():
        text += sign * (number // value)
        number %= value
    return text


def romans(text: str) -> list[int]:
    """Values of the numerals in a text, by looking each up among the first 3999."""
    values = {to_roman(number): number for number in range(1, 4000)}
    return [values[word] for word in re.findall(r"\b[IVXLCDM]{2,}\b", text)]


def stationery(text: str) -> int:
    return sum(int(price) * int(pieces) for _, kind, price, pieces in rows(text)[2:] if kind == "文具" and int(pieces) >= ints(text)[-1])


def shipped_north(text: str) -> Fraction:
    north = {row[0] for row in rows(text) if row[1:] == ["North"]}
    amounts = [Fraction(row[2]) for row in rows(text) if len(row) == 4 and row[1] in north and row[3] == "shipped"]
    limit, percent = ints(text)[-2:]
    return sum((amount - amount * percent / 100 if amount > limit else amount for amount in amounts), Fraction(0))


def ranking(text: str) -> str:
    return "".join(name[0] for name, *_ in sorted(rows(text)[2:], key=lambda row: (-int(row[1]), int(row[2])))[1:])


def diagonal(text: str) -> str:
    kept = sorted((word for word in listed(text) if len(word) != 5), reverse=True)
    kept.sort(key=len)  # stable: within one length the reverse alphabetical order stays
    return "".join(word[i] for i, word in enumerate(kept)).upper() + str(len(listed(text)) - len(kept))


def walk(text: str) -> str:
    (number, limit, less), words = ints(text), listed(text)
    for word in words:
        number = number + len(word) if len(word) % 2 else number * 2
        number -= less * (number > limit)
    return f"{number}{''.join(word[0] for word in words if len(word) % 2 == 0)}"


def ordinal(text: str) -> int:
    (term,) = [number for word, number in ORDINALS.items() if f"the {word} term" in text]
    return term


def sequence(first: list[int], following: Callable[[list[int]], int], term: int) -> int:
    terms = list(first)
    while len(terms) < term:
        terms.append(following(terms))
    return terms[term - 1]


def continued(terms: list[int], term: int, order: int) -> int:
    """The term by Newton's forward differences; all differences of the order must agree."""
    heads: list[int] = []
    row = terms
    for _ in range(order):
        heads, row = [*heads, row[0]], [b - a for a, b in pairwise(row)]
    (last,) = set(row)
    return sum(head * comb(term - 1, k) for k, head in enumerate([*heads, last]))


def squares_of_digits(number: int) -> int:
    return sum(int(digit) ** 2 for digit in str(number))


def german_difference(text: str) -> str:
    less, more = read_all(re.findall(r"\w+", text), german, 1000)
    return german(more - less)


def chinese_difference(text: str) -> str:
    more, less, _example = read_all(re.findall("[零一二三四五六七八九十百千万]+", text), chinese, 100_000)
    return chinese(more - less)


def wolfram_and_piano(text: str) -> int:
    # Twenty triangles share each edge by two. A piano of 88 keys starts at A, pitch 21 of MIDI; black are C#, D#, F#, G# and A#.
    return TUNGSTEN * (20 * 3 // 2) + sum(pitch % 12 in (1, 3, 6, 8, 10) for pitch in range(21, 21 + ints(text)[0]))


ORACLES: dict[str, Callable[[str], object]] = {
    "arithmetic-1": formula,
    "arithmetic-2": kiosk,
    "arithmetic-3": formula,
    "arithmetic-4": tank,
    "number-theory-1": lambda text: ints(text)[0] % ints(text)[1],
    "number-theory-2": lambda text: gcd(*ints(text)),
    "number-theory-3": lambda text: ints(text)[0] ** ints(text)[1] % ints(text)[2],
    "number-theory-4": remainders,
    "calendar-1": lambda text: sum(calendar.monthrange(2023, month)[1] for name, month in MONTHS.items() if name in text),
    "calendar-2": lambda text: dates(text)[0] + timedelta(days=ints(text)[0]),
    "calendar-3": lambda text: (dates(text)[1] - dates(text)[0]).days,
    "calendar-4": numbered_day,
    "string-1": lambda text: text[1 : text.index("」")][::-1],
    "string-2": lambda text: re.sub("[aeiou]", "", quoted(text)[0])[::-1],
    "string-3": shifted,
    "string-4": interleaved,
    **dict.fromkeys(("code-trace-1", "code-trace-2", "code-trace-3", "code-trace-4"), printed),
    "logic-1": taller,
    "logic-2": race,
    "logic-3": houses,
    "logic-4": knights,
    "graph-1": lambda text: routes(two_way(text), "P", "R")[0][0],
    "graph-2": lambda text: routes(two_way(text), "H", "M")[0][0],
    "graph-3": shortest_one_way,
    "graph-4": cheapest_net,
    "algebra-1": lambda text: Fraction(ints(text)[2] + ints(text)[1], ints(text)[0]),
    "algebra-2": lambda text: determinant(matrix(text)),
    "algebra-3": sum_of_power,
    "algebra-4": system,
    "combinatorics-1": lambda text: comb(*ints(text)),
    "combinatorics-2": lambda text: len(set(permutations(quoted(text)[0]))),
    "combinatorics-3": lattice,
    "combinatorics-4": codes,
    "units-1": lambda text: ints(text)[0] * 60 + ints(text)[1],
    "units-2": lambda text: decimals(text)[0] * (decimals(text)[1] * 3600 + decimals(text)[2] * 60) / 1000,
    "units-3": train,
    "units-4": shaku,
    "representation-1": lambda text: romans(text)[0],
    "representation-2": lambda text: in_base(*ints(text)),
    "representation-3": base_sum,
    "representation-4": lambda text: to_roman(romans(text)[1] - romans(text)[0]),
    "table-1": lambda text: sum(int(boxes) for _, boxes, _ in rows(text)[2:]),
    "table-2": stationery,
    "table-3": shipped_north,
    "table-4": ranking,
    "instruction-1": lambda text: "-".join(quoted(text)[0].upper()),
    "instruction-2": lambda _: "/".join(day[:2].lower() for day in reversed(DAYS) if len(day) <= 8),
    "instruction-3": diagonal,
    "instruction-4": walk,
    "sequence-1": lambda text: continued(ints(text)[:5], 6, order=1),
    "sequence-2": lambda text: sequence(ints(text)[:2], lambda terms: terms[-1] + terms[-2] - ints(text)[2], ordinal(text)),
    "sequence-3": lambda text: continued(ints(text)[:5], ints(text)[5], order=2),
    "sequence-4": lambda text: sequence(ints(text), lambda terms: terms[-1] + squares_of_digits(terms[-1]), ordinal(text)),
    "multilingual-1": lambda text: sum(FRENCH[word] for word in re.findall(r"[a-z-]+", text) if word in FRENCH),
    "multilingual-2": german_difference,
    "multilingual-3": chinese_difference,
    "multilingual-4": lambda text: italian(sum(read_all(re.findall(r"\w+", text), italian, 10_000))),
    "knowledge-1": lambda _: SYMBOLS["gold"],
    "knowledge-2": lambda _: IRON * (12 * 5 // 3),  # twelve pentagons, three at each vertex
    "knowledge-3": wolfram_and_piano,
    "knowledge-4": lambda text: "".join(SYMBOLS[word] for word in re.findall(r"\w+", text) if word in SYMBOLS),
}
