"""The commonest source of all, one whole report of wrk and nothing else, read in one match.

In: a small source. Out: its reading, the same as the line reader's, or None for that to try.
Why: folders hold thousands of these; whatever is not exactly of this shape takes the slow road,
so that this one can never change a value. Reports with errors are left to it, too.
"""

from __future__ import annotations

import re
from functools import lru_cache

from benchkit.parsers.base import Reading, Row, Source
from benchkit.parsers.wrk.quantities import host_of, path_of, read_rate, read_time
from benchkit.units import Quantity, parse_bytes, scale

#: A report has some 500 bytes.
LARGEST = 2000

_TIME = r"(\d{1,12}\.\d\d(?:us|ms|s|m))"
_RATE = r"(\d{1,15}\.\d\d[kMG]?)"
_BYTES = r"(\d{1,15}\.\d\d[KMGT]?B)"
_SHARE = r"(\d{1,3}\.\d\d)%"
_STATS = r"  Thread Stats   Avg      Stdev     Max   \+/- Stdev\n"
_SHAPE = re.compile(
    r"Running \d+[smh] test @ (\S+)\n"
    r"  (\d{1,15}) threads and (\d{1,15}) connections\n"
    + _STATS
    + rf"    Latency +{_TIME} +{_TIME} +{_TIME} +{_SHARE}\n"
    + rf"    Req/Sec +{_RATE} +{_RATE} +{_RATE} +{_SHARE}\n"
    + rf"(?:  Latency Distribution\n     50% +{_TIME} ?\n     75% +{_TIME} ?\n"
    + rf"     90% +{_TIME} ?\n     99% +{_TIME} ?\n)?"
    + rf"  (\d{{1,15}}) requests in {_TIME}, {_BYTES} read\n"
    + r"Requests/sec: +(\d{1,15}\.\d\d)\n"
    + rf"Transfer/sec: +{_BYTES}\n*"
)
_SPREAD = ("mean", "stdev", "max")
_QUANTILES = ("p50", "p75", "p90", "p99")


def read_plain(source: Source) -> Reading | None:
    """Read a source that is one plain report and nothing else.

    Parameters
    ----------
    source : Source

    Returns
    -------
    Reading or None
        None where the source is of any other shape, or nothing was measured in it.
    """
    if not source.is_small or source.size > LARGEST:
        return None
    match = _SHAPE.fullmatch(source.text())
    if match is None:
        return None
    fields = match.groups()
    if not read_time(fields[5]).value or fields[15] == "0":
        return None
    return _build(fields)


def _build(fields: tuple[str, ...]) -> Reading:
    url, threads, connections = fields[:3]
    requests, length, received, rate, bandwidth = fields[15:]
    rows: list[Row] = []
    _add(rows, "latency_within_stdev", "mean", _read_share(fields[6]), "1", 4)
    for stat, text in zip(_SPREAD, fields[3:6], strict=True):
        _add(rows, "latency", stat, read_time(text), "s", 4)
    for stat, text in zip(_SPREAD, fields[7:10], strict=True):
        _add(rows, "thread_request_rate", stat, read_rate(text), "1/s", 5)
    _add(rows, "thread_request_rate_within_stdev", "mean", _read_share(fields[10]), "1", 5)
    line = 6
    if fields[11]:
        for stat, text, line in zip(_QUANTILES, fields[11:15], range(7, 11), strict=True):
            value = read_time(text)
            if value.value:
                _add(rows, "latency", stat, value, "s", line)
        line += 1
    duration = read_time(length)
    _add(rows, "requests", "count", Quantity(float(requests), 1.0), "1", line)
    _add(rows, "duration", "total", duration, "s", line)
    _add(rows, "bytes_in", "total", parse_bytes(received, binary=True), "B", line)
    _add(rows, "request_rate", "mean", Quantity(float(rate), 0.01), "1/s", line + 1)
    _add(rows, "bandwidth_in", "mean", parse_bytes(bandwidth, binary=True), "B/s", line + 2)
    return Reading(
        tool="wrk",
        form="text",
        line=1,
        last_line=line + 2,
        target=path_of(url),
        params={"connections": connections, "threads": threads},
        connections=int(connections),
        duration=duration.value,
        load_model="closed",
        corrected="approximate",
        env={"host": host_of(url)},
        rows=rows,
    )


def _add(rows: list[Row], metric: str, stat: str, quantity: Quantity, unit: str, line: int) -> None:
    value, resolution = quantity.value, quantity.resolution
    rows.append((None, metric, stat, value, unit, None, None, resolution, "reported", line))


@lru_cache(maxsize=1 << 13)
def _read_share(percent: str) -> Quantity:
    return Quantity(scale(percent, -2), 1e-4)
