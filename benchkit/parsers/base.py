"""The common base of all parsers: a source to read, readings to yield, and a format's declaration.

A parser is one module that turns bytes into observations and knows nothing of labels, stores or
statistics.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, Literal

from benchkit.errors import Diagnostic, describe_failure
from benchkit.metrics import lookup
from benchkit.reading.cleaning import bare, find_command, strip_prefix
from benchkit.reading.records import Reading, Record, Repeats, Row, Samples, SpanReader, Status
from benchkit.reading.signs import Head
from benchkit.reading.source import Source
from benchkit.schema import LoadModel

__all__ = [
    "Diagnostic",
    "Form",
    "Format",
    "Head",
    "LoadModel",
    "Reading",
    "Record",
    "Repeats",
    "Row",
    "Samples",
    "Source",
    "SpanReader",
    "Status",
    "Tool",
    "bare",
    "find_command",
    "late",
    "strip_prefix",
]

Role = Literal["load", "microbenchmark", "summary", "companion", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One form in which a tool writes its results, for `benchkit formats`.

    Parameters
    ----------
    name : str
        ``text``, ``json``, ``csv``, …
    signature : str
        Text by which the form is recognised.
    versions : str
        Versions of the tool that write it.
    not_recorded : str
        Useful facts that the form does not contain.
    """

    name: str
    signature: str
    versions: str
    not_recorded: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """The registry's entry for a parser.

    Parameters
    ----------
    name : str
        The parser's name; also a ``{tool}`` in path patterns.
    tools : tuple of str
        The values of the ``tool`` column that it yields.
    summary : str
        One line.
    forms : tuple of Form
    recognises : callable
        Returns whether the beginning of a source (`Head`) has this format. Cheap, never raises.
    parse : callable
        Converts a `Source` to an iterator of `Record`. Invalid data becomes a `Diagnostic`, never
        an exception.
    embeds : bool
        Whether its blocks may be part of other text (prompts, Markdown, another tool's report).
        Several formats of this kind may claim a source, and each reads its own blocks. A format for
        whole sources excludes all other formats.
    open_span : callable, optional
        Converts a `Source` to a `SpanReader`, or to None if the file has to be read in one go.
    depends_on : bytes
        The beginning of lines on which later ones depend; the reader gets them as ``before``.
    is_companion : bool
        Whether it reports on processes other than the load (counters of containers, spans); its
        snapshots may be identical, and each counts for its path.
    quantile_rule : str
        The tool's rule for quantiles of its samples, as named by
        `benchkit.stats.quantiles.quantile`. Percentiles are computed with it, to be comparable with
        those that the tool reports.
    words : tuple of str
        Words of which every text of the format contains at least one, or
    starts : str
        the text begins with one of these characters. A source with neither is not checked; if both
        are empty, or the source has no text, every source is checked.
    anchors : tuple of (word, pattern)
        Words of lines that only the format has, and patterns for the text after them: any other
        beginning of a line with these is the prefix of a log. A word with a leading blank follows
        the name of a benchmark, which is not part of the prefix.
    plain : callable, optional
        Converts a text to its `Reading` if it is exactly one report of the usual shape; returns
        None for any other text. Tried first if the previous source had this format, because a
        folder may have thousands.
    repeating : tuple of (file, result)
        Files that the tool writes next to a result and that add nothing to it, with the result's
        path relative to them: ``("tukey.json", "estimates.json")``, ``("*_failures.csv",
        "*_stats.csv")``. They are skipped in a folder.
    copying : tuple of (file, result)
        Files into which the tool copies a result, with its path; if the bytes are equal they are
        skipped, in this order.
    reads_ends : bool
        Whether its parser detects whether a run ended well; below other reports, benchkit searches
        for lines that report a crashed program.
    is_export : bool
        Whether it is benchkit's own table: results of every tool, and statistics of their samples.
    chatter : re.Pattern, optional
        Output around the tool's results without information about them, such as progress,
        statistics and build messages. It is not text of a page's author.
    """

    name: str
    tools: tuple[str, ...]
    summary: str
    forms: tuple[Form, ...]
    recognises: Callable[[Head], bool]
    parse: Callable[[Source], Iterator[Record]]
    embeds: bool = False
    open_span: Callable[[Source], SpanReader | None] | None = None
    depends_on: bytes = b""
    is_companion: bool = False
    quantile_rule: str = "linear"
    words: tuple[str, ...] = ()
    starts: str = ""
    anchors: tuple[tuple[str, str], ...] = ()
    plain: Callable[[str], Reading | None] | None = None
    repeating: tuple[tuple[str, str], ...] = ()
    copying: tuple[tuple[str, str], ...] = ()
    reads_ends: bool = False
    is_export: bool = False
    chatter: re.Pattern[str] | None = None

    def claims(self, head: Head) -> bool:
        """Return whether a source has this format; warn about a parser that fails to decide.

        A plug-in may fail in any way, which must not affect files of other formats.
        """
        try:
            return bool(self.recognises(head))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001
            why = describe_failure(error)
            warnings.warn(f"the parser {self.name} fails to recognise files ({why})", stacklevel=1)
            return False

    def find_misfit(self) -> str:
        """Return the name of a field whose value has the wrong type; empty if there is none."""
        texts = all(isinstance(getattr(self, name), str) for name in _TEXTS)
        if not texts or not self.name:
            return " or ".join(_TEXTS)
        for name, kind in _TUPLES.items():
            values = getattr(self, name)
            if not isinstance(values, tuple) or not all(isinstance(each, kind) for each in values):
                return name
        return next((name for name in _CALLED if not callable(getattr(self, name))), "")


