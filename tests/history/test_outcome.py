"""`benchkit history gate`: the newest commit is judged, with the exit codes of the gate."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import gated
import pytest

from benchkit.cli import run
from benchkit.ingestion.job_branches import COMMITS

LEVEL = 9


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all histories share, because they record its path."""
    return tmp_path_factory.mktemp("histories")


@pytest.fixture(autouse=True)
def folder(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = place / "present"
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    monkeypatch.chdir(path)
    for name in COMMITS:
        monkeypatch.delenv(name, raising=False)
    return path


@pytest.fixture
def level(place: Path, folder: Path) -> None:
    """Add commits without a change, which are measured once for all tests."""
    kept = place / "level"
    if not kept.exists():
        for number in range(LEVEL):
            add(number)
        shutil.copytree(folder, kept)
    shutil.copytree(kept, folder, dirs_exist_ok=True)


def add(number: int, cost: float = 0.0, benchmarks: tuple[str, ...] = ("Ping",)) -> None:
    gated.write_runs(Path("results/base.txt"), seed=number, cost=cost, benchmarks=benchmarks)
    date = f"2026-10-{number + 1:02d}T10:00:00Z"
    commit = ["--commit", f"{number:07d}a", "--date", date]
    assert run(["history", "add", "results", *commit, "-q"]) == 0


def gate(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    capsys.readouterr()
    code = run(["history", "gate", *options])
    return code, capsys.readouterr().out.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.usefixtures("level")
def test_regression_at_the_newest_commit_fails_and_no_change_passes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, shown = gate(capsys)
    assert (code, shown.splitlines()[0]) == (
        0, "✓ No regression at 0000008: 3 series measured.",
    )  # fmt: skip
    add(LEVEL, 0.2)
    code, shown = gate(capsys)
    assert code == 1
    assert shown.startswith("✗ Regression: time per operation · base · Ping · gomaxprocs=8: newest")
    code, shown = gate(capsys, "--format", "json")
    document = json.loads(shown)
    assert (code, document["verdict"], document["exit_code"]) == (1, "fail", 1)
    assert len(document["regressions"]) == 1


@pytest.mark.parametrize("commits", [LEVEL, 20])
@pytest.mark.usefixtures("level")
def test_outlier_does_not_hide_a_regression_at_the_newest_commit(
    commits: int, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in [*range(LEVEL, commits), 4]:
        add(number, 0.5 if number == 4 else 0.0)
    assert gate(capsys)[0] == 0
    add(commits, 0.2)
    code, shown = gate(capsys)
    first = shown.splitlines()[0]
    assert code == 4
    assert first.startswith("? Undecided: time per operation · base · Ping · gomaxprocs=8: newest")
    assert "%], inside the range only because of the outlier 0000004; measure 0000004, " in first
    code, shown = gate(capsys, "--format", "json")
    assert (code, json.loads(shown)["verdict"]) == (4, "undecided")


@pytest.mark.usefixtures("level")
def test_improvement_at_the_newest_commit_with_an_outlier_passes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    add(4, -0.4)
    add(LEVEL, -0.2)
    assert gate(capsys)[0] == 0


@pytest.mark.usefixtures("level")
def test_improvement_at_the_newest_commit_passes(capsys: pytest.CaptureFixture[str]) -> None:
    add(LEVEL, -0.2)
    assert gate(capsys)[0] == 0


@pytest.mark.usefixtures("level")
def test_change_since_a_commit_fails_until_accepted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for number in range(LEVEL, 2 * LEVEL):
        add(number, 0.1)
    assert gate(capsys)[0] == 0
    code, shown = gate(capsys, "--since", "0000007a")
    assert code == 1
    assert "✗ Regression: time per operation · base · Ping · gomaxprocs=8: since 0000009" in shown
    assert gate(capsys, "--since", "0000009a")[0] == 0
    Path("benchkit.toml").write_text(
        '[[history.accept]]\ncommit = "0000009a"\nreason = "TLS"\n', encoding="utf-8"
    )
    assert gate(capsys, "--since", "0000007a")[0] == 0


def test_missing_benchmark_fails_and_too_few_commits_are_undecided(
    capsys: pytest.CaptureFixture[str],
) -> None:
    add(0, benchmarks=("Ping", "Pong"))
    code, shown = gate(capsys, "--metric", "time_per_op")
    assert (code, shown[:12]) == (4, "? Undecided:")
    add(1)
    code, shown = gate(capsys)
    assert code == 3
    assert shown.startswith("✗ Missing at 0000001: ")


@pytest.mark.usefixtures("level")
def test_newest_commit_measured_twice_fails(
    capsys: pytest.CaptureFixture[str],
) -> None:
    add(LEVEL)
    for old in range(LEVEL, LEVEL + 2):
        gated.write_runs(Path(f"again/{old}/base.txt"), seed=old + 50, benchmarks=("Ping",))
    commit = ["--commit", f"{LEVEL:07d}a", "--date", f"2026-10-{LEVEL + 1:02d}T10:00:00Z"]
    assert run(["history", "add", f"again/{LEVEL}", *commit, "-q"]) == 0
    code, shown = gate(capsys)
    assert code == 3
    assert shown.startswith(
        "✗ Two measurements of 0000009 count as one: base: runs of 2 folders count together: "
    )
    assert gate(capsys, "--variant", "base")[0] == 3
    document = json.loads(gate(capsys, "--format", "json")[1])
    assert (document["verdict"], document["exit_code"]) == ("fail", 3)
    add(LEVEL + 1)
    assert gate(capsys)[0] == 0


@pytest.mark.usefixtures("level")
def test_commit_measured_by_two_jobs_passes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    add(LEVEL)
    monkeypatch.setenv("GITLAB_CI", "true")
    monkeypatch.setenv("CI_PIPELINE_ID", "5")
    monkeypatch.setenv("CI_JOB_ID", "7")
    add(LEVEL)
    assert gate(capsys)[0] == 0


@pytest.mark.usefixtures("level")
def test_commit_measured_on_two_machines_is_in_two_series(
    capsys: pytest.CaptureFixture[str],
) -> None:
    add(LEVEL)
    gated.write_runs(Path("other/base.txt"), seed=LEVEL + 50, benchmarks=("Ping",))
    Path("other/run.toml").write_text('[env]\ncpu = "EPYC"\n', encoding="utf-8")
    commit = ["--commit", f"{LEVEL:07d}a", "--date", f"2026-10-{LEVEL + 1:02d}T10:00:00Z"]
    capsys.readouterr()
    assert run(["history", "add", "other", *commit]) == 0
    assert "B111" not in capsys.readouterr().err
    assert gate(capsys)[0] == 0


@pytest.mark.usefixtures("level")
def test_last_added_of_commits_with_one_date_is_the_newest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for commit, cost in (("f" * 40, 0.0), ("0b" * 20, 0.2)):
        gated.write_runs(
            Path("results/base.txt"), seed=ord(commit[0]), cost=cost, benchmarks=("Ping",)
        )
        date = "2026-10-20T10:00:00Z"
        assert run(["history", "add", "results", "--commit", commit, "--date", date, "-q"]) == 0
    code, shown = gate(capsys)
    assert code == 1
    assert "newest 0b0b0b0" in shown.splitlines()[0]
    assert run(["history", "prune", "--keep", "1", "-q"]) == 0
    capsys.readouterr()
    assert run(["runs"]) == 0
    shown = capsys.readouterr().out
    assert "0b0b0b0" in shown
    assert "fffffff" not in shown


def test_unknown_commit_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    add(0)
    assert run(["history", "gate", "--since", "fffffff"]) == 2
    assert "--since: 'fffffff' is not a commit of this history" in capsys.readouterr().err


def add_dated(commit: str, date: str, cost: float = 0.0, *options: str) -> None:
    gated.write_runs(Path("results/base.txt"), seed=int(date[8:10]) + 30, cost=cost)
    dated = ["--commit", commit, "--date", f"{date}T10:00:00Z"]
    assert run(["history", "add", "results", *dated, *options]) == 0


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("newer", ["2099-10-25", "2026-10-25"])
def test_commit_of_a_job_that_is_not_the_newest_by_date_is_undecided(
    newer: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    capsys.readouterr()
    add_dated("feedfeed", newer)
    is_warned = "warning: the date of feedfee, 2099-10-25" in capsys.readouterr().err
    assert is_warned == newer.startswith("2099")
    assert gate(capsys)[0] == (4 if is_warned else 0)
    add_dated("deadbeef", "2026-10-20", 0.5)
    monkeypatch.setenv("GITHUB_SHA", "deadbeef")
    code, shown = gate(capsys)
    assert code == 4
    first = "? Undecided: deadbee, the commit of this CI job, was not judged, because feedfee is "
    assert shown.startswith(f"{first}newer by its date{', 25 Oct 2099' if is_warned else '.'}")
    add_dated("feedfeed", "2026-10-19")
    code, shown = gate(capsys)
    assert (code, shown[:40]) == (1, "✗ Regression: time per operation · base ")


@pytest.mark.usefixtures("level")
def test_gate_of_a_branch_job_does_not_pass_on_the_main_branch(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    add_dated("deadbeef", "2026-10-20", 0.5, "--branch", "fix it")
    monkeypatch.setenv("CI_COMMIT_SHA", "deadbeef")
    code, shown = gate(capsys)
    assert code == 4
    assert "was not judged, because it is on branch fix it, not main; to judge it, use " in shown
    assert "--branch 'fix it'." in shown
    assert gate(capsys, "--branch", "main")[0] == 0
    monkeypatch.setenv("CI_COMMIT_SHA", "0123456")
    assert gate(capsys)[0] == 0


def write_wrk(folder: Path, texts: list[str], commit: int, date: str = "dated") -> int:
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for number, text in enumerate(texts, 1):
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    when = ["--date", f"2026-10-{commit + 1:02d}T10:00:00Z"] if date else []
    return run(["history", "add", str(folder), "--commit", f"{commit:07d}a", *when, "-q"])


WRK = (Path(__file__).parents[2] / "fixtures/tracing-wrk/none/wrk-1.txt").read_text()
REFUSED = "unable to connect to 127.0.0.1:8080 Connection refused\n"
NON2XX = "  Non-2xx or 3xx responses: 150000\nRequests/sec:"


@pytest.mark.parametrize(
    ("folder_", "newest", "date", "code", "sentence"),
    [
        ("r/none", [REFUSED] * 3, "dated", 1, "✗ 3 runs of 0000002 failed: r/none/1.txt:"),
        ("r/none", [WRK, REFUSED], "dated", 1, "✗ 1 run of 0000002 failed: r/none/2.txt:"),
        ("r/none", [WRK[:300], WRK], "dated", 3, "✗ 1 file of 0000002 cannot be read"),
        ("r/other", [WRK], "dated", 3, "✗ Missing at 0000002: "),
        ("r/none", [WRK.replace("Requests/sec:", NON2XX)], "dated", 4, "? Undecided: "),
        ("r/none", [WRK], "", 4, "? Undecided: 0000002 has no date and may be newer"),
    ],
)  # fmt: skip
def test_incompletely_measured_newest_commit_does_not_pass(
    folder_: str, newest: list[str], date: str, code: int, sentence: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    for commit in (0, 1):
        assert write_wrk(Path("r/none"), [f"{WRK}# {commit}.{n}\n" for n in range(3)], commit) == 0
    write_wrk(Path(folder_), [f"{text}# 2.{n}\n" for n, text in enumerate(newest)], 2, date)
    exit_code, shown = gate(capsys)
    assert (exit_code, shown.splitlines()[0][: len(sentence)]) == (code, sentence)


def test_two_measurements_of_a_commit_get_a_remedy_for_history_add(
    capsys: pytest.CaptureFixture[str],
) -> None:
    when = ["--commit", "0000001a", "--date", "2026-10-02T10:00:00Z"]
    for number, place in enumerate(("one", "two")):
        gated.write_runs(Path(f"{place}/x.txt"), seed=number)
        assert run(["history", "add", f"base={place}", *when]) == 0
    printed = " ".join(capsys.readouterr().err.split())
    assert "error: B111 base: " in printed
    assert "in one folder and add the folder; otherwise run `benchkit undo`, which" in printed
    assert "--store NEW" not in printed


OTHER_SIZE = ("38.50MB read", "3.50MB read")


def test_newest_commit_with_different_responses_is_undecided(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for commit in range(LEVEL):
        assert (
            write_wrk(Path("r/none"), [WRK.replace("10406.41", f"{10400 + commit}.41")], commit)
            == 0
        )
    slow = WRK.replace("10406.41", "5200.41").replace(*OTHER_SIZE)
    assert write_wrk(Path("r/none"), [slow], LEVEL) == 0
    code, shown = gate(capsys)
    first = shown.splitlines()[0]
    assert (code, first[:33]) == (4, "? Undecided: requests/s · none · ")
    assert "a response has 23.5 B for '0000009', 259 B for '0000008' (B321)" in first


def test_newest_commit_with_missing_runs_is_undecided(capsys: pytest.CaptureFixture[str]) -> None:
    texts = [WRK.replace("10406.41", f"{10400 + n}.41") for n in range(12)]
    assert write_wrk(Path("r/none"), texts[:6], 0) == 0
    for number, text in enumerate(texts[6:], 1):
        Path(f"r/none/{number}.txt").write_text(text)
    for number in (1, 3):
        Path(f"r/none/{number}.txt").unlink()
    when = ["--commit", "deadbeef", "--date", "2026-10-28T10:00:00Z"]
    assert run(["history", "add", "r/none", *when, "-q"]) == 0
    code, shown = gate(capsys)
    sentence = "? Undecided: 'deadbee' lacks runs 1 and 3, but '0000000' has 6 runs."
    assert (code, shown.splitlines()[0]) == (4, sentence)
