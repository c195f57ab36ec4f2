"""The outcome of each source of an ingest: in total, and one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import starmap

from benchkit.errors import SourceReport
from benchkit.tables.model import Cell, Column, Table


def total_sources(reports: Iterable[SourceReport]) -> Table:
    """Count the sources by format and outcome."""
    totals: dict[tuple[str, str], list[int]] = {}
    for report in reports:
        name = " + ".join(report.formats) or "–"
        total = totals.setdefault((name, report.outcome), [0, 0, 0])
        for place, amount in enumerate((1, report.runs, report.values)):
            total[place] += amount
    columns = (
        Column("format", "format"),
        Column("outcome", "outcome"),
        Column("sources", "sources", align="right"),
        Column("runs", "runs", align="right"),
        Column("values", "values", align="right"),
    )
    rows = tuple(
        (
            Cell(name),
            Cell(outcome),
            *(Cell(str(number) if number else "", number) for number in total),
        )
        for (name, outcome), total in sorted(totals.items())
    )
    return Table("Sources", columns, rows)


def list_sources(reports: Iterable[SourceReport], skipped: Sequence[tuple[str, str]]) -> Table:
    """List the sources one by one, skipped ones last."""
    columns = (
        Column("source", "source"),
        Column("format", "format"),
        Column("outcome", "outcome"),
        Column("runs", "runs", align="right"),
        Column("values", "values", align="right"),
        Column("reason", "reason"),
    )
    read = [
        (
            Cell(report.label),
            Cell(" + ".join(report.formats)),
            Cell(report.outcome),
            Cell(str(report.runs or ""), report.runs),
            Cell(str(report.values or ""), report.values),
            Cell(report.reason),
        )
        for report in reports
    ]
    passed = [
        (Cell(path), Cell(""), Cell("skipped"), Cell(""), Cell(""), Cell(reason))
        for path, reason in skipped
    ]
    return Table("Sources one by one", columns, (*read, *passed))


def describe_skipped(skipped: Sequence[tuple[str, str]]) -> str:
    """Summarise the skipped files in a line: ``skipped 2 scripts, 1 README``.

    Examples
    --------
    >>> describe_skipped([("a.sh", "a script"), ("b.sh", "a script"), ("x", "excluded by x")])
    'skipped 2 scripts, 1 (excluded by x)'
    """
    count = Counter(reason for _, reason in skipped)
    return f"skipped {', '.join(starmap(_count_skipped, count.most_common()))}"


def _count_skipped(reason: str, times: int) -> str:
    """Count the files skipped for one reason: ``2 copies that were put aside``."""
    article, _, noun = reason.partition(" ")
    if article not in {"a", "an"} or "," in noun:
        return f"{times} ({reason})"
    cut = min(noun.find(word) % (len(noun) + 1) for word in (" of ", " put ", " to "))
    head, rest = noun[:cut], noun[cut:]
    if times == 1:
        return f"1 {noun}"
    plural = f"{head[:-1]}ies" if head.endswith("y") else f"{head}s"
    return f"{times} {plural}{rest}"
