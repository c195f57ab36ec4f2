"""wrk2 as DeathStarBench and others ship it: their header calls the third column 99%, not Max."""

from __future__ import annotations

import pytest
from wrk_readings import claimed, only, readings, remarks, values

DSB = """\
$ ./wrk2/wrk -D exp -t 2 -c 40 -d 30 -R 2000 http://127.0.0.1:5000/hotels
Running 30s test @ http://127.0.0.1:5000/hotels
  2 threads and 40 connections
  Thread Stats   Avg      Stdev     99%   +/- Stdev
    Latency   189.65us   80.56us 319.00us   72.88%
    Req/Sec     1.04k    83.30     1.22k    81.84%
  59896 requests in 30.00s, 5.94MB read
Requests/sec:   1996.57
Transfer/sec:    202.78KB
"""
_LEVELS = """\
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%  180.00us
 99.000%  319.00us
100.000%  801.00us
"""


@pytest.mark.parametrize("command", [True, False], ids=["with -R", "without a command"])
def test_column_headed_99_is_the_99th_percentile_not_the_maximum(command: bool) -> None:
    text = DSB if command else DSB.partition("\n")[2]
    reading = only(text.encode())
    assert (reading.tool, reading.load_model, reading.status) == ("wrk2", "open", "complete")
    assert reading.target_rate == (2000.0 if command else None)
    assert reading.params == {"connections": "40", "threads": "2"}
    actual = values(reading)
    assert actual["latency", "p99"] == pytest.approx(0.000319)
    assert actual["thread_request_rate", "p99"] == 1220.0
    assert not any(stat == "max" for _, stat in actual)
    assert remarks(text.encode()) == []


def test_histogram_below_a_99_column_belongs_to_the_same_report() -> None:
    actual = values(only(DSB.replace("  59896", f"{_LEVELS}  59896").encode()))
    assert actual["latency", "p99"] == pytest.approx(0.000319)
    assert actual["latency", "max"] == pytest.approx(0.000801)


@pytest.mark.parametrize("tail", ["", _LEVELS], ids=["plain", "histogram"])
@pytest.mark.parametrize(("known", "name"), [("99%", "90%"), ("99%", "Min"), ("Stdev ", "Median ")])
def test_unknown_columns_are_not_read_by_position(known: str, name: str, tail: str) -> None:
    text = DSB.replace(known, name, 1).replace("  59896", f"{tail}  59896").encode()
    reading = only(text)
    assert (reading.tool, reading.status) == ("wrk2", "partial")
    assert {row[9] for row in reading.rows}.isdisjoint({5, 6})
    damaged, incomplete = remarks(text)
    assert (damaged.line, "Thread Stats" in damaged.what) == (4, True)
    assert "lacks its `Thread Stats` line" in incomplete.what


@pytest.mark.parametrize("after", ["Stdev\n", "72.88%\n"], ids=["above latency", "below it"])
def test_phase_among_the_statistics_is_read(after: str) -> None:
    row = "    TTFB      12.50ms    1.25ms  20.00ms   72.00%\n"
    head, sign, tail = DSB.replace("99% ", "Max ").partition(after)
    reading = only(f"{head}{sign}{row}{tail}".encode())
    assert reading.status == "complete"
    phases = {row[2]: row[3] for row in reading.rows if row[:2] == ("wait", "phase_time")}
    assert phases == {"mean": 0.0125, "stdev": 0.00125, "max": 0.02}
    assert values(reading)["latency", "mean"] == pytest.approx(0.00018965)


_RULE = "-----------------------------------------------------------------------\n"
_STATS = "  Thread Stats" + DSB.partition("  Thread Stats")[2]


def _list_results(text: str) -> list[tuple[str, int, str, int]]:
    return [
        (each.target, each.line, each.status, int(values(each)["requests", "count"]))
        for each in readings(text.encode())
    ]


def test_statistics_of_several_addresses_belong_to_their_titles() -> None:
    head = DSB.partition("  Thread Stats")[0].removesuffix("\n")
    titles = [f"{_RULE}Test Results @ http://127.0.0.1:{port}/hotels \n" for port in (1, 2)]
    overall = _STATS.replace("  59896 requests", "  Overall 119792 requests")
    banner = f"{_RULE}---------------------------Overall Statistics--------------------------\n"
    first, second = (title + _STATS + "\n" for title in titles)
    text = f"{head}\n\n{first}{second}{banner}{_RULE}{overall}"
    results = _list_results(text)
    assert [(target, status, count) for target, _, status, count in results] == [
        ("/hotels", "complete", 59896),
        ("/hotels", "partial", 59896),
        ("", "partial", 119792),
    ]


def test_overall_statistics_alone_are_one_report() -> None:
    head = DSB.partition("  Thread Stats")[0]
    overall = _STATS.replace("  59896 requests", "  Overall 59896 requests")
    banner = f"{_RULE}---------------------------Overall Statistics--------------------------\n"
    text = f"{head}\n{_RULE}{banner}{_RULE}{overall}"
    assert _list_results(text) == [("/hotels", 2, "complete", 59896)]
    several = text.replace("/hotels\n", "/hotels http://127.0.0.1:5001/\n", 1)
    assert _list_results(several) == [("", 2, "complete", 59896)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  Thread Stats   Avg", "^C  Thread Stats   Avg"),
        ("  2 threads", "^C^C  2 threads"),
        ("Running 30s", "^CRunning 30s"),
        ("   ", "\t"),
        ("    Latency   189.65us ", "\tLatency\t\t189.65us\t"),
    ],
)
def test_ctrl_c_signs_and_tabs_do_not_change_the_result(old: str, new: str) -> None:
    """Reports had ``^C  Thread Stats``, and tabs instead of blanks in the whole table."""
    text = DSB.replace(old, new).encode()
    assert claimed(text)
    assert values(only(text)) == values(only(DSB.encode()))
    assert remarks(text) == []
