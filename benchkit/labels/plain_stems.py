"""Run counts in names that don't begin with a tool's: `none_run3`, `none-2024-05-31`.

A word for runs with a number counts them anywhere in the name, and so do dates and times. A number
alone may count runs at the end, at the beginning or before a word for results.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from benchkit.labels.moments import MOMENT, read_moment
from benchkit.labels.stems import (
    KINDS,
    RESULT_WORDS,
    ROLES,
    SEPARATORS,
    ToolNames,
    is_name,
    is_number,
)
from benchkit.regexes import regex

#: Words whose number counts a run, in any text.
RUN_WORDS = (
    *("run", "trial", "try", "pass", "iteration", "iter", "repetition", "repeat", "rep", "round"),
    *("attempt", "take", "measurement", "execution", "exec", "replicate", "replication"),
    *("lauf", "durchlauf", "essai", "corrida", "ejecución", "execução", "rodada"),
    *("prova", "próba"),
    *("прогон", "запуск", "попытка"),
)
#: Words whose number counts a run in file names; in prose it may be a rate or a size.
NAME_WORDS = (
    *RUN_WORDS,
    *("sample", "measure", "loop", "cycle", "seed", "day", "night", "week", "session", "attack"),
)
_COUNTED = rf"(?:{'|'.join(NAME_WORDS)})[-_. =]?#?(?P<run>\d{{1,9}})"
#: Words before the moment in the name of a folder that is a run.
_SESSIONS = (
    r"(?:(?:run|nightly|night|daily|weekly|job|build|ci|session|test|tests|perf|load|loadtest)"
    r"[-_. ])?"
)
FOLDER = regex(rf"{_COUNTED}|{_SESSIONS}{MOMENT}|run[-_](?P<id>\d{{10,12}})", re.IGNORECASE)
#: The start of a word: after a separator, or as `Run` in `noneRun1`; and the end of a number.
_START = r"(?:^|[-_. ,]|(?-i:(?<=[a-z])(?=[A-Z])))"
_STOP = r"(?=[-_ ,]|\.(?!\d)|$)"
_RUN = regex(rf"{_START}{_COUNTED}(?:[-_ ]?of[-_ ]?\d{{1,9}})?{_STOP}", re.IGNORECASE)
_WHEN = regex(rf"{_START}{MOMENT}{_STOP}", re.IGNORECASE)
#: `none-1`, `none.r1`, `none #1`, `none_2nd`, `none_1of3`, `none (1)`, `none - Copy (2)`.
_END = regex(
    r"(?:(?<=.)[-_ ,]|(?<=[^\d.])\.|(?<=[^.])\.(?=r)|(?=#))"
    r"(?:r|i|n|#|no|nr)?(?P<number>\d{1,9})(?:st|nd|rd|th|[-_ ]?of[-_ ]?\d{1,9})?$"
    r"|(?<=.) ?[(\[{](?P<copy>\d{1,9})[)\]}]$"
    r"|(?<=.)[-_ ]copy(?: ?\(?(?P<again>\d{1,9})\)?)?$",
    re.IGNORECASE,
)
#: `1_none`; more digits are a commit whose hash has no letters, as in `22928258-py3.10`.
_BEGIN = regex(
    r"(?P<number>\d{1,6})[-_ ](?:of[-_ ]?\d{1,9}[-_ ])?(?=\D|\d{1,9}[A-Za-z])", re.IGNORECASE
)
#: The extension before the number of a rotated file: `none.txt.1`.
_PUT_ASIDE = regex(r"\.(?:txt|log|out|json|csv)$", re.IGNORECASE)
_AROUND = "-_. ,"


class PlainStem(NamedTuple):
    """A stem without a tool's name, and its run count: a run number, a moment or a number."""

    name: str
    run: int | None = None
    moment: str = ""
    number: int | None = None
    role: str = "measured"
    whole: str = ""


