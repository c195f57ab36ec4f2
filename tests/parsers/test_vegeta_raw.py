"""Vegeta's raw results in gob, CSV and JSON lines, against vegeta's reports of the same runs."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
import roads
from hypothesis import given
from hypothesis import strategies as st

from benchkit.parsers import kernel, registry
from benchkit.parsers.base import Diagnostic, Reading, Record, Samples, Source
from benchkit.parsers.vegeta import RAW as FORMAT
from benchkit.parsers.vegeta import REPORT, raw, results
from benchkit.parsers.vegeta.lines import parse_timestamp
from benchkit.parsers.vegeta.raw import form_of
from benchkit.reading.source import UnreadableError

FIXTURES = Path(__file__).parents[2] / "fixtures"
RUNS = FIXTURES / "skywalking-vegeta" / "edge"
EDGE = FIXTURES / "vegeta-edge"
OLD = EDGE / "old"
Records = tuple[list[Reading], list[Samples], list[Diagnostic]]


def parse(data: bytes) -> Records:
    records = list(FORMAT.parse(Source(None, "results", data)))
    return (
        [record for record in records if isinstance(record, Reading)],
        [record for record in records if isinstance(record, Samples)],
        [record for record in records if isinstance(record, Diagnostic)],
    )


def values(reading: Reading) -> dict[tuple[str, str, str | None], float]:
    return {(row[1], row[2], row[0]): row[3] for row in reading.rows}


def report(path: Path) -> Reading:
    (reading,) = (each for each in REPORT.parse(Source.load(path)) if isinstance(each, Reading))
    return reading


#: Remarks on a run.
UNANSWERED = {
    "refused": ["no request was answered (200 failed), so this run has no result"],
    "partial": [],
}


@pytest.mark.parametrize(
    ("name", "form", "run"),
    [
        ("vegeta-results-refused.bin", "gob", "refused"),
        ("vegeta-results-refused.csv", "csv", "refused"),
        ("vegeta-results-refused.json", "ndjson", "refused"),
        ("vegeta-results-partial.csv.gz", "csv", "partial"),
    ],
)
def test_totals_equal_the_json_report_of_the_same_run(name: str, form: str, run: str) -> None:
    (reading,), blocks, problems = parse((RUNS / name).read_bytes())
    exact = report(RUNS / f"vegeta-report-{run}.json")
    expected = {key: value for key, value in values(exact).items() if key[0] != "latency"}
    assert values(reading) == expected
    status, remarks = "failed" if run == "refused" else "complete", UNANSWERED[run]
    assert (reading.form, reading.status) == (form, status)
    assert (exact.status, [problem.what for problem in problems]) == (status, remarks)
    assert (reading.started_at, reading.duration) == (exact.started_at, exact.duration)
    assert (reading.target, reading.variant, reading.load_model) == ("/consumer", "", "open")
    assert {row[8] for row in reading.rows} == {"computed"}
    (samples,) = blocks
    latencies = values(exact)
    assert samples.reading is reading
    assert samples.values.min() == latencies["latency", "min", None]
    assert samples.values.max() == latencies["latency", "max", None]
    mean = samples.values.mean()
    assert mean == pytest.approx(latencies["latency", "mean", None], abs=1e-9)


def test_percentiles_are_close_to_those_of_the_sketch() -> None:
    """Vegeta's t-digest is a few per cent off at the tail; here all values are close together."""
    _, (samples,), _ = parse((RUNS / "vegeta-results-partial.csv.gz").read_bytes())
    reported = values(report(RUNS / "vegeta-report-partial.json"))
    for percent in (50, 90, 95, 99):
        exact = np.percentile(samples.values, percent, method="hazen")
        assert reported["latency", f"p{percent}", None] == pytest.approx(exact, rel=0.05)


def test_three_encodings_have_the_same_samples() -> None:
    forms = [parse((RUNS / f"vegeta-results-refused.{ext}").read_bytes()) for ext in ("bin", "csv")]
    forms.append(parse((RUNS / "vegeta-results-refused.json").read_bytes()))
    for _, (samples,), _ in forms:
        assert samples.times is not None
        assert samples.times[0] == np.datetime64("2026-11-21T00:25:58.524999", "us")
        assert list(samples.values[:2]) == [0.000315317, 0.000149081]
        assert list(samples.lines) == list(range(1, 201))
        assert (samples.metric, samples.unit, samples.resolution) == ("latency", "s", 1e-9)
        np.testing.assert_array_equal(samples.values, forms[0][1][0].values)
        np.testing.assert_array_equal(samples.times, forms[0][1][0].times)


