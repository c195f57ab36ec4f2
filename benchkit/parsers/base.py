"""What every parser shares: the source it reads, the readings it yields, the format it declares.

In: a raw file. Out: `Reading`s (one run as one source tells it), batches of `Samples`, and
`Diagnostic`s for what could not be read. Why: a parser is one file that turns bytes into
observations and knows nothing of labels, stores or statistics.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any, Literal

from benchkit.errors import Diagnostic
from benchkit.metrics import lookup
from benchkit.parsers.head import Head
from benchkit.parsers.source import Source

if TYPE_CHECKING:
    from datetime import datetime

    import numpy as np

__all__ = [
    "Diagnostic",
    "Form",
    "Format",
    "Head",
    "Reading",
    "Record",
    "Repeats",
    "Row",
    "Samples",
    "Source",
    "Tool",
    "late",
]

LoadModel = Literal["open", "closed", "unknown"]
Role = Literal["load", "microbenchmark", "summary", "companion", "unknown"]
Status = Literal["complete", "partial", "failed"]

#: One observation as a parser gives it:
#: (subject, metric, stat, value, unit, n, time, resolution, origin, line).
Row = tuple[str | None, str, str, float, str, int | None, "datetime | None", float | None, str, int]


@dataclass(slots=True, kw_only=True)
class Reading:
    """One run as one source tells it.

    A parser yields a reading when it has read it (or, where `Samples` follow, as soon as it knows
    that the run is there, and may complete the fields until it ends). Fields that the source does
    not tell stay at their defaults; they are never guessed.

    Parameters
    ----------
    tool, form : str
        Which tool measured (``wrk2``), and in which of its forms the source is (``text``).
    line : int
        Where the run begins in the source.
    last_line : int
        Where it ends.
    benchmark : str
        A name inside the file that always stays (a Go benchmark). Empty for load tools.
    target : str
        The path of the URL under load, host and port dropped; the benchmark if nothing else names
        one.
    variant, group : str
        Labels inside the file (benchstat's columns; a Go package where the file holds several).
    params : dict of str to str
        The level of the workload: ``{"connections": "8", "threads": "2"}``.
    status : {'complete', 'partial', 'failed'}
        ``partial``: the report is cut or interrupted, what stands in it is right. ``failed``: the
        tool ran and measured nothing.
    remark : str
        Why the run failed, or which thresholds it crossed, as ``line: reason``; empty where a
        diagnostic of the source says it.
    role : str
        ``part`` of a run that the source also gives whole, from one of several load generators;
        else empty.
    started_at, duration, load_model, target_rate, connections, tool_version, command, corrected
        As in the table of runs; ``started_at`` carries its zone, ``duration`` is in s.
    env : dict of str to str
        What the source tells of the machine (``cpu``, ``goos``).
    assume, better : dict of metric to str
        Unit metadata of go benchmarks: ``{"text-bytes": "exact"}``, ``{"p99-sec": "lower"}``.
    rows : list of Row
        The observations. Use `add`.
    """

    tool: str
    form: str
    line: int
    last_line: int = 0
    benchmark: str = ""
    target: str = ""
    variant: str = ""
    group: str = ""
    params: dict[str, str] = field(default_factory=dict)
    status: Status = "complete"
    remark: str = ""
    role: str = ""
    started_at: datetime | None = None
    duration: float | None = None
    load_model: LoadModel = "unknown"
    target_rate: float | None = None
    connections: int | None = None
    tool_version: str | None = None
    command: str | None = None
    corrected: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    assume: dict[str, str] = field(default_factory=dict)
    better: dict[str, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)

    def add(
        self,
        metric: str,
        stat: str,
        value: float,
        unit: str,
        line: int,
        *,
        subject: str | None = None,
        n: int | None = None,
        time: datetime | None = None,
        resolution: float | None = None,
        origin: str = "reported",
    ) -> None:
        """Add one observation; ``value`` and ``resolution`` in the base unit ``unit``."""
        self.rows.append((subject, metric, stat, value, unit, n, time, resolution, origin, line))


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """A block of raw samples of one metric, in columns.

    Parameters
    ----------
    reading : Reading
        The run they belong to, yielded before.
    metric, unit : str
        As in the table; the stat is ``stat``.
    values : ndarray of float64, shape (k,)
        In the base unit, finite.
    lines : ndarray of int64, shape (k,)
        Where each stands in the source (a record's ordinal in a binary source).
    times : ndarray of datetime64[us], shape (k,), optional
        UTC.
    subject : str, optional
    stat : str
        ``sample`` for events, ``counter`` for readings of a counter.
    resolution : float, optional
    origin : {'reported', 'computed'}
        ``computed`` where a value is the sum of several that the source tells.
    """

    reading: Reading
    metric: str
    unit: str
    values: np.ndarray
    lines: np.ndarray
    times: np.ndarray | None = None
    subject: str | None = None
    stat: str = "sample"
    resolution: float | None = None
    origin: str = "reported"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """Many complete runs of one source, in columns: each one sample of each of its metrics.

    It stands for as many readings, in the order of ``lines``.

    Parameters
    ----------
    readings : sequence of Reading
        What runs share, without rows; the same object in several `Repeats` is shared by all.
    which : ndarray of int64, shape (k,)
        The place among ``readings`` of what each run shares with others.
    lines : ndarray of int64, shape (k,)
        Where each run stands in the source.
    counts : ndarray of int64, shape (k,)
        How many events each stands on.
    measures : sequence of (metric, unit)
    owners : ndarray of int64, shape (m,)
        Which run each value is of, ascending.
    kinds : ndarray of int64, shape (m,)
        The place of each value's metric and unit among ``measures``.
    values, steps : ndarray of float64, shape (m,)
        In base units, finite, and their rounding steps.
    """

    readings: Sequence[Reading]
    which: np.ndarray
    lines: np.ndarray
    counts: np.ndarray
    measures: Sequence[tuple[str, str]]
    owners: np.ndarray
    kinds: np.ndarray
    values: np.ndarray
    steps: np.ndarray

    def __len__(self) -> int:
        """Count the values."""
        return len(self.values)


Record = Reading | Repeats | Samples | Diagnostic


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One way in which a tool writes its results, for `benchkit formats`.

    Parameters
    ----------
    name : str
        ``text``, ``json``, ``csv``, …
    signature : str
        What it is known by.
    versions : str
        Which versions of the tool write it.
    not_recorded : str
        What a user would want and the form does not tell.
    """

    name: str
    signature: str
    versions: str
    not_recorded: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """What the registry knows of a parser.

    Parameters
    ----------
    name : str
        Of the parser; also a ``{tool}`` in path patterns.
    tools : tuple of str
        The values of the ``tool`` column that it gives.
    summary : str
        One line.
    forms : tuple of Form
    recognises : callable
        Whether the beginning of a source (`Head`) is this format's. Cheap, never raises.
    parse : callable
        `Source` to an iterator of `Record`. Bad data is a `Diagnostic`, never an exception.
    embeds : bool
        Whether its blocks may stand among other text (prompts, Markdown, another tool's report).
        A source may be claimed by several such formats, each of which reads its own blocks;
        formats that own a whole source exclude each other and these.
    is_companion : bool
        Whether it tells of what ran beside the load (counters of containers, spans); its
        snapshots may well be identical, and each counts for its own path.
    quantile_rule : str
        How the tool takes a quantile of its samples, as `benchkit.stats.quantiles.quantile` names
        it: its percentiles are computed so, to be comparable with those that it reports.
    words : tuple of str
        One of them stands in every text of the format, or
    starts : str
        the text begins with one of these characters. A source that shows neither is not asked
        about; with neither of both, and where there is no text, every source is.
    """

    name: str
    tools: tuple[str, ...]
    summary: str
    forms: tuple[Form, ...]
    recognises: Callable[[Head], bool]
    parse: Callable[[Source], Iterator[Record]]
    embeds: bool = False
    is_companion: bool = False
    quantile_rule: str = "linear"
    words: tuple[str, ...] = ()
    starts: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """What benchkit knows of a tool beside how its results are read.

    Parameters
    ----------
    name : str
        A value of the ``tool`` column.
    formats : tuple of Format
        In which its results come.
    role : {'load', 'microbenchmark', 'summary', 'companion', 'unknown'}
        ``load`` offers requests: its samples are events inside a run. ``microbenchmark``: each
        sample is a run. ``summary`` tells of runs that are not at hand, so that nothing can be
        tested. ``companion`` tells of what ran beside the load. Of a tool that declares none,
        samples stand for the run.
    load_model : {'open', 'closed', 'unknown'}
        How it offers its load, where the tool alone decides that.
    primaries : tuple of (metric, stat)
        What carries the verdict; empty for the rule of load tools: the request rate of a closed
        loop, else the median latency, and the CPU per request.
    executables : tuple of str
        How it is called on a command line, where that is not its name.
    outputs : tuple of str
        Options that name a file for results, or the run: no part of the test itself.
    """

    name: str
    formats: tuple[Format, ...] = ()
    role: Role = "unknown"
    load_model: LoadModel = "unknown"
    primaries: tuple[tuple[str, str], ...] = ()
    executables: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()

    @property
    def samples_are_events(self) -> bool:
        """Whether a sample is an event inside a run and not a run."""
        return self.role in {"load", "companion"}

    def find_primaries(self, load_model: str) -> tuple[tuple[str, str], ...]:
        """Return the (metric, stat) pairs that carry the verdict under a load model.

        Examples
        --------
        >>> Tool(name="wrk").find_primaries("closed")
        (('request_rate', 'mean'), ('cpu_per_request', 'mean'))
        """
        headline = ("request_rate", "mean") if load_model == "closed" else ("latency", "p50")
        return self.primaries or (headline, ("cpu_per_request", "mean"))

    def choose_stat(self, metric: str) -> str:
        """Return the stat that stands for a metric whose stat the user did not name."""
        if metric in {"latency", "uncorrected_latency", "phase_time"}:
            return "p50"
        if self.role == "microbenchmark":
            return "sample"
        if self.role == "summary":
            return "median"
        stats = lookup(metric).stats
        return next((stat for stat in ("mean", "count", "total") if stat in stats), stats[0])


def late(place: str) -> Callable[..., Any]:
    """Return a function that imports ``module:name`` when it is first called."""

    def call(*args: object) -> object:
        return EntryPoint("", place, "").load()(*args)

    return call


#: What may stand before a line that was pasted somewhere: blanks, tabs, ``# ``, ``> ``, ``| ``.
PREFIX = re.compile(r"^[\s#>|*/]*(?:-\s+)?[\s*]*")


def strip_prefix(text: str) -> str:
    """Drop what a comment, a quotation or a list put before a line.

    Examples
    --------
    >>> strip_prefix("#   Thread Stats   Avg")
    'Thread Stats   Avg'
    """
    return text[PREFIX.match(text).end() :]  # type: ignore[union-attr]


def find_command(text: str, tool: str) -> str | None:
    """Return the command line of ``tool`` that a shell prompt shows in ``text``, if any.

    Examples
    --------
    >>> find_command("user@host:~$ wrk -c8 -t2 http://h/", "wrk")
    'wrk -c8 -t2 http://h/'
    """
    match = re.search(rf"(?:^|[\s/$#>%])({tool} +\S.*)", text)
    return match[1].strip() if match else None


def bare(text: str) -> str:
    """Drop blanks and what a comment, a quotation or Markdown put around a line.

    Examples
    --------
    >>> bare("- **Complete requests: 76**")
    'Complete requests: 76'
    """
    line = text.strip()
    return strip_prefix(line).strip(" \t#>*|`") if line and line[0] in "#>|*/-" else line
