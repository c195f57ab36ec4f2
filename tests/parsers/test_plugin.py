"""A tool from another package, installed with pip, works like a built-in one."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from plugged import install, run_benchkit, run_both

ROOT = Path(__file__).resolve().parents[2]


def rename(text: str) -> str:
    """Turn hyperfine, its module or its results, into a tool unknown to benchkit."""
    return text.replace("hyperfine", "tempo").replace('"command"', '"program"')


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    module = rename((ROOT / "benchkit/parsers/hyperfine/__init__.py").read_text(encoding="utf-8"))
    points = "[benchkit.parsers]\ntempo = tempo_parser:TOOLS\n"
    return install(tmp_path, "tempo_parser", points, {"tempo_parser.py": module})


def test_installed_tool_is_read_compared_reported_and_gated(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "results").mkdir()
    for name in ("none.json", "otlp.json"):
        text = (ROOT / "fixtures/hyperfine" / name).read_text(encoding="utf-8")
        (tmp_path / "results" / name).write_text(rename(text), encoding="utf-8")

    def call(*arguments: str, code: int = 0) -> str:
        return run_benchkit(tmp_path, environment, *arguments, code=code)

    assert "tempo" in call("formats")
    assert "24" in call("ingest", "results")
    rows = json.loads(call("compare", "--baseline", "none", "--format", "json"))["rows"]
    primary = [(row["metric"], row["verdict"]) for row in rows if row["primary"]]
    assert primary == [("time_per_op", "regression")]
    call("report", "--baseline", "none")
    assert "time per operation" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "otlp" in call("gate", "--baseline", "none", code=1)


#: A format that recognises its files and yields one run.
THEIRS = """
import sys
from benchkit.parsers.base import Form, Format, Reading

def recognises(head):
    return head.text.startswith("tempo")

def parse(source):
    yield Reading(tool="tempo", form="text", line=1)

{change}
FORMAT = Format(
    name="tempo", tools=("tempo",), summary="tempo", recognises=recognises, parse=parse,
    forms=(Form(name="text", signature="tempo", versions="1", not_recorded=""),),
)
"""


@pytest.mark.parametrize(
    ("change", "warning"),
    [
        ("raise RuntimeError('boom')", "warning: parser plug-in tempo"),
        ("def recognises(head): raise ValueError('boom')", "warning: the parser tempo fails"),
        ("def recognises(head): sys.exit(5)", "warning: the parser tempo fails"),
        (
            "def parse(source): raise ValueError('boom')",
            "error: results/x.tempo: the parser plug-in tempo failed to read it (ValueError: boom)",
        ),
        ("def parse(source): sys.exit(5)", "error: results/x.tempo: "),
        ("def parse(source): return None", "error: results/x.tempo: "),
        ("def parse(source): yield {'latency': 1}", "error: results/x.tempo: "),
        ("def parse(source): yield Reading(tool=None, form='', line=1)", "error: results/x.tempo:"),
        ("def parse(source): raise GeneratorExit", "error: results/x.tempo: "),
        (
            "def parse(source): yield Reading(tool='tempo', form='', line=1, role='zzz')",
            "error: results/x.tempo: the parser plug-in tempo failed to read it (ValueError: role",
        ),
    ],
)
def test_faulty_plugin_loses_only_its_files(tmp_path: Path, change: str, warning: str) -> None:
    points = "[benchkit.parsers]\ntempo = tempo_parser:FORMAT\n"
    module = THEIRS.format(change=change)
    environment = install(tmp_path, "tempo_parser", points, {"tempo_parser.py": module})
    (tmp_path / "results").mkdir()
    report = (ROOT / "fixtures/tracing-wrk/none/wrk-1.txt").read_text(encoding="utf-8")
    (tmp_path / "results/none.txt").write_text(report, encoding="utf-8")
    (tmp_path / "results/x.tempo").write_text("tempo 1\n", encoding="utf-8")
    done = run_both(tmp_path, environment, "runs", "results")
    assert "none" in done.stdout
    assert warning in done.stderr
    assert "Traceback" not in done.stderr
    assert "registry.py" not in done.stderr


def test_output_and_chdir_of_a_plugin_change_no_result(tmp_path: Path) -> None:
    change = """
def parse(source):
    import os
    print("hello")
    os.chdir("/")
    yield Reading(tool="tempo", form="text", line=1, run=1)
"""
    points = "[benchkit.parsers]\ntempo = tempo_parser:FORMAT\n"
    module = THEIRS.format(change=change)
    environment = install(tmp_path, "tempo_parser", points, {"tempo_parser.py": module})
    (tmp_path / "results").mkdir()
    report = (ROOT / "fixtures/tracing-wrk/none/wrk-1.txt").read_text(encoding="utf-8")
    (tmp_path / "results/a.tempo").write_text("tempo 1\n", encoding="utf-8")
    (tmp_path / "results/none.txt").write_text(report, encoding="utf-8")
    run_benchkit(tmp_path, environment, "ingest", "results")
    assert (tmp_path / ".benchkit").is_dir()
    done = run_both(tmp_path, environment, "runs", "results", "--format", "json")
    assert json.loads(done.stdout)
    assert "hello" in done.stderr


@pytest.mark.parametrize(
    "change",
    [
        "def parse(source): print('begun', flush=True); sys.stdin.read(); yield",
        "def recognises(head): print('begun', flush=True); return sys.stdin.read()",
    ],
)
def test_ctrl_c_names_a_plugin_that_hangs(tmp_path: Path, change: str) -> None:
    points = "[benchkit.parsers]\ntempo = tempo_parser:FORMAT\n"
    module = THEIRS.format(change=change)
    environment = install(tmp_path, "tempo_parser", points, {"tempo_parser.py": module})
    (tmp_path / "x.tempo").write_text("tempo 1\n", encoding="utf-8")
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-m", "benchkit", "ingest", "x.tempo"],
        cwd=tmp_path, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        assert process.stderr.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert process.returncode == 130
    assert errors.splitlines() == [
        "warning: interrupted while the parser plug-in tempo was reading x.tempo",
        "benchkit: error: interrupted; no partial results were kept",
    ]
