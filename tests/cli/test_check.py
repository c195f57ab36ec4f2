"""``benchkit check`` and ``benchkit explain``: output and exit codes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import audit_inputs
import pytest
from audit_inputs import wrk

from benchkit.audit.catalogue import CATALOGUE
from benchkit.cli import run
from benchkit.errors import ExitCode

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Return a run on localhost whose mean latency is wrk's uncorrected one."""
    audit_inputs.check(tmp_path, {"none/wrk-1.txt": wrk()})
    return str(tmp_path)


@pytest.fixture
def clean(tmp_path: Path) -> str:
    """Return a run without findings, except that it has nothing to be compared with."""
    quiet = wrk(("0.86ms  847", "0.75ms  847"), ("127.0.0.1", "10.0.0.7"))
    audit_inputs.check(tmp_path / "clean", {"none/wrk-1.txt": quiet})
    return str(tmp_path / "clean")


def codes(text: str) -> list[str]:
    return [finding["code"] for finding in json.loads(text)["findings"]]


def test_findings_are_listed_below_their_code(folder: str, capsys: Captured) -> None:
    assert run(["check", folder]) == ExitCode.DONE
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1 warning, 2 notes in 1 run"
    assert lines[2] == "B310 warning: wrk's mean implies more requests in flight than connections"
    assert lines[3].startswith(
        "  none on /ping/GRM, connections=8,threads=2: wrk's mean latency is too high: it "
        "implies 8.9"
    )
    assert lines[4].startswith("  → use connections ÷ rate")
    assert lines[6].startswith("B415 info")


def test_missing_findings_are_stated(clean: str, capsys: Captured) -> None:
    quiet = ["--ignore", "B200", "--strict", "--free-of", "info"]
    assert run(["check", clean, *quiet]) == ExitCode.DONE
    assert capsys.readouterr().out == "no findings in 1 run\n"


def test_single_variant_has_nothing_to_compare_with(clean: str, capsys: Captured) -> None:
    assert run(["check", clean, "--strict"]) == ExitCode.DONE
    out = capsys.readouterr().out
    assert out.startswith("1 note in 1 run\n\nB200 info")
    assert "nothing to compare: 'none' is the only variant" in out


def test_companion_files_are_not_runs(tmp_path: Path, capsys: Captured) -> None:
    audit_inputs.check(tmp_path, audit_inputs.spans())
    assert run(["check", str(tmp_path)]) == ExitCode.DONE
    assert capsys.readouterr().out.partition("\n")[0].endswith(" in 1 run")


def test_single_sweep_is_one_finding(capsys: Captured) -> None:
    sweep = audit_inputs.FIXTURES / "nginx-ab" / "nginx"
    assert run(["check", str(sweep), "--format", "json", "--select", "B2"]) == ExitCode.DONE
    assert codes(capsys.readouterr().out) == ["B205"]


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (["--select", "B3"], ["B310"]),
        (["--select", "b415,B31"], ["B310", "B415"]),
        (["--ignore", "B310"], ["B415", "B200"]),
        (["--select", "B3", "--ignore", "B31"], []),
    ],
)
def test_codes_are_selected_by_prefix(
    options: list[str], left: list[str], folder: str, capsys: Captured
) -> None:
    assert run(["check", folder, "--format", "json", *options]) == ExitCode.DONE
    assert codes(capsys.readouterr().out) == left


def test_unknown_code_suggests_the_nearest(folder: str, capsys: Captured) -> None:
    assert run(["check", folder, "--ignore", "B319x"]) == ExitCode.USAGE
    assert "no code starts with 'B319X'; did you mean 'B319'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], ExitCode.DONE),
        (["--strict"], ExitCode.DATA),
        (["--strict", "--ignore", "B310"], ExitCode.DONE),
        (["--free-of", "error"], ExitCode.DONE),
        (["--free-of", "warning"], ExitCode.DATA),
        (["--free-of", "info", "--ignore", "B310"], ExitCode.DATA),
        (["--free-of", "grave"], ExitCode.USAGE),
    ],
)
def test_exit_code_follows_the_options(
    options: list[str], code: ExitCode, folder: str, capsys: Captured
) -> None:
    assert run(["check", folder, *options]) == code
    capsys.readouterr()


