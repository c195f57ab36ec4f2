"""A log of single requests: the samples of one run in blocks, and their totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from benchkit.parsers.base import Diagnostic, Reading, Samples
from benchkit.reading.outcomes import ALL_FAILED
from benchkit.reading.remarks import Remark

_BLOCK = 1 << 16
_MOST_NAMES = 100
#: Milliseconds since 1970, for September 2001 and for 2286.
_EARLIEST, _LATEST = 10**12, 10**13
_BAD = Remark(
    "this row (1 of {count}) has no valid time, size or success and was left out",
    "use the file as {tool} wrote it",
    is_remark=False,
)
_EMPTY = Remark(
    "the file has no samples, so this run has no result",
    "check that the test ran, and run again",
)
_UNTIMED = Remark(
    "the times of samples are not in milliseconds since 1970, so this run has no rate",
    "configure {tool} to write times in milliseconds",
)
_CUT_NAMES = Remark(
    "more than {most} labels: separate latencies are kept only for the first {most}",
    "use one name for requests of the same kind",
)


@dataclass(slots=True)
class _Series:
    """Times in the current block."""

    times: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


class RequestLog:
    """The requests in the current block, and the state of their run.

    Parameters
    ----------
    label, name : str
        The source, and the tool's name in messages.
    run : Reading
        The run of the requests; if there are several names, each also has separate latencies.
    origin : {'reported', 'computed'}
        ``computed`` if a time is the difference of two in the log.
    """

    def __init__(self, label: str, name: str, run: Reading, origin: str = "reported") -> None:
        self.label, self.tool, self.run, self.origin = label, name, run, origin
        self.problems: list[Diagnostic] = []
        self.series: dict[tuple[str, str | None], _Series] = {}
        self.names: dict[str, None] = {}
        self.codes: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.sizes: Counter[str] = Counter()
        self.span = (1 << 62, 0)
        self.tick = 1  # resolution of request starts in milliseconds
        self.bad: list[int] = []
        self.waiting = 0
        self.is_split: bool | None = None
        self.is_cut = False
        self.has_rate = True  # whether requests ran all the time
        self.judges = True  # whether it shows which requests failed
        self.untimed = _UNTIMED  # why the starts of requests are unknown

    def add(
        self,
        line: int,
        start: int,
        time: int,
        name: str,
        *,
        is_failed: bool,
        phases: Mapping[str, int] | None = None,
        is_sum: bool = False,
    ) -> bool:
        """Add a request with times in milliseconds; return whether the block is full.

        A request that sums up others counts for the latency of its name only.
        """
        self.run.last_line = line
        self.waiting += 1
        if len(self.names) < _MOST_NAMES:
            self.names.setdefault(name)
        if name in self.names:
            self._enter(("latency", name), line, start, time)
        else:
            self.is_cut = True
        if not is_sum:
            self._enter(("latency", None), line, start, time)
            for phase, part in (phases or {}).items():
                self._enter(("phase_time", phase), line, start, part)
            self.counts["requests"] += 1
            self.counts["failures"] += is_failed
            self.span = min(self.span[0], start), max(self.span[1], start + time)
        return self.waiting >= _BLOCK

    def _enter(self, key: tuple[str, str | None], line: int, start: int, time: int) -> None:
        series = self.series.setdefault(key, _Series())
        series.times.append(time)
        series.starts.append(start)
        series.lines.append(line)

    def flush(self) -> Iterator[Samples]:
        """Yield the samples so far."""
        import numpy as np

        if self.is_split is None:
            self.is_split = len(self.names) > 1
        for (metric, subject), series in self.series.items():
            if subject in self.names and metric == "latency" and not self.is_split:
                continue
            starts = np.array(series.starts, dtype=np.int64)
            yield Samples(
                reading=self.run, metric=metric, unit="s", subject=subject, resolution=1e-3,
                origin=self.origin,
                values=np.array(series.times, dtype=np.float64) / 1e3,
                lines=np.array(series.lines, dtype=np.int64),
                times=starts.astype("datetime64[ms]").astype("datetime64[us]")
                if self.is_timed and starts.all() else None,
            )  # fmt: skip
        self.series, self.waiting = {}, 0

    @property
    def is_timed(self) -> bool:
        """Return whether every sample so far has a start."""
        return _EARLIEST < self.span[0] <= self.span[1] < _LATEST

    def end(self) -> Iterator[Samples | Diagnostic]:
        """Yield the last samples of the run, complete it, and yield diagnostics about it."""
        yield from self.flush()
        yield from self.finish()

    def finish(self) -> Iterator[Diagnostic]:
        """Complete the run, and yield diagnostics about it."""
        run, at = self.run, self.run.last_line
        if total := self.counts["requests"]:
            self._sum_up(float(total), at)
        elif not (self.bad or self.problems):
            run.status = "failed"
            yield _EMPTY.at(self.label, at)
        is_failed = self.judges and 0 < total == self.counts["failures"] and not any(self.codes)
        if is_failed:
            yield ALL_FAILED.at(self.label, at, count=total)
        if total and not self.is_timed:
            yield self.untimed.at(self.label, at, tool=self.tool)
        if self.is_cut:
            yield _CUT_NAMES.at(self.label, at, most=_MOST_NAMES)
        if self.bad:
            yield _BAD.at(self.label, self.bad[0], count=len(self.bad), tool=self.tool)
        if self.bad or self.problems:
            run.status = "partial"  # the run may have measured values that a damaged file lacks
        elif is_failed:
            run.status = "failed"
        yield from self.problems

    def _sum_up(self, total: float, at: int) -> None:
        """Add the totals of the requests."""
        run, failures = self.run, float(self.counts["failures"])
        rows: list[tuple[str, str, float, str, str | None]]
        rows = [("requests", "count", total, "1", None)]
        steps: dict[str, float] = {}
        if self.is_timed and (length := (self.span[1] - self.span[0]) / 1e3):
            run.started_at = datetime.fromtimestamp(self.span[0] / 1e3, UTC)
            run.duration = length
            rows += [("request_rate", "mean", total / length, "1/s", None)] * self.has_rate
            rows.append(("duration", "total", length, "s", None))
            if self.tick > 1:
                step = self.tick / 1e3
                steps = {"duration": step, "request_rate": total * step / length**2}
        rows += [(metric, "total", float(size), "B", None) for metric, size in self.sizes.items()]
        if self.judges:
            rows.append(("failures", "count", failures, "1", None))
            rows.append(("error_rate", "mean", failures / total, "1", None))
        for code, count in sorted(self.codes.items()):
            rows += [("responses", "count", float(count), "1", code)] * bool(code)
        for metric, stat, value, unit, subject in rows:
            run.add(
                metric, stat, value, unit, at,
                subject=subject, resolution=steps.get(metric), origin="computed",
            )  # fmt: skip
