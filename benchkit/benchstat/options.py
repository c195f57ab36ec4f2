"""benchstat's options, checked in its order and refused in its words (cmd/benchstat/main.go)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from benchkit.benchstat.filters import Filter, match_all, parse_filter
from benchkit.benchstat.projections import Part, parse_projection
from benchkit.benchstat.reader import BenchstatError
from benchkit.benchstat.table import Thresholds
from benchkit.benchstat.tokens import ExpressionError

Parsed = TypeVar("Parsed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options as they are written.

    Parameters
    ----------
    filter : str
        Which measurements are used.
    table, row, col, ignore : str
        Projections: what makes a table, a row and a column, and what may vary in a cell.
    alpha, confidence : float
        Levels of comparisons and of intervals.
    """

    filter: str = "*"
    table: str = ".config"
    row: str = ".fullname"
    col: str = ".file"
    ignore: str = ""
    alpha: float = 0.05
    confidence: float = 0.95


@dataclass(frozen=True, slots=True)
class Plan:
    """What the options ask for: the filter, the projections in their order, and the levels."""

    filter: Filter
    groups: tuple[list[Part], ...]
    thresholds: Thresholds


def make_plan(options: Options) -> Plan:
    """Parse the options; BenchstatError says which one is wrong, and where."""
    filters = [_parse("-filter", parse_filter, options.filter)]
    names = ("table", "row", "col", "ignore")
    groups = tuple(_parse(f"-{name}", parse_projection, getattr(options, name)) for name in names)
    for name in ("alpha", "confidence"):
        if not 0 <= getattr(options, name) <= 1:
            raise BenchstatError(f"-{name} must be in range [0, 1]")
    filters += [part.filter for group in groups for part in group if part.filter]
    combined = match_all(filters) if len(filters) > 1 else filters[0]
    return Plan(combined, groups, Thresholds(options.alpha, options.confidence))


def _parse(name: str, parse: Callable[[str], Parsed], query: str) -> Parsed:
    try:
        return parse(query)
    except ExpressionError as error:
        raise BenchstatError(f"parsing {name}: {error}") from None
