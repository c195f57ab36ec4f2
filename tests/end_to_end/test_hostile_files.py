"""Non-files, endless files and absurd numbers cost only themselves and one message."""

from __future__ import annotations

import gzip
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from scaling import assert_linear

import benchkit as bk
from benchkit.audit.machine import parse_cpus
from benchkit.cli import run
from benchkit.config import files
from benchkit.errors import DataError
from benchkit.ingestion import discovery, sources
from benchkit.parsers import registry
from benchkit.parsers.base import Diagnostic, Reading, Source
from benchkit.reading import source

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
WRK = FIXTURES / "tracing-wrk"
CALL = [sys.executable, "-m", "benchkit"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variant in ("none", "otlp"):
        shutil.copytree(WRK / variant, tmp_path / "results" / variant)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "results"


def test_name_that_is_not_utf8_is_read_and_shown(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = min((folder / "none").glob("*.txt"))
    os.rename(first, os.fsencode(folder / "none") + b"/wrk-caf\xe9-99.txt")  # noqa: PTH104 - bytes
    for words in (
        ["ingest", "results", "-v"],
        ["runs"],
        ["export", "-o", "all.csv"],
        ["compare", "-o", "compare.json", "--format", "json"],
        ["check", "--format", "json"],
        *(["report", "-o", f"report.{kind}"] for kind in ("html", "md", "json")),
    ):
        assert run(words) == 0, capsys.readouterr().err
    assert run(["gate", "--junit", "junit.xml"]) in {0, 1, 4}


def test_non_files_are_refused_by_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "loop.txt").symlink_to("loop.txt")
    (folder / "loop").symlink_to("loop")
    (folder / "zero.txt").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.txt")
    os.mkfifo(folder / "none" / "runs.json")
    os.mkfifo(folder / "run.toml")
    os.mkfifo(folder / "none" / "benchkit.toml")
    assert run(["ingest", "results"]) == 0
    streams = capsys.readouterr()
    output = streams.out + streams.err
    assert "Too many levels of symbolic links" in output
    assert "results/pipe.txt: cannot be read: not a regular file; check the file" in output
    assert "results/zero.txt: a link to outside the folder" in output
    assert "run.toml: cannot read the sidecar: not a regular file" in output
    problem = (
        "none/benchkit.toml: all its labels are ignored, and its runs count as damaged: cannot"
    )
    assert f"{problem} be read: not a regular file" in output
    hints = {"/dev/zero": "give a file or a folder", "results/pipe.txt": "pass its contents"}
    for path, hint in hints.items():
        assert run(["runs", path]) == 3
        assert f"{path}: not a regular file; {hint}" in capsys.readouterr().err
        assert run(["map", path]) == 3
        assert f"{path}: not a regular file; {hint}" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [["gate", "results", "--policy"], ["capture", "--plan"], ["compare", "--compat", "benchstat"]],
    ids=lambda words: words[0],
)
def test_settings_must_be_a_file_of_bounded_size(
    folder: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo("pipe.toml")
    Path("large.toml").write_bytes(b"#" * (files.LARGEST + 1))
    refused = {"pipe.toml": "not a regular file", "/dev/zero": "not a regular file"}
    if words[0] != "compare":
        refused |= {"large.toml": "larger than 16 MiB", str(folder): "is a folder"}
    for path, reason in refused.items():
        assert run([*words, path]) == (0 if words[0] == "compare" else 2)
        assert reason in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_policy_may_come_through_a_shell_pipe() -> None:
    policy = "<(echo '[stats]')"
    command = f"{shlex.join(CALL)} gate results --policy {policy}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1, 4}, done.stderr


def test_shell_pipe_is_read(folder: Path) -> None:
    command = f"{shlex.join(CALL)} runs <(cat {shlex.quote(str(folder))}/none/*.txt)"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, "wrk" in done.stdout) == (0, True), done.stderr


def test_closed_and_endless_standard_input_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    command = f"{shlex.join(CALL)} ingest - <&-"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 3
    assert done.stderr.startswith("benchkit: error: -: standard input is closed; ")
    monkeypatch.setattr(sources, "PIPE_BYTES", 1 << 20)
    with open("/dev/zero", encoding="latin-1") as endless:  # noqa: PTH123 - as the shell opens it
        monkeypatch.setattr(sys, "stdin", endless)
        with pytest.raises(DataError, match="standard input has more than 1 MiB"):
            discovery.discover(["-"], discovery.Options())


@pytest.mark.parametrize("begin", [b"", b"BenchmarkA \t 1 \t 2 ns/op\n", b"{", b"Processed "])
def test_gzip_with_an_endless_line_terminates(tmp_path: Path, begin: bytes) -> None:
    def make(size: int) -> Path:
        path = tmp_path / f"{size}.txt.gz"
        with gzip.open(path, "wb", compresslevel=1) as file:
            file.write(begin)
            for _ in range(size):
                file.write(b"a" * (1 << 20))
        return path

    def ingest(path: Path) -> None:
        assert run(["ingest", str(path), "--store", str(tmp_path / "store")]) in {0, 3}

    assert_linear(make, ingest, 24)


def test_long_line_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_LINE", 1 << 20)
    log = Source(None, "a.txt", b"one\n" + b"a" * (3 << 20))
    with pytest.raises(source.UnreadableError, match="a line is longer than 1 MiB"):
        list(log.lines())


