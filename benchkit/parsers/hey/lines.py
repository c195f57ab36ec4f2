"""The lines of a report of hey: their order, and how each is known.

A number is taken only from a line that is whole; what is cut or changed does not match and is not
guessed.
"""

from __future__ import annotations

import re

#: The lines of a report in the order in which they are printed.
SUMMARY, ELAPSED, SLOWEST, FASTEST, AVERAGE, RATE, DATA, SIZE = range(8)
HISTOGRAM, BUCKET, DISTRIBUTION, PERCENT = range(8, 12)
DETAILS, DIALUP, DNS, WRITE, WAIT, READ, CODES, CODE, ERRORS, ERROR = range(12, 22)
#: Not a line of hey: oha's report has it under the same heading.
OTHER = -1

#: None where the line is known by its label but its value is cut or changed.
Fields = tuple[str, ...] | None

_SECONDS = r"(\d{1,9}\.\d{4}|NaN) secs"
_BYTES = r"(\d{1,18}) bytes"
_DETAIL = ", ".join([_SECONDS] * 3).replace(", ", r",\s+")
_BY_LABEL = {
    label: (rank, re.compile(pattern))
    for label, rank, pattern in (
        ("Summary", SUMMARY, ""),
        ("Total", ELAPSED, _SECONDS),
        ("Slowest", SLOWEST, _SECONDS),
        ("Fastest", FASTEST, _SECONDS),
        ("Average", AVERAGE, _SECONDS),
        ("Requests/sec", RATE, r"(\d{1,15}\.\d{4})"),
        ("Total data", DATA, _BYTES),
        ("Size/request", SIZE, _BYTES),
        ("Response time histogram", HISTOGRAM, ""),
        ("Latency distribution", DISTRIBUTION, ""),
        ("Details (average, fastest, slowest)", DETAILS, ""),
        ("DNS+dialup", DIALUP, _DETAIL),
        ("DNS-lookup", DNS, _DETAIL),
        ("req write", WRITE, _DETAIL),
        ("resp wait", WAIT, _DETAIL),
        ("resp read", READ, _DETAIL),
        ("Status code distribution", CODES, ""),
        ("Error distribution", ERRORS, ""),
        ("Success rate", OTHER, r".*"),
    )
}
_UNLABELLED = tuple(
    (rank, re.compile(pattern))
    for rank, pattern in (
        (BUCKET, r"\d+\.\d{3} \[(\d{1,15})\](?:\s*\|.*)?"),
        (PERCENT, r"(\d{1,2})%{1,2} in (\d{1,9}\.\d{4}) secs"),
        (CODE, r"\[(\d{3})\]\s+(\d{1,15}) responses"),
        (ERROR, r"\[(\d{1,15})\]\s+(\S.*)"),
    )
)


def read_line(line: str) -> tuple[int, Fields] | None:
    """Tell which line of a report this is; None if it is none.

    Examples
    --------
    >>> read_line("50%% in 0.0013 secs") == (PERCENT, ("50", "0.0013"))
    True
    """
    label, colon, value = line.partition(":")
    if colon and label in _BY_LABEL:
        rank, pattern = _BY_LABEL[label]
        match = pattern.fullmatch(value.strip())
        return rank, match.groups() if match else None
    if line[0] == "[" or line[0].isdigit():
        for rank, pattern in _UNLABELLED:
            match = pattern.fullmatch(line)
            if match:
                return rank, match.groups()
    return None


def may_be_cut(text: str) -> bool:
    """Whether a cut may have shortened a line unnoticed: an error that goes on."""
    return not text.rstrip().endswith(("secs", "bytes", "responses"))
