"""JMH's JSON, CSV and table: a fork is a run, units become seconds and operations per second."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit import load
from benchkit.errors import Diagnostic
from benchkit.parsers.base import Format, Reading, Source
from benchkit.parsers.jmh import CSV, JSON, TEXT

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/jmh"


def read(form: Format, text: str | Path) -> tuple[list[Reading], list[Diagnostic]]:
    source = Source(None, "x", text.encode()) if isinstance(text, str) else Source.load(text)
    records = list(form.parse(source))
    return (
        [each for each in records if isinstance(each, Reading)],
        [each for each in records if isinstance(each, Diagnostic)],
    )


def values(run: Reading) -> dict[tuple[str | None, str, str], float]:
    return {row[:3]: row[3] for row in run.rows}


def test_every_fork_is_a_run_with_the_mean_of_its_iterations() -> None:
    runs, problems = read(JSON, FIXTURES / "none.json")
    assert not problems
    assert [each.benchmark for each in runs] == ["Squares.logs"] * 5 + ["Squares.roots"] * 5
    assert runs[0].params == {"size": "100", "mode": "avgt"}
    assert (runs[0].tool_version, runs[0].env) == ("1.37", {"jdk": "17.0.15"})
    (row,) = runs[5].rows
    assert row[1:3] == ("time_per_op", "sample")
    assert (row[4], row[5], row[8]) == ("s", 3, "computed")
    mean = sum(each.rows[0][3] for each in runs[5:]) / 5
    assert mean == pytest.approx(0.22748e-6, rel=1e-4)  # the score in the file


def test_modes_threads_and_profilers_of_the_json() -> None:
    runs, problems = read(JSON, FIXTURES / "modes.json")
    assert not problems
    assert [each.params["mode"] for each in runs] == ["thrpt"] * 2 + ["sample"] * 2 + ["ss"] * 2
    assert runs[0].params["threads"] == "2"
    assert [row[1:3] for row in runs[0].rows] == [
        ("operation_rate", "sample"),
        ("gc.alloc.rate", "sample"),
        ("bytes_per_op", "sample"),
        ("gc.count", "count"),
    ]
    assert runs[0].rows[0][3] > 1e6
    assert runs[0].assume == {"bytes_per_op": "nothing"}
    assert values(runs[4]).keys() == {
        (None, "time_per_op", "sample"),
        (None, "gc.alloc.rate", "sample"),
        (None, "bytes_per_op", "sample"),
        (None, "gc.count", "count"),
    }


@pytest.mark.parametrize(
    ("unit", "metric", "value"),
    [
        ("ns/op", "time_per_op", 2.5e-9),
        ("us/op", "time_per_op", 2.5e-6),
        ("ms/op", "time_per_op", 2.5e-3),
        ("s/op", "time_per_op", 2.5),
        ("min/op", "time_per_op", 150.0),
        ("ops/ns", "operation_rate", 2.5e9),
        ("ops/ms", "operation_rate", 2.5e3),
        ("ops/s", "operation_rate", 2.5),
        ("ops/hr", "operation_rate", 2.5 / 3600),
    ],
)
def test_units_are_seconds_and_operations_per_second(unit: str, metric: str, value: float) -> None:
    text = (
        '[{"benchmark": "a.B.c", "mode": "avgt", '
        f'"primaryMetric": {{"scoreUnit": "{unit}", "rawData": [[2, 3]]}}}}]'
    )
    ((run,), problems) = read(JSON, text)
    assert not problems
    assert values(run) == {(None, metric, "sample"): pytest.approx(value, rel=1e-15)}


def test_histogram_counts_are_used_and_group_methods_have_rows() -> None:
    text = (
        '[{"benchmark": "a.B.c", "mode": "sample", "primaryMetric": {"scoreUnit": "ms/op", '
        '"rawDataHistogram": [[[[1, 3], [5, 1]]]]}, "secondaryMetrics": {'
        '"get": {"scoreUnit": "ms/op", "rawData": [[4]]},'
        '"gc.count": {"scoreUnit": "counts", "rawData": [[4]]}}}]'
    )
    ((run,), problems) = read(JSON, text)
    assert not problems
    assert values(run) == {
        (None, "time_per_op", "sample"): 0.002,
        ("get", "time_per_op", "sample"): 0.004,
        (None, "gc.count", "count"): 4.0,
    }


def result(metric: str) -> str:
    return f'[{{"benchmark": "a.B.c", "mode": "avgt", "primaryMetric": {metric}}}]'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "the file has no results"),
        ("[7]", "a result needs a benchmark, a known mode and a primaryMetric"),
        ('[{"benchmark": "a", "mode": "x", "primaryMetric": {}}]', "a result needs a benchmark"),
        (result("{}"), "a.B.c has no raw data of its forks"),
        (result('{"rawData": [[1]], "scoreUnit": "x/op"}'), "a.B.c has the unit 'x/op'"),
        (result('{"rawData": [["NaN"]], "scoreUnit": "s/op"}'), "fork 1 of a.B.c has an invalid"),
        (result('{"rawData": [[1, -1]], "scoreUnit": "s/op"}'), "fork 1 of a.B.c has an invalid"),
        (result('{"rawData": [[1e999]], "scoreUnit": "s/op"}'), "fork 1 of a.B.c has an invalid"),
        (result('{"rawData": [[]], "scoreUnit": "s/op"}'), "fork 1 of a.B.c has an invalid"),
        (result('{"rawData": [[1]]')[:-2], "truncated"),
    ],
)
def test_unreadable_input_is_a_diagnostic(text: str, message: str) -> None:
    runs, problems = read(JSON, text)
    assert not runs
    assert [each.what.startswith(message) for each in problems] == [True]


def test_csv_has_means_and_percentiles() -> None:
    runs, problems = read(CSV, FIXTURES / "modes.csv")
    assert not problems
    assert [each.params["mode"] for each in runs] == ["thrpt", "avgt", "sample"]
    rate, time, single = map(values, runs)
    assert rate == {(None, "operation_rate", "mean"): 11248386.0}
    assert time == {(None, "time_per_op", "mean"): 3.966e-08}
    assert single[None, "time_per_op", "p50"] == 1.09e-07
    assert single[None, "time_per_op", "max"] == 5.36960e-05


def test_csv_of_other_locales_is_read() -> None:
    text = (
        '"Benchmark","Mode","Threads","Samples","Score","Score Error (99,9%)","Unit","Param: n"\n'
        '"a.Sort.merge","avgt",4,5,"0,120356","0,081554","ms/op",1000\n'
        '"a.Sort.merge","avgt",4,5,NaN,NaN,"ms/op",10\n'
    )
    (run,), (problem,) = read(CSV, text)
    assert (run.benchmark, run.params) == (
        "Sort.merge",
        {"n": "1000", "mode": "avgt", "threads": "4"},
    )
    assert values(run) == {(None, "time_per_op", "mean"): 0.000120356}
    assert str(problem).startswith("x:3: 'NaN' in mode 'avgt' is not a score")


def test_table_has_means_and_percentiles() -> None:
    runs, problems = read(TEXT, FIXTURES / "text-modes.txt")
    assert not problems
    assert [each.params for each in runs] == [
        {"size": "10", "mode": mode} for mode in ("thrpt", "sample", "ss")
    ]
    assert values(runs[0])[None, "operation_rate", "mean"] == 12.416e6
    assert values(runs[1])[None, "time_per_op", "p99"] == 2.876e-6
    assert runs[1].rows[0][5:8] == (13374, None, 1e-9)


def test_tables_of_other_versions_and_locales_are_read() -> None:
    text = """
 * Benchmark                    (algo)  Mode  Cnt  Score   Error  Units
 * Sorting.testAlgo            quick 1  avgt    5  2,444 ± 0,286  ns/op
 * Sorting.testAlgo:·gc.alloc.rate.norm  quick 1  avgt  5  24,000 ± 0,001  B/op

