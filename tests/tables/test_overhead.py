"""The overhead table: one scale per row, footnotes without repetition, words and marks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from examples import RATE, gobench, published, tracing, verdicts

from benchkit.comparison import Comparisons
from benchkit.comparison.medians import AGAINST
from benchkit.tables.model import Table
from benchkit.tables.overhead import (
    changed_only,
    describe_one_sided,
    exploratory_tables,
    primary_tables,
)
from benchkit.tables.wording import name_rule, write_change, write_interval
from benchkit.verdict import Verdicts, judge


def read(table: Table) -> list[list[str]]:
    spaces = str.maketrans("\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}", "  ")
    return [[cell.label.translate(spaces) for cell in row] for row in table.rows]


def overhead_tables(verdicts: Verdicts) -> tuple[Table, ...]:
    return (*primary_tables(verdicts), *exploratory_tables(verdicts))


def test_joint_intervals_are_shown_only_as_tips_of_a_page() -> None:
    page, terminal = (primary_tables(tracing(), tips=tips)[0] for tips in (True, False))
    assert any(cell.tip for row in page.rows for cell in row)
    assert not any(cell.tip for row in terminal.rows for cell in row)
    assert str(page) == str(terminal)


def test_row_shows_everything_behind_the_verdict() -> None:
    primary, other = overhead_tables(tracing())
    assert read(primary)[0] == [
        "otlp",
        "10 531",
        "± 1.6 %",
        "9173",
        "± 1.5 %",
        "−13.1 %",
        "[−14.8, −11.1 %]",
        "< 0.001",
        "8",
        "▲ fewer, by at least 3 %",
    ]
    titles = [column.title for column in primary.columns]
    assert titles[:5] == ["variant", "none, /s", "spread", "value, /s", "spread"]
    assert primary.caption.startswith("requests/s; /ping/GRM; wrk; p adjusted for 4 rows")
    assert read(other)[0][:4] == ["median latency", "otlp", "696 µs", "± 1.6 %"]


def test_variants_of_one_metric_are_grouped() -> None:
    metrics = [row[0] for row in read(overhead_tables(tracing())[1])]
    assert metrics == ["median latency"] * 4 + ["p99 latency"] * 4


def test_single_pair_names_both_sides_in_the_header() -> None:
    (table,) = overhead_tables(gobench({"A": ((1e-6,) * 4, (2e-6,) * 4)}))
    titles = [column.title for column in table.columns]
    assert titles[:5] == ["metric", "baseline, µs", "spread", "enabled, µs", "spread"]
    assert read(table)[0][2:6] == ["± 0 %", "2.00", "± 0 %", "2.00×"]


def test_cell_values_keep_full_precision() -> None:
    cells = primary_tables(tracing())[0].rows[0]
    assert cells[1].value == 10531.175
    assert cells[2].value == pytest.approx(0.016288, rel=1e-3)
    assert cells[5].value == tracing().rows[0].contrast.ratio


def test_note_of_all_rows_appears_once() -> None:
    (table,) = overhead_tables(published())
    assert "1 run per side: direction only" in table.caption
    assert not table.notes
    assert {row[-2].label for row in table.rows} == {"~ inconclusive"}


def test_note_of_some_rows_is_a_numbered_footnote() -> None:
    table = primary_tables(tracing(runs=3))[0]
    noted = [row for row in table.rows if any(cell.notes for cell in row)]
    assert [row[0].text for row in noted] == ["apm"]
    assert "per side" in table.notes[0]


def test_row_has_one_footnote_preferring_its_numbers_to_the_method() -> None:
    first = tracing().rows[0].contrast
    contrasts = (replace(first, notes=("Welch's test", AGAINST)), replace(first, variant="zipkin"))
    verdicts = judge(Comparisons(pairs=(("none", "otlp"),), contrasts=contrasts, confidence=0.95))
    assert overhead_tables(verdicts)[0].notes == (AGAINST,)


def test_change_is_never_rounded_onto_the_margin() -> None:
    judged = verdicts({RATE: {"a": (100000.0,), "b": (102960.0,)}}, "wrk", "/")
    assert read(primary_tables(judged)[0])[0][3] == "+2.96 %"


def test_groups_have_separate_tables() -> None:
    first = tracing().rows[0].contrast
    contrasts = (first, replace(first, group="b"))
    verdicts = judge(Comparisons(pairs=(("none", "otlp"),), contrasts=contrasts, confidence=0.95))
    assert [table.title for table in overhead_tables(verdicts)] == [
        "Primary metrics",
        "Primary metrics: b",
    ]


def test_several_baselines_are_named() -> None:
    first = tracing().rows[0].contrast
    contrasts = (first, replace(first, baseline="otlp", variant="zipkin"))
    pairs = (("none", "otlp"), ("otlp", "zipkin"))
    verdicts = judge(Comparisons(pairs=pairs, contrasts=contrasts, confidence=0.95))
    (table,) = overhead_tables(verdicts)
    assert [row[0] for row in read(table)] == ["otlp vs. none", "zipkin vs. otlp"]
    assert table.columns[1].header == "base"


def test_difference_is_shown_without_a_ratio() -> None:
    failures = ("failures", "count", "1")
    judged = verdicts({failures: {"a": (0.0,) * 4, "b": (3.0,) * 4}}, "wrk", "/")
    (table,) = overhead_tables(judged)
    assert read(table)[0][:5] == ["failed requests", "0", "± 0 %", "3", "± 0 %"]


def test_changed_rows_only() -> None:
    table = primary_tables(tracing())[0]
    assert [row[0].text for row in changed_only(table).rows] == ["otlp", "zipkin", "skywalking"]


def test_one_sided_benchmarks_are_named() -> None:
    verdicts = _one_sided()
    assert describe_one_sided(verdicts) == (
        "Not compared, because only none has them: /a, /b.",
        "Not compared, because only otlp has it: /c at threads=8.",
    )


def _one_sided() -> Verdicts:
    verdicts = tracing()
    comparisons = replace(
        verdicts.comparisons,
        only_in={"none": ("/a", "/b")},
        params_only_in={"otlp": (("/c", "threads=8"),)},
    )
    return replace(verdicts, comparisons=comparisons)


def test_absolute_difference_and_interval_are_written_in_the_unit() -> None:
    zero, slow = (0.0, 1e-3, 2e-3, 1.5e-3, 0.5e-3), (5e-3, 6e-3, 7e-3, 6.5e-3, 5.5e-3)
    (table,) = primary_tables(verdicts({RATE: {"a": zero, "b": slow}}, "wrk", "/"))
    (row,) = read(table)
    assert "+0.00500/s" in row
    assert any(cell.startswith("[+0.00") and cell.endswith("/s]") for cell in row)
    assert not any("%" in cell for cell in row if not cell.startswith("±"))


def test_huge_numbers_use_a_power_of_ten() -> None:
    sides = {
        "a": tuple(v * 1e300 for v in (1.0, 1.02, 0.99, 1.01, 1.0)),
        "b": tuple(v * 1.2e300 for v in (1.0, 1.02, 0.99, 1.01, 1.0)),
    }
    (table,) = primary_tables(verdicts({RATE: sides}, "wrk", "/"))
    assert max(len(cell.text) for row in table.rows for cell in row) < 30
    assert "e300" in str(table)


def test_change_and_interval_share_one_unit() -> None:
    base = (1.0, 1.1, 0.9)
    verdicts = gobench({"Few": (base, (1.1, 1.7, 1.0)), "Double": (base, (2.4, 2.9, 2.2))})
    rows = {row.contrast.benchmark: row.contrast for row in verdicts.rows}
    assert rows["Few"].ratio_high is not None
    assert rows["Few"].ratio_high > 2
    for name, unit in (("Few", "%"), ("Double", "\N{MULTIPLICATION SIGN}")):
        assert write_change(rows[name], 0.03).endswith(unit)
        assert write_interval(rows[name], 0.03).endswith(f"{unit}]")


def test_meaningless_interval_is_not_a_pair_of_numbers() -> None:
    base = (1.0, 1.1, 0.9)
    verdicts = gobench(
        {"Wild": (base, (1.1, 3.0, 0.5)), "Zero": ((0.0, 9.0, 1.0), (1.0, 0.0, 20.0))}
    )
    for row in verdicts.rows:
        assert write_interval(row.contrast, 0.03) == "too noisy to tell"
        assert row.contrast.ratio_high or row.contrast.difference_high


def test_zero_difference_is_ranked_as_no_change_and_amounts_are_unranked() -> None:
    failures = ("failures", "count", "1")
    for other, rank in ((0.0, 1.0), (3.0, None)):
        judged = verdicts({failures: {"a": (0.0,) * 4, "b": (other,) * 4}}, "wrk", "/")
        (table,) = overhead_tables(judged)
        change = next(i for i, column in enumerate(table.columns) if column.key == "change")
        assert table.rows[0][change].value == rank


def test_results_of_several_tools_name_the_primary_metrics_of_each() -> None:
    rows = tracing().primary
    other = [
        replace(row, contrast=replace(row.contrast, tool="k6", metric="latency", stat="p50"))
        for row in rows
    ]
    assert name_rule(rows) == ""
    rule = name_rule([*rows, *other])
    assert rule.startswith("each tool is judged by its own metrics: wrk by requests/s")
    assert rule.endswith("k6 by median latency")
