"""k6's text: real files with hand-read values, pasted and truncated ones, and every prefix."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.parsers.base import Diagnostic, Reading, Row
from benchkit.parsers.k6 import TEXT as FORMAT
from benchkit.parsers.k6.lines import Line, match_line, understand
from benchkit.reading.source import Head, Source

FIXTURES = Path(__file__).parents[2] / "fixtures"
SHORTURL = FIXTURES / "shorturl-k6"
CONSOLE = FIXTURES / "k6-edge" / "console"
TEXTS = sorted(path for path in FIXTURES.glob("*k6*/**/*.txt"))


def name_of(path: Path) -> str:
    return path.relative_to(FIXTURES).as_posix()


Values = dict[tuple[str | None, str, str], float]


def read(data: Path | str | bytes) -> tuple[list[Reading], list[Diagnostic]]:
    raw = data.read_bytes() if isinstance(data, Path) else data
    source = Source(None, "k6.txt", raw.encode() if isinstance(raw, str) else raw)
    records = list(FORMAT.parse(source))
    readings = [record for record in records if isinstance(record, Reading)]
    return readings, [record for record in records if isinstance(record, Diagnostic)]


def values(reading: Reading) -> Values:
    actual = {row[:3]: row[3] for row in reading.rows}
    assert len(actual) == len(reading.rows)
    return actual


def read_one(data: Path | str | bytes) -> tuple[Reading, Values]:
    (reading,), _ = read(data)
    return reading, values(reading)


def row(reading: Reading, metric: str, stat: str, subject: str | None = None) -> Row:
    (actual,) = (row for row in reading.rows if row[:3] == (subject, metric, stat))
    return actual


def test_compact_summary_is_read() -> None:
    reading, actual = read_one(SHORTURL / "baseline" / "k6-1.txt")
    assert (reading.form, reading.status, reading.line, reading.last_line) == (
        "text",
        "complete",
        9,
        146,
    )
    assert (reading.load_model, reading.target_rate, reading.connections) == ("open", 500.0, 50)
    assert reading.duration == 30.0
    expected = {
        ("latency", "mean"): 225.81e-6,
        ("latency", "min"): 61.15e-6,
        ("latency", "p50"): 151.59e-6,
        ("latency", "max"): 10.31e-3,
        ("latency", "p90"): 230.24e-6,
        ("latency", "p95"): 335.44e-6,
        ("latency", "p99"): 2.33e-3,
        ("error_rate", "mean"): 0.0,
        ("failures", "count"): 0.0,
        ("requests", "count"): 15001.0,
        ("request_rate", "mean"): 500.012577,
        ("iterations", "count"): 15001.0,
        ("iteration_rate", "mean"): 500.012577,
        ("iteration_time", "p99"): 2.57e-3,
        ("interrupted_iterations", "count"): 0.0,
        ("checks", "mean"): 1.0,
        ("checks", "count"): 15001.0,
        ("vus", "max"): 3.0,
        ("vus_max", "max"): 50.0,
        ("bytes_in", "total"): 3.1e6,
        ("bandwidth_in", "mean"): 102e3,
        ("bytes_out", "total"): 1.5e6,
        ("thresholds_crossed", "count"): 0.0,
        ("duration", "total"): 30.0,
    }
    for (metric, stat), value in expected.items():
        assert actual[None, metric, stat] == pytest.approx(value, rel=1e-15), (metric, stat)
    assert actual["expected_response:true", "latency", "p50"] == pytest.approx(151.59e-6, rel=1e-15)


def test_each_row_has_its_line_and_resolution() -> None:
    reading, _ = read_one(SHORTURL / "baseline" / "k6-1.txt")
    median = row(reading, "latency", "p50")
    assert (median[4], median[7], median[8], median[9]) == ("s", 1e-8, "reported", 127)
    assert row(reading, "latency", "max")[7] == 1e-5
    assert row(reading, "bytes_in", "total")[7] == pytest.approx(1e5)
    assert row(reading, "error_rate", "mean")[5:8] == (15001, None, 1e-4)


#: From the scenario's table: requests, rate, then in µs avg, med, p90, p95, p99, max.
TABLE = [
    (
        "baseline",
        1,
        15001,
        500.012577,
        (225.81, 151.59, 230.24, 335.44, 2330, 10310),
    ),
    (
        "baseline",
        2,
        14036,
        467.838152,
        (370.85, 185.82, 307.58, 830.78, 4950, 28930),
    ),
    (
        "baseline",
        3,
        14858,
        495.239581,
        (399.12, 164.14, 245.6, 616.94, 6140, 247130),
    ),
    ("otel", 2, 14915, 497.155131, (2890, 233.16, 2040, 6650, 81300, 234730)),
    ("otel", 5, 14999, 499.949296, (705.77, 233.27, 386.15, 855.06, 8500, 108230)),
]


@pytest.mark.parametrize(("variant", "run", "requests", "rate", "latencies"), TABLE)
def test_runs_match_the_scenario_table(
    variant: str, run: int, requests: int, rate: float, latencies: tuple[float, ...]
) -> None:
    _, actual = read_one(SHORTURL / variant / f"k6-{run}.txt")
    assert actual[None, "requests", "count"] == requests
    assert actual[None, "request_rate", "mean"] == rate
    stats = ("mean", "p50", "p90", "p95", "p99", "max")
    latency = [actual[None, "latency", stat] * 1e6 for stat in stats]
    assert latency == pytest.approx(latencies, rel=1e-14)


def test_full_summary_keeps_totals_apart_from_groups() -> None:
    reading, actual = read_one(SHORTURL / "baseline" / "k6-full-1.txt")
    assert actual[None, "requests", "count"] == 5001
    assert actual["scenario:shorten", "requests", "count"] == 5001
    assert actual["scenario:shorten,group:shorten", "requests", "count"] == 1003
    assert actual["scenario:shorten,group:redirect", "requests", "count"] == 3998
    assert actual[None, "latency", "max"] == 0.04776
    assert actual["scenario:shorten,group:shorten", "latency", "max"] == 0.00479
    assert actual["name:GET /code", "latency", "mean"] == pytest.approx(474.64e-6)
    assert actual["wait", "phase_time", "p50"] == pytest.approx(158.09e-6)
    assert actual["wait,scenario:shorten,group:redirect", "phase_time", "p50"] == pytest.approx(
        157.97e-6
    )
    assert actual[None, "thresholds_crossed", "count"] == 1
    assert row(reading, "thresholds_crossed", "count")[5] == 4 + 1
    assert actual[None, "checks", "mean"] == 0.975
    assert not [key for key in actual if key[1] == "failures" and key[0]]


def test_full_summary_shows_custom_metrics_in_their_units() -> None:
    reading, actual = read_one(SHORTURL / "baseline" / "k6-full-1.txt")
    assert row(reading, "shorten_time", "p50")[3] == pytest.approx(187.13e-6)
    assert row(reading, "shorten_time", "p50")[4] == "s"
    assert row(reading, "body_bytes", "mean")[3:5] == (54.720837, "1")
    assert actual[None, "urls_created", "count"] == 1003
    assert actual[None, "urls_created_per_second", "mean"] == 100.288401
    assert actual[None, "redirect_ok", "mean"] == 0.9624
    assert actual[None, "last_iteration", "max"] == 100


def test_threshold_adds_a_percentile_missing_from_the_columns() -> None:
    reading, actual = read_one(SHORTURL / "baseline" / "k6-full-1.txt")
    assert actual[None, "latency", "p99"] == 4.37e-3
    assert row(reading, "latency", "p99")[9] == 55


def test_nested_groups_and_a_trend_named_like_a_metric() -> None:
    reading, actual = read_one(FIXTURES / "k6-edge" / "nested" / "k6-full-1.txt")
    assert actual["scenario:browse,group:shop,group:list", "requests", "count"] == 46
    assert actual["scenario:browse,group:shop", "latency", "p50"] == pytest.approx(43.82e-3)
    assert actual["scenario:buy,group:cart", "latency", "p99.9"] == pytest.approx(4.19e-3)
    assert actual[None, "latency", "mean"] == pytest.approx(35.29e-3)
    assert actual[None, "k6_latency", "mean"] == pytest.approx(1.17e-3)
    assert row(reading, "latency", "mean")[5] == 113
    assert not [key for key in actual if key[0] == "kind:none"]
    assert (reading.load_model, reading.target_rate) == ("unknown", None)


@pytest.mark.parametrize(("name", "rate"), [("k6-legacy-1", 499.99942), ("k6-old-1", 500.050607)])
def test_classic_summary_is_read(name: str, rate: float) -> None:
    reading, actual = read_one(SHORTURL / "baseline" / f"{name}.txt")
    assert (reading.status, reading.duration) == ("complete", 10.0)
    assert actual[None, "request_rate", "mean"] == rate
    assert actual[None, "requests", "count"] == 5001
    assert actual[None, "checks", "mean"] == 0.975
    assert actual[None, "checks", "count"] == 6002
    assert actual[None, "failures", "count"] == 0
    assert row(reading, "error_rate", "mean")[5] == 5001
    assert ("name:GET /code", "latency", "p95") in actual


def test_ticks_of_failed_requests_count_failures() -> None:
    text = "http_req_failed................: 20.00% ✓ 2          ✗ 8\niterations.....: 1 1/s\n"
    reading, actual = read_one(text)
    assert actual[None, "failures", "count"] == 2
    assert actual[None, "error_rate", "mean"] == 0.2
    assert row(reading, "error_rate", "mean")[5] == 10


def test_pseudo_terminal_output_is_read() -> None:
    reading, actual = read_one(CONSOLE / "k6-ansi-pty-1.txt")
    assert (reading.status, reading.duration) == ("complete", 3.0)
    assert actual[None, "latency", "p95"] == pytest.approx(403.72e-6)
    _, old = read_one(CONSOLE / "k6-v0.49-ansi-pty-1.txt")
    assert old[None, "checks", "mean"] == 0.8753
    assert old[None, "latency", "p95"] == pytest.approx(402.86e-6)


def test_other_statistics_and_units_are_read() -> None:
    _, actual = read_one(CONSOLE / "k6-ms-unit-1.txt")
    latency = {key[2]: value for key, value in actual.items() if key[:2] == (None, "latency")}
    expected = {"min": 0.16e-3, "mean": 0.37e-3, "p99.99": 3.68e-3, "p95": 0.48e-3}
    assert latency == pytest.approx(expected)


def test_refused_run_is_failed_and_has_no_latency() -> None:
    (reading,), (diagnostic,) = read(CONSOLE / "k6-refused-1.txt")
    actual = values(reading)
    assert reading.status == "failed"
    assert actual[None, "error_rate", "mean"] == 1.0
    assert actual[None, "failures", "count"] == 201
    assert not [key for key in actual if key[1] == "latency"]
    assert "every request failed" in diagnostic.what


def test_interrupted_run_is_partial() -> None:
    reading, actual = read_one(CONSOLE / "k6-sigint-1.txt")
    assert (reading.status, reading.duration) == ("partial", 2.5)
    assert actual[None, "interrupted_iterations", "count"] == 1
    assert actual[None, "iterations", "count"] == 246


def test_console_without_a_summary_is_read() -> None:
    (reading,), (note,) = read(CONSOLE / "k6-nosummary-1.txt")
    actual = values(reading)
    assert (reading.form, note.severity) == ("console", "note")
    assert actual == {
        (None, "duration", "total"): 3.0,
        (None, "iterations", "count"): 301.0,
        (None, "interrupted_iterations", "count"): 0.0,
    }
    assert not read((CONSOLE / "k6-nosummary-1.txt").read_bytes().replace(b"3.0s)", b"3.0.)"))[0]


TRUNCATED = """\
  █ THRESHOLDS
    http_req_duration
    ✓ 'p(95)<2000' p(95)=21.33ms

  █ TOTAL RESULTS
    HTTP
    http_req_duration.....................: avg=14.17ms p(90)=18.38ms p(95)=21.33m
      { expected_response:true }..........: avg=14.17ms p(90)=18.38ms p(95)=21.33m
    queue_length..........................: avg=14.1723 p(90)=18.3811 p(95)=21.331
    http_reqs.............................: 1654   38.058787/s
    data_sent.............................: 185 kB 4.3 kB/s
