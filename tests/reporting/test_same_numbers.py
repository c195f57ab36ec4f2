"""Every view shows the JSON's numbers: the same estimate, interval, p, method, verdict, runs.

Cases are generated: counts, zeros, negative values, huge and tiny units, one to twelve runs,
unequal sides, constant rows, one to sixty rows, each method and confidence.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from examples import Row, observations, runs_of

from benchkit.comparison import Plan, compare
from benchkit.config.limits import parse_limit
from benchkit.config.rules import Habits, Rule
from benchkit.gating.judgement import judge_rules, judge_verdicts
from benchkit.gating.outcome import NOT_SHOWN, OVER, WITHIN, GateOutcome
from benchkit.gating.result import GateResult
from benchkit.gating.sinks import render_sink
from benchkit.gating.table import gate_table
from benchkit.reporting.formats import render
from benchkit.reporting.model import build
from benchkit.tables.model import Table
from benchkit.tables.overhead import primary_tables
from benchkit.tables.sentence import bullets, headline
from benchkit.tables.wording import MARKS
from benchkit.verdict import INCONCLUSIVE, Verdicts, excludes_cost, judge

if TYPE_CHECKING:
    from benchkit.schema import Runs

Draw = Callable[[np.random.Generator, int], np.ndarray]
SHAPES: Mapping[str, tuple[str, str, Draw]] = {
    "time": ("time_per_op", "s", lambda g, n: 3e-5 * np.exp(g.normal(0.0, 0.03, n))),
    "noisy": ("time_per_op", "s", lambda g, n: 5e-9 * np.exp(g.normal(0.0, 1.5, n))),
    "rate": ("request_rate", "1/s", lambda g, n: 2e7 * np.exp(g.normal(0.0, 0.02, n))),
    "count": ("queue", "1", lambda g, n: g.poisson(4.0, n).astype(float)),
    "below": ("balance", "1", lambda g, n: g.normal(-5.0, 2.0, n)),
    "constant": ("time_per_op", "s", lambda g, n: np.full(n, float(g.integers(1, 4)))),
    "zeros": ("queue", "1", lambda g, n: g.normal(5.0, 1.0, n) * (g.integers(0, 2) > 0)),
    "exact": ("allocs_per_op", "1", lambda g, n: np.full(n, float(g.integers(0, 5)))),
    "huge": ("transfer_rate", "B/s", lambda g, n: 1e15 * np.exp(g.normal(0.0, 0.4, n))),
}
RUNS = ((1, 1), (1, 9), (2, 2), (3, 3), (2, 5), (4, 4), (4, 7), (6, 6), (8, 8), (12, 5), (12, 12))
METHODS, CONFIDENCES = ("auto", "rank", "welch", "history"), (0.95, 0.9, 0.99)
CASES = [
    (shape, RUNS[(7 * number + i) % len(RUNS)], (1, 4, 60)[(number + i) % 3], number * 10 + i)
    for number, shape in enumerate(SHAPES)
    for i in range(4)
]
SPACES = dict.fromkeys(map(ord, "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"), " ")
UNITS = {
    "ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30,
    "TiB": 2.0**40, "%": 0.01,
}  # fmt: skip
WORDS = {"regression": OVER, "improvement": WITHIN, "equivalent": WITHIN, "unchanged": WITHIN}


def draw(
    shape: str, sides: tuple[int, int], rows: int, seed: int
) -> tuple[Verdicts, Runs, list[dict[str, Any]]]:
    """Compare generated runs, and return the verdicts with the JSON's rows."""
    metric, unit, values = SHAPES[shape]
    generator = np.random.default_rng(seed)
    table: list[Row] = []
    for row in range(rows):
        factor = 1.0 + 0.2 * (row % 3)
        for variant, n in zip(("none", "otlp"), sides, strict=True):
            drawn = values(generator, n) * (factor if variant == "otlp" else 1.0)
            table += [
                (variant, f"B{row}", run, metric, "sample", float(f"{value:.7g}"), unit)
                for run, value in enumerate(drawn.tolist(), 1)
            ]
    plan = Plan(
        primaries=((metric, "sample"),),
        method=METHODS[seed % len(METHODS)] if seed % 3 == 0 else "auto",
        confidence=CONFIDENCES[seed % len(CONFIDENCES)] if seed % 2 else 0.95,
    )
    runs = runs_of(table, "gobench")
    verdicts = judge(compare(observations(table, "gobench"), runs, [("none", "otlp")], plan))
    return verdicts, runs, json.loads(render(build(verdicts, runs, ()), "json"))["rows"]


