"""wrk and wrk2 reports that are decorated, truncated, mixed, damaged or absent."""

from __future__ import annotations

import gzip
import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from wrk_readings import (
    EDGE,
    WHOLE,
    WRK2,
    claimed,
    near,
    only,
    readings,
    records,
    remarks,
    run_contents,
    values,
)

from benchkit.parsers.base import Reading, Record, Row
from benchkit.parsers.wrk import TEXT as FORMAT
from benchkit.reading.source import Source, UnreadableError


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("wrk/wrk-version-usage.txt", "no complete report of wrk"),
        ("synthetic-not-wrk.txt", "this is a go-wrk report"),
    ],
    ids=["usage", "others"],
)
def test_other_output_is_not_recognised(name: str, message: str) -> None:
    assert not claimed(EDGE / name)
    assert readings(EDGE / name) == []
    (remark,) = remarks(EDGE / name)
    assert message in remark.what


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n" * 70_000,
        "Requests/sec was about 1200 and Latency looked fine; 99% of people agree.\n",
        "Running 10s test @ http://h/\n10 connections\n",
        'echo "Running 10s test @ http://h/"\necho "  2 threads and 8 connections"\n',
        "  Requests/sec:\t5699.3747\n  Total:\t3.5092 secs\n20000 requests in total\n",
        "server: unable to connect to db:5432 refused\n",
        "log\nunable to connect to db:5432 refused\n",
        "| none | 873465 | 29018.83 | 0.276 | 4.97 |\n",
    ],
)
def test_prose_tables_scripts_and_other_tools_are_not_recognised(text: str) -> None:
    assert not claimed(text.encode())
    assert readings(text.encode()) == []


def test_tails_and_heads_of_different_runs_are_kept_apart() -> None:
    path = EDGE / "synthetic-tail-then-head.txt"
    tail, truncated, other, whole, failed = readings(path)
    assert [run.status for run in (tail, truncated, other, whole)] == [*["partial"] * 3, "complete"]
    assert failed.status == "failed"
    assert (tail.target, tail.params, values(tail)["latency", "p99"]) == ("", {}, 0.0149)
    assert set(values(truncated)) == {
        ("latency", "mean"),
        ("latency", "stdev"),
        ("latency", "max"),
        ("latency_within_stdev", "mean"),
    }
    assert values(other)["requests", "count"] == 11111.0
    assert (other.load_model, other.corrected) == ("unknown", None)
    assert values(whole)["request_rate", "mean"] == 1481.47


def test_damaged_line_is_skipped_with_a_diagnostic() -> None:
    path = EDGE / "synthetic-tail-then-head.txt"
    damaged = [remark for remark in remarks(path) if "ignored" in remark.what]
    assert [remark.line for remark in damaged] == [23]
    assert not any("failures" in key[0] for key in values(readings(path)[3]))


def test_partial_run_names_its_missing_lines() -> None:
    (remark,) = remarks(EDGE / "truncated/wrk.cut70.txt")
    assert "lacks its `requests in`, `Requests/sec`, `Transfer/sec` lines" in remark.what
    assert only(EDGE / "truncated/wrk.cut70.txt").status == "partial"
    assert only(EDGE / "truncated/wrk.cut30.txt").rows == []


def test_histogram_of_another_run_is_a_warning() -> None:
    """A report had one run's percentiles above another's spectrum: 4.61 and 2.088 ms."""
    text = (
        "Running 35s test @ http://localhost:8080\n  1 threads and 1 connections\n"
        "  Thread calibration: mean lat.: 0.681ms, rate sampling interval: 10ms\n"
        "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
        "    Latency   682.68us  341.78us   4.60ms   59.58%\n"
        "    Req/Sec     6.86k   491.30     8.80k    68.06%\n"
        "  Latency Distribution (HdrHistogram - Recorded Latency)\n"
        " 50.000%  681.00us\n100.000%    4.61ms\n\n"
        "  Detailed Percentile spectrum:\n"
        "       Value   Percentile   TotalCount 1/(1-Percentile)\n\n"
        "       0.681     0.500000         6508         2.00\n"
        "       4.611     1.000000        13006          inf\n"
        "#[Mean    =        0.683, StdDeviation   =        0.342]\n"
        "#[Max     =        4.608, Total count    =        13006]\n"
        "  22749 requests in 35.00s, 14.86MB read\n"
        "Requests/sec:    649.83\nTransfer/sec:    434.88KB\n"
    )
    assert not remarks(text.encode())
    row = "       4.611     1.000000        13006          inf\n"
    rounded = "".join(
        f"       {time}     0.999997        13005    291271.11\n" for time in ("3.100", "4.200")
    )
    assert not remarks(text.replace(row, rounded + row).encode())
    torn = text.replace("4.611 ", "2.089 ").replace("4.608", "2.088")
    (remark,) = remarks(torn.encode())
    assert remark.line == 15
    assert "belong to different runs: their values of max differ" in remark.what


