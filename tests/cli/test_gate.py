"""Output that `benchkit gate` writes in addition to its answer."""

from __future__ import annotations

import json
from pathlib import Path

import gated
import pytest

from benchkit.cli import run

LIMIT = ("--max-overhead", "time_per_op=5%")


@pytest.fixture
def slower(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    gated.write_pair(tmp_path / "results", cost=0.2)
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_github_step_files_are_appended_to(
    slower: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("summary", "outputs"):
        (slower / name).write_text("earlier\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary")
    monkeypatch.setenv("GITHUB_OUTPUT", "outputs")
    assert run(["gate", "results", *LIMIT, "--github", "--format", "json"]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)["exit_code"] == 1
    assert (
        printed.err.count("::error title=time_per_op=5%25%3A over the limit::over the limit: ") == 2
    )
    summary = (slower / "summary").read_text(encoding="utf-8")
    assert summary.startswith("earlier\n### ✗ Over the limit: ")
    assert (slower / "outputs").read_text(encoding="utf-8").startswith("earlier\nverdict=fail\n")


def test_missing_step_file_variable_is_reported(
    slower: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["gate", "results", *LIMIT, "--github", "--quiet"]) == 1
    err = capsys.readouterr().err
    assert "GITHUB_STEP_SUMMARY is not set, so nothing was written" in err
    assert slower.is_dir()


def test_unwritable_step_file_is_an_error(
    slower: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(slower / "nowhere" / "summary"))
    assert run(["gate", "results", *LIMIT, "--github", "--quiet"]) == 2
    assert "GITHUB_STEP_SUMMARY: cannot write" in capsys.readouterr().err


def test_files_are_written_even_if_nothing_could_be_compared(
    slower: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"--junit": "<error ", "--openmetrics": "# EOF", "--gitlab": "exit_code 3"}
    files["--comment"] = "### ✗ Nothing was compared"
    options = [part for name in files for part in (name, f"out{name}")]
    assert run(["gate", "nowhere", *options]) == 3
    assert "nowhere: no such file or folder" in capsys.readouterr().out
    for name, text in files.items():
        assert text in (slower / f"out{name}").read_text(encoding="utf-8")


def test_store_is_judged_like_files(slower: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gate", *LIMIT, "--quiet"]) == 3
    assert run(["ingest", "results", "--quiet"]) == 0
    assert run(["gate", *LIMIT, "--quiet", "-o", "gate.md"]) == 1
    assert (slower / "gate.md").read_text(encoding="utf-8").startswith("### ✗ Over the limit")
    assert "Nothing was compared" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "arguments", "policy"),
    [
        (None, (), "no policy found: the default rule"),
        ("[stats]\nmargin = '4%'\n", (), "benchkit.toml sets no limit: the default rule"),
        ("[[gate]]\nmetric = 'time_per_op'\nacceptable = '5%'\n", (), "benchkit.toml"),
        (None, LIMIT, "limits from --max-overhead"),
        ("", LIMIT, "limits from --max-overhead, else benchkit.toml"),
    ],
)
def test_every_output_names_the_policy(
    slower: Path,
    content: str | None,
    arguments: tuple[str, ...],
    policy: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if content is not None:
        (slower / "benchkit.toml").write_text(content, encoding="utf-8-sig")  # with a BOM
    monkeypatch.setenv("GITHUB_OUTPUT", "outputs")
    files = ("--comment", "c.md", "--junit", "j.xml", "--github", "--quiet")
    assert run(["gate", "results", *arguments, *files]) == 1
    printed = capsys.readouterr()
    assert f"  policy: {policy}\n" in printed.out
    assert (f"::notice title=benchkit gate::{policy}" in printed.err) is policy.endswith("rule")
    assert f"\n\nPolicy: {policy}\n\n" in (slower / "c.md").read_text(encoding="utf-8")
    assert f"policy: {policy}</system-out>" in (slower / "j.xml").read_text(encoding="utf-8")
    assert f"policy={policy}\n" in (slower / "outputs").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "benchkit.toml: it is empty, so no limit is set; add [[gate]]"),
        ("# nothing yet\n", "benchkit.toml: it is empty, so no limit is set; add [[gate]]"),
        (
            "gate = []\n",
            (
                "benchkit.toml: gate is empty, so no limit is set; use [[gate]] with "
                'acceptable = "5%", target = "1%", or both; or remove it'
            ),
        ),
    ],
)
def test_empty_policy_is_an_error(
    content: str, message: str, slower: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (slower / "benchkit.toml").write_text(content, encoding="utf-8")
    for more in ((), ("--policy", "benchkit.toml")):
        assert run(["gate", "results", "--comment", "c.md", *more]) == 2
        assert message in capsys.readouterr().err
        assert message.partition(";")[0].split(": ", 1)[1] in (slower / "c.md").read_text("utf-8")
    assert run(["gate", "results", "--policy", "nowhere.toml"]) == 2


def test_settings_file_in_use_is_reported_if_there_are_two(
    slower: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (slower / "benchkit.toml").write_text("[stats]\nmargin = '4%'\n", encoding="utf-8")
    (slower / "pyproject.toml").write_text("[tool.benchkit.stats]\nmargin = '9%'\n", "utf-8")
    note = "note: using benchkit.toml; ignoring pyproject.toml [tool.benchkit] next to it\n"
    assert run(["gate", "results"]) == 1
    printed = capsys.readouterr()
    assert printed.err.count(note) == 1
    source = "benchkit.toml (ignoring pyproject.toml [tool.benchkit])"
    assert f"  policy: {source} sets no limit: the default rule\n" in printed.out
    assert run(["compare", "results", "--quiet"]) == 0
    assert note not in capsys.readouterr().err
    for other in ("[tool.other]\n", "[tool\n"):
        (slower / "pyproject.toml").write_text(other, encoding="utf-8")
        assert run(["compare", "results"]) == 0
        assert note not in capsys.readouterr().err


def test_unreadable_policy_is_shown_in_every_ci_output(
    slower: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = "[[gate]]\nmetric = 'time_per_op'\nacceptble = '5%'\n"
    (slower / "benchkit.toml").write_text(rule, encoding="utf-8")
    monkeypatch.setenv("GITHUB_OUTPUT", "outputs")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary")
    files = ("--comment", "c.md", "--junit", "j.xml", "--gitlab", "g.txt", "--github")
    assert run(["gate", "results", *files]) == 2
    err = capsys.readouterr().err
    assert "::error title=benchkit gate%3A not configured::" in err
    assert "benchkit: error: " in err
    for name in ("c.md", "j.xml", "summary"):
        assert "Nothing was compared" in (slower / name).read_text(encoding="utf-8")
    assert "did you mean" in (slower / "c.md").read_text(encoding="utf-8")
    outputs = (slower / "outputs").read_text(encoding="utf-8")
    assert outputs.startswith("verdict=not-configured\nexit-code=2\n")
    assert "exit_code 2" in (slower / "g.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(("code", "more"), [(3, ()), (3, ("--baseline", "bsae"))])
def test_refused_sources_are_shown_in_every_ci_output(
    code: int,
    more: tuple[str, ...],
    slower: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for number in (1, 2, 3):
        torn = slower / "results" / "wrk" / "baseline" / f"{number}.txt"
        torn.parent.mkdir(parents=True, exist_ok=True)
        torn.write_text("Running 15s test @ http://h/<b>ping\n", encoding="utf-8")
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.setenv(name, str(slower / name))
    shown = ["--github", "--comment", "comment.md", "--format", "json"]
    assert run(["gate", "results", "--max-overhead", "time_per_op=50%", *shown, *more]) == code
    printed = capsys.readouterr()
    message = "3 sources were refused: "
    assert json.loads(printed.out)["refused"].startswith(f"{message}results/wrk/baseline/1.txt")
    assert f"::warning title=benchkit gate%3A refused sources::{message}" in printed.err
    for name in ("GITHUB_STEP_SUMMARY", "comment.md"):
        lines = (slower / name).read_text(encoding="utf-8").splitlines()
        (line,) = [line for line in lines if message in line]
        assert line.startswith("! ")
        assert line.endswith("; and 1 more.")