def read(text: str) -> tuple[float, float]:
    """Return the number of a text in base units, and half of its last digit's step."""
    plain = text.translate(SPACES).replace("\N{MINUS SIGN}", "-").replace("±", "").replace(" ", "")
    match = re.fullmatch(r"([+-]?[\d.]+(?:e[+-]?\d+)?)(×?)(.*)", plain)
    assert match, text
    unit = match[3].partition("/")[0].replace("µ", "µ")
    scale = UNITS.get(unit, 1.0)
    mantissa, _, power = match[1].partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(power or 0)
    return float(match[1]) * scale, 0.5001 * 10.0**-decimals * scale


def is_rounded(text: str, value: float) -> bool:
    """Return whether a text is this number, rounded to at least three digits."""
    shown, half = read(text)
    return abs(shown - value) <= max(half, 0.005 * abs(value) * ("%" not in text))


def check_change(text: str, row: Mapping[str, Any], ratio: float | None, shift: float) -> None:
    """Check an estimate or one end of an interval."""
    if ratio is None:
        assert is_rounded(text, shift), (text, shift, row)
    else:
        assert is_rounded(text, ratio if "×" in text else ratio - 1), (text, ratio, row)


def check_interval(text: str, row: Mapping[str, Any], ends: tuple[Any, Any]) -> None:
    """Check that an interval has the JSON's ends, or is absent where the JSON has none."""
    low, high = ends
    if text in {"–", "", "too noisy to tell"}:
        is_wide = text == "too noisy to tell"
        assert is_wide or low is None or high is None or low == high, (text, row)
        return
    match = re.fullmatch(r"\[(.+), (\S+?)(\D*)\]( \S+)?", text.translate(SPACES))
    assert match, text
    for shown, end in ((match[1], low), (match[2], high)):
        unit = "" if re.search(r"[^\d.]$", shown) else match[3]
        check_change(f"{shown}{unit}", row, None if row["ratio"] is None else end, end)


def list_cells(table: Table) -> list[dict[str, str]]:
    """Return the cells of a table by column, with the units of the header."""
    return [
        {column.key: cell.text for column, cell in zip(table.columns, row, strict=True)}
        for row in table.rows
    ]


def order_by_benchmark(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["benchmark"]: row for row in rows}


def ends_of(row: Mapping[str, Any]) -> tuple[Any, Any]:
    kind = "difference" if row["ratio"] is None else "ratio"
    return row[f"{kind}_low"], row[f"{kind}_high"]


def shift_of(row: Mapping[str, Any]) -> float:
    return float(row["delta"] if row["difference"] is None else row["difference"])


@pytest.mark.parametrize(("shape", "sides", "rows", "seed"), CASES)
def test_every_view_shows_the_numbers_of_the_json(
    shape: str, sides: tuple[int, int], rows: int, seed: int
) -> None:
    verdicts, runs, known = draw(shape, sides, rows, seed)
    by_name = order_by_benchmark(known)
    (table,) = primary_tables(verdicts)
    names = list(by_name)
    for row, cells in zip(verdicts.primary, list_cells(table), strict=True):
        entry = by_name[row.contrast.benchmark]
        assert cells.get("benchmark", names[0]) == entry["benchmark"]
        if cells["change"] != "–":
            check_change(cells["change"], entry, entry["ratio"], shift_of(entry))
        check_interval(cells["interval"].removesuffix(" prediction"), entry, ends_of(entry))
        if cells["p"] not in {"–", "exact"}:
            p = entry["p_adjusted"]
            assert cells["p"] == ("< 0.001" if p < 0.001 else f"{p:.3f}")
        n, m = entry["n_baseline"], entry["n_variant"]
        assert cells["n"] == (f"{n}" if n == m else f"{n} + {m}")
    check_renderings(verdicts, runs, table)


def check_renderings(verdicts: Verdicts, runs: Runs, table: Table) -> None:
    """Check that terminal, Markdown and page contain the cells, the sentence and the bullets."""
    report = build(verdicts, runs, ())
    page = html.unescape(re.sub(r"<[^>]+>", "", render(report, "html")))
    views = {"text": str(table), "md": render(report, "md"), "html": page}
    for name, text in views.items():
        flat = re.sub(r"\\(.)", r"\1", html.unescape(text)).translate(SPACES)
        texts = {cell.text.translate(SPACES) for row in table.rows for cell in row}
        missing = {shown for shown in texts if shown not in flat}
        assert not missing, (name, missing)
    for line in (headline(verdicts), *bullets(verdicts)):
        assert line.translate(SPACES) in page.translate(SPACES)
    marks = [cell.mark for row in table.rows for cell in row if cell.mark]
    assert marks == [MARKS[row.word] for row in verdicts.primary]