def test_histogram_kind_is_inferred_from_the_next_heading() -> None:
    reading = only(EDGE / "synthetic-wrk2-mangled.md")
    assert (reading.tool, reading.status) == ("wrk2", "partial")
    assert values(reading) == near(
        {
            ("latency", "p99.9878"): 0.003151,
            ("latency", "mean"): 0.00121,
            ("latency", "stdev"): 0.000377,
            ("latency", "max"): 0.003442,
            ("uncorrected_latency", "p50"): 0.00019,
            ("uncorrected_latency", "p99"): 0.000401,
        }
    )
    assert {row[5] for row in reading.rows if row[1] == "latency"} == {8992}


def test_histogram_of_unknown_kind_is_left_out() -> None:
    path = EDGE / "synthetic-wrk2-nameless.txt"
    assert not any("latency" in metric for metric, _ in values(only(path)))
    assert any("has no heading" in remark.what for remark in remarks(path))


@pytest.mark.parametrize(
    "name", ["crlf/wrk.txt", "encoding/utf16le-bom-wrk.txt", "encoding/utf8-bom-wrk.txt"]
)
def test_encodings_and_line_ends_do_not_change_the_result(name: str) -> None:
    reading = only(EDGE / name)
    assert reading.target == "/ping/GRM"
    assert values(reading)["request_rate", "mean"] == 3645.71
    assert values(reading)["bandwidth_in", "mean"] == pytest.approx(0.9 * 2**20)
    assert run_contents(EDGE / name) == run_contents(EDGE / "encoding/utf8-bom-wrk.txt")


SAMPLES = [EDGE / "multi/wrk-3runs-prompt.txt", EDGE / "wrk/wrk-mixed-errors-1.txt", WRK2]
ENDS: list[Callable[[str], bytes]] = [
    str.encode,
    lambda text: text.encode("utf-8-sig"),
    lambda text: text.encode("utf-16"),
    lambda text: gzip.compress(text.encode()),
]


@given(
    path=st.sampled_from(SAMPLES),
    prefix=st.sampled_from(["", "# ", "> ", "\t", "#\t", "| ", "> # ", "//! ", ";; ", "  ", "- "]),
    end=st.sampled_from(["\n", "\r\n", "  \n", "\x1b[0m\n", "\x1b[K\r\n"]),
    encode=st.sampled_from(ENDS),
)
def test_prefixes_and_colours_do_not_change_the_result(
    path: Path, prefix: str, end: str, encode: Callable[[str], bytes]
) -> None:
    lines = path.read_text().splitlines()
    decorated = encode("".join(f"{prefix}\x1b[1m{line}{end}" for line in lines))
    assert claimed(decorated)
    assert run_contents(decorated) == run_contents(path)


def test_line_below_a_command_without_its_report_is_reported() -> None:
    text = WHOLE.read_text(encoding="utf-8")
    data = f"{text}\n$ wrk -t2 -c9 http://h/\n  Latency     1.00ms    1.00ms   2.00ms   90.00%\n"
    actual = [remark for remark in remarks(data.encode()) if "too short" in remark.what]
    assert [each.line for each in actual] == [data.count("\n")]


def is_row_of(whole: Reading, row: Row) -> bool:
    """Return whether a complete run has the number of a truncated run, perhaps more precisely.

    The two forms of one histogram differ by rounding and by its three significant digits.
    """
    value, step = row[3], row[7]
    (expected,) = (other[3] for other in whole.rows if other[:3] == row[:3])
    return math.isclose(value, expected, rel_tol=2e-3, abs_tol=step or 0)


def check_truncated(path: Path, size: int) -> None:
    data = path.read_bytes()
    for part, whole in zip(readings(data[:size]), readings(data), strict=False):
        assert [row for row in part.rows if not is_row_of(whole, row)] == []
        assert part.target == whole.target
        assert part.params == whole.params
        assert part.status == "partial" or part.rows == whole.rows


def test_truncated_report_yields_no_wrong_number() -> None:
    data = WHOLE.read_bytes()
    (whole,) = readings(data)
    for size in range(len(data) + 1):
        for part in readings(data[:size]):
            assert [row for row in part.rows if row not in whole.rows] == [], size
            assert (part.target, part.params) == (whole.target, whole.params), size
        assert size >= len(data) - 1 or remarks(data[:size]), size


@given(
    path=st.sampled_from([*SAMPLES, EDGE / "synthetic-wrk2.txt", EDGE / "synthetic-minutes.txt"]),
    share=st.floats(0, 1),
)
@example(path=EDGE / "wrk/wrk-mixed-errors-1.txt", share=0.875)
@example(path=WRK2, share=0.5)
def test_longer_truncated_sources_yield_no_wrong_number(path: Path, share: float) -> None:
    check_truncated(path, round(share * path.stat().st_size))


