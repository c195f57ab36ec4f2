"""The size of a report of five variants, five runs and ten metrics, with few or many samples."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import benchkit as bk
from benchkit import schema
from benchkit.reporting.to_markdown import MOST

VARIANTS = ("none", "apm", "otlp", "skywalking", "zipkin")
RUNS = range(1, 6)
METRICS = (
    *(("latency", stat, "s") for stat in ("p50", "p75", "p90", "p95", "p99", "p99.9", "max")),
    ("request_rate", "mean", "1/s"),
    ("latency", "mean", "s"),
    ("error_rate", "mean", "1"),
)


def make_frames(samples: int) -> pd.DataFrame:
    """Return ten statistics of each run, its course in twenty stretches, and raw samples."""
    rng = np.random.default_rng(1)
    begin = pd.Timestamp("2026-01-01T00:00:00Z")
    rows: list[dict[str, object]] = []
    for at, variant in enumerate(VARIANTS):
        for run in RUNS:
            statistics: list[tuple[str, str, str, pd.Timestamp | None]]
            statistics = [(*names, None) for names in METRICS]
            for step in range(20):
                time = begin + pd.Timedelta(seconds=40 * (5 * run + at) + 1.5 * step)
                statistics += [
                    ("latency", f"stretch_{s}", "s", time) for s in ("mean", "p50", "p90")
                ]
            statistics += [("latency", "sample", "s", None)] * samples
            values = rng.lognormal(-6 + at / 20, 0.1, len(statistics))
            rows += [
                {"variant": variant, "run": run, "metric": metric, "stat": stat, "unit": unit,
                 "time": time, "value": value}
                for (metric, stat, unit, time), value in zip(statistics, values, strict=True)
            ]  # fmt: skip
    common = {
        "group": "", "benchmark": "/a", "params": "", "subject": None, "n": 100_000,
        "resolution": None, "origin": "computed", "tool": "vegeta", "source": "results.bin:1",
    }  # fmt: skip
    return pd.DataFrame(rows).assign(**common)[schema.column_names()]


def test_report_of_five_variants_five_runs_ten_metrics_fits_in_a_mail() -> None:
    comparison = bk.compare(make_frames(0), baseline="none")
    assert len(comparison.frame) == (len(VARIANTS) - 1) * len(METRICS)
    page = comparison.to_html()
    assert 'id="time"' in page
    assert len(page.encode()) < 500_000
    assert len(comparison.to_markdown().encode()) <= MOST


def test_samples_do_not_enlarge_the_report() -> None:
    few, many = (
        len(bk.compare(make_frames(samples), baseline="none").to_html()) for samples in (10, 200)
    )
    assert many == pytest.approx(few, rel=0.05)
