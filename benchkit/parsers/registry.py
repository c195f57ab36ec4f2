"""The available tools and formats, and the choice of formats for a source.

Built-ins and plug-ins are treated in the same way; two claims are an error that names both, and not
decided by order.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, TypeVar

from benchkit.errors import AmbiguousFormatError, ConfigError, read_message
from benchkit.isolation import isolated
from benchkit.parsers.base import Format, Tool
from benchkit.parsers.plugged import confine
from benchkit.reading.signs import Head, find_signs

if TYPE_CHECKING:
    from benchkit.metrics import Metric
    from benchkit.reading.source import Source

Named = TypeVar("Named", Tool, Format)

#: Hint for a source that several formats claim.
HOW_TO_CHOOSE = "choose one with --as FORMAT, or as_format= in Python"
GROUP = "benchkit.parsers"

#: Entries in the form of a plug-in's entry point: name and ``module:attribute``.
BUILTIN = (
    EntryPoint("wrk", "benchkit.parsers.wrk:TOOLS", GROUP),
    EntryPoint("ab", "benchkit.parsers.ab:TOOLS", GROUP),
    EntryPoint("hey", "benchkit.parsers.hey:TOOLS", GROUP),
    EntryPoint("oha", "benchkit.parsers.oha:TOOLS", GROUP),
    EntryPoint("autocannon", "benchkit.parsers.autocannon:TOOLS", GROUP),
    EntryPoint("bombardier", "benchkit.parsers.bombardier:TOOLS", GROUP),
    EntryPoint("plow", "benchkit.parsers.plow:TOOLS", GROUP),
    EntryPoint("redis_benchmark", "benchkit.parsers.redisbenchmark:TOOLS", GROUP),
    EntryPoint("artillery", "benchkit.parsers.artillery:TOOLS", GROUP),
    EntryPoint("fortio", "benchkit.parsers.fortio:TOOLS", GROUP),
    EntryPoint("k6", "benchkit.parsers.k6:TOOLS", GROUP),
    EntryPoint("jmeter", "benchkit.parsers.jmeter:TOOLS", GROUP),
    EntryPoint("locust", "benchkit.parsers.locust:TOOLS", GROUP),
    EntryPoint("gatling", "benchkit.parsers.gatling:TOOLS", GROUP),
    EntryPoint("vegeta", "benchkit.parsers.vegeta:TOOLS", GROUP),
    EntryPoint("gobench", "benchkit.parsers.gobench:TOOLS", GROUP),
    EntryPoint("hyperfine", "benchkit.parsers.hyperfine:TOOLS", GROUP),
    EntryPoint("jmh", "benchkit.parsers.jmh:TOOLS", GROUP),
    EntryPoint("criterion", "benchkit.parsers.criterion:TOOLS", GROUP),
    EntryPoint("pytest_benchmark", "benchkit.parsers.pytestbenchmark:TOOLS", GROUP),
    EntryPoint("google_benchmark", "benchkit.parsers.googlebenchmark:TOOLS", GROUP),
    EntryPoint("benchmarkdotnet", "benchkit.parsers.benchmarkdotnet:TOOLS", GROUP),
    EntryPoint("github_action_benchmark", "benchkit.parsers.githubaction:TOOLS", GROUP),
    EntryPoint("bencher", "benchkit.parsers.bencher:TOOLS", GROUP),
    EntryPoint("asv", "benchkit.parsers.asv:TOOLS", GROUP),
    EntryPoint("benchstat", "benchkit.parsers.benchstat:TOOLS", GROUP),
    EntryPoint("benchcmp", "benchkit.parsers.benchcmp:TOOLS", GROUP),
    EntryPoint("cadvisor", "benchkit.parsers.cadvisor:TOOLS", GROUP),
    EntryPoint("exposition", "benchkit.parsers.exposition:TOOLS", GROUP),
    EntryPoint("prometheus", "benchkit.parsers.prometheus:TOOLS", GROUP),
    EntryPoint("docker-stats", "benchkit.parsers.dockerstats:TOOLS", GROUP),
    EntryPoint("server", "benchkit.parsers.server:TOOLS", GROUP),
    EntryPoint("export", "benchkit.parsers.exported:EXPORT", GROUP),
)

#: Maximum size of a text that is searched for blocks beyond its beginning.
SEARCH_BYTES = 256 << 20


def formats() -> tuple[Format, ...]:
    """Return every format, built-ins first, then plug-ins by name."""
    return load_all()[1]


def all_tools() -> tuple[Tool, ...]:
    """Return every tool, built-ins first, then those of plug-ins by name."""
    return load_all()[0]


@cache
def tools() -> frozenset[str]:
    """Return every name of a tool, a format or a format's tool."""
    named = {name for each in formats() for name in (each.name, *each.tools)}
    return frozenset(named | _by_name().keys())


