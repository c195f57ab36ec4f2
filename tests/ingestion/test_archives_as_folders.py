"""Archives that a folder holds, such as downloads from CI, have the labels of equal folders."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import commits
import gated
import pytest

import benchkit as bk
from benchkit.cli import run

SIDES = ("none", "otlp")
Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def measure(*places: str) -> None:
    """Write runs at each place, in a folder and in an archive of each of its folders."""
    for seed, place in enumerate(places):
        gated.write_runs(Path("plain", place), seed=seed, runs=1)
    for each in Path("plain").iterdir():
        shutil.make_archive(f"packed/{each.name}", "zip", each)


def list_rows(where: str, layout: str | None = None) -> list[tuple[Any, ...]]:
    frame = bk.load(where, layout=layout).compare(baseline="none").frame
    columns = ["group", "benchmark", "variant", "n_baseline", "n_variant", "center_variant"]
    return sorted(frame[columns].itertuples(index=False, name=None))


@pytest.mark.parametrize(
    "place",
    [
        "results-{leg}-{side}/{run}.txt",
        "{side}-{leg}/{run}.txt",
        "bench-{leg}/{side}/{run}.txt",
        "results-{side}-{run}/result.txt",
        "{side}/{run}.txt",
    ],
)
def test_archives_have_the_labels_of_folders(place: str) -> None:
    legs = ("py311", "py312") if "{leg}" in place else ("",)
    runs = range(1, 5)
    measure(*(place.format(leg=g, side=s, run=n) for g in legs for s in SIDES for n in runs))
    expected = list_rows("plain")
    assert {row[2:5] for row in expected} == {("otlp", 4, 4)}
    assert list_rows("packed") == expected


@pytest.mark.parametrize(
    "places",
    [
        ["bench-py311-none/{run}.txt", "bench-py311-otlp/{run}.txt", "bench-py312-none/{run}.txt"],
        ["v1/{run}.txt", "v2/{run}.txt"],
    ],
)
def test_archives_without_a_certain_baseline_have_none(places: list[str], capsys: Captured) -> None:
    """The first archive was the baseline of all others."""
    measure(*(place.format(run=run) for place in places for run in range(1, 5)))
    errors = []
    for where in ("plain", "packed"):
        assert run(["gate", where]) == 2
        errors.append(capsys.readouterr().err.replace("packed", "plain"))
    assert errors[0].startswith("benchkit: error: cannot infer the baseline")
    assert errors[0] == errors[1]


def test_a_layout_begins_at_the_folder_of_the_archives(capsys: Captured) -> None:
    """The runs of two legs counted as 8 repeats."""
    legs, runs = ("py311", "py312"), range(1, 5)
    measure(*(f"bench-{leg}/{side}/{n}.txt" for leg in legs for side in SIDES for n in runs))
    expected = list_rows("plain")
    assert {row[0] for row in expected} == {"bench-py311", "bench-py312"}
    assert list_rows("packed", layout="{variant}/{run}.txt") == expected
    assert list_rows("packed", layout="bench-{group}/{variant}/{run}.txt") == [
        (group.removeprefix("bench-"), *rest) for group, *rest in expected
    ]
    for where in ("plain", "packed"):
        assert run(["layout", where]) == 0
    plain, packed = capsys.readouterr().out.replace("packed", "plain").split("2 variants: ")[1:]
    assert packed.partition("Files")[0] == plain.partition("Files")[0]


def test_archives_of_one_side_each_are_no_groups() -> None:
    measure(*(f"job-{side}/{side}/{run}.txt" for side in SIDES for run in range(1, 5)))
    assert {row[:5] for row in list_rows("packed")} == {
        ("", benchmark, "otlp", 4, 4) for benchmark in gated.BENCHMARKS
    }


@pytest.mark.parametrize(
    "names", [["py311", "py312"], ["py311-none", "py312-otlp"], ["get", "put"]]
)
def test_archives_of_other_names_are_groups_like_folders(
    names: list[str], capsys: Captured
) -> None:
    """The baseline of one leg was compared with the other side of another one."""
    pairs = zip(names, SIDES, strict=True)
    measure(*(f"{name}/{side}/{run}.txt" for name, side in pairs for run in range(1, 5)))
    for where in ("plain", "packed"):
        assert run(["gate", where]) == 3
        assert "Nothing was compared" in capsys.readouterr().out


@pytest.mark.parametrize("depth", [1, 2])
def test_sidecars_of_folders_above_archives_apply(depth: int, capsys: Captured) -> None:
    """They were read from the folder of the archive only, so that failed runs passed."""
    measure(*(f"{side}/{run}.txt" for side in SIDES for run in range(1, 5)))
    shutil.copytree("packed", Path("job", *["py311"] * depth))
    Path("job/run.toml").write_text("exit_code = 2\n")
    assert run(["gate", "job"]) == 1
    assert "exited with code 2" in capsys.readouterr().out


def test_archives_below_one_named_variant_are_groups() -> None:
    """All of them were pooled."""
    measure(*(f"{name}/{run}.txt" for name in ("py311", "py312") for run in range(1, 5)))
    for where in ("plain", "packed"):
        Path(where, "run.toml").write_text('variant = "main"\n')
        runs = bk.load(where).runs
        assert set(zip(runs["group"], runs["variant"], strict=True)) == {
            ("py311", "main"),
            ("py312", "main"),
        }


@pytest.mark.parametrize("exclude", ["otlp/2.txt", "*/2.txt", "2.txt", "eu/otlp/*"])
def test_excluded_paths_of_archives_are_those_of_folders(exclude: str, capsys: Captured) -> None:
    """They began at the archive, and its files counted."""
    measure(*(f"{side}/{run}.txt" for side in SIDES for run in range(1, 5)))
    counts = []
    for where in ("plain", "packed"):
        shutil.copytree(where, f"{where}-eu/eu")
        root = f"{where}-eu" if exclude.startswith("eu") else where
        assert run(["runs", root, "--exclude", exclude, "--format", "csv"]) == 0
        counts.append(len(capsys.readouterr().out.splitlines()))
    assert counts[0] == counts[1] < 1 + 4 * 2 * 2


def test_archives_of_one_name_are_not_one_variant() -> None:
    gated.write_runs(Path("a/1.txt"), seed=1)
    gated.write_runs(Path("b/1.txt"), seed=2)
    shutil.make_archive("packed/none", "zip", "a")
    shutil.make_archive("packed/none", "gztar", "b")
    assert sorted(bk.load("packed").variants) == ["none.tar.gz", "none.zip"]


def test_a_link_to_a_folder_of_archives_is_that_folder() -> None:
    measure(*(f"{side}/{run}.txt" for side in SIDES for run in range(1, 5)))
    Path("link").symlink_to("packed")
    for layout in (None, "{variant}/{run}.txt"):
        assert list_rows("link", layout) == list_rows("plain")


def test_folders_of_commits_are_named_after_their_commits(capsys: Captured) -> None:
    """They had the names of temporary folders."""
    commits.git(Path(), "init", "--quiet")
    for seed in range(2):
        gated.write_runs(Path("bench/1.txt"), seed=seed)
        commits.git(Path(), "add", "bench")
        commits.git(Path(), "commit", "--quiet", "--message", f"{seed}")
    gated.write_runs(Path("bench/1.txt"), seed=2)
    assert run(["compare", "git:HEAD~1:bench", "git:HEAD:bench"]) == 0
    assert "HEAD vs. HEAD~1" in capsys.readouterr().out
    assert run(["compare", "git:HEAD~1:bench", "bench"]) == 0
    assert "vs. HEAD~1" in capsys.readouterr().out
