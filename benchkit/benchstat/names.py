"""Values of keys: parts of a benchmark's name, its file, its configuration (benchproc/extract.go).

::

    Encode/format=json-48    .name Encode, /format json, /gomaxprocs 48
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache

from benchkit.benchstat.reader import Result
from benchkit.regexes import regex

#: Returns the value of one key, empty where the result has none.
Extractor = Callable[[Result], str]

_GOMAXPROCS = "/gomaxprocs"
_SUFFIX = regex(r"-[0-9]+\Z")


def find_extractor(key: str) -> Extractor:
    """Return what reads a key.

    Examples
    --------
    >>> result = Result("a.txt", (("goos", "linux"),), "Encode/format=json-48", ())
    >>> [find_extractor(key)(result) for key in (".name", "/format", "/gomaxprocs", "goos", "pkg")]
    ['Encode', 'json', '48', 'linux', '']
    """
    if key == ".name":
        return lambda result: split_name(result.name)[0]
    if key == ".fullname":
        return lambda result: result.name
    if key == ".file":
        return lambda result: result.label
    if key.startswith("/"):
        return lambda result: _find_part(result.name, key)
    return lambda result: next((value for name, value in result.config if name == key), "")


@lru_cache(maxsize=65536)
def split_name(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the base and the parts of a name: ``/key=value``, ``/text``, at last ``-8``.

    Examples
    --------
    >>> split_name("Encode/format=json/fast-48"), split_name("A-")
    (('Encode', ('/format=json', '/fast', '-48')), ('A-', ()))
    """
    suffix = _SUFFIX.search(name)
    end = suffix.start() if suffix else len(name)
    base, *parts = name[:end].split("/")
    return base, (*(f"/{part}" for part in parts), *([name[end:]] if suffix else []))


def strip_name(name: str, keys: Collection[str]) -> str:
    """Return a name without the parts that ``keys`` name; ``.name`` makes its base ``*``.

    Examples
    --------
    >>> strip_name("Encode/format=json-48", {"/format", "/gomaxprocs"})
    'Encode'
    """
    base, parts = split_name(name)
    prefixes = tuple(f"{key}=" for key in keys if key.startswith("/"))
    kept = [
        part
        for part in parts
        if not part.startswith(prefixes) and not (part[0] == "-" and _GOMAXPROCS in keys)
    ]
    return ("*" if ".name" in keys else base) + "".join(kept)


def _find_part(name: str, key: str) -> str:
    _, parts = split_name(name)
    if key == _GOMAXPROCS and parts and parts[-1][0] == "-":
        return parts[-1][1:]
    prefix = f"{key}="
    return next((part.removeprefix(prefix) for part in parts if part.startswith(prefix)), "")
