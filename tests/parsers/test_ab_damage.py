"""ab's report truncated, interrupted, altered, or from a version with other units."""

from __future__ import annotations

import gzip

import pytest
from ab_readings import (
    EDGE,
    NGINX,
    latency,
    near,
    only,
    phase,
    readings,
    records_before_damage,
    remarks,
    values,
)
from hypothesis import assume, given
from hypothesis import strategies as st

from benchkit.parsers.ab import clock
from benchkit.parsers.ab.report import Report
from benchkit.parsers.base import Reading

WHOLE = (NGINX / "ab-small-c30-1.txt").read_bytes()
TEXT = WHOLE.decode()
PROMPT = b"$ ab -n 3000 -c 30 http://127.0.0.1:8090/index.html\n"


def changed(old: str, new: str, text: str = TEXT) -> bytes:
    assert old in text
    return text.replace(old, new).encode()


@given(st.integers(0, len(WHOLE)))
def test_truncated_report_yields_a_subset_of_the_full_values(place: int) -> None:
    whole = {row[:4] for row in only(WHOLE).rows}
    runs = readings(WHOLE[:place])
    assert len(runs) <= 1
    for reading in runs:
        assert {row[:4] for row in reading.rows} <= whole
        is_whole = place >= len(WHOLE.rstrip(b"\n"))
        assert (reading.status == "complete") == (is_whole or reading.last_line == 31)


@given(st.binary(max_size=300), st.integers(0, len(WHOLE)))
def test_arbitrary_bytes_never_raise(junk: bytes, place: int) -> None:
    assume(place or not junk.startswith(b"\x1f\x8b"))  # damaged gzip is reported elsewhere
    for reading in readings(WHOLE[:place] + junk + WHOLE[place:]):
        assert reading.line <= reading.last_line


def test_truncated_report_names_what_is_missing() -> None:
    path = EDGE / "truncated/ab.cut70.txt"
    assert only(path).status == "partial"
    assert "lacks its `Total` line" in remarks(path)[0].what
    head = EDGE / "truncated/ab.cut30.txt"
    assert (only(head).status, only(head).rows) == ("partial", [])
    assert "lacks its `Complete requests` line, so nothing of it is" in remarks(head)[0].what


def test_last_number_without_a_line_end_is_ignored() -> None:
    truncated = WHOLE[: WHOLE.index(b"Failed requests") - 2]
    assert truncated.endswith(b"300")
    assert (None, "requests", "count") not in values(only(truncated))
    assert values(only(truncated + b"0\n"))[None, "requests", "count"] == 3000


def test_truncated_percentiles_make_the_run_partial() -> None:
    truncated = WHOLE[: WHOLE.index(b"  95% ")]
    reading = only(truncated)
    assert (reading.status, latency(reading)["p90"]) == ("partial", near(0.013))
    assert "`100%`" in remarks(truncated)[0].what


def test_tail_is_a_separate_run_and_adds_nothing_to_the_next_report() -> None:
    tail = TEXT[TEXT.index("Requests per second") :]
    first, second = readings((tail + TEXT).encode())
    assert (first.status, first.params, second.status) == ("partial", {}, "complete")
    assert values(first)[None, "request_rate", "mean"] == 6531.64


def test_tail_after_other_text_does_not_complete_the_head_above() -> None:
    head, tail = TEXT[: TEXT.index("Requests per")], TEXT[TEXT.index("Time per request") :]
    first, second = readings(f"{head}\nand some days later we saw\n{tail}".encode())
    assert (first.status, second.status) == ("partial", "partial")
    assert latency(first) == {}
    assert second.duration is None


def test_altered_line_is_skipped_with_a_diagnostic() -> None:
    data = changed("400254000 bytes", "lots of bytes")
    assert (None, "bytes_in", "total") not in values(only(data))
    assert [remark.line for remark in remarks(data)] == [19, 42]
    assert "'Total transferred:      lots of bytes'" in remarks(data)[0].what


@pytest.mark.parametrize(
    ("prompt_line", "status"),
    [
        (PROMPT, "complete"),
        (PROMPT.replace(b"3000", b"9000"), "partial"),
        (PROMPT.replace(b"-n 3000", b"-n9000"), "partial"),
        (PROMPT.replace(b"-n 3000", b"-kn 9000"), "partial"),
        (PROMPT.replace(b"-n 3000", b"-n 9000 -t 5"), "complete"),
        (PROMPT.replace(b"-n 3000 -c 30", b"-n 9000 -c 31"), "complete"),
        (b"$ ab one after the other\n", "complete"),
    ],
)
def test_run_with_fewer_requests_than_planned_is_partial(prompt_line: bytes, status: str) -> None:
    assert only(prompt_line + WHOLE).status == status


