"""Two measurements in one file of `go test`, recognised by their allocations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit.cli import run

FIXTURES = Path(__file__).parents[2] / "fixtures"


def write(path: Path, counts: Sequence[tuple[int, int]], first: int = 1000) -> None:
    """Write a run for each pair of bytes and allocations."""
    lines = [
        f"BenchmarkGet-8 1000000 {first + 7 * at} ns/op {size} B/op {count} allocs/op\n"
        for at, (size, count) in enumerate(counts)
    ]
    path.write_text(f"goos: linux\n{''.join(lines)}PASS\n")


@pytest.mark.parametrize(
    ("counts", "is_pasted"),
    [
        ([(96, 6), (48, 3)], True),
        ([(16, 1), (0, 0)], True),
        ([(96, 6)] * 5 + [(32, 2)] * 5, True),
        ([(96, 6)] * 5 + [(32, 2)] * 3, True),
        ([(96, 6)] * 2 + [(32, 2)] * 5, True),
        ([(16, 1)] * 4 + [(0, 0)] * 2, True),
        ([(96, 6)] * 10, False),
        ([(960, 60)] + [(96, 6)] * 9, False),
        ([(96, 6)] * 9 + [(960, 60)], False),
        ([(96, 6)] * 5 + [(80, 5)] * 3, False),
        ([(96, 6)] * 5 + [(32, 2)] * 3 + [(96, 6)] * 2, False),
        ([(16, 1), (16, 1), (0, 0)], False),
        ([(160_016, 10_001)] * 5 + [(160_032, 10_002)] * 5, False),
        ([(96, 6), (95, 5)], False),
        ([(96, 6), (48, 3), (96, 6), (48, 3)], False),
        ([(96, 6), (96, 6), (48, 3), (48, 2)], False),
    ],
)
def test_single_change_of_allocations_means_two_measurements(
    counts: list[tuple[int, int]],
    is_pasted: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("main.txt"), [(96, 6)] * 10, first=1003)
    write(Path("pr.txt"), counts)
    findings = [f.where for f in bk.load(".").compare().findings if f.code == "B111"]
    assert findings == (["pr"] if is_pasted else [])
    run(["compare", "."])
    assert ("two measurements of pr count as one" in capsys.readouterr().out) is is_pasted
    if is_pasted:
        assert run(["gate", ".", "--max-overhead", "time_per_op=90%"]) == 3


def test_finding_names_the_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("main.txt"), [(96, 6)] * 8, first=1003)
    for counts, words in (
        ([(96, 6)] * 3 + [(32, 2)] * 3, "in the first half of its runs and 2 in the second"),
        ([(96, 6)] * 5 + [(32, 2)] * 3, "in its first 5 runs and 2 in the last 3"),
    ):
        write(Path("pr.txt"), counts)
        (findings,) = (f for f in bk.load(".").compare().findings if f.code == "B111")
        assert f"makes 6 allocations per operation {words}" in findings.message


def test_two_files_may_differ(tmp_path: Path) -> None:
    for side, second in (("main", 6), ("pr", 3)):
        (tmp_path / side).mkdir()
        write(tmp_path / side / "1.txt", [(96, 6)])
        write(tmp_path / side / "2.txt", [(16 * second, second)])
    assert not any(f.code == "B111" for f in bk.load(tmp_path).compare().findings)


@pytest.mark.parametrize("kind", ["pinned", "interleaved"])
def test_real_repeats_are_not_named(kind: str) -> None:
    findings = bk.load(FIXTURES / "redis-gobench" / kind).compare(baseline="Baseline").findings
    assert not any(finding.code == "B111" for finding in findings)


def test_log_appended_to_itself_is_named(tmp_path: Path) -> None:
    write(tmp_path / "main.txt", [(96, 6)] * 10)
    write(tmp_path / "pr.txt", [(96, 6)] * 10, first=1003)
    log = (tmp_path / "pr.txt").read_text()

    def find() -> list[str]:
        findings = bk.load(tmp_path).compare().findings
        return [each.where for each in findings if each.code == "B105"]

    assert find() == []
    (tmp_path / "pr.txt").write_text(log + log)
    assert find() == ["pr"]
