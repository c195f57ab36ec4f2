"""`benchkit history import`: results of other tools are stored under their recorded commits."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit.cli import run

FIXTURES = Path(__file__).parents[2] / "fixtures"
DATA_JS = FIXTURES / "github-action-benchmark-forms/synthetic-data.js"
SUITES = FIXTURES / "github-action-benchmark-forms/synthetic-suites.js"
ASV = FIXTURES / "asv-forms/results"
MACHINE = "Linux-CPython-3.11-64bit"
BEFORE = "window.BENCHMARK_DATA = "


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def show_history() -> dict[str, list[str]]:
    """Return the commits of each series of times, by group and benchmark."""
    assert run(["history", "show", "-q", "-o", "history.json"]) == 0
    series = json.loads(Path("history.json").read_text(encoding="utf-8"))["history"]["series"]
    return {
        f"{one['group']}|{one['benchmark']}": [
            f"{point['commit'][:2]} x{point['runs']}" for point in one["points"]
        ]
        for one in series
        if one["metric"] == "time_per_op"
    }


def write_entries(path: Path, numbers: Sequence[int]) -> Path:
    """Write a data.js with some of the entries of the fixture."""
    data = json.loads(DATA_JS.read_text(encoding="utf-8").removeprefix(BEFORE))
    entries = data["entries"]["Go Benchmark"]
    data["entries"]["Go Benchmark"] = [entries[number] for number in numbers]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(BEFORE + json.dumps(data), encoding="utf-8")
    return path


def write_session(name: str, **commit: str | bool | None) -> None:
    """Write a session into pytest-benchmark's storage, with the given facts of its commit."""
    session = json.loads((FIXTURES / "pytest-benchmark/saved.json").read_text(encoding="utf-8"))
    session["commit_info"] = {
        "time": "2026-11-20T10:00:00+01:00", "dirty": False, "branch": "main", **commit,
    }  # fmt: skip
    for benchmark in session["benchmarks"]:
        benchmark["stats"]["max"] += int(name[:4])  # measurements of two sessions always differ
    path = Path(".benchmarks", MACHINE, f"{name}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(session), encoding="utf-8")


def test_chart_becomes_a_history(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["history", "import", str(DATA_JS)]) == 0
    shown = capsys.readouterr().err
    assert "48 runs read, 12 new commits · next: benchkit history show" in shown
    assert run(["history", "show"]) == 0
    assert "since 08a9c1d (9 Oct 2026): ▲ worse 2.00× (1 → 2), 4 commits" in capsys.readouterr().out
    assert run(["history", "gate"]) == 0
    assert run(["history", "site", "public"]) == 0
    assert Path("public/index.html").is_file()


@pytest.mark.parametrize(
    "benches", [[], [{"name": "BenchmarkFib10", "unit": "ns/op", "value": "oops"}]]
)
def test_unreadable_newest_commit_fails_the_gate(
    benches: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_entries(Path("data.js"), range(12))
    data = json.loads(path.read_text(encoding="utf-8").removeprefix(BEFORE))
    data["entries"]["Go Benchmark"][-1]["benches"] = benches
    path.write_text(BEFORE + json.dumps(data), encoding="utf-8")
    assert run(["history", "import", "data.js"]) == 0
    assert run(["history", "import", "data.js"]) == 0
    capsys.readouterr()
    assert run(["history", "gate"]) == 3
    newest = data["entries"]["Go Benchmark"][-1]["commit"]["id"][:7]
    assert f"1 file of {newest} cannot be read" in capsys.readouterr().out


def test_importing_twice_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["history", "import", str(DATA_JS), str(ASV), "-q"]) == 0
    before = bk.load(".benchkit").runs
    capsys.readouterr()
    assert run(["history", "import", str(DATA_JS), str(ASV)]) == 0
    shown = capsys.readouterr().err
    assert (
        "synthetic-data.js: the store already has results of 12 commits, so those of this"
    ) in shown
    assert "0 runs read, 0 new commits" in shown
    assert bk.load(".benchkit").runs.equals(before)


def test_grown_or_truncated_chart_adds_its_new_commits() -> None:
    assert run(["history", "import", str(write_entries(Path("one/data.js"), range(6)))]) == 0
    assert run(["history", "import", str(write_entries(Path("one/data.js"), range(4, 9)))]) == 0
    assert run(["history", "import", str(write_entries(Path("two/data.js"), range(7, 12)))]) == 0
    assert show_history()["|BenchmarkFib20"] == [f"{number:02d} x1" for number in range(12)]


def test_suites_are_separate_series() -> None:
    assert run(["history", "import", str(SUITES), "-q"]) == 0
    assert show_history() == {"Rust Benchmark|bench_fib_10": ["01 x1"]}


def test_machine_and_environment_come_from_folder_and_file_names() -> None:
    shutil.copytree(ASV, "results")
    for path in Path("results/vm").glob("1a7bb562*"):
        shutil.move(path, path.with_name("1a7bb56f-existing-py3.11.json"))
    assert run(["history", "import", "results", "-q"]) == 0
    name = "benchmarks.TimeSuite.time_keys(10)"
    assert show_history()[f"vm/existing-py3.11|{name}"] == ["1a x1", "e1 x1"]
    shutil.move("results/vm", "results/desk")
    assert run(["history", "import", "results/desk", "-q"]) == 0
    assert show_history()[f"desk/existing-py3.11|{name}"] == ["1a x1", "e1 x1"]
    assert show_history()[f"vm/existing-py3.11|{name}"] == ["1a x1", "e1 x1"]


def test_benchmark_list_next_to_the_results_is_not_an_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["history", "import", str(ASV)]) == 0
    assert "error" not in capsys.readouterr().err


