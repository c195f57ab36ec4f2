"""Files added to a variant separately: a new measurement, or repeats."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest
from gated import GATE, Case, History

import benchkit.api as bk
from benchkit.cli import run


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    monkeypatch.chdir(tmp_path)
    return History(monkeypatch)


def a_file_added_to_one_side(history: History) -> None:
    history.ingest(*history.write_labelled("main=a.txt", "pr=b.txt"))
    history.ingest(*history.write_labelled("main=c.txt"))


def a_file_added_to_one_side_by_option(history: History) -> None:
    for side, path in (("main", "a"), ("pr", "b"), ("main", "c")):
        history.write(f"{path}.txt")
        history.ingest(f"{path}.txt", "--variant", side)


def a_file_added_after_symmetric_ones(history: History) -> None:
    for names in ("ab", "cd"):
        history.ingest(*history.write_labelled(f"main={names[0]}.txt", f"pr={names[1]}.txt"))
    history.ingest(*history.write_labelled("main=e.txt"))


def builds_added_to_one_side(history: History) -> None:
    history.ingest(*history.write_labelled("main=b-4711.txt", "pr=p-4711.txt"))
    history.ingest(*history.write_labelled("main=b-4712.txt"))


def dates_added_to_one_side(history: History) -> None:
    history.ingest(*history.write_labelled("main=m/2026-10-01.txt", "pr=p/2026-10-01.txt"))
    history.ingest(*history.write_labelled("main=m/2026-10-02.txt"))


def one_file_of_two_measured_again(history: History) -> None:
    files = "main=a.txt", "main=b.txt", "pr=c.txt"
    history.ingest(*history.write_labelled(*files))
    history.ingest(*history.write_labelled("main=b.txt"))


def a_baseline_that_is_not_measured_again(history: History) -> None:
    history.ingest(*history.write_labelled("old=o.txt", "main=a.txt", "pr=b.txt"))
    history.ingest(*history.write_labelled("main=c.txt", "pr=d.txt"))


def a_side_first_measured_later(history: History) -> None:
    for path in ("main=a.txt", "main=b.txt", "pr=c.txt"):
        history.ingest(*history.write_labelled(path))


def a_labelled_folder_that_grows_on_one_side(history: History) -> None:
    history.ingest(*history.write_labelled("main=m/11.txt", "pr=p/11.txt"))
    for number in (12, 13):
        history.write(f"m/{number}.txt")
        history.ingest("main=m")


def files_added_to_each_side(history: History) -> None:
    for names in ("ab", "cd", "ef"):
        history.ingest(*history.write_labelled(f"main={names[0]}.txt", f"pr={names[1]}.txt"))


def single_runs_added_to_each_side(history: History) -> None:
    for names in ("ab", "cd", "ef"):
        history.write(*(f"{name}.txt" for name in names), runs=1)
        history.ingest(f"main={names[0]}.txt", f"pr={names[1]}.txt")


def files_added_to_each_side_in_turn(history: History) -> None:
    history.ingest(*history.write_labelled("main=a-1.txt", "pr=b-1.txt"))
    for side, path in (("pr", "b"), ("main", "a"), ("main", "a"), ("pr", "b")):
        number = len(list(Path().glob(f"{path}-*"))) + 1
        history.ingest(*history.write_labelled(f"{side}={path}-{number}.txt"))


def a_file_packed_and_renamed(history: History) -> None:
    history.ingest(*history.write_labelled("main=a-11.txt", "main=a-12.txt", "pr=c.txt"))
    Path("a-12.txt").rename("z.txt")
    history.ingest("main=z.txt")
    Path("z.txt.gz").write_bytes(gzip.compress(Path("z.txt").read_bytes()))
    Path("z.txt").unlink()
    history.ingest("main=z.txt.gz")


def a_third_side_later(history: History) -> None:
    history.ingest(*history.write_labelled("main=a.txt", "pr=b.txt"))
    history.ingest(*history.write_labelled("other=c.txt"))
    history.ingest(*history.write_labelled("main=d.txt", "pr=e.txt", "other=f.txt"))


ADDED = (
    a_file_added_to_one_side,
    a_file_added_to_one_side_by_option,
    a_file_added_after_symmetric_ones,
    builds_added_to_one_side,
    dates_added_to_one_side,
    one_file_of_two_measured_again,
    a_baseline_that_is_not_measured_again,
    a_side_first_measured_later,
    files_added_to_each_side,
    a_third_side_later,
)
REPEATS = (
    a_labelled_folder_that_grows_on_one_side,
    single_runs_added_to_each_side,
    files_added_to_each_side_in_turn,
    a_file_packed_and_renamed,
)


@pytest.mark.parametrize("case", ADDED, ids=lambda case: case.__name__)
def test_file_added_to_one_variant_fails_the_gate(
    history: History, case: Case, capsys: pytest.CaptureFixture[str]
) -> None:
    case(history)
    assert "error: B111 " in capsys.readouterr().err
    problems = bk.load().findings
    assert "main" in set(problems[problems["code"] == "B111"]["where"])
    assert run(GATE) == 3
    assert "measurements of main count as one" in capsys.readouterr().out


@pytest.mark.parametrize("case", REPEATS, ids=lambda case: case.__name__)
def test_files_added_to_every_variant_are_repeats(
    history: History, case: Case, capsys: pytest.CaptureFixture[str]
) -> None:
    case(history)
    assert "B111" not in capsys.readouterr().err
    assert "B111" not in set(bk.load().findings["code"])
    assert run(GATE) == 0


def test_copy_in_another_group_is_reported(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    history.write("A/main.txt", "A/pr.txt")
    history.ingest("A")
    assert "B103" not in set(bk.load().findings["code"])
    shutil.copytree("A", "g/A")
    history.ingest("g")
    assert run(["compare"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "B103 A/main.txt: this file and 1 more are in the groups" in shown