def test_interrupted_run_reports_its_completed_requests() -> None:
    path = EDGE / "synthetic-interrupted.txt"
    reading, (remark,) = only(path), remarks(path)
    assert (reading.status, reading.target) == ("partial", "/index.html")
    assert "interrupted after 29697 of 1000000 requests" in remark.what
    assert len(latency(reading)) == 13


@pytest.mark.parametrize(
    ("between", "status"),
    [
        ("(be patient)\nCompleted 1000 requests\nFinished 3000 requests\n", "complete"),
        ("(be patient)\nCompleted 1000 requests\n", "partial"),
        ("(be patient).....done\n", "complete"),
        ("(be patient)...\n", "partial"),
        ("(be patient)...Send request failed!\n..done\n", "complete"),
        ("(be patient)...\n..interrupted\n", "partial"),
        ("(be patient)\nFinished 3000 requests (interrupted)\n", "partial"),
    ],
)
def test_unfinished_progress_marks_the_run_as_interrupted(between: str, status: str) -> None:
    assert only(changed("(be patient)\n", between)).status == status


def test_version_1_3_is_complete_without_a_done_message() -> None:
    data = (EDGE / "synthetic-1.3.txt").read_bytes().replace(b".....done", b"...")
    assert only(data).status == "complete"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("400254000 bytes", "0 bytes", "sent no data"),
        ("requests:      3000", "requests:      0", "no request was completed"),
    ],
)
def test_empty_run_is_reported(old: str, new: str, message: str) -> None:
    assert any(message in remark.what for remark in remarks(changed(old, new)))


UNKNOWN = "apr_sockaddr_info_get() for h: Name or service not known (670002)"


@pytest.mark.parametrize(
    "before",
    ["", "$ ab -n 9 http://h/\n", "This is ApacheBench, Version 2.3 <$Revision: 1 $>\n\n"],
)
def test_unknown_host_is_a_failed_run(before: str) -> None:
    data = f"{before}{UNKNOWN}\n".encode()
    assert only(data).status == "failed"
    (remark,) = remarks(data)
    assert UNKNOWN in remark.what
    assert "host in the URL" in remark.hint


def test_error_above_the_banner_belongs_to_the_same_run() -> None:
    stopped = "apr_socket_recv: Connection refused (111)"
    begun = "This is ApacheBench, Version 2.3 <$Revision: 1 $>\n\nBenchmarking h (be patient)...\n"
    data = f"$ ab -n 9 http://h/\n{stopped}\n{begun}$ ab -n 9 http://h/\n{stopped}\n".encode()
    assert [reading.status for reading in readings(data)] == ["failed"] * 2
    assert all(stopped in remark.what for remark in remarks(data))


def test_run_without_a_completed_request_is_failed() -> None:
    head = TEXT[: TEXT.index("Requests per second")]
    data = changed("requests:      3000", "requests:      0", head)
    assert only(data).status == "failed"
    assert len(remarks(data)) == 1


@pytest.mark.parametrize(
    ("whole", "fraction", "rate", "expected"),
    [
        ("65", "429290", None, (65.42929, 1e-6)),
        ("1", "5000", None, (1.005, 1e-6)),
        ("1", "500", "66.63", (1.5, 0.001)),
        ("1", "500", "99.95", (1.0005, 1e-6)),
        ("1", "500", None, None),
        ("1", "500", "7.00", None),
    ],
)
def test_duration_of_version_2_0_is_recovered_where_unambiguous(
    whole: str, fraction: str, rate: str | None, expected: tuple[float, float] | None
) -> None:
    got = clock.taken(whole, fraction, "2.0.40-dev", is_html=False, count=100, rate=rate)
    assert got == (None if expected is None else near(expected))


def test_html_of_version_2_0_prints_milliseconds() -> None:
    got = clock.taken("0", "65429", "2.0.40-dev", is_html=True, count=None, rate=None)
    assert got == (65.429, 0.001)


def test_ambiguous_duration_is_left_out_with_a_diagnostic() -> None:
    text = TEXT[: TEXT.index("Requests per second")].replace("Version 2.3", "Version 2.0.40-dev")
    reading = only(text.encode())
    assert reading.duration is None
    assert (None, "duration", "total") not in values(reading)
    assert any("thousandths or millionths" in remark.what for remark in remarks(text.encode()))


