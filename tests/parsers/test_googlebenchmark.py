"""Google Benchmark: repetitions are runs, and aggregates are used only without repetitions."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from benchkit import load
from benchkit.errors import Diagnostic
from benchkit.parsers.base import Format, Reading, Source
from benchkit.parsers.googlebenchmark import CONSOLE, CSV, JSON

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def read(form: Format, text: str | Path) -> tuple[list[Reading], list[Diagnostic]]:
    source = Source(None, "x", text.encode()) if isinstance(text, str) else Source.load(text)
    records = list(form.parse(source))
    return (
        [each for each in records if isinstance(each, Reading)],
        [each for each in records if isinstance(each, Diagnostic)],
    )


def values(run: Reading) -> dict[tuple[str | None, str, str], float]:
    return {row[:3]: row[3] for row in run.rows}


def test_every_repetition_is_a_run() -> None:
    runs, problems = read(JSON, FIXTURES / "google-benchmark/none.json")
    assert not problems
    assert [each.benchmark for each in runs] == ["BM_Roots/10"] * 6 + ["BM_Roots/100"] * 6
    assert runs[0].env == {"cpus": "2"}
    assert values(runs[0]).keys() == {
        (None, "time_per_op", "sample"),
        (None, "cpu_time_per_op", "mean"),
        (None, "processing_rate", "sample"),
        ("items", "operation_rate", "sample"),
    }
    assert 1e-8 < values(runs[0])[None, "time_per_op", "sample"] < 1e-5


def test_csv_gives_its_repetitions() -> None:
    runs, problems = read(CSV, FIXTURES / "google-benchmark-forms/table.csv")
    assert not problems
    assert len(runs) == 12
    assert values(runs[0])[None, "time_per_op", "sample"] == 257.706e-9
    assert values(runs[0])[None, "processing_rate", "sample"] == 3.10637e8


def test_aggregates_are_used_if_nothing_else_was_written() -> None:
    runs, problems = read(JSON, FIXTURES / "google-benchmark-forms/alone.json")
    assert not problems
    assert [each.benchmark for each in runs] == ["BM_Roots/10", "BM_Roots/100"]
    assert {row[2] for row in runs[0].rows if row[1] == "time_per_op"} == {
        "mean",
        "median",
        "stdev",
    }


def test_aggregate_without_a_name_is_not_a_repetition() -> None:
    fields = '"real_time": 8, "cpu_time": 8, "time_unit": "ns"'
    rows = (f'{{"name": "short", "run_type": "{kind}", {fields}}}'
            for kind in ("aggregate", "iteration"))  # fmt: skip
    runs, problems = read(JSON, f'{{"context": {{}}, "benchmarks": [{", ".join(rows)}]}}')
    assert len(runs) == 1
    assert not problems


def test_errors_are_failed_runs_and_user_counters_are_left_out() -> None:
    runs, problems = read(JSON, FIXTURES / "google-benchmark-forms/errors.json")
    assert not problems
    failed = [each for each in runs if each.status == "failed"]
    assert {each.benchmark for each in failed} == {"BM_Fails"}
    assert all((each.remark or "").endswith(": no file") for each in failed)
    (counter, _) = (each for each in runs if each.benchmark == "BM_Counter/real_time")
    assert {row[1] for row in counter.rows} == {"time_per_op", "cpu_time_per_op"}


_HEADER = (
    "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,"
    "error_occurred,error_message"
)


@pytest.mark.parametrize("counters", ["", ',"rate","my ""count"'])
def test_skipped_benchmarks_are_named_and_not_measured(counters: str) -> None:
    """Since 1.8 a benchmark can skip itself, which JSON shows with a time of zero."""
    more = "," * counters.count(",")
    csv = (
        f'{_HEADER}{counters}\n"BM_A",9,2.5,2.4,ns,,,,,{more}\n'
        '"BM_Skip",,,,,,,,false,"no gpu"\n"BM_Bad",,,,,,,,true,"no file"\n'
    )
    zero = '"iterations": 0, "real_time": 0.0, "cpu_time": 0.0, "time_unit": "ns"'
    js = result(
        '{"name": "BM_A", "iterations": 9, "real_time": 2.5, "cpu_time": 2.4, "time_unit": "ns"},'
        f'{{"name": "BM_Skip", "skipped": true, "skip_message": "no gpu", {zero}}},'
        f'{{"name": "BM_Bad", "error_occurred": true, "error_message": "no file", {zero}}}'
    )
    console = (
        "Benchmark  Time  CPU  Iterations\nBM_A  2.50 ns  2.40 ns  9\n"
        "BM_Skip  SKIPPED: 'no gpu'\nBM_Bad  ERROR OCCURRED: 'no file'\n"
    )
    for form, text in ((CSV, csv), (JSON, js), (CONSOLE, console)):
        runs, (note,) = read(form, text)
        assert [(run.benchmark, run.status) for run in runs] == [
            ("BM_A", "complete"),
            ("BM_Bad", "failed"),
        ]
        assert values(runs[0])[None, "time_per_op", "sample"] == 2.5e-9
        assert (note.what, note.severity) == ("BM_Skip was skipped: no gpu", "note")


@pytest.mark.parametrize(
    ("unit", "value"), [("ns", 2.5e-9), ("us", 2.5e-6), ("ms", 2.5e-3), ("s", 2.5)]
)
def test_units_are_seconds(unit: str, value: float) -> None:
    text = f'{{"benchmarks": [{{"name": "a/threads:4", "real_time": 2.5, "time_unit": "{unit}"}}]}}'
    (run,), problems = read(JSON, text)
    assert not problems
    assert (run.benchmark, run.params) == ("a", {"threads": "4"})
    assert values(run) == {(None, "time_per_op", "sample"): value}


def result(fields: str) -> str:
    return f'{{"benchmarks": [{fields}]}}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "the file has no benchmarks"),
        (result(""), "the file has no benchmarks"),
        (result("7"), "a result has no name"),
        (result('{"name": "a"}'), "a has no valid time or an unknown unit"),
        (result('{"name": "a", "real_time": -1, "time_unit": "ns"}'), "a has no valid time"),
        (result('{"name": "a", "real_time": 1, "time_unit": "h"}'), "a has no valid time"),
        (result('{"name": "a", "real_time": 1e999, "time_unit": "s"}'), "a has no valid time"),
        (result('{"name": "a", "time_unit": []}'), "a has no valid time"),
        (result('{"name": "a", "real_')[:-2], "truncated"),
    ],
)
def test_unreadable_input_is_a_diagnostic(text: str, message: str) -> None:
    runs, problems = read(JSON, text)
    assert not runs
    assert [each.what.startswith(message) for each in problems] == [True]


def test_json_without_its_context_is_recognised() -> None:
    text = result('{"name": "a", "real_time": 3, "cpu_time": 3, "time_unit": "ns"}')
    assert JSON.recognises(Source(None, "x", text.encode()).head())
    assert values(read(JSON, text)[0][0])[None, "time_per_op", "sample"] == 3e-9


def test_null_rate_is_reported() -> None:
    row = '{"name": "a", "real_time": 1, "time_unit": "ns", "bytes_per_second": null}'
    (run,), (problem,) = read(JSON, result(row))
    assert values(run) == {(None, "time_per_op", "sample"): 1e-9}
    assert problem.what.startswith("bytes_per_second is null, which is not a number")


def test_two_variants_compare_with_a_verdict() -> None:
    comparison = load(FIXTURES / "google-benchmark").compare(baseline="none")
    primary = comparison.verdicts.primary
    assert {(row.contrast.metric, row.contrast.stat) for row in primary} == {
        ("time_per_op", "sample")
    }
    assert {row.word for row in primary} == {"regression"}


def test_aggregates_of_one_benchmark_take_linear_time() -> None:
    def measure(count: int) -> float:
        text = "name,iterations,real_time,cpu_time,time_unit\n" + "BM_A_mean,6,1,1,ns\n" * count
        start = process_time()
        (run,), _ = read(CSV, text)
        assert (len(run.rows), run.last_line) == (2 * count, count + 1)
        return process_time() - start

    few = max(min(measure(500) for _ in range(3)), 0.01)
    assert measure(8_000) < 64 * few  # sixteen times as many; quadratic time would be 256 times


def test_two_variants_of_the_console_are_compared() -> None:
    frame = load(FIXTURES / "google-benchmark-console").compare(baseline="none").frame
    primary = frame[frame["primary"]]
    assert list(primary["verdict"]) == ["regression"] * 3
    assert set(primary["n_baseline"]) == {6}


def test_the_console_gives_its_repetitions_rounded() -> None:
    runs, problems = read(CONSOLE, FIXTURES / "google-benchmark-console/none.txt")
    assert not problems
    assert len(runs) == 18
    assert runs[0].env == {"cpus": "2"}
    sample, *_ = runs[0].rows
    assert (sample[1:3], sample[3], sample[7]) == (("time_per_op", "sample"), 222e-9, 1e-9)
    assert values(runs[0])["items", "operation_rate", "sample"] == 667.17e6


def test_tabular_counters_are_read_under_each_header() -> None:
    runs, problems = read(CONSOLE, FIXTURES / "google-benchmark-console-forms/tabular.txt")
    assert not problems
    assert len(runs) == 8
    assert values(runs[4])[None, "processing_rate", "sample"] == 127.547 * 2**30
    assert (runs[6].benchmark, runs[6].params) == ("BM_Threads", {"threads": "2"})


def test_console_aggregates_are_used_if_nothing_else_was_printed() -> None:
    runs, problems = read(CONSOLE, FIXTURES / "google-benchmark-console-forms/aggregates.txt")
    assert not problems
    assert values(runs[0])[None, "time_per_op", "median"] == 168e-9
    assert values(runs[0])[None, "time_per_op", "stdev"] == 5.86e-9


def test_console_failure_is_failed_and_complexities_are_left_out() -> None:
    runs, problems = read(CONSOLE, FIXTURES / "google-benchmark-console-forms/whole.txt")
    assert not problems
    assert [run.benchmark for run in runs if run.status == "failed"] == ["BM_Broken"]
    assert len(runs) == 8


def test_console_prefixes_are_binary_in_versions_that_use_binary() -> None:
    old, _ = read(CONSOLE, FIXTURES / "google-benchmark-console-forms/synthetic-old.txt")
    assert values(old[0])[None, "processing_rate", "sample"] == 689.151 * 2**20
    assert values(old[1])["items", "operation_rate", "sample"] == 34.4 * 1024
    new, _ = read(CONSOLE, FIXTURES / "google-benchmark-console-forms/synthetic-units.txt")
    assert [run.benchmark for run in new] == ["BM_Copy with blanks/8", "BM_Copy with blanks/64"]
    assert values(new[1])[None, "time_per_op", "sample"] == 10.0
    assert values(new[1])[None, "processing_rate", "sample"] == 96.5 * 1024
    assert values(new[1])["items", "operation_rate", "sample"] == 2500


def test_comparison_table_is_not_a_result() -> None:
    head = "Benchmark   Time   CPU   Time Old   Time New   CPU Old   CPU New\n"
    assert not CONSOLE.recognises(Source(None, "x.txt", head.encode()).head())


@pytest.mark.parametrize(
    ("row", "time", "rate"),
    [
        ("BM_B  0,313 ns  0,42 ns  10", 0.313e-9, None),
        ("BM_B  25,5 us  25,5 us  10 bytes_per_second=1,5k/s", 25.5e-6, 1536),
        ("BM_B  1,234 ns  1,234 ns  10", None, None),
        ("BM_B  12 ns  0.012 us  10", None, None),
    ],
)
def test_console_row_is_read_or_reported(row: str, time: float | None, rate: float | None) -> None:
    text = f"Benchmark  Time  CPU  Iterations\nBM_A  6.59 us  6.70 us  112\n{row}\n"
    runs, problems = read(CONSOLE, f"{text}\nIt took 5 ns and 6 ns.\n")
    assert [each.line for each in problems] == [3] * (time is None)
    assert [values(each).get((None, "time_per_op", "sample")) for each in runs[1:]] == (
        [pytest.approx(time)] * (time is not None)
    )
    assert [values(each).get((None, "processing_rate", "sample")) for each in runs[1:]] == (
        [rate] * (time is not None)
    )


def test_last_console_row_without_a_line_end_keeps_its_times() -> None:
    """It was left out silently."""
    text = "Benchmark  Time  CPU  Iterations\nBM_A  6.59 us  6.70 us  112000 items_per_second=1.5k/"
    (run,), (problem,) = read(CONSOLE, text)
    assert (problem.line, problem.severity) == (2, "warning")
    assert {row[1]: row[3] for row in run.rows} == {
        "time_per_op": 6.59e-6,
        "cpu_time_per_op": 6.7e-6,
    }
    assert run.rows[0][5] is None
