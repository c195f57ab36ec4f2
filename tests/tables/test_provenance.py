"""The files behind a report, and the problems in reading them."""

from __future__ import annotations

import shutil
from pathlib import Path

import benchkit as bk
from benchkit.errors import Diagnostic
from benchkit.tables.environment import problems_table


def test_problems_list_refused_files_first_and_group_equal_ones() -> None:
    problems = [
        Diagnostic("a", 0, "truncated", "copy it", "warning"),
        Diagnostic("b", 3, "no format", "name it"),
        Diagnostic("c", 0, "empty"),
        Diagnostic("d", 9, "no format", "name it"),
    ]
    table = problems_table(problems)
    assert table.caption == "Not read: 3; left out, or read only in part: 1"
    rows = [[cell.text for cell in row] for row in table.rows]
    assert [row[1] for row in rows] == ["b:3", "d:9", "c", "a"]
    assert rows[0] == ["error", "b:3", "no format", "name it"]


def test_report_names_refused_files(tmp_path: Path) -> None:
    source = Path(__file__).resolve().parents[2] / "fixtures" / "tracing-wrk"
    shutil.copytree(source, tmp_path / "results")
    (tmp_path / "notes.txt").write_text("<b>nothing</b> of a benchmark\n")
    comparison = bk.load(tmp_path).compare(baseline="none")
    page, text = comparison.to_html(), comparison.to_markdown()
    for output in (page, text):
        assert "Not read: 0; left out, or read only in part: 1." in output
        assert "notes.txt" in output.partition("Not read, left out, or read only in part")[2]
        assert "<b>nothing" not in output
    assert "unknown format" in page
    assert "benchkit formats" in page


def test_runs_and_duplicate_formats_add_up_to_the_files() -> None:
    comparison = bk.load(Path(__file__).resolve().parents[2] / "fixtures" / "shorturl-k6").compare()
    text = comparison.to_markdown()
    assert "; 13 files more with the same results in another format." in text
    assert "27 files." in text
