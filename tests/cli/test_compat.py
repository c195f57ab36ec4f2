"""``benchkit compare --compat benchstat`` on the command line: streams, files and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit.cli import run

COMPAT = ["compare", "--compat", "benchstat"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    for name, values in {"old.txt": (103, 103, 103), "new.txt": (101, 102)}.items():
        text = "".join(f"BenchmarkPing 10 {value} ns/op\n" for value in values)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return ["old.txt", "new.txt"]


def test_table_is_on_stdout_and_the_rest_on_stderr(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*COMPAT, "--format", "csv", *files]) == 0
    printed = capsys.readouterr()
    assert "Ping,1.0300000000000001e-07,∞,1.015e-07,∞,-1.46%,n=3+2\n" in printed.out
    assert "B306" not in printed.out
    lines = printed.err.splitlines()
    assert lines[0] == "B3: need >= 6 samples for confidence interval at level 0.95"
    assert lines[2].startswith("warning: B306 new.txt Ping (sec/op): ")
    assert len(lines) == 3


def test_quiet_prints_only_the_table(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*COMPAT, "--format", "csv", "-q", "--confidence", "99%", *files]) == 0
    assert capsys.readouterr().err == ""


def test_text_is_the_default(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*COMPAT, *files]) == 0
    printed = capsys.readouterr()
    assert "Ping   103.0n ± ∞ ¹   101.5n ± ∞ ¹  -1.46% (n=3+2)\n" in printed.out
    assert printed.err.startswith("warning: B306 ")


def test_csv_file_name_selects_the_format(files: list[str], tmp_path: Path) -> None:
    assert run([*COMPAT, "-o", "out.csv", *files]) == 0
    assert (tmp_path / "out.csv").read_text(encoding="utf-8").startswith(",old.txt,,new.txt,")


@pytest.mark.parametrize("dashes", ["-", "--"])
def test_options_accept_one_dash_or_two(
    dashes: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    options = {
        "filter": "-.name:Pong", "table": ".file", "row": "", "col": ".name", "ignore": "goos",
        "alpha": "0.5", "confidence": "0.5", "format": "csv",
    }  # fmt: skip
    written = [word for name, value in options.items() for word in (dashes + name, value)]
    assert run([*COMPAT, *written, *files]) == 0
    assert capsys.readouterr().out.splitlines()[:4] == [
        ".file: old.txt",
        ",Ping,",
        ",sec/op,CI",
        ",1.0300000000000001e-07,0%",
    ]
    assert run([*COMPAT, f"{dashes}filter=.name:Pong", *files]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["missing.txt"], "benchstat: open missing.txt: no such file or directory\n"),
        (["-alpha", "2"], "benchstat: -alpha must be in range [0, 1]\n"),
        (
            ["-col", ".file@up"],
            'benchstat: parsing -col: syntax error: unknown order "up"\n\t.file@up\n\t      ^\n',
        ),
    ],
)
def test_input_that_benchstat_ignores_exits_0(
    files: list[str], capsys: pytest.CaptureFixture[str], arguments: list[str], error: str
) -> None:
    assert run([*COMPAT, "-q", *arguments, *files]) == 0
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", error)


def test_input_without_results_gives_no_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty, out = tmp_path / "empty.txt", tmp_path / "out.txt"
    empty.touch()
    assert run([*COMPAT, str(empty)]) == 0
    assert run([*COMPAT, str(empty), "-o", str(out)]) == 0
    printed = capsys.readouterr()
    assert (printed.out, printed.err, out.read_bytes()) == ("", "", b"")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "json"], "--format: unknown value 'json'; use text, csv"),
        (["--margin", "3%"], "--margin: cannot be combined with --compat"),
        (["--baseline", "old"], "--baseline: cannot be combined with --compat"),
        (["--compat", "other"], "unknown value 'other'; use benchstat"),
        (["-alpha", "much"], "--alpha: 'much' is not a number"),
    ],
)
def test_invalid_options_are_refused(
    files: list[str], capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert run([*COMPAT, *arguments, *files]) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.out == ""


def test_options_of_benchstat_need_compat(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", "-row", ".name", *files]) == 2
    assert "needs --compat benchstat" in capsys.readouterr().err


def test_files_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*COMPAT, "--format", "csv"]) == 2
    assert (
        "give two files: benchkit compare --compat benchstat old.txt new.txt"
        in capsys.readouterr().err
    )


def test_default_never_prints_the_mistake_of_benchstat(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", *files, "--baseline", "old", "--format", "json"]) == 0
    assert '"p": 0.2' in capsys.readouterr().out
