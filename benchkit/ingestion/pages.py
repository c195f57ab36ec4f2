"""Files at web addresses.

A user and password in the address are sent to its host as a header, and to nobody else: not to a
resolver, not to the target of a redirection, and not into any message; those of a proxy are sent
only to the proxy. Redirections from a public host to this machine or its network are refused.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Event
from typing import IO
from urllib.parse import urljoin, urlsplit

from benchkit.credentials import make_request, split_credentials
from benchkit.deadlines import within
from benchkit.errors import DataError, MissingError
from benchkit.reading.bounds import OPTION

#: Seconds within which a server must send the whole head of its response, and further bytes.
_TIMEOUT = 60.0
#: Maximum seconds that a copy may take in total.
DEADLINE = 900.0
#: HTTP status codes for a missing file.
_ABSENT = frozenset({404, 410})
#: Maximum number of bytes fetched from a web address, whatever may be unpacked.
_LARGEST = 1 << 30
_BLOCK = 1 << 20
#: Minimum number of bytes per second over any `_TIMEOUT`.
_LEAST_RATE = 1000


class _RedirectError(OSError):
    """A redirection leads to another scheme, or to an address of another kind."""


class _BodyError(OSError):
    """The response is truncated or too slow."""


class _LargeError(OSError):
    """The response is too large."""


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirections within a scheme to public hosts, and to hosts of the original's kind.

    Other hosts get no credentials.
    """

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        before, after = urlsplit(req.full_url), urlsplit(urljoin(req.full_url, newurl))
        if before.scheme != after.scheme:
            raise _RedirectError(f"redirects from {before.scheme} to {after.scheme}")
        if kinds := _find_kinds(after.hostname) - _find_kinds(before.hostname):
            raise _RedirectError(f"redirects to {after.hostname}, a {min(kinds)} address")
        target, credentials = split_credentials(after)
        request = super().redirect_request(req, fp, code, msg, headers, target)
        if request is None:
            return None
        request.remove_header("Proxy-authorization")  # which only the proxy may get
        if before.netloc.lower() == urlsplit(target).netloc.lower():
            credentials = credentials or req.get_header("Authorization", "")
        if credentials:
            request.add_unredirected_header("Authorization", credentials)
        return request


def _find_kinds(host: str | None) -> set[str]:
    """Return the kinds of a host's non-public addresses: loopback, link-local or private."""
    try:
        places = socket.getaddrinfo(host, None) if host else []
    except socket.gaierror:  # a proxy may know it
        return set()
    return {kind for place in places if (kind := _find_kind(str(place[4][0])))}


def _find_kind(text: str) -> str:
    address = ipaddress.ip_address(text)
    address = getattr(address, "ipv4_mapped", None) or address
    if address.is_loopback or address.is_unspecified:
        return "loopback"
    if address.is_link_local:
        return "link-local"
    return "" if address.is_global else "private"


def fetch(address: str, target: Path, name: str, limit: int = _LARGEST) -> None:
    """Download an address to a file.

    Parameters
    ----------
    address : str
        ``http://`` or ``https://``.
    name : str
        The address as messages show it.
    limit : int
        Maximum size in bytes, if below the general limit.

    Raises
    ------
    DataError
        If it does not exist, cannot be fetched, or is too large.
    """
    limit = min(limit, _LARGEST)
    _require_port(address)
    try:
        within(DEADLINE, partial(_write, address, target, limit))
    except urllib.error.HTTPError as error:
        with error:
            kind = MissingError if error.code in _ABSENT else DataError
            is_loop = error.reason.startswith(_Redirects.inf_msg)
            response = f"{error.code} {'and redirects in a loop' if is_loop else error.reason}"
            raise kind(f"the server responded HTTP {response}", where=name) from None
    except _RedirectError as error:
        hint = "if you trust the redirect, use its target address"
        raise DataError(f"cannot fetch it: {error}", where=name, hint=hint) from None
    except _LargeError as error:
        larger = f"pass {OPTION} 1GiB" if limit < _LARGEST else "download it and give the file"
        hint = f"if you trust it, {larger}"
        raise DataError(f"cannot fetch it: {error}", where=name, hint=hint) from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise DataError(f"cannot fetch it: {reason}", where=name) from None


def _require_port(address: str) -> None:
    """Refuse, without showing it, an address whose password ends early: ``http://me:a/b@host``."""
    parts = urlsplit(address)
    try:
        _ = parts.port
    except ValueError:
        hint = "write / ? and # of a user or password as %2F, %3F and %23"
        what = "the port is not a number from 0 to 65535"
        raise DataError(what, where=f"{parts.scheme}://…", hint=hint) from None


def _write(address: str, target: Path, limit: int) -> None:
    with _open(address) as response, target.open("wb") as file:
        for block in _read_blocks(response, limit):
            file.write(block)


def _open(address: str) -> http.client.HTTPResponse:
    """Send the request and read the head of the response, following redirections."""
    from benchkit import __version__

    opener, abandoned = urllib.request.build_opener(_Redirects), Event()
    request = make_request(address)
    request.add_header("User-Agent", f"benchkit/{__version__}")

    def send() -> http.client.HTTPResponse:
        response: http.client.HTTPResponse = opener.open(request, timeout=_TIMEOUT)
        if abandoned.is_set():
            response.close()
        return response

    try:
        return within(_TIMEOUT, send)
    except TimeoutError:
        abandoned.set()
        raise _BodyError(f"the server sent no complete header within {_TIMEOUT:g} s") from None


def _read_blocks(response: http.client.HTTPResponse, limit: int) -> Iterator[bytes]:
    """Yield the body; raise an error if it is truncated, too large or too slow."""
    if (response.headers.get("Content-Length") or "0").strip().startswith("-"):
        raise _BodyError("the response has a negative length")
    size, since, mark = 0, time.monotonic(), 0
    while block := response.read1(_BLOCK):
        size += len(block)
        if size > limit:
            raise _LargeError(f"it has more than {limit:,} bytes")
        yield block
        if (passed := time.monotonic() - since) >= _TIMEOUT:
            if size - mark < _LEAST_RATE * passed:
                raise _BodyError(f"slower than {_LEAST_RATE} bytes per second")
            since, mark = time.monotonic(), size
    if response.length:
        raise _BodyError(f"the response is truncated: {response.length:,} bytes are missing")
