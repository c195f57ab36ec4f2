"""`--benchmark GLOB` filters rows in all commands that read results; other small options."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
from invocation import benchkit

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
GO = [str(FIXTURES / "redis-gobench" / f"{side}.txt") for side in ("baseline", "enabled")]
WRK = str(FIXTURES / "tracing-wrk")


def test_compare_and_runs_keep_matching_benchmarks(tmp_path: Path) -> None:
    options = ("--benchmark", "*/Ping", "--benchmark", "Redis/Set", "--format", "csv")
    compared = benchkit("compare", *GO, *options, cwd=tmp_path)
    assert {row["benchmark"] for row in csv.DictReader(StringIO(compared.stdout))} == {
        "Redis/Ping",
        "Redis/Set",
    }
    listed = benchkit("runs", *GO, *options, cwd=tmp_path)
    assert {row["benchmark"] for row in csv.DictReader(StringIO(listed.stdout))} == {
        "Redis/Ping",
        "Redis/Set",
    }


def test_stored_table_keeps_matching_benchmarks(tmp_path: Path) -> None:
    assert benchkit("ingest", *GO, cwd=tmp_path).returncode == 0
    for command in ("runs", "export"):
        result = benchkit(command, "--benchmark", "*Ping", "--format", "csv", cwd=tmp_path)
        names = {row["benchmark"] for row in csv.DictReader(StringIO(result.stdout))}
        assert names == {"Redis/Ping"}, command


@pytest.mark.parametrize(
    "command",
    [
        ("compare",),
        ("report",),
        ("gate", "--max-overhead", "time_per_op=5%"),
        ("check",),
        ("plan",),
        ("export",),
        ("runs",),
        ("plot", "forest"),
        ("noise",),
    ],
    ids=lambda command: command[0],
)
def test_pattern_without_a_match_suggests_the_nearest_name(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    result = benchkit(*command, *GO, "--benchmark", "Redis/Pimg", cwd=tmp_path)
    assert result.returncode == 3
    assert (
        "unknown benchmark 'Redis/Pimg'; did you mean 'Redis/Ping'?"
        in result.stdout + result.stderr
    )


def test_ingest_uses_the_option_as_the_benchmark_name(tmp_path: Path) -> None:
    benchkit("ingest", f"{WRK}/none/wrk-1.txt", "--benchmark", "users", cwd=tmp_path)
    runs = json.loads(benchkit("runs", "--format", "json", cwd=tmp_path).stdout)["runs"]
    assert {run["benchmark"] for run in runs} == {"users"}


@pytest.mark.parametrize("command", [("compare",), ("gate", "--self-test")], ids=str)
def test_bare_statistic_suggests_a_metric(command: tuple[str, ...], tmp_path: Path) -> None:
    option = ("--metric", "p99") if command == ("compare",) else ("--max-overhead", "p99=5%")
    result = benchkit(*command, WRK, "--baseline", "none", *option, cwd=tmp_path)
    assert "did you mean latency.p99?" in result.stderr + result.stdout
    assert result.returncode in {2, 3}


@pytest.mark.parametrize("command", ["compare", "runs", "plan", "check", "formats"])
def test_markdown_is_an_alias_of_md(command: str, tmp_path: Path) -> None:
    paths = () if command == "formats" else (WRK,)
    long = benchkit(command, *paths, "--format", "markdown", cwd=tmp_path)
    short = benchkit(command, *paths, "--format", "md", cwd=tmp_path)
    assert long.returncode == 0
    assert long.stdout == short.stdout


def test_plan_covers_the_requested_variants(tmp_path: Path) -> None:
    options = ("--variant", "otlp", "--format", "json")
    plan = json.loads(benchkit("plan", WRK, *options, cwd=tmp_path).stdout)
    variants = {row["replicates"]["variant"] for row in plan["plan"]["rows"]}
    assert variants == {"none", "otlp"}
    apart = benchkit("plan", WRK, "--baseline", "apm", *options, cwd=tmp_path)
    rows = json.loads(apart.stdout)["plan"]["rows"]
    assert {row["replicates"]["variant"] for row in rows} == {"apm", "otlp"}
    wrong = benchkit("plan", WRK, "--variant", "oltp", cwd=tmp_path)
    assert "did you mean 'otlp'?" in wrong.stderr
