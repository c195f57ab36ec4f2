"""A benchmark missing from some runs of the variant: the remaining runs are a selected sample."""

from __future__ import annotations

from collections.abc import Collection
from itertools import product
from pathlib import Path

import audit_inputs
import gated
import pytest
from stopped import draw, write_series

import benchkit.api as bk
from benchkit.cli import run

SETS = ("Foo", "Bar")


@pytest.fixture(autouse=True)
def _work_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write_files(
    side: str, *, files: int, lacking: Collection[int] = (), cost: float = 0.0, count: int = 1
) -> None:
    """Write one file per run; those listed as lacking have no Bar."""
    for number in range(1, files + 1):
        names = ("Foo",) if number in lacking else SETS
        gated.write_runs(
            Path("r", side, f"{number}.txt"), seed=number + 100 * (side == "new"), runs=count,
            spread=0.002, cost=cost, benchmarks=names,
        )  # fmt: skip


def write_one(side: str, *, foo: int, bar: int) -> None:
    """Write one file with the same number of lines for each benchmark."""
    path = Path("r", f"{side}.txt")
    text = ""
    for name, runs in (("Foo", foo), ("Bar", bar)):
        gated.write_runs(path, seed=len(text) + len(side), runs=runs, spread=0.002,
                         benchmarks=(name,))  # fmt: skip
        text += path.read_text()
    path.write_text(text)


@pytest.mark.parametrize("options", [(), ("--max-overhead", "time_per_op=10%")])
@pytest.mark.parametrize(
    ("files", "lacking"), [(10, range(4, 11)), (6, (1, 3, 5)), (5, (5,))], ids=["7", "3", "1"]
)
def test_benchmark_missing_from_runs_of_the_variant_is_inconclusive(
    files: int,
    lacking: Collection[int],
    options: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_files("base", files=files)
    write_files("new", files=files, lacking=lacking)
    assert run(["gate", "r", "--quiet", *options]) == 4
    shown = capsys.readouterr().out
    left = files - len(lacking)
    assert (
        f"'new' has Bar in {left} file{'s' * (left > 1)} and Foo in {files}, but 'base' has both in"
        in shown
    )
    assert "contain Foo" not in shown


def test_lines_missing_from_one_file_count_too(capsys: pytest.CaptureFixture[str]) -> None:
    write_one("base", foo=10, bar=10)
    write_one("new", foo=10, bar=3)
    assert run(["gate", "r", "--quiet"]) == 4
    assert (
        "'new' has Bar in 3 runs and Foo in 10, but 'base' has both in 10"
        in capsys.readouterr().out
    )


def test_policy_decides_the_consequence() -> None:
    write_files("base", files=6)
    write_files("new", files=6, lacking=(2, 4))
    Path("benchkit.toml").write_text("[policy]\non_undecided = 'warn'\n")
    assert run(["gate", "r", "--quiet"]) == 0


def test_regression_in_the_remaining_runs_counts(capsys: pytest.CaptureFixture[str]) -> None:
    write_files("base", files=10)
    write_files("new", files=10, lacking=(2, 4, 6), cost=0.3)
    assert run(["gate", "r", "--quiet"]) == 1
    assert capsys.readouterr().out.startswith("✗ Regression")


def test_fewer_runs_of_every_benchmark_are_accepted() -> None:
    write_files("base", files=10)
    write_files("new", files=6)
    assert run(["gate", "r", "--quiet"]) == 0


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((1, 2, 3, 7, 8, 9, 10), "'base' and 'new' both lack runs 4, 5 and 6: if they failed"),
        ((1, 2, 3, 5), "'base' and 'new' both lack run 4: "),
        ((1, 2, 4, 8), ""),  # levels of load
        ((3, 4, 5), ""),
    ],
)
def test_runs_missing_from_both_sides_are_named(numbers: Collection[int], message: str) -> None:
    for side in ("base", "new"):
        for number in numbers:
            gated.write_runs(
                Path("r", side, f"wrk-{number}.txt"), seed=number + 100 * (side == "new"), runs=1,
                spread=0.005, benchmarks=("Foo",),
            )  # fmt: skip
    comparison = bk.load("r").compare()
    messages = [f.message for f in comparison.findings if f.code == "B345"]
    assert [text.startswith(message) for text in messages] == [True] * bool(message)


@pytest.mark.parametrize(
    ("lost", "message"), [("", ""), ("4", "'none' and 'otlp' both lack run 4: ")]
)
def test_run_repeated_in_its_round_is_not_missing(lost: str, message: str) -> None:
    folder = write_series(Path("r"), draw({"none": 0.0, "otlp": 0.5}, 6))
    for path in folder.glob(f"*/gobench-{lost or 3}.txt"):
        sidecar = path.with_name(f"{path.name}.run.toml")
        if lost:
            path.unlink()
        else:
            text = sidecar.read_text().replace("run = 3", "run = 7")
            path.rename(path.with_name("gobench-7.txt"))
            path.with_name("gobench-7.txt.run.toml").write_text(text)
        sidecar.unlink()
    texts = [f.message for f in bk.load("r").compare().findings if f.code == "B345"]
    assert [text.startswith(message) for text in texts] == [True] * bool(message)


