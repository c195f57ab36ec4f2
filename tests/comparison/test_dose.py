"""Variants with a number: the cost of one more unit, in terminal, report and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from invocation import benchkit
from stopped import draw, write_series

import benchkit.api as bk
from benchkit.capture.plan import parse_plan
from benchkit.capture.session import carry_out
from benchkit.comparison.dose import Dose, list_responses, read_doses
from benchkit.stats.scalability import fit_line

RUNS = 6


def write(folder: Path, doses: dict[str, float], spread: float = 0.01) -> Path:
    """Write runs of two benchmarks: one with a variant's cost in ns, one that always costs 500."""
    generator = np.random.default_rng(3)
    for variant, cost in doses.items():
        (folder / variant).mkdir(parents=True)
        for run in range(1, RUNS + 1):
            get, put = np.exp(generator.normal(0, spread, 2)) * (cost, 500)
            text = f"BenchmarkGet \t 9 \t {get:.3f} ns/op\nBenchmarkPut \t 9 \t {put:.3f} ns/op\n"
            (folder / variant / f"{run}.txt").write_text(f"pkg: p\n{text}PASS\n")
    return folder


def linear(*doses: int, kind: str = "") -> dict[str, float]:
    return {f"{kind}spans={dose}": 1000 + 12 * dose for dose in doses}


def test_cost_per_unit_has_an_interval(tmp_path: Path) -> None:
    comparison = bk.load(write(tmp_path / "r", linear(0, 1, 4, 16))).compare(baseline="spans=0")
    get, put = list_responses((row.contrast for row in comparison.verdicts.rows), 0.95)
    assert (get.row.benchmark, get.name, get.runs) == ("Get", "spans", 4 * RUNS)
    assert get.line.low < 12e-9 < get.line.high
    assert get.line.high - get.line.low < 3e-9
    assert get.is_straight
    assert not get.is_series
    assert put.line.low < 0 < put.line.high
    first, second = comparison.parts["dose"].lines
    assert first.endswith("; no departure from a straight line was found.")
    assert first.startswith("Get: each unit of spans changes time per operation by +")
    assert second.startswith(
        "Put: these runs do not show that time per operation changes with spans"
    )


def test_curved_response_is_not_reported_as_a_line(tmp_path: Path) -> None:
    doses = {"spans=0": 1000.0, "spans=1": 1300.0, "spans=4": 1310.0, "spans=16": 1320.0}
    comparison = bk.load(write(tmp_path / "r", doses)).compare(baseline="spans=0")
    line, _ = comparison.parts["dose"].lines
    assert line.startswith("Get: time per operation does not change linearly with spans")
    assert "from 0 to 16 it changes by +3" in line


def test_stopped_series_fits_the_line_to_complete_rounds(tmp_path: Path) -> None:
    values = draw({"spans=0": 0, "spans=1": 0.05, "spans=4": 0.2}, 6)
    values["spans=4"].pop()
    comparison = bk.load(write_series(tmp_path / "r", values)).compare(baseline="spans=0")
    (response,) = list_responses((row.contrast for row in comparison.verdicts.rows), 0.95)
    assert {*map(len, response.values.values())} == {5}
    rounds = [*response.values.values()]
    fixed = fit_line(np.repeat([0, 1, 4], 5), np.concatenate(rounds))
    assert response.line.slope == pytest.approx(fixed.slope)
    assert response.line.high - response.line.low > 1.3 * (fixed.high - fixed.low)
    (table, *_) = comparison.parts["dose"].tables
    assert "the intervals allow for testing after every round" in table.caption
    early = {name: some[:3] for name, some in values.items()}
    comparison = bk.load(write_series(tmp_path / "early", early)).compare(baseline="spans=0")
    (line,) = comparison.parts["dose"].lines
    assert "too few runs for an interval" in line


def test_cost_of_a_rate_is_the_time_between_requests() -> None:
    fixture = Path(__file__).resolve().parents[2] / "fixtures/tracing-wrk"
    names = {"spans=0": "none", "spans=4": "apm", "spans=16": "otlp"}
    loads = {name: fixture / folder for name, folder in names.items()}
    comparison = bk.load(loads).compare(baseline="spans=0")
    (response,) = list_responses((row.contrast for row in comparison.verdicts.rows), 0.95)
    (row, *_) = comparison.verdicts.primary
    assert response.unit == "s"
    assert response.values[0] == tuple(1 / rate for rate in row.contrast.baseline_values)


