"""A series as Prometheus has it, whatever wrote it down.

What is left out, and why, must not depend on whether the API, promtool or Grafana wrote the
answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from benchkit.errors import Diagnostic
from benchkit.units import read_number

if TYPE_CHECKING:
    import numpy as np

_NAMELESS = "benchkit_nameless"


class Columns(NamedTuple):
    """The values of a series that all stand in one line: finite ones, and how many are not.

    ``times`` are µs since 1970, int64; ``values`` float64, both of shape (k,).
    """

    times: np.ndarray
    values: np.ndarray
    strange: int
    line: int


@dataclass(slots=True)
class Series:
    """One series of an answer.

    Parameters
    ----------
    labels : dict of str to str
        The name as ``__name__``, if it has one.
    times : list of int or None
        µs since 1970; None where the time is unknown.
    values : list of float
        Finite.
    lines : list of int
    strange : int
        Values that are no finite numbers.
    columns : Columns, optional
        Times and values that were read at once; then the lists are empty.
    """

    labels: dict[str, str]
    times: list[int | None] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    strange: int = 0
    columns: Columns | None = None

    def spread(self) -> Series:
        """Return the series with its times and values in lists."""
        if self.columns is None:
            return self
        times, values, strange, line = self.columns
        return Series(self.labels, times.tolist(), values.tolist(), [line] * len(times), strange)

    def add(self, time: int | None, text: object, line: int) -> None:
        """Add a value as it is written (``"0.5"``, ``"NaN"``)."""
        try:
            value = float(text) if isinstance(text, int | float) else read_number(str(text))
        except (ValueError, OverflowError):
            value = math.nan
        if not math.isfinite(value):
            self.strange += 1
            return
        self.times.append(time)
        self.values.append(value)
        self.lines.append(line)


def cut_short(label: str, text: str) -> Diagnostic:
    """Refuse a text whose last line has no end: a parent's children may be missing."""
    what = "is cut short: its last line has no end, and nobody can tell what else is missing"
    return Diagnostic(label, text.count("\n") + 1, what, "if it is whole, add a line break")


def read_selector(text: str) -> dict[str, str] | None:
    """Read ``name{label="value"}`` into labels; None where it is not of that form.

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