@pytest.mark.parametrize(
    ("numbers", "code", "message"),
    [
        ((1, 4, 9), 4, "'new' lacks runs 2, 3, 5 and 3 more, but 'base' has 10 runs"),
        ((4, 5, 6), 4, "'new' lacks runs 1, 2 and 3, but 'base' has 10 runs"),
        ((2, 5, 11), 4, "'new' lacks runs 3, 4, 6 and 4 more, but 'base' has 10 runs"),
        ((1, 2, 3), 0, "'new' has 3 runs, but 'base' has 10: if runs of it failed"),
    ],
)
def test_single_benchmark_with_gaps_in_its_run_numbers_is_inconclusive(
    numbers: Collection[int], code: int, message: str
) -> None:
    for side, kept in (("base", range(1, 11)), ("new", numbers)):
        for number in kept:
            gated.write_runs(
                Path("r", side, f"wrk-{number}.txt"), seed=number + 100 * (side == "new"), runs=1,
                spread=0.005, benchmarks=("Foo",),
            )  # fmt: skip
    assert run(["gate", "r", "--quiet", "--max-overhead", "time_per_op=10%"]) == code
    (messages,) = [f for f in bk.load("r").compare().findings if f.code == "B345"]
    assert messages.message.startswith(message)
    assert (messages.severity == "info") is (code == 0)


def test_failed_run_is_not_a_gap(capsys: pytest.CaptureFixture[str]) -> None:
    write_files("base", files=6)
    write_files("new", files=6)
    failed = Path("r/new/2.txt")
    failed.write_text(failed.read_text().replace("PASS", "panic: boom"))
    Path("benchkit.toml").write_text("[policy]\non_failure = 'pass'\n")
    assert run(["gate", "r", "--quiet"]) == 0
    assert "lacks run" not in capsys.readouterr().out


def test_benchmark_measured_less_often_on_both_sides_is_compared() -> None:
    write_files("base", files=10, lacking=range(6, 11))
    write_files("new", files=8, lacking=range(5, 9))
    assert run(["gate", "r", "--quiet"]) == 0


def test_more_runs_of_one_benchmark_do_not_affect_the_others() -> None:
    write_files("base", files=6)
    write_files("new", files=12, lacking=range(7, 13))
    assert run(["gate", "r", "--quiet"]) == 0


def test_tool_that_chooses_its_number_of_runs_has_none_missing() -> None:
    write_one("base", foo=10, bar=10)
    write_one("new", foo=10, bar=8)
    assert run(["gate", "r", "--quiet"]) == 0


def test_load_test_of_two_targets_with_missing_runs_is_inconclusive() -> None:
    report = audit_inputs.wrk()
    for side, rate in (("none", 0), ("otlp", 3)):
        for number in range(1, 7):
            text = report.replace("10406.41", f"{10400 + 7 * number + rate}.41")
            for target in ("get", "set"):
                if (side, target) != ("otlp", "set") or number > 2:
                    path = Path("r", side, f"wrk-{target}-{number}.txt")
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text.replace("/ping/GRM", f"/{target}"))
    assert run(["gate", "r", "--quiet"]) == 4


def test_comparison_names_the_missing_runs() -> None:
    write_files("base", files=6)
    write_files("new", files=6, lacking=(2, 4))
    messages = [f for f in bk.load("r").compare().findings if f.code == "B345"]
    assert [f.where for f in messages] == ["base, new"]
    assert "'new' has Bar in 4 files and Foo in 6" in messages[0].message


@pytest.mark.parametrize(
    ("facts", "lost", "why"),
    [
        ("run = {run}\nshard = {shard}", None, ""),
        ("run = {run}\nshard = {shard}", "r/new/wrk-2-b.txt", "run 2 of 'new' lacks results of"),
        ("run = {file}\nstart = 2026-11-20T10:{run:02d}:{place:02d}Z", None, ""),
        (
            "run = {file}\nstart = 2026-11-20T10:{run:02d}:00Z",
            None,
            "8 files of 'base' were measured at the same time (B217)",
        ),
    ],
)
def test_incomplete_or_split_loads_are_inconclusive(
    facts: str, lost: str | None, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for side, run_, place in product(("base", "new"), range(1, 5), (0, 1)):
        file = 2 * run_ + place
        path = Path("r", side, f"wrk-{run_}-{'ab'[place]}.txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        rate = f"{10_400 + 7 * file + (side == 'new')}.00"
        path.write_text(audit_inputs.wrk(("10406.41", rate)))
        known = facts.format(run=run_, shard=place + 1, file=file, place=30 * place)
        Path(f"{path}.run.toml").write_text(f'benchmark = "ping"\n{known}\n')
    if lost:
        for name in (lost, f"{lost}.run.toml"):
            Path(name).unlink()
    assert run(["gate", "r", "--quiet"]) == (4 if why else 0)
    assert why in capsys.readouterr().out
