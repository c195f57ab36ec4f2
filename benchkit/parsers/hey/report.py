"""One report of hey, put together line by line.

Some of hey's numbers are true only in the light of others (a rate that counts failures, extremes
of a phase that are those of the whole).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from operator import itemgetter

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading
from benchkit.parsers.hey import lines as hey
from benchkit.parsers.hey.reasons import reason_of
from benchkit.parsers.urls import describe_url, path_of

_RESOLUTION = 1e-4
#: hey's histogram and percentiles are of the first million responses.
_KEPT = 1_000_000
_REPEATED = frozenset({hey.BUCKET, hey.PERCENT, hey.CODE, hey.ERROR})
_HEADINGS = {
    hey.BUCKET: hey.HISTOGRAM,
    hey.PERCENT: hey.DISTRIBUTION,
    hey.CODE: hey.CODES,
    hey.ERROR: hey.ERRORS,
}
#: What no other tool prints in this form; without two of them a report is not believed.
_PROOF = frozenset(
    {hey.ELAPSED, hey.SLOWEST, hey.FASTEST, hey.AVERAGE, hey.PERCENT}
    | {hey.DIALUP, hey.WRITE, hey.WAIT, hey.READ}
)
_NEEDED = {
    hey.ELAPSED: "Total",
    hey.AVERAGE: "Average",
    hey.RATE: "Requests/sec",
    hey.DISTRIBUTION: "Latency distribution",
    hey.CODES: "Status code distribution",
}
_STATS = {hey.SLOWEST: "max", hey.FASTEST: "min", hey.AVERAGE: "mean"}
_PHASES = {
    hey.DIALUP: "connect",
    hey.DNS: "dns",
    hey.WRITE: "send",
    hey.WAIT: "wait",
    hey.READ: "receive",
}
_CONNECTIONS = re.compile(r"\s-c[ =]?(\d{1,9})(?!\S)")
_URL = re.compile(r"\shttps?://[^\s'\"]+")


class Report:
    """A report whose lines are still coming in.

    Parameters
    ----------
    line : int
        Where it begins in the source.
    command : str, optional
        At the prompt above it.
    """

    def __init__(self, line: int, command: str | None) -> None:
        self.reading = Reading(
            tool="hey", form="text", line=line, load_model="closed", command=command
        )
        self.rank = -1
        self.percent = 0
        self.seen: set[int] = set()
        self.undefined: list[int] = []  # the lines of times that are NaN
        self.whole: dict[str, str] = {}
        self.rate: tuple[str, int] | None = None
        self.sampled = 0
        self.answered = 0
        self.code_line = 0
        self.failures: dict[str, tuple[int, int]] = {}
        if command:
            self._take_command(command)

    @property
    def proven(self) -> bool:
        """Whether enough lines have come that only hey prints."""
        return len(self.seen & _PROOF) > 1

    def expects(self, rank: int) -> bool:
        """Whether a line of this rank may come next."""
        needed = _HEADINGS.get(rank, hey.DETAILS if rank in _PHASES else None)
        if needed is not None and needed not in self.seen:
            return False
        return rank > self.rank or (rank == self.rank and rank in _REPEATED)

    def take(self, rank: int, fields: tuple[str, ...], line: int) -> bool:
        """Add a line; False if it cannot follow the lines so far."""
        if not self.expects(rank):
            return False
        self.rank = rank
        self.seen.add(rank)
        self.reading.last_line = line
        if rank in _TAKE:
            _TAKE[rank](self, rank, fields, line)
        return True

    def _take_command(self, command: str) -> None:
        url, connections = _URL.search(command), _CONNECTIONS.search(command)
        if url:
            self.reading.target = path_of(url[0].strip())
            self.reading.env |= describe_url(url[0].strip())
        if connections:
            self.reading.params = {"connections": connections[1]}
            self.reading.connections = int(connections[1])

    def _take_elapsed(self, _rank: int, fields: tuple[str, ...], line: int) -> None:
        self.reading.duration = float(fields[0])
        self._add("duration", "total", float(fields[0]), "s", line)

    def _take_whole(self, rank: int, fields: tuple[str, ...], line: int) -> None:
        text, stat = fields[0], _STATS[rank]
        self.whole[stat] = text
        if text == "NaN":
            self.undefined.append(line)
        else:
            self._add("latency", stat, float(text), "s", line)

    def _take_rate(self, _rank: int, fields: tuple[str, ...], line: int) -> None:
        self.rate = (fields[0], line)

    def _take_data(self, rank: int, fields: tuple[str, ...], line: int) -> None:
        stat = "total" if rank == hey.DATA else "mean"
        self.reading.add("bytes_in", stat, float(fields[0]), "B", line, resolution=1.0)

    def _take_bucket(self, _rank: int, fields: tuple[str, ...], _line: int) -> None:
        self.sampled += int(fields[0])

    def _take_percent(self, _rank: int, fields: tuple[str, ...], line: int) -> None:
        percent = int(fields[0])
        if percent > self.percent:  # `0% in 0.0000 secs` stands for one that hey could not tell
            self.percent = percent
            self._add("latency", f"p{percent}", float(fields[1]), "s", line)

    def _take_phase(self, rank: int, fields: tuple[str, ...], line: int) -> None:
        mean, least, most = fields
        if mean == "NaN":
            self.undefined.append(line)
            return
        subject = _PHASES[rank]
        self._add("phase_time", "mean", float(mean), "s", line, subject)
        # Some versions print the extremes of the whole request as those of DNS+dialup.
        known = {"min", "max"} <= self.whole.keys()
        is_whole = (least, most) == (self.whole.get("min"), self.whole.get("max"))
        if rank != hey.DIALUP or (known and not is_whole):
            self._add("phase_time", "min", float(least), "s", line, subject)
            self._add("phase_time", "max", float(most), "s", line, subject)

    def _take_code(self, _rank: int, fields: tuple[str, ...], line: int) -> None:
        code, count = fields
        self.answered += int(count)
        self.code_line = line
        self.reading.add(
            "responses", "count", float(count), "1", line, subject=code, resolution=1.0
        )

    def _take_error(self, _rank: int, fields: tuple[str, ...], line: int) -> None:
        count, text = fields
        reason = reason_of(text)
        known, _ = self.failures.get(reason, (0, 0))
        self.failures[reason] = (known + int(count), line)

    def finish(self, label: str) -> Iterator[Reading | Diagnostic]:
        """Yield the reading and what is to be said about it."""
        reading = self.reading
        is_failed = not self.answered and (bool(self.undefined) or hey.CODES in self.seen)
        if is_failed:
            reading.rows = [row for row in reading.rows if row[1] == "duration"]
        elif hey.AVERAGE not in self.seen:  # if it is NaN, the others are no times
            reading.rows = [row for row in reading.rows if row[2] not in {"min", "max"}]
        if self.rate is not None and not is_failed:
            self._add("request_rate", "mean", float(self.rate[0]), "1/s", self.rate[1])
        missing = [name for rank, name in _NEEDED.items() if rank not in self.seen]
        if not missing and not self._counts_agree():
            missing = ["Status code distribution (in full)"]
        self._add_counts(is_whole=not missing)
        reading.rows.sort(key=itemgetter(9))
        reading.status = "failed" if is_failed else "partial" if missing else "complete"
        yield reading
        failed = sum(count for count, _ in self.failures.values())
        if is_failed:
            yield _unanswered(label, reading.last_line, failed)
        elif missing:
            yield _incomplete(label, reading.last_line, missing)
        if self.undefined and not is_failed:
            yield _undefined(label, self.undefined)
        if failed and not is_failed:
            yield _failures(label, reading.last_line, failed, self.answered)

    def _counts_agree(self) -> bool:
        """Whether the histogram counts as many responses as the status codes."""
        return min(self.answered, _KEPT) == self.sampled

    def _add_counts(self, *, is_whole: bool) -> None:
        """Add what hey does not sum up itself."""
        add = self.reading.add
        if is_whole and self.answered:
            answered = float(self.answered)
            add("requests", "count", answered, "1", self.code_line, origin="computed")
        for reason, (count, line) in self.failures.items():
            add("failures", "count", float(count), "1", line, subject=reason, origin="computed")

    def _add(
        self,
        metric: str,
        stat: str,
        value: float,
        unit: str,
        line: int,
        subject: str | None = None,
    ) -> None:
        self.reading.add(metric, stat, value, unit, line, subject=subject, resolution=_RESOLUTION)


_TAKE: dict[int, Callable[[Report, int, tuple[str, ...], int], None]] = {
    **dict.fromkeys(_STATS, Report._take_whole),
    **dict.fromkeys(_PHASES, Report._take_phase),
    hey.ELAPSED: Report._take_elapsed,
    hey.RATE: Report._take_rate,
    hey.DATA: Report._take_data,
    hey.SIZE: Report._take_data,
    hey.BUCKET: Report._take_bucket,
    hey.PERCENT: Report._take_percent,
    hey.CODE: Report._take_code,
    hey.ERROR: Report._take_error,
}


def _incomplete(path: str, line: int, missing: list[str]) -> Diagnostic:
    names = ", ".join(f"`{name}`" for name in missing)
    what = f"this hey report lacks {names}; what stands in it is kept as a partial run"
    return Diagnostic(path, line, what, "give the whole output of the run", "warning")


def _undefined(path: str, lines: list[int]) -> Diagnostic:
    more = f", and {len(lines) - 1} more" if len(lines) > 1 else ""
    what = f"this line{more} of a hey report tells NaN for a time and was passed over"
    return Diagnostic(path, lines[0], what, "give the output as hey printed it", "warning")


def _unanswered(path: str, line: int, failed: int) -> Diagnostic:
    what = f"no request was answered ({failed} failed), so this run measured nothing"
    return Diagnostic(
        path, line, what, "see whether the server answers, and run again", "warning", is_remark=True
    )


def _failures(path: str, line: int, failed: int, answered: int) -> Diagnostic:
    what = (
        f"{failed} requests failed and {answered} were answered; hey's rate may count the failed, "
        "its times do not"
    )
    return Diagnostic(
        path, line, what, "compare rates only of runs without failures", "warning", is_remark=True
    )
