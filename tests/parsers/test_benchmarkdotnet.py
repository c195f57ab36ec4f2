"""BenchmarkDotNet: launches are runs, jobs are params, failures are failed runs; its tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit import load
from benchkit.comparison.cells import mark_primary, sort_values
from benchkit.comparison.model import Plan
from benchkit.errors import Diagnostic
from benchkit.parsers.base import Format, Reading, Source
from benchkit.parsers.benchmarkdotnet import CSV, JSON, MARKDOWN, MEASUREMENTS

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def read(name: str, form: Format = JSON) -> list[Reading]:
    records = form.parse(Source.load(FIXTURES / name))
    return [each for each in records if isinstance(each, Reading)]


def test_each_launch_is_a_run() -> None:
    runs = read("benchmarkdotnet/synthetic-none.json")
    assert len(runs) == 3 * 5
    first = runs[0]
    assert (first.benchmark, first.params) == ("Sorts.Quick", {"N": "100"})
    assert (first.tool_version, first.env["cpus"]) == ("0.14.0", "4")
    assert first.env["cpu"] == "Intel Xeon Platinum 8370C CPU 2.80GHz"
    subject, metric, stat, value, _, n, *_ = first.rows[0]
    assert (subject, metric, stat, n) == (None, "time_per_op", "median", 6)
    assert value == pytest.approx(103e-9, rel=0.05)
    assert {row[1:4] for row in first.rows} >= {("bytes_per_op", "mean", 424.0)}


def test_statistics_alone_are_one_launch() -> None:
    (run,) = read("benchmarkdotnet-forms/synthetic-brief.json")
    assert {row[2] for row in run.rows if row[1] == "time_per_op"} == {
        "median",
        "mean",
        "stdev",
        "min",
        "max",
    }


def test_only_the_median_is_primary_if_a_file_also_has_a_mean(tmp_path: Path) -> None:
    """Each benchmark in a JSON file of one launch had two verdicts."""
    text = (FIXTURES / "benchmarkdotnet-forms/synthetic-brief.json").read_text(encoding="utf-8")
    (tmp_path / "none.json").write_text(text, encoding="utf-8")
    (tmp_path / "otlp.json").write_text(f"{text}\n", encoding="utf-8")
    results = load(tmp_path)
    frame = results.compare(baseline="none").frame
    assert list(frame[frame["primary"]]["stat"]) == ["median"]
    assert "mean" in set(frame["stat"])
    labels = sort_values(results.observations, Plan()).labels
    marks = mark_primary(labels, results.runs, Plan())
    assert set(labels[marks]["stat"]) == {"median"}


def test_jobs_of_one_benchmark_are_kept_apart() -> None:
    runs = read("benchmarkdotnet-forms/synthetic-jobs.json")
    assert [run.params["job"] for run in runs] == ["Runtime=.NET 8.0", "Runtime=.NET 6.0"]


def test_benchmark_without_results_is_failed() -> None:
    failed, whole = read("benchmarkdotnet-forms/synthetic-failed.json")
    assert (failed.status, whole.status) == ("failed", "complete")


def test_two_variants_are_compared() -> None:
    frame = load(FIXTURES / "benchmarkdotnet").compare(baseline="synthetic-none").frame
    primary = frame[frame["primary"]]
    assert list(primary["verdict"]) == ["regression", "regression", "equivalent"]


def test_non_numeric_median_is_reported() -> None:
    text = '{"Benchmarks": [{"Type": "A", "Method": "B", "Statistics": {"Median": "x"}}]}'
    (problem,) = JSON.parse(Source(None, "x.json", text.encode()))
    assert isinstance(problem, Diagnostic)
    assert problem.what == "A.B has no valid median"


@pytest.mark.parametrize("ending", ["full", "full-compressed", "brief", "brief-compressed"])
def test_tables_next_to_the_json_belong_to_its_result(ending: str, tmp_path: Path) -> None:
    """They were errors that asked for the JSON, and a brief JSON was a second variant."""
    text = (FIXTURES / "benchmarkdotnet-forms/synthetic-brief.json").read_text(encoding="utf-8")
    names = {"report.csv": "Method,Job,Mean,Error\n", "report-github.md": "| Method | Mean |\n"}
    names |= {f"report-{ending}.json": text, "report.html": "<table>BenchmarkDotNet</table>"}
    if ending.startswith("full"):
        names |= {"report-brief.json": text, "report-brief-compressed.json": text}
    for name, content in names.items():
        (tmp_path / f"Sorts-{name}").write_text(content, encoding="utf-8")
    loaded = load(tmp_path)
    assert not loaded.diagnostics
    assert loaded.variants == [f"Sorts-report-{ending}"]


@pytest.mark.parametrize(
    ("folder", "count", "stat"), [("markdown", 4, "mean"), ("csv", 4, "mean"),
                                  ("measurements", 3, "median")],
)  # fmt: skip
def test_two_variants_of_each_table_are_compared(folder: str, count: int, stat: str) -> None:
    frame = load(FIXTURES / f"benchmarkdotnet-{folder}").compare(baseline="none").frame
    primary = frame[frame["primary"]]
    assert list(primary["stat"]) == [stat] * count
    assert list(primary["verdict"]) == ["regression"] * count


def test_each_launch_in_the_measurements_is_a_run() -> None:
    runs = read("benchmarkdotnet-measurements/none/Sorts-measurements.csv", MEASUREMENTS)
    assert len(runs) == 3 * 5
    assert (runs[0].benchmark, runs[0].params) == ("Sorts.Quick", {"N": "100"})
    assert {row[1:4] for row in runs[0].rows} >= {("bytes_per_op", "mean", 424.0)}
    assert runs[0].rows[0][5] == 4  # no overhead, warm-ups, or values with outliers


def test_quotes_are_removed_from_names_in_measurements() -> None:
    """The quotes were kept, so the names differed from those in the other files."""
    head = "Target_Type,Target_Method,Measurement_LaunchIndex,Measurement_IterationMode,"
    text = f"{head}Measurement_Nanoseconds,Measurement_Operations\nA,'B c',1,Result,300,2\n"
    (run,) = MEASUREMENTS.parse(Source(None, "x.csv", text.encode()))
    assert isinstance(run, Reading)
    assert run.benchmark == "A.B c"


def test_a_table_has_its_parameters_machine_and_memory() -> None:
    first, second, *_ = read("benchmarkdotnet-markdown/none/1/Sorts-report-github.md", MARKDOWN)
    assert (first.benchmark, first.params, first.tool_version) == ("Quick", {"N": "100"}, "0.14.0")
    assert first.env["cpu"] == "Intel Xeon Platinum 8370C CPU 2.80GHz"
    assert [row[1:4] for row in first.rows] == [
        ("time_per_op", "mean", 888.1e-9),
        ("time_per_op", "stdev", 6.3e-9),
        ("bytes_per_op", "mean", 424.0),
    ]
    assert second.rows[0][3] == 1033.4e-9
    assert second.rows[-1][1:4] == ("bytes_per_op", "mean", 0.0)


def test_job_settings_are_parameters_only_if_they_differ() -> None:
    *whole, failed = read("benchmarkdotnet-table-forms/jobs.md", MARKDOWN)
    shared = {"N": "1000", "Text": "a b"}
    assert [(run.benchmark, run.params) for run in (*whole, failed)] == [
        ("Sorts.Quick", {"Runtime": ".NET 6.0", **shared}),
        ("Sorts.Quick", {"Runtime": ".NET 8.0", **shared}),
        ("Heaps.Quick", {"Runtime": ".NET 6.0", **shared}),
        ("Heaps.Quick", {"Runtime": ".NET 8.0", **shared}),
    ]
    assert (failed.status, failed.remark) == ("failed", "18: Heaps.Quick has no results")


def test_quotes_and_entities_are_removed_from_names() -> None:
    runs = read("benchmarkdotnet-table-forms/old.md", MARKDOWN)
    assert [run.benchmark for run in runs] == ["Quick", "Merge sort", "Heap<Int32>"]
    assert [run.rows[0][3] for run in runs] == [840.5e-9, 1312.7e-9, 2316e-9]
    assert runs[2].rows[-1][3] == 1.5 * 1024
    assert (runs[0].env["cpus"], runs[0].tool_version) == ("8", "0.10.8")


def test_numbers_follow_the_locale_of_their_table() -> None:
    for name in ("german.csv", "units.csv"):
        quick = read(f"benchmarkdotnet-table-forms/{name}", CSV)[0]
        assert quick.rows[0][3] == pytest.approx(880e-9, rel=0.02)
    launch = read("benchmarkdotnet-table-forms/german-measurements.csv", MEASUREMENTS)[0]
    assert launch.rows[0][3] == pytest.approx(880e-9, rel=0.02)


@pytest.mark.parametrize("row", ["1,234 ns | 0,143 ns | 25 B", "1,234 ns | 0,143 ns | -"])
def test_a_leading_zero_proves_decimal_commas(row: str) -> None:
    """All times of a column have as many decimals; three of them look like thousands."""
    text = f"Method | Mean | Error | Allocated\n--- | ---:| ---:| ---:\nA | {row}\n"
    (run,) = MARKDOWN.parse(Source(None, "x.md", text.encode()))
    assert isinstance(run, Reading)
    assert run.rows[0][3] == pytest.approx(1.234e-9)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["A | 1,234 ns | 2,345 ns", "B | 3,456 ns | 4,567 ns"], "part thousands or decimals"),
        (["A | 1,234 ns | 25 B", "B | 3,456 ns | 32 B"], "part thousands or decimals"),
        (["A | 1.5 ns | 0.1 ns", "A | 2.5 ns | 0.1 ns"], "2 rows of this table are called A"),
        (["B | 1.5 ns | 0.1 ns", "A | 2.5 | 0.1 ns"], "A has no valid mean or median"),
        (["B | 1.5 ns | 0.1 ns", "A | 2.5 ns"], "this row has 2 cells, but the header has 3"),
        (["B | 1,5 ns | 0,1 ns", "A | 6,228,9 ns | 0,1 ns"], "A has no valid mean or median"),
        (["B | 1,5 ns | 0,1 ns", "A | 1.2.3,0 ns | 0,1 ns"], "A has no valid mean or median"),
    ],
)
def test_ambiguous_or_damaged_row_is_skipped_with_a_diagnostic(
    rows: list[str], message: str
) -> None:
    text = "\n".join(["Method | Mean | Error", "--- | ---:| ---:", *rows, ""])
    records = list(MARKDOWN.parse(Source(None, "x.md", text.encode())))
    problems = [each for each in records if isinstance(each, Diagnostic)]
    assert problems
    assert all(message in each.what for each in problems)


def test_blank_lines_between_rows_do_not_end_a_table() -> None:
    rows = ["Method | Mean | Error", "--- | ---:| ---:", "A | 1.5 ns | 0 ns", "B | 2.5 ns | 0 ns"]
    other = ["Name | Mean | Size", "--- | --- | ---", "C | 1.5 ns | 3 B"]
    text = "\n\n\n".join(rows) + "\n\n" + "\n".join(other)
    runs = list(MARKDOWN.parse(Source(None, "x.md", text.encode())))
    assert [getattr(run, "benchmark", run) for run in runs] == ["A", "B"]


def test_tables_of_other_pages_are_not_claimed() -> None:
    text = "| Method | Mean | Std |\n|---|---|---|\n| SVM | 0.91 | 0.02 |\n"
    assert not MARKDOWN.recognises(Source(None, "x.md", text.encode()).head())
    assert not CSV.recognises(Source(None, "x.csv", b"Method,Mean,Std\nSVM,0.91,0.02\n").head())


def test_measurements_truncated_within_a_launch_are_partial() -> None:
    path = FIXTURES / "benchmarkdotnet-measurements/none/Sorts-measurements.csv"
    truncated = Source(None, "x.csv", path.read_bytes()[:-20])
    *_, last = (each for each in MEASUREMENTS.parse(truncated) if isinstance(each, Reading))
    assert last.status == "partial"


def test_note_after_a_row_is_not_a_cell() -> None:
    text = b"| Method | Mean |\n|---|---:|\n| A | 1.5 ns |\n| B | 2.5 ns |  <- with an index\n"
    runs = list(MARKDOWN.parse(Source(None, "x.md", text)))
    assert [run.rows[0][3] for run in runs if isinstance(run, Reading)] == [1.5e-9, 2.5e-9]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (CSV, "Method,Job,Runtime,Mean,Error\nA,DefaultJob,.NET 8.0,NA,NA\n"),
        (MARKDOWN, "| Method | Mean | Error |\n|---|---:|---:|\n| A | NA | NA |\n"),
    ],
)
def test_table_with_only_failed_benchmarks_is_recognised(form: Format, text: str) -> None:
    source = Source(None, "x", text.encode())
    assert form.recognises(source.head())
    (run,) = form.parse(source)
    assert isinstance(run, Reading)
    assert run.status == "failed"


@pytest.mark.parametrize(
    "cell", ["12x458.4 ns", "12;458.4 ns", "12,458.4 nz", "NaN ns", "12,45.4 ns", "1 2,458.4 ns"]
)
def test_unreadable_mean_is_reported_and_drops_the_row(cell: str) -> None:
    """The row kept its stdev and bytes, as if it had never had a mean."""
    path = FIXTURES / "benchmarkdotnet-csv/otlp/1/Sorts-report.csv"
    text = path.read_text(encoding="utf-8").replace("13,842.2 ns", cell)
    *runs, problem = CSV.parse(Source(None, "x.csv", text.encode()))
    assert len(runs) == 3
    assert isinstance(problem, Diagnostic)
    assert (problem.line, problem.severity) == (3, "warning")
    assert problem.what == "Quick has no valid mean or median; the row is left out"


def test_unreadable_cell_is_skipped_with_a_diagnostic() -> None:
    path = FIXTURES / "benchmarkdotnet-csv/otlp/1/Sorts-report.csv"
    text = path.read_text(encoding="utf-8").replace("105.5 ns", "1x5 ns").replace("424 B", "4;4 B")
    *runs, size, time = CSV.parse(Source(None, "x.csv", text.encode()))
    assert [len(run.rows) for run in runs if isinstance(run, Reading)] == [2, 2, 3, 3]
    assert isinstance(size, Diagnostic)
    assert isinstance(time, Diagnostic)
    assert (size.line, size.what) == (
        2,
        "Allocated is '4;4 B', which is not a size; it is left out",
    )
    assert (time.line, time.what) == (3, "StdDev is '1x5 ns', which is not a time; it is left out")


def test_repeated_measurements_count_once() -> None:
    """A file appended to itself silently had twice as many iterations."""
    path = FIXTURES / "benchmarkdotnet-measurements/none/Sorts-measurements.csv"
    once = list(MEASUREMENTS.parse(Source.load(path)))
    *runs, problem = MEASUREMENTS.parse(Source(None, "x.csv", path.read_bytes() * 2))
    assert [run.rows for run in runs if isinstance(run, Reading)] == [
        run.rows for run in once if isinstance(run, Reading)
    ]
    assert isinstance(problem, Diagnostic)
    assert problem.severity == "warning"
    assert problem.what.startswith("60 rows, of which this is the first, repeat")
