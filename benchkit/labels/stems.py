"""Labels from the stem of a file name: `k6-export-1` is k6's export of run 1.

The tokens of a `{tool}-…` stem are read in one place and in any order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from benchkit.labels.moments import MOMENT, read_moment
from benchkit.labels.walk import DIGITS
from benchkit.regexes import regex

#: Tokens that name a form of a result.
FORMS = frozenset(
    {"text", "report", "json", "export", "raw", "result", "results", "samples"}
    | {"summary", "hist", "histogram", "hdr", "hdrplot", "plot", "latencies", "csv", "metrics"}
)

#: Names of results that do not name a variant.
RESULT_WORDS = FORMS | {
    "output",
    "out",
    "stdout",
    "log",
    "bench",
    "benchmark",
    "benchmarks",
    "estimates",
    "stats",
}
#: Tokens that name a role.
ROLES = {"warmup": "warmup", "merged": "aggregate", "aggregate": "aggregate"}

#: Words whose number identifies one of them, not a run.
KINDS = frozenset(
    {"endpoint", "scenario", "case", "query", "q", "page", "step", "phase", "stage", "part"}
    | {"node", "host", "pod", "shard", "partition", "tier", "config", "cfg", "level", "size"}
    | {"user", "users", "vus", "thread", "threads", "worker", "workers", "cpu", "cpus"}
    | {"core", "cores", "conn", "conns", "connections"}
)

#: Separators between the words of a name.
SEPARATORS = regex(r"[-_. ,]")
#: Like `SEPARATORS`, except for the dot of a version.
_WORDS = regex(r"[-_ ]|\.(?!\d)|(?<!\d)\.")

_VERSION = regex(r"v[0-9]+(?:\.[0-9]+)*")
_RELEASE = regex(r"v[0-9]+|(?:[a-z]+[-_]?)?v?[0-9]+(?:\.[0-9]+)+(?:-?rc\.?[0-9]+)?", re.IGNORECASE)
_CONNECTIONS = regex(r"c[0-9]+")
_EXTENSION = regex(r"(?=.*[A-Za-z])\w+")
#: Endings of names like `bench.old` and `bench.new`, which are not extensions.
_SIDES = frozenset({"old", "new", "before", "after", "base", "baseline", "head", "main", "pr"})
_NUMBER = regex(rf"[0-9]{{1,{DIGITS}}}")
_TOOLS_MOMENT = regex(rf"[-_. ]{MOMENT}$", re.IGNORECASE)


class ToolNames(NamedTuple):
    """The names of tools and formats that a path may contain.

    Parameters
    ----------
    known : frozenset of str
        All of them.
    companions : frozenset of str
        Tools that accompany the runs of another; the rest of their stems has no meaning.
    snapshots : frozenset of str
        Companions whose results are folders of snapshots.
    """

    known: frozenset[str] = frozenset()
    companions: frozenset[str] = frozenset()
    snapshots: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Stem:
    """Labels from a `{tool}-…` stem.

    Parameters
    ----------
    tool : str
        Empty if the stem does not begin with a tool's name; then all other fields are empty.
    form : str
        The form tokens, joined by ``-``.
    role : str
        ``measured``, ``warmup`` or ``aggregate``.
    moment : str
        The digits of a date or time at the end of the stem.
    connections : str
        From a token like ``c20``.
    leftover : str
        All other tokens, joined by ``-``.
    benchmark : str
        The benchmark in the leftover tokens of a load tool.
    """

    tool: str = ""
    form: str = ""
    role: str = "measured"
    run: int | None = None
    moment: str = ""
    connections: str = ""
    leftover: str = ""
    benchmark: str = ""

    @property
    def params(self) -> tuple[tuple[str, str], ...]:
        """The load level in the stem."""
        return (("connections", self.connections),) if self.connections else ()


def split_name(name: str) -> tuple[str, str]:
    """Split a name into stem and extension: the last suffix, plus ``.gz``.

    Examples
    --------
    >>> split_name("k6-raw-1.json.gz"), split_name("k6-v0.49-1.txt")
    (('k6-raw-1', 'json.gz'), ('k6-v0.49-1', 'txt'))
    """
    packed = name[:-3] if name.lower().endswith(".gz") and name[:-3] else name
    stem, dot, extension = packed.rpartition(".")
    is_side = extension.lower() in _SIDES
    if is_side or not (stem and dot and _EXTENSION.fullmatch(extension)):
        return packed, name[len(packed) + 1 :]
    return stem, name[len(stem) + 1 :]


@lru_cache(maxsize=1 << 14)
def read_stem(stem: str, tools: ToolNames) -> Stem:
    """Read a stem; one that does not begin with a tool's name yields nothing.

    Examples
    --------
    >>> read = read_stem("ab-k-c30-2", ToolNames(frozenset({"ab"})))
    >>> read.tool, read.run, read.connections, read.benchmark
    ('ab', 2, '30', 'k')
    >>> read_stem("ab-none-2024-05-01", ToolNames(frozenset({"ab"}))).moment
    '20240501'
    """
    ending = _TOOLS_MOMENT.search(stem)
    kept = stem[: ending.start()] if ending else stem
    tool, rest = _take_tool([token.strip() for token in kept.split("-")], tools)
    if not tool:
        return Stem()
    if len(rest) == 1 and rest[0].lower().split("_")[0] in FORMS:
        rest = rest[0].split("_")  # `k6-summary_1_base`
    read = _read_tokens(tool, rest, is_companion=tool in tools.companions)
    return replace(read, moment=read_moment(ending["moment"])) if ending else read


def _read_tokens(tool: str, tokens: list[str], *, is_companion: bool) -> Stem:
    """Read the tokens after a tool's name; the last of several numbers is the run."""
    numbers = [at for at, token in enumerate(tokens) if _NUMBER.fullmatch(token)]
    run_at = numbers[-1] if numbers else -1
    if run_at > 0 and tokens[run_at - 1].lower() in KINDS:
        numbers, run_at = [], -1
    forms, left, role, connections = [], [], "measured", ""
    for at, token in enumerate(tokens):
        word = token.lower()
        if at == run_at or not word:
            continue
        if word in FORMS or (is_companion and _VERSION.fullmatch(word)):
            forms.append(word)
        elif word in ROLES:
            role = ROLES[word]
        elif _CONNECTIONS.fullmatch(word) and not connections:
            connections = str(int(word[1:]))
        else:
            left.append(token)
    run = int(tokens[run_at]) if numbers else None
    leftover = "-".join(left)
    benchmark = "" if is_companion else leftover
    return Stem(
        tool=tool,
        form="-".join(forms),
        role=role,
        run=run,
        connections=connections,
        leftover=leftover,
        benchmark=benchmark,
    )


