"""The API's JSON: an answer, its data, or its result.

Users save the output of ``curl``, or what remains of it after ``jq .data`` or ``jq .data.result``.

Native histograms are converted to histograms with fixed bounds.

A range, verbatim except for its length: at each time the total, and the non-empty buckets, each
with a rule about its ends and both bounds::

    "histograms":[[1795224103.302,{"count":"4","sum":"0.5","buckets":[[0,"0.088","0.105","3"],
    [0,"0.25","0.297","1"]]}]]

A server that ran out of buckets merged them in pairs; a bound that is missing at one of the times
is left out everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from benchkit.errors import Diagnostic
from benchkit.parsers.counters import measure_of
from benchkit.parsers.prometheus.model import Array, Series, is_dated
from benchkit.units import read_number

UNNAMED = "query the metric itself, without a function around it"
_LAST = "+Inf"


def read_answer(answer: object, label: str, line: int) -> Iterator[Series | Diagnostic]:
    """Yield the series of an answer, a ``data`` or a ``result``, and diagnostics."""
    if not isinstance(answer, dict):
        yield from _read_result(answer, label, line)
        return
    if answer.get("status") == "error":
        what = f"Prometheus responded {answer.get('errorType', 'error')}: {answer.get('error', '')}"
        yield Diagnostic(label, line, what, "fix the query and try again", is_remark=True)
    for kind in ("warnings", "infos"):
        messages = answer.get(kind)
        for text in messages if isinstance(messages, list) else ():
            severity = "warning" if kind == "warnings" else "note"
            yield Diagnostic(
                label, line, f"Prometheus says: {text}", severity=severity, is_remark=True
            )
    data = answer.get("data", answer)
    if isinstance(data, dict) and "result" in data:
        form = data.get("resultType")
        if form in ("scalar", "string"):
            what = f"a {form} has no name, so its unit is unknown"
            yield Diagnostic(label, line, what, UNNAMED, is_remark=True)
        else:
            yield from _read_result(data["result"], label, line)
    elif answer.get("status") != "error":
        yield Diagnostic(label, line, "the response has no result", "use query or query_range")


def _read_result(result: object, label: str, line: int) -> Iterator[Series | Diagnostic]:
    if not isinstance(result, list):
        yield Diagnostic(label, line, "the response has no result", "use query or query_range")
        return
    if not result:
        what = "the response is empty: the query matched nothing"
        yield Diagnostic(label, line, what, "check the query's labels and times", is_remark=True)
    skipped = 0
    for item in result:
        metric = item.get("metric") if isinstance(item, dict) else None
        if not isinstance(metric, dict):
            skipped += 1
            continue
        labels = {str(k): str(v) for k, v in metric.items()}
        if is_native := "histogram" in item or "histograms" in item:
            yield from read_histograms(item, labels, line)
        if not is_native or "value" in item or "values" in item:
            yield _read_series(item, labels, line)
    if skipped:
        what = f"{skipped} elements of the result are not series and are left out"
        yield Diagnostic(label, line, what, "get the response again", "warning")


def _read_series(item: dict[str, Any], labels: dict[str, str], line: int) -> Series:
    series = Series(labels)
    points = item.get("values", [item["value"]] if "value" in item else [])
    if isinstance(points, Series):
        return replace(points, labels=labels)
    for point in points if isinstance(points, list) else ():
        if is_dated(point):
            at = getattr(point[0], "next_line", line)
            series.add(round(point[0] * 1_000_000), point[1], at)
        else:
            series.strange += 1
    return series


class _Snapshot(NamedTuple):
    """A histogram at one time: lows, highs and counts of its buckets (float64), highs ascending."""

    time: int
    line: int
    number: float
    amount: float
    buckets: Array

    def holds(self, bounds: Array) -> Array:
        """Return which bounds lie inside no bucket, so that the count below them is known."""
        lows, highs, _ = self.buckets
        following = np.searchsorted(highs, bounds, side="right")
        return np.append(lows, math.inf)[following] >= bounds

    def below(self, bounds: Array) -> Array:
        """Return the number of values at or below each bound."""
        _, highs, counts = self.buckets
        total = np.concatenate(([0.0], np.cumsum(counts)))
        return total[np.searchsorted(highs, bounds, side="right")]


def read_histograms(item: Mapping[str, Any], labels: dict[str, str], line: int) -> Iterator[Series]:
    """Yield the counters of a series of native histograms: per bound, their number, their sum.

    A histogram of anything but times is yielded without values, for its name.

    Examples
    --------
    >>> native = {"count": "4", "sum": "0.5", "buckets": [[0, "0.1", "0.2", "3"]]}
    >>> item, labels = {"histogram": [7, native]}, {"__name__": "api_seconds"}
    >>> [(each.labels.get("le"), each.points[0][1]) for each in read_histograms(item, labels, 1)]
    [('0.1', 0.0), ('0.2', 3.0), ('+Inf', 4.0), (None, 4.0), (None, 0.5)]
    """
    name = labels.get("__name__", "")
    if measure_of(f"{name}_bucket") is None:
        yield Series({**labels, "__name__": name and f"{name}_bucket"})
        return
    points = item.get("histograms", [item.get("histogram")])
    snapshots, strange = [], 0
    for point in points if isinstance(points, list) else [None]:
        snapshot = _read(point, line)
        if snapshot is None:
            strange += 1
        else:
            snapshots.append(snapshot)
    total = Series({**labels, "__name__": f"{name}_bucket", "le": _LAST}, strange)
    number, amount = (Series({**labels, "__name__": f"{name}_{end}"}) for end in ("count", "sum"))
    yield from _read_bounds(snapshots, {**labels, "__name__": f"{name}_bucket"})
    for each in snapshots:
        total.points.append((each.time, each.number, each.line))
        number.points.append((each.time, each.number, each.line))
        amount.points.append((each.time, each.amount, each.line))
    yield from (total, number, amount)


def _read_bounds(snapshots: list[_Snapshot], labels: dict[str, str]) -> Iterator[Series]:
    """Yield the counts below every bound that lies inside no bucket at any time."""
    ends = [each.buckets[:2].ravel() for each in snapshots]
    bounds = np.unique(np.concatenate(ends)) if ends else np.zeros(0)
    bounds = bounds[np.isfinite(bounds) & (bounds >= 0)]
    for each in snapshots:
        bounds = bounds[each.holds(bounds)]
    counts = [each.below(bounds).tolist() for each in snapshots]
    for place, bound in enumerate(bounds.tolist()):
        series = Series({**labels, "le": f"{bound:.12g}"}, is_computed=True)
        for each, count in zip(snapshots, counts, strict=True):
            series.points.append((each.time, count[place], each.line))
        yield series


def _read(point: object, line: int) -> _Snapshot | None:
    """Read a histogram and its time; return None if any of its numbers is invalid."""
    if not is_dated(point) or not isinstance(point[1], dict):
        return None
    time, histogram = point
    rows = histogram.get("buckets", [])
    if not isinstance(rows, list) or not all(isinstance(r, list) and len(r) == 4 for r in rows):
        return None
    try:
        count, amount = (read_number(str(histogram.get(name))) for name in ("count", "sum"))
        cells = [[read_number(str(cell)) for cell in row[1:]] for row in rows]
    except (ValueError, OverflowError):
        return None
    buckets = np.array(sorted(cells, key=lambda row: row[1]), np.float64).reshape(-1, 3).T
    if np.isnan(buckets).any() or not np.isfinite([count, amount, buckets[2].sum()]).all():
        return None
    line = getattr(time, "next_line", line)
    return _Snapshot(round(time * 1_000_000), line, count, amount, buckets)
