"""When the samples of a JTL began: milliseconds since 1970 or dates."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from benchkit.reading.remarks import Remark
from benchkit.regexes import regex

_WHOLE = regex(r"\d{1,15}", re.ASCII)
_CLOCK = r"[ T](\d\d:\d\d:\d\d)(?:[.,](\d{3}))?"
_YEAR_FIRST = regex(rf"(\d{{4}})([/-])(\d\d)\2(\d\d){_CLOCK}", re.ASCII)
_YEAR_LAST = regex(rf"(\d\d)([/.-])(\d\d)\2((?:20)?\d\d){_CLOCK}", re.ASCII)
_BEGINNING = regex(rf'^"?{_YEAR_LAST.pattern}', re.ASCII | re.MULTILINE)
AMBIGUOUS = Remark(
    "the times of samples do not say which number is the day and which the month, so this run has "
    "no rate",
    "configure {tool} to write times in milliseconds",
)


def find_order(text: str) -> str:
    """Return the order of day and month in dates that begin lines and end with the year.

    Returns
    -------
    {'day', 'month', 'unknown', ''}
        Empty where there are no such dates, or only ones that are the same either way.

    Examples
    --------
    >>> find_order("01/13/24 12:00:00"), find_order("13/01/24 12:00:00")
    ('month', 'day')
    >>> find_order("05/01/24 12:00:00"), find_order("05.01.2024 12:00:00")
    ('unknown', 'day')
    """
    order = ""
    for first, mark, second, *_ in _BEGINNING.findall(text):
        if mark == "." or first > "12":
            return "day"
        if second > "12":
            return "month"
        if first != second:
            order = "unknown"
    return order


def read_start(text: str, order: str = "") -> tuple[int, int]:
    """Return milliseconds since 1970 (0 if unreadable) and the resolution of the time.

    Examples
    --------
    >>> read_start("2024/01/13 00:00:00"), read_start("13/01/24 00:00:00.250", "day")
    ((1705104000000, 1000), (1705104000250, 1))
    """
    if _WHOLE.fullmatch(text):
        return int(text), 1
    if date := _YEAR_FIRST.fullmatch(text):
        year, _, month, day, clock, part = date.groups()
    elif date := _YEAR_LAST.fullmatch(text):
        day, _, month, year, clock, part = date.groups()
        if order not in {"day", "month"} and day != month:
            return 0, 1
        year = f"20{year[-2:]}"
        if order == "month":
            day, month = month, day
    else:
        return 0, 1
    try:
        moment = datetime.fromisoformat(f"{year}-{month}-{day}T{clock}.{part or '000'}")
    except ValueError:
        return 0, 1
    return round(moment.replace(tzinfo=UTC).timestamp() * 1e3), 1 if part else 1_000