#: Fields of a format, by the type of their values.
_TEXTS = ("name", "summary", "starts")
_TUPLES = {"tools": str, "words": str, "forms": Form, "anchors": tuple, "repeating": tuple,
           "copying": tuple}  # fmt: skip
_CALLED = ("recognises", "parse")


@dataclass(frozen=True, slots=True)
class FirstPlan:
    """The part of a tool in the plan that ``init --plan`` writes for `capture`.

    Parameters
    ----------
    command : str
        Prints one run's results; ``{}`` is replaced by the URL of the service, ``{host}`` and
        ``{port}`` by its parts.
    warmup : str
        The same for a warm-up; empty if no service is measured.
    variants : tuple of str
        Two names, which the command may contain as ``{variant}``.
    serve, ready : str
        The command of the service and its URL, if it is not an HTTP service.
    """

    command: str
    warmup: str = ""
    variants: tuple[str, str] = ("before", "after")
    serve: str = ""
    ready: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Facts about a tool, in addition to how its results are read.

    Parameters
    ----------
    name : str
        A value of the ``tool`` column.
    formats : tuple of Format
        The formats of its results.
    command : str
        A command line that writes the most complete form.
    role : {'load', 'microbenchmark', 'summary', 'companion', 'unknown'}
        ``load`` sends requests: its samples are events inside a run. ``microbenchmark``: each
        sample is a run. ``summary`` reports on runs that are not available, so nothing can be
        tested. ``companion`` reports on processes other than the load. For a tool without a role,
        samples represent the run.
    metrics : mapping of str to str
        Metrics in addition to those of every load tool, each with the tool's name for it, if that
        helps to locate it in the output.
    load_model : {'open', 'closed', 'unknown'}
        The load model, if it depends on the tool alone.
    primaries : tuple of (metric, stat)
        Metrics that carry the verdict; empty for the rule of load tools: the request rate of a
        closed loop, else the median latency, and the CPU per request.
    executables : tuple of str
        Names on a command line, if they differ from its name.
    outputs : tuple of str
        Options whose value names a file for results or for the run itself.
    printing : tuple of str
        Options that only change how much is printed.
    whole_exits : tuple of int
        Exit codes other than 0 of completely measured runs.
    is_timed : bool
        Whether every run of whole seconds was set to that length: the number of requests is then an
        outcome, and equal counts mean nothing.
    has_snapshots : bool
        Whether its results come as folders of snapshots, one per run.
    find_rate : callable
        Returns the requests per second that a command line requests, or None.
    reports_sent : bool
        Whether the request rate of its open loop is the rate of sending.
    corrected : {'approximate', None}
        Its correction for coordinated omission if a run does not record one.
    drops_timeouts : bool
        Whether its latencies exclude requests that timed out.
    repeats_timeouts : bool
        Whether it counts a waiting connection several times.
    answered : tuple of str
        Reasons of failed requests that count as requests, if only answered ones do; empty if all
        failed requests count.
    doubtful : tuple of str
        Reasons that it also reports for answered requests.
    unanswered : str
        The response code of requests without a response that are included in its latencies.
    iterates : bool
        Whether connections repeat iterations of a script, so that rates depend on a time that it
        does not report.
    quantile_error : float
        Relative difference of the quantiles of two of its forms, in addition to rounding.
    quantile_note : str
        The reason for that difference.
    tracks_directed : bool
        Whether users choose the metrics that it tracks, so that each one with a stated direction
        carries the verdict.
    compares_commands : bool
        Whether its benchmarks are command lines, which users time to compare them.
    keeps_runs : str
        The tool's own way to keep a run for comparison.
    is_range : bool
        Whether the times of its samples are the steps of a query.
    plan : FirstPlan or None
        The plan that ``init --plan`` writes for it.
    """

    name: str
    formats: tuple[Format, ...] = ()
    command: str = ""
    role: Role = "unknown"
    metrics: Mapping[str, str] = field(default_factory=dict)
    load_model: LoadModel = "unknown"
    primaries: tuple[tuple[str, str], ...] = ()
    executables: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    printing: tuple[str, ...] = ()
    whole_exits: tuple[int, ...] = ()
    is_timed: bool = False
    has_snapshots: bool = False
    find_rate: Callable[[str], float | None] = lambda _: None
    reports_sent: bool = False
    corrected: str | None = None
    drops_timeouts: bool = False
    repeats_timeouts: bool = False
    answered: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    unanswered: str = ""
    iterates: bool = False
    quantile_error: float = 0.0
    quantile_note: str = ""
    tracks_directed: bool = False
    compares_commands: bool = False
    keeps_runs: str = ""
    is_range: bool = False
    plan: FirstPlan | None = None

    @property
    def samples_are_events(self) -> bool:
        """Return whether a sample is an event inside a run and not a run itself."""
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
        """Return the stat of a metric for which the user named none."""
        if metric in {"latency", "uncorrected_latency", "phase_time"}:
            return "p50"
        if self.role == "microbenchmark":
            return "sample"
        if self.role == "summary":
            return "median"
        stats = lookup(metric).stats
        return next((stat for stat in ("mean", "count", "total") if stat in stats), stats[0])


def late(place: str) -> Callable[..., Any]:
    """Return a function that imports ``module:name`` on its first call."""
    module, _, name = place.partition(":")

    @cache
    def find() -> Callable[..., Any]:
        return getattr(import_module(module), name)  # type: ignore[no-any-return]

    def call(*args: object) -> object:
        return find()(*args)

    return call
