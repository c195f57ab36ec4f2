"""The lines of a report of wrk or wrk2: their order, and how each is known.

A number is taken only from a line that is whole; what is cut or changed does not match and is not
guessed.
"""

from __future__ import annotations

import re

#: The lines of a report in the order in which they are printed. The five from DISTRIBUTION on come
#: again, with ranks from UNCORRECTED on, in the block that ``wrk2 -U`` adds.
HEAD, SIZE, CALIBRATION, STATS, LATENCY, RATE = range(6)
DISTRIBUTION, QUANTILE, BUCKET, MEAN, MAX = range(6, 11)
UNCORRECTED = 11
TOTAL, ERRORS, NON2XX, REQUESTS, TRANSFER = range(16, 21)
#: Not a line of a report: wrk could not begin; a line that should hold numbers but is damaged.
FAILED, DAMAGED = -1, -2

Fields = tuple[str, ...]

_COUNT = r"(\d{1,15})"
_TIME = r"\d{1,12}(?:\.\d{1,3})?(?:us|ms|s|m|h)"
_RATE = r"\d{1,15}(?:\.\d{1,3})?[kMGTP]?"
_BYTES = r"(\d{1,15}(?:\.\d{1,3})?[KMGTP]?B)"
_MILLIS = r"\d{1,12}\.\d{3}"
_SHARE = r"(\d{1,3}(?:\.\d\d)?|-?nan)%"


def _stats(value: str) -> str:
    return rf" +({value}|-?nan\w*)" * 3 + " +" + _SHARE


def _kinds(*kinds: tuple[int, str]) -> tuple[tuple[int, re.Pattern[str]], ...]:
    return tuple((rank, re.compile(pattern)) for rank, pattern in kinds)


_QUANTILE = _kinds((QUANTILE, rf"(\d+(?:\.\d+)?)% +({_TIME})"))
_BUCKET = _kinds((BUCKET, rf"({_MILLIS}) +([01]\.\d{{6}}) +\d+ +(\d+\.\d\d|inf)"))
#: What a line may be, by its first word, or its second where the first is a number.
_BY_WORD = {
    "Running": _kinds((HEAD, r"(Running) \d+[smh] test @ (\S+)")),
    "Making": _kinds((HEAD, r"(Making) \d+ requests to (\S+)")),
    "threads": _kinds((SIZE, rf"{_COUNT} threads and {_COUNT} connections")),
    "goroutine(s)": _kinds((SIZE, rf"({_COUNT}) (goroutine)\(s\) running concurrently")),
    "Thread": _kinds(
        (STATS, r"Thread Stats +Avg +Stdev +Max +\+/- Stdev"),
        (CALIBRATION, r"Thread calibration: mean lat\.: .+, rate sampling interval: .+"),
    ),
    "Latency": _kinds(
        (LATENCY, "Latency" + _stats(_TIME)),
        (DISTRIBUTION, r"Latency Distribution()"),
        (DISTRIBUTION, r"Latency Distribution \(HdrHistogram - (\w+) Latency.*\)"),
    ),
    "Req/Sec": _kinds((RATE, "Req/Sec" + _stats(_RATE))),
    "[Mean": _kinds((MEAN, rf"\[Mean += +({_MILLIS}|-?nan), StdDeviation += +({_MILLIS}|-?nan)\]")),
    "[Max": _kinds((MAX, rf"\[Max += +({_MILLIS}), Total count += +{_COUNT}\]")),
    "requests": _kinds((TOTAL, rf"{_COUNT} requests in ({_TIME}), {_BYTES} read")),
    "Socket": _kinds(
        (
            ERRORS,
            rf"Socket errors: connect {_COUNT}, read {_COUNT}, write {_COUNT}, timeout {_COUNT}",
        )
    ),
    "Non-2xx": _kinds((NON2XX, rf"Non-2xx or 3xx responses: {_COUNT}")),
    "Requests/sec:": _kinds((REQUESTS, r"Requests/sec: +(\d{1,15}\.\d\d)")),
    "Transfer/sec:": _kinds((TRANSFER, rf"Transfer/sec: +{_BYTES}")),
    "unable": _kinds((FAILED, r"unable to (connect to|resolve) (\S+:[\w-]+) (.+)")),
}
#: First words of lines that hold numbers: if such a line cannot be read, that is said.
_TELLING = frozenset({"Latency", "Req/Sec", "Requests/sec:", "Transfer/sec:", "Socket", "Non-2xx"})
_FURNITURE = ("Detailed Percentile", "Value ", "[Buckets")
_OPEN_ENDED = re.compile(r"(?:%\s+[\d.]+m|timeout \d+|responses: \d+)$")
_REST = re.compile(r"\d{1,15}|s")
_LOG_PREFIX = re.compile(r"(?:\d{4}-\d\d-\d\dT\S+|[\w.-]+\s+\|)(?:\s+|$)")


def read_line(line: str) -> tuple[int, Fields] | None:
    """Tell which line of a report this is; None if it is none.

    Examples
    --------
    >>> read_line("8 requests in 2.00s, 3.82KB read") == (TOTAL, ("8", "2.00s", "3.82KB"))
    True
    """
    word, _, rest = line.partition(" ")
    if word[0].isdigit():
        second = rest.partition(" ")[0]
        kinds = _QUANTILE if word[-1] == "%" else _BY_WORD.get(second, _BUCKET)
        telling = word[-1] == "%" or second == "requests"
    else:
        kinds = _BY_WORD.get(word, ())
        telling = word in _TELLING
    for rank, pattern in kinds:
        match = pattern.fullmatch(line)
        if match is not None:
            return rank, match.groups()
    return (DAMAGED, ()) if telling else None


def without_log_prefix(line: str) -> str:
    """Drop the time or the name of a service that a log puts before a line."""
    match = _LOG_PREFIX.match(line)
    return line[match.end() :] if match else line


def is_furniture(line: str) -> bool:
    """Whether a line is of a report but holds nothing to keep."""
    return line.startswith(_FURNITURE) or not line.strip("-")


def is_wrapped(text: str, following: str) -> bool:
    """Whether a terminal's width parted a line: ``timeout 721`` into ``timeout 72`` and ``1``.

    Examples
    --------
    >>> is_wrapped("Non-2xx or 3xx responses: 72", "1"), is_wrapped("99%  1.47m", "s")
    (True, True)
    """
    return _REST.fullmatch(following) is not None and may_be_cut(text)


def may_be_cut(text: str) -> bool:
    """Whether a cut may have shortened a line unnoticed: ``1.47ms`` to ``1.47m``, 24 to 2."""
    return _OPEN_ENDED.search(text.rstrip()) is not None
