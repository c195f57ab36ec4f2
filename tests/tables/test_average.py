"""The geometric mean under a table: when it is there, and what it says."""

from __future__ import annotations

import math

from examples import gobench, tracing

from benchkit.reporting.markdown_text import write_table
from benchkit.tables.average import describe_averages
from benchkit.tables.overhead import exploratory_tables, primary_tables

CALM = (100.0, 101.0, 99.0, 102.0, 98.0)


def scaled(factor: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return CALM, tuple(factor * value for value in CALM)


def test_three_benchmarks_are_averaged() -> None:
    verdicts = gobench({"A": scaled(1.1), "B": scaled(1.2), "C": scaled(1.3)})
    (line,) = describe_averages(verdicts.primary)
    change = 100 * (math.exp((math.log(1.1) + math.log(1.2) + math.log(1.3)) / 3) - 1)
    assert f"+{change:.1f}" in line
    assert "over 3 rows" in line
    assert line.endswith("each of them decided; exploratory")
    (table,) = primary_tables(verdicts)
    assert table.footer == (line,)
    assert "geometric mean" in write_table(table)


def test_rows_that_show_nothing_are_counted() -> None:
    wide = (50.0, 90.0, 110.0, 150.0, 100.0), (60.0, 100.0, 120.0, 160.0, 90.0)
    verdicts = gobench({"A": scaled(1.1), "B": scaled(1.2), "C": wide})
    (line,) = describe_averages(verdicts.primary)
    assert "1 of them not shown" in line


def test_a_factor_is_written_as_one() -> None:
    verdicts = gobench({name: scaled(3.0) for name in "ABC"})
    (line,) = describe_averages(verdicts.primary)
    assert "3.00×" in line


def test_fewer_benchmarks_single_runs_and_other_metrics_make_no_line() -> None:
    assert describe_averages(gobench({"A": scaled(1.1), "B": scaled(1.2)}).primary) == ()
    single = dict.fromkeys("ABC", ((1.0,), (1.1,)))
    assert describe_averages(gobench(single).primary) == ()
    assert all(table.footer == () for table in exploratory_tables(tracing()))
