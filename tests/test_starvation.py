"""Starved runs are named if their CPU reveals it, with the verdict without them."""

from __future__ import annotations

import pandas as pd
import pytest
import sessions

from benchkit import schema
from benchkit.comparison import Plan, compare
from benchkit.errors import Finding
from benchkit.starvation import find_starved_runs
from benchkit.verdict import Verdicts, judge

#: Outliers on the slow side among the runs of sessions.STARVED.
SLOW = {("none", 6), ("otlp", 5), ("apm", 5), ("skywalking", 5)}
USUAL = 0.9


def measured(cores: float, subject: str = "/bench/server") -> schema.Observations:
    """Return the starved session with the CPU of its server: ``cores`` in the slow runs."""
    rates, _ = sessions.session(sessions.STARVED, None)
    is_slow = [key in SLOW for key in zip(rates["variant"], rates["run"], strict=True)]
    usage = rates.assign(
        metric="cpu_usage",
        unit="cores",
        subject=subject,
        value=[cores if slow else USUAL for slow in is_slow],
    )
    return schema.observations(pd.concat([rates, usage], ignore_index=True))


def judged(observations: schema.Observations) -> tuple[Verdicts, schema.Runs]:
    _, runs = sessions.session(sessions.STARVED, None)
    first, *others = sessions.STARVED
    return judge(compare(observations, runs, [(first, other) for other in others], Plan())), runs


def list_findings(observations: schema.Observations) -> list[Finding]:
    verdicts, runs = judged(observations)
    return list(find_starved_runs(verdicts, observations, runs))


def test_four_starved_runs_are_named_and_change_two_verdicts() -> None:
    (finding,) = list_findings(measured(0.35))
    assert (finding.code, finding.severity) == ("B340", "warning")
    assert (
        finding.numbers["runs"] == "run 6 of none, run 5 of otlp, run 5 of apm, run 5 of skywalking"
    )
    assert finding.numbers["changed"] == 2
    assert finding.numbers["share none 6"] == pytest.approx(0.35 / USUAL)
    assert finding.numbers["without request_rate zipkin"] == pytest.approx(0.8335, abs=1e-3)
    text = finding.message.replace("\N{NO-BREAK SPACE}", " ")
    assert "otlp from −15.1 % (inconclusive) to −14.6 % (fewer, by at least 3 %)" in text
    assert "requests/s of apm from +4.2 % to +4.7 %" in text


def test_starved_runs_stay_in_the_comparison() -> None:
    verdicts, _ = judged(measured(0.35))
    assert {row.contrast.n_variant for row in verdicts.primary} == {6}


def test_outlier_with_normal_cpu_is_not_called_starved() -> None:
    assert list_findings(measured(0.7 * USUAL)) == []


def test_no_finding_without_cpu_data() -> None:
    rates, _ = sessions.session(sessions.STARVED, None)
    assert list_findings(rates) == []


def test_service_counts_not_the_busiest_container() -> None:
    server, store = measured(0.35), measured(USUAL, "/bench/storage")
    store = store[store["metric"] == "cpu_usage"].assign(value=1.5)
    both = schema.observations(pd.concat([server, store], ignore_index=True))
    assert list_findings(both) == []
    per_request = server[server["metric"] == "cpu_usage"].assign(
        metric="cpu_per_request", unit="s", value=1e-4
    )
    stated = schema.observations(pd.concat([both, per_request], ignore_index=True))
    (finding,) = list_findings(stated)
    assert finding.numbers["share apm 5"] == pytest.approx(0.35 / USUAL)


def test_cpu_recorded_for_all_runs_of_a_number_counts() -> None:
    rows = measured(0.35)
    is_usage = rows["metric"] == "cpu_usage"
    stated = rows.assign(
        benchmark=rows["benchmark"].where(~is_usage, ""),
        params=rows["params"].where(~is_usage, ""),
        tool=rows["tool"].where(~is_usage, "cadvisor"),
    )
    (finding,) = list_findings(schema.observations(stated))
    assert (
        finding.numbers["runs"] == "run 6 of none, run 5 of otlp, run 5 of apm, run 5 of skywalking"
    )


def test_fast_runs_are_not_starved() -> None:
    rates, runs = sessions.session({"none": (100, 101, 99, 100.5, 99.5, 180), "b": (90,) * 6}, None)
    usage = rates.assign(
        metric="cpu_usage", unit="cores", subject="s", value=[0.9] * 5 + [0.1] + [0.9] * 6
    )
    both = schema.observations(pd.concat([rates, usage], ignore_index=True))
    verdicts = judge(compare(both, runs, [("none", "b")]))
    assert list(find_starved_runs(verdicts, both, runs)) == []
