"""What the stem of a file name says: `k6-export-1` is k6's export of run 1.

The tokens of a `{tool}-…` stem are read in one place and in any order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from benchkit.labels.natural import DIGITS
from benchkit.regexes import regex

#: Tokens that name a form of a result.
FORMS = frozenset(
    {"text", "report", "json", "export", "raw", "results", "samples"}
    | {"summary", "hist", "histogram", "hdr", "hdrplot", "plot", "latencies", "csv", "metrics"}
)

#: Names of results that name no variant.
RESULT_WORDS = FORMS | {
    "result",
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

#: Words of which a number names another one, and no run.
_KINDS = frozenset(
    {"endpoint", "scenario", "case", "query", "q", "page", "step", "phase", "stage", "part"}
    | {"node", "host", "pod", "shard", "partition", "tier", "config", "cfg", "level", "size"}
    | {"user", "users", "vus", "thread", "threads", "worker", "workers", "cpu", "cpus"}
    | {"core", "cores", "conn", "conns", "connections"}
)

#: What stands between the words of a name.
SEPARATORS = regex(r"[-_. ]")
#: As `SEPARATORS`, but for the dot of a version.
_WORDS = regex(r"[-_ ]|\.(?!\d)|(?<!\d)\.")

_VERSION = regex(r"v[0-9]+(?:\.[0-9]+)*")
_RELEASE = regex(r"v[0-9]+|(?:[a-z]+[-_]?)?v?[0-9]+(?:\.[0-9]+)+(?:-?rc\.?[0-9]+)?", re.IGNORECASE)
_CONNECTIONS = regex(r"c[0-9]+")
_EXTENSION = regex(r"(?=.*[A-Za-z])\w+")
_NUMBER = regex(rf"[0-9]{{1,{DIGITS}}}")
_COUNTED = (
    r"(?:run|trial|try|pass|iteration|iter|repetition|repeat|rep|round|attempt|take|sample"
    r"|measurement)[-_. ]?(?P<run>\d{1,9})"
)
_CLOCK = r"(?:[-_T. ]?(?:[01]\d|2[0-3])[-_:.h]?[0-5]\d(?:[-_:.m]?[0-5]\d)?Z?)?"
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = rf"[-_. ]?(?:{'|'.join(_MONTHS)})[a-z]{{0,6}}[-_. ]?"
_MOMENT = (
    r"(?P<moment>(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:0[1-9]|[12]\d|3[01])"
    rf"{_CLOCK}"
    r"|(?:0[1-9]|[12]\d|3[01])[-_.](?:0[1-9]|[12]\d|3[01])[-_.](?:19|20)\d\d"
    rf"{_CLOCK}"
    rf"|(?:0[1-9]|[12]\d|3[01]){_MONTH}(?:19|20)\d\d{_CLOCK}"
    rf"|(?:19|20)\d\d{_MONTH}(?:0[1-9]|[12]\d|3[01]){_CLOCK}"
    r"|1[4-9]\d{8}(?:\d{3})?)"
)
#: A date that ends with its year.
_YEAR_LAST = regex(r"(\d\d)[-_.](\d\d)[-_.](\d{4})(.*)", re.DOTALL)
_MONTH_WORD = regex(_MONTH, re.IGNORECASE)
FOLDER = regex(rf"{_COUNTED}|{_MOMENT}", re.IGNORECASE)
#: Where a word begins: after a separator, or as `Run` in `noneRun1`.
_START = r"(?:^|[-_. ]|(?-i:(?<=[a-z])(?=[A-Z])))"
_TOOLS_MOMENT = regex(rf"[-_. ]{_MOMENT}$", re.IGNORECASE)
_END = regex(
    rf"{_START}(?:{_COUNTED}|{_MOMENT})$"
    r"|(?:(?<=.)[-_ ]|(?<=[^\d.])\.|(?<=[^.])\.(?=r)|(?=#))"
    r"[r#]?(?P<number>\d{1,9})(?:st|nd|rd|th)?$"
    r"|(?<=.) ?\((?P<copy>\d{1,9})\)$",
    re.IGNORECASE,
)
#: `run1_none`, `20240101_none`, `1_none`.
_BEGIN = regex(rf"(?:{_COUNTED}|{_MOMENT}|(?P<number>\d{{1,9}}))[-_ ](?=\D)", re.IGNORECASE)
#: What a name ends with before the number of a file that was put aside: `none.txt.1`.
_PUT_ASIDE = regex(r"\.(?:txt|log|out|json|csv)$", re.IGNORECASE)


class ToolNames(NamedTuple):
    """The names of tools and formats that a path may hold.

    Parameters
    ----------
    known : frozenset of str
        All of them.
    companions : frozenset of str
        Of tools that accompany the runs of another; what is left of their stems means nothing.
    snapshots : frozenset of str
        Of companions that come as folders of snapshots.
    """

    known: frozenset[str] = frozenset()
    companions: frozenset[str] = frozenset()
    snapshots: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Stem:
    """What a `{tool}-…` stem says.

    Parameters
    ----------
    tool : str
        Empty where the stem does not begin with a tool's name; then nothing else is told.
    form : str
        The form tokens, joined by ``-``.
    role : str
        ``measured``, ``warmup`` or ``aggregate``.
    run : int or None
    moment : str
        The digits of a date or time that the stem ends with.
    connections : str
        Of a token like ``c20``.
    leftover : str
        The tokens that say none of this, joined by ``-``.
    benchmark : str
        The benchmark that a load tool's left-over tokens name.
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
        """The level of the workload that the stem tells."""
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
    if not (stem and dot and _EXTENSION.fullmatch(extension)):
        return packed, name[len(packed) + 1 :]
    return stem, name[len(stem) + 1 :]