@lru_cache(maxsize=1 << 14)
def split_stem(stem: str, tools: ToolNames) -> PlainStem:
    """Split a stem into its name and its run count.

    ``whole`` is the name with the number, in case the number is part of it.

    Examples
    --------
    >>> [split_stem(stem, ToolNames()).number for stem in ("jdk-17", "out2", "http2")]
    [17, 2, None]
    >>> split_stem("none-20240101-1200", ToolNames()).moment, split_stem("trial01", ToolNames()).run
    ('202401011200', 1)
    >>> [split_stem(stem, ToolNames()).number for stem in ("none.r1", "none_2nd", "none #3")]
    [1, 2, 3]
    >>> split_stem("none-1_stats", ToolNames())[:4]
    ('none', None, '', 1)
    >>> split_stem("none_run2_20240101_c8", ToolNames())[:4]
    ('none_c8', 2, '20240101', None)
    """
    counted = _find_last(_RUN, stem)
    rest = _leave_out(stem, counted)
    dated = _find_last(_WHEN, rest)
    is_dated_last = dated is not None and dated.end() == len(rest) and counted is None
    rest = _leave_out(rest, dated)
    name, number = (rest, None) if is_dated_last else _take_number(rest, tools)
    return _take_role(name)._replace(
        run=int(counted["run"]) if counted else None,
        moment=read_moment(dated["moment"]) if dated else "",
        number=number,
        whole=rest if counted and rest else stem,
    )


def _find_last(sign: re.Pattern[str], stem: str) -> re.Match[str] | None:
    return next(iter(reversed([*sign.finditer(stem)])), None)


def _leave_out(stem: str, match: re.Match[str] | None) -> str:
    """Return a stem without a match, and without the separators that it leaves behind."""
    if match is None:
        return stem
    before, after = stem[: match.start()], stem[match.end() :]
    rest = before.rstrip(_AROUND) + after if before.strip(_AROUND) else after.lstrip(_AROUND)
    return _PUT_ASIDE.sub("", rest)


def _take_number(stem: str, tools: ToolNames) -> tuple[str, int | None]:
    """Split a stem into its name and the number that may count runs."""
    if is_number(stem):
        return "", int(stem)
    match = _find_end(stem) or _BEGIN.match(stem) or _end_before_word(stem)
    if match is None:
        word = stem.rstrip("0123456789")
        digits = stem[len(word) :]
        is_result = is_number(digits) and not is_name(word, tools)
        return (word, int(digits)) if is_result else (stem, None)
    parts = match.groupdict()
    number = parts["number"] or parts.get("copy") or parts.get("again")
    rest = "" if match.start() else stem[match.end() :]
    rest = rest or _PUT_ASIDE.sub("", stem[: match.start()].rstrip(_AROUND))
    return rest, 2 if number is None else int(number)


def _find_end(stem: str) -> re.Match[str] | None:
    """Find the number at the end, unless the word before it names something other than runs."""
    match = _END.search(stem)
    kind = SEPARATORS.split(stem[: match.start()].lower())[-1] if match else ""
    return None if kind in KINDS else match


def _end_before_word(stem: str) -> re.Match[str] | None:
    """Find the run count before a word for results: the 1 of `none-1_stats`."""
    rest, _, word = re.sub(r"[-_.]([a-z]+)$", r"\0\1", stem).partition("\0")
    return _END.search(rest) if word in RESULT_WORDS else None


def _take_role(name: str) -> PlainStem:
    words = SEPARATORS.split(name)
    role = next((ROLES[word.lower()] for word in words if word.lower() in ROLES), "measured")
    if role == "measured":
        return PlainStem(name)
    return PlainStem("-".join(word for word in words if word.lower() not in ROLES), role=role)


def is_counted(stem: PlainStem) -> bool:
    """Return whether the stem counts its runs."""
    return stem.run is not None or stem.number is not None or bool(stem.moment)
