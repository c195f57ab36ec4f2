"""Sequences of ingests: which runs are pooled, and reported, however the command was written.

The store decides: locations of the files, which were ingested together, recorded facts of runs.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import gated
import pytest
from gated import GATE, SIDES, Case, History

import benchkit.api as bk
from benchkit.cli import run


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    monkeypatch.chdir(tmp_path)
    return History(monkeypatch)


def folders(history: History) -> None:
    for commit in ("a1b2c3d", "b2c3d4e"):
        history.write_sides(f"c/{commit}/{{}}.txt")
        history.ingest(f"c/{commit}")


def folders_of_dates(history: History) -> None:
    for day in ("2026-10-01", "2026-10-02"):
        history.write_sides(f"c/{day}/{{}}.txt")
        history.ingest(f"c/{day}")


def folders_of_builds(history: History) -> None:
    for build in (4711, 4712):
        history.write_sides(f"builds/{build}/{{}}.txt")
        history.ingest(f"builds/{build}")


def glob(history: History) -> None:
    for commit in ("a1b2c3d", "b2c3d4e"):
        history.ingest(*history.write_sides(f"c/{commit}/{{}}.txt"))


def glob_of_dates(history: History) -> None:
    for day in ("2026-10-01", "2026-10-02"):
        history.ingest(*history.write_sides(f"c/{day}/{{}}.txt"))


def file_by_file(history: History) -> None:
    for commit in ("a1b2c3d", "b2c3d4e"):
        for path in history.write_sides(f"c/{commit}/{{}}.txt"):
            history.ingest(path)


def labelled_folders(history: History) -> None:
    for place in ("t1", "t2"):
        for side, path in zip(SIDES, history.write_sides(f"{place}/{{}}/x.txt"), strict=True):
            history.ingest(f"{side}={Path(path).parent}")


def labelled_files(history: History) -> None:
    for place in ("t1", "t2"):
        paths = history.write_sides(f"{place}/{{}}.txt", runs=1)
        history.ingest(*(f"{side}={path}" for side, path in zip(SIDES, paths, strict=True)))


def variant_option(history: History) -> None:
    for place in ("t1", "t2"):
        for side, path in zip(SIDES, history.write_sides(f"{place}/{{}}.txt"), strict=True):
            history.ingest(path, "--variant", side)


def names_of_files(history: History) -> None:
    for place in ("a1b2c3d", "b2c3d4e"):
        paths = history.write_sides(f"{place}-{{}}.txt")
        history.ingest(*(f"{side}={path}" for side, path in zip(SIDES, paths, strict=True)))


def sidecars(history: History) -> None:
    for place in ("t1", "t2"):
        for side, path in zip(SIDES, history.write_sides(f"{place}/{{}}/x.txt"), strict=True):
            Path(path).with_name("run.toml").write_text(f'variant = "{side}"\n')
        history.ingest(place)


def standard_input(history: History) -> None:
    for place in ("t1", "t2"):
        for side, path in zip(SIDES, history.write_sides(f"{place}/{{}}.txt"), strict=True):
            history.pipe(path, side)


def link_to_the_newest(history: History) -> None:
    for place in ("t1", "t2"):
        history.write_sides(f"{place}/{{}}.txt")
        Path("newest").unlink(missing_ok=True)
        Path("newest").symlink_to(place)
        history.ingest("newest")


def link_to_the_newest_by_glob(history: History) -> None:
    for place in ("t1", "t2"):
        history.write_sides(f"{place}/{{}}.txt")
        Path("newest").unlink(missing_ok=True)
        Path("newest").symlink_to(place)
        history.ingest("newest/main.txt", "newest/pr.txt")


def link_to_the_newest_file(history: History) -> None:
    for place in ("first", "second"):
        for side in SIDES:
            history.write(f"{place}.{side}.txt")
            Path(f"{side}.txt").unlink(missing_ok=True)
            Path(f"{side}.txt").symlink_to(f"{place}.{side}.txt")
            history.ingest(f"{side}={side}.txt")


def moved_aside_and_ingested(history: History) -> None:
    history.ingest(*history.write_sides("out/{}.txt"))
    Path("out").rename("old")
    history.ingest(*history.write_sides("out/{}.txt"))
    history.ingest("old/main.txt", "old/pr.txt")


def hosts(history: History) -> None:
    for host in ("box-a", "box-b"):
        for side, path in zip(SIDES, history.write_sides(f"{host}/{{}}.txt"), strict=True):
            history.ingest(f"{side}={path}")


def recorded_commits_in_a_folder_that_grows(history: History) -> None:
    for number, commit in enumerate(("a1b2c3d", "b2c3d4e"), 1):
        history.write_sides(f"res/{{}}-{number}.txt", head=f"commit: {commit}\n")
        history.ingest("res")


def recorded_commits_by_option(history: History) -> None:
    for number, commit in enumerate(("a1b2c3d", "b2c3d4e"), 1):
        paths = history.write_sides(f"res/{{}}-{number}.txt")
        history.ingest(*paths, "--meta", f"commit={commit}")


def files_next_to_a_folder(history: History) -> None:
    history.write_sides("res/{}.txt")
    history.ingest("res")
    history.ingest(*history.write_sides("res/again/{}.txt"))


POOLED = (
    folders, folders_of_dates, folders_of_builds, glob, glob_of_dates, file_by_file,
    labelled_folders, labelled_files, variant_option, names_of_files, sidecars, standard_input,
    link_to_the_newest, link_to_the_newest_by_glob, link_to_the_newest_file,
    moved_aside_and_ingested, hosts,
    recorded_commits_in_a_folder_that_grows, recorded_commits_by_option, files_next_to_a_folder,
)  # fmt: skip


def a_folder_that_grows(history: History) -> None:
    for number in (1, 2, 3):
        history.write_sides(f"res/{{}}-{number}.txt")
        history.ingest("res")


def folders_of_variants_that_grow(history: History) -> None:
    for number in (1, 2, 3):
        history.write_sides(f"res/{{}}/{number}.txt")
        history.ingest("res")


def labelled_folders_that_grow(history: History) -> None:
    for number in (1, 2):
        for side in SIDES:
            history.write(f"{side}-out/{number}.txt")
            history.ingest(f"{side}={side}-out")


def a_glob_that_grows(history: History) -> None:
    for number in (1, 2):
        history.write_sides(f"res/{{}}-{number}.txt")
        history.ingest(*map(str, sorted(Path("res").glob("*.txt"))))


def the_new_files_alone(history: History) -> None:
    for number in (1, 2):
        history.ingest(*history.write_sides(f"res/{{}}/{number}.txt"))


def folders_of_runs(history: History) -> None:
    for number in (1, 2, 3):
        history.write_sides(f"res/run{number}/{{}}.txt")
        history.ingest(f"res/run{number}")


def blocks_in_numbered_folders(history: History) -> None:
    for number in range(1, 13):
        side = SIDES[number % 2]
        history.write(f"night/{number}/out.txt")
        history.ingest(f"{side}=night/{number}")


def nights_below_one_folder(history: History) -> None:
    for day in ("2026-10-01", "2026-10-02", "2026-10-03"):
        history.write_sides(f"nights/{day}/{{}}.txt")
        history.ingest("nights")


def nights_by_a_glob_of_all(history: History) -> None:
    for day in ("2026-10-01", "2026-10-02", "2026-10-03"):
        history.write_sides(f"nights/{day}/{{}}.txt")
        history.ingest(*map(str, sorted(Path("nights").glob("*/*.txt"))))


def the_last_two_nights(history: History) -> None:
    for day in range(1, 5):
        history.write_sides(f"nights/2026-10-0{day}/{{}}.txt")
        shutil.rmtree(f"nights/2026-10-0{day - 2}", ignore_errors=True)
        history.ingest("nights")


def nights_one_by_one_then_together(history: History) -> None:
    folders_of_dates(history)
    history.ingest("c")


def the_same_files_again(history: History) -> None:
    paths = history.write_sides("res/{}.txt")
    for arguments in (["res"], paths, ["."], ["main=res/main.txt", "pr=res/pr.txt"], ["res"]):
        history.ingest(*arguments)


def measured_again_in_place(history: History) -> None:
    for _ in range(3):
        history.ingest(*history.write_sides("res/{}.txt"))


def link_to_the_newest_run(history: History) -> None:
    for number in (1, 2, 3):
        for side in SIDES:
            history.write(f"{side}-{number}.txt")
            Path(f"newest-{side}").unlink(missing_ok=True)
            Path(f"newest-{side}").symlink_to(f"{side}-{number}.txt")
            history.ingest(f"{side}=newest-{side}")


def moved(history: History) -> None:
    history.write_sides("out/{}.txt")
    history.ingest("out")
    Path("out").rename("archive")
    history.ingest("archive")


def two_sides_in_separate_folders(history: History) -> None:
    for side in SIDES:
        history.write(f"{side}/checkout/out.txt")
        history.ingest(f"{side}={side}/checkout")


def two_checkouts(history: History) -> None:
    for number in (1, 2):
        for side in SIDES:
            history.write(f"work-{side}/out/{number}.txt")
            history.ingest(f"{side}=work-{side}/out/{number}.txt")


def single_runs_piped_in_turn(history: History) -> None:
    for number in range(4):
        for side, path in zip(SIDES, history.write_sides(f"{number}-{{}}", runs=1), strict=True):
            history.pipe(path, side)


def one_commit_per_side(history: History) -> None:
    for number in (1, 2):
        for side, commit in zip(SIDES, ("a1b2c3d", "b2c3d4e"), strict=True):
            history.write(f"res/{side}-{number}.txt", head=f"commit: {commit}\n")
            history.ingest("res")


def one_commit_written_short_and_long(history: History) -> None:
    for number, commit in enumerate(("a1b2c3d", "a1b2c3d4e5f6"), 1):
        history.write_sides(f"res/{{}}-{number}.txt", head=f"commit: {commit}\n")
        history.ingest("res")


def other_benchmarks_elsewhere(history: History) -> None:
    for place, name in (("get", "Get"), ("put", "Put")):
        for seed, side in enumerate(SIDES):
            gated.write_runs(Path(f"{place}/{side}.txt"), seed=seed, benchmarks=(name,))
        history.ingest(f"{place}/main.txt", f"{place}/pr.txt")


def other_origins(history: History) -> None:
    for origin in ("job-1", "job-2"):
        paths = history.write_sides(f"{origin}/{{}}.txt")
        history.ingest(*paths, "--origin", origin)


APART = (
    a_folder_that_grows, folders_of_variants_that_grow, labelled_folders_that_grow,
    a_glob_that_grows, the_new_files_alone, folders_of_runs, blocks_in_numbered_folders,
    nights_below_one_folder, nights_by_a_glob_of_all, the_last_two_nights,
    nights_one_by_one_then_together,
    the_same_files_again, measured_again_in_place, link_to_the_newest_run, moved,
    two_sides_in_separate_folders, two_checkouts,
    single_runs_piped_in_turn, one_commit_per_side, one_commit_written_short_and_long,
    other_benchmarks_elsewhere, other_origins,
)  # fmt: skip


def list_codes(origin: str = "") -> set[str]:
    return set(bk.load(origin=origin or ()).findings["code"])


def name(case: Case) -> str:
    return case.__name__


@pytest.mark.parametrize("case", POOLED, ids=name)
def test_separate_measurements_that_are_pooled_fail_the_gate(
    history: History, case: Case, capsys: pytest.CaptureFixture[str]
) -> None:
    case(history)
    assert "error: B111 " in capsys.readouterr().err
    assert "B111" in list_codes()
    assert run(GATE) == 3
    assert "measurements of main count as one" in capsys.readouterr().out


@pytest.mark.parametrize("case", APART, ids=name)
def test_repeats_and_sides_ingested_in_turn_pass_the_gate(
    history: History, case: Case, capsys: pytest.CaptureFixture[str]
) -> None:
    case(history)
    origin = "job-2" if case is other_origins else ""
    if case is not nights_one_by_one_then_together:
        assert "B111" not in capsys.readouterr().err
    assert "B111" not in list_codes(origin)
    assert run([*GATE, *(["--origin", origin] if origin else [])]) == 0


def test_labelled_files_in_two_folders_are_groups(history: History) -> None:
    paths = [path for place in ("t1", "t2") for path in history.write_sides(f"{place}/{{}}/x.txt")]
    history.ingest(*(f"{path.split('/')[1]}={path}" for path in paths))
    assert set(bk.load().runs["group"]) == {"t1", "t2"}
    assert run(GATE) == 0
