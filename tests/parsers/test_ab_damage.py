"""ab's report cut, interrupted, changed, or of a version whose digits mean something else."""

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
def test_a_cut_gives_a_part_of_the_whole(place: int) -> None:
    whole = {row[:4] for row in only(WHOLE).rows}
    found = readings(WHOLE[:place])
    assert len(found) <= 1
    for reading in found:
        assert {row[:4] for row in reading.rows} <= whole
        is_whole = place >= len(WHOLE.rstrip(b"\n"))
        assert (reading.status == "complete") == (is_whole or reading.last_line == 31)


@given(st.binary(max_size=300), st.integers(0, len(WHOLE)))
def test_bytes_of_any_kind_never_raise(junk: bytes, place: int) -> None:
    assume(place or not junk.startswith(b"\x1f\x8b"))  # damaged gzip is told otherwise
    for reading in readings(WHOLE[:place] + junk + WHOLE[place:]):
        assert reading.line <= reading.last_line


def test_a_cut_report_says_what_it_lacks() -> None:
    path = EDGE / "truncated/ab.cut70.txt"
    assert only(path).status == "partial"
    assert "lacks its `Total` line" in remarks(path)[0].what
    head = EDGE / "truncated/ab.cut30.txt"
    assert (only(head).status, only(head).rows) == ("partial", [])
    assert "lacks its `Complete requests` line, so nothing of it is" in remarks(head)[0].what


def test_a_last_number_without_its_line_end_is_not_believed() -> None:
    cut = WHOLE[: WHOLE.index(b"Failed requests") - 2]
    assert cut.endswith(b"300")
    assert (None, "requests", "count") not in values(only(cut))
    assert values(only(cut + b"0\n"))[None, "requests", "count"] == 3000


def test_percentiles_that_break_off_make_a_run_partial() -> None:
    cut = WHOLE[: WHOLE.index(b"  95% ")]
    reading = only(cut)
    assert (reading.status, latency(reading)["p90"]) == ("partial", near(0.013))
    assert "`100%`" in remarks(cut)[0].what


def test_a_tail_is_a_run_of_its_own_and_lends_nothing_to_the_next_head() -> None:
    tail = TEXT[TEXT.index("Requests per second") :]
    first, second = readings((tail + TEXT).encode())
    assert (first.status, first.params, second.status) == ("partial", {}, "complete")
    assert values(first)[None, "request_rate", "mean"] == 6531.64


def test_a_tail_after_other_text_does_not_complete_the_head_before() -> None:
    head, tail = TEXT[: TEXT.index("Requests per")], TEXT[TEXT.index("Time per request") :]
    first, second = readings(f"{head}\nand some days later we saw\n{tail}".encode())
    assert (first.status, second.status) == ("partial", "partial")
    assert latency(first) == {}
    assert second.duration is None


def test_a_changed_line_is_passed_over_and_named() -> None:
    data = changed("400254000 bytes", "lots of bytes")
    assert (None, "bytes_in", "total") not in values(only(data))
    assert [remark.line for remark in remarks(data)] == [19, 42]
    assert "'Total transferred:      lots of bytes'" in remarks(data)[0].what


@pytest.mark.parametrize(
    ("told", "status"),
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
def test_a_run_of_fewer_requests_than_asked_for_was_interrupted(told: bytes, status: str) -> None:
    assert only(told + WHOLE).status == status


def test_an_interrupted_run_says_how_far_it_came() -> None:
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
def test_progress_that_does_not_end_tells_of_an_interruption(between: str, status: str) -> None:
    assert only(changed("(be patient)\n", between)).status == status


def test_1_3_does_not_say_when_it_is_done() -> None:
    data = (EDGE / "synthetic-1.3.txt").read_bytes().replace(b".....done", b"...")
    assert only(data).status == "complete"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("400254000 bytes", "0 bytes", "sent no data"),
        ("requests:      3000", "requests:      0", "no request was completed"),
    ],
)
def test_a_run_of_nothing_is_told(old: str, new: str, said: str) -> None:
    assert any(said in remark.what for remark in remarks(changed(old, new)))


UNKNOWN = "apr_sockaddr_info_get() for h: Name or service not known (670002)"


@pytest.mark.parametrize(
    "before",
    ["", "$ ab -n 9 http://h/\n", "This is ApacheBench, Version 2.3 <$Revision: 1 $>\n\n"],
)
def test_a_host_that_is_not_known_is_a_failed_run(before: str) -> None:
    data = f"{before}{UNKNOWN}\n".encode()
    assert only(data).status == "failed"
    (remark,) = remarks(data)
    assert UNKNOWN in remark.what
    assert "host in the URL" in remark.hint


