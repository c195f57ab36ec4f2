"""Quantities of a wrk report, and a fast reader for a file with exactly one whole report.

That is the most common kind of source: folders contain thousands of these. Anything of another
shape takes the slow path, including reports with errors, so the fast path never changes a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial

from benchkit.parsers.base import Reading, Row
from benchkit.reading import urls
from benchkit.reading.reports import decimal
from benchkit.regexes import regex
from benchkit.units import Quantity, parse_bytes, parse_count, parse_time, scale

_ENDS = {"0": "min", "": "min", "100": "max"}

#: The same texts recur in a folder of reports, so each is read once.
read_time = lru_cache(maxsize=1 << 14)(parse_time)
read_rate = lru_cache(maxsize=1 << 14)(parse_count)
read_bytes = lru_cache(maxsize=1 << 14)(partial(parse_bytes, binary=True))
read_count, read_hundredths = decimal(1.0), decimal(0.01)
path_of = lru_cache(maxsize=1024)(urls.path_of)
describe_url = lru_cache(maxsize=1024)(urls.describe_url)


def read_grouped(text: str) -> Quantity:
    """Read a number with two decimals, whose thousands may be grouped by commas."""
    return read_hundredths(text.replace(",", ""))


def read_whole(text: str) -> Quantity:
    """Read a whole number whose thousands someone parted by commas."""
    return read_count(text.replace(",", ""))


@lru_cache(maxsize=1 << 13)
def read_share(percent: str) -> Quantity:
    """Read a share such as ``95.32`` per cent."""
    return Quantity(scale(percent, -2), 1e-4)


@lru_cache(maxsize=1024)
def stat_of(percent: str) -> str:
    """Return the name of a quantile: ``99.900`` is p99.9, the ends are min and max."""
    short = percent.rstrip("0").rstrip(".") if "." in percent else percent
    return _ENDS.get(short, f"p{short}")


@lru_cache(maxsize=1024)
def read_level(level: str) -> str:
    """Shift ``0.912500`` to ``91.25``."""
    digits = level.replace(".", "")
    return f"{int(digits[:3])}.{digits[3:]}".rstrip("0").rstrip(".")


#: A report has some 500 bytes.
LARGEST = 2000

_TIME = r"(\d{1,12}\.\d\d(?:us|ms|s|m))"
_RATE = r"(\d{1,15}\.\d\d[kMG]?)"
_BYTES = r"(\d{1,15}\.\d\d[KMGT]?B)"
_SHARE = r"(\d{1,3}\.\d\d)%"
_STATS = r"  Thread Stats   Avg      Stdev     Max   \+/- Stdev\n"
_SHAPE = regex(
    r"Running \d+[smh] test @ (\S+)\n"
    r"  (\d{1,15}) threads and (\d{1,15}) connections\n"
    + _STATS
    + rf"    Latency +{_TIME} +{_TIME} +{_TIME} +{_SHARE}\n"
    + rf"    Req/Sec +{_RATE} +{_RATE} +{_RATE} +{_SHARE}\n"
    + rf"(?:  Latency Distribution\n     50% +{_TIME} ?\n     75% +{_TIME} ?\n"
    + rf"     90% +{_TIME} ?\n     99% +{_TIME} ?\n)?"
    + rf"  (\d{{1,15}}) requests in {_TIME}, {_BYTES} read\n"
    + r"Requests/sec: +(\d{1,15}\.\d\d)\n"
    + rf"Transfer/sec: +{_BYTES}\n*",
    re.ASCII,
)


#: Index among the fields, function to read it, metric, stat, unit, and line.
_Place = tuple[int, Callable[[str], Quantity], str, str, str, int]

_SPREADS: tuple[_Place, ...] = (
    (6, read_share, "latency_within_stdev", "mean", "1", 4),
    (3, read_time, "latency", "mean", "s", 4),
    (4, read_time, "latency", "stdev", "s", 4),
    (5, read_time, "latency", "max", "s", 4),
    (7, read_rate, "thread_request_rate", "mean", "1/s", 5),
    (8, read_rate, "thread_request_rate", "stdev", "1/s", 5),
    (9, read_rate, "thread_request_rate", "max", "1/s", 5),
    (10, read_share, "thread_request_rate_within_stdev", "mean", "1", 5),
)
_QUANTILES: tuple[_Place, ...] = (
    (11, read_time, "latency", "p50", "s", 7),
    (12, read_time, "latency", "p75", "s", 8),
    (13, read_time, "latency", "p90", "s", 9),
    (14, read_time, "latency", "p99", "s", 10),
)
_RANKS = frozenset(stat for *_, stat, _, _ in _QUANTILES)


def _totals(line: int) -> tuple[_Place, ...]:
    return (
        (15, read_count, "requests", "count", "1", line),
        (16, read_time, "duration", "total", "s", line),
        (17, read_bytes, "bytes_in", "total", "B", line),
        (18, read_hundredths, "request_rate", "mean", "1/s", line + 1),
        (19, read_bytes, "bandwidth_in", "mean", "B/s", line + 2),
    )


#: The quantities of a report in order, without and with ``--latency``.
_SHORT = (*_SPREADS, *_totals(6))
_LONG = (*_SPREADS, *_QUANTILES, *_totals(11))


def read_plain(text: str) -> Reading | None:
    """Read a text that is one plain report and nothing else.

    Returns
    -------
    Reading or None
        None if the text has any other shape, or nothing was measured in it.
    """
    match = _SHAPE.fullmatch(text) if len(text) <= LARGEST else None
    if match is None:
        return None
    fields = match.groups()
    if not read_time(fields[5]).value or fields[15] == "0":
        return None
    return _build(fields)


def _build(fields: tuple[str, ...]) -> Reading:
    url, threads, connections = fields[:3]
    places = _LONG if fields[11] else _SHORT
    rows: list[Row] = [
        (None, metric, stat, it.value, unit, None, None, it.resolution, "reported", line)
        for place, read, metric, stat, unit, line in places
        if (it := read(fields[place])).value or stat not in _RANKS  # 0 was not measured
    ]
    return Reading(
        tool="wrk",
        form="text",
        line=1,
        last_line=places[-1][-1],
        target=path_of(url),
        params={"connections": connections, "threads": threads},
        connections=int(connections),
        duration=read_time(fields[16]).value,
        load_model="closed",
        corrected="approximate",
        env=dict(describe_url(url)),
        rows=rows,
    )