@lru_cache(maxsize=1 << 14)
def read_stem(stem: str, tools: ToolNames) -> Stem:
    """Read a stem; one that does not begin with a tool's name says nothing.

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
    read = _read_tokens(tool, rest, is_companion=tool in tools.companions)
    return replace(read, moment=read_moment(ending["moment"])) if ending else read


def _read_tokens(tool: str, tokens: list[str], *, is_companion: bool) -> Stem:
    """Read the tokens that follow a tool's name; of several numbers the last is the run."""
    numbers = [at for at, token in enumerate(tokens) if _NUMBER.fullmatch(token)]
    run_at = numbers[-1] if numbers else -1
    if run_at > 0 and tokens[run_at - 1].lower() in _KINDS:
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
    """Return the words of a file's stem that name a form, whatever its tool.

    Examples
    --------
    >>> form_tokens("wrk_export_1.txt"), form_tokens("k6-v0.49-raw-1.json")
    (('export',), ('v0.49', 'raw'))
    """
    words = _WORDS.split(split_name(path.rpartition("/")[2])[0].lower())
    bare = (word if _VERSION.fullmatch(word) else word.rstrip("0123456789") for word in words)
    return tuple(word for word in bare if word in RESULT_WORDS or _VERSION.fullmatch(word))


def starts_with_tool(stem: str, tools: ToolNames) -> Stem:
    """Read a `{tool}…` stem, whatever of ``-``, ``_``, ``.`` or blank follows the tool's name."""
    return read_stem(re.sub(r"[-_. ]+", "-", stem), tools)


def _take_tool(tokens: list[str], tools: ToolNames) -> tuple[str, list[str]]:
    """Take the longest tool's name that the tokens begin with (names may hold a ``-``)."""
    for size in range(3, 0, -1):
        name = "-".join(tokens[:size]).lower()
        if name in tools.known:
            return name, tokens[size:]
    return "", tokens


class PlainStem(NamedTuple):
    """A stem of no tool without what counts its runs: a word and a number, a moment, or neither."""

    name: str
    run: int | None = None
    moment: str = ""
    number: int | None = None
    role: str = "measured"
    whole: str = ""


