"""redis-benchmark's reports, lines and CSV: a run per test, or a reason for its absence."""

from __future__ import annotations

from pathlib import Path

import pytest
from scaling import assert_linear

from benchkit.errors import Diagnostic
from benchkit.parsers import registry
from benchkit.parsers.base import Reading, Source
from benchkit.parsers.redisbenchmark import TEXT

FORMS = Path(__file__).resolve().parents[2] / "fixtures/redis-benchmark-forms"
OLD = """====== {} ======
  10000 requests completed in 0.11 seconds
  50 parallel clients
  3 bytes payload
  keep alive: 1

99.51% <= 1 milliseconds
100.00% <= 2 milliseconds
94339.62 requests per second

"""


def read(text: str) -> tuple[list[Reading], list[Diagnostic]]:
    records = list(TEXT.parse(Source(None, "x", text.encode())))
    runs = [each for each in records if isinstance(each, Reading)]
    return runs, [each for each in records if isinstance(each, Diagnostic)]


def load(name: str) -> str:
    return (FORMS / name).read_text(encoding="utf-8")


def values(run: Reading) -> dict[tuple[str, str], float]:
    return {row[1:3]: row[3] for row in run.rows}


def is_claimed(text: str) -> bool:
    return TEXT in registry.identify(Source(None, "x", text.encode()))


def test_each_report_is_a_run_of_its_test() -> None:
    runs, problems = read(load("text.txt"))
    assert not problems
    assert [(run.benchmark, run.params) for run in runs] == [
        ("SET", {"connections": "20"}),
        ("GET", {"connections": "20"}),
    ]
    measured = values(runs[0])
    assert measured["requests", "count"] == 20000
    text = load("text.txt")
    rate = float(text.split("throughput summary: ")[1].split()[0])
    average, least, median = map(float, text.split(" max\n")[1].split()[:3])
    assert measured["request_rate", "mean"] == rate
    assert measured["latency", "mean"] == pytest.approx(average / 1000)
    assert measured["latency", "min"] == pytest.approx(least / 1000)
    assert measured["latency", "p50"] == pytest.approx(median / 1000)
    assert runs[0].load_model == "closed"


def test_rate_resolution_follows_from_the_milliseconds() -> None:
    (run,), _ = read(OLD.format("SET"))
    steps = {row[1:3]: row[7] for row in run.rows}
    assert steps["request_rate", "mean"] == pytest.approx(94339.62 / 110)
    runs, _ = read(load("text.txt"))
    steps = {row[1:3]: row[7] for row in runs[0].rows}
    assert steps["latency", "p50"] == 8e-6
    assert steps["latency", "mean"] == 1e-6


def test_quiet_lines_after_progress_output_are_read() -> None:
    runs, problems = read(load("quiet.txt"))
    assert not problems
    names = ["SET", "LPUSH (needed to benchmark LRANGE)", "LRANGE_100 (first 100 elements)"]
    assert [run.benchmark for run in runs] == [*names, "MSET (10 keys)"]
    assert {tuple(values(run)) for run in runs} == {(("request_rate", "mean"), ("latency", "p50"))}
    (run,), _ = read("SET: 94339.62 requests per second\n")
    assert values(run) == {("request_rate", "mean"): 94339.62}


def test_progress_overwritten_by_blanks_is_not_part_of_a_name() -> None:
    text = (FORMS / "quiet.txt").read_bytes().replace(b"\r", b" " * 40).decode()
    runs, problems = read(text)
    assert not problems
    assert [run.benchmark for run in runs] == [run.benchmark for run in read(load("quiet.txt"))[0]]


def test_command_above_quiet_lines_belongs_to_them() -> None:
    lines = "SET: 9064.88 requests per second\nGET: 9704.69 requests per second\n"
    for tool in ("redis-benchmark", "valkey-benchmark"):
        runs, problems = read(f"$ {tool} -n 4000 -t set,get -q\n{lines}")
        assert [run.command for run in runs] == [f"{tool} -n 4000 -t set,get -q", None]
        assert not problems


def test_any_percentile_is_read() -> None:
    text = "GET: 1333333.25 requests per second, p50=1.199 msec, p99.9=4.607 msec"
    (run,), _ = read(text)
    assert values(run)["latency", "p99.9"] == pytest.approx(0.004607)


def test_tables_are_read_with_and_without_a_header() -> None:
    table = '"test","rps","p50_latency_ms","p99.9_latency_ms"\n"my ""SET""","100.50","1.5","9.25"\n'
    (run,), problems = read(table)
    assert not problems
    assert run.benchmark == 'my ""SET""'
    assert values(run) == {
        ("request_rate", "mean"): 100.5,
        ("latency", "p50"): 0.0015,
        ("latency", "p99.9"): 0.00925,
    }
    text = '"PING_INLINE","48661.80"\n"LRANGE_100 (first 100 elements)","33955.86"\n'
    assert is_claimed(text)
    runs, _ = read(text)
    assert [values(run)["request_rate", "mean"] for run in runs] == [48661.8, 33955.86]
    with pytest.raises(Exception, match="format"):
        is_claimed('"width","1.50"\n"height","2.00"\n')


