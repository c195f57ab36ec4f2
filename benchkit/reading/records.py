"""What a parser yields: the readings of runs, and their samples in columns."""

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

#: One observation as a parser gives it:
#: (subject, metric, stat, value, unit, n, time, resolution, origin, line).
Row = tuple[str | None, str, str, float, str, int | None, "datetime | None", float | None, str, int]


@dataclass(slots=True, kw_only=True)
class Reading(RunFacts):
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
    headings : tuple of str
        The keys above it in a document that holds several runs, the outermost first; they label
        it as headings of a page do.
    note : str
        What people wrote behind it on its line: ``(after pool)``.
    params : dict of str to str
        The level of the workload: ``{"connections": "8", "threads": "2"}``.
    status : {'complete', 'partial', 'failed'}
        ``partial``: the report is cut or interrupted, what stands in it is right. ``failed``: the
        tool ran and measured nothing.
    role : str
        ``part`` of a run that the source also gives whole, from one of several load generators;
        ``damaged`` for what cannot be read of one of its commits; in a table of benchkit's own any
        role; else empty.
    run : int or None
        The number that the source gives the run.
    exported_from : str or None
        In a table of benchkit's own, the source that it names; such a run has its final labels.
    started_at, duration, load_model, target_rate, connections, tool_version, command, corrected, \
    env, remark
        As in the table of runs: `RunFacts`; ``started_at`` carries its zone. A ``remark`` is
        written ``line: reason``, and left out where a diagnostic of the source says it.
    assume, better : dict of metric to str
        Unit metadata of go benchmarks: ``{"text-bytes": "exact"}``, ``{"p99-sec": "lower"}``.
    rows : list of Row
        The observations. Use `add`.
    metrics : int
        How many rows are neither samples nor values over time.
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
        """Whether it counts without values: the tool measured nothing, or they cannot be read."""
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
        if time is None and stat != "sample":  # of one series there may be any number
            self.metrics += 1
            require_few(self.metrics, line)
        self.rows.append((subject, metric, stat, value, unit, n, time, resolution, origin, line))

    def connect(self, count: int) -> None:
        """Take how many connections the load has, which is its level."""
        self.connections = count
        self.params["connections"] = str(count)


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
    codes : ndarray of integers, shape (k,)
        The place among ``readings`` of what each run shares with others.
    lines : ndarray of integers, shape (k,)
        Where each run stands in the source.
    counts : ndarray of integers, shape (k,)
        How many events each stands on.
    measures : sequence of (metric, unit)
    owners : ndarray of integers, shape (m,)
        Which run each value is of, ascending.
    kinds : ndarray of integers, shape (m,)
        The place of each value's metric and unit among ``measures``.
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
    """Reads one run from a source, or from the span of it that another process cannot see."""

    source: Source

    @property
    def reading(self) -> Reading | None:
        """The run; None if there is none or more than one."""

    def read_lines(self) -> Iterator[Record]:
        """Yield the samples of these lines."""

    def join(self, other: Self) -> bool:
        """Take in what another one read behind these lines; False if that is another run."""

    def finish(self) -> Iterator[Record]:
        """Complete the run, and yield what is to be said about it."""
