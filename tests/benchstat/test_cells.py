"""``--compat benchstat`` prints what the real benchstat printed, or prints now if it is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchstat_inputs import assert_same_csv, find_benchstat, run_benchstat, write_case

from benchkit.benchstat import print_csv
from benchkit.errors import DataError

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "benchstat"
CASES = sorted(path.parent for path in GOLDEN.glob("*/arguments.txt"))
#: Seeds of inputs that are not recorded.
FRESH = range(100, 200)


def arguments_of(case: Path) -> list[str]:
    return (case / "arguments.txt").read_text(encoding="utf-8").splitlines()


def recorded(case: Path) -> tuple[str, str]:
    stdout, stderr = ((case / f"{name}.golden").read_bytes() for name in ("stdout", "stderr"))
    return stdout.decode(), stderr.decode()


def check(arguments: list[str], stdout: str, stderr: str) -> None:
    printed = print_csv(arguments)
    assert_same_csv(printed.csv, stdout)
    assert list(printed.warnings) == stderr.splitlines()


def test_cases_are_recorded() -> None:
    assert len(CASES) >= 20


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_recorded_cases(
    case: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(case)
    arguments, tool = arguments_of(case), find_benchstat()
    if tool and request.config.getoption("--update"):
        printed = run_benchstat(tool, case, arguments)
        for name, text in zip(("stdout", "stderr"), printed, strict=True):
            (case / f"{name}.golden").write_text(text, encoding="utf-8", newline="")
    check(arguments, *recorded(case))


def test_fresh_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare with this machine's benchstat; where there is none, with what is recorded."""
    tool = find_benchstat()
    if tool is None:
        for case in CASES:
            monkeypatch.chdir(case)
            check(arguments_of(case), *recorded(case))
        return
    monkeypatch.chdir(tmp_path)
    for seed in FRESH:
        arguments = write_case(tmp_path, seed)
        stdout, stderr = run_benchstat(tool, tmp_path, arguments)
        if stdout:
            check(arguments, stdout, stderr)
        else:
            with pytest.raises(DataError, match="no benchmark result"):
                print_csv(arguments)