def test_reports_of_old_versions_and_looped_runs_are_read() -> None:
    runs, problems = read(OLD.format("SET") + OLD.format("GET") + OLD.format("SET"))
    assert not problems
    assert [run.benchmark for run in runs] == ["SET", "GET", "SET"]
    assert ("latency", "p50") not in values(runs[0])


def test_custom_command_is_a_benchmark() -> None:
    (run,), problems = read(load("command.txt"))
    assert not problems
    assert run.benchmark == "eval return 1 0"


@pytest.mark.parametrize(
    ("name", "why"),
    [("refused.txt", "Could not connect to Redis"), ("unknown-command.txt", "ERR unknown command")],
)
def test_run_without_a_result_is_failed(name: str, why: str) -> None:
    assert is_claimed(load(name))
    (run,), (problem,) = read(load(name))
    assert (run.status, run.rows) == ("failed", [])
    assert why in problem.what


def test_table_without_rows_is_a_failed_run() -> None:
    (run,), (problem,) = read('"test","rps","p50_latency_ms"\n')
    assert (run.status, run.rows) == ("failed", [])
    assert "its table has no row" in problem.what


def test_warning_about_the_server_config_is_ignored() -> None:
    runs, problems = read("WARNING: Could not fetch server CONFIG\n" + load("text.txt"))
    assert (len(runs), problems) == (2, [])


def test_report_without_its_end_is_partial() -> None:
    text = load("text.txt")
    runs, (problem,) = read(text[: text.rindex("throughput")])
    assert [run.status for run in runs] == ["complete", "partial"]
    assert "lacks its `throughput summary` line" in problem.what
    assert ("request_rate", "mean") not in values(runs[1])


def test_other_lines_between_equals_signs_are_not_tests() -> None:
    with pytest.raises(Exception, match="format"):
        is_claimed("====== 3 passed in 0.25 seconds ======\n" * 3)


@pytest.mark.parametrize(
    "piece", ['"SET', "SET: rps=1 (overall: ", "a (", '"SET","1.0",', "SET: 1.0 "]
)
def test_long_lines_take_linear_time(piece: str) -> None:
    assert_linear(lambda size: piece * size, read, 4000)


SUMMARY = """Summary:
  throughput summary: 69365.08 requests per second
  latency summary (msec):
          avg       min       p50       p95       p99       max
        0.866     0.058     0.411     3.883     6.555    13.223
"""


def test_summary_without_its_title_is_reported() -> None:
    report = load("text.txt").partition("====== GET")[0]
    for text in (f"{report}\n{SUMMARY}", f"{SUMMARY}\n{report}", f"{OLD.format('SET')}{SUMMARY}"):
        runs, (problem,) = read(text)
        assert [run.benchmark for run in runs] == ["SET"]
        assert 69365.08 not in values(runs[0]).values()
        assert 0.000411 not in values(runs[0]).values()
        assert text.split("\n")[problem.line - 1] == SUMMARY.split("\n")[1]
        assert "no title of its test above it" in problem.what


def test_counts_without_their_title_are_reported() -> None:
    untitled = OLD.partition("\n")[2]
    runs, (problem,) = read(f"{OLD.format('SET')}{untitled}")
    assert len(runs) == 1
    assert problem.line == 11


@pytest.mark.parametrize("row", ['"GET","209643","0.029"', '"GET","209643.61"'])
def test_row_that_does_not_match_its_table_is_reported(row: str) -> None:
    header = '"test","rps","avg_latency_ms"'
    runs, (problem,) = read(f'{header}\n"SET","79365.08","0.766"\n{row}\n{row}\n')
    assert [run.benchmark for run in runs] == ["SET"]
    assert (problem.line, problem.is_damage) == (3, True)
    assert "this row (1 of 2) does not belong to the table and is left out" in problem.what
    runs, (problem,) = read(f"{header}\n{row}\n")
    assert not runs
    assert (problem.line, problem.is_damage) == (2, True)


def test_integer_rate_in_a_table_without_a_header_is_reported() -> None:
    runs, (problem,) = read('"SET","94339.62"\n"GET","94339"\n"other","12"\n')
    assert [run.benchmark for run in runs] == ["SET"]
    assert (problem.line, problem.is_damage) == (2, True)


@pytest.mark.parametrize(
    "text",
    [
        "{}SET: 94339.62 requests per second, p50=0.311 msec\n",
        '"test","rps"\n{}"SET","94339.62"\n',
        "{}" + OLD.format("SET"),
    ],
)
def test_test_with_error_replies_is_failed(text: str) -> None:
    error = "Error from server: NOAUTH Authentication required.\n"
    (run,), (diagnostic,) = read(text.format(error))
    assert (run.benchmark, run.status) == ("SET", "failed")
    assert "replied with errors" in diagnostic.what
    (run,), diagnostics = read(text.format(""))
    assert (run.status, diagnostics) == ("complete", [])


def test_errors_belong_to_the_test_below_them() -> None:
    line = "{}: 94339.62 requests per second, p50=0.311 msec\n"
    runs, _ = read(f"{line.format('SET')}Error from server: ERR x\n{line.format('GET')}")
    assert [(run.benchmark, run.status) for run in runs] == [("SET", "complete"), ("GET", "failed")]
