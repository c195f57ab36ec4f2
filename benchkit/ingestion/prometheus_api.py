"""Client of Prometheus' HTTP API: range queries, split into pieces that the server accepts.

If Prometheus already scrapes the machine, CPU and memory of a session are one command away, and no
response has to be saved to a file.

Credentials come only from the environment, and are sent only to this server: `TOKEN`, or `USER` and
`PASSWORD`. Redirections are refused, because they would take the credentials to another server.

A query over a time range is parsed from the command line and written as an address.

An invalid query is refused before any request, and the address, which is stored as the source,
contains no credentials.
"""

from __future__ import annotations

import base64
import http.client
import json
import math
import os
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import IO, Any
from urllib.parse import quote, urlencode, urlsplit

from benchkit.deadlines import within
from benchkit.errors import ConfigError, DataError
from benchkit.labels.declared import UnusableError, read_time
from benchkit.units import parse_duration

#: Maximum size in bytes of a response; the parser has the same limit.
_LARGEST = 64 << 20
#: Maximum duration of a whole response, as a multiple of the timeout for its first byte.
_PATIENCE = 10

#: Environment variables with the credentials.
TOKEN = "BENCHKIT_PROMETHEUS_TOKEN"  # noqa: S105 - the name of a variable
USER, PASSWORD = "BENCHKIT_PROMETHEUS_USER", "BENCHKIT_PROMETHEUS_PASSWORD"

#: Maximum number of points per series in a response of Prometheus.
MOST_POINTS = 11_000
_MOST_PIECES = 1000


def ask(
    query: RangeQuery, *, timeout: float = 60.0, environ: Mapping[str, str] | None = None
) -> bytes:
    """Query a server, and return its response, joined from all pieces.

    Parameters
    ----------
    timeout : float
        Seconds without data from the server.
    environ : mapping, optional
        Holds the credentials; by default the environment of this process.

    Raises
    ------
    DataError
        If the server cannot be reached, refuses, or does not answer like Prometheus.
    """
    headers = _headers(os.environ if environ is None else environ)
    by_kind: dict[str, dict[str, None]] = {}
    series: dict[str, dict[str, Any]] = {}
    for piece in query.pieces():
        answer = _read(piece.address, headers, timeout)
        for kind in ("warnings", "infos"):
            messages = answer.get(kind)
            for text in messages if isinstance(messages, list) else ():
                by_kind.setdefault(kind, {})[str(text)] = None
        for one in answer["data"]["result"]:
            _add(series, one)
    data = {"resultType": "matrix", "result": list(series.values())}
    remarks = {kind: list(texts) for kind, texts in by_kind.items()}
    return json.dumps({"status": "success", "data": data, **remarks}).encode()


def _add(series: dict[str, dict[str, Any]], one: object) -> None:
    """Append a piece of a series to the pieces before it."""
    if not isinstance(one, dict):
        return
    labels = json.dumps(one.get("metric"), sort_keys=True)
    known = series.setdefault(labels, {"metric": one.get("metric")})
    for kind in ("values", "histograms"):
        if isinstance(one.get(kind), list):
            known.setdefault(kind, []).extend(one[kind])


def _read(address: str, headers: Mapping[str, str], timeout: float) -> dict[str, Any]:
    """Request one piece; the response must be a success that contains a matrix."""
    request = urllib.request.Request(address, headers=dict(headers))  # noqa: S310 - http or https
    opener = urllib.request.build_opener(_Straight)

    def read() -> bytes:
        with opener.open(request, timeout=timeout) as response:
            return _limit(response)

    try:
        body = within(_PATIENCE * timeout, read)
    except urllib.error.HTTPError as error:
        with error:
            raise _refusal(error) from None
    except (OSError, http.client.HTTPException) as error:
        raise DataError(
            f"cannot query the server: {_reason(error, timeout)}",
            hint="check the --prometheus address, and that the server is running",
        ) from None
    answer = _decode(body)
    if answer.get("status") == "error":
        raise _query_error(answer)
    data = answer.get("data")
    if not isinstance(data, dict) or not isinstance(data.get("result"), list):
        raise DataError(
            "the response does not come from Prometheus", hint="use the address that serves /api/v1"
        )
    return answer