@cache
def companions() -> frozenset[str]:
    """Return the names of the tools that report on processes other than the load."""
    return frozenset(each.name for each in all_tools() if each.role == "companion")


@cache
def snapshotting() -> frozenset[str]:
    """Return the names of the tools whose results come as folders of snapshots."""
    return frozenset(each.name for each in all_tools() if each.has_snapshots)


@cache
def repeating() -> tuple[tuple[str, str], ...]:
    """Return the names of files that repeat a result, each with the path of that result."""
    return tuple(pair for each in formats() for pair in each.repeating)


@cache
def copying() -> tuple[tuple[str, str], ...]:
    """Return the names of files into which a tool copies a result, each with that result's path."""
    return tuple(pair for each in formats() for pair in each.copying)


def tool(name: str) -> Tool:
    """Return a tool; an unknown one has only its name.

    Examples
    --------
    >>> tool("wrk2").load_model, tool("of my own").role
    ('open', 'unknown')
    """
    return _by_name().get(name) or Tool(name=name)


def list_sources(metric: Metric) -> str:
    """Return the sources of a metric: tools, with their name for it, and its other sources.

    Examples
    --------
    >>> from benchkit.metrics import lookup
    >>> list_sources(lookup("error_rate"))
    'k6 http_req_failed, jmeter, gatling, vegeta 1 - success'
    """
    giving = [each for each in all_tools() if metric.name in each.metrics]
    tools = [f"{each.name} {each.metrics[metric.name]}".rstrip() for each in giving]
    return ", ".join(filter(None, [*tools, metric.source]))


@cache
def _by_name() -> Mapping[str, Tool]:
    return {each.name: each for each in load_all()[0]}


@cache
def load_all() -> tuple[tuple[Tool, ...], tuple[Format, ...]]:
    """Return every tool and every format, built-ins first, then plug-ins by name."""
    plugins = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    tools, formats = load((*BUILTIN, *plugins))
    if not plugins:
        return tools, formats
    count = len(load(BUILTIN)[1])
    return tools, (*formats[:count], *map(confine, formats[count:]))


def candidates(head: Head, among: frozenset[str] | None = None) -> tuple[Format, ...]:
    """Return the formats whose signs are in a source, which may therefore claim it."""
    return _shown(find_signs(head, among))


@cache
def _shown(names: frozenset[str] | None) -> tuple[Format, ...]:
    return tuple(each for each in formats() if names is None or each.name in names)


def load(points: Iterable[EntryPoint]) -> tuple[tuple[Tool, ...], tuple[Format, ...]]:
    """Import the tools and formats that ``points`` name; the first of two equal names applies.

    Entries that cannot be imported are left out with a warning.
    """
    tools: dict[str, Tool] = {}
    formats: dict[str, Format] = {}
    for point in points:
        where = f"parser plug-in {point.name} ({point.value})"
        try:
            with isolated():
                declared = point.load()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a plug-in may fail in any way
            warnings.warn(f"{where} cannot be loaded: {read_message(error)}", stacklevel=2)
            continue
        for each in declared if isinstance(declared, tuple) else (declared,):
            if misfit := _find_misfit(each):
                warnings.warn(f"{where} {misfit}", stacklevel=2)
                continue
            if isinstance(each, Tool):
                _enter(tools, each, f"{where}: a tool")
            for form in each.formats if isinstance(each, Tool) else (each,):
                _enter(formats, form, f"{where}: a format")
    return tuple(tools.values()), tuple(formats.values())


