"""The parts of a URL that a report names."""

from __future__ import annotations

import re

from benchkit.reading.records import Reading
from benchkit.regexes import regex

#: A port after a host, which may be an IPv6 address in brackets.
_PORT = regex(r":\d+$")
_URL = regex(r"\s(?:['\"](?=[^\s'\"]++['\"](?!\S)))?(https?://[^\s'\"]+)")
#: The quoting of a URL's characters at a prompt, which shells add to pasted text.
_QUOTE = regex(r"\\(?=[^\w\s\\])")
_CONNECTIONS = regex(r"\s(?:-c|--connections|--concurrency)[ =]?(\d{1,9})(?!\S)")


def host_of(url: str) -> str:
    """Return host and port of a URL, without user and password; empty if it is not a URL.

    The port of an HTTPS URL is always included, so that it is not a repeat of the same HTTP URL.

    Examples
    --------
    >>> host_of("http://me:secret@h:8080/a?b=@c"), host_of("https://h/"), host_of("/index.html")
    ('h:8080', 'h:443', '')
    """
    scheme, mark, after = url.partition("://")
    host = re.split(r"[/?#]", after, maxsplit=1)[0].rpartition("@")[2] if mark else ""
    has_port = _PORT.search(host) is not None
    return f"{host}:443" if scheme.lower() == "https" and host and not has_port else host


def describe_url(url: str) -> dict[str, str]:
    """Return the parts of a URL other than its path, as entries of a reading's ``env``.

    Examples
    --------
    >>> describe_url("http://h:8080/a?b=c#d"), describe_url("http://h/a")
    ({'host': 'h:8080', 'query': 'b=c'}, {'host': 'h'})
    """
    query = query_of(url)
    return {"host": host_of(url), **({"query": query} if query else {})}


def unquote(url: str) -> str:
    r"""Return a URL of a command as the shell passes it to the tool.

    Examples
    --------
    >>> print(unquote(r"http://h/a\?b\=c"))
    http://h/a?b=c
    """
    return _QUOTE.sub("", url)


def aim(run: Reading, url: str) -> None:
    """Set the target of a run from its URL, and the facts in the rest of the URL."""
    run.target = path_of(url)
    run.env |= describe_url(url)


def aim_by_command(run: Reading) -> None:
    """Set target and connections of a run from its command, if nothing else names them.

    Examples
    --------
    >>> run = Reading(tool="hey", form="text", line=1, command="hey -c 8 http://h/a")
    >>> aim_by_command(run)
    >>> run.target, run.params
    ('/a', {'connections': '8'})
    """
    command = run.command or ""
    if not run.target and (url := _URL.search(command)):
        aim(run, unquote(url[1]))
    if run.connections is None and (connections := _CONNECTIONS.search(command)):
        run.connect(int(connections[1]))


def query_of(url: str) -> str:
    """Return the query of a URL, or of a path; empty if it has none."""
    return url.partition("#")[0].partition("?")[2]


def path_of(url: str) -> str:
    """Return the path of a URL, or of a path, without its query.

    Examples
    --------
    >>> path_of("http://h:8080/a/b?c=d"), path_of("http://h"), path_of("/index.html")
    ('/a/b', '/', '/index.html')
    """
    rest = re.split(r"[?#]", url, maxsplit=1)[0]
    path, mark, after = rest.partition("://")
    return "/" + after.partition("/")[2] if mark else path
