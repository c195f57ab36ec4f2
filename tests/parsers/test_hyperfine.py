"""Each time in hyperfine's JSON is a run; its other formats have one result per command."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit import load
from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading, Source
from benchkit.parsers.hyperfine import CSV, JSON, TABLE, TEXT

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/hyperfine"


def read(text: str | Path) -> tuple[list[Reading], list[Diagnostic]]:
    source = Source(None, "x.json", text.encode()) if isinstance(text, str) else Source.load(text)
    records = list(JSON.parse(source))
    return (
        [each for each in records if isinstance(each, Reading)],
        [each for each in records if isinstance(each, Diagnostic)],
    )


def test_every_time_is_a_run() -> None:
    readings, problems = read(FIXTURES / "none.json")
    assert not problems
    assert {each.benchmark for each in readings} == {"count"}
    assert len(readings) == 12
    assert [row[:5] for row in readings[0].rows] == [
        (None, "time_per_op", "sample", readings[0].rows[0][3], "s")
    ]
    assert readings[1].line == readings[0].line + 1


def test_scan_is_one_benchmark_with_a_parameter() -> None:
    readings, _ = read(FIXTURES / "scan.json")
    assert {each.benchmark for each in readings} == {"./count.sh {n}"}
    assert {each.params["n"] for each in readings} == {"1000", "2000", "3000"}


def test_a_command_that_failed_is_a_failed_run() -> None:
    readings, _ = read(FIXTURES / "failed.json")
    assert [each.status for each in readings] == ["failed"] * 5 + ["complete"] * 5
    assert readings[0].remark == "13: the command exited with code 2"


def test_a_command_killed_by_a_signal_is_a_failed_run() -> None:
    text = '{"results": [{"command": "ls", "times": [0.25, 0.5], "exit_codes": [0, null]}]}'
    readings, _ = read(text)
    assert [each.status for each in readings] == ["complete", "failed"]
    assert readings[1].remark == "1: the command was killed by a signal"


def test_a_row_of_the_csv_is_one_result_with_its_parameters() -> None:
    first, *rest = CSV.parse(Source.load(FIXTURES / "table-scan.csv"))
    assert isinstance(first, Reading)
    assert (first.benchmark, first.params, first.line) == ("./count.sh {n}", {"n": "1000"}, 2)
    assert {(row[1], row[2], row[0]): row[3] for row in first.rows} == {
        ("time_per_op", "mean", None): 0.0035484072000000005,
        ("time_per_op", "stdev", None): 0.002426538390131753,
        ("time_per_op", "median", None): 0.002117682,
        ("cpu_time_per_op", "mean", "user"): 0.0012898,
        ("cpu_time_per_op", "mean", "system"): 0.000334,
        ("time_per_op", "min", None): 0.0015293190000000001,
        ("time_per_op", "max", None): 0.006599159,
    }
    assert len(rest) == 2
    (once,) = CSV.parse(Source.load(FIXTURES / "table-once.csv"))
    assert isinstance(once, Reading)
    assert "stdev" not in {row[2] for row in once.rows}


@pytest.mark.parametrize("ending", ["md", "org"])
def test_table_row_is_one_result_with_its_resolution(ending: str) -> None:
    path = FIXTURES / f"table-scan.{ending}"
    assert TABLE.recognises(Source.load(path).head())
    first, *rest = TABLE.parse(Source.load(path))
    assert isinstance(first, Reading)
    assert (first.benchmark, first.line, len(rest)) == ("./count.sh 1000", 3, 2)
    assert [(row[2], row[3], row[7]) for row in first.rows] == [
        ("mean", 0.0035, 1e-4), ("stdev", 0.0024, 1e-4), ("min", 0.0015, 1e-4),
        ("max", 0.0066, 1e-4),
    ]  # fmt: skip
    (once,) = TABLE.parse(Source.load(FIXTURES / "table-once.md"))
    assert isinstance(once, Reading)
    assert (once.benchmark, [row[3] for row in once.rows]) == ("a|b", [0.005] * 3)


def test_unreadable_rows_are_reported_with_their_line() -> None:
    heads = "command,mean,stddev,median,user,system,min,max\n"
    text = f"{heads}a,1,0,1,0,0,x,1\nb,1,0,1,0,0,1,1\n"
    damaged, whole = CSV.parse(Source(None, "x.csv", text.encode()))
    assert isinstance(damaged, Diagnostic)
    assert (damaged.line, isinstance(whole, Reading)) == (2, True)
    table = "| Command | Mean [s] | Min [s] | Max [s] | Relative |\n|:---|---:|\n| `a` | 1.0 |\n"
    (truncated,) = TABLE.parse(Source(None, "x.md", table.encode()))
    assert isinstance(truncated, Diagnostic)
    assert truncated.line == 3


def test_other_list_of_commands_is_not_recognised() -> None:
    text = '{"results": [{"command": "npx autocannon -c 20 http://x/", "requestsPerSecond": 25.5}]}'
    assert not JSON.recognises(Source(None, "x.json", text.encode()).head())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"results": []}', "the file has no results"),
        ('{"results": [{"command": "a"}]}', "the result of 'a' has no `times`"),
        ('{"results": [{"times": [1]}]}', "a result has no command"),
        (
            f'{{"results": [{{"command": "a", "times": [1{",1" * 100_000}]}}]}}',
            "one command has 100,001 `times`, but at most 100,000 are read",
        ),
        (
            '{"results": [{"command": "a", "times": [-1]}]}',
            "-1 is not a valid time and was left out",
        ),
        (
            '{"results": [{"command": "a", "times": [1e999]}]}',
            "inf is not a valid time and was left out",
        ),
        ('{"results": [{"command": "a", "times": [0.5', "truncated"),
        ('{"results": [7]}', "a result has no command"),
    ],
)
def test_unreadable_input_is_a_diagnostic(text: str, message: str) -> None:
    readings, problems = read(text)
    assert not readings
    assert [each.what.startswith(message) for each in problems] == [True]


def test_two_variants_compare_with_a_verdict() -> None:
    comparison = load(FIXTURES).compare(baseline="none", variant="otlp")
    (verdict,) = comparison.verdicts.primary
    assert (verdict.contrast.metric, verdict.word) == ("time_per_op", "regression")


def read_text(text: str) -> tuple[list[Reading], list[Diagnostic]]:
    records = list(TEXT.parse(Source(None, "x.txt", text.encode())))
    return (
        [each for each in records if isinstance(each, Reading)],
        [each for each in records if isinstance(each, Diagnostic)],
    )


def read_fixture(name: str) -> str:
    return (FIXTURES / name).read_text(encoding="utf-8")


def list_values(reading: Reading) -> list[tuple[object, ...]]:
    return [(*row[2:4], row[5], row[7]) for row in reading.rows if row[1] == "time_per_op"]


def test_terminal_output_has_mean_spread_and_extremes() -> None:
    (run,), problems = read_text(read_fixture("text-count.txt"))
    assert not problems
    assert (run.benchmark, run.status) == ("count", "complete")
    assert list_values(run) == [
        ("mean", 0.0209, 12, 0.0001),
        ("stdev", 0.0019, None, 0.0001),
        ("min", 0.0183, None, 0.0001),
        ("max", 0.0254, None, 0.0001),
    ]
    used = [row for row in run.rows if row[1] == "cpu_time_per_op"]
    assert [(row[0], row[2], row[3], row[4], row[5]) for row in used] == [
        ("user", "mean", 0.0101, "s", 12),
        ("system", "mean", pytest.approx(0.0004), "s", 12),
    ]


def test_command_that_ran_once_is_a_sample() -> None:
    (run,), _ = read_text(read_fixture("text-once.txt"))
    assert list_values(run) == [("sample", 0.0026, None, 0.0001)]


def test_ignored_exit_code_fails_only_its_command() -> None:
    runs, problems = read_text(read_fixture("text-failed.txt"))
    assert not problems
    assert [(run.benchmark, run.status) for run in runs] == [
        ("ls /nonexistent", "failed"),
        ("./count.sh 10", "complete"),
    ]


def test_other_versions_units_and_pages_are_read() -> None:
    page = """
    ```
    $ hyperfine -w 3 "gzip -1 -c big.fastq"
    Benchmark #1: gzip -1 -c big.fastq
      Time (mean ± σ):     22.335 s ±  0.284 s    [User: 22.123 s, System: 0.202 s]
      Range (min … max):   21.963 s … 22.890 s

    Benchmark 2: true
      Time (mean ± σ):     353.6 µs ±   7.6 µs    [User: 100.0 µs, System: 171.5 µs]
      Range (min … max):   344.4 µs … 367.3 µs    1000 runs
    ```
    """
    (old, new), problems = read_text(page)
    assert not problems
    assert list_values(old)[0] == ("mean", 22.335, None, 0.001)
    assert list_values(new)[:2] == [
        ("mean", 0.0003536, 1000, 1e-7),
        ("stdev", 0.0000076, None, 1e-7),
    ]


def test_means_of_commands_are_compared(tmp_path: Path) -> None:
    for name, factor in (("none", "20.9"), ("otlp", "40.9")):
        text = read_fixture("text-count.txt").replace("20.9", factor)
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    frame = load(tmp_path).compare().frame
    assert frame[frame["primary"]][["metric", "stat"]].values.tolist() == [["time_per_op", "mean"]]


def test_results_under_custom_keys_are_grouped_by_path() -> None:
    def write(time: float) -> str:
        return f'{{"results": [{{"command": "make", "mean": {time}, "times": [{time}]}}]}}'

    text = f"""{{"host": "a", "libs": {{
        "one": {{"build": {write(1.5)}, "size": 3}},
        "two": {{"build": {write(2.5)}, "run": {{"results": []}}}}}}}}"""
    assert JSON.recognises(Source(None, "x.json", text.encode()).head())
    runs = list(JSON.parse(Source(None, "x.json", text.encode())))
    actual = [
        (each.group, each.benchmark, each.rows[0][3], each.line)
        for each in runs
        if isinstance(each, Reading)
    ]
    assert actual == [("libs/one/build", "make", 1.5, 2), ("libs/two/build", "make", 2.5, 3)]
    assert len(actual) == len(runs)


def test_page_tables_are_read_with_the_columns_they_have() -> None:
    """They were refused with the tool's name."""
    text = """# Results

Before 1.7 the extremes shared a column, and people leave out columns, or print rows bold.

| Command | Mean [s] | Min…Max [s] |
|:---|---:|---:|
| `sed 's/a/b/'` | 2.338 ± 0.008 | 2.332…2.358 |
| `sd a b` | **0.997 ± 0.006** | 0.987…1.007 |

Result: 2.35 times faster

| Command | Mean [ms] | Relative |
|:---|---:|---:|
| `sd -A a b` (across) | 125.6 ± 14.3 | 1.00 |
| `sd a b` | about 9 | 2.00 |
"""
    source = Source(None, "x.md", text.encode())
    assert TABLE.recognises(source.head())
    *runs, problem = TABLE.parse(source)
    problems = [
        (run.benchmark, [row[2:4] for row in run.rows]) for run in runs if isinstance(run, Reading)
    ]
    assert problems == [
        ("sed 's/a/b/'", [("mean", 2.338), ("stdev", 0.008), ("min", 2.332), ("max", 2.358)]),
        ("sd a b", [("mean", 0.997), ("stdev", 0.006), ("min", 0.987), ("max", 1.007)]),
        ("sd -A a b (across)", [("mean", 0.1256), ("stdev", 0.0143)]),
    ]
    assert isinstance(problem, Diagnostic)
    assert (problem.line, problem.severity) == (15, "warning")


def test_table_header_alone_is_an_error() -> None:
    text = b"| Command   |  Mean [ms] | Max [ms] |     Relative |\n"
    (problem,) = TABLE.parse(Source(None, "x.md", text))
    assert isinstance(problem, Diagnostic)
    assert problem.what == "no complete table of hyperfine here"
