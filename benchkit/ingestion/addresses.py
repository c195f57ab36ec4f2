"""Location that a PATH names: this machine, elsewhere, or a store.

Reading only files of this machine loads no network code.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath
from urllib.parse import unquote

from benchkit.errors import DataError
from benchkit.redaction import redact_name
from benchkit.redaction.marks import HIDDEN, mark, remember
from benchkit.regexes import regex

GIT = "git:"
#: The ending of a file that was packed after it was written.
PACKED = ".gz"
#: An escaped byte of a name, or text that looks like one.
_WRITTEN = regex(r"\\x([\da-f]{2})")
#: Query parameters that sign an address of an object store: those that identify the scheme, and
#: all.
_SIGNED = (
    ({"x-amz-signature"}, regex(r"x-amz-.*")),
    ({"x-goog-signature"}, regex(r"x-goog-.*")),
    (
        {"awsaccesskeyid", "signature", "expires"},
        regex(r"awsaccesskeyid|signature|expires|x-amz-.*"),
    ),
    ({"googleaccessid", "signature", "expires"}, regex(r"googleaccessid|signature|expires")),
    ({"sig", "sv"}, regex(r"sig|s[eprtv]|ss|srt|spr|sip|sk(?:oid|tid|t|e|s|v)")),
)
#: Parameters whose values may grant access.
_ACCESS = regex(
    r"x-(?:amz|goog)-|(?:s[etvrp]|[\w-]*(?:token|secret|key|sig|signature|pass|password|auth|credential"
    r"|expires))(?:=|$)",
    re.IGNORECASE,
)


def is_distant(path: str) -> bool:
    """Return whether a path lies elsewhere than on this machine's file system.

    Examples
    --------
    >>> [is_distant(path) for path in ("git:main:results", "s3://bucket/main", "results/a.txt")]
    [True, True, False]
    """
    return path.startswith(GIT) or "://" in path


def is_page(path: str) -> bool:
    """Return whether a path is a web address, which never holds a store.

    Examples
    --------
    >>> [is_page(path) for path in ("https://host/a.txt", "HTTP://host/a.txt", "s3://bucket/a")]
    [True, True, False]
    """
    return path.lower().startswith(("http://", "https://"))


def split_label(argument: str) -> tuple[str, str]:
    """Split ``label=path``; an existing path that contains ``=``, or a distant one, has no label.

    A label that itself contains ``=`` (``spans=4=results``) ends before the existing path.

    Examples
    --------
    >>> split_label("enabled=b.txt"), split_label("git:HEAD:a=b")
    (('enabled', 'b.txt'), ('', 'git:HEAD:a=b'))
    """
    label, equals, path = argument.partition("=")
    is_label = "/" not in label and not label.startswith(GIT)
    if not (equals and path and is_label) or Path(argument).exists():
        return "", argument
    first, *rest = path.split("=")
    for place in range(len(rest)):
        begin, end = "=".join((label, first, *rest[:place])), "=".join(rest[place:])
        if end and "/" not in begin and Path(end).exists() and not Path(path).exists():
            return begin, end
    return label, path


def show_address(path: str) -> str:
    """Return an address for display: without credentials, query and fragment.

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


def show_query(address: str) -> str:
    """Return the part of an address's query that identifies its file, with secrets as marks.

    Parameters that sign an address of an object store are dropped: they change at every request.

    Examples
    --------
    >>> show_query("https://host/a.txt?job=1&X-Amz-Expires=300&X-Amz-Signature=c0ffee")
    '?job=1'
    >>> show_query("https://host/a.txt?job=1&token=c0ffee")  # doctest: +ELLIPSIS
    '?job=1&token=…...'
    """
    query = address.partition("#")[0].partition("?")[2]
    parts = [(part, unquote(part.partition("=")[0])) for part in query.split("&") if part]
    names = {name.lower() for _, name in parts}
    signing = [pattern for needed, pattern in _SIGNED if needed <= names]
    kept = [
        _mark_access(part, name)
        for part, name in parts
        if not any(pattern.fullmatch(name.lower()) for pattern in signing)
    ]
    return "?" + "&".join(kept) if kept else ""


def _mark_access(part: str, name: str) -> str:
    """Return a query parameter, with a mark in place of a value that may grant access."""
    value = part.partition("=")[2]
    return f"{name}={mark(value)}" if value and _ACCESS.match(f"{name}=") else part


def show_path(path: str | PurePath) -> str:
    r"""Return a path as text that can be stored, with bytes that are not UTF-8 escaped.

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
    """Return a path for display, without the secrets in the names of folders and files.

    Examples
    --------
    >>> name_path("results/token=c0ffee/wrk-1.txt")  # doctest: +ELLIPSIS
    'results/token=….../wrk-1.txt'
    """
    return "/".join(map(_name, show_path(path).split("/")))


_name = remember(redact_name)


def name_address(path: str | PurePath) -> str:
    r"""Return the address by which a store knows a file: its path without the secrets in names.

    Distinct paths have distinct addresses: a name that looks like an escaped byte is escaped
    itself.

    Examples
    --------
    >>> name_address("/results/token=c0ffee/wrk-1.txt.gz")  # doctest: +ELLIPSIS
    '/results/token=….../wrk-1.txt.gz'
    >>> name_address("/na\udcef.txt"), name_address(r"/na\xef.txt")
    ('/na\\xef.txt', '/na\\x5cxef.txt')
    """
    return mask_address(show_path(_WRITTEN.sub(r"\\x5cx\1", str(path))))


def mask_address(text: str) -> str:
    """Return an address without the secrets in names."""
    bare = text.removesuffix(PACKED)
    return name_path(bare) + text[len(bare) :]


def _read_name(text: str) -> str:
    """Return the path of an address in which nothing is masked."""
    return _WRITTEN.sub(lambda match: os.fsdecode(bytes.fromhex(match[1])), text)


def locate(address: str) -> str:
    """Return the path of the file with an address, or the address itself if no file has it.

    Folders are listed only where a name is masked.
    """
    if HIDDEN not in address or not os.path.isabs(address):  # noqa: PTH117 - texts
        return _read_name(address)
    places = [Path(address[: address.index("/") + 1])]
    for name in address.split("/")[1:]:
        places = [found for place in places for found in _list_called(place, name)]
    return str(places[0]) if places else address


def is_gone(address: str) -> bool:
    """Return whether a file of this machine is gone; never so for a URL or a commit's file."""
    return os.path.isabs(address) and not os.path.exists(locate(address))  # noqa: PTH110, PTH117 - texts


def _list_called(folder: Path, name: str) -> list[Path]:
    """Return the paths in a folder with a name, or with one that is masked as this name."""
    if HIDDEN not in name:
        return [folder / _read_name(name)]
    try:
        held = sorted(os.listdir(folder))  # noqa: PTH208 - texts
    except OSError:
        return []
    return [folder / each for each in held if name in {each, _name(each), name_address(each)}]


def refuse_store(name: str) -> DataError:
    """Return the error that a store is not a folder of raw files."""
    hint = (
        "ingest the other results into this store, and give only the store: --store, or store= "
        "in Python"
    )
    return DataError("a store cannot be combined with other results", where=name, hint=hint)