class _Straight(urllib.request.HTTPRedirectHandler):
    """Refuses redirections: credentials are only for the named server."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


def _limit(response: IO[bytes]) -> bytes:
    body = response.read(_LARGEST + 1)
    if len(body) > _LARGEST:
        raise DataError(
            f"the response is larger than {_LARGEST >> 20} MiB",
            hint="query fewer series, a shorter range or a longer step",
        )
    if getattr(response, "length", None):  # the missing bytes, if a length was sent
        raise http.client.IncompleteRead(body)
    return body


def _decode(body: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}


def _refusal(error: urllib.error.HTTPError) -> DataError:
    """Return the error for a server's refusal."""
    if error.code in {401, 403}:
        hint = f"set {TOKEN}, or {USER} and {PASSWORD}"
        return DataError(f"the server requires other credentials (HTTP {error.code})", hint=hint)
    if 300 <= error.code < 400:
        other = urlsplit(error.headers.get("Location", "")).hostname or "another place"
        hint = "use the address that it redirects to"
        return DataError(f"the server redirects to {other} (HTTP {error.code})", hint=hint)
    try:
        answer = _decode(_limit(error))
    except (OSError, http.client.HTTPException):
        answer = {}
    if answer.get("status") == "error":
        return _query_error(answer)
    hint = "check that --prometheus is the address that serves /api/v1"
    return DataError(f"the server responded HTTP {error.code} {error.reason}", hint=hint)


def _query_error(answer: Mapping[str, Any]) -> DataError:
    what = f"Prometheus responded {answer.get('errorType', 'error')}: {answer.get('error', '')}"
    return DataError(what, hint="fix the query and try again")


def _reason(error: Exception, timeout: float) -> str:
    if isinstance(error, http.client.IncompleteRead):
        return "the response is truncated"
    reason = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError):
        is_late = str(reason).startswith("it takes")
        return str(reason) if is_late else f"no response within {timeout:g} s"
    return getattr(reason, "strerror", None) or str(reason) or type(reason).__name__


def _headers(environ: Mapping[str, str]) -> dict[str, str]:
    from benchkit import __version__

    headers = {"Accept": "application/json", "User-Agent": f"benchkit/{__version__}"}
    token, user, password = (environ.get(name, "").strip() for name in (TOKEN, USER, PASSWORD))
    if not (token.isascii() and token.isprintable()):  # the library would print it
        raise ConfigError(
            "contains characters that a token cannot contain", where=TOKEN, hint="set it again"
        )
    if token:
        headers["Authorization"] = f"Bearer {token}"
    elif user or password:
        pair = base64.b64encode(f"{user}:{password}".encode("utf-8", "surrogateescape")).decode()
        headers["Authorization"] = f"Basic {pair}"
    return headers


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeQuery:
    """One query over a time range.

    Parameters
    ----------
    url : str
        The address of the server, without credentials.
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
        """The query as an address, which can be requested again."""
        parameters = {"query": self.query, "start": _seconds(self.start), "end": _seconds(self.end)}
        parameters["step"] = _seconds(self.step)
        return f"{self.url}/api/v1/query_range?{urlencode(parameters, quote_via=quote)}"

    def pieces(self) -> Iterator[RangeQuery]:
        """Yield consecutive queries that are short enough."""
        span = (MOST_POINTS - 1) * self.step
        for start in range(self.start, self.end + 1, span + self.step):
            end = min(start + span, self.end)
            yield replace(self, start=start, end=end)


def parse_query(url: str, query: str, start: str | None, end: str | None, step: str) -> RangeQuery:
    """Make a query from command-line arguments.

    Parameters
    ----------
    start, end : str or None
        RFC 3339 with a zone, or seconds since 1970. Both are required, so that a repeated query of
        the same range replaces the earlier result.
    step : str
        A duration like ``1s``.

    Raises
    ------
    ConfigError
        If one of them is invalid.

    Examples
    --------
    >>> parse_query("http://h:9090/", "up", "1795224103", "1795224113", "5s").address
    'http://h:9090/api/v1/query_range?query=up&start=1795224103&end=1795224113&step=5'
    """
    if any("\ud800" <= sign <= "\udfff" for sign in query):
        raise ConfigError("the query is not UTF-8", where="--query", hint="write it as UTF-8")
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
    """Return a valid address without its trailing slash."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna")
        is_whole = parts.scheme in {"http", "https"} and bool(host) and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole:
        hint = "use http://HOST:9090"
        raise ConfigError("not the address of a server", where="--prometheus", hint=hint)
    if not (url.isascii() and url.isprintable()) or " " in url:
        hint = "write a host as xn--…, and other characters as their bytes, such as %C3%A9"
        raise ConfigError(
            "the address contains invalid characters", where="--prometheus", hint=hint
        )
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
