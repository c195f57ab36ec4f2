"""User code has the declared types: mypy checks this file, and it runs."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import benchkit as bk
from benchkit.plots.drawing import Drawing

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def test_every_error_is_caught_by_its_public_name(tmp_path: Path) -> None:
    with pytest.raises(bk.DataError):
        bk.load(tmp_path)
    try:
        bk.load(FIXTURES / "tracing-wrk").compare(baseline="nobody")
    except bk.BenchkitError as error:
        message = assert_type(error.what, str)
    assert "nobody" in message
    assert issubclass(bk.SchemaError, bk.DataError)


def test_figure_returns_a_drawing_or_the_axes_passed_in(tmp_path: Path) -> None:
    plot = bk.load(FIXTURES / "tracing-wrk").compare(baseline="none").plot
    drawing, axes = plot.percentiles(), plot.percentiles(ax=Figure().add_subplot())
    assert assert_type(drawing, Drawing).save(tmp_path / "p.svg").exists()
    assert assert_type(axes, Axes).set_title("tail").get_text() == "tail"
    assert_type(plot.forest(), Drawing)
    assert_type(plot.forest(ax=Figure().add_subplot()), Axes)


def test_findings_and_tables_have_public_names() -> None:
    comparison = bk.load(FIXTURES / "tracing-costs").compare(baseline="none")
    findings = assert_type(comparison.findings, tuple[bk.Finding, ...])
    assert findings[0].code == "B310"
    tables = assert_type(comparison.parts["resources"].tables, tuple[bk.Table, ...])
    assert tables[0].rows
