"""What every parser shares: the source it reads, the readings it yields, the format it declares.

A parser is one file that turns bytes into observations and knows nothing of labels, stores or
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
    open_span : callable, optional
        `Source` to a `SpanReader`, or to None where the file has to be read in one go.
    depends_on : bytes
        What lines begin with on which later ones depend: to that reader they come as ``before``.
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
    anchors : tuple of (word, pattern)
        Words of lines that only the format has, and what follows them: where such a line begins
        with something else, that is a prefix of a log. A word that begins with a blank stands
        behind the name of a benchmark, of which the prefix is no part.
    plain : callable, optional
        A text to its `Reading`, if it is one report of the usual shape and nothing else; None for
        any other text. Tried first where the source before was of the format: a folder may hold
        thousands.
    repeating : tuple of (file, result)
        Files that the tool writes beside a result and that add nothing to it, and the result's
        place as seen from there: ``("tukey.json", "estimates.json")``,
        ``("*_failures.csv", "*_stats.csv")``. In a folder they are passed over.
    copying : tuple of (file, result)
        Files into which the tool copies a result, and the place of that: with the same bytes they
        are passed over, in this order.
    reads_ends : bool
        Whether its parser reads whether a run ended well; below other reports benchkit looks for
        the lines that say that a program crashed.
    is_export : bool
        Whether it is benchkit's own table: results of every tool, and what their samples come to.
    chatter : re.Pattern, optional
        What the tool prints around its results and what says nothing of them: progress,
        statistics, what it builds. It is no text of a page's author.
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
        """Whether a source is of this format; one that cannot tell is warned about and claims none.

        A plug-in may fail in any way, which must not cost the files of other formats.
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
        """Name a field whose value is of another type than it must be; empty if there is none."""
        texts = all(isinstance(getattr(self, name), str) for name in _TEXTS)
        if not texts or not self.name:
            return " or ".join(_TEXTS)
        for name, kind in _TUPLES.items():
            values = getattr(self, name)
            if not isinstance(values, tuple) or not all(isinstance(each, kind) for each in values):
                return name
        return next((name for name in _CALLED if not callable(getattr(self, name))), "")


#: Fields of a format by what their values are.
_TEXTS = ("name", "summary", "starts")
_TUPLES = {"tools": str, "words": str, "forms": Form, "anchors": tuple, "repeating": tuple,
           "copying": tuple}  # fmt: skip
_CALLED = ("recognises", "parse")


@dataclass(frozen=True, slots=True)
class FirstPlan:
    """A tool's part of the plan that ``init --plan`` writes for `capture`.

    Parameters
    ----------
    command : str
        Prints one run's results; ``{}`` stands for the URL of the service, ``{host}`` and
        ``{port}`` for their part of it.
    warmup : str
        The same for a warm-up; empty where no service is measured.
    variants : tuple of str
        Two names, which the command may contain as ``{variant}``.
    serve, ready : str
        The command of the service and its URL, where it is not one of HTTP.
    """

    command: str
    warmup: str = ""
    variants: tuple[str, str] = ("before", "after")
    serve: str = ""
    ready: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """What benchkit knows of a tool beside how its results are read.

    Parameters
    ----------
    name : str
        A value of the ``tool`` column.
    formats : tuple of Format
        In which its results come.
    command : str
        The command line that writes the form which leaves out the least.
    role : {'load', 'microbenchmark', 'summary', 'companion', 'unknown'}
        ``load`` offers requests: its samples are events inside a run. ``microbenchmark``: each
        sample is a run. ``summary`` tells of runs that are not at hand, so that nothing can be
        tested. ``companion`` tells of what ran beside the load. Of a tool that declares none,
        samples stand for the run.
    metrics : mapping of str to str
        Metrics that it gives beside those of every load tool, and what it calls each, where that
        helps to find it in the tool's own output.
    load_model : {'open', 'closed', 'unknown'}
        How it offers its load, where the tool alone decides that.
    primaries : tuple of (metric, stat)
        What carries the verdict; empty for the rule of load tools: the request rate of a closed
        loop, else the median latency, and the CPU per request.
    executables : tuple of str
        How it is called on a command line, where that is not its name.
    outputs : tuple of str
        Its options whose value names a file for results or the run itself.
    printing : tuple of str
        Its options that print more or less and change nothing else.
    whole_exits : tuple of int
        Exit codes other than 0 of runs that were measured whole.
    is_timed : bool
        Whether every run of whole seconds was set to last so long: how many requests it made is
        then an outcome, and equal counts tell nothing.
    has_snapshots : bool
        Whether its results come as folders of snapshots, one for each run.
    find_rate : callable
        Returns the requests per second that a command line requests; None where it states none.
    reports_sent : bool
        Whether the request rate of its open loop is that at which it sent.
    corrected : {'approximate', None}
        How it corrects for coordinated omission where a run does not say.
    drops_timeouts : bool
        Whether requests that timed out are missing from its latencies.
    repeats_timeouts : bool
        Whether it counts a waiting connection again and again.
    answered : tuple of str
        Reasons of failed requests that are among its requests, where these are only those that
        were answered; empty where failed requests count as requests whatever the reason.
    doubtful : tuple of str
        Reasons that it also gives where the request was answered.
    unanswered : str
        The response code under which requests without an answer stand in its latencies.
    iterates : bool
        Whether what a connection does again and again is an iteration of a script, whose rates
        stand on a time that it does not report.
    quantile_error : float
        By what share the quantiles of two of its forms may differ beyond rounding.
    quantile_note : str
        Why they differ.
    tracks_directed : bool
        Whether users list the metrics that it tracks, so that each with a stated direction carries
        the verdict.
    compares_commands : bool
        Whether its benchmarks are command lines, which people time to compare them.
    keeps_runs : str
        How the tool itself keeps a run to compare with.
    is_range : bool
        Whether the times of its samples are the steps of a query.
    plan : FirstPlan or None
        What ``init --plan`` writes for it.
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
    module, _, name = place.partition(":")

    @cache
    def find() -> Callable[..., Any]:
        return getattr(import_module(module), name)  # type: ignore[no-any-return]

    def call(*args: object) -> object:
        return find()(*args)

    return call
