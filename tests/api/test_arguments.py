"""Arguments of a comparison: shares and names are checked the same in every entry point."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import benchkit as bk
from benchkit.errors import BaselineError, ConfigError, SelectionError

WRK = Path(__file__).resolve().parents[2] / "fixtures" / "tracing-wrk"


@pytest.fixture(scope="module")
def results() -> bk.RunSet:
    return bk.load(WRK).where(variant=["none", "otlp", "apm"])


@pytest.mark.parametrize("margin", [3, 1, 0, -0.1, float("nan"), float("inf"), "7", None, True])
def test_margin_must_be_a_share(results: bk.RunSet, margin: float) -> None:
    with pytest.raises(ConfigError, match=r"margin: .* is not a share between 0 and 1; use 3%"):
        results.compare(baseline="none", margin=margin)
    with pytest.raises(ConfigError, match="margin"):
        bk.compare(results.observations, baseline="none", margin=margin)


@pytest.mark.parametrize("confidence", [95, "7", None, float("nan"), 0.3, [0.95]])
def test_confidence_must_be_a_share(results: bk.RunSet, confidence: float) -> None:
    with pytest.raises(ConfigError, match=r"confidence: .*95%"):
        results.compare(baseline="none", confidence=confidence)


@pytest.mark.parametrize("margin", ["5%", 0.05, np.float32(0.05), " 5 % "])
def test_share_may_be_number_or_text(results: bk.RunSet, margin: float) -> None:
    comparison = results.compare(baseline="none", margin=margin, confidence="90%")
    assert comparison.verdicts.margin == pytest.approx(0.05)
    assert comparison.comparisons.confidence == 0.9


def test_very_small_margin_is_accepted(results: bk.RunSet) -> None:
    assert results.compare(baseline="none", margin=1e-5).verdicts.margin == 1e-5


def test_single_metric_needs_no_list(results: bk.RunSet) -> None:
    comparison = results.compare(baseline="none", metrics="latency.p99")
    listed = results.compare(baseline="none", metrics=["latency.p99"])
    assert comparison.frame.equals(listed.frame)
    with pytest.raises(SelectionError, match="unknown metric 'delay'"):
        results.compare(baseline="none", metrics="delay")


def test_display_name_selects_a_metric(results: bk.RunSet) -> None:
    shown = results.compare(baseline="none", metrics=["p99 latency", "requests/s"])
    named = results.compare(baseline="none", metrics=["latency.p99", "request_rate"])
    assert shown.frame.equals(named.frame)


def test_variant_named_twice_counts_once(results: bk.RunSet) -> None:
    once = results.compare(baseline="none", variant="otlp").frame
    twice = results.compare(baseline="none", variant=["otlp", "otlp"]).frame
    paired = results.compare(pairs=[("none", "otlp"), ("none", "otlp")]).frame
    assert twice.equals(once)
    assert paired.equals(once)


def test_frame_is_compared_with_every_option(results: bk.RunSet) -> None:
    comparison = results.observations.pipe(
        bk.compare, baseline="none", metrics=["latency.p99"], blocks="never", method="welch"
    ).frame
    assert comparison.query("primary").stat.unique().tolist() == ["p99"]
    assert set(comparison.query("primary").method) == {"welch"}
    with pytest.raises(ConfigError, match="method"):
        results.observations.pipe(bk.compare, baseline="none", method="guess")


def test_unknown_tool_takes_the_named_primaries(results: bk.RunSet) -> None:
    rates = results.observations.query("metric == 'request_rate'").assign(tool="mine")
    two = rates.assign(metric="hits"), rates.assign(metric="misses")
    unnamed = pd.concat(two).pipe(bk.compare, baseline="none")
    assert "metrics=" in unnamed.verdict
    named = rates.pipe(bk.compare, baseline="none", metrics="request_rate").frame
    read = results.compare(baseline="none", metrics="request_rate").frame
    assert named.query("primary").ratio.tolist() == read.query("primary").ratio.tolist()


def test_frame_is_an_independent_pandas_copy(results: bk.RunSet) -> None:
    comparison = results.compare(baseline="none")
    frame = comparison.frame
    assert len(frame.drop_duplicates()) == len(frame)
    frame["ratio"] = 0.0
    assert (comparison.frame["ratio"] > 0).all()


@pytest.mark.parametrize("policy", [None, 5, ["gate"]])
def test_invalid_policy_is_refused(results: bk.RunSet, policy: None) -> None:
    with pytest.raises(
        ConfigError, match=r"policy: expected a policy, got \w+; pass a path, .* or \{\}"
    ):
        bk.gate(results.compare(baseline="none"), policy)  # type: ignore[arg-type]


def test_policy_is_applied_to_a_comparison(results: bk.RunSet) -> None:
    with pytest.raises(
        ConfigError, match="gate: expected a comparison, got RunSet; pass what compare returns"
    ):
        bk.gate(results, {})  # type: ignore[arg-type]


def test_invalid_name_is_refused(results: bk.RunSet) -> None:
    compare: Any = results.compare
    for wrong in ({"metrics": 5}, {"variant": 5}, {"variant": ["otlp", None]}, {"metrics": [b"x"]}):
        with pytest.raises(
            ConfigError, match=r"expected a name, got .*; pass one string or a list of strings"
        ):
            compare(baseline="none", **wrong)
    for pairs in (["none"], [("none",)], [("none", 5)], [("none", "otlp", "apm")]):
        with pytest.raises(
            ConfigError, match=r"expected a pair, got .*; pass \[\(baseline, variant\)"
        ):
            compare(pairs=pairs)
    with pytest.raises(SelectionError, match="no variant given; omit variant"):
        compare(baseline="none", variant=[])


def test_compare_takes_only_a_frame_and_points_to_load(results: bk.RunSet) -> None:
    compare: Any = bk.compare
    with pytest.raises(
        ConfigError, match=r"RunSet; the results are already loaded: results\.compare"
    ):
        compare(results, baseline="none")
    with pytest.raises(ConfigError, match=r"bk\.load\(path\)\.compare"):
        compare(str(WRK), baseline="none")


def test_report_needs_a_comparison(results: bk.RunSet, tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"report: expected a comparison, got RunSet; pass the result of compare"
    ):
        bk.report(results, tmp_path / "r.html")  # type: ignore[arg-type]
    comparison = results.compare(baseline="none")
    with pytest.raises(
        ConfigError, match="report: expected a path, got NoneType; give a file name"
    ):
        bk.report(comparison, None)  # type: ignore[arg-type]
    assert bk.report(comparison, tmp_path / "R.HTML").read_text(encoding="utf-8")[:9] == "<!doctype"


def test_wrk_is_recognised_by_its_name_alone(results: bk.RunSet) -> None:
    reloaded = bk.load(results.observations)
    codes = {finding.code for finding in reloaded.check(baseline="none")}
    assert "B310" in codes
    assert "B311" not in codes


def test_errors_use_names_shared_by_python_and_the_command_line(results: bk.RunSet) -> None:
    with pytest.raises(ConfigError, match=r"^knee: 'x' is not a rule for the knee"):
        results.compare(baseline="none", knee="x")
    with pytest.raises(BaselineError, match=r"with --baseline, or baseline= in Python; the "):
        results.where(variant=["otlp", "apm"]).compare()
    with pytest.raises(ConfigError, match=r"^templates: json does not support templates"):
        results.compare(baseline="none").render("json", templates=WRK)
