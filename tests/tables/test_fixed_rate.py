"""At a fixed rate, latencies are shown side by side with their differences and the load."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import benchkit.api as bk
from benchkit.stats.location import welch
from benchkit.stats.rank import hodges_lehmann
from benchkit.stats.sample import Estimate
from benchkit.tables.derived import Part
from benchkit.tables.model import Table

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@cache
def part(name: str) -> Part:
    return bk.load(FIXTURES / name).compare().parts["held"]


def rows(table: Table) -> list[dict[str, Any]]:
    keys = [column.key for column in table.columns]
    return [dict(zip(keys, row, strict=True)) for row in table.rows]


def test_each_difference_is_estimated_from_the_runs() -> None:
    (table,) = part("shorturl-k6").tables
    base, other, difference = rows(table)
    assert [row["variant"].text for row in (base, other, difference)] == [
        "baseline",
        "otel",
        "Δ otel",
    ]
    # printed by k6, typed in: the median of each of five runs
    medians = (151.59, 185.82, 164.14, 172.84, 209.39), (199.69, 233.16, 210.92, 215.07, 233.27)
    shift = hodges_lehmann(*medians)
    assert base["p50"].value == pytest.approx(172.84e-6, abs=1e-8)
    assert other["p50"].value == pytest.approx(215.07e-6, abs=1e-8)
    assert difference["p50"].value == pytest.approx(shift.value * 1e-6, abs=1e-8)
    assert difference["p50"].text == f"+{shift.value:.3g} [+{shift.low:.3g}, +{shift.high:.3g}]"
    assert (base["offered"].value, base["failed"].value) == (500, 0)
    assert (base["requests"].value, other["requests"].value) == (15001, 14999)
    assert difference["max"].text == "–"


def test_sentence_states_added_latency_and_incomplete_loads() -> None:
    (line,) = part("shorturl-k6").lines
    sentence = line.replace("\N{NO-BREAK SPACE}", " ")
    assert sentence.startswith(
        "otel adds 46.8 µs [+5.68, +69.1] to the median request (173 µs → 215 µs"
    )
    assert sentence.endswith(
        "not every run reached it (baseline 468/s in its slowest run): see B314."
    )


def test_fixed_rate_is_not_a_result() -> None:
    (line,) = part("skywalking-costs").lines
    assert line.startswith("agent: inconclusive; the estimate is ")
    assert "), at 300 requests/s; the load generator set this rate" in line
    assert line.endswith("so it is not a result.")


def test_differing_loads_are_reported() -> None:
    runs = bk.load(FIXTURES / "shorturl-k6")
    slow = runs.observations.copy()
    changed = (slow["variant"] == "otel") & (slow["metric"] == "request_rate")
    slow.loc[changed, "value"] *= 0.8
    differing = runs.holding(slow).compare().parts["held"]
    assert "the loads differ, so the latencies are not comparable" in differing.lines[0]


def test_closed_loop_has_no_fixed_rate_table() -> None:
    assert part("tracing-wrk").tables == ()
    assert part("tracing-wrk").missing.startswith("No latency at a fixed rate")


def test_difference_opposite_to_its_medians_has_a_note() -> None:
    (table,) = part("skywalking-costs").tables
    base, other, difference = (row["mean"] for row in rows(table)[:3])
    assert other.value > base.value
    assert difference.value < 0
    assert table.notes[difference.notes[0] - 1].startswith(
        "the medians differ in the opposite direction"
    )
    assert rows(table)[2]["p50"].notes == ()


@pytest.mark.parametrize(
    ("method", "estimator", "words"),
    [
        ("rank", hodges_lehmann, "by ranks"),
        ("welch", lambda x, y: welch(x, y)[0], "by Welch's test"),
    ],
)
def test_differences_use_the_method_of_the_rows(
    method: str, estimator: Callable[..., Estimate], words: str
) -> None:
    compared = bk.load(FIXTURES / "shorturl-k6").compare(method=method)
    (table,) = compared.parts["held"].tables
    *_, difference = rows(table)
    for contrast in compared.comparisons.contrasts:
        stat = contrast.stat
        if contrast.metric != "latency" or contrast.subject or stat not in difference:
            continue
        if stat == "max":
            continue
        estimate = estimator(contrast.baseline_values, contrast.variant_values)
        assert contrast.amount == pytest.approx((estimate.value, estimate.low, estimate.high))
        assert difference[stat].value == estimate.value
    assert f" ({words})" in table.footer[0]
    p50 = difference["p50"].text.replace("\N{NO-BREAK SPACE}", " ").split(" ", 1)
    (line,) = compared.parts["held"].lines
    assert f"adds {p50[0][1:]} µs {p50[1]}" in line.replace("\N{NO-BREAK SPACE}", " ")


def test_views_call_no_two_sample_estimator() -> None:
    """Views show the numbers of the evidence, computed by the method in use."""
    package = Path(bk.__file__).parents[1]
    calls = ("estimate_shift", "hodges_lehmann", "welch(", "mann_whitney", "paired_", "wilcoxon")
    for view in ("tables", "plots", "reporting"):
        for module in sorted((package / view).rglob("*.py")):
            text = module.read_text(encoding="utf-8")
            assert [call for call in calls if call in text] == [], module