Benchmark      Mode  Samples  Score   Error  Units
o.s.A.b       thrpt       25  0.857 ± 0.042  ops/s
"""
    (old, new), problems = read(TEXT, text)
    assert not problems
    assert values(old) == {
        (None, "time_per_op", "mean"): 2.444e-9,
        (None, "bytes_per_op", "mean"): 24.0,
    }
    assert old.params == {"algo": "quick 1", "mode": "avgt"}
    assert (new.benchmark, values(new)) == ("A.b", {(None, "operation_rate", "mean"): 0.857})


@pytest.mark.parametrize("sign", ["\N{REPLACEMENT CHARACTER}", "⢱", "Â±", "▒", "┬▒", "?", "+-"])
def test_table_with_a_garbled_plus_minus_sign_is_read(sign: str) -> None:
    head = "Benchmark  Mode  Cnt   Score   Error  Units\n"
    text = f"{head}S.sort     avgt   10  11.998 {sign} 3.086  ms/op\n"
    (run,), problems = read(TEXT, text)
    assert not problems
    assert values(run) == {(None, "time_per_op", "mean"): 0.011998}


@pytest.mark.parametrize("note", ["   --- 4.2x slower", " // warm", "  # slow", "  <- here"])
def test_note_after_a_row_is_ignored(note: str) -> None:
    text = (
        f"Benchmark  Mode  Cnt  Score   Error  Units\nA.slow  avgt  5  1.936 ± 0.019  ns/op{note}\n"
    )
    (run,), problems = read(TEXT, text)
    assert values(run) == {(None, "time_per_op", "mean"): pytest.approx(1.936e-9)}
    assert not problems


def test_benchmarks_that_differ_only_in_package_are_not_pooled() -> None:
    text = """\
