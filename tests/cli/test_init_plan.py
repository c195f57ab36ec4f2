"""`benchkit init --plan` writes a plan that capture can read and run unchanged."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from benchkit.capture.places import find_tool
from benchkit.capture.plan import read_plan
from benchkit.capture.session import carry_out
from benchkit.capture.starter import list_plans
from benchkit.cli import run


@pytest.mark.parametrize("tool", list_plans())
def test_every_plan_is_read(tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["init", "--plan", tool]) == 0
    plan = read_plan(Path("plan.toml"))
    assert len(plan.variants) == 2
    for commands in plan.variants.values():
        names = {"go": "gobench", "redis-benchmark": "redis_benchmark"}
        assert find_tool(commands.command) == names.get(tool, tool)
        assert bool(commands.serve) == bool(commands.warmup) == (tool not in ("go", "hyperfine"))


@pytest.mark.skipif(not shutil.which("hyperfine"), reason="hyperfine is not installed")
def test_plan_for_hyperfine_gives_a_comparison(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["init", "--plan", "hyperfine"]) == 0
    Path("plan.toml").write_text(Path("plan.toml").read_text().replace("0.1", "0.01"))
    assert run(["capture", "--plan", "plan.toml", "--until", "decided", "--max-rounds", "4"]) == 0
    assert run(["compare", "results", "--baseline", "0.010"]) == 0


def test_existing_file_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text("mine")
    assert run(["init", "--plan", "wrk"]) == 2
    assert "plan.toml: already exists; replace it with --force" in capsys.readouterr().err
    assert Path("plan.toml").read_text() == "mine"
    assert run(["init", "--plan", "wrp", "-o", "other.toml"]) == 2
    assert "use wrk, ab, redis-benchmark, k6, vegeta, go, hyperfine" in capsys.readouterr().err


def test_options_complete_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["off", "it's on", "a.b"]
    words = [word for name in names for word in ("--variant", name)]
    url = "http://127.0.0.1:9000/?q='''1"
    serve = 'sh -c "exec ./server" {variant}'
    assert run(["init", "--plan", "wrk", "--url", url, "--serve", serve, *words]) == 0
    assert "fill in" not in capsys.readouterr().err
    plan = read_plan(Path("plan.toml"))
    assert list(plan.variants) == names
    assert {commands.ready for commands in plan.variants.values()} == {url}
    assert plan.variants["it's on"].serve == ("sh", "-c", "exec ./server", "it's on")
    assert run(["init", "--plan", "ab", "--url", "127.0.0.1:9000", "--force"]) == 0
    plan = read_plan(Path("plan.toml"))
    assert {c.command[-1] for c in plan.variants.values()} == {"http://127.0.0.1:9000/"}
    assert {(c.serve, c.ready) for c in plan.variants.values()} == {((), "http://127.0.0.1:9000/")}
    assert run(["init", "--plan", "redis-benchmark", "--url", "redis://h:7000/0", "--force"]) == 0
    (commands, _) = read_plan(Path("plan.toml")).variants.values()
    assert (commands.serve, commands.ready) == ((), "h:7000")
    assert commands.command[:5] == ("redis-benchmark", "-h", "h", "-p", "7000")
    assert run(["init", "--plan", "hyperfine", "--variant=1", "--variant=2", "--force"]) == 0
    assert list(read_plan(Path("plan.toml")).variants) == ["1", "2"]


@pytest.mark.parametrize("tool", ["wrk", "ab", "k6", "vegeta"])
def test_tool_gets_the_complete_url(
    tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / tool).write_text('#!/bin/sh\necho "$@"; cat\n')
    (tmp_path / tool).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    url = "http://h:1/{variant}?a=[1]&b='$x';c"
    variants = ["--variant", "v1", "--variant", "v2"]
    assert run(["init", "--plan", tool, "--url", url, *variants]) == 0
    commands = read_plan(Path("plan.toml")).variants["v2"]
    for words in (commands.command, commands.warmup):
        done = subprocess.run(words, input="", capture_output=True, text=True, check=True)
        assert "http://h:1/v2?a=[1]&b=%27$x%27;c" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--url http://h/", "--url: needs --plan TOOL"),
        ("--plan go --url http://h/", "--url: a plan for this tool does not measure a service"),
        (
            "--plan redis-benchmark --url http://h/",
            "--url: expected redis://host:port, got 'http://h/'; write \"redis://127.0.0.1:6399\"",
        ),
        (
            "--plan redis-benchmark --url redis://u:pw@h:1",
            "--url: expected redis://host:port, got 'REDACTED@h:1'; write",
        ),
        ("--plan wrk --url h", "--url: expected a URL or host:port, got 'h'"),
        ("--plan wrk --serve ./s", "--serve: cannot tell when the service is ready; add --url"),
        ("--plan go --variant a", "--variant: a comparison needs two variants or more"),
        (
            "--plan wrk --url http://h/ --serve ./s --variant a --variant b",
            (
                "--variant: no command contains the name of the variant; write {variant} where "
                "they differ"
            ),
        ),
    ],
)
def test_plan_without_a_measurement_is_refused(
    words: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["init", *words.split()]) == 2
    assert message in capsys.readouterr().err
    assert not Path("plan.toml").exists()


def test_service_of_a_plan_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["init", "--plan", "ab", "-o", "-"]) == 0
    assert run(["init", "--plan", "ab"]) == 0
    (tmp_path / "ab").write_text("#!/bin/sh\n")
    (tmp_path / "ab").chmod(0o755)
    text = Path("plan.toml").read_text().replace("ab -k", "./ab -k")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = f"{probe.getsockname()[1]}"
    Path("plan.toml").write_text(text.replace("8080", port).replace("python3", sys.executable))
    assert carry_out(read_plan(Path("plan.toml")), tmp_path / "out").problem == ""
