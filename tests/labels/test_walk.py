"""A walk lists raw results in natural order, and reports what it skips."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchkit.labels.sidecars import Sidecars
from benchkit.labels.walk import DEEPEST, OUTSIDE, walk

RESULTS = [
    "baseline.txt",
    "none/1/wrk.txt",
    "none/k6-raw-1.json.gz",
    "none/old-2file.html",
    "none/server-1.log",
    "none/wrk-1.txt",
    "none/wrk-2.txt",
    "none/wrk-10.txt",
]
PASSED_OVER = {
    ".benchkit": "benchkit's own store",
    ".git": "a hidden folder",
    ".DS_Store": "a hidden file",
    "README.md": "a README",
    "README": "a README",
    "bench.sh": "a script",
    "done.LUA": "a script",
    "script.js": "a script",
    "data.js": "a script, or a history for `benchkit history import`",
    "notes.md": "a document",
    "plot.png": "a document",
    "run.toml": "a sidecar",
    "runs.json": "a sidecar",
    "benchkit.toml": "a sidecar",
    "PROVENANCE.toml": "a sidecar",
    "plan.toml": "a plan of `benchkit capture`",
    "Cargo.toml": "a file of settings",
    "containers.json": "a sidecar",
    "none/wrk-1.txt.run.toml": "a sidecar",
    "commands.log": "a log of commands",
    "none/1.err": "the standard error of a tool",
    "none/k6-1.stderr": "the standard error of a tool",
    "env": "a virtual environment",
    "target/CACHEDIR.TAG": "a cache tag",
    "target/debug": "cargo's build output",
    "node_modules": "dependencies",
    "lost+found": "part of the file system",
}
INSIDE = {
    *(".benchkit/x.parquet", ".git/config", "env/pyvenv.cfg", "env/a.txt", "node_modules/a.txt"),
    "lost+found/a.txt",
    *("target/debug/.cargo-lock", "target/debug/deps/a.txt"),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folders = {".benchkit", ".git", "env", "node_modules", "lost+found", "target/debug"}
    for name in {*RESULTS, *PASSED_OVER, *INSIDE} - folders:
        path = tmp_path / "results" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return tmp_path / "results"


def test_results_are_in_natural_order_and_the_rest_has_a_reason(root: Path) -> None:
    skipped: list[tuple[Path, str]] = []
    names = [path.relative_to(root).as_posix() for path in walk(root, [], skipped)]
    assert names == RESULTS
    assert {path.relative_to(root).as_posix(): reason for path, reason in skipped} == PASSED_OVER


@pytest.mark.parametrize(
    ("glob", "left"),
    [
        ("none", ["baseline.txt"]),
        ("none/", ["baseline.txt"]),
        ("none/*", ["baseline.txt"]),
        ("*.txt", ["none/k6-raw-1.json.gz", "none/old-2file.html", "none/server-1.log"]),
        ("wrk-?.txt", [name for name in RESULTS if name not in RESULTS[5:7]]),
    ],
)
def test_globs_exclude_files_and_folders(root: Path, glob: str, left: list[str]) -> None:
    skipped: list[tuple[Path, str]] = []
    assert [path.relative_to(root).as_posix() for path in walk(root, [glob], skipped)] == left
    assert any(reason.startswith("excluded by") for _, reason in skipped)


def test_explicitly_named_path_is_always_read(root: Path) -> None:
    assert list(walk(root / "README.md", ["*"])) == [root / "README.md"]
    hidden = root / ".runs"
    hidden.mkdir()
    (hidden / "wrk-1.txt").write_text("")
    assert list(walk(hidden)) == [hidden / "wrk-1.txt"]


def test_circular_links_are_skipped_and_dangling_ones_are_kept(
    tmp_path: Path,
) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "none/wrk-1.txt").write_text("")
    (tmp_path / "none/again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere.txt")
    (tmp_path / "itself.txt").symlink_to("itself.txt")
    os.mkfifo(tmp_path / "pipe.txt")
    skipped: list[tuple[Path, str]] = []
    names = [path.relative_to(tmp_path).as_posix() for path in walk(tmp_path, [], skipped)]
    assert names == ["gone.txt", "itself.txt", "none/wrk-1.txt", "pipe.txt"]
    assert dict(skipped) == {tmp_path / "none/again": "a link to a parent folder"}


def test_missing_folder_is_reported(tmp_path: Path) -> None:
    skipped: list[tuple[Path, str]] = []
    assert list(walk(tmp_path / "gone", [], skipped)) == []
    assert [path for path, _ in skipped] == [tmp_path / "gone"]


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("secret", OUTSIDE),
        ("", OUTSIDE),
        ("/", OUTSIDE),
        ("/proc/self", OUTSIDE),
        ("repository/results/main", ""),
        ("repository/baseline", OUTSIDE),
        ("repository/.env", OUTSIDE),
        ("repository", OUTSIDE),
        ("repository/.git/config", OUTSIDE),
        ("repository/.git/annex/objects/a", ""),
        ("repository/.dvc/cache/files/a", ""),
        ("repository/.dvc/config", OUTSIDE),
    ],
)
def test_link_is_followed_within_its_folder_and_to_tracked_files(
    tmp_path: Path, target: str, reason: str
) -> None:
    root = tmp_path / "repository" / "results"
    for name in ("results/main/1.txt", "baseline/1.txt", ".env", ".git/config", ".dvc/config"):
        file = tmp_path / "repository" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    for folder in (".git/annex/objects/a", ".dvc/cache/files/a"):
        (tmp_path / "repository" / folder).mkdir(parents=True)
        (tmp_path / "repository" / folder / "1.txt").touch()
    (tmp_path / "secret").touch()
    (root / "link").symlink_to(tmp_path / target)
    skipped: list[tuple[Path, str]] = []
    paths = list(walk(root, [], skipped))
    assert dict(skipped).get(root / "link", "") == reason
    assert any(path.is_relative_to(root / "link") for path in paths) == (not reason)


def test_link_stays_in_its_folder_without_a_repository(tmp_path: Path) -> None:
    (tmp_path / "other.txt").touch()
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "1.txt").symlink_to(tmp_path / "other.txt")
    (tmp_path / "named").symlink_to(tmp_path / "results")
    (tmp_path / "results" / "2.txt").touch()
    assert [path.name for path in walk(tmp_path / "named")] == ["2.txt"]


@contextmanager
def nested(root: Path, levels: int) -> Iterator[Path]:
    """Nest a file in folders deeper than a path may be long, temporarily."""
    inner, outer = root / "d", root / "outer"
    inner.mkdir()
    (inner / "deep.txt").touch()
    for _ in range(levels - 1):
        outer.mkdir()
        inner.rename(outer / "d")
        outer.rename(inner)
    yield root
    while (inner / "d").exists():  # removing all of them at once would recurse as deeply
        (inner / "d").rename(outer)
        inner.rmdir()
        outer.rename(inner)


@pytest.mark.parametrize(("levels", "is_read"), [(100, True), (101, False), (1500, False)])
def test_depth_of_folders_is_limited(tmp_path: Path, levels: int, is_read: bool) -> None:
    unseen: dict[Path, str] = {}
    with nested(tmp_path, levels):
        paths = list(walk(tmp_path, unseen=unseen))
    assert [path.name for path in paths] == ["deep.txt"] * is_read
    folder = Path(tmp_path, *["d"] * (DEEPEST + 1))
    assert unseen == ({} if is_read else {folder: "more than 100 folders deep"})


def test_standard_error_next_to_standard_output_is_skipped(tmp_path: Path) -> None:
    for name in ("a/stdout.txt", "a/stderr.txt", "b/stderr.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    skipped: list[tuple[Path, str]] = []
    names = [path.relative_to(tmp_path).as_posix() for path in walk(tmp_path, [], skipped)]
    assert names == ["a/stdout.txt", "b/stderr.txt"]
    assert skipped == [(tmp_path / "a/stderr.txt", "the standard error of a tool")]


def test_sidecar_name_is_case_insensitive(tmp_path: Path) -> None:
    for name, text in {
        "a/RUN.TOML": "variant = 'upper'\n",
        "a/1.txt.Run.toml": "run = 7\n",
        "b/run.toml": "variant = 'lower'\n",
        "b/RUN.TOML": "variant = 'upper'\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    sidecars = Sidecars(tmp_path)
    first, second = (sidecars.for_file(tmp_path / name) for name in ("a/1.txt", "b/1.txt"))
    assert (first.variant, first.run, second.variant) == ("upper", 7, "lower")
    (problem,) = sidecars.diagnostics
    assert problem.where == str(tmp_path / "b/RUN.TOML")
    assert problem.what == "run.toml is read instead; all its labels are ignored"
