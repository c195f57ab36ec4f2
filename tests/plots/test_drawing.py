"""Figures in a notebook: they display themselves, accept axes, and leave no setting behind."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import benchkit as bk
from benchkit.errors import ConfigError
from benchkit.plots.drawing import Drawing, Plots
from benchkit.plots.theme import PALETTE

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@cache
def plots(name: str = "tracing-wrk", baseline: str = "none") -> Plots:
    return bk.load(FIXTURES / name).compare(baseline=baseline).plot


def test_drawing_displays_itself() -> None:
    drawing = plots().forest()
    assert drawing._repr_svg_().startswith("<?xml")
    assert "zipkin" in drawing._repr_svg_()
    assert len(drawing.axes) == 1
    assert repr(drawing) == "<Drawing of 1 panel: .save('plot.svg'), .axes, .figure>"


@pytest.mark.parametrize("kind", ["percentiles", "shift", "runs"])
def test_user_axes_are_drawn_on_and_returned(kind: str) -> None:
    axes = Figure().add_subplot()
    assert getattr(plots(), kind)(ax=axes) is axes
    assert axes.get_ylabel()
    assert len(axes.lines) > 4
    labels = {text.get_text() for text in axes.texts}
    assert {"otlp", "zipkin"} <= labels


@pytest.mark.parametrize("kind", ["percentiles", "shift", "runs"])
def test_drawing_is_returned_without_axes(kind: str) -> None:
    assert isinstance(getattr(plots(), kind)(), Drawing)


def test_forest_on_user_axes_labels_rows_at_the_ticks() -> None:
    axes = Figure(layout="constrained").add_subplot()
    assert plots().forest(ax=axes) is axes
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels[0].startswith("request_rate") or "is better" in labels[0]
    assert [text for text in labels if "zipkin" in text and "▲" in text and "16.1" in text]
    assert not axes.texts


@pytest.mark.parametrize("kind", ["forest", "percentiles", "shift", "runs"])
@pytest.mark.parametrize(("background", "scheme"), [("white", 0), ("black", 1), ("none", 0)])
def test_text_is_readable_on_the_background_of_the_figure(
    kind: str, background: str, scheme: int
) -> None:
    axes = Figure(facecolor=background).add_subplot()
    getattr(plots(), kind)(ax=axes)
    assert axes.xaxis.label.get_color() == PALETTE["muted"][scheme]


def test_array_of_axes_is_refused_with_a_message() -> None:
    pair: Any = Figure().subplots(1, 2)
    with pytest.raises(ConfigError, match=r"expected one Axes, got ndarray; .*ax=axes\[0\]"):
        plots().runs(ax=pair)


def test_sweep_of_two_panels_does_not_fit_on_one_axes() -> None:
    swept = bk.load(FIXTURES / "nginx-ab/nginx").compare().plot
    with pytest.raises(ConfigError, match="panels do not fit on one Axes"):
        swept.sweep(ax=Figure().add_subplot())


def test_no_setting_is_left_behind() -> None:
    before = dict(mpl.rcParams)
    plots().percentiles()
    plots().shift(ax=Figure().add_subplot())
    plots().forest()._repr_svg_()
    assert dict(mpl.rcParams) == before


def test_several_panels_do_not_fit_on_one_axes() -> None:
    several = plots("redis-gobench/interleaved", "Baseline")
    axes: Axes = Figure().add_subplot()
    with pytest.raises(ConfigError, match="5 panels do not fit on one Axes"):
        several.runs(ax=axes)


def test_extension_selects_the_saved_format(tmp_path: Path) -> None:
    drawing = plots().forest()
    assert drawing.save(tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert drawing.save(tmp_path / "A.PNG").read_bytes().startswith(b"\x89PNG")
    assert drawing.save(str(tmp_path / "a.svg")).read_text(encoding="utf-8").startswith("<?xml")
    with pytest.raises(ConfigError, match=r"use \.svg or \.png"):
        drawing.save(tmp_path / "a.pdf")
    message = r"nowhere/a\.svg: cannot write: No such file or directory"
    with pytest.raises(ConfigError, match=message):
        drawing.save(tmp_path / "nowhere" / "a.svg")
