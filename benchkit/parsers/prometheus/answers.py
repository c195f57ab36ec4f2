"""The API's JSON: an answer, its data, or its result.

People save what ``curl`` gives, or what ``jq .data`` or ``jq .data.result`` leave of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from benchkit.errors import Diagnostic
from benchkit.parsers.prometheus.model import Series, is_dated
from benchkit.parsers.prometheus.native import read_histograms

UNNAMED = "query the metric itself, without a function around it"


def read_answer(answer: object, label: str, line: int) -> Iterator[Series | Diagnostic]:
    """Yield the series of an answer, a ``data`` or a ``result``, and the diagnostics."""
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
            own = getattr(point[0], "next_line", line)
            series.add(round(point[0] * 1_000_000), point[1], own)
        else:
            series.strange += 1
    return series