#: Texts with a placeholder for an absurdly large number.
NUMBERS = {
    "vegeta's bucket": (
        "Bucket  #  %  Histogram\n[0s, 1ms]  {number}  100.00%  ###\n[1ms, +Inf]  0  0.00%\n"
    ),
    "ab's command": "$ ab -n {number} -c {number} http://h/\n" + "{ab}",
    "ab's version": "This is ApacheBench, Version {number}\n" + "{ab}",
    "k6's console": "running (0m01.0s), 0/{number} VUs, 1 complete and 0 interrupted iterations\n"
    "{k6}",
    "wrk's command": "$ wrk -t{number} -c{number} -R{number} http://h/\n" + "{wrk}",
}
K6 = (FIXTURES / "shorturl-k6" / "baseline" / "k6-legacy-1.txt").read_text(encoding="utf-8")
AB = (FIXTURES / "nginx-ab" / "nginx" / "ab-small-c30-1.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("number", ["9" * 300, "9" * 5000, "1e308", "1e999", "0x1"])
@pytest.mark.parametrize("text", NUMBERS.values(), ids=NUMBERS)
def test_absurdly_large_number_does_not_lose_the_file(text: str, number: str) -> None:
    wrk = next((WRK / "none").glob("*.txt")).read_text(encoding="utf-8")
    text = (
        text.replace("{number}", number)
        .replace("{ab}", AB)
        .replace("{wrk}", wrk)
        .replace("{k6}", K6)
    )
    content = Source(None, "a.txt", text.encode())
    records = [record for form in registry.identify(content) for record in form.parse(content)]
    assert all(isinstance(record, Reading | Diagnostic) for record in records)


def test_invalid_url_does_not_lose_the_file() -> None:
    text = (FIXTURES / "k6-edge" / "tiny" / "k6-raw-1.csv").read_text(encoding="utf-8")
    content = Source(None, "a.csv", text.replace("http://", "http://[").encode())
    (form,) = registry.identify(content)
    assert any(isinstance(record, Reading) for record in form.parse(content))


def test_list_of_cpus_is_bounded() -> None:
    assert parse_cpus("0-99999999999") == frozenset()


@pytest.mark.parametrize(
    "text", ["x = " + "[" * 5000, "started_at = 0001-01-01T00:00:00+23:59"], ids=["deep", "year 1"]
)
def test_hostile_sidecar_is_a_warning(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "base.txt").write_text("BenchmarkA 1 2 ns/op\n", encoding="utf-8")
    (tmp_path / "run.toml").write_text(text, encoding="utf-8")
    assert run(["runs", str(tmp_path)]) == 0
    assert "warning: " in capsys.readouterr().err


@pytest.mark.parametrize("key", ["command", "attack", "Package", "Output"])
def test_lone_surrogate_is_stored_as_its_escape(folder: Path, key: str) -> None:
    times = "[" + ", ".join(["1.0"] * 5) + "]"
    texts = {
        "command": f'{{"results": [{{"command": "a\\ud800", "mean": 1.0, "times": {times}}}]}}',
        "attack": '{"attack":"a\\ud800","seq":0,"code":200,"timestamp":"2026-01-01T00:00:00Z",'
        '"latency":1000,"bytes_out":0,"bytes_in":2,"error":"","body":null,"method":"GET",'
        '"url":"http://h/a\\ud800"}',
        "Package": '{"Action":"output","Package":"a\\ud800","Output":"BenchmarkX-2 9 1 ns/op\\n"}',
        "Output": '{"Action":"output","Package":"p","Output":"BenchmarkX\\ud800-2 9 1 ns/op\\n"}',
    }
    (folder / "odd.json").write_text(texts[key] + "\n", encoding="utf-8")
    for words in (["runs", "results"], ["ingest", "results"], ["runs"], ["report", "-o", "r.html"]):
        assert run(words) == 0
    assert r"a\\ud800" in str(bk.load(store=".benchkit").runs.to_dict()) or key == "Output"


def test_lone_surrogate_affects_no_other_file(folder: Path) -> None:
    latencies = '"latencies": {"mean": 2, "50th": 2, "95th": 2, "99th": 2, "max": 2}'
    text = (
        f'{{{latencies}, "requests": 1, "rate": 1.0, "throughput": 1.0, "success": 1.0, '
        '"duration": 9, "wait": 1, "earliest": "2026-01-01T00:00:00Z", '
        '"latest": "2026-01-01T00:00:01Z", "end": "2026-01-01T00:00:01Z", "errors": [], '
        '"bytes_in": {"total": 1, "mean": 1}, "bytes_out": {"total": 1, "mean": 1}, '
        '"status_codes": {"\\ud800": 1}}'
    )
    (folder / "odd.json").write_text(text, encoding="utf-8")
    assert run(["ingest", "."]) == 0
    subjects = set(bk.load(store=".benchkit").observations["subject"].dropna())
    assert r"\ud800" in subjects


def test_integer_beyond_64_bits_is_invalid_toml(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in ("9" * 5000, "0x" + "f" * 5000):
        (folder / "run.toml").write_text(f"run = {number}\n", encoding="utf-8")
        Path("plan.toml").write_text(f"[stats]\nmargin = [{number}]\n", encoding="utf-8")
        assert run(["runs", "results"]) == 0
        assert "not valid TOML (an integer has more than 64 bits)" in capsys.readouterr().err
        for words in (["gate", "results", "--policy"], ["capture", "--plan"]):
            assert run([*words, "plan.toml"]) == 2
            assert "TOML: an integer has more than 64 bits" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["run.toml", "benchkit.toml"])
def test_key_of_many_parts_is_refused_quickly(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / name).write_text(f"a{'.a' * 100_000} = 1")
    assert run(["runs", str(folder)]) == 0
    assert "a key has more than 200 parts" in capsys.readouterr().err


def test_file_forced_to_a_wrong_format_is_not_called_a_lookalike(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["runs", "--as", "k6", str(folder / "none" / "wrk-1.txt")]) == 3
    error = capsys.readouterr().err
    assert "was read as k6, but has no result" in error
    assert "check that the run has ended and that this is its format" in error