def test_sessions_have_commit_date_and_branch() -> None:
    write_session("0001_a", id="aaaaaaa1")
    write_session("0002_a", id="aaaaaaa1")
    write_session("0003_b", id="bbbbbbb1", time="2026-11-21T10:00:00+01:00")
    write_session("0004_c", id="ccccccc1", branch="fix")
    assert run(["history", "import", ".benchmarks"]) == 0
    assert show_history()[f"{MACHINE}|test_roots"] == ["aa x2", "bb x1"]
    envs = {env["commit"]: env for env in bk.load(".benchkit").runs["env"]}
    assert envs["aaaaaaa1"]["date"] == "2026-11-20T10:00:00+01:00"
    assert envs["ccccccc1"]["branch"] == "fix"


def test_branch_option_applies_only_to_commits_without_a_branch() -> None:
    write_session("0001_a", id="aaaaaaa1")
    write_session("0002_b", id="bbbbbbb1", branch="(detached head)")
    assert run(["history", "import", ".benchmarks", "--branch", "release"]) == 0
    branches = {env["commit"]: env["branch"] for env in bk.load(".benchkit").runs["env"]}
    assert branches == {"aaaaaaa1": "main", "bbbbbbb1": "release"}


def test_results_without_a_commit_or_date_are_reported_and_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_session("0001_a", id="aaaaaaa1")
    write_session("0002_changed", id="aaaaaaa1", dirty=True)
    write_session("0003_undated", id="bbbbbbb1", time=None)
    write_session("0004_short", id="abc")
    write_session("0005_unversioned", id="unversioned", time=None)
    assert run(["history", "import", ".benchmarks"]) == 0
    shown = capsys.readouterr().err
    assert "0002_changed.json: 3 results left out: they were measured with uncommitted" in shown
    assert "0005_unversioned.json: 3 results left out: no commit is recorded" in shown
    assert "0003_undated.json: 3 results left out: commit bbbbbbb has no date" in shown
    assert "0004_short.json: 3 results left out: 'abc' is not a commit" in shown
    commits = {env["commit"] for env in bk.load(".benchkit").runs["env"]}
    assert commits == {"aaaaaaa1"}