"""


def test_line_truncated_by_the_terminal_is_reported() -> None:
    (reading,), problems = read(TRUNCATED)
    actual = values(reading)
    assert actual[None, "latency", "p95"] == pytest.approx(21.33e-3)
    assert row(reading, "latency", "p95")[9] == 3
    assert actual[None, "latency", "p90"] == pytest.approx(18.38e-3)
    assert ("expected_response:true", "latency", "p95") not in actual
    assert (None, "queue_length", "p95") not in actual
    assert actual[None, "queue_length", "p90"] == 18.3811
    assert [(problem.line, problem.severity) for problem in problems] == [
        (7, "note"),
        (8, "warning"),
        (9, "warning"),
    ]


def test_minutes_and_hours_are_converted() -> None:
    text = "http_req_duration...: avg=1m30s max=1h2m3s med=0s\niterations....: 1 1/s\n"
    reading, actual = read_one(text)
    assert actual[None, "latency", "mean"] == 90
    assert actual[None, "latency", "max"] == 3723
    assert row(reading, "latency", "max")[7] == 1.0


@pytest.mark.parametrize("prefix", ["# ", "> ", "\t", "| ", "k6-1  | ", "2026-11-21T00:00:01.5Z "])
def test_prefixes_do_not_change_the_result(prefix: str) -> None:
    text = (SHORTURL / "baseline" / "k6-1.txt").read_text()
    prefixed = "".join(prefix + line for line in text.splitlines(keepends=True))
    assert read_one(prefixed)[1] == read_one(text)[1]


def test_line_ends_and_bom_do_not_change_the_result() -> None:
    text = (SHORTURL / "baseline" / "k6-full-1.txt").read_text()
    expected = read_one(text)[1]
    assert read_one(text.replace("\n", "\r\n"))[1] == expected
    assert read_one("\ufeff" + text)[1] == expected


def test_many_runs_in_one_file_are_read() -> None:
    parts = [SHORTURL / "baseline" / f"k6-{name}-1.txt" for name in ("old", "full", "legacy")]
    texts = [path.read_text() for path in (*parts, CONSOLE / "k6-quiet-1.txt")]
    readings, problems = read("$ k6 run a.js\n" + "Some prose.\n".join(texts))
    assert [values(reading) for reading in readings] == [read_one(text)[1] for text in texts]
    assert readings[0].command == "k6 run a.js"
    assert [reading.command for reading in readings[1:]] == [None] * 3
    assert problems == []


def test_two_headless_summaries_are_two_runs() -> None:
    text = (CONSOLE / "k6-quiet-1.txt").read_text()
    assert len(read(text + text)[0]) == 2
    classic = "http_reqs....: 10 5/s\niterations...: 10 5/s\n"
    assert len(read(classic * 3)[0]) == 3


@pytest.mark.parametrize(
    ("line", "model", "rate"),
    [
        ("* a: 10 looping VUs for 30s (gracefulStop: 30s)", "closed", None),
        ("* a: Up to 10 looping VUs for 4m0s over 4 stages (gracefulStop: 30s)", "closed", None),
        ("* a: 1 iterations for each of 1 VUs (maxDuration: 10m0s)", "closed", None),
        ("* a: 100 iterations shared among 10 VUs (maxDuration: 10m0s)", "closed", None),
        ("* a: Up to 200.00 iterations/s for 10s over 3 stages (maxVUs: 5-9)", "open", None),
        ("* a: 50.00 iterations/s for 10s (maxVUs: 5-9)", "open", 50.0),
        ("vus: 10, max: 10", "closed", None),
    ],
)
def test_load_model_is_inferred(line: str, model: str, rate: float | None) -> None:
    text = f"execution: local\n  {line}\nhttp_reqs....: 10 5/s\niterations...: 10 5/s\n"
    reading, _ = read_one(text)
    assert (reading.load_model, reading.target_rate) == (model, rate)


def test_run_without_an_end_is_refused() -> None:
    text = (SHORTURL / "baseline" / "k6-1.txt").read_text()
    readings, (problem,) = read(text[:2000])
    assert readings == []
    assert (problem.severity, problem.line) == ("error", 9)


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_every_fixture_is_recognised_with_correct_lines(path: Path) -> None:
    source = Source.load(path)
    assert FORMAT.recognises(source.head())
    lines = dict(source.lines())
    for reading in read(path)[0]:
        assert reading.line <= min(row[9] for row in reading.rows)
        assert max(row[9] for row in reading.rows) <= reading.last_line
        for _, metric, stat, value, unit, *_, origin, line in reading.rows:
            digits = f"{Decimal(repr(value)):f}".replace(".", "").strip("0")
            assert origin == "computed" or digits in "".join(filter(str.isdigit, lines[line])), (
                metric,
                stat,
                unit,
            )


@pytest.mark.parametrize("text", ["", "http_reqs counts requests\n", "* [http_reqs](#http_reqs)\n"])
def test_other_texts_are_not_recognised(text: str) -> None:
    assert not FORMAT.recognises(Head("x", text.encode(), text))


@given(st.sampled_from([path.read_bytes() for path in TEXTS]), st.data())
def test_values_before_a_truncation_are_right(text: bytes, data: st.DataObject) -> None:
    whole = [values(reading) for reading in read(text)[0]]
    size = data.draw(st.integers(0, len(text)))
    for reading, expected in zip(read(text[:size])[0], whole, strict=False):
        assert values(reading).items() <= expected.items()


@given(st.text())
def test_arbitrary_text_never_raises(text: str) -> None:
    read("http_req_duration....: " + text)
    read("http_reqs....: 5 1/s\n  █ TOTAL RESULTS\n" + text)


def test_match_line_skips_checks_and_prose() -> None:
    assert match_line("✓ GET response time < 5000ms") is None
    assert match_line("and so on...: see below") is None
    assert match_line("{ name:GET /code }...........: avg=1s") == ("{ name:GET /code }", "avg=1s")


def test_understand_reads_a_gauge() -> None:
    measure, lost = understand(Line(1, 40, "vus", "", "2      min=0          max=3"))
    assert measure is not None
    assert lost is None
    assert measure.kind == "gauge"
    assert [measure.numbers[key].value for key in ("value", "min", "max")] == [2, 0, 3]
