"""Ask a Prometheus over HTTP: range queries, in pieces that the server answers.

Where a Prometheus scrapes anyway, CPU and memory of a session are one command away, and nobody
has to save answers.

Credentials come from the environment alone and go nowhere else: `TOKEN`, or `USER` and `PASSWORD`.
A redirection is refused, as it would carry them to another server.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import IO, Any
from urllib.parse import urlsplit

from benchkit.deadlines import within
from benchkit.errors import ConfigError, DataError
from benchkit.ingestion.range_query import PASSWORD, TOKEN, USER, RangeQuery

#: Bytes of an answer; the parser reads no more either.
_LARGEST = 64 << 20
#: How many times as long as its first word a whole answer may take.
_PATIENCE = 10


def ask(
    query: RangeQuery, *, timeout: float = 60.0, environ: Mapping[str, str] | None = None
) -> bytes:
    """Ask a server, and return its answer, the pieces of it put together.

    Parameters
    ----------
    timeout : float
        Seconds without a word from the server.
    environ : mapping, optional
        Holds the credentials; the environment of this process if not given.

    Raises
    ------
    DataError
        If the server cannot be reached, refuses, or answers anything else.
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
    """Add a piece of a series to the pieces before it."""
    if not isinstance(one, dict):
        return
    labels = json.dumps(one.get("metric"), sort_keys=True)
    known = series.setdefault(labels, {"metric": one.get("metric")})
    for kind in ("values", "histograms"):
        if isinstance(one.get(kind), list):
            known.setdefault(kind, []).extend(one[kind])


def _read(address: str, headers: Mapping[str, str], timeout: float) -> dict[str, Any]:
    """Ask for one piece; the answer is a success with a matrix in it."""
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
    """Follows no redirection: credentials are for the server that was named."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


def _limit(response: IO[bytes]) -> bytes:
    body = response.read(_LARGEST + 1)
    if len(body) > _LARGEST:
        raise DataError(
            f"the response is larger than {_LARGEST >> 20} MiB",
            hint="query fewer series, a shorter range or a longer step",
        )
    if getattr(response, "length", None):  # what is still to come, where the server has told it
        raise http.client.IncompleteRead(body)
    return body


def _decode(body: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}


def _refusal(error: urllib.error.HTTPError) -> DataError:
    """Say why a server refused."""
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
        pair = base64.b64encode(f"{user}:{password}".encode()).decode()
        headers["Authorization"] = f"Basic {pair}"
    return headers
