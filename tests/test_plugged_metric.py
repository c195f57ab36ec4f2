"""A metric of another package, installed with pip, has a direction and an explanation."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from plugged import install, run_benchkit

from benchkit import metrics
from benchkit.cli import run

METRIC = '''
"""What this team's benchmarks report with b.ReportMetric."""
from benchkit.metrics import Metric

RETRIES = Metric(
    name="retries/op",
    unit="1",
    better="lower",
    stats=("sample",),
    meaning="Requests that were sent again, of one operation.",
    source="go test retries/op",
)
'''
POINTS = "[benchkit.metrics]\nretries = acme_metrics:RETRIES\n"


@pytest.fixture
def sides(tmp_path: Path) -> list[str]:
    """Return files of go test with a custom unit, a third larger on the second side."""
    files = []
    for name, more in (("old", 0.0), ("new", 1.0)):
        values = (f"{3 + more + run / 100:.2f}" for run in range(8))
        lines = [f"BenchmarkPing-8\t1000\t30000 ns/op\t{value} retries/op" for value in values]
        files.append(tmp_path / f"{name}.txt")
        files[-1].write_text("\n".join(["pkg: a", *lines, "PASS", ""]), encoding="utf-8")
    return list(map(str, files))


def judge(printed: str) -> str:
    rows = json.loads(printed)["rows"]
    return str(next(row["verdict"] for row in rows if row["metric"] == "retries/op"))


def test_installed_metric_has_a_direction(
    tmp_path: Path, sides: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["compare", *sides, "--metric", "retries/op", "--format", "json"]
    assert run(arguments) == 0
    assert judge(capsys.readouterr().out) == "changed"
    environment = install(tmp_path, "acme_metrics", POINTS, {"acme_metrics.py": METRIC})
    assert judge(run_benchkit(tmp_path, environment, *arguments)) == "regression"
    explanation = run_benchkit(tmp_path, environment, "explain", "retries/op")
    assert "Requests that were sent again" in explanation


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("no_such_module:METRIC", "cannot be loaded"),
        ("math:pi", "not a Metric"),
        ("test_plugged_metric:OURS", "latency is a built-in metric of benchkit"),
    ],
)
def test_invalid_metric_is_skipped(value: str, why: str) -> None:
    with pytest.warns(UserWarning, match=why):
        assert metrics.load_metrics([EntryPoint("theirs", value, metrics.GROUP)]) == []


OURS = metrics.VOCABULARY["latency"]