def test_kilobyte_size_is_inferred_from_the_bytes() -> None:
    assert clock.kilobyte(9.57, 0.01, 16100.0, 1.683) == 1000
    assert clock.kilobyte(9.35, 0.01, 16100.0, 1.683) == 1024
    assert clock.kilobyte(5.0, 0.01, 16100.0, 1.683) == 1024
    assert clock.kilobyte(9.57, 0.01, None, 1.683) == 1024
    assert clock.kilobyte(9.57, 0.01, 16100.0, 0.0) == 1024


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("Processing:    90   49913600", {"min": 0.09, "mean": 0.499, "max": 13.6}),
        ("Processing:    90   499136000", {}),
        ("Processing:    9x   49913600", {}),
    ],
)
def test_five_digit_maximum_next_to_the_mean_is_split(row: str, expected: dict[str, float]) -> None:
    text = (EDGE / "synthetic-plain-tables.txt").read_text(encoding="utf-8")
    data = changed("Processing:    90   499 3600", row, text)
    assert phase(readings(data)[0], "processing") == near(expected)
    assert bool(expected) == (remarks(data) == [])


def test_plain_processing_row_without_waiting_keeps_only_the_mean() -> None:
    text = (EDGE / "synthetic-plain-tables.txt").read_text(encoding="utf-8")
    data = changed("Waiting:       90   498 3600\n", "", text)
    assert phase(readings(data)[0], "processing") == {"mean": 0.499}


def test_report_behind_log_prefixes_is_read() -> None:
    data = "".join(f"bench-1  | {line}\n" for line in TEXT.splitlines()).encode()
    assert only(data).rows == only(WHOLE).rows


def test_damaged_gzip_yields_what_precedes_the_damage() -> None:
    runs = records_before_damage(gzip.compress(WHOLE * 2, compresslevel=0)[:1600], "ab")
    assert [record.status for record in runs if isinstance(record, Reading)] == [
        "complete",
        "partial",
    ]


@pytest.mark.parametrize("count", ["21e", "0x1F", "1e308", "9" * 30, "²"])
def test_invalid_number_in_a_command_is_ignored(count: str) -> None:
    prompt = f"$ ab -n {count} -c {count} http://127.0.0.1:8090/index.html\n".encode()
    rows = only(prompt + WHOLE).rows
    assert [row[:-1] for row in rows] == [row[:-1] for row in only(WHOLE).rows]


def test_row_with_superscripts_is_skipped_with_a_diagnostic() -> None:
    row = "Total:          ² 1234567890"
    line, fields = Report.read_line("Total:          2 1234567890") or (None, None)
    assert line
    assert (line.name, fields) == ("total", ("2", "12345", "", "", "67890"))
    assert Report.read_line(row) == (line, None)


def test_line_broken_in_two_does_not_end_the_report() -> None:
    line = next(line for line in TEXT.splitlines() if line.startswith("Requests per second:"))
    number = line.split()[3]
    torn = changed(number + " ", f"{number[:-1]}\n\n {number[-1]} ")
    (reading,) = readings(torn)
    assert reading.status == "partial"


ENDING = """\
Percentage of the requests served within a certain time (ms)
{}  50%   2
 100%   9 (longest request)
"""


@pytest.mark.parametrize("left_out", ["...\n", "  ....\n\n", "…\n", "[...]\n", "    ...\n    …\n"])
def test_ellipsis_does_not_end_a_report(left_out: str) -> None:
    report = only(f"$ ab -n 9 -c 3 http://h:8080/a\n{ENDING.format(left_out)}".encode())
    assert [(row[2], row[3]) for row in report.rows] == [("p50", 0.002), ("max", 0.009)]
    assert (report.status, report.target) == ("partial", "/a")


def test_ellipsis_inside_a_report_does_not_split_it() -> None:
    text = changed("Connection Times (ms)", "...\n\nConnection Times (ms)")
    assert [row[:4] for row in only(text).rows] == [row[:4] for row in only(WHOLE).rows]


@pytest.mark.parametrize(
    ("url", "host", "path"),
    [
        ("0.0.0.0:8080/path", "0.0.0.0:8080", "/path"),
        ("'localhost/a/b?c=1'", "localhost", "/a/b"),
        ("app:80/", "app:80", "/"),
        ("www.example.org/index.html > out.txt", "www.example.org", "/index.html"),
        ("-T application/json -p data/post.json 127.0.0.1:9/", "127.0.0.1:9", "/"),
        ("-p v1.2/post.json http://h:1/a", "h:1", "/a"),
    ],
)
def test_url_without_a_scheme_gives_host_and_path(url: str, host: str, path: str) -> None:
    report = only(f"$ ab -n 9 -c 3 {url}\n{ENDING.format('')}".encode())
    assert (report.env["host"], report.target) == (host, path)
