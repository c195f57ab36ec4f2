"""Sweeps from raw files: medians per level by hand, knees by every rule, and non-sweeps."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import median

import pytest
from invocation import benchkit

import benchkit.api as bk
from benchkit.derived.saturation import find_knee, fit, parse_rule, saturate
from benchkit.derived.sweep import Sweep, list_sweeps
from benchkit.errors import BaselineError, ConfigError
from benchkit.tables.sweep import describe_sweep, sweep_table

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
NGINX = FIXTURES / "nginx-ab" / "nginx"


@cache
def swept() -> Sweep:
    runs = bk.load(NGINX)
    (sweep,) = [s for s in list_sweeps(runs.observations, runs.runs) if s.tool == "ab"]
    return sweep


def read_rates(level: int) -> list[float]:
    texts = [path.read_text() for path in sorted(NGINX.glob(f"ab-c{level}-?.txt"))]
    return [float(re.findall(r"Requests per second: +([\d.]+)", text)[0]) for text in texts]


@pytest.mark.parametrize("level", [1, 20, 30, 50, 100])
def test_level_is_the_median_of_its_runs(level: int) -> None:
    sweep = swept()
    (point,) = [each for each in sweep.levels if each.size == level]
    rates = read_rates(level)
    assert (point.runs, len(rates)) == (3, 3)
    assert point.rate == median(rates)
    first, best = median(read_rates(1)), median(read_rates(100))
    assert sweep.speed_up(point) == pytest.approx(median(rates) / first)
    assert sweep.efficiency(point) == pytest.approx(median(rates) / first / level)
    assert sweep.share(point) == pytest.approx(median(rates) / best)
    assert sweep.wait(point) == pytest.approx(level / median(rates))


def test_gains_are_relative_to_the_previous_level() -> None:
    sweep = swept()
    assert sweep.gain(0) is None
    assert sweep.gain(1) == pytest.approx(median(read_rates(20)) / median(read_rates(1)) - 1)


@pytest.mark.parametrize(
    ("rule", "knee"),
    [
        ("share:0.9", 50),
        ("share:0.95", 100),
        ("share:0.6", 20),
        ("power", 1),
        ("usl", None),
        ("sla:latency.p99<8500us", 30),
        ("sla:max<1s", 100),
        ("sla:p99<1us", None),
    ],
)
def test_each_rule_gives_its_knee(rule: str, knee: float | None) -> None:
    assert find_knee(swept(), parse_rule(rule), fit(swept())) == knee


@pytest.mark.parametrize("text", ["best", "share", "share:2", "sla:p99", "sla:p99<fast", "usl:1"])
def test_unknown_rule_lists_the_known_ones(text: str) -> None:
    with pytest.raises(ConfigError, match=r"share:0\.9, power, usl"):
        parse_rule(text)


def test_latency_missing_from_every_sweep_is_refused() -> None:
    runs = bk.load(NGINX)
    with pytest.raises(ConfigError, match=r"no sweep has latency p77.7") as error:
        runs.compare(knee="sla:latency.p77.7<5ms")
    assert error.value.hint.startswith("available: max, mean, min, p50, p75, p77, p90")
    for rule in ("", None):
        with pytest.raises(ConfigError, match="is not a rule for the knee"):
            runs.compare(knee=rule)  # type: ignore[arg-type]


def test_any_recorded_latency_can_be_requested() -> None:
    assert find_knee(swept(), parse_rule("sla:p75<3500us"), None) == 50
    assert find_knee(swept(), parse_rule("sla:median<2ms"), None) == 30


def test_sweep_without_the_latency_says_so() -> None:
    bare = replace(swept(), levels=tuple(replace(v, latency={}) for v in swept().levels))
    description = describe_sweep(saturate(bare, parse_rule("sla:p95<5ms")))
    assert "latency p95 was not recorded at 1" in description
    assert "the lowest level does not meet it" in describe_sweep(
        saturate(swept(), parse_rule("sla:p99<1us"))
    )


def test_latencies_in_whole_milliseconds_are_marked() -> None:
    level = swept().levels[1]
    assert level.steps["p50"] == level.steps["mean"] == 1e-3
    table = sweep_table(saturate(swept(), parse_rule("share:0.9")))
    keys = [column.key for column in table.columns]
    first, second, *_ = [dict(zip(keys, row, strict=True)) for row in table.rows]
    shown = [first[key].text.replace("\N{NO-BREAK SPACE}", " ") for key in ("mean", "p50", "p99")]
    assert shown == ["< 1", "< 1", "4"]
    assert (second["mean"].text, second["wait"].text) == ("2", "1.69")
    assert {column.unit for column in table.columns if "latency" in column.header} == {"ms"}


def test_unmeasured_levels_are_stated() -> None:
    description = describe_sweep(saturate(swept(), parse_rule("share:0.9")))
    assert (
        "no level between 1 and 20 was measured: the optimum lies somewhere in between"
        in description
    )
    assert "the best rate is at the highest level" in description
    poor = describe_sweep(saturate(swept(), parse_rule("usl")))
    assert "no level is the knee by usl: it misses a level" in poor


def test_sweep_of_one_variant_is_shown_without_a_comparison() -> None:
    comparison = bk.load(NGINX).compare()
    assert comparison.verdicts.rows == ()
    assert comparison.reason is not None
    assert [finding.code for finding in comparison.findings if finding.code == "B205"] == ["B205"]
    assert re.sub(r"\s", " ", comparison.verdict) == (
        "Sweep of nginx, /index.html, ab: best at 100 connections with 17 813 requests/s, 3.65× "
        "the rate at 1; 50 connections is the lowest tested level with at least 90 % of the best "
        "rate; and 1 more sweep."
    )
    assert "Sweep: nginx, /index.html, ab" in comparison.to_markdown()


def test_report_of_a_sweep_starts_with_the_best_level(
    tmp_path: Path,
) -> None:
    compared = benchkit("compare", str(NGINX), cwd=tmp_path)
    assert compared.returncode == 0
    assert compared.stdout.startswith("Sweep of nginx, /index.html, ab: best at 100 connections")
    benchkit("report", str(NGINX), "-o", "report.md", cwd=tmp_path)
    _, head, status, *_ = (tmp_path / "report.md").read_text(encoding="utf-8").split("\n\n")
    assert head.startswith("### Sweep of nginx, /index.html, ab: best at 100 connections")
    names = "/index.html and unnamed"  # the other results have no levels
    assert status.startswith(f"nginx · {names} · 25 runs, no comparison · ab · hey · closed loop")


def test_two_variants_with_common_levels_still_need_a_baseline(tmp_path: Path) -> None:
    for variant in ("apache", "caddy"):
        (tmp_path / variant).mkdir()
        for level in (1, 20, 30):
            name = f"ab-c{level}-1.txt"
            shutil.copy(NGINX / name, tmp_path / variant / name)
        path = tmp_path / variant / "ab-c1-1.txt"
        path.write_text(path.read_text() + f"\n{variant}\n")
    with pytest.raises(BaselineError):
        bk.load(tmp_path).compare()


def test_two_levels_are_not_a_sweep() -> None:
    runs = bk.load(NGINX / "ab-c1-1.txt", NGINX / "ab-c20-1.txt")
    assert list_sweeps(runs.observations, runs.runs) == []


def test_fitted_law_has_intervals_at_the_requested_confidence() -> None:
    laws = [fit(swept(), confidence) for confidence in (0.8, 0.99)]
    widths = [law.rate[2] - law.rate[1] for law in laws if law is not None]
    assert widths[0] < widths[1] / 2
