"""Which formats there are, and which of them a source is written in.

In: the beginning of a source. Out: the formats that claim it. Why: built-ins and plug-ins take
the same road, every format is asked, and two claims are an error that names both, not an order.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from benchkit.errors import AmbiguousFormatError, ConfigError, UnknownFormatError
from benchkit.parsers.base import Format
from benchkit.parsers.head import Head
from benchkit.parsers.signs import SIGNS, find_signs
from benchkit.parsers.source import Source

#: What to do where several formats claim a source.
SAY_WHICH = "say which with --as FORMAT, or as_format= in Python"
GROUP = "benchkit.parsers"

#: The same form as a plug-in's entry point: name and ``module:attribute``.
BUILTIN = (
    EntryPoint("wrk", "benchkit.parsers.wrk:FORMAT", GROUP),
    EntryPoint("ab", "benchkit.parsers.ab:FORMAT", GROUP),
    EntryPoint("ab_tsv", "benchkit.parsers.ab.samples:FORMAT", GROUP),
    EntryPoint("ab_csv", "benchkit.parsers.ab.percentages:FORMAT", GROUP),
    EntryPoint("hey", "benchkit.parsers.hey:FORMAT", GROUP),
    EntryPoint("hey_csv", "benchkit.parsers.hey.samples:FORMAT", GROUP),
    EntryPoint("k6", "benchkit.parsers.k6.text:FORMAT", GROUP),
    EntryPoint("k6_summary", "benchkit.parsers.k6.summary:FORMAT", GROUP),
    EntryPoint("k6_raw", "benchkit.parsers.k6.raw:FORMAT", GROUP),
    EntryPoint("vegeta", "benchkit.parsers.vegeta.report:FORMAT", GROUP),
    EntryPoint("vegeta_raw", "benchkit.parsers.vegeta.raw:FORMAT", GROUP),
    EntryPoint("gobench", "benchkit.parsers.gobench:FORMAT", GROUP),
    EntryPoint("benchstat", "benchkit.parsers.benchstat:FORMAT", GROUP),
    EntryPoint("benchstat_files", "benchkit.parsers.benchstat.files:FORMAT", GROUP),
    EntryPoint("cadvisor", "benchkit.parsers.cadvisor:FORMAT", GROUP),
    EntryPoint("exposition", "benchkit.parsers.exposition:FORMAT", GROUP),
    EntryPoint("prometheus", "benchkit.parsers.prometheus:FORMAT", GROUP),
    EntryPoint("docker-stats", "benchkit.parsers.dockerstats:FORMAT", GROUP),
    EntryPoint("server", "benchkit.parsers.server:FORMAT", GROUP),
)

#: Beyond this a text is not searched for blocks far down.
SEARCH_BYTES = 256 << 20


@cache
def formats() -> tuple[Format, ...]:
    """Return every format, built-ins first, then plug-ins by name.

    A plug-in that cannot be imported is warned about and left out.
    """
    return load((*BUILTIN, *_plugin_points()))


def candidates(head: Head) -> tuple[Format, ...]:
    """Return the formats that have to be asked about a source: those whose signs are in it.

    Parameters
    ----------
    head : Head

    Returns
    -------
    tuple of Format
        Built-ins whose `signs` are there (all, where there is no text to look at), and every
        plug-in.
    """
    return _shown(find_signs(head))


@cache
def _shown(names: frozenset[str]) -> tuple[Format, ...]:
    return (*(_builtin(point.name) for point in BUILTIN if point.name in names), *_plugins())


@cache
def tools() -> frozenset[str]:
    """Return every name of a format or of its tools."""
    known = {name for point in BUILTIN for name in (point.name, *SIGNS[point.name].tools)}
    return frozenset(known | {name for each in _plugins() for name in (each.name, *each.tools)})


def _plugin_points() -> tuple[EntryPoint, ...]:
    return tuple(sorted(entry_points(group=GROUP), key=lambda point: point.name))


@cache
def _plugins() -> tuple[Format, ...]:
    """Import the plug-ins; one with a built-in's name is left out."""
    points = _plugin_points()
    if not points:
        return ()
    taken = {point.name for point in BUILTIN}
    return tuple(found for found in formats() if found.name not in taken)