@pytest.mark.parametrize(("shape", "sides", "rows", "seed"), CASES)
def test_gate_agrees_with_the_comparison(
    shape: str, sides: tuple[int, int], rows: int, seed: int
) -> None:
    verdicts, _, known = draw(shape, sides, rows, seed)
    by_name = order_by_benchmark(known)
    outcome = judge_verdicts(verdicts, Habits())
    gated = read_gate(outcome)
    contrasts = {row.contrast.benchmark: row.contrast for row in verdicts.rows}

    def excludes(benchmark: str) -> bool:
        return excludes_cost(contrasts[benchmark], verdicts.margin)

    assert [row["benchmark"] for row in gated] == [row["benchmark"] for row in known]
    for row in gated:
        compared = by_name[row["benchmark"]]
        for key in ("method", "n_baseline", "n_variant", "center_baseline", "center_variant"):
            assert row[key] == compared[key]
        is_ratio = compared["ratio"] is not None
        assert row["estimate"] == ("ratio" if is_ratio else "difference")
        assert row["value"] == (compared["ratio"] if is_ratio else shift_of(compared))
        assert row["p_over"] == compared["p_adjusted"]
        assert (row["adjustment"] or "") == (compared["adjustment"] or "")
        check_inside(row, ends_of(compared))
        grew = compared["metric"] == "allocs_per_op" and compared["delta"] > 0
        word = OVER if grew else WORDS.get(compared["verdict"], NOT_SHOWN)
        if word == NOT_SHOWN and compared["verdict"] == INCONCLUSIVE and excludes(row["benchmark"]):
            word = WITHIN  # the size of the gain is open, but the cost is below the margin
        assert row["outcome"] == (NOT_SHOWN if row["undecided"] else word)


def check_inside(row: Mapping[str, Any], ends: tuple[Any, Any]) -> None:
    """Check that the narrower interval of the gate lies within the comparison's."""
    low, high = ends
    if row["low"] is not None and low is not None and high is not None:
        slack = 1e-9 * max(abs(low), abs(high))
        assert low - slack <= row["low"] <= row["high"] <= high + slack


def read_gate(outcome: GateOutcome) -> list[dict[str, Any]]:
    """Return the rows of a gate's JSON, after checking the table and JUnit against them."""
    result = GateResult(outcome=outcome)
    (gate,) = json.loads(render_sink("json", result))["gates"]
    rows: list[dict[str, Any]] = gate["rows"]
    by_name = order_by_benchmark(rows)
    table = gate_table(outcome)
    for cells in list_cells(table):
        entry = by_name[cells.get("benchmark", rows[0]["benchmark"])]
        is_ratio = entry["estimate"] == "ratio"
        ratio = entry["value"] if is_ratio else None
        if entry["value"] is not None:
            check_change(cells["change"], entry, ratio, entry["value"])
        check_interval(cells["interval"], {"ratio": ratio}, (entry["low"], entry["high"]))
    cases = ET.fromstring(render_sink("junit", result)).iter("testcase")  # noqa: S314
    for case, entry in zip(cases, rows, strict=True):
        lines = (case.findtext("system-out") or "").splitlines()
        numbers = dict(line.partition(": ")[::2] for line in lines)
        for key in ("value", "low", "high"):
            assert numbers.get(key) == (None if entry[key] is None else f"{entry[key]!r}")
        if entry["p_over"] is not None:
            assert numbers["p_over"] == f"{entry['p_over']!r}"
        assert numbers["runs"] == f"{entry['n_baseline']} + {entry['n_variant']}"
    assert all(math.isfinite(row["value"]) for row in rows if row["value"] is not None)
    return rows


@pytest.mark.parametrize(("shape", "sides", "rows", "seed"), CASES[::3])
def test_limit_shows_the_estimate_of_the_row_test(
    shape: str, sides: tuple[int, int], rows: int, seed: int
) -> None:
    verdicts, _, known = draw(shape, sides, rows, seed)
    limit = parse_limit("5%", "test")
    rule = Rule(name="limit", metric=known[0]["metric"], stat="sample", acceptable=limit)
    gated = read_gate(judge_rules(verdicts.comparisons, [rule]))
    for row, c in zip(gated, verdicts.comparisons.contrasts, strict=True):
        assert row["value"] == (c.shift if c.ratio is None else c.ratio)
        assert row["method"] == c.method
