"""Results of several CI jobs and machines in one store: none is lost, none is pooled."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import gated
import pytest

import benchkit.api as bk
from benchkit.cli import run
from benchkit.errors import OriginError

JOB = {"GITHUB_RUN_ID": "71", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_JOB": "bench"}
GATE = ["gate", "--baseline", "main", "--variant", "pr", "--max-overhead", "time_per_op=5%", "-q"]


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def enter(monkeypatch: pytest.MonkeyPatch, leg: str) -> None:
    """Become another leg of a matrix: only the runner differs."""
    for name, value in {**JOB, "RUNNER_NAME": leg}.items():
        monkeypatch.setenv(name, value)


def measure(cost: float, seed: int = 1) -> None:
    gated.write_runs(Path("results/main.txt"), seed=seed)
    gated.write_runs(Path("results/pr.txt"), seed=seed + 1, cost=cost)


def list_runs(capsys: pytest.CaptureFixture[str], *options: str) -> Counter[tuple[str, str]]:
    capsys.readouterr()
    assert run(["runs", "--format", "json", *options]) == 0
    rows = json.loads(capsys.readouterr().out)["runs"]
    return Counter((row["origin"], row["variant"]) for row in rows)


def test_folder_measured_again_under_another_label_is_added(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gated.write_runs(workspace / "results/bench.txt", seed=1)
    assert run(["ingest", "main=results"]) == 0
    gated.write_runs(workspace / "results/bench.txt", seed=2, cost=0.15)
    assert run(["ingest", "pr=results"]) == 0
    assert "superseded" not in capsys.readouterr().err
    assert list_runs(capsys) == {("", "main"): 20, ("", "pr"): 20}
    assert run(GATE) == 1


def test_superseded_runs_are_counted_by_the_ingest(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gated.write_runs(workspace / "results/bench.txt", seed=1)
    assert run(["ingest", "main=results", "-q"]) == 0
    gated.write_runs(workspace / "results/bench.txt", seed=2)
    assert run(["ingest", "main=results", "--format", "json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["runs"], summary["superseded"]) == (20, 20)
    gated.write_runs(workspace / "results/bench.txt", seed=3)
    assert run(["ingest", "main=results"]) == 0
    assert ".benchkit: 20 runs, 20 superseded · " in capsys.readouterr().err


def test_jobs_with_equal_paths_and_labels_are_judged_by_their_own_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    enter(monkeypatch, "arm")
    measure(0.15)
    assert run(["ingest", "results", "-q"]) == 0
    assert run(GATE) == 1

    enter(monkeypatch, "intel")
    measure(0.0, seed=7)
    assert run(["ingest", "results", "-q"]) == 0
    assert run(GATE) == 0

    enter(monkeypatch, "arm")
    assert run(GATE) == 1
    job = "github/71/1/bench"
    assert list_runs(capsys) == {
        (f"{job}/{leg}", variant): 20 for leg in ("arm", "intel") for variant in ("main", "pr")
    }
    assert run(["runs"]) == 0
    assert f"{job}/arm" in capsys.readouterr().out
    assert run(["runs", "--origin", f"{job}/arm"]) == 0
    assert "intel" not in capsys.readouterr().out

    measure(0.0, seed=9)
    assert run(["ingest", "results"]) == 0  # the same job replaces only its own runs
    assert ".benchkit: 80 runs, 40 superseded · " in capsys.readouterr().err
    assert run(GATE) == 0


EVERY = (
    ["compare"],
    ["report", "-o", "report.md"],
    ["gate", "--max-overhead", "time_per_op=5%"],
    ["export"],
    ["plan"],
    ["noise"],
    ["check"],
    ["plot", "forest", "-o", "forest.svg"],
)


@pytest.mark.parametrize("command", EVERY, ids=lambda command: command[0])
def test_several_origins_are_refused_by_name_if_none_is_chosen(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for leg, cost in (("arm", 0.15), ("intel", 0.0)):
        measure(cost, seed=len(leg))
        assert run(["ingest", "results", "--origin", f"ci/{leg}", "-q"]) == 0
    assert run(command) == 2
    refused = capsys.readouterr().err
    assert "from 2 origins: 'ci/intel', 'ci/arm'; choose one with --origin" in refused
    assert run([*command, "--origin", "ci/intel"]) == 0
    assert run([*command, "--origin", "ci"]) == 2  # the common prefix of both
    assert run([*command, "--origin", "ci/amd"]) == 3
    printed = capsys.readouterr()
    assert "unknown origin 'ci/amd'; did you mean 'ci/arm'?" in printed.out + printed.err
    assert run(["compare", "--origin", "ci/arm", "--format", "json"]) == 0
    (row, *_) = [r for r in json.loads(capsys.readouterr().out)["rows"] if r["primary"]]
    assert (row["n_baseline"], row["n_variant"], row["verdict"]) == (10, 10, "regression")


def test_origin_can_be_chosen_in_python() -> None:
    for leg, cost in (("arm", 0.15), ("intel", 0.0)):
        measure(cost, seed=len(leg))
        assert run(["ingest", "results", "--origin", leg, "-q"]) == 0
    assert set(bk.load(origin="arm").compare().frame.query("primary").verdict) == {"regression"}
    assert set(bk.load(origin="intel").runs.origin) == {"intel"}
    open_sides = bk.load()
    assert open_sides.contested == {"main": ("intel", "arm"), "pr": ("intel", "arm")}
    assert "choose one with origin=" in str(open_sides)
    with pytest.raises(OriginError, match="from 2 origins"):
        open_sides.compare(baseline="main", variant="pr")
    with pytest.raises(OriginError, match="'main'"):
        open_sides.where(variant="main")


def test_sides_may_have_two_origins_whose_machines_are_checked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    measure(0.15)
    assert run(["ingest", "results/main.txt", "--origin", "nightly", "-q"]) == 0
    assert run(["ingest", "results/pr.txt", "--origin", "pr-7", "-q"]) == 0
    assert run(["compare"]) == 0
    assert "pr" in capsys.readouterr().out
    assert run(GATE) != 1  # neither records its machine
    shown = capsys.readouterr().out
    assert "come from the origins 'nightly' and 'pr-7'" in shown
    assert shown.startswith("? Undecided: pr takes ")


def test_baseline_measured_by_another_job_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measure(0.0)
    for number, paths in ((71, ["results"]), (72, ["results/pr.txt"])):
        enter(monkeypatch, "arm")
        monkeypatch.setenv("GITHUB_RUN_ID", str(number))
        assert run(["ingest", *paths, "--meta", "cpu_model=Xeon", "-q"]) == 0
    main, pr = (f"origin github/{number}/1/bench/arm" for number in (71, 72))
    for command in (GATE, ["compare"], ["check"]):
        assert run(command) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert f"'pr' comes from {pr}, 'main' from {main}" in shown
    for command in (GATE, ["compare"]):
        assert run([*command, "--format", "json"]) == 0
        findings = json.loads(capsys.readouterr().out)["findings"]
        (finding,) = [one for one in findings if one["code"] == "B209"]
        assert finding["numbers"] == {"main": main, "pr": pr}
    assert run([*GATE, "--origin", "github/71"]) == 0
    assert "B209" not in capsys.readouterr().out
    for ci_run, words, code in (("73", ["ingest", "results/main.txt"], 0), ("72", ["gate"], 2)):
        monkeypatch.setenv("GITHUB_RUN_ID", ci_run)
        assert run([*words, "-q"]) == code
    assert "the store holds runs of 'main' from 2 origins" in capsys.readouterr().err


def test_unrelated_variant_of_several_origins_does_not_block_the_gate() -> None:
    measure(0.15)
    assert run(["ingest", "results", "--origin", "a", "-q"]) == 0
    for origin in ("a", "b"):
        gated.write_runs(Path("results/other.txt"), seed=5)
        assert run(["ingest", "results/other.txt", "--origin", origin, "-q"]) == 0
    assert run(GATE) == 1
    assert run(["export", "--variant", "pr", "-o", "pr.csv"]) == 0
    assert run(["export", "--variant", "other", "-o", "other.csv"]) == 2
    assert run(["compare", "--baseline", "main"]) == 2


def test_history_ignores_origins(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, leg in ((1, "a"), (2, "b"), (2, "c")):
        enter(monkeypatch, leg)
        gated.write_runs(Path("results/base.txt"), seed=number, benchmarks=("Ping",), runs=5)
        when = ["--commit", f"{number:07d}a", "--date", f"2026-10-0{number}T10:00:00Z", "-q"]
        assert run(["history", "add", "results", *when]) == 0
    capsys.readouterr()
    assert run(["history", "show", "--format", "json"]) == 0
    series = json.loads(capsys.readouterr().out)["history"]["series"]
    assert len({each["metric"] for each in series}) == len(series)
    for each in series:
        assert [point["runs"] for point in each["points"]] == [5, 10]


def test_moved_file_keeps_its_run_within_its_origin(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    measure(0.0)
    for origin in ("a", "b"):
        assert run(["ingest", "results", "--origin", origin, "-q"]) == 0
    (workspace / "results").rename(workspace / "moved")
    assert run(["ingest", "moved", "--origin", "a"]) == 0
    assert "80 runs, 40 superseded" in capsys.readouterr().err
    assert list_runs(capsys) == {(o, v): 20 for o in "ab" for v in ("main", "pr")}


def test_copy_counts_once_per_origin_and_label(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = gated.write_runs(workspace / "results/1.txt", seed=1).read_text(encoding="utf-8")
    (workspace / "results/2.txt").write_text(text, encoding="utf-8")
    assert run(["ingest", "main=results"]) == 0
    assert "B103" in capsys.readouterr().err
    assert run(["ingest", "pr=results", "-q"]) == 0
    assert run(["ingest", "main=results", "--origin", "other", "-q"]) == 0
    assert list_runs(capsys) == {("", "main"): 20, ("", "pr"): 20, ("other", "main"): 20}


def test_same_path_is_a_separate_source_per_commit(capsys: pytest.CaptureFixture[str]) -> None:
    for seed, commit in enumerate(("aaaaaaa", "bbbbbbb", "bbbbbbb")):
        gated.write_runs(Path("results/base.txt"), seed=seed, runs=5, benchmarks=("Ping",))
        assert run(["history", "add", "results", "--commit", commit, "-q"]) == 0
    assert list_runs(capsys) == {("", "base"): 10}


def test_leg_that_replaces_another_of_its_job_is_warned(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    enter(monkeypatch, "r1")
    measure(0)
    assert run(["ingest", "results"]) == 0
    assert run(["ingest", "results"]) == 0
    assert "this ingest replaced" not in capsys.readouterr().err
    measure(0, seed=7)
    assert run(["ingest", "results"]) == 0
    stderr = " ".join(capsys.readouterr().err.split())
    assert "github/71/1/bench/r1" in stderr
    assert (
        "this ingest replaced 40 earlier runs of this CI job, because the files at the same "
        "paths now have different results"
    ) in stderr
    assert "`--origin NAME`" in stderr


def test_unique_part_of_an_origin_selects_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for leg in ("r1", "r2"):
        enter(monkeypatch, leg)
        measure(0)
        assert run(["ingest", "results"]) == 0
    for name in JOB:
        monkeypatch.delenv(name)
    assert run(["gate", "--origin", "r2", *GATE[1:]]) == 0
    capsys.readouterr()
    assert run(["gate", "--origin", "bench", *GATE[1:]]) == 2
    assert "github/71/1/bench/r1" in capsys.readouterr().err


LIMIT = ["gate", "--max-overhead", "time_per_op=5%"]


@pytest.mark.parametrize("options", [[], ["--variant", "pr"]], ids=["all", "named"])
def test_gate_ignores_variants_of_another_job(
    options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measure(0.0)
    enter(monkeypatch, "arm")
    assert run(["ingest", "results", "-q"]) == 0
    monkeypatch.setenv("GITHUB_RUN_ID", "72")
    Path("results/pr.txt").unlink()
    gated.write_runs(Path("results/main.txt"), seed=3)
    assert run(["ingest", "results", "-q"]) == 0
    for more in ([], ["--allow-missing-baseline"]):
        capsys.readouterr()
        assert run([*LIMIT, *options, *more, "-q"]) == 3
        shown = " ".join(capsys.readouterr().out.split())
        assert "this job measured no run of pr" in shown
        assert "--origin github/71/1/bench/arm" in shown
    assert run([*LIMIT, "results", *options, "-q"]) == 3
    assert run([*LIMIT, *options, "--origin", "github/71", "-q"]) == 0


def test_failed_run_of_another_job_does_not_count_for_this_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measure(0.0)
    enter(monkeypatch, "arm")
    gated.write_runs(Path("results/old.txt"), seed=9, cost=0.5)
    with Path("results/old.txt").open("a", encoding="utf-8") as out:
        out.write("--- FAIL: BenchmarkPing\nFAIL\n")
    assert run(["ingest", "results", "-q"]) == 0
    assert run([*LIMIT, "-q"]) == 1
    monkeypatch.setenv("GITHUB_RUN_ID", "72")
    Path("results/old.txt").unlink()
    measure(0.0, seed=5)
    assert run(["ingest", "results", "-q"]) == 0
    assert run([*LIMIT, "-q"]) == run([*LIMIT, "results", "-q"]) == 0


@pytest.mark.parametrize("options", [[], ["--variant", "pr"]], ids=["all", "named"])
def test_gate_ignores_variants_whose_files_are_gone(
    options: list[str], workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    measure(0.0)
    assert run(["ingest", "results", "-q"]) == 0
    (workspace / "results/pr.txt").unlink()
    gated.write_runs(Path("results/main.txt"), seed=3)
    assert run(["ingest", "results", "-q"]) == 0
    capsys.readouterr()
    assert run([*LIMIT, *options, "-q"]) == run([*LIMIT, "results", *options, "-q"]) == 3
    shown = " ".join(capsys.readouterr().out.split())
    assert "results was ingested again without the files of 'pr'" in shown
    assert run(["compare"]) == 0


def test_baseline_may_be_missing_from_the_folder(workspace: Path) -> None:
    gated.write_runs(Path("results/main.txt"), seed=1)
    assert run(["ingest", "results", "-q"]) == 0
    (workspace / "results/main.txt").unlink()
    gated.write_runs(Path("results/pr.txt"), seed=2)
    assert run(["ingest", "results", "-q"]) == 0
    assert run([*LIMIT, "-q"]) == 0


def test_variants_of_other_jobs_do_not_block_the_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (71, 72, 73):
        enter(monkeypatch, "arm")
        monkeypatch.setenv("GITHUB_RUN_ID", str(number))
        measure(0.15 if number == 73 else 0.0, seed=number)
        if number < 73:
            gated.write_runs(Path("results/other.txt"), seed=2 * number, cost=0.5)
        else:
            Path("results/other.txt").unlink()
        assert run(["ingest", "results", "-q"]) == 0
    assert run([*LIMIT, "-q"]) == run([*LIMIT, "results", "-q"]) == 1


def test_gating_job_takes_each_side_from_the_job_that_measured_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measure(0.15)
    for runner, side in (("r1", "main"), ("r2", "pr")):
        enter(monkeypatch, runner)
        assert run(["ingest", f"results/{side}.txt", "--meta", "cpu_model=Xeon", "-q"]) == 0
    enter(monkeypatch, "r3")
    monkeypatch.setenv("GITHUB_JOB", "gate")
    capsys.readouterr()
    assert run(LIMIT) == 1
    assert "origin github/71/1/bench/r2" in " ".join(capsys.readouterr().out.split())


def test_gate_takes_results_of_its_run_and_names_those_of_another(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in (71, 72):
        enter(monkeypatch, "arm")
        monkeypatch.setenv("GITHUB_RUN_ID", str(number))
        measure(0.15 if number == 72 else 0.0, seed=number)
        assert run(["ingest", "results", "-q"]) == 0
        monkeypatch.setenv("GITHUB_JOB", "gate")
        capsys.readouterr()
        assert run(LIMIT) == (1 if number == 72 else 0)
        assert "not measured by this CI run" not in capsys.readouterr().out
        if number == 71:
            monkeypatch.setenv("GITHUB_RUN_ID", "70")
            assert run([*LIMIT, "--origin", "github/71"]) == 0
            capsys.readouterr()
            assert run(LIMIT) == 4
            shown = " ".join(capsys.readouterr().out.split())
            assert "B215 main, pr: not measured by this CI run, but by origin" in shown


def test_folder_measured_again_outside_ci_replaces_without_mention_of_jobs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for seed in (1, 2):
        measure(0.0, seed=seed)
        assert run(["ingest", "results"]) == 0
    assert "CI job" not in capsys.readouterr().err