@pytest.mark.parametrize(
    "name",
    [f"v{v}.bin" for v in ("1.0.0", "4.0.0", "5.9.0", "7.0.3", "8.0.0", "12.8.0")]
    + [f"v{v}.csv" for v in ("5.9.0", "7.0.3", "8.0.0", "12.6.0", "12.8.0")]
    + [f"v{v}.json" for v in ("5.9.0", "8.0.0", "12.8.0")],
)
def test_every_version_has_the_totals_of_its_report(name: str) -> None:
    data = (OLD / name).read_bytes()
    assert FORMAT.recognises(Source(None, name, data).head())
    (reading,), (samples,), problems = parse(data)
    expected = values(report(OLD / "v12.8.0-report.json"))
    assert not problems
    assert values(reading) == {k: v for k, v in expected.items() if k[0] != "latency"}
    assert samples.values.max() == expected["latency", "max", None]
    assert reading.target == ("/consumer" if name.startswith("v12.8") else "")


def test_bodies_and_headers_are_ignored() -> None:
    (reading,), (samples,), (problem,) = parse(
        (EDGE / "truncated" / "vegeta-results.cut30.bin").read_bytes()
    )
    assert (len(samples.values), reading.status, reading.rows) == (270, "partial", [])
    assert samples.values[0] == 0.00355003
    assert "in the middle of a message" in problem.what


@given(st.data())
def test_truncated_source_yields_its_first_latencies_and_no_totals(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["v4.0.0.bin", "v8.0.0.bin", "v12.8.0.csv", "v8.0.0.json"]))
    whole = (OLD / name).read_bytes().rstrip(b"\n")
    truncated = whole[: data.draw(st.integers(0, len(whole) - 1))]
    if not FORMAT.recognises(Source(None, "x", truncated).head()):
        assert len(truncated) < 400
        return
    _, (complete,), _ = parse(whole)
    readings, blocks, problems = parse(truncated)
    actual = np.concatenate([block.values for block in blocks]) if blocks else np.array([])
    np.testing.assert_array_equal(actual, complete.values[: len(actual)])
    ends_between_results = len(problems) == 0
    assert ends_between_results == any(reading.rows for reading in readings)
    assert {reading.status for reading in readings} <= {
        "complete" if ends_between_results else "partial"
    }


def test_damaged_gzip_yields_earlier_latencies_and_no_totals() -> None:
    whole = (RUNS / "vegeta-results-partial.csv.gz").read_bytes()
    actual: list[Record] = []
    with pytest.raises(UnreadableError, match="truncated"):
        actual.extend(FORMAT.parse(Source(None, "results", whole[:60_000])))
    reading, *blocks = actual
    assert isinstance(reading, Reading)
    assert (reading.status, reading.rows) == ("partial", [])
    assert 0 < sum(len(block.values) for block in blocks if isinstance(block, Samples)) < 8800


def test_concatenated_files_are_separate_runs() -> None:
    first, second = (OLD / "v4.0.0.bin").read_bytes(), (OLD / "v12.8.0.bin").read_bytes()
    readings, blocks, (problem,) = parse(first + second)
    assert [len(block.values) for block in blocks] == [40, 40]
    assert [values(reading)["requests", "count", None] for reading in readings] == [40, 40]
    assert "contains 2 result files in a row" in problem.what
    assert problem.severity == "warning"


@pytest.mark.parametrize("name", ["vegeta-results-refused.csv", "vegeta-results-refused.json"])
@pytest.mark.parametrize("is_compiled", [True, False])
def test_text_of_two_attacks_is_two_runs(
    name: str, is_compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "compiled", is_compiled and kernel.compiled)
    data = (RUNS / name).read_bytes()
    (alone,), _, _ = parse(data)
    readings, _, problems = parse(data + data)
    assert [values(each) for each in readings] == [values(alone)] * 2
    assert "2 result files in a row" in problems[-1].what


def test_merged_results_of_two_generators_are_one_run() -> None:
    lines = (RUNS / "vegeta-results-refused.csv").read_bytes().splitlines(keepends=True)
    (reading,), _, _ = parse(b"".join(line + line.replace(b"1795", b"1796", 1) for line in lines))
    assert values(reading)["requests", "count", None] == 2 * len(lines)


