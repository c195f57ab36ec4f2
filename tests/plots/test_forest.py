"""The forest plot: its data, a stable and well-formed SVG, colours with contrast."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from examples import RATE, gobench, published, tracing, verdicts

from benchkit.comparison import Comparisons
from benchkit.plots import forest
from benchkit.plots.forest import _LOOK
from benchkit.plots.svg import to_svg
from benchkit.plots.theme import PALETTE
from benchkit.tables.wording import MARKS
from benchkit.verdict import Verdicts, judge

if TYPE_CHECKING:
    from conftest import Golden


def draw(verdicts: Verdicts) -> str:
    return to_svg(forest.draw(verdicts), "Overhead", "what is seen", prefix="forest")


def test_drawn_data(golden: Golden) -> None:
    text = json.dumps(asdict(forest.data(tracing())), indent=1, ensure_ascii=False)
    golden.check("plots/forest-tracing.json", text + "\n")


def test_worst_row_is_first_in_either_direction() -> None:
    assert [row.label for row in forest.data(tracing()).rows] == [
        "zipkin",
        "otlp",
        "skywalking",
        "apm",
    ]
    verdicts = gobench({"A": ((1.0,) * 4, (0.5,) * 4), "B": ((1.0,) * 4, (2.0,) * 4)})
    assert [row.label for row in forest.data(verdicts).rows] == ["B", "A"]


def test_runs_are_drawn_relative_to_the_baseline_centre() -> None:
    row = forest.data(tracing()).rows[0]
    assert row.runs[0] == 8900.86 / 10531.175
    assert len(row.baseline_runs) == 8


def test_axis_is_logarithmic_from_a_factor_of_two() -> None:
    assert not forest.data(tracing()).is_logarithmic
    assert forest.data(published()).is_logarithmic


def test_rows_without_a_ratio_are_counted_as_omitted() -> None:
    first = tracing().rows[0].contrast
    contrasts = (first, replace(first, variant="b", ratio=None, ratio_low=None, ratio_high=None))
    verdicts = judge(Comparisons(pairs=(("none", "otlp"),), contrasts=contrasts, confidence=0.95))
    drawn = forest.data(verdicts)
    assert len(drawn.rows) == drawn.left_out == 1
    assert not drawn.cut


def test_unnamed_benchmark_is_labelled_and_rounding_stays_within_the_margin() -> None:
    drawn = forest.data(gobench({"": ((1.0,), (1.0296,)), "full": ((1.0,), (1.1,))}))
    assert [row.label for row in drawn.rows] == ["full", "(unnamed)"]
    assert drawn.rows[1].texts == ("+2.96\N{NO-BREAK SPACE}%", "")


def test_only_the_largest_of_many_rows_are_drawn() -> None:
    many = {f"B{n:03}": ((1.0,), (1 + n / 100,)) for n in range(100)}
    drawn = forest.data(gobench(many))
    assert len(drawn.rows) == forest.MOST_ROWS
    assert drawn.left_out == drawn.smaller == 100 - forest.MOST_ROWS
    assert drawn.cut == "24 of 100 rows, the largest changes"
    assert forest.describe(drawn).startswith(
        "Change of time per operation vs. baseline (24 of 100 rows, the largest changes)"
    )
    assert drawn.rows[0].label == "B099"


def test_same_figure_yields_the_same_bytes() -> None:
    assert draw(tracing()) == draw(tracing())


def test_svg_is_well_formed_and_described() -> None:
    for shown in (tracing(), published(), gobench({"A": ((1.0,) * 4, (3.0,) * 4)})):
        root = ET.fromstring(draw(shown))  # noqa: S314 - our own text
        assert root.attrib["role"] == "img"
        assert [child.text for child in root[:2]] == ["Overhead", "what is seen"]


def test_ids_are_unique_and_begin_with_the_prefix() -> None:
    text = draw(tracing())
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert all(name.startswith("forest-") for name in ids)
    used = re.findall(r'(?:href="#|url\(#)([^")]+)', text)
    assert used
    assert set(used) <= set(ids)


def test_colours_are_variables_and_nothing_is_requested() -> None:
    text = draw(tracing())
    assert "#0a0b" not in text
    assert "var(--bk-worse, #b34700)" in text
    assert "<style" not in text
    assert not re.findall(r"(?:href|src)=\"(?!#)", text)


def test_hostile_names_are_drawn_as_text() -> None:
    names = ["<script>x</script>", "$\\frac{", "a\x1b[2J", "é漢", "x" * 300]
    sides = {"none": (100.0, 101.0)} | dict.fromkeys(names, (90.0, 91.0))
    text = draw(verdicts({RATE: sides}, "wrk", "/"))
    ET.fromstring(text)  # noqa: S314 - well-formed in spite of all
    assert "<script" not in text
    assert "\x1b" not in text


def test_description_names_every_row() -> None:
    description = forest.describe(forest.data(tracing()))
    assert "vs. none" in description
    for name in ("otlp", "zipkin", "apm", "skywalking"):
        assert f"requests/s {name} " in description


def test_marks_equal_those_of_the_tables() -> None:
    assert {word: mark for word, (_, mark) in _LOOK.items()} == MARKS


def test_text_has_a_contrast_of_at_least_4_5_in_both_schemes() -> None:
    for scheme in (0, 1):
        series = [name for name in PALETTE if name.startswith("series")]
        for name in ("ink", "muted", "worse", "better", "same", *series):
            for ground in ("paper", "band"):
                ratio = contrast(PALETTE[name][scheme], PALETTE[ground][scheme])
                assert ratio >= 4.5, (name, ground, scheme)


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_container_is_named_as_in_the_tables() -> None:
    first = tracing().rows[0]
    digits = "70106e645a7532240887c74de138d1a4"
    contrast = replace(first.contrast, subject=f"/docker/{digits}")
    other = replace(first.contrast, subject="/bench/server")
    rows = tuple(replace(first, contrast=each) for each in (contrast, other))
    text = json.dumps(asdict(forest.data(replace(tracing(), rows=rows))))
    assert "70106e645a75" in text
    assert digits not in text
