"""The geometric mean under a table: when it appears, and its wording."""

from __future__ import annotations

import math

import numpy as np
from examples import gobench, tracing

from benchkit.comparison import join_rows
from benchkit.reporting.markdown_text import write_table
from benchkit.tables.average import describe_averages, describe_undecided
from benchkit.tables.overhead import exploratory_tables, primary_tables
from benchkit.tables.sentence import bullets
from benchkit.verdict import Verdicts

CALM = (100.0, 101.0, 99.0, 102.0, 98.0)


def scaled(factor: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return CALM, tuple(factor * value for value in CALM)


def test_three_benchmarks_are_averaged() -> None:
    verdicts = gobench({"A": scaled(1.1), "B": scaled(1.2), "C": scaled(1.3)})
    (line,) = describe_averages(verdicts.primary, verdicts.margin)
    change = 100 * (math.exp((math.log(1.1) + math.log(1.2) + math.log(1.3)) / 3) - 1)
    assert f"+{change:.1f}" in line
    assert "over 3 rows" in line
    assert line.endswith("by Welch's test; secondary")
    (table,) = primary_tables(verdicts)
    assert table.footer == (line,)
    assert "geometric mean" in write_table(table)


def test_constant_rows_have_no_interval_and_no_confidence() -> None:
    verdicts = gobench(dict.fromkeys("ABC", ((100.0,) * 5, (110.0,) * 5)))
    (line,) = describe_averages(verdicts.primary, verdicts.margin)
    change = "+10.0\N{NO-BREAK SPACE}%"
    assert f"over 3 rows: {change}; secondary" in line


def test_inconclusive_rows_are_counted() -> None:
    wide = (50.0, 90.0, 110.0, 150.0, 100.0), (60.0, 100.0, 120.0, 160.0, 90.0)
    verdicts = gobench({"A": scaled(1.1), "B": scaled(1.2), "C": wide})
    (line,) = describe_averages(verdicts.primary, verdicts.margin)
    assert "1 of them inconclusive" in line


def test_large_change_is_written_as_a_factor() -> None:
    verdicts = gobench({name: scaled(3.0) for name in "ABC"})
    (line,) = describe_averages(verdicts.primary, verdicts.margin)
    assert "3.00×" in line


def test_few_benchmarks_single_runs_and_other_metrics_yield_no_line() -> None:
    assert describe_averages(gobench({"A": scaled(1.1), "B": scaled(1.2)}).primary, 0.03) == ()
    single = dict.fromkeys("ABC", ((1.0,), (1.1,)))
    assert describe_averages(gobench(single).primary, 0.03) == ()
    assert all(table.footer == () for table in exploratory_tables(tracing()))


def test_benchmarks_with_other_run_counts_or_zeros_are_omitted() -> None:
    rows = {name: scaled(1.1) for name in "ABC"}
    short = CALM[:4], tuple(1.1 * value for value in CALM[:4])
    zero = (0.0, 1.0, 2.0, 3.0, 4.0), (1.0, 2.0, 0.0, 3.0, 5.0)
    (together,) = join_rows(
        row.contrast for row in gobench({**rows, "D": short, "E": zero}).primary
    )
    assert [c.benchmark for c in together.rows] == list("ABC")
    assert together.left_out == 2


def noisy(count: int, factor: float) -> Verdicts:
    generator = np.random.default_rng(4)
    rows = {}
    for number in range(count):
        logs = generator.normal(0, 0.15, (2, 6))
        logs[1] += np.log(factor)
        before, after = np.exp(logs).tolist()
        rows[f"B{number}"] = before, after
    return gobench(rows)


def test_inconclusive_benchmarks_get_a_joint_answer() -> None:
    verdicts = noisy(30, 1.12)
    assert not any(row.word == "regression" for row in verdicts.rows)
    sentence = describe_undecided(verdicts)
    assert sentence.startswith("over all 30 benchmarks, enabled takes 1")
    assert "more time per operation than baseline (95" in sentence
    *_, line = bullets(verdicts)
    assert f"O{sentence[1:]}." in line


def test_joint_answer_without_a_direction_is_inconclusive() -> None:
    sentence = describe_undecided(noisy(30, 1.0))
    assert sentence.startswith(
        "over all 30 benchmarks, enabled is inconclusive in time per operation"
    )


def test_few_benchmarks_and_decided_ones_have_no_sentence() -> None:
    assert describe_undecided(noisy(4, 1.12)) == ""
    assert describe_undecided(gobench({name: scaled(1.3) for name in "ABCDEF"})) == ""
