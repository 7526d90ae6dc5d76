"""Number words of three languages, written by their rules and read back by looking a word up among all that were written.

German below 1,000, Italian below 1,000,000, Chinese (small numerals) below 100,000; from 20 on, where no rule has an exception.
"""

import re
from collections.abc import Callable, Iterable

_GERMAN = ("", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf")
_GERMAN_TENS = ("zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig")
_GERMAN_TEENS = {16: "sechzehn", 17: "siebzehn"}
_ITALIAN = (
    "",
    "uno",
    "due",
    "tre",
    "quattro",
    "cinque",
    "sei",
    "sette",
    "otto",
    "nove",
    "dieci",
    "undici",
    "dodici",
    "tredici",
    "quattordici",
    "quindici",
    "sedici",
    "diciassette",
    "diciotto",
    "diciannove",
)
_ITALIAN_TENS = ("venti", "trenta", "quaranta", "cinquanta", "sessanta", "settanta", "ottanta", "novanta")
_CHINESE, _CHINESE_PLACES = "零一二三四五六七八九", ("", "十", "百", "千", "万")


def german(n: int) -> str:
    hundreds, low = divmod(n, 100)
    tens, unit = divmod(low, 10)
    if low >= 20:
        tail = (f"{_GERMAN[unit]}und" if unit else "") + _GERMAN_TENS[tens - 2]
    elif low > 12:
        tail = _GERMAN_TEENS.get(low, f"{_GERMAN[unit]}zehn")
    else:
        tail = "eins" if low == 1 else _GERMAN[low]
    return (f"{_GERMAN[hundreds]}hundert" if hundreds else "") + tail


def italian(n: int) -> str:
    """A ten loses its vowel before uno and otto; a tre at the end of a longer word takes the accent."""
    thousands, rest = divmod(n, 1000)
    word = ("" if thousands == 0 else "mille" if thousands == 1 else _italian(thousands) + "mila") + _italian(rest)
    return word[:-1] + "é" if word.endswith("tre") and word != "tre" else word


def _italian(n: int) -> str:
    if n >= 100:
        return ("" if n < 200 else _ITALIAN[n // 100]) + "cento" + _italian(n % 100)
    if n < 20:
        return _ITALIAN[n]
    tens, unit = _ITALIAN_TENS[n // 10 - 2], n % 10
    return (tens[:-1] if unit in (1, 8) else tens) + _ITALIAN[unit]


def chinese(n: int) -> str:
    """One zero stands for a run of zeros inside the number; zeros at its end are not spoken."""
    digits = [int(digit) for digit in str(n)]
    spoken = "".join(_CHINESE[digit] + (_CHINESE_PLACES[len(digits) - 1 - i] if digit else "") for i, digit in enumerate(digits))
    return re.sub("零+", "零", spoken).rstrip("零")


def read_all(words: Iterable[str], write: Callable[[int], str], below: int) -> list[int]:
    """The numbers among the words, in their order."""
    values = {write(number): number for number in range(20, below)}
    return [values[word] for word in words if word in values]