def test_strict_fails_on_a_refused_source(clean: str, capsys: Captured) -> None:
    (Path(clean) / "none" / "broken-2.txt").write_text("no report\n", encoding="utf-8")
    assert run(["check", clean]) == ExitCode.DONE
    assert run(["check", clean, "--strict"]) == ExitCode.DATA
    capsys.readouterr()


def test_csv_and_markdown_have_every_finding(folder: str, capsys: Captured) -> None:
    assert run(["check", folder, "--format", "csv"]) == ExitCode.DONE
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["code"] for row in rows] == ["B310", "B415", "B200"]
    assert "connections=8" in rows[0]["numbers"]
    assert run(["check", folder, "--format", "md"]) == ExitCode.DONE
    table = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("| B") for line in table) == 3


def test_store_is_checked_if_no_path_is_given(
    folder: str, tmp_path: Path, capsys: Captured
) -> None:
    store = str(tmp_path / "store")
    assert run(["ingest", folder, "--store", store]) == ExitCode.DONE
    capsys.readouterr()
    assert run(["check", "--store", store, "--format", "json"]) == ExitCode.DONE
    assert codes(capsys.readouterr().out) == ["B310", "B415", "B200"]


def test_comparison_shows_the_most_severe_findings_and_counts_the_rest(capsys: Captured) -> None:
    fixtures = audit_inputs.FIXTURES / "tracing-wrk"
    assert run(["compare", str(fixtures)]) == ExitCode.DONE
    shown = [line for line in capsys.readouterr().out.splitlines() if line[:2] in {"! ", "… "}]
    assert len(shown) <= 7
    assert shown[0].startswith("! B310 ")
    assert shown[0].endswith("(and 4 more findings like this one)")


@pytest.mark.parametrize("word", ["B310", "b310", "latency", "latency.p99.9", "wrk2", "k6_raw"])
def test_term_is_explained(word: str, capsys: Captured) -> None:
    assert run(["explain", word]) == ExitCode.DONE
    out = capsys.readouterr().out
    assert len(out.splitlines()) > 4
    assert max(map(len, out.splitlines())) <= 100


def test_long_explanation_is_complete_in_markdown(capsys: Captured) -> None:
    assert run(["explain", "B111", "--format", "md"]) == ExitCode.DONE
    out = capsys.readouterr().out
    assert "<br>(2) Runs that were measured separately" in out
    assert "with at least two runs before and after.<br>(4) A packed file" in out
    assert "the file of the same name without \\`.gz\\` contain different measurements.\n" in out


@pytest.mark.parametrize("code", CATALOGUE)
def test_every_code_is_explained(code: str, capsys: Captured) -> None:
    assert run(["explain", code, "--format", "json"]) == ExitCode.DONE
    (explanation,) = json.loads(capsys.readouterr().out)["explanations"]
    assert explanation["name"] == code
    assert set(explanation["parts"]) == {"severity", "what", "why", "example", "do"}


def test_explain_without_a_term_lists_all_codes(capsys: Captured) -> None:
    assert run(["explain"]) == ExitCode.DONE
    out = capsys.readouterr().out
    assert all(code in out for code in CATALOGUE)


@pytest.mark.parametrize(
    ("word", "near"), [("B3100", "B310"), ("latncy", "latency"), ("vegta", "vegeta")]
)
def test_unknown_term_suggests_the_nearest(word: str, near: str, capsys: Captured) -> None:
    assert run(["explain", word]) == ExitCode.USAGE
    assert f"did you mean {near!r}?" in capsys.readouterr().err


def test_explanation_is_available_as_markdown(capsys: Captured) -> None:
    assert run(["explain", "B423", "--format", "md"]) == ExitCode.DONE
    assert capsys.readouterr().out.startswith("### B423: spans were lost")
