"""Finding B418 counts and names each disturbed run once, however many benchmarks it has."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk
from benchkit.audit.inside import find_disturbances
from benchkit.errors import Finding

STEADY, STOLEN = 'stolen = "0.001"', 'stolen = "0.063"'


def record(folder: Path, number: int, conditions: str, *names: str) -> None:
    """Write a run of go test with its benchmarks and the conditions of its command."""
    folder.mkdir(exist_ok=True)
    file = folder / f"{'-'.join(('go', *names))}-{number}.txt"
    results = (f"Benchmark{name}-4 \t 1000 \t {120 + number} ns/op\n" for name in names)
    file.write_text(f"goos: linux\ngoarch: amd64\n{''.join(results)}PASS\n")
    sidecar = f'run = {number}\nvariant = "base"\nduration = 15\n[conditions]\n{conditions}\n'
    file.with_name(f"{file.name}.run.toml").write_text(sidecar)


def disturbances(folder: Path) -> list[Finding]:
    """Return the findings B418 of a folder."""
    return list(find_disturbances(bk.load(folder).runs))


def test_run_of_two_benchmarks_counts_once(tmp_path: Path) -> None:
    for number, conditions in enumerate((STEADY, STEADY, STOLEN), 1):
        record(tmp_path / "base", number, conditions, "Get", "Put")
    (finding,) = disturbances(tmp_path)
    assert finding.message.endswith("in 1 of 3 runs: run 3 of 'base'")
    assert finding.numbers["runs"] == 1


@pytest.mark.parametrize(
    ("name", "quiet", "loud"), [("frequency", 3e9, 2e9), ("service_switches", 300, 9000)]
)
def test_conditions_of_several_runs_count_once(
    tmp_path: Path, name: str, quiet: float, loud: float
) -> None:
    for number, value in enumerate((quiet, quiet, quiet, quiet, loud), 1):
        record(tmp_path / "base", number, f"{name} = {value}", "Get", "Put")
    (finding,) = disturbances(tmp_path)
    assert finding.message.endswith("in 1 of 5 runs: run 5 of 'base'")


def test_runs_sharing_a_number_are_named_with_their_benchmarks(tmp_path: Path) -> None:
    record(tmp_path / "base", 1, STOLEN, "Get")
    record(tmp_path / "base", 1, 'stolen = "0.081"', "Put")
    (finding,) = disturbances(tmp_path)
    at = "gomaxprocs=4"
    named = f"run 1 of 'base' on Get, {at} and run 1 of 'base' on Put, {at}"
    assert finding.message.endswith(f"in 2 of 2 runs: {named}")
