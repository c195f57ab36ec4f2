"""What vegeta's reports have in common: how a reading begins, and what its zeros mean.

A library user who prints metrics before closing them gets zeros, and one single request has no
rate; both look like numbers and are not.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading, Row, find_command
from benchkit.parsers.urls import describe_url

TOOL = "vegeta"
#: Vegeta 10 and later estimate quantiles with a t-digest of compression 100 (equal to Hazen's rule,
#: numpy's ``hazen``, while few values are compressed; at 6,000 values the p99 is some per cent off

_RATES = frozenset({"request_rate", "success_rate_per_second"})
#: Kept where the rest is zero because nothing was computed.
_SUMMED = frozenset({"requests", "responses"})
_RATE = re.compile(r"-rate[= ](\d{1,15})(?!\d)(?:/(\d{0,9})(ms|s|m|h))?")
_TARGET = re.compile(r"\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (https?://[^\s\"'|\\]+)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def begin(form: str, line: int, command: str = "") -> Reading:
    """Return an empty reading of the run that ``command`` started, where a line shows one."""
    reading = Reading(tool=TOOL, form=form, line=line, last_line=line, load_model="open")
    reading.command = find_command(command, TOOL)
    target = _TARGET.search(command)
    if target:
        reading.target = path_of(target[1])
        reading.env |= describe_url(target[1])
    rate = _RATE.search(command)
    if rate is not None:
        frequency = int(rate[1]) / (int(rate[2] or 1) * _SECONDS[rate[3] or "s"] or 1.0)
        reading.target_rate = frequency or None
        reading.load_model = "open" if frequency else "closed"
    return reading


def path_of(url: str) -> str:
    """Return the path of a URL, host, port and query dropped.

    Examples
    --------
    >>> path_of("http://127.0.0.1:8082/consumer?id=1")
    '/consumer'
    """
    try:
        return urlsplit(url).path or "/"
    except ValueError:
        return ""


def finish(reading: Reading, label: str) -> list[Diagnostic]:
    """Drop what is no measurement from a report, and say so where it was printed.

    Requests that took no time mean that ``Metrics.Close`` was never called: means, percentiles,
    rates and times are zero because nothing computed them. An attack without length (one request)
    has no rate: vegeta prints the count instead.
    """
    known = {(row[1], row[2], row[0]): row[3] for row in reading.rows}
    requests = known.get(("requests", "count", None))
    if requests == 0:
        reading.status, reading.duration = "failed", None
        reading.rows = [row for row in reading.rows if row[1] == "requests"]
        return []
    problems = []
    if requests and _is_unclosed(requests, known):
        reading.rows = [row for row in reading.rows if _is_measured(row)]
        reading.duration, reading.status = None, "partial"
        problems.append(_unclosed(label, reading.line))
    if known.get(("duration", "total", "attack")) == 0:
        reading.rows = [row for row in reading.rows if row[1] not in _RATES]
    return problems


def _is_unclosed(requests: float, known: dict[tuple[str, str, str | None], float]) -> bool:
    """Whether nothing was computed; where a cut took the latencies, other zeros tell it."""
    mean = known.get(("latency", "mean", None))
    if mean is not None:
        return mean == 0
    is_instant = requests > 1 and known.get(("duration", "total", "attack")) == 0
    return is_instant or known.get(("request_rate", "mean", None)) == 0


def _is_measured(row: Row) -> bool:
    _, metric, stat, value, *_ = row
    if metric == "error_rate":
        return False
    return value != 0 or metric in _SUMMED or (metric.startswith("bytes") and stat == "total")


def _unclosed(label: str, line: int) -> Diagnostic:
    return Diagnostic(
        label,
        line,
        "the metrics were printed before Close() computed them: the zeros are left out",
        "call Metrics.Close() before reporting, or ingest the raw results",
        "warning",
        is_remark=True,
    )
