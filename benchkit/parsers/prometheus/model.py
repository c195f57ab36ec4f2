"""A Prometheus series, independent of the program that wrote it.

The series that are left out, and the reasons, must not depend on whether the answer comes from the
API, promtool or Grafana.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from benchkit.errors import Diagnostic
from benchkit.parsers.counters import is_number
from benchkit.units import read_number

Array = np.ndarray
_NAMELESS = "benchkit_nameless"
#: Limit for a time in s since 1970; larger numbers are not times.
_LATEST = 1e11


class Columns(NamedTuple):
    """Finite values (float64), their times in µs since 1970 and their lines (int64), shape (k,)."""

    times: Array
    values: Array
    lines: Array


@dataclass(slots=True)
class Series:
    """One series of an answer.

    Parameters
    ----------
    labels : dict of str to str
        The name as ``__name__``, if it has one.
    strange : int
        The number of values that are not finite.
    is_computed : bool
        Whether the values are sums of those in the answer.
    known : Columns, optional
        Times and values that were read in columns; then there are no points.
    points : list of (int or None, float, int)
        Times in µs since 1970 (None if unknown), finite values, and lines.
    """

    labels: dict[str, str]
    strange: int = 0
    is_computed: bool = False
    known: Columns | None = None
    points: list[tuple[int | None, float, int]] = field(default_factory=list)

    def add(self, time: int | None, text: object, line: int) -> None:
        """Add a value as it is written (``"0.5"``, ``"NaN"``)."""
        try:
            value = float(text) if isinstance(text, int | float) else read_number(str(text))
        except (ValueError, OverflowError):
            value = math.nan
        if math.isfinite(value):
            self.points.append((time, value, line))
        else:
            self.strange += 1

    def columns(self) -> Columns | None:
        """Return its values; None if a time is unknown."""
        times, values, lines = zip(*self.points, strict=True) if self.points else ((), (), ())
        if None in times:
            return None
        integers = (np.array(column, dtype=np.int64) for column in (times, lines))
        return self.known or Columns(next(integers), np.array(values, np.float64), next(integers))


def is_dated(point: object) -> TypeGuard[list[Any]]:
    """Return whether a point of an answer is a pair that begins with a time."""
    if not (isinstance(point, list) and len(point) == 2 and is_number(point[0])):
        return False
    return bool(abs(point[0]) < _LATEST)


def cut_short(label: str, text: str) -> Diagnostic:
    """Reject a text whose last line has no newline, since a parent's children may be missing."""
    what = "truncated: its last line has no end, and more may be missing"
    return Diagnostic(label, text.count("\n") + 1, what, "if it is complete, add a line break")


def read_selector(text: str) -> dict[str, str] | None:
    """Read ``name{label="value"}`` into labels; return None for any other form.

    Examples
    --------
    >>> read_selector('container_memory_rss{id="/bench"}')
    {'id': '/bench', '__name__': 'container_memory_rss'}
    >>> read_selector("CPU of the server") is None
    True
    """
    from prometheus_client.parser import text_string_to_metric_families

    text = text.strip()
    if text.startswith("{"):
        text = _NAMELESS + text
    try:
        (family,) = text_string_to_metric_families(f"{text} 0\n")
        (sample,) = family.samples
    except (ValueError, TypeError, IndexError, KeyError):
        return None
    labels = dict(sample.labels)
    if sample.timestamp is not None or not sample.name.replace(":", "_").isidentifier():
        return None
    if sample.name != _NAMELESS:
        labels["__name__"] = sample.name
    return labels
