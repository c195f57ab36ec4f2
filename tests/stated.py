"""Checks whether a line of text states a value, in any unit."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

from benchkit.units import parse_duration

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_DURATION = re.compile(r"(?<!\d)[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|[µμ]s|ms|s|m|h))+")
#: A comma between thousands, in the cells of a table and in these formats.
_GROUPING = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_GROUPED = frozenset(
    {
        "autocannon_text",
        "criterion_text",
        "benchmarkdotnet_markdown",
        "pytest_benchmark_table",
        "wrk",
    }
)
#: A comma before decimals, which these tools write in some locales; in CSV it separates cells.
_DECIMAL = re.compile(r"(?<=\d),(?=\d)")
_LOCALIZED = frozenset(
    {
        "jmh_csv",
        "jmh_text",
        "jmeter_aggregate",
        "benchmarkdotnet_measurements",
        "google_benchmark_console",
    }
)
#: A mark between thousands and a comma or point before decimals, by locale, in cells of a CSV.
_EITHER = frozenset({"benchmarkdotnet_csv"})
_THOUSANDS = re.compile(r"(?<=\d)[.,](?=\d{3}[.,])")
FACTORS = (
    *(10.0**power for power in range(-12, 13)),
    *(1024.0**power for power in range(1, 5)),
    60.0,
    3600.0,
    86400.0,
)


@lru_cache(maxsize=4)  # a line of JSON has thousands
def numbers(line: str, form: str = "") -> list[float]:
    """Return every amount that a line of a format may state, in any unit, in order."""
    if "│" in line or form in _GROUPED:
        line = _GROUPING.sub("", line)
    elif form in _LOCALIZED:
        line = f"{line} {_DECIMAL.sub('.', line)}"
    elif form in _EITHER:
        line = f"{line} {_DECIMAL.sub('.', _THOUSANDS.sub('', line))}"
    plain = [float(text) * factor for text in _NUMBER.findall(line) for factor in FACTORS]
    return sorted([*plain, *_durations(line)])


def _durations(line: str) -> Iterator[float]:
    for text in _DURATION.findall(line):
        with suppress(ValueError):  # too large for a float
            yield parse_duration(text).value


def holds(known: list[float], value: float) -> bool:
    """Return whether an amount is among the known ones, up to the last digits of a product."""
    place = bisect_left(known, value)
    return any(
        math.isclose(value, seen, abs_tol=1e-300) for seen in known[max(place - 1, 0) : place + 1]
    )
