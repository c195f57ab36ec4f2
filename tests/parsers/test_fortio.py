"""fortio's JSON and text: a fixed rate, requests without a response, both formats equal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Format, Reading, Source
from benchkit.parsers.fortio import JSON, TEXT

FORMS = Path(__file__).resolve().parents[2] / "fixtures/fortio-forms"


def read(form: Format, name: str) -> tuple[Reading, list[Diagnostic]]:
    records = list(form.parse(Source.load(FORMS / name)))
    (run,) = (each for each in records if isinstance(each, Reading))
    return run, [each for each in records if isinstance(each, Diagnostic)]


def values(run: Reading) -> dict[tuple[str | None, str, str], float]:
    return {row[:3]: row[3] for row in run.rows}


def test_fixed_rate_is_an_open_loop() -> None:
    run, problems = read(JSON, "held.json")
    assert not problems
    assert (run.load_model, run.target_rate, run.connections) == ("open", 100.0, 4)
    assert run.started_at is not None
    actual = values(run)
    assert actual[None, "requests", "count"] == 200
    assert actual["404", "responses", "count"] == 200
    assert actual["non2xx", "failures", "count"] == 200
    assert actual[None, "latency", "p90"] > actual[None, "latency", "p50"]


@pytest.mark.parametrize("key", ["", "runner_results"])
def test_each_result_of_a_list_is_a_run_under_its_name(key: str) -> None:
    """A list, and the test results that Meshery stores, were refused."""
    result = json.loads((FORMS / "held.json").read_text(encoding="utf-8"))
    names = [result | {"Labels": name} for name in ("no mesh", "istio")]
    nested = [{"name": each["Labels"], key: [each]} for each in names]
    source = Source(None, "x.json", json.dumps(nested if key else names).encode())
    assert JSON.recognises(source.head())
    runs = [each for each in JSON.parse(source) if isinstance(each, Reading)]
    assert [run.headings for run in runs] == [("no mesh",), ("istio",)]
    assert values(runs[0]) == values(read(JSON, "held.json")[0])


def test_version_without_the_run_type_is_recognised() -> None:
    text = (FORMS / "held.json").read_text(encoding="utf-8").replace('"RunType": "HTTP",', "", 1)
    assert '"RunType"' not in text
    assert JSON.recognises(Source(None, "x.json", text.encode()).head())


def test_text_agrees_with_json() -> None:
    run, problems = read(TEXT, "text-held.txt")
    assert not problems
    other, _ = read(JSON, "held.json")
    text, document = values(run), values(other)
    assert text.keys() == document.keys()
    for key, value in text.items():
        assert abs(value - document[key]) <= 1e-4 * document[key], key
    assert text[None, "latency", "mean"] == 0.00068441879


@pytest.mark.parametrize(
    ("rate", "load_model", "fixed_rate"), [("max", "closed", None), ("200", "open", 200.0)]
)
def test_first_line_decides_whether_the_rate_is_fixed(
    rate: str, load_model: str, fixed_rate: float | None
) -> None:
    text = (FORMS / "text.txt").read_bytes().replace(b"at max qps", f"at {rate} qps".encode())
    run = next(TEXT.parse(Source(None, "x", text)))
    assert isinstance(run, Reading)
    assert (run.load_model, run.target_rate, run.connections) == (load_model, fixed_rate, 4)


def test_run_without_a_response_has_no_measurements() -> None:
    for form, name in ((JSON, "refused.json"), (TEXT, "text-refused.txt")):
        run, (problem,) = read(form, name)
        assert run.status == "failed"
        assert "20 failed" in problem.what
        assert set(values(run)) == {
            (None, "duration", "total"),
            ("connect", "failures", "count"),
        }


def test_rate_that_counts_lost_requests_is_left_out() -> None:
    text = (FORMS / "held.json").read_text(encoding="utf-8")
    text = text.replace('"404": 200', '"-1": 3, "200": 197')
    run, remark = JSON.parse(Source(None, "x.json", text.encode()))
    assert isinstance(run, Reading)
    assert isinstance(remark, Diagnostic)
    assert "it counts 3 requests without an answer" in remark.what
    metrics = {row[1] for row in run.rows}
    assert "request_rate" not in metrics
    assert values(run)["connect", "failures", "count"] == 3


WHOLE = """\
Ended after 1m0.026212379s : 1779 calls. qps=29.637
Sleep times : count 1778 avg 0.0069 +/- 0.0244 min 0.0009 max 0.0046 sum 12.3
Aggregated Function Time : count 1779 avg 0.03737321 +/- 0.02429 min 0.005016411 max 0.0790 sum 66.4
# range, mid point, percentile, count
>= 0.0050 <= 0.006 , 0.0055 , 100.00, 1779
# target 50% 0.0251004
# target 99.9% 0.0815562
Sockets used: 493 (for perfect keepalive, would be 1)
Jitter: false
Code 200 : 1779 (100.0 %)
Response Header Sizes : count 1779 avg 261 +/- 0 min 261 max 261 sum 464319
Response Body/Total Sizes : count 1779 avg 11101953 +/- 3.083e+06 min 2e+06 max 1e+07 sum 1.9750e+10
All done 1779 calls (plus 1 warmup) 37.373 ms avg, 29.6 qps
"""


def parse(text: str) -> tuple[list[Reading], list[Diagnostic]]:
    source = Source(None, "x.md", text.encode())
    assert TEXT.recognises(source.head())
    records = list(TEXT.parse(source))
    runs = [each for each in records if isinstance(each, Reading)]
    return runs, [each for each in records if isinstance(each, Diagnostic)]


_OTHER = """\
{} : count 8 avg 0.2 +/- 0.1 min -0.034 max 0.3 sum 1.6
# range, mid point, percentile, count
< 0 , 0 , 12.50, 1
>= 0 <= 0.3 , 0.2 , 100.00, 7
# target 50% 0.171
# target 99.9% 0.2999
"""


@pytest.mark.parametrize(
    ("above", "name"),
    [
        ("Aggregated Function Time", "Aggregated Sleep Time"),
        ("Sockets used", "Error cases"),
        ("Sockets used", "Connection time histogram (s)"),
        ("Response Header", "Response Header Sizes Histogram"),
    ],
)
def test_only_percentiles_of_the_requests_are_latencies(above: str, name: str) -> None:
    """Since 1.38 fortio prints those of its connections, and of what it pauses or fails."""
    text = (FORMS / "text.txt").read_text(encoding="utf-8")
    (expected,), _ = parse(text)
    other = _OTHER.format(name)
    if name.endswith("Time"):
        other += "WARNING 8.58% of sleep were falling behind\n"
    (run,), problems = parse(text.replace(above, other + above, 1))
    assert (values(run), run.status, problems) == (values(expected), "complete", [])
    (run,), _ = parse(other + text[text.index("Sockets used") :])
    assert "p50" not in {row[2] for row in run.rows}


def test_sizes_with_exponents_are_read() -> None:
    (run,), problems = parse(WHOLE)
    assert not problems
    actual = values(run)
    assert actual[None, "bytes_in", "mean"] == 11101953
    assert actual[None, "bytes_in", "total"] == 1.975e10
    assert actual[None, "latency", "mean"] == 0.03737321


def test_reports_without_heads_are_partial_runs() -> None:
    """Pages quote a report from its percentiles or its codes on."""
    lines = WHOLE.splitlines(keepends=True)
    page = "".join(("c1 (DSA)\n", *lines[5:], "\nc1 (memory)\n", *lines[9:]))
    (first, second), problems = parse(page)
    assert [run.status for run in (first, second)] == ["partial", "partial"]
    assert len(problems) == 2
    assert "lacks its `Ended after`, `Aggregated Function Time` lines" in problems[0].what
    actual = values(first)
    assert actual[None, "latency", "p50"] == 0.0251004
    assert actual[None, "latency", "mean"] == 0.037373
    assert actual[None, "request_rate", "mean"] == 29.6
    assert actual[None, "requests", "count"] == actual["200", "responses", "count"] == 1779
    assert (None, "duration", "total") not in actual
    assert values(second).keys() == actual.keys() - {
        (None, "latency", "p50"),
        (None, "latency", "p99.9"),
    }


def test_report_truncated_before_its_codes_keeps_only_its_duration() -> None:
    (run,), _ = parse("".join(WHOLE.splitlines(keepends=True)[:8]))
    assert set(values(run)) == {(None, "duration", "total")}


def test_reports_from_before_version_1_0_are_complete() -> None:
    """Their codes have no percentage, and buckets end below a bound."""
    lines = WHOLE.replace(">= 0.0050 <= 0.006", ">= 0.0050 < 0.006").replace(" (100.0 %)", "")
    (run,), problems = parse(lines)
    assert not problems
    actual = values(run)
    assert actual["200", "responses", "count"] == actual[None, "requests", "count"] == 1779
    assert actual[None, "latency", "p99.9"] == 0.0815562


@pytest.mark.parametrize("code", ["tcp OK", "udp OK", "Ping SERVING", "Health SERVING"])
def test_reports_of_other_protocols_are_complete(code: str) -> None:
    (run,), problems = parse(WHOLE.replace("Code 200", code))
    assert not problems
    assert values(run)[code.split()[1], "responses", "count"] == 1779
    assert values(run)[None, "request_rate", "mean"] == 29.637


def test_error_in_place_of_a_code_is_a_failure() -> None:
    lost = "tcp dial tcp 127.0.0.1:8078: connect: connection refused : 3 (0.2 %)\ntcp OK"
    (run,), (problem,) = parse(WHOLE.replace("Code 200", lost))
    assert "the rate of 29.637/s is left out" in problem.what
    assert values(run)["connect", "failures", "count"] == 3
    assert (None, "request_rate", "mean") not in values(run)
    text = (FORMS / "held.json").read_text(encoding="utf-8")
    text = text.replace('"404": 200', '"read: EOF": 3, "OK": 197')
    from_json, _ = JSON.parse(Source(None, "x.json", text.encode()))
    assert isinstance(from_json, Reading)
    assert values(from_json)["read", "failures", "count"] == 3
    assert values(from_json)["OK", "responses", "count"] == 197
