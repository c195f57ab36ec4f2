"""A query over a range of time, as the command line says it and as an address.

What cannot be asked is refused before anything is asked, and the address, which is kept as the
source, holds no credentials.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import quote, urlencode, urlsplit

from benchkit.errors import ConfigError
from benchkit.labels.values import UnusableError, read_time
from benchkit.units import parse_duration

#: Variables that hold the credentials.
TOKEN = "BENCHKIT_PROMETHEUS_TOKEN"  # noqa: S105 - the name of a variable
USER, PASSWORD = "BENCHKIT_PROMETHEUS_USER", "BENCHKIT_PROMETHEUS_PASSWORD"

#: Prometheus answers at most 11 000 points per series.
MOST_POINTS = 11_000
_MOST_PIECES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeQuery:
    """One query over a range of time.

    Parameters
    ----------
    url : str
        Of the server, without credentials.
    query : str
        PromQL.
    start, end, step : int
        ms; the first two since 1970.
    """

    url: str
    query: str
    start: int
    end: int
    step: int

    @property
    def address(self) -> str:
        """What is asked, as an address that can be asked again."""
        parameters = {"query": self.query, "start": _seconds(self.start), "end": _seconds(self.end)}
        parameters["step"] = _seconds(self.step)
        return f"{self.url}/api/v1/query_range?{urlencode(parameters, quote_via=quote)}"

    def pieces(self) -> Iterator[RangeQuery]:
        """Yield queries that are short enough, one after the other."""
        span = (MOST_POINTS - 1) * self.step
        for start in range(self.start, self.end + 1, span + self.step):
            end = min(start + span, self.end)
            yield replace(self, start=start, end=end)


def parse_query(url: str, query: str, start: str | None, end: str | None, step: str) -> RangeQuery:
    """Make a query of what the command line says.

    Parameters
    ----------
    start, end : str or None
        RFC 3339 with a zone, or seconds since 1970. Both are needed: the same range asked again
        takes the place of what was read before.
    step : str
        A duration like ``1s``.

    Raises
    ------
    ConfigError
        If one of them cannot be used.

    Examples
    --------
    >>> parse_query("http://h:9090/", "up", "1795224103", "1795224113", "5s").address
    'http://h:9090/api/v1/query_range?query=up&start=1795224103&end=1795224113&step=5'
    """
    first, last = _moment(start, "--start"), _moment(end, "--end")
    if last < first:
        raise ConfigError("the end is before the start", where="--end")
    try:
        every = round(parse_duration(step).value * 1000)
    except ValueError:
        every = 0
    if every < 1:
        raise ConfigError(
            f"expected a duration, got {step!r}", where="--step", hint="use 1s or 500ms"
        )
    begin, stop = (round(moment.timestamp() * 1000) for moment in (first, last))
    request_count = math.ceil((stop - begin) / every / MOST_POINTS)
    if request_count > _MOST_PIECES:
        raise ConfigError(
            f"the range needs {request_count} requests", where="--step", hint="use a longer step"
        )
    return RangeQuery(url=_server(url), query=query, start=begin, end=stop, step=every)


def _server(url: str) -> str:
    """Return an address without its last slash, if it can be used."""
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole:
        hint = "use http://HOST:9090"
        raise ConfigError("not the address of a server", where="--prometheus", hint=hint)
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ConfigError(
            "credentials and queries in the address would be stored",
            where="--prometheus",
            hint=f"set {TOKEN}, or {USER} and {PASSWORD}, and give the address alone",
        )
    return url.rstrip("/")


def _moment(text: str | None, where: str) -> datetime:
    if text is None:
        hint = f"add {where} 2026-11-20T10:00:00Z"
        raise ConfigError("the query has no time range", where=where, hint=hint)
    try:
        return read_time(float(text) if text.replace(".", "", 1).isdigit() else text)
    except UnusableError as error:
        raise ConfigError(f"{text!r}: {error}", where=where) from None


def _seconds(milliseconds: int) -> str:
    """Write ms as s, exactly."""
    whole, rest = divmod(milliseconds, 1000)
    return f"{whole}.{rest:03d}".rstrip("0") if rest else f"{whole}"
