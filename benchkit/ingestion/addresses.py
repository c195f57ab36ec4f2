"""What a PATH says of where it lies: here, elsewhere, or in a store.

Who reads files of this machine alone loads nothing of the network.
"""

from __future__ import annotations

import os
import re
from pathlib import PurePath
from urllib.parse import unquote

from benchkit.errors import DataError
from benchkit.redaction import redact_name
from benchkit.redaction.marks import remember

GIT = "git:"
#: Parameters that grant access, as signed addresses have them: they change at every request.
_ACCESS = re.compile(
    r"x-(?:amz|goog)-|(?:s[etvrp]|[\w-]*(?:token|secret|key|sig|signature|pass|password|auth|credential"
    r"|expires))(?:=|$)",
    re.IGNORECASE,
)


def is_distant(path: str) -> bool:
    """Tell whether a path names what lies elsewhere.

    Examples
    --------
    >>> [is_distant(path) for path in ("git:main:results", "s3://bucket/main", "results/a.txt")]
    [True, True, False]
    """
    return path.startswith(GIT) or "://" in path


def is_page(path: str) -> bool:
    """Tell whether a path is a web address, which no store has."""
    return path.startswith(("http://", "https://"))


def show_address(path: str) -> str:
    """Return an address as it may be shown: without credentials, query and fragment.

    Examples
    --------
    >>> show_address("main=https://me:secret@host/results.zip?X-Amz-Signature=abc")
    'main=https://host/results.zip'
    """
    scheme, mark, rest = path.partition("://")
    if not mark:
        return path
    host, slash, place = re.split(r"[?#]", rest, maxsplit=1)[0].partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{place}"


def tell_query(address: str) -> str:
    """Return what of an address's query tells one file from another: not what grants access.

    Examples
    --------
    >>> tell_query("https://host/a.txt?job=1&X-Amz-Expires=300&token=c0ffee")
    '?job=1'
    """
    query = address.partition("#")[0].partition("?")[2]
    kept = [part for part in query.split("&") if part and not _ACCESS.match(unquote(part))]
    return "?" + "&".join(kept) if kept else ""


def show_path(path: str | PurePath) -> str:
    r"""Return a path as text that can be stored: bytes that are not UTF-8 are written out.

    Examples
    --------
    >>> show_path("na\udcef.txt")
    'na\\xef.txt'
    """
    text = str(path)
    if text.isascii():
        return text
    return os.fsencode(text).decode("utf-8", errors="backslashreplace")


def name_path(path: str | PurePath) -> str:
    """Return a path as it may be shown: without the secrets in the names of folders and files.

    Examples
    --------
    >>> name_path("results/token=c0ffee/wrk-1.txt")  # doctest: +ELLIPSIS
    'results/token=….../wrk-1.txt'
    """
    return "/".join(map(_name, show_path(path).split("/")))


_name = remember(redact_name)


def refuse_store(name: str) -> DataError:
    """Say that a store is no folder of raw files."""
    hint = "ingest the other results into it, and use only it with --store, or store= in Python"
    return DataError("a store cannot be combined with other results", where=name, hint=hint)
