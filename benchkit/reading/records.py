"""The output of a parser: the readings of runs, and their samples in columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, Self

from benchkit.errors import Diagnostic
from benchkit.reading.bounds import require_few
from benchkit.schema import RunFacts

if TYPE_CHECKING:
    from datetime import datetime

    import numpy as np

    from benchkit.reading.source import Source

Status = Literal["complete", "partial", "failed"]

#: One observation from a parser: (subject, metric, stat, value, unit, n, time, resolution, origin,
#: line).
Row = tuple[str | None, str, str, float, str, int | None, "datetime | None", float | None, str, int]


@dataclass(slots=True, kw_only=True)
class Reading(RunFacts):
    """One run as described by one source.

    A parser yields a reading once it has read it (or, if `Samples` follow, as soon as it detects
    the run, and may complete the fields until it ends). Fields missing in the source keep their
    defaults; they are never guessed.

    Parameters
    ----------
    tool, form : str
        The tool that measured (``wrk2``), and the form of the source (``text``).
    line : int
        The line on which the run begins in the source.
    last_line : int
        The line on which it ends.
    benchmark : str
        A name inside the file that never changes (a Go benchmark). Empty for load tools.
    target : str
        The path of the URL under load, without host and port; the benchmark if nothing else names
        one.
    variant, group : str
        Labels inside the file (benchstat's columns; a Go package if the file contains several).
    headings : tuple of str
        The keys above it in a document with several runs, the outermost first; they label it like
        headings of a page.
    note : str
        A note that people wrote after it on its line: ``(after pool)``.
    params : dict of str to str
        The level of the workload: ``{"connections": "8", "threads": "2"}``.
    status : {'complete', 'partial', 'failed'}
        ``partial``: the report is cut or interrupted, but the remaining values are right.
        ``failed``: the tool ran and measured nothing.
    role : str
        ``part`` of a run that the source also contains as a whole, from one of several load
        generators; ``damaged`` for an unreadable part of one of its commits; any role in a table
        from benchkit; else empty.
    run : int or None
        The number of the run in the source.
    exported_from : str or None
        In a table from benchkit, the source that it names; such a run has its final labels.
    started_at, duration, load_model, target_rate, connections, tool_version, command, corrected, \
    env, remark
        As in the table of runs: `RunFacts`; ``started_at`` includes its zone. A ``remark`` is
        written ``line: reason``, and omitted if a diagnostic of the source covers it.
    assume, better : dict of metric to str
        Unit metadata of go benchmarks: ``{"text-bytes": "exact"}``, ``{"p99-sec": "lower"}``.
    rows : list of Row
        The observations. Use `add`.
    metrics : int
        The number of rows that are neither samples nor values over time.
    """

    tool: str
    form: str
    line: int
    last_line: int = 0
    benchmark: str = ""
    target: str = ""
    variant: str = ""
    group: str = ""
    headings: tuple[str, ...] = ()
    note: str = ""
    params: dict[str, str] = field(default_factory=dict)
    status: Status = "complete"
    role: str = ""
    run: int | None = None
    exported_from: str | None = None
    assume: dict[str, str] = field(default_factory=dict)
    better: dict[str, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    metrics: int = field(default=0, repr=False, compare=False)

    @property
    def is_lost(self) -> bool:
        """Whether it counts without values: the tool measured nothing, or they are unreadable."""
        return self.status == "failed" or self.role == "damaged"

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
        if time is None and stat != "sample":  # a series may have any number
            self.metrics += 1
            require_few(self.metrics, line)
        self.rows.append((subject, metric, stat, value, unit, n, time, resolution, origin, line))

    def connect(self, count: int) -> None:
        """Set the number of connections of the load, which is its level."""
        self.connections = count
        self.params["connections"] = str(count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """A block of raw samples of one metric, in columns.

    Parameters
    ----------
    reading : Reading
        The run they belong to, which was yielded before.
    metric, unit : str
        As in the table; the stat is ``stat``.
    values : ndarray of float64, shape (k,)
        In the base unit, finite.
    lines : ndarray of int64, shape (k,)
        The line of each in the source (a record's ordinal in a binary source).
    times : ndarray of datetime64[us], shape (k,), optional
        Times in UTC.
    subject : str, optional
    stat : str
        ``sample`` for events, ``counter`` for readings of a counter.
    resolution : float, optional
    origin : {'reported', 'computed'}
        ``computed`` if a value is the sum of several in the source.
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
    """Many complete runs of one source, in columns, with one sample of each of their metrics.

    It represents one reading per line, in the order of ``lines``.

    Parameters
    ----------
    readings : sequence of Reading
        The shared facts of runs, without rows; an object used in several `Repeats` is shared by
        all.
    codes : ndarray of integers, shape (k,)
        For each run, the index in ``readings`` of its shared facts.
    lines : ndarray of integers, shape (k,)
        The line of each run in the source.
    counts : ndarray of integers, shape (k,)
        The number of events behind each run.
    measures : sequence of (metric, unit)
    owners : ndarray of integers, shape (m,)
        The run of each value, ascending.
    kinds : ndarray of integers, shape (m,)
        The index of each value's metric and unit in ``measures``.
    values, steps : ndarray of float64, shape (m,)
        In base units, finite, and their rounding steps.
    """

    readings: Sequence[Reading]
    codes: np.ndarray
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


class SpanReader(Protocol):
    """Reads one run from a source, or from a span of it in another process."""

    source: Source

    @property
    def reading(self) -> Reading | None:
        """The run; None if there is none or more than one."""

    def read_lines(self) -> Iterator[Record]:
        """Yield the samples of these lines."""

    def join(self, other: Self) -> bool:
        """Merge the lines that another one read after these; False if they are of another run."""

    def finish(self) -> Iterator[Record]:
        """Complete the run, and yield its diagnostics."""
