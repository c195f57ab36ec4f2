"""`compare` and `gate` agree on runs that do not vary, alone and among other rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchkit.cli import run

Sides = tuple[Sequence[float], Sequence[float]]


def write_go(folder: Path, sides: Sides, rows: int = 1) -> None:
    """Write ``old.txt`` and ``new.txt``, with the same times for every benchmark."""
    for name, times in zip(("old", "new"), sides, strict=True):
        lines = [f"BenchmarkR{row}-2 1000000 {v:g} ns/op" for row in range(rows) for v in times]
        (folder / f"{name}.txt").write_text("\n".join([*lines, "PASS", ""]), encoding="utf-8")


def write_hyperfine(folder: Path, sides: Sides, rows: int = 1) -> None:
    """Write ``old.json`` and ``new.json``, whose numbers do not show how they were rounded."""
    for name, times in zip(("old", "new"), sides, strict=True):
        results = [
            {"command": f"x{row}", "times": list(times), "exit_codes": [0] * len(times)}
            for row in range(rows)
        ]
        (folder / f"{name}.json").write_text(json.dumps({"results": results}), encoding="utf-8")


def judge(folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[str, int, str]:
    """Return the verdict of `compare`, and the exit code and the verdict of `gate`."""
    files = [str(path) for end in ("txt", "json") for path in folder.glob(f"*.{end}")]
    named = [*sorted(files, reverse=True), "--baseline", "old"]
    capsys.readouterr()
    assert run(["compare", *named, "--format", "json"]) == 0
    (verdict,) = {row["verdict"] for row in json.loads(capsys.readouterr().out)["rows"]}
    code = run(["gate", *named, *options, "--format", "json"])
    streams = capsys.readouterr()
    assert "Warning" not in streams.err
    return verdict, code, json.loads(streams.out)["verdict"]


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize(
    ("runs", "others"), [(3, 3), (3, 4), (4, 3), (4, 4), (3, 8), (8, 8), (6, 5)]
)
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (100, 300, ("regression", 1, "fail")),
        (300, 100, ("improvement", 0, "pass")),
        (0, 300, ("regression", 1, "fail")),
        (300, 0, ("improvement", 0, "pass")),
    ],
)
def test_change_far_beyond_the_rounding_is_shown(
    old: float,
    new: float,
    expected: tuple[str, int, str],
    runs: int,
    others: int,
    rows: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_go(tmp_path, ([old] * runs, [new] * others), rows)
    assert judge(tmp_path, capsys) == expected


@pytest.mark.parametrize("rows", [1, 2])
def test_one_step_of_coarse_rounding_is_inconclusive_with_three_runs(
    rows: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_go(tmp_path, ([10] * 3, [11] * 3), rows)
    assert judge(tmp_path, capsys) == ("inconclusive", 4, "undecided")


def test_runs_of_unknown_rounding_state_how_many_runs_decide(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_hyperfine(tmp_path, ([0.1] * 3, [0.3] * 3))
    assert judge(tmp_path, capsys) == ("inconclusive", 4, "undecided")
    run(["gate", str(tmp_path / "old.json"), str(tmp_path / "new.json")])
    assert (
        "(3 + 3 runs cannot reach p ≤ 0.05; make at least 4 runs per side)"
    ) in capsys.readouterr().out


@pytest.mark.parametrize(("rows", "runs", "others"), [(1, 2, 2), (2, 3, 3), (5, 3, 8)])
def test_runs_of_unknown_rounding_are_inconclusive_under_a_limit(
    rows: int, runs: int, others: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_hyperfine(tmp_path, ([0.1] * runs, [0.3] * others), rows)
    limit = ("--max-overhead", "time_per_op=5%")
    assert judge(tmp_path, capsys, *limit) == ("inconclusive", 4, "undecided")


@pytest.mark.parametrize(
    ("runs", "others", "message"),
    [
        (4, 4, ""),
        (
            3,
            3,
            "3 + 3 runs that do not vary can give a verdict for no row, but ",
        ),
        (
            3,
            8,
            "3 + 8 runs that do not vary can give a verdict for at most 1 row, but ",
        ),
    ],
)
def test_needed_runs_of_constant_rows_follow_their_statistic(
    runs: int, others: int, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_hyperfine(tmp_path, ([0.1] * runs, [0.3] * others), 2)
    run(["compare", *map(str, sorted(tmp_path.glob("*.json"), reverse=True)), "--format", "json"])
    result = json.loads(capsys.readouterr().out)
    few = [each["message"] for each in result["findings"] if each["code"] == "B302"]
    assert few == ([f"no row can reach p ≤ 0.05: {message}there are 2"] if message else [])
    assert {row["verdict"] for row in result["rows"]} == {
        "inconclusive" if message else "regression"
    }


@pytest.mark.parametrize("method", ["rank", "welch"])
def test_requested_method_that_cannot_decide_is_inconclusive(
    method: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = f'schema = 1\n[stats]\nmethod = "{method}"\n'
    (tmp_path / "benchkit.toml").write_text(settings, encoding="utf-8")
    for sides in (([100] * 3, [300] * 3), ([10] * 3, [11] * 3)):
        write_go(tmp_path, sides)
        assert judge(tmp_path, capsys) == ("inconclusive", 4, "undecided")


NOISY = [109.483, 107.882, 114.46, 105.097, 114.222, 103.558]


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize(("old", "new"), [([100] * 6, NOISY), (NOISY, [100] * 6)])
def test_varying_side_is_named_if_the_other_is_constant(
    old: Sequence[float],
    new: Sequence[float],
    rows: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_go(tmp_path, (old, new), rows)
    wide, calm = ("new", "old") if new is NOISY else ("old", "new")
    code = judge(tmp_path, capsys)[1]
    assert code == int(wide == "new")
    for command in ("compare", "gate"):
        run([command, str(tmp_path / "old.txt"), str(tmp_path / "new.txt")])
        shown = capsys.readouterr().out
        (line,) = (line for line in shown.splitlines() if "B342" in line)
        assert f"the runs of '{wide}' vary (4.16 %), but those of '{calm}' do not" in line


@pytest.mark.parametrize("runs", [3, 6])
def test_drop_to_zero_has_an_interval(
    runs: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_go(tmp_path, ([101, 99, 100, 102, 98, 100][:runs], [0] * runs))
    assert judge(tmp_path, capsys) == ("improvement", 0, "pass")
    for command in ("compare", "gate"):
        run([command, str(tmp_path / "old.txt"), str(tmp_path / "new.txt"), "--baseline", "old"])
        shown = capsys.readouterr().out
        assert "too noisy" not in shown
        assert "[\N{MINUS SIGN}10" in shown


@pytest.mark.parametrize("odd", [150, 0])
def test_ties_alone_do_not_show_equivalence(
    odd: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_go(tmp_path, ([100] * 6, [*[100] * 5, odd]))
    assert judge(tmp_path, capsys) == ("inconclusive", 0, "pass")
