"""A log that reports a crash below a report makes its run a failed one."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit.cli import run

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
REPORT = """\
Running 15s test @ http://127.0.0.1:8080/ping
  2 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     0.86ms  847.93us  17.29ms   95.32%
    Req/Sec     5.23k   521.60     6.28k    77.67%
  1560{run} requests in 15.00s, 38.50MB read
Requests/sec:  1040{run}.41
Transfer/sec:      2.57MB
"""
K6 = FIXTURES / "shorturl-k6/baseline/k6-1.txt"


def list_roles(folder: Path, text: str) -> list[tuple[str, str]]:
    """Return the role and the remark of each run of a log."""
    path = folder / "run.log"
    path.write_text(text, encoding="utf-8")
    runs = bk.load(path).runs
    texts = (each if isinstance(each, str) else "" for each in runs["remark"])
    remarks = [text.removeprefix(f"{path}:") for text in texts]
    return list(zip(runs["role"], remarks, strict=True))


@pytest.mark.parametrize(
    "line",
    [
        "panic: runtime error: index out of range [3] with length 3",
        "fatal error: concurrent map writes",
        "thread 'main' panicked at src/main.rs:4:5:",
        "Killed",
        "Segmentation fault (core dumped)",
        "./bench.sh: line 3: 123 Segmentation fault (core dumped) ./server",
        "./bench.sh: line 3:   123 Killed                  ./server",
        "bash: 25237 Killed                  ./server",
        "[1]+  Aborted                 (core dumped) ./server",
        "zsh: segmentation fault  ./server",
        "signal: killed",
        "make: *** [Makefile:3: bench] Error 2",
        "./bench.sh: line 3: 123 Terminated              /usr/bin/wrk -t2 http://h/",
        "make[1]: *** [Makefile:3: bench] Segmentation fault (core dumped)",
        "exit status 1",
        "Error: Process completed with exit code 137.",
        "##[error]Process completed with exit code 1.",
        "##[error]Bash exited with code '1'.",
        "ERROR: Job failed: exit code 1",
        "Command exited with non-zero status 1",
        "command terminated with exit code 137",
        "Exited with code exit status 1",
    ],
)
def test_crash_below_a_report_fails_its_run(line: str, tmp_path: Path) -> None:
    (outcome,) = list_roles(tmp_path, f"{REPORT.format(run=1)}done\n{line}\nbye\n")
    assert outcome == ("failed", f"10: {' '.join(line.split())}")


@pytest.mark.parametrize(
    "below",
    [
        "exit status 0",
        "Process completed with exit code 0.",
        "status: 3",
        "code 12",
        "The server was Killed by the script.",
        "GET /panic: 200",
        "Terminated",  # a shell prints this for a server that its script stops
        "./bench.sh: line 3: 123 Terminated              ./server",
        "+ kill -9 123\n./bench.sh: line 3:   123 Killed                  ./server",
        "```\n\n```\nKilled\n```",
        "## What a crash looks like\n\nSegmentation fault",
        "=== next ===\npanic: boom",
    ],
)
def test_harmless_lines_below_a_report_fail_nothing(below: str, tmp_path: Path) -> None:
    assert list_roles(tmp_path, f"{REPORT.format(run=1)}{below}\n") == [("measured", "")]


def test_crash_belongs_to_the_last_report_above_it(tmp_path: Path) -> None:
    reports = [REPORT.format(run=number) for number in range(3)]
    text = f"Killed\n{reports[0]}{reports[1]}Killed\n{reports[2]}"
    assert [role for role, _ in list_roles(tmp_path, text)] == ["measured", "failed", "measured"]


@pytest.mark.parametrize(
    "file",
    [
        "nginx-ab/nginx/ab-c1-1.txt",
        "nginx-ab/nginx/hey-c1-1.txt",
        "shorturl-k6/baseline/k6-1.txt",
        "autocannon/text-workers.txt",
        "oha/text-secs.txt",
    ],
)
def test_crash_below_the_text_of_each_tool_is_detected(file: str, tmp_path: Path) -> None:
    text = (FIXTURES / file).read_text(encoding="utf-8")
    (role, remark), *_ = list_roles(tmp_path, f"{text}\n./x.sh: line 3: 1 Bus error ./server\n")
    assert (role, "Bus error" in remark) == ("failed", True)


@pytest.mark.parametrize(("code", "role"), [(99, "measured"), (107, "failed")])
def test_exit_code_of_a_complete_run_is_not_a_crash(code: int, role: str, tmp_path: Path) -> None:
    text = f"{K6.read_text(encoding='utf-8')}\nError: Process completed with exit code {code}.\n"
    assert [listed for listed, _ in list_roles(tmp_path, text)] == [role]


@pytest.mark.parametrize(("crashed", "code"), [("new", 1), ("base", 4), ("", 0)])
def test_gate_sees_a_crash_below_a_report(
    crashed: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    for place, variant in enumerate(("base", "new")):
        (tmp_path / "results" / variant).mkdir(parents=True)
        for number in range(1, 7):
            end = "Segmentation fault" if (variant, number) == (crashed, 6) else "done"
            text = f"{REPORT.format(run=10 * number + place)}{end}\n"
            (tmp_path / f"results/{variant}/{number}.log").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["gate", "results", "--quiet"]) == code
    assert ("6.log:9: Segmentation fault" in capsys.readouterr().out) is bool(crashed)