@cache
def _builtin(name: str) -> Format:
    """Import one built-in format."""
    found = next(point for point in BUILTIN if point.name == name).load()
    assert isinstance(found, Format)  # noqa: S101 - the registry's own
    return found


def load(points: Iterable[EntryPoint]) -> tuple[Format, ...]:
    """Import the formats that ``points`` name; of two with one name the first stays."""
    loaded: dict[str, Format] = {}
    for point in points:
        try:
            found = point.load()
        except Exception as error:  # noqa: BLE001 - a plug-in may fail in any way
            warnings.warn(
                f"parser plug-in {point.name} ({point.value}) cannot be loaded: {error}",
                stacklevel=2,
            )
            continue
        if not isinstance(found, Format):
            warnings.warn(
                f"parser plug-in {point.name} ({point.value}) is not a Format", stacklevel=2
            )
        elif found.name in loaded:
            warnings.warn(
                f"parser plug-in {point.value}: a format {found.name} is already there",
                stacklevel=2,
            )
        else:
            loaded[found.name] = found
    return tuple(loaded.values())


def by_name(name: str) -> tuple[Format, ...]:
    """Return the formats called ``name``, or of the tool called so.

    Raises
    ------
    ConfigError
        If there is none; the message lists those there are.
    """
    named = tuple(each for each in formats() if name == each.name or name in each.tools)
    if named:
        return named
    known = ", ".join(sorted(candidate.name for candidate in formats()))
    raise ConfigError(f"there is no format {name!r}", hint=f"the formats are {known}")


def choose(source: Source, name: str) -> tuple[Format, ...]:
    """Return the formats that read a source which the user says is of the format or tool ``name``.

    Those of them that claim it; if none does, the one called exactly so, or else the first.

    Raises
    ------
    ConfigError
        If there is no such format.
    UnreadableError
        If it takes the source's bytes to choose, and they cannot be had.
    """
    named = by_name(name)
    if len(named) == 1:
        return named
    head = source.head()
    claims = tuple(candidate for candidate in named if candidate.recognises(head))
    return claims or (next((each for each in named if each.name == name), named[0]),)


def identify(source: Source) -> tuple[Format, ...]:
    """Return the formats that claim a source: one that owns it, or several that embed blocks.

    Raises
    ------
    UnknownFormatError
        If none claims it.
    AmbiguousFormatError
        If several claim it whole, or one claims it whole and another finds blocks in it.
    UnreadableError
        If its bytes cannot be had.
    """
    head = source.head()
    claims = [candidate for candidate in candidates(head) if candidate.recognises(head)]
    may_hold_more = head.text and not source.is_small and source.size <= SEARCH_BYTES
    if may_hold_more and all(claim.embeds for claim in claims):
        claims = _search(source, claims)
    if not claims:
        raise UnknownFormatError(_unknown(head), where=source.label, hint=_looked_for())
    if len(claims) > 1 and not all(claim.embeds for claim in claims):
        names = " and ".join(claim.name for claim in claims)
        raise AmbiguousFormatError(f"claimed by {names}", where=source.label, hint=SAY_WHICH)
    return tuple(claims)


def _search(source: Source, claims: list[Format]) -> list[Format]:
    """Ask the formats that embed blocks about the rest of a text, too."""
    claims = list(claims)
    for window in source.windows():
        if not window.text:
            break
        for candidate in candidates(window):
            if candidate.embeds and candidate not in claims and candidate.recognises(window):
                claims.append(candidate)
    return claims


def _unknown(head: Head) -> str:
    if not head.data:
        return "the file is empty"
    if not head.text:
        return "the file is binary and of no format that benchkit knows"
    first = next((line.strip() for line in head.text.split("\n") if line.strip()), "")
    if not first:
        return "the file is blank"
    return f"no format known to benchkit (it begins {first[:60]!r})"


def _looked_for() -> str:
    names = dict.fromkeys(tool for sign in SIGNS.values() for tool in sign.tools)
    names |= dict.fromkeys(tool for plugin in _plugins() for tool in plugin.tools)
    return (
        f"looked for {', '.join(names)}; name it with --as FORMAT, or as_format= in Python, "
        "or see `benchkit formats`"
    )
