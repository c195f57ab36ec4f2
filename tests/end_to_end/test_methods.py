"""Single runs, a new run against a history, and a requested method, on the command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from invocation import benchkit

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
TRACING = str(FIXTURES / "tracing-wrk")
SINGLE = str(FIXTURES / "vegeta-single")

Row = dict[str, object]


def compare(*arguments: str, cwd: Path) -> list[Row]:
    done = benchkit("compare", *arguments, "--format", "json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    listed: list[Row] = json.loads(done.stdout)["rows"]
    return listed


def rows(selected: list[Row], **wanted: object) -> list[Row]:
    return [row for row in selected if all(row[key] == value for key, value in wanted.items())]


def number(row: Row, key: str) -> float:
    return float(str(row[key]))


def test_single_runs_have_a_within_run_interval_from_a_store_without_samples(
    tmp_path: Path,
) -> None:
    assert benchkit("ingest", SINGLE, "--no-samples", cwd=tmp_path).returncode == 0
    documents = [
        rows(compare(*paths, cwd=tmp_path), metric="latency", stat="p50")[0]
        for paths in ([SINGLE], [])
    ]
    assert documents[0] == documents[1]
    row = documents[0]
    assert (row["method"], row["verdict"], row["p"]) == ("within-run", "inconclusive", None)
    assert number(row, "ratio") == pytest.approx(1.021, abs=0.001)
    assert number(row, "ratio_low") == pytest.approx(0.795, abs=0.005)
    assert number(row, "ratio_high") == pytest.approx(1.313, abs=0.005)


def test_interval_of_single_runs_is_labelled(tmp_path: Path) -> None:
    done = benchkit("compare", SINGLE, cwd=tmp_path)
    assert done.stdout.startswith("~ agent +2.1")
    assert "within-run" in done.stdout
    assert "Run each side at least 4 times" in done.stdout
    assert "B338 not compared: p99.9 latency on /consumer" in done.stdout


def test_stretches_are_exported_but_not_compared(tmp_path: Path) -> None:
    done = benchkit("export", f"{SINGLE}/agent", "--metric", "latency", cwd=tmp_path)
    assert done.stdout.count(",stretch_p50,") == 20
    stats = {str(row["stat"]) for row in rows(compare(SINGLE, cwd=tmp_path))}
    assert not any(stat.startswith("stretch_") for stat in stats)


def test_new_run_is_compared_with_the_prediction_of_its_history(tmp_path: Path) -> None:
    shutil.copytree(Path(TRACING) / "none", tmp_path / "runs" / "before")
    (tmp_path / "runs" / "after").mkdir()
    shutil.copy(Path(TRACING) / "otlp" / "wrk-1.txt", tmp_path / "runs" / "after")
    result = compare("runs", "--baseline", "before", cwd=tmp_path)
    (row,) = rows(result, metric="request_rate")
    assert (row["method"], row["n_baseline"], row["n_variant"]) == ("prediction", 8, 1)
    assert number(row, "p") == pytest.approx(2 / 9)
    assert "outside their prediction interval" in str(row["notes"])


def test_method_can_be_requested(tmp_path: Path) -> None:
    result = compare(TRACING, "--variant", "otlp", "--method", "welch", cwd=tmp_path)
    (row,) = rows(result, metric="request_rate")
    assert row["method"] == "welch"
    assert number(row, "ratio") == pytest.approx(0.87, abs=0.005)


def test_requested_method_takes_precedence_over_blocks(tmp_path: Path) -> None:
    result = compare(TRACING, "--variant", "otlp", "--method", "rank", cwd=tmp_path)
    (row,) = rows(result, metric="request_rate")
    assert row["method"] == "hodges-lehmann"