def _find_misfit(declared: object) -> str:
    """Return why an entry point's object is not a tool or format; empty if it is one."""
    if isinstance(declared, Tool):
        is_whole = _is_whole(declared.name, declared.formats)
        parts: tuple[object, ...] = declared.formats if is_whole else (None,)
    else:
        parts = (declared,)
    if not all(isinstance(form, Format) for form in parts):
        is_tool = isinstance(declared, Tool)
        return "has no name or no formats" if is_tool else "is neither a Tool nor a Format"
    fields = (form.find_misfit() for form in parts if isinstance(form, Format))
    return next((f"has a format with a wrong value of {name}" for name in fields if name), "")


def _is_whole(name: object, formats: object) -> bool:
    """Return whether the name and the formats of a tool have valid types."""
    return isinstance(name, str) and isinstance(formats, tuple)


def _enter(known: dict[str, Named], each: Named, where: str) -> None:
    if known.setdefault(each.name, each) is not each:
        warnings.warn(f"{where} {each.name} already exists", stacklevel=3)


def by_name(name: str) -> tuple[Format, ...]:
    """Return the formats named ``name``, or those of the tool with that name.

    Raises
    ------
    ConfigError
        If there is none; the message lists the known ones.
    """
    named = tuple(each for each in formats() if name == each.name or name in each.tools)
    if named:
        return named
    known = ", ".join(sorted(candidate.name for candidate in formats()))
    raise ConfigError(f"unknown format {name!r}", hint=f"known formats: {known}")


def choose(source: Source, name: str) -> tuple[Format, ...]:
    """Return the formats for a source that the user assigned to a format or tool.

    These are the ones that claim it, or else the one with exactly that name, or else the first.

    Raises
    ------
    ConfigError
        If there is no such format.
    UnreadableError
        If the choice depends on the source's bytes, and they cannot be read.
    """
    named = by_name(name)
    if len(named) == 1:
        return named
    head = source.head()
    claims = tuple(candidate for candidate in named if candidate.claims(head))
    return claims or (next((each for each in named if each.name == name), named[0]),)


def holds_results(source: Source) -> bool:
    """Return whether a format claims a source; the beginning is searched first.

    If none does, it raises the same errors as `identify`.
    """
    head = source.head()
    return any(each.claims(head) for each in candidates(head)) or bool(identify(source))


def identify(source: Source) -> tuple[Format, ...]:
    """Return the formats that claim a source: one for the whole, or several that embed blocks.

    Raises
    ------
    UnknownFormatError
        If none claims it.
    AmbiguousFormatError
        If several claim it as a whole, or one does and another recognises blocks in it.
    UnreadableError
        If its bytes cannot be read.
    """
    head = source.head()
    claims = [candidate for candidate in candidates(head) if candidate.claims(head)]
    may_hold_more = head.text and not source.is_small and source.size <= SEARCH_BYTES
    if may_hold_more and all(claim.embeds for claim in claims):
        claims = _search(source, claims)
    if head.text and all(claim.embeds for claim in claims):
        from benchkit.parsers.embedded import list_forms

        claims += list_forms(source, claims, formats())
    if not claims:
        from benchkit.parsers.refusal import explain

        raise explain(head, formats())
    owners = [claim for claim in claims if not claim.embeds]
    if len(claims) > 1 and len(owners) == 1 and _share_tool(claims):
        return tuple(owners)  # the text below its document is less precise
    if len(claims) > 1 and owners:
        names = " and ".join(claim.name for claim in claims)
        raise AmbiguousFormatError(f"claimed by {names}", where=source.label, hint=HOW_TO_CHOOSE)
    return tuple(claims)


def _share_tool(claims: Collection[Format]) -> bool:
    """Return whether all formats are forms of one tool's output."""
    return len({claim.tools for claim in claims}) == 1 and all(claim.tools for claim in claims)


def _search(source: Source, claims: list[Format]) -> list[Format]:
    """Add the formats that embed blocks in the rest of a text."""
    claims, left = list(claims), [each for each in formats() if each.embeds and each not in claims]
    for window in source.windows():
        if not window.text:
            break
        for candidate in candidates(window, frozenset(each.name for each in left)):
            if candidate.claims(window):
                claims.append(candidate)
                left.remove(candidate)
    return claims