@lru_cache(maxsize=1 << 14)
def form_tokens(path: str) -> tuple[str, ...]:
    """Return the words of a file's stem that name a form, for any tool.

    Examples
    --------
    >>> form_tokens("wrk_export_1.txt"), form_tokens("k6-v0.49-raw-1.json")
    (('export',), ('v0.49', 'raw'))
    """
    words = _WORDS.split(split_name(path.rpartition("/")[2])[0].lower())
    bare = (word if _VERSION.fullmatch(word) else word.rstrip("0123456789") for word in words)
    return tuple(word for word in bare if word in RESULT_WORDS or _VERSION.fullmatch(word))


def starts_with_tool(stem: str, tools: ToolNames) -> Stem:
    """Read a `{tool}…` stem in which ``-``, ``_``, ``.`` or a blank follows the tool's name."""
    return read_stem(re.sub(r"[-_. ]+", "-", stem), tools)


def _take_tool(tokens: list[str], tools: ToolNames) -> tuple[str, list[str]]:
    """Take the longest tool's name at the start of the tokens (names may contain a ``-``)."""
    for size in range(3, 0, -1):
        name = "-".join(tokens[:size]).lower()
        if name in tools.known:
            return name, tokens[size:]
    return "", tokens


def is_number(name: str) -> bool:
    """Return whether a name is a small whole number."""
    return name.isascii() and name.isdigit() and len(name) < 9


def is_version(name: str) -> bool:
    """Return whether a name is that of a version.

    Examples
    --------
    >>> [is_version(name) for name in ("v2", "go1.22", "1.9.0-rc.1", "c8", "http2")]
    [True, True, True, False, False]
    """
    return _RELEASE.fullmatch(name) is not None


def is_form(name: str) -> bool:
    """Return whether a stem's name is that of a form of a result, and so not a variant.

    Examples
    --------
    >>> [is_form(name) for name in ("results", "json-report", "bench", "none-report")]
    [True, True, False, False]
    """
    return FORMS.issuperset(word.lower() for word in SEPARATORS.split(name) if word)


def is_name(name: str, tools: ToolNames) -> bool:
    """Return whether a stem's name is more than a word for results or a tool."""
    words = (word.lower() for word in SEPARATORS.split(name) if word)
    return any(word not in RESULT_WORDS and word not in tools.known for word in words)
