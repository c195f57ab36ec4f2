"""``benchkit export``: the runs whose values it writes, and messages about the others."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from benchkit.cli import run
from benchkit.errors import ExitCode

Captured = pytest.CaptureFixture[str]


@pytest.fixture(params=["files", "store"])
def refused(
    request: pytest.FixtureRequest, tmp_path: Path, fixtures_dir: Path, capsys: Captured
) -> list[str]:
    """Return the arguments for a run in which every request failed."""
    path = str(fixtures_dir / "k6-edge/console/k6-refused-1.txt")
    if request.param == "files":
        return [path]
    store = str(tmp_path / "store")
    assert run(["ingest", path, "--store", store]) == ExitCode.DONE
    capsys.readouterr()
    return ["--store", store]


def test_values_of_failed_runs_can_be_requested(refused: list[str], capsys: Captured) -> None:
    assert run(["export", *refused, "--role", "failed"]) == ExitCode.DONE
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["metric"] for row in rows} >= {"requests", "error_rate"}


def test_export_without_a_measured_run_lists_the_roles(
    refused: list[str], capsys: Captured
) -> None:
    assert run(["export", *refused]) == ExitCode.DATA
    out, error = capsys.readouterr()
    assert out == ""
    assert "no measured run was read, only runs with other roles: 1 failed" in error
    assert "--role failed" in error


def test_unknown_role_is_a_usage_error(refused: list[str], capsys: Captured) -> None:
    assert run(["export", *refused, "--role", "broken"]) == ExitCode.USAGE
    assert "measured, warmup" in capsys.readouterr().err


def test_measured_runs_include_derived_values(fixtures_dir: Path, capsys: Captured) -> None:
    path = str(fixtures_dir / "tracing-costs")
    written = []
    for roles in ([], ["--role", "measured", "--role", "companion"]):
        assert run(["export", path, *roles]) == ExitCode.DONE
        written.append(sorted(capsys.readouterr().out.splitlines()))
    assert written[0] == written[1]


def test_parser_warnings_are_printed(fixtures_dir: Path, capsys: Captured) -> None:
    path = str(fixtures_dir / "wrk-edge/truncated/wrk.cut70.txt")
    warnings = []
    for command in ("runs", "export"):
        assert run([command, path]) == ExitCode.DONE
        warnings.append(capsys.readouterr().err)
    assert "this wrk report lacks" in warnings[0]
    assert warnings[0] == warnings[1]
    assert run(["export", path, "--quiet"]) == ExitCode.DONE
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (["--metric", "rate"], "known: bandwidth_in, bytes_in, duration, latency,"),
        (["--metric", "latency", "--tool", "ab"], "unknown tool 'ab'; known: wrk"),
        (["--variant", "nonw"], "did you mean 'none'? known: apm, none,"),
        (["--metric", "latency", "--by", "benchmark=no"], "no value matches all of these filters"),
    ],
)
def test_filters_without_a_match_list_the_available_names(
    filters: list[str], expected: str, fixtures_dir: Path, capsys: Captured
) -> None:
    assert run(["export", str(fixtures_dir / "tracing-wrk"), *filters]) == ExitCode.DATA
    assert expected in capsys.readouterr().err
