"""One call writes a comparison to a file, in the format of the file's extension."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import benchkit as bk
from benchkit.errors import ConfigError

WRK = Path(__file__).resolve().parents[2] / "fixtures" / "tracing-wrk"


@pytest.fixture(scope="module")
def comparison() -> bk.Comparison:
    return bk.load(WRK).compare(baseline="none", variant="otlp")


def test_extension_selects_the_format(comparison: bk.Comparison, tmp_path: Path) -> None:
    page = bk.report(comparison, tmp_path / "report.html", title="Cost of tracing")
    assert page == tmp_path / "report.html"
    assert "<title>Cost of tracing</title>" in page.read_text(encoding="utf-8")
    markdown = bk.report(comparison, str(tmp_path / "report.md"))
    assert "otlp" in markdown.read_text(encoding="utf-8")
    document = json.loads(
        bk.report(comparison, tmp_path / "report.json").read_text(encoding="utf-8")
    )
    assert document["verdict"] == comparison.verdict
    assert bk.report(comparison, tmp_path / "rows.csv").stat().st_size > 0


def test_importing_subpackages_keeps_the_functions(comparison: bk.Comparison) -> None:
    comparison.to_html()  # imports every module of reporting
    assert callable(bk.report)
    assert callable(bk.gate)


def test_unknown_extension_is_an_error(comparison: bk.Comparison, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'pdf' is not a report format"):
        bk.report(comparison, tmp_path / "report.pdf")


def test_unwritable_file_is_named(comparison: bk.Comparison, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere/report\.md: cannot write: No such file"):
        bk.report(comparison, tmp_path / "nowhere" / "report.md")
