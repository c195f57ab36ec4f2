"""The lists of runs, of facts about the machine, and of files."""

from __future__ import annotations

from datetime import UTC, datetime

import pandas as pd
import pytest
from examples import tracing_runs

from benchkit import schema
from benchkit.tables.environment import environment_tables, read_sources, sources_table
from benchkit.tables.runs import runs_table, write_time


def test_empty_columns_are_omitted() -> None:
    table = runs_table(tracing_runs())
    keys = [column.key for column in table.columns]
    assert keys == ["variant", "benchmark", "params", "run", "role", "tool", "duration", "sources"]
    assert [cell.text for cell in table.rows[0]][3:] == ["1", "measured", "wrk", "15.00", "1"]
    assert table.caption == "40 measured"


def test_warmups_are_listed_with_their_role() -> None:
    runs = tracing_runs()
    runs.loc[0, "role"] = "warmup"
    runs["started_at"] = [datetime(2026, 11, 21, 1, 21, 43, tzinfo=UTC)] + [None] * (len(runs) - 1)
    table = runs_table(schema.runs(runs))
    assert table.caption == "1 warmup, 39 measured"
    started = [column.key for column in table.columns].index("started_at")
    assert [row[started].text for row in table.rows[:2]] == ["2026-11-21 01:21:43", ""]


def test_runs_of_equal_labels_share_a_line() -> None:
    runs = tracing_runs()
    runs["started_at"] = pd.date_range("2026-11-21", periods=len(runs), freq="min", tz="UTC")
    runs["run"] = [9, 2, 11, *runs["run"][3:]]
    runs.loc[1, "duration"] = 99.0
    table = runs_table(schema.runs(runs), is_folded=True)
    variants = list(dict.fromkeys(runs["variant"]))
    assert [row[0].text for row in table.rows] == variants
    first = [cell.text for cell in table.rows[0]]
    assert first[3:] == ["2, 4–9, 11", "measured", "wrk", "2026-11-21 00:00:00", "15.00", "8"]
    assert table.caption == "40 measured"


def test_runs_differing_in_role_or_remark_have_separate_lines() -> None:
    runs = tracing_runs().iloc[:8]
    runs["role"] = ["warmup"] * 2 + ["failed"] * 2 + ["measured"] * 4
    runs["remark"] = [None, None, "a.txt: exit 1", "b.txt: exit 1", None, None, None, None]
    table = runs_table(schema.runs(runs), is_folded=True)
    cells = [(row[3].text, row[4].text, row[-1].text) for row in table.rows]
    assert cells == [
        ("1–2", "warmup", ""),
        ("3", "failed", "a.txt: exit 1"),
        ("4", "failed", "b.txt: exit 1"),
        ("5–8", "measured", ""),
    ]


def test_many_gaps_between_runs_are_counted() -> None:
    runs = tracing_runs().iloc[:8]
    runs["run"] = range(1, 17, 2)
    (row,) = runs_table(schema.runs(runs), is_folded=True).rows
    assert row[3].text == "1, 3, 5, 7, 9 and 3 more"


@pytest.mark.parametrize("is_folded", [False, True])
def test_no_runs_yield_an_empty_table(is_folded: bool) -> None:
    table = runs_table(tracing_runs().iloc[:0], is_folded=is_folded)
    assert table.rows == ()
    assert table.caption == ""


def test_unknown_times_are_empty() -> None:
    assert write_time(None) == ""
    assert write_time(float("nan")) == ""


def test_facts_that_differ_between_variants_are_first() -> None:
    runs = tracing_runs()
    env = [{"cpu": "Xeon", "image": v} if v != "apm" else {} for v in runs["variant"]]
    runs["env"] = pd.Series(env)
    differs, common = environment_tables(runs)
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in differs.rows}
    assert rows["image"] == ["none", "otlp", "zipkin", "not recorded", "skywalking"]
    assert ["tool", "wrk"] in [[cell.text for cell in row] for row in common.rows]


def test_many_values_of_one_variant_are_counted() -> None:
    runs = tracing_runs()
    runs["env"] = pd.Series([{"host": f"h{run}"} for run in runs["run"]])
    (common,) = environment_tables(runs)
    assert [cell.text for cell in common.rows[-1]] == ["host", "h1; h2; and 6 more"]


def test_each_source_is_listed_once_with_its_hash() -> None:
    runs = tracing_runs()
    runs["sources"] = pd.Series([[{"path": "a.txt", "sha256": "f" * 64}]] * len(runs))
    table = sources_table(read_sources(runs))
    assert [[cell.text for cell in row] for row in table.rows] == [["a.txt", "f" * 64]]
    assert table.caption == "1 file"
