"""Unrelated lines inside a report (a log, a warning, a prompt) lose none of its numbers."""

from __future__ import annotations

import pytest
from ab_readings import FIXTURES, readings, remarks, values

from benchkit.parsers.base import Reading

REPORTS = {
    "ab": "nginx-ab/nginx/ab-small-c30-1.txt",
    "wrk": "wrk-edge/wrk/wrk-mixed-errors-1.txt",
    "hey": "nginx-ab/nginx/hey-c30-1.txt",
    "oha_text": "oha/text-sec.txt",
    "plow": "plow-forms/text-rate.txt",
    "bombardier": "bombardier-forms/text-latencies.txt",
    "fortio_text": "fortio-forms/text.txt",
    "autocannon_text": "autocannon/text.txt",
    "hyperfine_text": "hyperfine/text-once.txt",
}
STRAYS = {
    "log": "2026-11-27T19:00:01Z INFO request handled in 3 ms",
    "access log": '127.0.0.1 - - [27/Nov/2026:19:00:01 +0000] "GET / HTTP/1.1" 200 612',
    "warning": "WARNING: connection reset by peer",
    "prompt": "user@host:~$ \nuser@host:~$ echo done\ndone",
    "job": "[1]  + 12345 done       ./server",
    "many": "\n".join(f"[{n}] worker idle" for n in range(40)),
}
AB = (FIXTURES / REPORTS["ab"]).read_text()
UPPER, LOWER = AB[: AB.index("Percentage of")], AB[AB.index("Percentage of") :]


def list_values(runs: list[Reading]) -> list[tuple[str, set[tuple[object, ...]]]]:
    return [(run.status, {row[:4] for row in run.rows}) for run in runs]


@pytest.mark.parametrize("stray", STRAYS.values(), ids=STRAYS.keys())
@pytest.mark.parametrize("name", REPORTS)
def test_unrelated_lines_do_not_change_a_report(name: str, stray: str) -> None:
    lines = (FIXTURES / REPORTS[name]).read_text(encoding="utf-8").split("\n")
    intact = readings("\n".join(lines).encode(), name)
    for place in range(intact[0].line, intact[0].last_line):
        text = "\n".join((*lines[:place], stray, *lines[place:]))
        assert list_values(readings(text.encode(), name)) == list_values(intact), lines[place]


@pytest.mark.parametrize(
    "note", ["# of [all] (mean)", "// 延迟", "(并发数)", "（并发数）", "<- QPS"]
)
@pytest.mark.parametrize("name", REPORTS)
def test_notes_after_lines_do_not_change_a_report(name: str, note: str) -> None:
    text = (FIXTURES / REPORTS[name]).read_text(encoding="utf-8")
    noted = "\n".join(f"{line}   {note}" if line.strip() else "" for line in text.split("\n"))
    actual, plain = (readings(each.encode(), name) for each in (noted, text))
    assert list_values(actual) == list_values(plain)
    assert [run.target for run in actual] == [run.target for run in plain]
    if note[0] not in "(（":  # like the end of a server's version
        assert [run.env for run in actual] == [run.env for run in plain]


@pytest.mark.parametrize("between", ["## nginx", "=== nginx ===", "$ ab -n 300 -c 4 http://h:1/"])
def test_heading_or_command_separates_reports(between: str) -> None:
    data = f"{UPPER}{between}\n{LOWER}".encode()
    assert len(readings(data)) == 2
    last = data.decode().split("\n").index(" 100%     42 (longest request)") + 1
    assert [(each.line, "lacks its" in each.what) for each in remarks(data)] == [(last, True)]


def test_percentiles_of_another_run_are_skipped_with_a_diagnostic() -> None:
    data = f"{UPPER}some days later\n{LOWER.replace('100%     42', '100%     99')}".encode()
    (run,) = readings(data)
    (remark,) = remarks(data)
    assert (None, "latency", "max") in values(run)
    assert not any(row[2].startswith("p") and row[1] == "latency" for row in run.rows)
    assert "took 0.099 s and 0.042 s" in remark.what


def test_possible_error_below_other_text_is_reported_not_counted() -> None:
    text = (FIXTURES / "nginx-ab/edge/hey-closed-port-1.txt").read_text(encoding="utf-8")
    data = text.replace("distribution:\n  [50]", "distribution:\nport closed\n  [50]").encode()
    named = [each.line for each in remarks(data, "hey") if "not read: '[50]" in each.what]
    assert data.decode().split("\n")[named[0] - 1].startswith("  [50]")
    assert "failures" not in {row[1] for run in readings(data, "hey") for row in run.rows}


def test_plow_report_followed_by_other_text_is_kept() -> None:
    text = (FIXTURES / REPORTS["plow"]).read_text(encoding="utf-8")
    truncated = text[: text.index("Latency Histogram")]
    runs = readings(f"{truncated}\nand the next day\n\n{text}".encode(), "plow")
    assert [run.status for run in runs] == ["partial", "complete"]
