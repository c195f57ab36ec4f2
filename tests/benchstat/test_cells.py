"""``--compat benchstat`` prints what the real benchstat printed, or prints now if it is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchstat_inputs import draw_options, find_benchstat, run_benchstat, write_case

from benchkit.benchstat import print_tables
from benchkit.cli.compat import read_options

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "benchstat"
CASES = sorted(path.parent for path in GOLDEN.glob("*/arguments.txt"))
#: Seeds of inputs that are not recorded.
FRESH = range(100, 400)
OUTPUTS = ("csv", "text")


def arguments_of(case: Path) -> list[str]:
    return (case / "arguments.txt").read_text(encoding="utf-8").splitlines()


def recorded(case: Path, output: str) -> tuple[str, str]:
    stdout, stderr = ((case / f"{output}.{end}.golden").read_bytes() for end in ("out", "err"))
    return stdout.decode(), stderr.decode()


def imitate(arguments: list[str], output: str) -> tuple[str, str]:
    """Return stdout and stderr of the imitation; options come in pairs, before the files."""
    options, paths = {}, list(arguments)
    while paths and paths[0].startswith("-") and paths[0] != "-":
        options[paths[0].lstrip("-")] = paths[1]
        paths = paths[2:]
    printed = print_tables(paths, read_options(options), as_csv=output == "csv")
    lines = [*printed.warnings, *([printed.error] if printed.error else [])]
    return printed.output, "".join(f"{line}\n" for line in lines)


def test_cases_are_recorded() -> None:
    assert len(CASES) >= 30


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_recorded_cases(
    case: Path, output: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(case)
    arguments, tool = arguments_of(case), find_benchstat()
    if tool and request.config.getoption("--update"):
        printed = run_benchstat(tool, case, ["-format", output, *arguments])
        for end, text in zip(("out", "err"), printed, strict=True):
            (case / f"{output}.{end}.golden").write_text(text, encoding="utf-8", newline="")
    assert imitate(arguments, output) == recorded(case, output)


@pytest.mark.parametrize("output", OUTPUTS)
def test_fresh_inputs(output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare with this machine's benchstat; where there is none, with what is recorded."""
    tool = find_benchstat()
    if tool is None:
        for case in CASES:
            monkeypatch.chdir(case)
            assert imitate(arguments_of(case), output) == recorded(case, output)
        return
    monkeypatch.chdir(tmp_path)
    tables = 0
    for seed in FRESH:
        arguments = [*(draw_options(seed) if seed % 4 else []), *write_case(tmp_path, seed)]
        printed = run_benchstat(tool, tmp_path, ["-format", output, *arguments])
        assert imitate(arguments, output) == printed, arguments
        tables += bool(printed[0])
    assert tables > len(FRESH) / 2
