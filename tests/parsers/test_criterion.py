"""criterion's files and texts: nanoseconds become seconds, a process is one run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from benchkit import load
from benchkit.config.files import LARGEST
from benchkit.errors import DataError, Diagnostic
from benchkit.parsers.base import Format, Reading, Source
from benchkit.parsers.criterion import JSON, TEXT

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
FIRST = FIXTURES / "criterion/none/1/roots/sum/10"


def read(form: Format, text: str | Path) -> tuple[list[Reading], list[Diagnostic]]:
    source = Source(None, "x", text.encode()) if isinstance(text, str) else Source.load(text)
    records = list(form.parse(source))
    return (
        [each for each in records if isinstance(each, Reading)],
        [each for each in records if isinstance(each, Diagnostic)],
    )


def values(run: Reading) -> dict[str, float]:
    assert {row[:2] for row in run.rows} == {(None, "time_per_op")}
    return {row[2]: row[3] for row in run.rows}


def test_estimates_agree_with_the_printed_values() -> None:
    (run,), problems = read(JSON, FIRST / "new/estimates.json")
    assert not problems
    assert run.benchmark == "roots/sum/10"
    printed, _ = read(TEXT, FIXTURES / "criterion-text/none-1.txt")
    (text,) = (each for each in printed if each.benchmark == "roots/sum/10")
    for stat in ("ci_low", "sample", "ci_high"):
        assert values(run)[stat] == pytest.approx(values(text)[stat], rel=5e-4)
    assert text.rows[1][7] == 1e-12


def test_capitalised_estimate_names_are_read() -> None:
    text = (FIRST / "new/estimates.json").read_text(encoding="utf-8")
    old = text
    for name in ("mean", "median_abs_dev", "median", "slope", "std_dev"):
        old = old.replace(f'"{name}"', f'"{name.title().replace("_", "")}"')
    assert '"MedianAbsDev"' in old
    assert JSON.recognises(Source(None, "x", old.encode()).head())
    (run,), problems = read(JSON, old)
    assert not problems
    assert values(run) == values(read(JSON, text)[0][0])


@pytest.mark.parametrize("names", [("mean", "median"), ("Mean", "Median")])
def test_comparison_estimates_are_refused_as_a_comparison(names: tuple[str, str]) -> None:
    """Its shares were read as nanoseconds, or a missing mean was reported."""
    interval = {"confidence_level": 0.95, "lower_bound": 0.01, "upper_bound": 0.03}
    estimate = {"confidence_interval": interval, "point_estimate": 0.02, "standard_error": 0.005}
    text = json.dumps(dict.fromkeys(names, estimate))
    assert JSON.recognises(Source(None, "estimates.json", text.encode()).head())
    runs, (refusal,) = read(JSON, text)
    assert not runs
    assert refusal.what.startswith("criterion's comparison")
    assert "`new/estimates.json`" in refusal.hint


def test_comparison_next_to_only_a_base_is_ignored(tmp_path: Path) -> None:
    folder = tmp_path / "criterion/sum"
    for side, names in (("base", ("mean", "median", "std_dev")), ("change", ("mean", "median"))):
        (folder / side).mkdir(parents=True)
        estimate = {"point_estimate": 2.0, "standard_error": 0.5}
        text = json.dumps(dict.fromkeys(names, estimate))
        (folder / side / "estimates.json").write_text(text, encoding="utf-8")
    loaded_runs = load(tmp_path / "criterion")
    assert not loaded_runs.diagnostics
    assert [row.value for row in loaded_runs.observations.itertuples()] == [2e-9]


def test_samples_give_the_same_estimate() -> None:
    estimates, _ = read(JSON, FIRST / "new/estimates.json")
    samples, _ = read(JSON, FIRST / "new/sample.json")
    assert values(samples[0])["sample"] == pytest.approx(values(estimates[0])["sample"], rel=1e-9)
    assert samples[0].rows[0][5] == 10
    (flat,), _ = read(JSON, FIXTURES / "criterion-forms/flat.json")
    assert values(flat) == {"sample": pytest.approx(40.8e-6, rel=0.01)}


def test_folders_name_a_benchmark_without_benchmark_json(tmp_path: Path) -> None:
    folder = tmp_path / "target/criterion/a b/c/new"
    folder.mkdir(parents=True)
    shutil.copy(FIRST / "new/estimates.json", folder)
    (run,), _ = read(JSON, folder / "estimates.json")
    assert run.benchmark == "a b/c"
    (folder / "benchmark.json").write_text('{"full_id": 7', encoding="utf-8")
    (run,), _ = read(JSON, folder / "estimates.json")
    assert run.benchmark == "a b/c"


@pytest.mark.parametrize("text", ["[" * 100_000, '{"full_id": "x"}' + " " * LARGEST])
def test_hostile_benchmark_json_is_ignored(text: str, tmp_path: Path) -> None:
    shutil.copy(FIRST / "new/estimates.json", tmp_path)
    (tmp_path / "benchmark.json").write_text(text, encoding="utf-8")
    (run,), _ = read(JSON, tmp_path / "estimates.json")
    assert run.benchmark != "x"


def test_symlinked_benchmark_json_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "target/criterion/a/new"
    folder.mkdir(parents=True)
    shutil.copy(FIRST / "new/estimates.json", folder)
    (tmp_path / "private.json").write_text('{"full_id": "private"}', encoding="utf-8")
    (folder / "benchmark.json").symlink_to(tmp_path / "private.json")
    (run,), _ = read(JSON, folder / "estimates.json")
    assert run.benchmark == "a"


def test_long_names_picoseconds_and_libtest_are_read() -> None:
    text = (FIXTURES / "criterion-forms/synthetic-long.txt").read_text(encoding="utf-8")
    text += "test tests::bench_xor ... bench:   1,234.56 ns/iter (+/- 5) = 810 MB/s\n"
    runs, problems = read(TEXT, text)
    assert not problems
    assert [(each.benchmark, each.rows[-1][2]) for each in runs] == [
        ("linear_algebra/matrix_multiplication/1024", "ci_high"),
        ("noop", "ci_high"),
        ("tests::bench_xor", "median"),
    ]
    assert values(runs[0])["sample"] == 0.012523
    assert values(runs[1])["sample"] == 514.02e-12
    assert values(runs[2]) == {"median": 1234.56e-9}


def test_progress_and_changes_are_not_results() -> None:
    runs, problems = read(TEXT, FIXTURES / "criterion-forms/change.txt")
    assert not problems
    assert [each.benchmark for each in runs] == [
        "single", "roots/sum/10", "roots/sum/100", "roots/slow",
    ]  # fmt: skip
    runs, _ = read(TEXT, FIXTURES / "criterion-forms/bencher.txt")
    assert values(runs[0]) == {"median": 101e-9}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "`iters` and `times` are not lists of the same length"),
        ('{"mean": 7, "median_abs_dev": 1}', "no valid estimate of the mean"),
        ('{"mean": {"point_estimate": -7}}', "no valid estimate of the mean"),
        ('{"mean": {"point_estimate": 1e999}}', "no valid estimate of the mean"),
        ('{"iters": [1], "times": []}', "`iters` and `times` are not lists of the same length"),
        ('{"iters": [], "times": []}', "the samples are not all valid numbers, or there are none"),
        ('{"iters": [0], "times": [1]}', "a sample has no iterations"),
        ('{"iters": ["1"], "times": [1]}', "the samples are not all valid numbers"),
        ('{"mean": {"point_est', "truncated"),
        ("[1, 2]", "`iters` and `times` are not lists of the same length"),
    ],
)
def test_unreadable_input_is_a_diagnostic(text: str, message: str) -> None:
    runs, problems = read(JSON, text)
    assert not runs
    assert [each.what.startswith(message) for each in problems] == [True]


def test_folder_has_one_run_per_benchmark_and_process() -> None:
    runs = load(FIXTURES / "criterion")
    assert set(runs.runs["benchmark"]) == {"roots/slow", "roots/sum/10"}
    assert sorted(set(runs.runs["run"])) == [1, 2, 3, 4]
    assert len(runs.runs) == 16
    comparison = runs.compare(baseline="none", variant="otlp")
    primary = comparison.verdicts.primary
    assert {(row.contrast.benchmark, row.word) for row in primary} == {
        ("roots/slow", "regression"),
        ("roots/sum/10", "regression"),
    }


def test_html_reports_and_raw_csv_are_ignored(tmp_path: Path) -> None:
    folder = tmp_path / "criterion/roots/sum"
    shutil.copytree(FIRST / "new", folder / "new")
    (folder / "new/raw.csv").write_text("group,function,value,sample_measured_value\n")
    for place in (folder, folder.parent, folder.parents[1]):
        (place / "report").mkdir()
        (place / "report/index.html").write_text("<title>Criterion.rs</title>")
    loaded = load(tmp_path)
    assert len(loaded.runs) == 1
    assert [problem for problem in loaded.diagnostics if problem.severity == "error"] == []


#: Criterion's folders below each benchmark, with the side of their run, and the compared pair.
FOLDERS = {
    "old numbers in base": ({"base": "none", "new": "otlp"}, ("base", "new")),
    "one saved baseline": ({"main": "none", "new": "otlp"}, ("main", "new")),
    "a run without --baseline after it": (
        {"main": "none", "new": "otlp", "base": "otlp"},
        ("main", "new"),
    ),
    "two saved baselines": ({"main": "none", "pr": "otlp", "new": "otlp"}, ("main", "pr")),
    "after a comparison": ({"before": "none", "new": "otlp", "base": "otlp"}, ("before", "new")),
}


def write_target(root: Path, sides: dict[str, str]) -> Path:
    for name, side in sides.items():
        for benchmark in ("sum/10", "slow"):
            source = FIXTURES / "criterion" / side / "1/roots" / benchmark / "new"
            shutil.copytree(source, root / "criterion/roots" / benchmark / name)
    (root / "criterion/report").mkdir()
    (root / "criterion/report/index.html").write_text("<html></html>")
    (root / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
    (root / "debug").mkdir()
    (root / "debug/.cargo-lock").touch()
    (root / "debug/app.d").write_text("app: src/main.rs\n")
    return root


@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("place", [".", "criterion"])
def test_saved_baselines_are_compared(name: str, place: str, tmp_path: Path) -> None:
    sides, pair = FOLDERS[name]
    root = write_target(tmp_path / "target", sides)
    loaded_runs = load(root / place)
    assert not loaded_runs.diagnostics
    assert loaded_runs.compare().verdicts.comparisons.pairs == (pair,)


def test_copy_of_the_only_run_is_not_a_side_and_the_hint_saves_one(
    tmp_path: Path,
) -> None:
    root = write_target(tmp_path / "target", {"base": "none", "new": "none"})
    with pytest.raises(DataError, match="'new' is the only variant") as error:
        load(root / "criterion").compare()
    assert "`cargo bench -- --save-baseline before`" in error.value.hint
    assert "before=" not in error.value.hint


def test_printed_results_compare_with_a_verdict() -> None:
    comparison = load(FIXTURES / "criterion-text").compare(baseline="none", variant="otlp")
    assert {row.word for row in comparison.verdicts.primary} == {"regression"}


def test_fence_above_a_time_is_not_a_name() -> None:
    runs, _ = read(TEXT, "```rust\ntime:   [2.5094 ms 2.5306 ms 2.5553 ms]\n```\n")
    assert [each.benchmark for each in runs] == [""]


@pytest.mark.parametrize("mean", ["1,23", "1,2,345", ",123", "12,3451,234", "1234,567"])
def test_misplaced_comma_is_reported(mean: str) -> None:
    text = (
        "test tests::a ... bench:       1,234 ns/iter (+/- 56)\n"
        f"test tests::b ... bench:       {mean} ns/iter (+/- 56)\n"
    )
    run, problem = TEXT.parse(Source(None, "a.txt", text.encode()))
    assert isinstance(run, Reading)
    assert [row[3] for row in run.rows] == [1.234e-6]
    assert isinstance(problem, Diagnostic)
    assert problem.line == 2
    assert "was left out" in problem.what


GO = "goos: linux\nBenchmarkGet-2  100  12 ns/op\nBenchmarkPut-2  100  14 ns/op\nPASS\n\n"


@pytest.mark.parametrize(
    "row",
    [
        "test literal ... bench: 124 ns/iter",
        "literal ... bench:     124 ns/iter (+/- 3)",
        "literal … bench:       124 ns/iter (+/- 3)",
        "test literal ... bench: 124 ns/iter = 12 MB/s",
        "literal   124 ns/iter (+/- 3)",
    ],
)
@pytest.mark.parametrize("above", ["", GO])
def test_cargo_bench_line_may_miss_a_part(tmp_path: Path, row: str, above: str) -> None:
    (tmp_path / "x.txt").write_text(f"{above}{row}\n", encoding="utf-8")
    frame = load(tmp_path / "x.txt").observations
    (taken,) = frame[frame["tool"] == "criterion"].itertuples()
    assert (taken.benchmark, taken.stat, taken.value) == ("literal", "median", 124e-9)


def test_time_of_unknown_origin_is_reported(tmp_path: Path) -> None:
    runs, (problem,) = read(TEXT, "test a ... bench: 7 ns/iter (+/- 0)\nliteral 124 ns/iter\n")
    assert [run.benchmark for run in runs] == ["a"]
    assert (problem.line, problem.is_remark) == (2, True)
    assert "'literal 124 ns/iter' shows neither" in problem.what
    (tmp_path / "x.txt").write_text(f"{GO}literal 124 ns/iter\n", encoding="utf-8")
    loaded = load(tmp_path / "x.txt")
    assert list(loaded.runs["role"]) == ["measured"] * 2
    assert [each.line for each in loaded.diagnostics] == [6]
