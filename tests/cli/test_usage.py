"""Every usage error is one line in benchkit's wording, with a suggestion."""

from __future__ import annotations

import errno
from pathlib import Path

import gated
import pytest
from invocation import benchkit

from benchkit.cli import run
from benchkit.store.delta import Table

CASES = {
    "compaare": "unknown command 'compaare'; did you mean 'compare'?",
    "xyzzy": "unknown command 'xyzzy'; list the commands with `benchkit --help`",
    "results": "unknown command 'results'; to compare its results: benchkit compare results",
    "store chekk": "store: unknown command 'chekk'; did you mean 'check'?",
    "store results": "store: unknown command 'results'; list the commands with "
    "`benchkit store --help`",
    "compare --nope": "compare: unknown option '--nope'; see `benchkit compare --help`",
    "compare x --bas none": "compare: unknown option '--bas'; did you mean '--baseline'? "
    "see `benchkit compare --help`",
    "compare x --basline none": "compare: unknown option '--basline'; did you mean '--baseline'? "
    "see `benchkit compare --help`",
    "ab A B go -bench .": "ab: unknown option '-b'; write -- before the command that is measured; "
    "see `benchkit ab --help`",
    "--baseline none": "unknown option '--baseline'; options go after the command; see `benchkit "
    "--help`",
    "plot": "plot: missing KIND; for example: benchkit plot forest results/ --baseline none "
    "-o forest.svg",
    "layout": "layout: missing PATH; for example: benchkit layout results/",
    "history prune": "history prune: missing --keep; for example: benchkit history prune "
    "--keep 100",
    "compare --format": "--format needs a value; see `benchkit compare --help`",
    "compare --quiet=3": "--quiet takes no value; see `benchkit compare --help`",
    "ingest --jobs x": "--jobs: expected a whole number, got 'x'; see `benchkit ingest --help`",
    "ingest --jobs -1": "--jobs: expected at least 1, got -1; see `benchkit ingest --help`",
    "doctor --seconds x": "--seconds: expected a number, got 'x'; see `benchkit doctor --help`",
    "formats x y": "unexpected argument: x y; see `benchkit formats --help`",
    "compare --format xml": "--format: unknown value 'xml'; use table, md, csv, json",
}


@pytest.mark.parametrize("typed", CASES)
def test_usage_error_is_one_line(typed: str, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    done = benchkit(*typed.split(), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"benchkit: error: {CASES[typed]}\n"


def test_bisect_without_a_benchmark_shows_the_full_command(tmp_path: Path) -> None:
    done = benchkit("bisect", "v1..v2", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("benchkit: error: bisect: missing --bench; for example: ")


def test_option_with_a_secret_is_not_repeated(tmp_path: Path) -> None:
    done = benchkit("compare", "--token=ghp_0123456789abcdefghijABCDEFGHIJ012345", cwd=tmp_path)
    assert done.returncode == 2
    assert "ghp_" not in done.stderr


def test_argument_does_not_control_the_terminal(tmp_path: Path) -> None:
    assert "\x1b" not in benchkit("\x1b[31mred", cwd=tmp_path).stderr


@pytest.mark.parametrize("command", ["history", "store"])
def test_command_without_a_subcommand_shows_its_help(command: str, tmp_path: Path) -> None:
    done = benchkit(command, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"Usage: benchkit {command} ")


@pytest.mark.parametrize(
    "command",
    [
        "ingest results", "runs", "export", "compare", "gate", "undo", "store check",
        "history show", "history import x.json",
    ],
)  # fmt: skip
def test_empty_store_option_is_not_the_default_store(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    gated.write_runs(tmp_path / "results" / "base.txt", seed=1)
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    assert run(["ingest", "results", "-q"]) == 0
    capsys.readouterr()
    assert run([*command.split(), "--store", ""]) == 2
    assert "--store: its value is empty; give a folder or URL" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["runs", "export", "compare", "report", "gate", "check"])
def test_store_together_with_a_path_is_refused(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    gated.write_pair(tmp_path / "results")
    for path in ("results", "benchkit-store"):
        assert run(["ingest", "results", "-q", "--store", "benchkit-store"]) == 0
        capsys.readouterr()
        assert run([command, path, "--store", "benchkit-store"]) == 2
        assert "--store: cannot be read together with PATH" in capsys.readouterr().err
    assert run(["gate", "results", "--policy", ""]) == 2
    assert "--policy: no file is named" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["runs", "export", "compare", "gate"])
def test_unreadable_store_is_a_data_error(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refuse(_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.chdir(tmp_path)
    gated.write_runs(tmp_path / "results" / "base.txt", seed=1)
    assert run(["ingest", "results", "-q"]) == 0
    monkeypatch.setattr(Table, "open", refuse)
    assert run([command]) == 3
    shown = "".join(capsys.readouterr())
    assert ".benchkit: the store failed: [Errno 13] Permission denied" in shown
    assert "cannot write" not in shown


@pytest.mark.parametrize(
    "command",
    [
        *("ingest results --origin", "ingest results --variant", "ingest results --benchmark"),
        *("ingest results --format", "ingest results --as", "ingest results --exclude"),
        *("gate --origin", "gate --baseline", "compare --variant", "compare --benchmark"),
        *("runs --format", "plan --metric", "capture --variant", "history show --branch"),
        "history add results --commit abcdefa --branch",
    ],
)
def test_empty_value_is_not_a_missing_option(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    gated.write_pair(tmp_path / "results")
    assert run(["ingest", "results", "-q"]) == 0
    capsys.readouterr()
    *words, option = command.split()
    for value in ([option, ""], [f"{option}="], [option, " "]):
        assert run([*words, *value]) == 2
        shown = capsys.readouterr().err
        assert f"{option}: its value is empty; give a value, or omit the option" in shown


def test_undo_without_a_store_creates_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["undo", "--store", "other"]) == 3
    assert "other: no store here; run `benchkit ingest` first" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_help_of_runs_says_that_it_lists_every_origin(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["runs", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "repeatable: the runs of each are listed. [default: all]" in shown
    assert "[default: the current CI job" not in shown
