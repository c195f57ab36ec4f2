"""A terminal of 80 columns shows everything needed to read the answer."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from examples import tracing

from benchkit.cli.console import print_table
from benchkit.cli.narrow import fit
from benchkit.tables.model import Cell, Column, Table
from benchkit.tables.overhead import exploratory_tables, primary_tables

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
ESSENTIAL = {"baseline", "value", "change", "interval", "verdict"}


def read_terminal(*arguments: str, columns: int) -> str:
    """Run a command in a terminal, and return what the terminal shows."""
    reader, writer = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "benchkit", *arguments]
    with subprocess.Popen(command, stdout=writer, env=environment) as done:
        os.close(writer)
        shown = b""
        try:
            while block := os.read(reader, 65536):
                shown += block
        except OSError:  # the other end is closed
            pass
        os.close(reader)
    assert done.returncode == 0
    return shown.decode()


@pytest.mark.parametrize("results", ["tracing-wrk", "redis-gobench/pinned"])
def test_terminal_of_80_columns_keeps_both_values(results: str) -> None:
    text = read_terminal("compare", str(FIXTURES / results), "-q", columns=80)
    table = text.partition("Primary metrics")[2].partition("narrow screen: hiding ")
    lines = table[0].splitlines()
    header = next(line for line in lines if line.rstrip().endswith("verdict"))
    assert header.split()[1] in {"none,", "Baseline,"}
    for word in ("value,", "change", "interval"):
        assert word in header
    assert max(map(len, lines)) <= 80
    assert table[2].splitlines()[0] == "runs, p, spread"


@pytest.mark.parametrize("width", range(40, 130, 7))
def test_values_interval_and_verdict_are_never_dropped(width: int) -> None:
    table = primary_tables(tracing())[0]
    fitted = fit(table, width, lambda cell: cell.label).table
    if fitted.columns[0].key == "name":  # stacked
        names = {row[0].text for row in fitted.rows}
        assert {column.title for column in table.columns} <= names
    else:
        assert {column.key for column in fitted.columns} >= ESSENTIAL


@pytest.mark.parametrize("columns", [80, 100])
def test_wide_table_is_split_into_blocks_that_repeat_the_variant(columns: int) -> None:
    results = str(FIXTURES / "tracing-wrk")
    text = read_terminal("compare", results, "--wide", "-q", columns=columns)
    lines = text.replace("\r", "").partition("Variants and metrics")[2].strip()
    blocks = [block.splitlines() for block in lines.split("\n\n")]
    names = [[line.split()[0] for line in block[-6:]] for block in blocks]
    variants = ["none", "apm", "otlp", "skywalking", "zipkin"]
    assert len(blocks) > 1
    assert [each[-len(variants) :] for each in names] == [variants] * len(blocks)
    assert max(map(len, lines.splitlines())) <= columns


def test_interval_is_in_the_block_of_its_value() -> None:
    columns = (
        Column("variant", "variant"),
        *(Column(f"m{at}", f"metric {at}", "ms", "right") for at in range(3)),
        Column("interval", "interval"),
    )
    row = (Cell("otlp"), *(Cell(f"{at}.25") for at in range(3)), Cell("[1.5, 2.5]"))
    fitted = fit(Table("", columns, (row,)), 36, lambda cell: cell.label)
    keys = [[column.key for column in part.columns] for part in (fitted.table, *fitted.further)]
    assert keys == [["variant", "m0", "m1"], ["variant", "m2", "interval"]]


def test_long_name_is_broken_at_its_punctuation() -> None:
    table = primary_tables(tracing())[0]
    row = (Cell("otlp_exporter/collector-behind/proxy"), *table.rows[0][1:])
    table = type(table)("", table.columns, (row,))
    fitted = fit(table, 80, lambda cell: cell.label).table
    names = [row[0].text for row in fitted.rows]
    assert "".join(names) == "otlp_exporter/collector-behind/proxy"
    assert len([name for name in names if name]) > 1


def test_long_texts_of_stacked_rows_are_wrapped_between_words() -> None:
    lines = read_terminal("formats", columns=80).splitlines()
    long = [line.split() for line in lines if len(line) > 80]
    assert [words for words in long if max(map(len, words)) < 60] == []


def test_shared_names_of_rows_become_headings() -> None:
    table = exploratory_tables(tracing())[0]
    fitted = fit(table, 80, lambda cell: cell.label)
    assert {column.key for column in fitted.table.columns} >= ESSENTIAL | {"variant"}
    assert "p99 latency:" in fitted.headings.values()
    assert len(fitted.table.rows) == len(table.rows)  # one line each


@pytest.mark.parametrize("color", [False, True])
def test_heading_of_rows_is_printed_before_them(
    color: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    screen = StringIO()
    screen.isatty = lambda: color  # type: ignore[method-assign]
    print_table(exploratory_tables(tracing())[0], screen, 80)
    lines = screen.getvalue().splitlines()
    below = lines[lines.index("p99 latency:") + 1]
    assert below.split()[:3] == ["otlp", "4.93", "ms"]


def test_rows_without_a_shared_name_are_a_table_below_their_names() -> None:
    columns = (
        *(Column(key, key) for key in ("benchmark", "metric")),
        *(Column(key, key, align="right") for key in ("baseline", "value", "change")),
        Column("interval", "interval"),
        Column("verdict", "verdict"),
    )
    rows = tuple(
        (Cell(name), Cell("median latency"), Cell("1.96 ms"), Cell("2.31 ms"), Cell("+9.7 %"),
         Cell("[−48.2, +132.3 %] within-run"), Cell("~ inconclusive (1)"))
        for name in ("bodies", "/consumer")
    )  # fmt: skip
    fitted = fit(Table("", columns, rows), 72, lambda cell: cell.label)
    assert [column.key for column in fitted.table.columns] == [c.key for c in columns[1:]]
    assert [*fitted.headings.values()] == ["bodies:", "/consumer:"]
    interval = [row[4].text for row in fitted.table.rows]
    assert interval[:2] == ["[−48.2, +132.3 %]", "within-run"]