@lru_cache(maxsize=1 << 14)
def split_stem(stem: str, tools: ToolNames) -> PlainStem:
    """Split a stem into its name and what counts its runs.

    Examples
    --------
    >>> [split_stem(stem, ToolNames()).number for stem in ("jdk-17", "out2", "http2")]
    [17, 2, None]
    >>> split_stem("none-20240101-1200", ToolNames()).moment, split_stem("trial01", ToolNames()).run
    ('202401011200', 1)
    >>> [split_stem(stem, ToolNames()).number for stem in ("none.r1", "none_2nd", "none #3")]
    [1, 2, 3]
    >>> split_stem("none-1_stats", ToolNames())[:4]
    ('none', None, '', 1)
    """
    if is_number(stem) and not FOLDER.fullmatch(stem):
        return PlainStem("", number=int(stem), whole=stem)
    match = _END.search(stem) or _BEGIN.match(stem) or _end_before_word(stem)
    word = stem.rstrip("0123456789")
    if match is None and is_number(stem[len(word) :]) and not is_name(word, tools):
        return PlainStem(word, number=int(stem[len(word) :]), whole=stem)
    if match is None:
        return _take_role(stem)._replace(whole=stem)
    parts = match.groupdict()
    if parts["number"] and SEPARATORS.split(stem[: match.start()].lower())[-1] in _KINDS:
        return _take_role(stem)._replace(whole=stem)
    run, moment, number = parts["run"], parts["moment"], parts["number"] or parts.get("copy")
    rest = "" if match.start() else stem[match.end() :]
    rest = rest or _PUT_ASIDE.sub("", stem[: match.start()])
    return _take_role(rest)._replace(
        run=int(run) if run else None,
        moment=read_moment(moment or ""),
        number=int(number) if number else None,
        whole=stem,
    )


def _end_before_word(stem: str) -> re.Match[str] | None:
    """Find what counts the runs before a word for results: the 1 of `none-1_stats`."""
    rest, _, word = re.sub(r"[-_]([a-z]+)$", r"\0\1", stem).partition("\0")
    return _END.search(rest) if word in RESULT_WORDS else None


def _take_role(name: str) -> PlainStem:
    words = SEPARATORS.split(name)
    role = next((ROLES[word.lower()] for word in words if word.lower() in ROLES), "measured")
    if role == "measured":
        return PlainStem(name)
    return PlainStem("-".join(word for word in words if word.lower() not in ROLES), role=role)


def keep_digits(text: str) -> str:
    """Drop all that is no digit."""
    return "".join(filter(str.isdigit, text))


def read_moment(text: str) -> str:
    """Return the digits of a date or time, the year first: such texts sort by time.

    Of a date that ends with its year, the day comes first unless it cannot be one.

    Examples
    --------
    >>> read_moment("2024-05-31T12:00"), read_moment("31_05_2024_12_00"), read_moment("05-31-2024")
    ('202405311200', '202405311200', '20240531')
    >>> read_moment("20-Nov-2026"), read_moment("2026March05_12-00")
    ('20261120', '202603051200')
    """
    text = _MONTH_WORD.sub(_number_month, text)
    match = _YEAR_LAST.fullmatch(text)
    if match is None:
        return keep_digits(text)
    day, month, year, clock = match.groups()
    if int(month) > 12:
        day, month = month, day
    return year + month + day + keep_digits(clock)


def _number_month(word: re.Match[str]) -> str:
    return f"-{_MONTHS.index(word[0].strip('-_. ')[:3].lower()) + 1:02}-"


def is_counted(stem: PlainStem) -> bool:
    """Tell whether the stem counts its runs."""
    return stem.run is not None or stem.number is not None or bool(stem.moment)


def is_number(name: str) -> bool:
    """Tell a name that is a small whole number."""
    return name.isascii() and name.isdigit() and len(name) < 9


def is_version(name: str) -> bool:
    """Tell the name of a version.

    Examples
    --------
    >>> [is_version(name) for name in ("v2", "go1.22", "1.9.0-rc.1", "c8", "http2")]
    [True, True, True, False, False]
    """
    return _RELEASE.fullmatch(name) is not None


def is_form(name: str) -> bool:
    """Tell whether a stem's name is that of a form of a result, so that it names no variant.

    Examples
    --------
    >>> [is_form(name) for name in ("results", "json-report", "bench", "none-report")]
    [True, True, False, False]
    """
    return FORMS.issuperset(word.lower() for word in SEPARATORS.split(name) if word)


def is_name(name: str, tools: ToolNames) -> bool:
    """Tell whether a stem's name is more than a word for results or a tool."""
    words = (word.lower() for word in SEPARATORS.split(name) if word)
    return any(word not in RESULT_WORDS and word not in tools.known for word in words)
