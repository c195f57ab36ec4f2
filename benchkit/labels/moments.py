"""Dates and times in names."""

from __future__ import annotations

import re

from benchkit.regexes import regex

_CLOCK = (
    r"(?:[-_T. ]?(?:[01]\d|2[0-3])[-_:.h]?[0-5]\d(?:[-_:.m]?[0-5]\d)?Z?"
    r"|[-_T ](?:2[0-3]|1?\d)[-_:.h][0-5]?\d(?:[-_:.m][0-5]?\d)?Z?)?"
)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = rf"[-_. ]?(?:{'|'.join(_MONTHS)})[a-z]{{0,6}}[-_. ]?"
#: A date, a date and a time, a week, or seconds since 1970, as the group ``moment``.
MOMENT = (
    r"(?P<moment>(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:0[1-9]|[12]\d|3[01])"
    rf"{_CLOCK}"
    r"|(?:0[1-9]|[12]\d|3[01])[-_.](?:0[1-9]|[12]\d|3[01])[-_.](?:19|20)\d\d"
    rf"{_CLOCK}"
    rf"|(?:19|20)\d\d[-_](?:1[0-2]|0?[1-9])[-_](?:[12]\d|3[01]|0?[1-9])(?!\d){_CLOCK}"
    rf"|(?:0[1-9]|[12]\d|3[01]){_MONTH}(?:19|20)\d\d{_CLOCK}"
    rf"|(?:19|20)\d\d{_MONTH}(?:0[1-9]|[12]\d|3[01]){_CLOCK}"
    r"|(?:19|20)\d\d-?W[0-5]\d"
    r"|1[4-9]\d{8}(?:\d{3})?)"
)
#: A date that ends with its year.
_YEAR_LAST = regex(r"(\d\d)[-_.](\d\d)[-_.](\d{4})(.*)", re.DOTALL)
_ONE_DIGIT = regex(r"(?<!\d)\d(?!\d)")
_MONTH_WORD = regex(_MONTH, re.IGNORECASE)


def keep_digits(text: str) -> str:
    """Return the digits of a text.

    Examples
    --------
    >>> keep_digits("2024-05-31T12:00")
    '202405311200'
    """
    return "".join(filter(str.isdigit, text))


def read_moment(text: str) -> str:
    """Return the digits of a date or time, year first, so that they sort by time.

    In a date that ends with its year, the day comes first unless that is impossible.

    Examples
    --------
    >>> read_moment("2024-05-31T12:00"), read_moment("31_05_2024_12_00"), read_moment("05-31-2024")
    ('202405311200', '202405311200', '20240531')
    >>> read_moment("20-Nov-2026"), read_moment("2026March05_12-00")
    ('20261120', '202603051200')
    >>> read_moment("2023-5-4_2-13-59")
    '20230504021359'
    """
    text = _ONE_DIGIT.sub(r"0\g<0>", _MONTH_WORD.sub(_number_month, text))
    match = _YEAR_LAST.fullmatch(text)
    if match is None:
        return keep_digits(text)
    day, month, year, clock = match.groups()
    if int(month) > 12:
        day, month = month, day
    return year + month + day + keep_digits(clock)


def _number_month(word: re.Match[str]) -> str:
    return f"-{_MONTHS.index(word[0].strip('-_. ')[:3].lower()) + 1:02}-"
