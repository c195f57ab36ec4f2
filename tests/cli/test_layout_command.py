"""`benchkit layout`: labels of each file, and other readings with commands that work."""

from __future__ import annotations

import csv
import json
import shlex
import shutil
from io import StringIO
from pathlib import Path

import gated
import pytest
from invocation import benchkit

from benchkit import cli

TOKEN = "ghp_carolcarolcarol7Kx"  # noqa: S105 - of this test
WRK = Path(__file__).resolve().parents[2] / "fixtures" / "tracing-wrk"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write two runs of two variants as `results/run1/none.txt`."""
    for run in (1, 2):
        (tmp_path / f"results/run{run}").mkdir(parents=True)
        for variant in ("none", "otlp"):
            target = tmp_path / f"results/run{run}/{variant}.txt"
            shutil.copy(WRK / variant / f"wrk-{run}.txt", target)
    return tmp_path


def test_each_variant_of_a_page_is_counted(tmp_path: Path) -> None:
    blocks = (
        f"## {side}\n\n```\n{(WRK / side / 'wrk-1.txt').read_text()}```\n"
        for side in ("none", "otlp")
    )
    (tmp_path / "results.md").write_text("\n".join(["# Tracing", *blocks]))
    first = benchkit("layout", "results.md", cwd=tmp_path).stdout.partition("\n")[0]
    assert first == "2 variants: none (1 file), otlp (1 file)"


def test_headings_without_known_names_may_be_the_sides(tmp_path: Path) -> None:
    blocks = (
        f"## {heading}\n\n```\n{(WRK / side / 'wrk-1.txt').read_text()}```\n"
        for heading, side in (("Gin", "none"), ("Echo v4", "otlp"))
    )
    (tmp_path / "results.md").write_text("\n".join(["# Frameworks", *blocks]))
    lines = benchkit("layout", "results.md", cwd=tmp_path).stdout.split("\n")
    assert lines[1:3] == ["It could also mean:", "  variants Gin, Echo v4"]
    assert list_sides(lines[3], tmp_path) == {"Gin", "Echo v4"}


def test_suggested_command_reads_possible_run_names_as_runs(tmp_path: Path) -> None:
    (tmp_path / "k").mkdir()
    for at, number in enumerate((11, 15, 16), 1):
        shutil.copy(WRK / f"none/wrk-{at}.txt", tmp_path / f"k/run-{number}.log")
    ended = benchkit("compare", "k", cwd=tmp_path)
    assert ended.returncode == 2
    _, read, *suggestions = ended.stderr.strip().split("\n")
    assert read == "read as 3 variants: run-11 (1 file), run-15 (1 file), run-16 (1 file)"
    assert suggestions[:2] == ["It could also mean:", "  variant k; runs 11, 15, 16"]
    _, *arguments = shlex.split(suggestions[2])
    runs = json.loads(benchkit(*arguments, "--format", "json", cwd=tmp_path).stdout)
    assert {(run["variant"], run["run"]) for run in runs["runs"]} == {
        ("k", number) for number in (11, 15, 16)
    }


def test_pattern_has_no_variant_if_the_content_names_it(tmp_path: Path) -> None:
    blocks = (
        f"## {s}\n\n```\n{(WRK / s / 'wrk-1.txt').read_text()}```\n" for s in ("none", "otlp")
    )
    (tmp_path / "k").mkdir()
    (tmp_path / "k/results.md").write_text("\n".join(["# Tracing", *blocks]))
    for place in ("k", "k/results.md"):
        text = benchkit("layout", place, cwd=tmp_path).stdout
        assert text.startswith("2 variants: none (1 file), otlp (1 file)\n")
        assert "variant: content" in text
        assert "{variant}" not in text
    assert benchkit("compare", "k", cwd=tmp_path).returncode == 0


def test_each_file_has_its_labels_and_their_pattern(folder: Path) -> None:
    result = benchkit("layout", "results", "--format", "csv", cwd=folder)
    rows = [*csv.DictReader(StringIO(result.stdout))]
    assert [(row["path"], row["variant"], row["run"]) for row in rows] == [
        ("results/run1/none.txt", "none", "1"),
        ("results/run1/otlp.txt", "otlp", "1"),
        ("results/run2/none.txt", "none", "2"),
        ("results/run2/otlp.txt", "otlp", "2"),
    ]
    assert {row["origin"] for row in rows} == {"run{run}/{variant}.txt"}


def list_sides(command: str, folder: Path) -> set[str]:
    """Run a comparison command, and return its sides."""
    result = benchkit(*shlex.split(command)[1:], "--format", "json", cwd=folder)
    assert result.returncode == 0, result.stderr
    return {name for pair in json.loads(result.stdout)["pairs"] for name in pair}


def test_commands_of_this_and_other_readings_give_comparisons(folder: Path) -> None:
    lines = benchkit("layout", "results", cwd=folder).stdout.split("\n")
    assert lines[:3] == [
        "2 variants: none (2 files), otlp (2 files)",
        "Run:",
        "  benchkit compare results",
    ]
    commands = [line for line in lines[3:] if "benchkit compare" in line]
    sides = [list_sides(command, folder) for command in commands]
    assert sides == [{"none", "otlp"}, {"run1", "run2"}]


def test_command_repeats_the_layout_and_baseline_options(folder: Path) -> None:
    options = ["--layout", "{variant}/{benchmark}.txt", "--exclude", "x*"]
    text = benchkit("layout", "results", *options, cwd=folder).stdout
    line = text.split("\n")[2].strip()
    options_shown = "--exclude 'x*' --layout '{variant}/{benchmark}.txt' --baseline run1"
    assert line == f"benchkit compare results {options_shown}"
    assert list_sides(line, folder) == {"run1", "run2"}


def test_levels_of_one_variant_are_compared_but_plain_repeats_are_not(tmp_path: Path) -> None:
    sweep = WRK.parent / "nginx-ab/nginx"
    assert f"\n  benchkit compare {sweep}\n" in benchkit("layout", str(sweep), cwd=tmp_path).stdout
    for run in (1, 2, 3):
        shutil.copy(WRK / f"none/wrk-{run}.txt", tmp_path / f"run{run}.txt")
    assert "Run:" not in benchkit("layout", ".", cwd=tmp_path).stdout


def test_layout_is_previewed_and_refused_without_a_match(
    folder: Path,
) -> None:
    shown = benchkit("layout", "results", "--layout", "{variant}/{benchmark}.txt", cwd=folder)
    assert shown.stdout.startswith("2 variants: run1 (2 files), run2 (2 files)\n")
    assert "could also" not in shown.stdout
    refused = benchkit("layout", "results", "--layout", "{variant}/x{run}.txt", cwd=folder)
    assert refused.returncode == 2
    assert "does not match" in refused.stderr


def test_splittable_names_are_variants(tmp_path: Path) -> None:
    lines = "".join(
        f"BenchmarkRedis/OTel_{side}/Ping-2 \t 100\t {time} ns/op\n"
        for side, time in (("Disabled", 10), ("Enabled", 12))
    )
    (tmp_path / "current.txt").write_text(f"goos: linux\n{lines}PASS\n")
    split = r"OTel_(?P<variant>\w+)"
    result = benchkit("layout", "current.txt", "--split", split, "--format", "json", cwd=tmp_path)
    [file] = json.loads(result.stdout)["files"]
    assert file["variant"] == "Disabled, Enabled"
    assert file["origin"].startswith("variant: content")


def test_unreadable_file_has_the_labels_of_its_path(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "none/1.txt").write_text("nothing that any tool wrote\n")
    result = benchkit("layout", ".", cwd=tmp_path)
    assert result.returncode == 3
    assert "none/1.txt" in result.stdout
    assert "{variant}/{run}.txt" in result.stdout


def test_only_the_first_files_of_each_variant_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "BenchmarkPing-2 \t 100 \t {}.5 ns/op\n"
    for at, name in enumerate(("none", "otlp") * 300):
        path = tmp_path / "many" / name / f"{at // 2 + 1}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(line.format(at))
    (tmp_path / "many" / "otlp" / "300.txt").write_text("no result")
    monkeypatch.chdir(tmp_path)
    assert cli.run(["layout", "many"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("2 variants: none (300 files), otlp (300 files); 200 of 600 files are")
    assert [line.split()[0] for line in shown.splitlines() if "measured" in line] == [
        f"many/{name}/{at}.txt" for name in ("none", "otlp") for at in range(1, 101)
    ]
    assert cli.run(["layout", "many", "--format", "csv"]) == 0
    assert capsys.readouterr().out.count("measured") == 599


@pytest.mark.parametrize("name", ["{}-" + TOKEN + "-{}", "token=" + TOKEN + "/{}-{}"])
def test_other_readings_show_no_secret_of_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, (variant, number) in enumerate((v, n) for v in ("main", "pr") for n in (1, 2)):
        path = Path("r", name.format(variant, number) + ".txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        gated.write_runs(path, seed=seed)
    assert cli.run(["layout", "r"]) == 0
    printed = capsys.readouterr()
    assert "r/" in printed.out
    assert TOKEN not in printed.out + printed.err