Benchmark                 Mode  Cnt  Score   Error  Units
bloom.Set.get             avgt   10  3.232 ± 0.109  ns/op
bloom.wide.Set.get        avgt   10  2.729 ± 0.028  ns/op
bloom.wide.Set.put        avgt   10  2.111 ± 0.028  ns/op
"""
    names = ["bloom.Set.get", "bloom.wide.Set.get", "Set.put"]
    runs, problems = read(TEXT, text)
    assert not problems
    assert [run.benchmark for run in runs] == names
    result = (
        '{{"benchmark": "bloom.{}", "mode": "avgt",'
        ' "primaryMetric": {{"scoreUnit": "ns/op", "rawData": [[1, 2], [3]]}}}}'
    )
    listed = ",".join(result.format(name) for name in ("Set.get", "wide.Set.get", "wide.Set.put"))
    runs, problems = read(JSON, f"[{listed}]")
    assert not problems
    assert [run.benchmark for run in runs[::2]] == names


def test_a_parameter_may_be_empty() -> None:
    text = """\
Benchmark     (text)  Mode  Cnt  Score   Error  Units
S.isEmpty             avgt   10  3.232 ± 0.109  ns/op
S.isEmpty   nonEmpty  avgt   10  2.729 ± 0.028  ns/op
"""
    runs, problems = read(TEXT, text)
    assert not problems
    assert [run.params["text"] for run in runs] == ["", "nonEmpty"]


def test_table_behind_a_build_prefix_is_read(tmp_path: Path) -> None:
    path = tmp_path / "jmh.txt"
    path.write_text(
        """\
