"""Requests with credentials in a header instead of the address."""

from __future__ import annotations

import base64
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import Request


def make_request(address: str) -> Request:
    """Return a request whose address has no credentials; redirects do not receive its header."""
    bare, credentials = split_credentials(urlsplit(address))
    request = Request(bare)  # noqa: S310 - http or https
    if credentials:
        request.add_unredirected_header("Authorization", credentials)
    return request


def split_credentials(parts: SplitResult) -> tuple[str, str]:
    """Return an address without credentials and fragment, and the header that carries them."""
    credentials, _, host = parts.netloc.rpartition("@")
    bare = parts._replace(netloc=host, fragment="").geturl()
    pair = base64.b64encode(unquote(credentials).encode()).decode()
    return bare, f"Basic {pair}" if credentials else ""
