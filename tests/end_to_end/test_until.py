"""`benchkit capture --until decided`: a small noisy command, measured until decided."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from stopped import draw, write_series

#: Prints the next value of its variant, as go test does; all values are drawn in advance.
BENCH = """
number=$(($(cat "$1.made" 2> /dev/null || echo 0) + 1))
if [ -e fail ] && [ "$1" = otlp ] && [ "$number" = 6 ]; then rm fail; exit 7; fi
if [ -e wait ] && [ "$1" = otlp ] && [ "$number" = 6 ]; then rm wait; sleep 60; fi
echo "$number" > "$1.made"
echo "BenchmarkGet-2 1000 $(sed -n "${number}p" "$1.values") ns/op"
echo PASS
"""


def prepare(folder: Path, effects: dict[str, float], spread: float, seed: int = 3) -> Path:
    variants = "\n".join(f"[variants.{name}]" for name in effects)
    (folder / "plan.toml").write_text(
        f'rounds = 3\ncommand = "sh bench.sh {{variant}}"\n{variants}\n'
    )
    (folder / "bench.sh").write_text(BENCH)
    for name, values in draw(effects, 40, spread=spread, seed=seed).items():
        (folder / f"{name}.values").write_text("".join(f"{value:.3f}\n" for value in values))
    return folder


def benchkit(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchkit", *arguments]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def until(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return benchkit(folder, "capture", "--plan", "plan.toml", "--until", "decided", *arguments)


def count_runs(folder: Path) -> int:
    return len(list((folder / "results").rglob("*.txt")))


def test_stops_when_every_row_is_decided_and_reports_the_saving(tmp_path: Path) -> None:
    prepare(tmp_path, {"none": 0.0, "otlp": 0.06, "apm": 0.0}, 0.01)
    done = until(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "otlp takes" in done.stdout
    assert "apm: no meaningful difference" in done.stdout
    made = count_runs(tmp_path)
    assert made % 3 == 0
    assert 12 <= made <= 60
    rounds = made // 3
    assert f"decided: {made} runs in {rounds} rounds, {3 * (40 - rounds)} fewer" in done.stdout
    assert done.stderr.endswith("next: benchkit report results --baseline none\n")
    lines = [line for line in done.stderr.splitlines() if line.startswith("round ")]
    assert len(lines) == 2 * rounds
    assert "the plan's rounds = 3 is not used: --until decided makes up to 40 " in done.stderr
    assert "~ too early, first test after round 4" in lines[0]
    assert " \N{EN DASH}," not in done.stderr
    again = until(tmp_path, "--format", "json")
    answer = json.loads(again.stdout)
    assert (answer["decided"], answer["rounds"], answer["runs"]) == (True, rounds, [])
    compared = json.loads(benchkit(tmp_path, "compare", "results", "--format", "json").stdout)
    assert sorted(compared["rows"], key=repr) == sorted(answer["rows"], key=repr)
    gate = benchkit(tmp_path, "gate", "results")
    assert gate.returncode == 1
    policy = ("--max-overhead", "time_per_op=6%", "--format", "json")
    (rule,) = json.loads(benchkit(tmp_path, "gate", "results", *policy).stdout)["gates"]
    rows = rule["rows"]
    shown = {row["variant"]: row["ratio"] for row in compared["rows"]}
    assert {row["variant"]: row["value"] for row in rows} == shown
    assert {row["adjustment"] for row in rows} == {"holm"}
    (notes,) = (row["notes"] for row in rows if row["variant"] == "otlp")
    assert any(
        "do not change a decided row; start a new one with more rounds" in x and "--margin 6%" in x
        for x in notes
    )


def test_inconclusive_end_is_not_an_error(tmp_path: Path) -> None:
    prepare(tmp_path, {"none": 0.0, "otlp": 0.03}, 0.03)
    done = until(tmp_path, "--max-rounds", "6", "--format", "table")
    assert done.returncode == 0, done.stderr
    assert (
        "undecided after the last round: 1 of 1 row; 12 runs in 6 rounds; make the runs"
        in done.stdout
    )
    assert "inconclusive" in done.stdout
    shown = done.stdout.replace("! B418", "")  # which shows how busy this machine is
    assert "! B" not in shown
    more = until(tmp_path, "--max-rounds", "9")
    assert more.returncode == 2
    assert "results: holds a series with another --max-rounds: 6; " in more.stderr
    for option, value in (("--margin", "50%"), ("--confidence", "0.9")):
        other = until(tmp_path, "--max-rounds", "6", option, value)
        assert other.returncode == 2
        assert f"results: holds a series with another {option}: 0." in other.stderr
    other = until(tmp_path, "--max-rounds", "6", "--baseline", "otlp")
    assert "results: holds a series with another --baseline: none" in other.stderr
    other = until(tmp_path, "--max-rounds", "6", "--metric", "time_per_op")
    assert "results: holds a series without --metric; choose an empty folder" in other.stderr
    added = benchkit(tmp_path, "capture", "--plan", "plan.toml")
    assert added.returncode == 2
    assert "contains an early-stopping series" in added.stderr
    assert count_runs(tmp_path) == 12


def test_suggested_report_agrees_with_the_series(tmp_path: Path) -> None:
    prepare(tmp_path, {"none": 0.0, "otlp": 0.5}, 0.01)
    rule = ("--metric", "time_per_op", "--margin", "20%", "--confidence", "0.9")
    done = until(tmp_path, *rule)
    assert done.returncode == 0, done.stderr
    command = "benchkit report results --baseline none"
    assert done.stderr.endswith(f"next: {command} {' '.join(rule)}\n")


@pytest.mark.parametrize("stop", ["interruption", "failure"])
def test_stopped_series_resumes_where_it_was(tmp_path: Path, stop: str) -> None:
    prepare(tmp_path, {"none": 0.0, "otlp": 0.03}, 0.03)
    if stop == "failure":
        (tmp_path / "fail").touch()
        assert until(tmp_path, "--max-rounds", "8").returncode == 3
    else:
        (tmp_path / "wait").touch()
        command = [sys.executable, "-m", "benchkit", "capture", "--plan", "plan.toml"]
        process = subprocess.Popen(
            [*command, "--until", "decided", "--max-rounds", "8"],
            cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for _ in range(3000):
            if (tmp_path / "none.made").exists() and not (tmp_path / "wait").exists():
                break
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    done = until(tmp_path, "--max-rounds", "8")
    assert done.returncode == 0, done.stderr
    assert "16 runs in 8 rounds" in done.stdout
    assert "\n11/16 otlp measured 7: " in done.stderr
    values = (tmp_path / "otlp.made").read_text().strip()
    assert values == "8"
    answer = json.loads(benchkit(tmp_path, "compare", "results", "--format", "json").stdout)
    assert answer["rows"][0]["method"] == "sequential"
    codes = {finding["code"] for finding in answer["findings"]}
    assert "B344" not in codes
    assert ("B112" in codes) == ("! B112 " in done.stdout) == (stop == "failure")
    gate = benchkit(tmp_path, "gate", "results")
    assert (" failed" in gate.stdout) == (stop == "failure"), gate.stdout
    hidden = list((tmp_path / "results").rglob(".*.txt*"))
    assert len(hidden) == 2 * (stop == "interruption")


def test_series_resumes_only_with_its_own_commands(tmp_path: Path) -> None:
    prepare(tmp_path, {"none": 0.0, "otlp": 0.03}, 0.03)
    plan = (tmp_path / "plan.toml").read_text()
    secret = plan.replace("{variant}", "{variant} --token=k3yOfMine")
    (tmp_path / "plan.toml").write_text(secret)
    (tmp_path / "fail").touch()
    assert until(tmp_path, "--max-rounds", "8").returncode == 3
    made = count_runs(tmp_path)
    (tmp_path / "plan.toml").write_text(plan.replace("{variant}", "{variant} 2"))
    refused = until(tmp_path, "--max-rounds", "8")
    assert refused.returncode == 2
    assert "results: holds runs of another command for none: sh bench.sh" in refused.stderr
    assert "k3yOfMine" not in refused.stderr
    assert count_runs(tmp_path) == made
    (tmp_path / "plan.toml").write_text(secret)
    assert until(tmp_path, "--max-rounds", "8").returncode == 0


def test_series_resumes_only_with_its_own_plan(tmp_path: Path) -> None:
    prepare(tmp_path, {"none": 0.0, "otlp": 0.03}, 0.03)
    plan = (tmp_path / "plan.toml").read_text()
    (tmp_path / "plan.toml").write_text(f'before = "true 1"\n{plan}')
    (tmp_path / "fail").touch()
    assert until(tmp_path, "--max-rounds", "8").returncode == 3
    made = count_runs(tmp_path)
    (tmp_path / "plan.toml").write_text(f'before = "true 2"\n{plan}')
    refused = until(tmp_path, "--max-rounds", "8")
    assert refused.returncode == 2
    assert "results: holds runs with another 'before' for none: true 1; choose" in refused.stderr
    assert count_runs(tmp_path) == made
    (tmp_path / "plan.toml").write_text(f'before = "true 1"\ntimeout = "9s"\n{plan}')
    assert until(tmp_path, "--max-rounds", "8").returncode == 0


def test_folder_with_other_or_lost_runs_is_refused(tmp_path: Path) -> None:
    prepare(tmp_path, {"none": 0.0, "otlp": 0.03}, 0.03)
    write_series(tmp_path / "other", draw({"none": 0.0}, 3), design=None)
    refused = until(tmp_path, "--out", "other")
    assert refused.returncode == 2
    assert "choose an empty folder with --out" in refused.stderr
    assert until(tmp_path, "--max-rounds", "5").returncode == 0
    lost = next((tmp_path / "results" / "otlp").glob("*-2.txt.run.toml"), None) or next(
        (tmp_path / "results" / "otlp").glob("2.txt.run.toml")
    )
    output = lost.with_name(lost.name.removesuffix(".run.toml"))
    output.rename(tmp_path / output.name)
    stuck = until(tmp_path, "--max-rounds", "5")
    assert stuck.returncode == 3
    assert "otlp lacks its run of round 2; restore the missing file, or " in stuck.stderr
    (tmp_path / output.name).rename(output)
    lost.unlink()
    refused = until(tmp_path, "--max-rounds", "5")
    assert refused.returncode == 2
    assert "the run of 'otlp' in round 2 is missing" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["--keep-going"], 2, "works only with a plan that runs in whole rounds"),
        (["--min-rounds", "9", "--max-rounds", "5"], 2, "expected 2 <= --min-rounds"),
        (["--baseline", "never"], 3, "unknown variant 'never'"),
    ],
)
def test_impossible_rules_are_refused(
    tmp_path: Path, arguments: list[str], code: int, error: str
) -> None:
    prepare(tmp_path, {"none": 0.0, "otlp": 0.03}, 0.03)
    done = until(tmp_path, *arguments)
    assert done.returncode == code
    assert error in done.stderr
    assert not (tmp_path / "none.made").exists()


def test_options_of_until_need_until(tmp_path: Path) -> None:
    prepare(tmp_path, {"none": 0.0, "otlp": 0.03}, 0.03)
    done = benchkit(tmp_path, "capture", "--plan", "plan.toml", "--max-rounds", "5")
    assert done.returncode == 2
    assert "needs --until decided" in done.stderr


def test_rows_that_cannot_be_decided_end_the_series(tmp_path: Path) -> None:
    prepare(tmp_path, {"none": 0.0, "otlp": 0.03}, 0.03)
    times = '$(sed -n "${number}p" "$1.values")'
    (tmp_path / "bench.sh").write_text(BENCH.replace(times, "0"))
    done = until(tmp_path)
    assert done.returncode == 3, done.stdout
    assert "more rounds cannot give a verdict for any primary row" in done.stderr
    assert (tmp_path / "none.made").read_text() == "4\n"
    assert done.stderr.endswith("--metric, and an empty folder with --out\n")


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("echo nothing", "no results were read: unknown format (it starts with"),
        ("true", "no results were read: the file is empty (and 1 more)"),
        (
            '[ "$1" = otlp ] || echo BenchmarkGet 1000 10 ns/op',
            "results/otlp/1.txt: no results of 'otlp' were read: the file is empty",
        ),
    ],
)
def test_unreadable_results_end_the_series_after_the_first_round(
    tmp_path: Path, script: str, error: str
) -> None:
    prepare(tmp_path, {"none": 0.0, "otlp": 0.03}, 0.03)
    (tmp_path / "bench.sh").write_text(f"{script}; echo 1 >> $1.made\n")
    done = until(tmp_path)
    assert done.returncode == 3
    assert error in done.stderr
    assert "`benchkit formats` lists, and measure in an empty folder: use --out\n" in done.stderr
    assert (tmp_path / "none.made").read_text() == "1\n"
