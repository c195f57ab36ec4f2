"""Columns that a guessed map leaves out with a reason, and tables that it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit.cli import run
from benchkit.errors import DataError, ExitCode
from benchkit.parsers.base import Source
from benchkit.parsers.guessed import guess, guess_measure

Captured = pytest.CaptureFixture[str]


def _list_measured(text: str) -> list[str]:
    return [each.column for each in guess(Source(None, "x.csv", text.encode())).values]


def test_a_table_without_a_header_is_refused() -> None:
    with pytest.raises(DataError, match=r"x.csv:1: .*numbers \(1, 10.5\)") as refused:
        _list_measured("web,1,10.5\nweb,2,10.7\ndb,1,3.5\ndb,2,3.6\n")
    assert "add a header line" in str(refused.value.hint)


@pytest.mark.parametrize("missing", ["n/a", "-", "NaN", "N/A"])
def test_missing_cell_keeps_a_column_numeric(missing: str) -> None:
    assert _list_measured(f"build,ms\na,1\na,{missing}\nb,3\n") == ["ms"]


@pytest.mark.parametrize(
    ("text", "example"),
    [
        ("Zweig;Zeit_ms;n\na;12,5;1\na;12,7;2\nb;1.234,5;3\nb;12,7;4\n", "12,5"),
        ('Zweig,Zeit_ms,n\na,100,1\na,"1,200",2\nb,110,3\nb,120,4\n', "1,200"),
        ("Zweig;Zeit_ms;n\na;12,5 ms;1\na;12,7 ms;2\nb;13 ms;3\nb;12,5 ms;4\n", "12,5 ms"),
    ],
)
def test_column_of_numbers_with_commas_is_left_out_with_the_reason(
    text: str, example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text(text, encoding="utf-8")
    assert run(["map", "x.csv"]) == ExitCode.DONE
    written = capsys.readouterr().out
    assert f"does not read: Zeit_ms, whose numbers have commas ({example})" in written
    assert 'variant = "Zweig"' in written
    assert '"Zeit_ms"' not in written


def test_table_with_only_comma_numbers_is_refused_with_the_reason() -> None:
    with pytest.raises(DataError, match=r"Zeit_ms has numbers with commas \(12,5\)") as refused:
        _list_measured("Zweig;Zeit_ms\na;12,5\nb;12,7\n")
    assert "decimal point" in str(refused.value.hint)


def test_column_nested_deeper_than_a_map_allows_is_left_out() -> None:
    deep = "a." * 200 + "a"
    assert _list_measured(f"variant,{deep},rate\nx,1,2\ny,1,3\n") == ["rate"]


@pytest.mark.parametrize(
    ("column", "metric", "unit"),
    [
        ("tokens_per_s", "tokens_per_second", "1/s"),
        ("images per sec", "images_per_second", "1/s"),
        ("requests_per_second", "request_rate", "requests/s"),
        ("MB_per_s", "MB_per_s", "MB/s"),
        ("disk_bytes_per_second", "disk", "bytes/s"),
        ("throughput_mb", "throughput_mb", "mb"),
    ],
)
def test_rate_in_words_is_neither_a_time_nor_a_size(column: str, metric: str, unit: str) -> None:
    measure = guess_measure(column)
    assert (measure.metric.constant, measure.unit.constant) == (metric, unit)
    assert measure.better == ("" if metric == "request_rate" else "higher")