def test_an_error_above_the_banner_is_of_the_same_run() -> None:
    stopped = "apr_socket_recv: Connection refused (111)"
    begun = "This is ApacheBench, Version 2.3 <$Revision: 1 $>\n\nBenchmarking h (be patient)...\n"
    data = f"$ ab -n 9 http://h/\n{stopped}\n{begun}$ ab -n 9 http://h/\n{stopped}\n".encode()
    assert [reading.status for reading in readings(data)] == ["failed"] * 2
    assert all(stopped in remark.what for remark in remarks(data))


def test_a_run_without_a_completed_request_failed() -> None:
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
def test_the_clock_of_2_0(
    whole: str, fraction: str, rate: str | None, expected: tuple[float, float] | None
) -> None:
    got = clock.taken(whole, fraction, "2.0.40-dev", is_html=False, count=100, rate=rate)
    assert got == (None if expected is None else near(expected))


def test_the_clock_of_html_of_2_0_is_a_thousandth() -> None:
    got = clock.taken("0", "65429", "2.0.40-dev", is_html=True, count=None, rate=None)
    assert got == (65.429, 0.001)


def test_a_clock_that_may_mean_two_things_is_left_out_and_said() -> None:
    text = TEXT[: TEXT.index("Requests per second")].replace("Version 2.3", "Version 2.0.40-dev")
    reading = only(text.encode())
    assert reading.duration is None
    assert (None, "duration", "total") not in values(reading)
    assert any("thousandths or millionths" in remark.what for remark in remarks(text.encode()))


def test_a_rate_in_kilobytes_of_a_thousand_is_known_by_its_bytes() -> None:
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
def test_a_maximum_of_five_digits_touches_the_mean(row: str, expected: dict[str, float]) -> None:
    text = (EDGE / "synthetic-plain-tables.txt").read_text(encoding="utf-8")
    data = changed("Processing:    90   499 3600", row, text)
    assert phase(readings(data)[0], "processing") == near(expected)
    assert bool(expected) == (remarks(data) == [])


def test_before_2_4_the_plain_row_of_processing_is_a_difference() -> None:
    text = (EDGE / "synthetic-plain-tables.txt").read_text(encoding="utf-8")
    data = changed("Waiting:       90   498 3600\n", "", text)
    assert phase(readings(data)[0], "processing") == {"mean": 0.499}


def test_log_prefixes_do_not_hide_a_report() -> None:
    data = "".join(f"bench-1  | {line}\n" for line in TEXT.splitlines()).encode()
    assert only(data).rows == only(WHOLE).rows


def test_damaged_gzip_gives_what_stands_before() -> None:
    found = records_before_damage(gzip.compress(WHOLE * 2, compresslevel=0)[:1600], "ab")
    assert [record.status for record in found if isinstance(record, Reading)] == [
        "complete",
        "partial",
    ]


@pytest.mark.parametrize("count", ["21e", "0x1F", "1e308", "9" * 30, "²"])
def test_a_number_of_a_command_that_is_none_is_not_read(count: str) -> None:
    prompt = f"$ ab -n {count} -c {count} http://127.0.0.1:8090/index.html\n".encode()
    rows = only(prompt + WHOLE).rows
    assert [row[:-1] for row in rows] == [row[:-1] for row in only(WHOLE).rows]


def test_a_row_of_superscripts_is_named_and_left_out() -> None:
    row = "Total:          ² 1234567890"
    line, fields = Report.read_line("Total:          2 1234567890") or (None, None)
    assert line
    assert (line.name, fields) == ("total", ("2", "12345", "", "", "67890"))
    assert Report.read_line(row) == (line, None)


def test_a_line_that_is_torn_in_two_does_not_end_the_report() -> None:
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
def test_dots_that_stand_for_lines_left_out_do_not_end_a_report(left_out: str) -> None:
    report = only(f"$ ab -n 9 -c 3 http://h:8080/a\n{ENDING.format(left_out)}".encode())
    assert [(row[2], row[3]) for row in report.rows] == [("p50", 0.002), ("max", 0.009)]
    assert (report.status, report.target) == ("partial", "/a")


def test_dots_inside_a_report_do_not_part_its_lines() -> None:
    text = changed("Connection Times (ms)", "...\n\nConnection Times (ms)")
    assert [row[:4] for row in only(text).rows] == [row[:4] for row in only(WHOLE).rows]


@pytest.mark.parametrize(
    ("words", "host", "path"),
    [
        ("0.0.0.0:8080/path", "0.0.0.0:8080", "/path"),
        ("'localhost/a/b?c=1'", "localhost", "/a/b"),
        ("app:80/", "app:80", "/"),
        ("www.example.org/index.html > out.txt", "www.example.org", "/index.html"),
        ("-T application/json -p data/post.json 127.0.0.1:9/", "127.0.0.1:9", "/"),
        ("-p v1.2/post.json http://h:1/a", "h:1", "/a"),
    ],
)
def test_a_url_without_a_scheme_tells_host_and_path(words: str, host: str, path: str) -> None:
    report = only(f"$ ab -n 9 -c 3 {words}\n{ENDING.format('')}".encode())
    assert (report.env["host"], report.target) == (host, path)
