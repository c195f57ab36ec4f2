"""No secret of a command, a label or an address reaches any output."""

from __future__ import annotations

import json
import re
import shlex
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from pyarrow.parquet import read_table
from secret_shapes import HOLDING, SECRET

from benchkit.cli import run
from benchkit.redaction import marks

WRK = Path(__file__).parents[2] / "fixtures" / "tracing-wrk"
SINKS = (
    ("runs",),
    ("runs", "--format", "json"),
    ("runs", "--format", "csv"),
    ("compare", "--baseline", "none"),
    ("compare", "--baseline", "none", "--format", "json"),
    ("compare", "--baseline", "none", "--format", "csv"),
    ("compare", "--baseline", "none", "--format", "md"),
    ("check",),
    ("check", "--format", "json"),
    ("export",),
    ("export", "--format", "json"),
    ("export", "-o", "table.parquet"),
    ("gate", "--baseline", "none", "--junit", "junit.xml", "--github"),
    ("gate", "--baseline", "none", "--gitlab", "metrics.txt", "--comment", "comment.md"),
    ("gate", "--baseline", "none", "--openmetrics", "metrics.txt", "--format", "json"),
    ("history", "show", "--metric", "latency.p50"),
    ("store", "check"),
    ("report", "--baseline", "none", "-o", "report.html"),
    ("report", "--baseline", "none", "-o", "report.md"),
    ("report", "--baseline", "none", "-o", "report.json"),
)


#: Names of benchmarks, folders and files.
NAMES = (
    "Authorization:_Bearer_{}",
    "token={}",
    "a_Bearer_{}",
    "api_key={}/n=10",
    "ghp_{}",
    "/services/T00000000/B00000000/{}",
    "me:{}@tcp(db)/x",
)
GO = "Benchmark{}{} 1000 {} ns/op\n"


def write_named(folder: Path) -> None:
    """Write files whose names and inner names contain a secret, and two that cannot be read."""
    names = [name.format(f"{SECRET}9{n:02}") for n, name in enumerate(NAMES)]
    for number, name in enumerate(names):
        for variant in ("none", "otlp"):
            path = folder / variant / "go" / f"{name.replace('/', '_')}-1.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text("goos: linux\n" + GO.format("Auth/", name, number + 1), "utf-8")
            inner = folder / variant / f"token={SECRET}95{number}"
            inner.mkdir()
            text = (WRK / variant / "wrk-2.txt").read_text(encoding="utf-8")
            (inner / "wrk-1.txt").write_text(text, encoding="utf-8")
            (inner / "run.toml").write_text("x = [", encoding="utf-8")
            (inner / "wrk-2.txt").write_text("Running 1s test @ http://h/\n", encoding="utf-8")
            (inner / f"api_key={SECRET}97.bin").write_bytes(b"\0\1")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with every shape of secret as a command, a name, a heading and a variable."""
    folder = tmp_path_factory.mktemp("secrets")
    shapes = [[word.replace(SECRET, f"{SECRET}{n:03}") for word in words] for n, words in
              enumerate(HOLDING.values())]  # fmt: skip
    for number, words in enumerate(shapes):
        command = shlex.join(words)
        for variant in ("none", "otlp"):
            text = (WRK / variant / "wrk-1.txt").read_text(encoding="utf-8")
            path = folder / variant / f"wrk-{number}-1.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"# {command}\n$ {command}\n{text}", encoding="utf-8")
            side = {"command": command, "benchmark": f"{number} {command}"}
            if number % 2:
                side["benchmark"] = command
            facts = {"env": {f"fact{number}": command}, "params": {"p": command}}
            tables = "".join(
                f"[{table}]\n{name} = {json.dumps(value)}\n"
                for table, entries in facts.items() for name, value in entries.items()
            )  # fmt: skip
            lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in side.items())
            path.with_name(f"{path.name}.run.toml").write_text(lines + tables, encoding="utf-8")
    write_named(folder)
    store = folder / "store"
    ingest = ["ingest", str(folder / "none"), str(folder / "otlp"), "--store", str(store)]
    with redirect_stderr(StringIO()) as err, redirect_stdout(StringIO()) as out:
        assert run([*ingest, "-v"]) == 0
        assert run([*ingest, "--format", "json"]) == 0
        assert run(["runs", str(folder / "none" / f"token={SECRET}950" / "absent.txt")]) == 3
    assert not find_secrets(err.getvalue() + out.getvalue())
    return store


def find_secrets(text: str) -> set[str]:
    return set(re.findall(rf"{SECRET}\d+", text))


@pytest.mark.parametrize("words", SINKS, ids=" ".join)
def test_no_output_contains_a_secret(
    store: Path,
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    assert run([*words, "--store", str(store)]) in {0, 1, 3, 4}
    streams = capsys.readouterr()
    written = [
        read_table(path).to_pandas().to_csv() if path.suffix == ".parquet" else path.read_text()
        for path in tmp_path.iterdir()
    ]
    text = "\n".join([streams.out, streams.err, *written])
    assert not find_secrets(text)
    assert text.strip()


def test_files_that_differ_only_in_a_secret_are_two_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names = [f"ghp_{SECRET}{letter}" for letter in "abc"]
    for number, name in enumerate(names):
        path = tmp_path / "results" / f"token={name}" / "base.txt"
        path.parent.mkdir(parents=True)
        path.write_text(
            "".join(GO.format("Auth/", each, number) for each in names), encoding="utf-8"
        )
    assert run(["ingest", "results", "-q"]) == 0
    assert run(["ingest", "results", "--format", "json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert [source["outcome"] for source in again["sources"]] == ["unchanged"] * 3
    assert run(["runs", "--format", "json"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert len({(each["group"], each["variant"], each["benchmark"]) for each in runs}) == 9
    assert {each["run"] for each in runs} == {1}
    assert run(["store", "check"]) == 0
    assert run(["undo"]) == 0


def test_names_that_differ_only_in_a_secret_are_shown_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(marks, "_DIGITS", 0)
    lines = [GO.format("Auth/", f"token=c0ffee{number}", 100) for number in range(2)]
    path = tmp_path / "base.txt"
    path.write_text("goos: linux\n" + "".join(lines), encoding="utf-8")
    assert run(["runs", str(path)]) == 3
    assert "two benchmark names differ only in a secret" in capsys.readouterr().err