def test_bare_number_is_a_dose(tmp_path: Path) -> None:
    doses = {f"{dose}": 1000.0 + 12 * dose for dose in (0, 1, 4)}
    comparison = bk.load(write(tmp_path / "r", doses)).compare(baseline="0")
    line, _ = comparison.parts["dose"].lines
    assert line.startswith("Get: each unit of variant changes time per operation by +")
    assert " of its value at variant=0)" in line
    large = {f"{dose}": 1000.0 + 0.2 * dose for dose in (0, 2000, 4000)}
    comparison = bk.load(write(tmp_path / "large", large)).compare(baseline="0")
    assert " of its value" not in comparison.parts["dose"].lines[0]


@pytest.mark.parametrize(
    "names",
    [
        ["jdk-17", "jdk-21", "jdk-25"],
        ["spans=0", "spans=4"],
        ["none", "otlp", "apm"],
        ["a spans=0", "b spans=1", "spans=4"],
    ],
)
def test_fewer_than_three_doses_of_a_kind_fit_no_line(tmp_path: Path, names: list[str]) -> None:
    loads = {name: write(tmp_path / f"{n}", {"x": 1000.0}) / "x" for n, name in enumerate(names)}
    comparison = bk.load(loads).compare(baseline=names[0])
    assert comparison.parts["dose"].missing.startswith("No dose")


def test_each_kind_has_its_own_line(tmp_path: Path) -> None:
    named = linear(0, 1, 4) | {
        f"{kind} sampling={dose}": 2000.0 + 500 * dose for kind in "ab" for dose in (0.1, 0.5, 1)
    }
    comparison = bk.load(write(tmp_path / "r", named)).compare(baseline="spans=0")
    responses = list_responses((row.contrast for row in comparison.verdicts.rows), 0.95)
    kinds = {(each.kind, each.name): tuple(each.values) for each in responses}
    assert kinds == {
        ("", "spans"): (0, 1, 4),
        ("a", "sampling"): (0.1, 0.5, 1),
        ("b", "sampling"): (0.1, 0.5, 1),
    }


def test_plan_can_state_the_dose_of_a_variant(tmp_path: Path) -> None:
    costs = {"none": 1000.0, "few": 1048.0, "many": 1192.0, "other": 3000.0}
    folder = write(tmp_path / "r", costs)
    variants = {"none": {"spans": 0}, "few": {"spans": 4}, "many": {"spans": 16}}
    for name, numbers in variants.items():
        text = "".join(f'"dose.{key}" = "{number}"\n' for key, number in numbers.items())
        (folder / name / "run.toml").write_text(f"[env]\n{text}")
    comparison = bk.load(folder).compare(baseline="none")
    (line, *_) = comparison.parts["dose"].lines
    assert line.startswith("Get: each unit of spans changes time per operation by +")

    echo = "echo BenchmarkGet 1 {spans}1 ns/op"
    session = carry_out(parse_plan({"command": echo, "variants": variants}), tmp_path / "out")
    assert session.problem == ""
    doses = read_doses(bk.load(tmp_path / "out").runs)
    assert doses == {name: [Dose("", "spans", variants[name]["spans"])] for name in variants}
    same = {"few": [Dose("", "spans", 4)], "many": [Dose("", "spans", 4)]}
    contrasts = [row.contrast for row in comparison.verdicts.rows]
    assert list_responses(contrasts, 0.95, doses | same) == []


def test_every_view_shows_the_cost_per_unit(tmp_path: Path) -> None:
    write(tmp_path / "r", linear(0, 1, 4, 16))
    words = ("compare", "r", "--baseline", "spans=0")
    assert "each unit of spans" in benchkit(*words, cwd=tmp_path).stdout
    document = json.loads(benchkit(*words, "--format", "json", cwd=tmp_path).stdout)
    slopes, doses = document["tables"]["dose"]
    assert slopes["rows"][0]["low"] < 12e-9 < slopes["rows"][0]["high"]
    assert [row["dose"] for row in doses["rows"][:4]] == [0, 1, 4, 16]
    for name in ("r.html", "r.md"):
        benchkit("report", "r", "--baseline", "spans=0", "-o", name, cwd=tmp_path)
        assert "each unit of spans" in (tmp_path / name).read_text(encoding="utf-8")