def test_attacks_in_one_file_are_distinguished_by_name() -> None:
    partial = (OLD / "v12.8.0.csv").read_text()
    refused = (RUNS / "vegeta-results-refused.csv").read_text()
    readings, _, problems = parse((partial + refused).encode())
    assert [each.what for each in problems] == UNANSWERED["refused"]
    counts = {reading.variant: values(reading)["requests", "count", None] for reading in readings}
    assert counts == {"partial": 40, "refused": 200}


def test_several_paths_give_no_target() -> None:
    text = (OLD / "v12.8.0.csv").read_text()
    (reading,), _, _ = parse(text.replace("/consumer", "/other", 3).encode())
    assert reading.target == ""
    (reading,), _, _ = parse(text.replace("/consumer", "/consumer?id=7", 3).encode())
    assert reading.target == "/consumer"


def test_full_blocks_are_yielded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw, "BLOCK", 16)
    monkeypatch.setattr(results, "_TOGETHER", 8)
    monkeypatch.setattr(kernel, "compiled", None)
    records = list(FORMAT.parse(Source.load(OLD / "v8.0.0.bin")))
    assert [type(record).__name__ for record in records] == ["Reading", *["Samples"] * 3]
    blocks = [record for record in records if isinstance(record, Samples)]
    assert [len(block.values) for block in blocks] == [16, 16, 8]
    assert [int(block.lines[0]) for block in blocks] == [1, 17, 33]


def test_multiline_error_is_one_result() -> None:
    rows = (OLD / "v12.8.0.csv").read_text().splitlines()
    rows[20] = rows[20].replace("context deadline", 'a, ""b""\n\nc')
    (reading,), (samples,), problems = parse("\n".join(rows).encode())
    assert (len(samples.values), problems) == (40, [])
    assert values(reading)["requests", "count", None] == 40
    assert samples.lines[21] == 24


def test_unescaped_errors_of_version_6_are_read() -> None:
    text = (OLD / "v5.9.0.csv").read_text().replace("context deadline", "a, b, c\nd")
    (reading,), (samples,), problems = parse(text.encode())
    assert (len(samples.values), problems, reading.status) == (40, [], "complete")


@pytest.mark.parametrize("name", ["v12.8.0.csv", "v8.0.0.json"])
def test_lines_that_are_not_results_drop_the_totals(name: str) -> None:
    rows = (OLD / name).read_text().splitlines()
    rows[7:7] = ["^C", "2026/11/21 00:00:00 http: TLS handshake error", ""]
    (reading,), (samples,), (problem,) = parse("\n".join(rows).encode())
    assert len(samples.values) == 40
    assert (reading.status, reading.rows) == ("partial", [])
    assert problem.line == 8
    assert "begins '^C', nor are 1 more" in problem.what


@pytest.mark.parametrize(
    "line",
    [
        '{"code":200,"timestamp":"2026-11-21T00:00:00Z","latency":-5,"bytes_out":0,"bytes_in":0}',
        '{"code":200,"timestamp":"2026-11-21T00:00:00Z","latency":1.5,"bytes_out":0,"bytes_in":0}',
        '{"code":true,"timestamp":"2026-11-21T00:00:00Z","latency":5,"bytes_out":0,"bytes_in":0}',
        '{"code":200,"timestamp":"0001-01-01T00:00:00Z","latency":5,"bytes_out":0,"bytes_in":0}',
        '{"code":200,"timestamp":"2026-13-41T00:00:00Z","latency":5,"bytes_out":0,"bytes_in":0}',
        '{"code":200,"timestamp":"yesterday","latency":5,"bytes_out":0,"bytes_in":0}',
        '{"code":70000,"timestamp":"2026-11-21T00:00:00Z","latency":5,"bytes_out":0,"bytes_in":0}',
        "[1, 2]",
    ],
)
def test_impossible_results_are_skipped(line: str) -> None:
    text = (OLD / "v8.0.0.json").read_text()
    (reading,), (samples,), (problem,) = parse(f"{text}{line}\n{text}".encode())
    assert (len(samples.values), reading.status, problem.line) == (80, "partial", 41)


