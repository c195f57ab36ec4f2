"""`benchkit capture` end to end: commands, interrupts, failures, and ingesting the result."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from benchkit.capture.usage import read_process
from benchkit.cli import run
from benchkit.labels.run_toml import Sidecar, read_sidecar

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
REPORTS = FIXTURES / "tracing-wrk"


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """Return a folder with a `wrk` that prints a real report, a different one for each call."""
    shim = tmp_path / "bin" / "wrk"
    shim.parent.mkdir()
    shim.write_text(
        "#!/bin/sh\n"
        'role=; test "$2" = warm && role=-warmup\n'
        'number=$(cat "calls$role-$1" 2> /dev/null || echo 0)\n'
        'echo $((number + 1)) > "calls$role-$1"\n'
        f'cat "{REPORTS}/$1/wrk$role-$((number % 8 + 1)).txt"\n'
        "printf 'a remark' >&2\n"
    )
    shim.chmod(0o755)
    return tmp_path


def environment(bench: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PATH": f"{bench / 'bin'}:{os.environ['PATH']}",
        "PYTHONIOENCODING": "utf-8",
        "GITHUB_TOKEN": "hidden",
    }


def benchkit(bench: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchkit", *arguments],
        cwd=bench,
        env=environment(bench),
        capture_output=True,
        text=True,
        check=False,
    )


def start(bench: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "benchkit", "capture", *arguments],
        cwd=bench,
        env=environment(bench),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )


def wait_for(path: Path) -> None:
    for _ in range(2000):
        if path.exists():
            return
        time.sleep(0.02)
    pytest.fail(f"{path} did not appear")


def sidecar(path: Path) -> Sidecar:
    parsed, problems = read_sidecar(path.read_text(encoding="utf-8"), str(path))
    assert problems == []
    return parsed


def read(bench: Path, *arguments: str) -> dict[str, Any]:
    """Run a read-only command in this process, and return its JSON."""
    out = StringIO()
    with chdir(bench), redirect_stdout(out):
        assert run([*arguments, "--format", "json"]) == 0
    document: dict[str, Any] = json.loads(out.getvalue())
    return document


def listed(bench: Path, folder: str) -> list[dict[str, Any]]:
    runs: list[dict[str, Any]] = read(bench, "runs", folder)["runs"]
    return runs


PLAN = """
rounds = 8
order = "abba"
benchmark = "/ping/GRM"
command = "wrk {variant}"
[variants.none]
[variants.otlp]
"""


def test_plan_becomes_a_folder_that_compare_reads(bench: Path) -> None:
    (bench / "plan.toml").write_text(PLAN)
    done = benchkit(bench, "capture", "--plan", "plan.toml", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "made 16 of 16 runs · next: benchkit ingest out" in done.stderr
    assert (bench / "out/otlp/wrk-ping_GRM-1.stderr").read_text() == "a remark"

    runs = [run for run in listed(bench, "out") if run["role"] == "measured"]
    order = sorted(runs, key=lambda run: run["started_at"])
    assert [run["variant"] for run in order] == ["none", "otlp", "otlp", "none"] * 4
    assert [(run["block"], run["position"]) for run in order] == [
        (block, place) for block in range(1, 9) for place in (1, 2)
    ]
    assert {run["benchmark"] for run in runs} == {"/ping/GRM"}
    assert len({run["command"] for run in order if run["command"].startswith("wrk '…")}) == 2
    assert all(run["env"]["kernel"] for run in runs)
    noted = sidecar(bench / "out/otlp/wrk-ping_GRM-1.txt.run.toml")
    assert noted.stopping == {"baseline": "none"}

    document = read(bench, "compare", "out", "--blocks", "auto")
    primary = next(row for row in document["rows"] if row["primary"])
    assert (primary["n_baseline"], primary["n_variant"]) == (8, 8)
    assert primary["method"] == "signed-rank"
    codes = {finding["code"] for finding in document["findings"]}
    assert codes & {"B330", "B331"} == set()


def test_second_session_adds_its_rounds(bench: Path) -> None:
    (bench / "plan.toml").write_text(PLAN.replace("rounds = 8", "rounds = 1"))
    for _ in range(2):
        assert benchkit(bench, "capture", "--plan", "plan.toml").returncode == 0
    runs = [run for run in listed(bench, "results") if run["role"] == "measured"]
    assert sorted((run["variant"], run["run"], run["block"]) for run in runs) == [
        ("none", 1, 1),
        ("none", 2, 2),
        ("otlp", 1, 1),
        ("otlp", 2, 2),
    ]


def test_command_is_repeated(bench: Path) -> None:
    secret = ["-H", "Authorization: Bearer hidden", "http://me:hidden@h/"]
    arguments = ["--variant", "none", "--repeat", "2", "--", "wrk", "none", *secret]
    done = benchkit(bench, "capture", *arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].split() == ["variant", "role", "run", "s", "exit", "file"]
    noted = sidecar(bench / "results/none/wrk-2.txt.run.toml")
    assert (noted.variant, noted.run, noted.exit_code, noted.role) == ("none", 2, 0, "measured")
    expected = "wrk '…9fe33c969358' -H 'Authorization: …657dd1310be3' 'http://…c39ce679c2a2@h/'"
    assert noted.command == expected
    assert noted.started_at is not None
    assert (bench / "results/none/wrk-1.txt").read_text() == (
        REPORTS / "none/wrk-1.txt"
    ).read_text()
    text = "".join(path.read_text() for path in (bench / "results").rglob("*") if path.is_file())
    assert "hidden" not in text


def test_shown_output_is_kept_too(bench: Path) -> None:
    done = benchkit(bench, "capture", "--show", "--out", "out", "--", "wrk", "none")
    assert done.returncode == 0
    assert "Latency Distribution" in done.stderr
    assert "a remark" in done.stderr
    assert (bench / "out/wrk-1.txt").read_text() == (REPORTS / "none/wrk-1.txt").read_text()
    assert (bench / "out/wrk-1.stderr").read_text() == "a remark"


def test_binary_output_gets_a_binary_file_name(bench: Path) -> None:
    gob = FIXTURES / "skywalking-vegeta" / "no-agent" / "vegeta-results-1.bin"
    source = next((FIXTURES / "skywalking-vegeta").rglob("*.bin"), gob)
    done = benchkit(bench, "capture", "--variant", "a", "--", "cat", str(source))
    assert done.returncode == 0
    assert (bench / "results/a/1.bin").read_bytes() == source.read_bytes()
    assert [run["variant"] for run in listed(bench, "results")] == ["a"]


def test_failing_command_stops_the_session_and_is_not_compared(bench: Path) -> None:
    script = "wrk none; test -f twice && exit 7; test -f calls-none && touch twice; exit 0"
    arguments = ["--variant", "none", "--repeat", "4", "--", "sh", "-c", script]
    done = benchkit(bench, "capture", *arguments)
    assert done.returncode == 3
    assert "results/none/wrk-2.txt: the command exited with code 7" in done.stderr
    assert "see wrk-2.stderr next to it, which ends: a remark" in done.stderr
    assert "made 1 of 4 runs; 1 more failed and is kept, but not compared" in done.stderr
    noted = sidecar(bench / "results/none/wrk-2.txt.run.toml")
    assert (noted.exit_code, noted.role) == (7, "failed")
    assert [run["role"] for run in listed(bench, "results")] == ["measured", "failed"]

    done = benchkit(bench, "capture", "--keep-going", *arguments)
    assert done.returncode == 3
    assert "made 0 of 4 runs; 4 more failed and are kept, but not compared" in done.stderr


def test_failing_preparation_is_reported_and_cleaned_up(bench: Path) -> None:
    (bench / "plan.toml").write_text("""
    before = "touch up; test {variant} = a"
    after = "rm up"
    command = "wrk none"
    [variants.a]
    [variants.b]
    """)
    done = benchkit(bench, "capture", "--plan", "plan.toml")
    assert done.returncode == 3
    assert "benchkit: error: before = sh -c 'touch … ; test … … …': the command" in done.stderr
    assert (
        "the command exited with code 1, so b was not measured; made 1 of 2 runs\n"
    ) in done.stderr
    assert not (bench / "up").exists()
    assert [run["variant"] for run in listed(bench, "results")] == ["a"]


def test_failed_run_without_output_is_not_a_refusal(bench: Path) -> None:
    assert benchkit(bench, "capture", "--variant", "a", "--", "wrk", "none").returncode == 0
    failed = benchkit(bench, "capture", "--variant", "a", "--", "false")
    assert failed.returncode == 3
    assert "exited with code 1; its standard error is empty; made 0 of 1 runs" in failed.stderr
    sources = read(bench, "ingest", "results", "--strict")["sources"]
    outcomes = [source["outcome"] for source in sources]
    assert sorted(outcomes) == ["failed", "read"]


def test_crossed_k6_threshold_is_a_complete_run(bench: Path) -> None:
    text = next((FIXTURES / "shorturl-k6" / "baseline").glob("k6*1.txt"))
    shim = bench / "bin" / "k6"
    shim.write_text(f'#!/bin/sh\ncat "{text}"\nexit 99\n')
    shim.chmod(0o755)
    assert benchkit(bench, "capture", "--variant", "a", "--", "k6", "run").returncode == 0
    noted = sidecar(bench / "results/a/k6-1.txt.run.toml")
    assert (noted.exit_code, noted.role) == (99, "measured")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_leaves_a_valid_folder(bench: Path, number: signal.Signals) -> None:
    script = "wrk none; test -f once && { touch waiting; sleep 60; }; touch once"
    process = start(bench, "--variant", "none", "--repeat", "5", "--", "sh", "-c", script)
    wait_for(bench / "waiting")
    process.send_signal(number)
    _, printed = process.communicate(timeout=60)
    assert process.returncode == 130
    assert printed.endswith(
        "benchkit: error: interrupted: made 1 of 5 runs; 1 more failed and is kept, but not "
        "compared\n"
    )
    names = sorted(path.name for path in (bench / "results/none").iterdir())
    assert names == [
        f"wrk-{n}{end}" for n in (1, 2) for end in (".stderr", ".txt", ".txt.run.toml")
    ]
    noted = sidecar(bench / "results/none/wrk-2.txt.run.toml")
    assert (noted.role, noted.exit_code) == ("failed", 130)
    assert [(run["run"], run["role"]) for run in listed(bench, "results")] == [
        (1, "measured"),
        (2, "failed"),
    ]


def test_after_command_runs_after_an_interrupt(bench: Path) -> None:
    plan = """
    before = "touch up"
    after = "rm up"
    [variants.a]
    command = "touch waiting; sleep 60"
    """
    (bench / "plan.toml").write_text(plan)
    process = start(bench, "--plan", "plan.toml")
    wait_for(bench / "waiting")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert not (bench / "up").exists()


def test_killed_session_leaves_no_half_written_run(bench: Path) -> None:
    script = "echo $$ > pid; wrk none; touch waiting; exec sleep 60"
    process = start(bench, "--variant", "none", "--", "sh", "-c", script)
    wait_for(bench / "waiting")
    process.kill()
    process.communicate(timeout=60)
    pid = int((bench / "pid").read_text())
    for _ in range(1000):
        if (command := read_process(pid)) is None or command.is_ended:
            break
        time.sleep(0.01)
    else:
        pytest.fail("the command outlived benchkit")
    assert [p for p in (bench / "results").rglob("*") if p.is_file() and p.name[0] != "."] == []
    assert benchkit(bench, "ingest", "results").returncode == 3
    done = benchkit(bench, "capture", "--variant", "none", "--", "wrk", "none")
    assert done.returncode == 0
    names = sorted(p.name for p in (bench / "results/none").iterdir() if p.name[0] != ".")
    assert names == ["wrk-2.stderr", "wrk-2.txt", "wrk-2.txt.run.toml"]  # the first one stays


def test_simultaneous_sessions_use_distinct_names(bench: Path) -> None:
    script = "sleep 0.1; echo wrk none $0"
    sessions = [
        start(bench, "--variant", "none", "--repeat", "3", "--", "sh", "-c", script, f"{n}")
        for n in range(8)
    ]
    for session in sessions:
        _, errors = session.communicate(timeout=60)
        assert session.returncode == 0, errors
    folder = bench / "results/none"
    names = {path.name for path in folder.iterdir()}
    outputs = [f"wrk-{run}.txt" for run in range(1, 25)]
    assert names == {*outputs, *(f"{name}.run.toml" for name in outputs)}
    for number, name in enumerate(outputs, 1):
        record = sidecar(folder / f"{name}.run.toml")
        assert record.run == number
        assert f"{record.command}".endswith((folder / name).read_text().split()[-1])
    sources = [(folder / name).read_text() for name in outputs]
    assert sorted(sources) == sorted(f"wrk none {n}\n" for n in range(8) for _ in range(3))


@pytest.mark.parametrize(
    "name",
    [".wrk-1.out", ".wrk-1.err", ".wrk-1.run.toml", "wrk-1.txt", "wrk-1.txt.run.toml"],
)
@pytest.mark.parametrize("is_dangling", [True, False])
def test_planted_link_is_not_followed(bench: Path, name: str, is_dangling: bool) -> None:
    victim = bench / "victim"
    if not is_dangling:
        victim.write_text("precious")
    planted = bench / "results/none" / name
    planted.parent.mkdir(parents=True)
    planted.symlink_to(victim)
    done = benchkit(bench, "capture", "--variant", "none", "--", "wrk", "none")
    assert done.returncode == 0, done.stderr
    assert victim.exists() is not is_dangling
    assert is_dangling or victim.read_text() == "precious"
    assert planted.is_symlink()
    assert sidecar(planted.with_name("wrk-2.txt.run.toml")).run == 2
    assert planted.with_name("wrk-2.txt").is_file()


def test_full_disk_ends_the_session_and_leaves_nothing_half_written(bench: Path) -> None:
    limited = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10));"
        "from benchkit.__main__ import main; main()"
    )
    command = [sys.executable, "-c", limited, "capture", "--variant", "a", "--", "true"]
    done = subprocess.run(command, cwd=bench, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert "results: cannot write the run: File too large; free some space" in done.stderr
    assert "made 0 of 1 runs" in done.stderr
    assert [*(bench / "results/a").iterdir()] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to run"),
        (["--", "no-such-command"], "no such command"),
        (["a.toml", "--until", "decided"], "a plan; write benchkit capture --plan a.toml"),
        (["--plan", "none.toml"], "none.toml"),
        (["--plan", "none.toml", "--", "true"], "the plan already defines"),
        (["--plan", "none.toml", "--repeat", "2"], "the plan already defines"),
        (["--repeat", "0", "--", "true"], "repeat"),
        (["--out", "bin/wrk", "--", "true"], "bin/wrk"),
        (["--format", "csv", "--", "true"], "csv"),
    ],
)
def test_usage_errors_run_nothing(
    bench: Path,
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(bench)
    assert run(["capture", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not (bench / "results").exists()


def test_runs_are_printed_as_json(bench: Path) -> None:
    done = benchkit(bench, "capture", "--quiet", "--format", "json", "--", "wrk", "none")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert document["format_version"] == 1
    assert [*document["runs"][0]] == ["variant", "role", "run", "duration", "exit", "file"]


def test_secret_in_a_variant_name_is_not_stored(bench: Path) -> None:
    command = (sys.executable, "-c", "print(1)")
    assert benchkit(bench, "capture", "--variant", "token=c0ffee", "--", *command).returncode == 0
    files = [path for path in (bench / "results").rglob("*") if path.is_file()]
    texts = [str(path) + path.read_text(encoding="utf-8") for path in files]
    assert [text for text in texts if "c0ffee" not in text] == texts != []
