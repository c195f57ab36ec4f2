"""Vegeta's JSON report.

It is the most precise of the summaries, and library users print it by themselves, at times
unfinished::

    {"latencies":{"total":32650762956,"mean":3627862,"50th":1877548,"90th":5967472,"95th":8117921,"99th":36563349,"max":134911352,"min":1216689},"bytes_in":{"total":0,"mean":0},"bytes_out":{"total":0,"mean":0},"earliest":"2026-11-21T00:21:47.490698251Z","latest":"2026-11-21T00:22:17.487485851Z","end":"2026-11-21T00:22:17.489625129Z","duration":29996787600,"wait":2139278,"requests":9000,"rate":300.0321274402063,"throughput":300.01073160387733,"success":1,"status_codes":{"200":9000},"errors":[]}

Versions: all; times are whole nanoseconds. Those before 5.7 have no rate and no times of day,
before 5.0.1 no wait, before 12.6 no throughput, before 12.8 no 90th and min. Not recorded: target,
offered rate, how many of each error. The counts of ``buckets`` are not kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from math import isfinite

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading
from benchkit.parsers.vegeta.readings import begin, finish

Path = tuple[str, ...]
SIGNATURE = re.compile(
    r'"latencies"\s*:\s*\{\s*"(?:total|mean|50th|90th|95th|99th|max|min)"\s*:\s*\d'
)
_START = re.compile(r'\{\s*(?:"|$)')
_TOKEN = re.compile(r'"(?:\\.|[^"\\]++)*+"?|[{}\[\]:,\n]|[^\s{}\[\]:,"]+')
_STRING = re.compile(r'"(?:\\.|[^"\\]++)*+"?')
_NEEDED = ("latencies", "bytes_in", "bytes_out", "requests", "status_codes")
#: A report is small; more than this is none.
_LONGEST = 64 << 20

_VALUES: dict[Path, tuple[str, str, str, str | None]] = {
    ("requests",): ("requests", "count", "1", None),
    ("rate",): ("request_rate", "mean", "1/s", None),
    ("throughput",): ("success_rate_per_second", "mean", "1/s", None),
    ("duration",): ("duration", "total", "s", "attack"),
    ("wait",): ("duration", "total", "s", "wait"),
    ("bytes_in", "total"): ("bytes_in", "total", "B", None),
    ("bytes_in", "mean"): ("bytes_in", "mean", "B", None),
    ("bytes_out", "total"): ("bytes_out", "total", "B", None),
    ("bytes_out", "mean"): ("bytes_out", "mean", "B", None),
    ("latencies", "min"): ("latency", "min", "s", None),
    ("latencies", "mean"): ("latency", "mean", "s", None),
    ("latencies", "50th"): ("latency", "p50", "s", None),
    ("latencies", "90th"): ("latency", "p90", "s", None),
    ("latencies", "95th"): ("latency", "p95", "s", None),
    ("latencies", "99th"): ("latency", "p99", "s", None),
    ("latencies", "max"): ("latency", "max", "s", None),
}


class JsonReport:
    """One object that may be a report, line by line until its last brace."""

    is_tail = False

    def __init__(self, label: str, line: int, command: str) -> None:
        self.reading = begin("json", line, command)
        self._label = label
        self._lines: list[str] = []
        self._depth = 0
        self._size = 0

    @classmethod
    def open(cls, label: str, line: int, text: str, command: str) -> JsonReport | None:
        """Return an object that begins at this line, if one does."""
        found = _START.search(text)
        is_compact = SIGNATURE.search(text) is not None
        starts_alone = text.strip() == "{"
        if found is None or not (is_compact or starts_alone or text.startswith("{")):
            return None
        return cls(label, line, command)

    def feed(self, line: int, text: str, *, is_last: bool) -> bool:
        """Take a line; False if the object was over, or this is no JSON."""
        del is_last
        if self._lines and (not self._depth or not _continues(text)):
            return False
        if not self._lines:
            found = _START.search(text)
            text = text[found.start() if found else 0 :]
        self._size += len(text)
        if self._size > _LONGEST:
            return False
        self._lines.append(text)
        self.reading.last_line = line
        bare = _STRING.sub("", text)
        self._depth += bare.count("{") - bare.count("}")
        return True

    def close(self) -> Iterator[Reading | Diagnostic]:
        """Yield the reading; nothing if the object is not a report."""
        text = "\n".join(self._lines)
        try:
            report, _ = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            if SIGNATURE.search(text):
                what = "the JSON report is cut or damaged, so that none of it can be relied on"
                hint = "write it anew with `vegeta report -type=json`"
                yield Diagnostic(self._label, self.reading.line, what, hint)
            return
        if isinstance(report, dict) and all(name in report for name in _NEEDED):
            self._fill(report, locate(text))
            yield from finish(self.reading, self._label)
            yield self.reading

    def _fill(self, report: dict[str, object], lines: dict[Path, int]) -> None:
        first = self.reading.line
        for path, (metric, stat, unit, subject) in _VALUES.items():
            value = _number(_look_up(report, path))
            if value is not None:
                at, is_time = first + lines.get(path, 0), unit == "s"
                self.reading.add(
                    metric,
                    stat,
                    value / 1e9 if is_time else value,
                    unit,
                    at,
                    subject=subject,
                    resolution=1e-9 if is_time else None,
                )
        self._fill_codes(report["status_codes"], lines)
        self._derive(report, lines)
        self.reading.started_at = _time(report.get("earliest"))

    def _fill_codes(self, codes: object, lines: dict[Path, int]) -> None:
        for code, count in codes.items() if isinstance(codes, dict) else ():
            value = _number(count)
            if value is not None:
                at = self.reading.line + lines.get(("status_codes", code), 0)
                self.reading.add("responses", "count", value, "1", at, subject=code)

    def _derive(self, report: dict[str, object], lines: dict[Path, int]) -> None:
        """Add what follows from two values, or is the rest of one."""
        success = _number(report.get("success"))
        if success is not None:
            at = self.reading.line + lines.get(("success",), 0)
            self.reading.add("error_rate", "mean", 1.0 - success, "1", at, origin="computed")
        attack, wait = _number(report.get("duration")), _number(report.get("wait"))
        if attack is not None and wait is not None:
            at = self.reading.line + lines.get(("duration",), 0)
            total = (attack + wait) / 1e9
            self.reading.duration = total
            self.reading.add(
                "duration", "total", total, "s", at, resolution=1e-9, origin="computed"
            )


def _continues(text: str) -> bool:
    """Whether a line may stand inside an object, and does not begin a report of its own."""
    begins_anew = text.startswith("{") and SIGNATURE.search(text) is not None
    return text.strip()[:1] in '"{}[],' and not begins_anew


def locate(text: str) -> dict[Path, int]:
    r"""Return on which line, counted from 0, each value of a JSON text begins.

    Examples
    --------
    >>> locate('{"a": 1,\n "b": {"c":\n 2}}')
    {('a',): 0, ('b', 'c'): 2}
    """
    found: dict[Path, int] = {}
    path: list[str] = []
    key, line, expects_value = "", 0, False
    for piece in _TOKEN.findall(text):
        if piece == "\n":
            line += 1
        elif piece in "{[":
            path.append(key)
            expects_value = False
        elif piece in "}]":
            del path[-1:]
            expects_value = False
        elif piece == ":":
            expects_value = True
        elif piece == ",":
            expects_value = False
        elif expects_value:
            found[(*path[1:], key)] = line
        else:
            key = piece.strip('"')
    return found


def _look_up(report: object, path: Path) -> object:
    for name in path:
        report = report.get(name) if isinstance(report, dict) else None
    return report


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 2**63 and isfinite(value) else None


def _time(value: object) -> datetime | None:
    """Read an RFC 3339 time; Go's zero time is none."""
    try:
        parsed = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    if parsed is None or parsed.year <= 1 or parsed.tzinfo is None:
        return None
    return parsed.astimezone(UTC)