def test_invalid_sequence_number_loses_no_result() -> None:
    line = '{"code":200,"timestamp":"2026-11-21T00:00:00Z","latency":5,"bytes_out":0,"bytes_in":0'
    lines = "".join(f'{line},"seq":{seq}}}\n' for seq in ("9" * 30, -7))
    data = f"{(OLD / 'v8.0.0.json').read_text()}{lines}".encode()
    actual = roads.read_all(FORMAT, data)
    assert not actual["problems"]
    with pytest.MonkeyPatch.context() as patch:
        roads.take_lines(patch)
        assert roads.read_all(FORMAT, data) == actual


@pytest.mark.parametrize("digits", [20, 21, 5000])
def test_number_with_too_many_digits_is_not_a_result_in_any_reader(digits: int) -> None:
    line = "1795222069242054756,200,142728302,0,{},,,a,1"
    data = "".join(f"{line.format(count)}\n" for count in (0, "0" * digits, 0)).encode()
    actual = roads.read_all(FORMAT, data)
    assert len(actual["problems"]) == (digits > 20)
    for fall_back in (roads.leave_kernel, roads.take_lines):
        with pytest.MonkeyPatch.context() as patch:
            fall_back(patch)
            assert roads.read_all(FORMAT, data) == actual


def test_times_with_a_zone_are_utc() -> None:
    text = (OLD / "v8.0.0.json").read_text().replace("Z", "+09:00")
    (reading,), _, _ = parse(text.encode())
    assert reading.started_at == datetime(2026, 11, 20, 15, 47, 49, 242054, tzinfo=UTC)
    assert parse_timestamp("1970-01-01T00:00:00-01:30") == 5400 * 10**9


def test_one_request_has_no_rate() -> None:
    line = (OLD / "v12.8.0.csv").read_text().splitlines()[0]
    (reading,), _, problems = parse(line.encode())
    assert not problems
    assert values(reading)["duration", "total", None] == 0.142728302
    assert "request_rate" not in {row[1] for row in reading.rows}


def test_gob_of_another_type_is_refused() -> None:
    data = (OLD / "v8.0.0.bin").read_bytes().replace(b"Timestamp", b"Timestump")
    readings, blocks, (problem,) = parse(data)
    assert (readings, blocks, problem.severity) == ([], [], "error")
    assert "contains no readable result of vegeta: contains a Result" in problem.what


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (b"", None),
        (b"\x00\x01\x02", None),
        (b"1795220507490698251,200,2257547\n", None),
        (b"1795220507,200,2257547,0,0,,\n", None),
        (b'{"latency": 5, "code": 200}\n', None),
        (b"\xef\xbb\xbf1795220507490698251,200,2257547,0,0,,\r\n", "csv"),
        (gzip.compress(b"1795220507490698251,200,2257547,0,0,,\n"), "csv"),
    ],
    ids=["empty", "binary", "few columns", "seconds", "few keys", "BOM and CRLF", "gzip"],
)
def test_format_is_detected_by_content(data: bytes, form: str | None) -> None:
    assert form_of(Source(None, "x.csv", data).head()) == form


@pytest.mark.parametrize(
    "path",
    sorted(RUNS.parent.rglob("vegeta-*")),
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_file_is_either_raw_results_or_a_report(path: Path) -> None:
    head = Source.load(path).head()
    assert FORMAT.recognises(head) == ("results" in path.name)
    assert REPORT.recognises(head) == ("results" not in path.name)


@pytest.mark.parametrize("name", ["v8.0.0", "v12.8.0"])
@pytest.mark.parametrize(
    ("source", "target", "mark"),
    [
        ("latin-1", "utf-16-le", b"\xff\xfe"),
        ("cp437", "utf-16-le", b"\xff\xfe"),
        ("utf-8", "utf-8", b""),
        ("cp850", "utf-8", b""),
        ("utf-8", "utf-8", b"\xef\xbb\xbf"),
    ],
)
def test_gob_rewritten_as_text_by_a_shell_is_reported(
    name: str, source: str, target: str, mark: bytes
) -> None:
    gob = (EDGE / "old" / f"{name}.bin").read_bytes()
    data = mark + gob.decode(source, errors="replace").encode(target)
    (actual,) = registry.identify(Source(None, "x.bin", data))
    (problem,) = actual.parse(Source(None, "x.bin", data))
    assert isinstance(problem, Diagnostic)
    assert "PowerShell" in problem.what
    assert "-output=results.bin" in problem.hint