def test_last_number_counts_only_with_its_line_end() -> None:
    head = WHOLE.read_text().split("  Latency Dist")[0] + "  Latency Distribution\n"
    assert ("latency", "p50") not in values(only(f"{head}     50%    1.47m".encode()))
    minutes = values(only(f"{head}     50%    1.47m\n".encode()))
    assert minutes["latency", "p50"] == pytest.approx(88.2)
    text = (EDGE / "wrk/wrk-mixed-errors-1.txt").read_text()
    until = text.index("24\n")
    assert "failures" not in str(values(only(text[: until + 1].encode())))
    assert values(only(text[: until + 3].encode()))["failures/timeout", "count"] == 24.0


def test_damaged_gzip_yields_what_precedes_the_damage() -> None:
    packed = gzip.compress(WHOLE.read_bytes() * 3, compresslevel=0)
    actual: list[Record] = []
    with pytest.raises(UnreadableError):
        actual.extend(FORMAT.parse(Source(None, "x.gz", packed[:-8])))
    runs = [record for record in actual if isinstance(record, Reading)]
    assert [run.status for run in runs] == ["complete"] * 3


@given(st.lists(st.sampled_from(WRK2.read_text().splitlines() + WHOLE.read_text().splitlines())))
def test_shuffled_lines_give_finite_values_and_disjoint_runs(
    lines: list[str],
) -> None:
    runs = readings("\n".join(lines).encode())
    for run in runs:
        assert all(math.isfinite(value) for value in values(run).values())
        assert all(run.line <= row[9] <= run.last_line for row in run.rows)
    assert all(first.last_line < second.line for first, second in pairwise(runs))


@given(st.text())
def test_arbitrary_text_never_raises(text: str) -> None:
    claimed(text.encode("utf-8", "surrogatepass"))
    records(text.encode("utf-8", "surrogatepass"))


@given(st.sampled_from(WHOLE.read_text().splitlines()), st.text(max_size=8), st.integers(0, 60))
def test_altered_line_never_raises(line: str, added: str, at: int) -> None:
    text = WHOLE.read_text().replace(line, line[:at] + added + line[at:])
    for run in readings(text.encode("utf-8", "surrogatepass")):
        assert all(math.isfinite(row[3]) for row in run.rows)


def test_numbers_too_long_to_be_real_are_skipped() -> None:
    text = WHOLE.read_text().replace("156120", "9" * 400).replace("10406.41", "9" * 400 + ".00")
    reading = only(text.encode())
    assert ("request_rate", "mean") not in values(reading)
    assert reading.status == "partial"


def test_unrelated_line_does_not_split_a_report() -> None:
    plain = WHOLE.read_text().splitlines(keepends=True)
    expected = only(WHOLE)
    for place in range(2, len(plain)):
        text = "".join([*plain[:place], "GC pause 12ms\n", *plain[place:]])
        actual = only(text.encode())
        assert values(actual) == values(expected)
        assert actual.status == "complete"


def test_count_wrapped_by_a_terminal_is_not_read_short() -> None:
    report = _with_errors()
    text = report.replace("timeout 721", "timeout 72\n1")
    assert ("failures/timeout", "count") not in values(only(text.encode()))
    assert "truncated or altered" in remarks(text.encode())[0].what
    assert values(only(report.encode()))["failures/timeout", "count"] == 721


def _with_errors() -> str:
    head, line, rest = WHOLE.read_text().partition("Requests/sec:")
    return f"{head}  Socket errors: connect 0, read 98, write 0, timeout 721\n{line}{rest}"


@pytest.mark.parametrize(
    ("as_printed", "as_pasted"),
    [("68512 requests in", "68,512 requests in"), ("```\nRunning", "``` Running")],
)
def test_manual_edits_of_a_report_keep_its_numbers(as_printed: str, as_pasted: str) -> None:
    report = (
        "```\nRunning 10s test @ http://localhost:8080/a\n  2 threads and 8 connections\n"
        "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
        "    Latency     1.17ms  200.00us   9.00ms   90.00%\n"
        "    Req/Sec     3.44k   100.00     3.80k    70.00%\n"
        "  68512 requests in 10.00s, 8.49MB read\n"
        "Requests/sec:   6851.20\nTransfer/sec:    869.50KB\n```\n"
    )
    printed, text = only(report.encode()), report.replace(as_printed, as_pasted)
    pasted = only(text.encode())
    assert [row[:4] for row in pasted.rows] == [row[:4] for row in printed.rows]
    assert (pasted.target, pasted.status, remarks(text.encode())) == ("/a", "complete", [])