[info] Benchmark  Mode  Cnt        Score         Error  Units
[info] S.cold    thrpt   10  6748944,966 ± 1470265,342  ops/s
[info] S.warm    thrpt   10  8232440,517 ±  941764,501  ops/s
""",
        encoding="utf-8",
    )
    frame = load(path).observations
    assert list(frame["value"]) == [6748944.966, 8232440.517]


def test_score_rounded_to_zero_is_reported() -> None:
    runs, (problem,) = read(TEXT, FIXTURES / "text-small.txt")
    assert not runs
    assert "Squares.roots is ≈ 10⁻⁶, too coarse" in str(problem)


def test_log_above_the_table_yields_no_benchmarks() -> None:
    runs = load(FIXTURES / "text.txt").runs
    assert set(runs["benchmark"]) == {"Squares.logs", "Squares.roots"}


def test_two_variants_compare_with_a_verdict() -> None:
    comparison = load({"none": FIXTURES / "none.json", "otlp": FIXTURES / "otlp.json"}).compare()
    verdicts = comparison.verdicts.primary
    assert [each.contrast.metric for each in verdicts] == ["time_per_op"] * 2
    assert {each.word for each in verdicts} == {"regression"}


def test_row_with_missing_params_is_reported() -> None:
    head = "Benchmark   (size)  (type)  Mode  Cnt   Score   Error  Units\n"
    whole = "B.read          10    list  avgt    5  12.500 ± 0.100  ns/op\n"
    lacks = "B.write         10          avgt    5  14.500 ± 0.100  ns/op\n"
    (reading,), (warning,) = read(TEXT, head + whole + lacks)
    assert reading.benchmark == "B.read"
    assert (warning.line, warning.severity) == (3, "warning")
    assert "has 1 of the 2 params that its header names, and was left out" in warning.what


def test_parameter_value_may_equal_a_mode() -> None:
    text = (
        "Benchmark  (kind)  (n)  Mode  Cnt  Score   Error  Units\n"
        "Sort.run       ss   15  avgt    5  3.000 ± 0.100  us/op\n"
        "Sort.run      all   20    ss        7.000          us/op\n"
    )
    runs, problems = read(TEXT, text)
    assert [(each.params["kind"], each.params["n"], each.params["mode"]) for each in runs] == [
        ("ss", "15", "avgt"), ("all", "20", "ss"),
    ]  # fmt: skip
    assert problems == []


def test_csv_with_unrounded_numbers_is_read() -> None:
    head = "Benchmark,Mode,Threads,Samples,Score,Score Error (99.9%),Unit\n"
    (run,), problems = read(CSV, head + "a.Sort.merge,avgt,1,20,44.738953985572465,1.57,ms/op\n")
    assert not problems
    assert values(run) == {(None, "time_per_op", "mean"): 0.044738953985572465}


def test_grouped_thousands_are_not_decimals() -> None:
    head = "Benchmark,Mode,Threads,Samples,Score,Score Error (99.9%),Unit\n"
    runs, (problem,) = read(CSV, head + 'a.Sort.merge,avgt,1,3,"734,987","17,062",ns/op\n')
    assert not runs
    assert problem.what == "'734,987' in mode 'avgt' is not a score: left out"


def test_profiler_row_with_text_does_not_end_the_table() -> None:
    text = (
        "Benchmark         (n)  Mode  Cnt   Score   Error      Units\n"
        "Sort.merge         10  avgt    5  12.500 ± 0.100      ns/op\n"
        "Sort.merge:CPI     10  avgt        0.303          clks/insn\n"
        "Sort.merge:·asm    10  avgt          NaN                ---\n"
        "Sort.quick         10  avgt    5  14.500 ± 0.100      ns/op\n"
        "Sort.quick:asm     10  avgt          NaN                ---\n"
    )
    runs, problems = read(TEXT, text)
    assert not problems
    assert [values(run)[None, "time_per_op", "mean"] for run in runs] == [1.25e-8, 1.45e-8]


def test_percentiles_after_a_method_name_are_read() -> None:
    text = (
        "Benchmark                Mode  Cnt  Score   Error  Units\n"
        "Sort.merge             sample   10  3.000 ± 0.100  us/op\n"
        "Sort.merge:merge·p0.99 sample       9.000          us/op\n"
        "Sort.merge:other·p0.99 sample       7.000          us/op\n"
    )
    (run,), problems = read(TEXT, text)
    assert not problems
    assert values(run) == {
        (None, "time_per_op", "mean"): 3e-6,
        (None, "time_per_op", "p99"): 9e-6,
        ("other", "time_per_op", "p99"): 7e-6,
    }
    text = (
        '[{"benchmark": "a.B.c", "mode": "sample", "primaryMetric": {"scoreUnit": "ms/op", '
        '"rawDataHistogram": [[[[1, 3], [5, 1]]]]}, "secondaryMetrics": {'
        '"c·p0.99": {"score": 5, "scoreUnit": "ms/op", "rawDataHistogram": [[[[1, 3], [5, 1]]]]}}}]'
    )
    (run,), problems = read(JSON, text)
    assert not problems
    assert values(run) == {(None, "time_per_op", "sample"): 0.002}