@pytest.mark.parametrize("path", ["bencher-forms/synthetic-measures.json", "pytest-benchmark"])
def test_format_without_commits_is_refused(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["history", "import", str(FIXTURES / path)]) == 3
    shown = capsys.readouterr().err
    assert "results left out: no commit is recorded; use `benchkit history add" in shown
    assert "no result records a commit and its date" in shown


def test_stored_commit_is_not_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    write_session("0001_a", id="aaaaaaa1")
    source = ".benchmarks/Linux-CPython-3.11-64bit/0001_a.json"
    assert run(["history", "add", f"new={source}", "--commit", "aaaaaaa1", "-q"]) == 0
    before = bk.load(".benchkit").runs
    write_session("0002_b", id="aaaaaaa1f00d")
    capsys.readouterr()
    assert run(["history", "import", ".benchmarks"]) == 0
    shown = capsys.readouterr().err
    assert "left out: aaaaaaa1f00d starts with aaaaaaa1, which is in the store" in shown
    after = bk.load(".benchkit").runs
    assert before["variant"].tolist() == [
        name for name in after["variant"].tolist() if name == "new"
    ]


def test_ingested_chart_is_not_doubled() -> None:
    assert run(["ingest", str(DATA_JS), "-q"]) == 0
    assert run(["history", "import", str(DATA_JS), "-q"]) == 0
    assert set(show_history()["|BenchmarkFib20"]) == {f"{number:02d} x1" for number in range(12)}


def test_importing_job_is_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "GITHUB_RUN_ID": "71", "GITHUB_JOB": "bench", "GITHUB_REF_TYPE": "branch",
        "GITHUB_REF_NAME": "fix",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    assert run(["history", "import", str(DATA_JS), "-q"]) == 0
    assert run(["history", "show", "--branch", "main", "-o", "history.json", "-q"]) == 0
    monkeypatch.setenv("GITHUB_RUN_ID", "72")
    assert run(["history", "import", str(DATA_JS), "-q"]) == 0
    assert set(show_history()["|BenchmarkFib20"]) == {f"{number:02d} x1" for number in range(12)}


def test_deleted_file_does_not_remove_its_commit() -> None:
    write_session("0001_a", id="aaaaaaa1")
    write_session("0002_b", id="bbbbbbb1", time="2026-11-21T10:00:00Z")
    assert run(["history", "import", ".benchmarks", "-q"]) == 0
    next(Path(".benchmarks").rglob("0001_a.json")).unlink()
    assert run(["history", "import", ".benchmarks", "-q"]) == 0
    assert show_history()[f"{MACHINE}|test_roots"] == ["aa x1", "bb x1"]


def test_date_of_another_commit_is_not_used() -> None:
    write_session("0001_a", id="aaaaaaa1", branch="fix")
    assert run(["history", "add", ".benchmarks", "--commit", "bbbbbbb1", "-q"]) == 0
    (env, *_) = bk.load(".benchkit").runs["env"]
    assert (env["commit"], "date" in env, "branch" in env) == ("bbbbbbb1", False, False)


@pytest.mark.parametrize(
    ("days", "message"),
    [
        ((1,), "the date of 0000001, 2099-11-01T09:00:00+00:00, is in the future, so it counts"),
        (
            (1, 2),
            "the dates of 2 commits are in the future, so 0000002 (2099-11-02T09:00:00+00:00)",
        ),
    ],
)
def test_future_dates_are_reported(
    days: Sequence[int], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for day in days:
        write_session(f"{day:04d}", id=f"{day:07d}", time=f"2099-11-0{day}T10:00:00+01:00")
    assert run(["history", "import", ".benchmarks"]) == 0
    shown = " ".join(capsys.readouterr().err.split())
    assert f"warning: {message}" in shown
    assert "correct the file and import it again" in shown
