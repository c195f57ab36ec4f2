"""A long table of exploratory rows is folded: changed rows stay, and the rest is counted."""

from __future__ import annotations

import re
from dataclasses import replace

import examples

from benchkit.cli.console import render_comparison
from benchkit.tables.folding import MOST, fold_rows
from benchkit.tables.overhead import exploratory_tables
from benchkit.verdict import REGRESSION, Verdict, Verdicts


def many(count: int) -> Verdicts:
    """Repeat the exploratory rows under tags, without any change."""
    verdicts = examples.tracing()
    rest = [row for row in verdicts.rows if not row.contrast.primary]
    tagged = [_tag(rest[number % len(rest)], f"tag:{number}") for number in range(count)]
    return replace(verdicts, rows=(*verdicts.rows, *tagged))


def _tag(row: Verdict, subject: str) -> Verdict:
    return replace(row, word="inconclusive", contrast=replace(row.contrast, subject=subject))


def test_short_table_is_not_folded() -> None:
    rows = [row for row in many(10).rows if not row.contrast.primary]
    assert len(rows) <= MOST
    assert fold_rows(rows) == (rows, "")


def test_tags_without_a_change_are_folded_and_counted() -> None:
    rows = [row for row in many(100).rows if not row.contrast.primary]
    kept, footer = fold_rows(rows)
    assert [row.contrast.subject for row in kept] == [""] * 8
    assert footer.startswith("100 rows are hidden: 100 rows of tags, phases or containers")
    assert "show them with --all" in footer


def test_changed_rows_are_shown_first() -> None:
    rows = [row for row in many(100).rows if not row.contrast.primary]
    rows[-1] = replace(rows[-1], word=REGRESSION)
    kept, footer = fold_rows(rows)
    assert kept[-1] is rows[-1]
    assert footer.startswith("99 rows are hidden")
    changed = [replace(row, word=REGRESSION) for row in rows]
    kept, footer = fold_rows(changed, 10)
    assert (kept, footer.partition(":")[0]) == (changed[:10], "98 rows are hidden")
    assert "98 that change" in footer


def test_first_rows_are_shown_if_none_changes() -> None:
    rows = [row for row in many(100).rows if row.contrast.subject]
    assert fold_rows(rows)[0] == rows[:MOST]


def test_terminal_folds_unless_all_rows_are_requested() -> None:
    verdicts = many(100)
    assert "100 rows are hidden" in render_comparison(verdicts)
    every = render_comparison(verdicts, every=True)
    assert "folded" not in every
    assert len(re.findall(r"tag:\d+", every)) == 100
    assert sum(len(table.rows) for table in exploratory_tables(verdicts)) == 108


def test_unnamed_benchmark_is_labelled_among_others() -> None:
    verdicts = examples.tracing()
    first, *rest = verdicts.rows
    blank = replace(first, contrast=replace(first.contrast, benchmark=""))
    shown = render_comparison(replace(verdicts, rows=(blank, *rest)))
    assert "(unnamed)" in shown
    assert "(unnamed): the file names of wrk contain no benchmark" in shown
    assert "(unnamed)" not in render_comparison(verdicts)
