"""`benchkit history`: results of each commit go into the store, and are listed in order."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import gated
import pytest

import benchkit.api as bk
from benchkit.cli import run

COMMITS = 18


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_SHA", "CI_COMMIT_SHA"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def add(number: int, cost: float = 0.0, *, runs: int = 5) -> int:
    gated.write_runs(
        Path("results/base.txt"), seed=number, cost=cost, runs=runs, benchmarks=("Ping",)
    )
    date = f"2026-10-{number + 1:02d}T10:00:00Z"
    return run(["history", "add", "results", "--commit", f"{number:07d}a", "--date", date, "-q"])


def read_times(text: str) -> dict[str, Any]:
    """Return the single series of times; counts are tracked separately."""
    series = json.loads(text)["history"]["series"]
    assert [one["metric"] for one in series if one["is_exact"]] == ["bytes_per_op", "allocs_per_op"]
    (times,) = (one for one in series if not one["is_exact"])
    return dict(times)


def test_same_path_is_a_new_source_for_every_commit(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(COMMITS):
        assert add(number, 0.1 if number >= 9 else 0.0) == 0
    assert run(["history", "show", "--metric", "time_per_op", "--variant", "base"]) == 0
    shown = capsys.readouterr().out.replace("\N{NO-BREAK SPACE}", " ")
    assert (
        "1 series: 1 step change; the newest commit is outside the expected range in no series."
        in shown
    )
    assert "since 0000009 (10 Oct 2026): ▲ worse +" in shown
    assert shown.count("2026-10-") == COMMITS

    Path("benchkit.toml").write_text(
        '[[history.accept]]\ncommit = "0000009a"\nreason = "TLS"\n', encoding="utf-8"
    )
    assert run(["history", "show", "-o", "history.json"]) == 0
    series = read_times(Path("history.json").read_text(encoding="utf-8"))
    assert [(c["commit"], c["reason"], c["commits"]) for c in series["changes"]] == [
        ("0000009a", "TLS", 9)
    ]
    assert run(["history", "show", "-o", "history.md"]) == 0
    assert "accepted: TLS" in Path("history.md").read_text(encoding="utf-8")
    capsys.readouterr()
    assert run(["history", "show", "--format", "svg"]) == 0
    assert "accepted" in (folder / "history.svg").read_text(encoding="utf-8")
    assert run(["history", "show", "-o", "history.png"]) == 0
    assert Path("history.png").read_bytes().startswith(b"\x89PNG")
    assert run(["plot", "history", "-o", "same.svg"]) == 0
    assert Path("same.svg").read_bytes() == Path("history.svg").read_bytes()
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "→ history.svg\n→ history.png\n→ same.svg\n")


def test_same_commit_again_changes_nothing_or_replaces_only_its_runs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(0) == add(0) == add(1) == 0
    assert add(1, runs=3) == 0
    assert run(["history", "show", "--format", "json"]) == 0
    series = read_times(capsys.readouterr().out)
    assert [point["runs"] for point in series["points"]] == [5, 3]
    assert folder.is_dir()


def test_earlier_ingested_runs_stay_next_to_those_of_a_commit(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gated.write_runs(folder / "results/base/1.txt", seed=1, benchmarks=("Ping",))
    when = ["--date", "2026-10-01T10:00:00Z", "-q"]
    for command in (
        ["ingest", "results", "-q"],
        ["history", "add", "results", "--commit", "0000001a", *when],
        ["ingest", "results", "-q"],
    ):
        assert run(command) == 0
    assert run(["history", "show", "--format", "json"]) == 0
    series = read_times(capsys.readouterr().out)
    assert [(point["commit"], point["runs"]) for point in series["points"]] == [("0000001a", 10)]
    gated.write_runs(folder / "results/base/1.txt", seed=2, benchmarks=("Ping",))
    assert run(["history", "add", "results", "--commit", "0000002a", *when]) == 0
    assert run(["runs", "--format", "json"]) == 0
    printed = capsys.readouterr()
    groups = [one["group"] for one in json.loads(printed.out)["runs"]]
    assert Counter(groups) == {"": 10, "0000001a": 10, "0000002a": 10}
    assert "B103" not in printed.err


@pytest.mark.parametrize("origin", [[], ["--origin", "ci/2"]])
@pytest.mark.parametrize("place", ["results", "copy", "results/base/1.txt", "base=results"])
def test_results_of_another_commit_are_not_a_measurement(
    folder: Path, capsys: pytest.CaptureFixture[str], place: str, origin: list[str]
) -> None:
    gated.write_runs(folder / "results/base/1.txt", seed=1, benchmarks=("Ping",))
    assert run(["history", "add", "results", "--commit", "aaaaaaa1", "-q"]) == 0
    shutil.copytree("results", "copy")
    before = list_commits()
    assert run(["history", "add", place, "--commit", "bbbbbbb2", "-q", *origin]) == 3
    printed = capsys.readouterr().err
    assert "identical to a result of commit aaaaaaa1, so it was not added to bbbbbbb2" in printed
    assert "run `benchkit undo` while" in printed
    assert list_commits() == before == {"aaaaaaa1": 10}

    gated.write_runs(folder / "copy/base/2.txt", seed=2, benchmarks=("Ping",))
    assert run(["history", "add", "copy", "--commit", "bbbbbbb2", *origin]) == 0
    assert "error: B114 copy/base/1.txt: identical to" in capsys.readouterr().err
    assert list_commits() == {"aaaaaaa1": 10, "bbbbbbb2": 10}
    assert run(["history", "add", "results", "--commit", "aaaaaaa1"]) == 0
    assert "B114" not in capsys.readouterr().err


def test_runs_that_failed_the_same_way_at_two_commits_failed_at_both(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "results/base").mkdir(parents=True, exist_ok=True)
    text = "$ wrk -c1 -t1 http://h:1/\nunable to connect to h:1 Connection refused\n"
    (folder / "results/base/1.txt").write_text(text)
    for commit in ("aaaaaaa1", "bbbbbbb2"):
        run(["history", "add", "results", "--commit", commit])
        assert "B114" not in capsys.readouterr().err
    runs = bk.load().runs
    assert set(zip(runs["group"], runs["role"], strict=True)) == {
        ("aaaaaaa1", "failed"), ("bbbbbbb2", "failed"),
    }  # fmt: skip


def test_commit_of_a_result_is_corrected_by_undo(folder: Path) -> None:
    gated.write_runs(folder / "results/base/1.txt", seed=1, benchmarks=("Ping",))
    assert run(["history", "add", "results", "--commit", "aaaaaaa1", "-q"]) == 0
    assert run(["undo", "-q"]) == 0
    assert run(["history", "add", "results", "--commit", "bbbbbbb2", "-q"]) == 0
    assert list_commits() == {"bbbbbbb2": 10}


def list_commits() -> dict[str, int]:
    """Return the number of runs of each commit in the store."""
    return dict(Counter(bk.load().runs["group"]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--commit", "abc"], "'abc' is not a commit"),
        (["--commit", "../../etc"], "is not a commit"),
        (["--commit", "abc1234", "--date", "now"], "'now': expected a time with a time zone"),
        ([], "missing --commit"),
    ],
)
def test_invalid_commit_or_date_is_refused(
    folder: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    gated.write_pair(folder / "results")
    assert run(["history", "add", "results", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not (folder / ".benchkit").exists()


def test_commit_has_one_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def add_as(commit: str, seed: int) -> int:
        path = folder / "results" / f"{seed}.txt"
        gated.write_runs(path, seed=seed, runs=3, benchmarks=("Ping",))
        when = ["--date", f"2026-10-{seed:02d}T10:00:00Z"]
        return run(["history", "add", str(path), "--commit", commit, *when])

    assert add_as("abc1234def", 1) == 0
    assert add_as("abc1234", 2) == add_as("ABC1234D", 3) == 0
    assert "abc1234 is recorded as abc1234def\n" in capsys.readouterr().err
    assert add_as("abc1234fff", 4) == 0  # another commit, shown separately
    assert add_as("abc1234", 5) == 2
    assert "--commit: abc1234 matches both abc1234def and abc1234fff" in capsys.readouterr().err
    assert add_as("abc1234def00", 6) == 2
    assert "abc1234def00 starts with abc1234def, which is in the store" in capsys.readouterr().err
    assert run(["history", "show"]) == 0
    shown = [line.split()[0] for line in capsys.readouterr().out.splitlines() if "2026-10" in line]
    assert shown == ["abc1234d", "abc1234f"]


def test_unused_date_is_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def add_at(name: str, date: str) -> str:
        gated.write_runs(folder / "results" / f"{name}.txt", seed=len(name), benchmarks=("Ping",))
        path = f"results/{name}.txt"
        when = ["--commit", "abc1234", "--date", date, "-q"]
        assert run(["history", "add", path, *when]) == 0
        return capsys.readouterr().err

    assert add_at("a", "2026-10-01T10:00:00Z") == ""
    assert add_at("bb", "2026-10-01T12:00:00+02:00") == ""  # the same instant
    note = add_at("ccc", "2026-10-02T10:00:00Z")
    assert note.startswith(
        "note: --date 2026-10-02T10:00:00+00:00 is ignored, because abc1234 already has the "
        "earlier date 2026"
    )
    assert add_at("dddd", "2026-09-30T10:00:00Z") == ""  # the earliest date takes precedence


def test_accepted_change_of_an_unknown_commit_is_a_warning(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(0) == add(1) == 0
    accepted = "[[history.accept]]\ncommit = '{}'\nreason = 'TLS'\n"
    names = ("0000001a", "0000002a", "0000000")
    (folder / "benchkit.toml").write_text("".join(map(accepted.format, names)), encoding="utf-8")
    assert run(["history", "show"]) == 0
    shown = capsys.readouterr().out
    warning = "Warning: [[history.accept]] 0000002a (TLS) matches no commit of this history."
    assert shown.count("Warning: ") == shown.count(warning) == 1
    assert run(["history", "show", "-o", "history.json"]) == 0
    assert warning in json.loads((folder / "history.json").read_text(encoding="utf-8"))["sentences"]


def test_store_without_commits_has_no_history(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gated.write_pair(folder / "results")
    assert run(["ingest", "results", "-q"]) == 0
    assert run(["history", "show"]) == 3
    assert "benchkit history add" in capsys.readouterr().err


def test_unknown_keys_of_an_accepted_change_are_errors(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "benchkit.toml").write_text(
        '[[history.accept]]\ncomit = "abc1234"\nreason = "TLS"\n', encoding="utf-8"
    )
    assert run(["history", "show"]) == 2
    assert "did you mean 'commit'?" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_pruned_commits_are_restored_by_undo(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for number in (2, 0, 1):
        assert add(number) == 0
    commits = list_commits()
    assert run(["history", "prune", "--keep", "2"]) == 0
    printed = capsys.readouterr().err
    assert printed == ".benchkit: dropped 1 commit; run `benchkit store vacuum` to free the space\n"
    assert list_commits() == {"0000001a": 5, "0000002a": 5}
    assert run(["history", "prune", "--keep", "2"]) == 0
    assert capsys.readouterr().err == ".benchkit: dropped 0 commits\n"
    assert run(["undo", "-q"]) == 0
    assert list_commits() == commits
    assert run(["history", "prune", "--keep", "1", "--store", "elsewhere"]) == 3
    assert "elsewhere: not a store" in capsys.readouterr().err


def add_of(branch: str, number: int, seed: int | None = None) -> int:
    """Add a commit of a branch as a CI job does; an empty branch means outside CI."""
    gated.write_runs(Path("results/base.txt"), seed=seed or number + 40, benchmarks=("Ping",))
    date = f"2026-10-{number + 1:02d}T10:00:00Z"
    options = ["--branch", branch] if branch else []
    commit = f"{number:07d}b"
    return run(["history", "add", "results", "--commit", commit, "--date", date, "-q", *options])


def list_points(capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    capsys.readouterr()
    assert run(["history", "show", "--format", "json", *options]) == 0
    return [point["commit"][6:] for point in read_times(capsys.readouterr().out)["points"]]


@pytest.mark.usefixtures("folder")
def test_branch_is_a_separate_series(capsys: pytest.CaptureFixture[str]) -> None:
    for number, branch in enumerate(["main", "fix", "master", "fix", ""]):
        assert add_of(branch, number) == 0
    assert list_points(capsys) == list_points(capsys, "--branch", "main") == ["0b", "2b", "4b"]
    assert list_points(capsys, "--branch", "fix") == ["1b", "3b"]
    assert add_of("main", 3, seed=9) == 0  # merged: measured again on its new branch
    assert list_points(capsys) == ["0b", "2b", "3b", "4b"]
    assert run(["history", "show"]) == 0
    assert "Left out, as only branch main is followed: fix (1 commit)." in capsys.readouterr().out
    assert run(["history", "gate", "--branch", "gone"]) == 3
    printed = capsys.readouterr().err
    assert "no commit is on branch 'gone', only on fix, main; choose a recorded branch: " in printed
    Path("benchkit.toml").write_text('[history]\nbranch = "fix"\n', encoding="utf-8")
    assert list_points(capsys) == ["1b"]
    assert run(["history", "export", "--branch", "main", "--influx", "main.lp"]) == 0
    assert "commit=0000002b" in Path("main.lp").read_text(encoding="utf-8")


@pytest.mark.usefixtures("folder")
def test_site_shows_every_branch_or_the_requested_ones(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("CI_PROJECT_URL", "GITHUB_SERVER_URL", "GITHUB_REPOSITORY"):
        monkeypatch.delenv(name, raising=False)
    for number, branch in enumerate(["main", "fix", "main"]):
        assert add_of(branch, number) == 0
    capsys.readouterr()
    assert run(["history", "site", "public"]) == 0
    assert capsys.readouterr().err.startswith("→ public/index.html: 2 pages, 0.0 MB")
    index = Path("public/index.html").read_text(encoding="utf-8")
    assert index.count('data-branch="main"') == index.count('data-branch="fix"') == 3
    assert 'href="http' not in index
    (page,) = Path("public/benchmarks").iterdir()
    old = page.rename(page.with_name("gone-0123abcd.html"))
    (custom := page.with_name("mine-0123abcd.html")).write_text("mine", encoding="utf-8")
    monkeypatch.setenv("CI_PROJECT_URL", "https://gitlab.com/o/n")
    assert run(["history", "site", "public", "--branch", "fix", "-q"]) == 0
    assert (old.exists(), custom.exists(), page.exists()) == (False, True, True)
    index = Path("public/index.html").read_text(encoding="utf-8")
    assert 'data-branch="main"' not in index
    assert "https://gitlab.com/o/n/-/commit/0000001b" in index
    assert run(["history", "site", "refused", "--repo-url", "javascript:x"]) == 2
    assert not Path("refused").exists()
    Path("elsewhere").mkdir()
    Path("linked").mkdir()
    Path("linked/benchmarks").symlink_to("../elsewhere")
    assert run(["history", "site", "linked"]) == 2
    assert "linked/benchmarks: is a link to another folder" in capsys.readouterr().err
    assert not any(Path("elsewhere").iterdir())


@pytest.mark.usefixtures("folder")
def test_busy_branch_prunes_nothing_of_another(capsys: pytest.CaptureFixture[str]) -> None:
    for number, branch in enumerate(["main", "main", "fix", "fix", "fix"]):
        assert add_of(branch, number) == 0
    assert run(["history", "prune", "--keep", "1", "--branch", "fix", "-q"]) == 0
    assert list_commits() == {"0000000b": 10, "0000001b": 10, "0000004b": 10}
    assert run(["history", "prune", "--keep", "1"]) == 0
    assert "dropped 1 commit" in capsys.readouterr().err
    assert list_commits() == {"0000001b": 10, "0000004b": 10}


def test_branch_of_a_job_is_recorded_and_main_of_a_fork_is_separate(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add_of("", 0) == 0
    monkeypatch.setenv("GITHUB_RUN_ID", "5")
    monkeypatch.setenv("GITHUB_REF_TYPE", "branch")
    monkeypatch.setenv("GITHUB_REF_NAME", "main")
    assert add_of("", 1) == 0
    monkeypatch.setenv("GITHUB_REF_NAME", "71/merge")
    monkeypatch.setenv("GITHUB_HEAD_REF", "main")
    assert add_of("", 2) == 0
    assert list_points(capsys) == ["0b", "1b"]
    assert list_points(capsys, "--branch", "71/merge") == ["2b"]
    assert folder.is_dir()


@pytest.mark.usefixtures("folder")
def test_counts_alone_do_not_pass_a_young_history(capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(4):
        assert add(number) == 0
    assert run(["history", "gate"]) == 4
    printed = capsys.readouterr().out.lower()
    assert (
        "undecided: before 0000003, every series whose values vary has fewer than 8 commits"
        in printed
    )


@pytest.mark.usefixtures("folder")
def test_single_panic_is_one_failed_run(capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(2):
        assert add(number) == 0
    path = gated.write_runs(Path("results/base.txt"), seed=2, runs=1)
    path.write_text(path.read_text().replace("PASS", "panic: lost"))
    date = "2026-10-03T10:00:00Z"
    assert run(["history", "add", "results", "--commit", "0000002a", "--date", date, "-q"]) == 0
    assert run(["history", "gate"]) == 1
    assert "1 run of 0000002 failed" in capsys.readouterr().out.lower()


@pytest.mark.usefixtures("folder")
def test_runs_replaced_by_a_new_measurement_of_a_commit_are_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    add(0, runs=5)
    gated.write_runs(Path("results/base.txt"), seed=7, runs=5, benchmarks=("Ping",))
    capsys.readouterr()
    dated = ["--commit", "0000000a", "--date", "2026-10-01T10:00:00Z"]
    assert run(["history", "add", "results", *dated]) == 0
    assert ".benchkit: 0000000, 1 source, 5 superseded · next" in capsys.readouterr().err
