"""k6's JSON summaries: three formats, inverted thresholds, truncated and foreign documents."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scaling import assert_linear

from benchkit.parsers.base import Diagnostic, Reading, Row
from benchkit.parsers.k6 import SUMMARY as FORMAT
from benchkit.parsers.k6 import TEXT, summary
from benchkit.reading.source import Head, Source

FIXTURES = Path(__file__).parents[2] / "fixtures"
BASELINE = FIXTURES / "shorturl-k6" / "baseline"
NESTED = FIXTURES / "k6-edge" / "nested"
SUMMARIES = [
    BASELINE / "k6-export-2.json",
    BASELINE / "k6-full-1-export.json",
    BASELINE / "k6-handlesummary-1.json",
    BASELINE / "k6-old-1-export.json",
    NESTED / "k6-machine-1.json",
]

Values = dict[tuple[str | None, str, str], float]


def read(data: Path | str | bytes) -> tuple[list[Reading], list[Diagnostic]]:
    raw = data.read_bytes() if isinstance(data, Path) else data
    source = Source(None, "k6.json", raw.encode() if isinstance(raw, str) else raw)
    records = list(FORMAT.parse(source))
    readings = [record for record in records if isinstance(record, Reading)]
    return readings, [record for record in records if isinstance(record, Diagnostic)]


def values(reading: Reading) -> Values:
    actual = {row[:3]: row[3] for row in reading.rows}
    assert len(actual) == len(reading.rows)
    return actual


def row(reading: Reading, metric: str, stat: str, subject: str | None = None) -> Row:
    (actual,) = (row for row in reading.rows if row[:3] == (subject, metric, stat))
    return actual


def test_export_is_read() -> None:
    (reading,), problems = read(BASELINE / "k6-full-1-export.json")
    actual = values(reading)
    assert (reading.form, reading.status, reading.connections) == ("export", "complete", 50)
    assert actual[None, "requests", "count"] == 5001
    assert actual[None, "request_rate", "mean"] == 500.0421648731897
    assert actual[None, "latency", "max"] == 0.047768561
    assert actual[None, "latency", "p95"] == 0.001242021
    assert actual["name:GET /code", "latency", "p50"] == 0.0001878685
    assert actual["wait", "phase_time", "min"] == 0.000061783
    assert actual[None, "error_rate", "mean"] == 0
    assert actual[None, "failures", "count"] == 0
    assert actual[None, "bytes_in", "total"] == 1010995
    assert actual[None, "checks", "mean"] == 0.975016655562958
    assert row(reading, "checks", "count")[3:9:5] == (6004, "computed")
    assert actual[None, "urls_created", "count"] == 1003
    assert actual[None, "redirect_ok", "mean"] == 0.9624812406203102
    assert actual[None, "last_iteration", "max"] == 100
    assert row(reading, "latency", "max")[9] == 121
    (problem,) = problems
    assert "shorten_time, body_bytes" in problem.what
    assert (None, "shorten_time", "mean") not in actual


def test_false_in_an_export_means_passed() -> None:
    (reading,), _ = read(BASELINE / "k6-full-1-export.json")
    crossed = row(reading, "thresholds_crossed", "count")
    assert (crossed[3], crossed[5]) == (1, 5)
    (reading,), _ = read(BASELINE / "k6-export-1.json")
    assert row(reading, "thresholds_crossed", "count")[3] == 0


def test_handlesummary_is_read() -> None:
    (reading,), problems = read(BASELINE / "k6-handlesummary-1.json")
    actual = values(reading)
    assert (reading.form, reading.status, problems) == ("handlesummary", "complete", [])
    assert reading.duration == actual[None, "duration", "total"] == 10.002726214
    assert actual[None, "requests", "count"] == 4984
    assert actual[None, "latency", "p99"] == 0.00395481299
    assert actual[None, "dropped_iterations", "count"] == 17
    assert actual[None, "dropped_iterations_per_second", "mean"] == 1.6995366699336911
    assert actual[None, "thresholds_crossed", "count"] == 0
    assert row(reading, "thresholds_crossed", "count")[5] == 2


def test_machine_readable_summary_is_read() -> None:
    (reading,), (note,) = read(NESTED / "k6-machine-1.json")
    actual = values(reading)
    assert (reading.form, reading.tool_version) == ("machine", "1.8.1")
    assert reading.duration == 2.012600303
    assert actual[None, "latency", "p90"] == pytest.approx(0.044019018, rel=1e-12)
    assert actual[None, "failures", "count"] == 21
    assert row(reading, "error_rate", "mean")[5] == 113
    assert actual[None, "checks", "count"] == 46
    assert actual[None, "checks", "mean"] == 1
    assert (None, "k6_latency", "mean") in actual
    assert note.severity == "note"


def test_both_spellings_of_the_machine_readable_summary_agree() -> None:
    text = (NESTED / "k6-machine-1.json").read_text()
    camel = text.replace('"p90"', '"p(90)"').replace('"p95"', '"p(95)"')
    camel = camel.replace("k6_version", "k6Version").replace("generated_at", "generatedAt")
    (expected,), _ = read(text)
    (reading,), _ = read(camel)
    assert (reading.rows, reading.tool_version) == (expected.rows, expected.tool_version)


def test_script_is_not_read() -> None:
    (reading,), _ = read(NESTED / "k6-machine-1.json")
    assert "import" not in repr(reading)


@pytest.mark.parametrize("variant", ["baseline", "otel"])
@pytest.mark.parametrize("run", range(1, 6))
def test_text_agrees_with_the_export(variant: str, run: int) -> None:
    folder = FIXTURES / "shorturl-k6" / variant
    (export,), _ = read(folder / f"k6-export-{run}.json")
    (text,) = (
        r for r in TEXT.parse(Source.load(folder / f"k6-{run}.txt")) if isinstance(r, Reading)
    )
    actual, compared = values(export), 0
    for subject, metric, stat, value, unit, _, _, step, _, _ in text.rows:
        exact = actual.get((subject, metric, stat))
        if exact is not None:
            compared += 1
            width = (step or 0.0) * (1 + 1e-9)
            is_floored = unit == "s" or metric in {"error_rate", "checks"}
            low, high = (0.0, width) if is_floored else (-width / 2, width / 2)
            blur = 1e-12 * abs(value)
            assert value + low - blur <= exact <= value + high + blur, (subject, metric, stat)
    assert compared > 35


def test_run_of_refused_requests_is_failed() -> None:
    (reading,), (problem,) = read(FIXTURES / "k6-edge" / "console" / "k6-refused-1-export.json")
    assert reading.status == "failed"
    assert "every request failed" in problem.what
    assert not [row for row in reading.rows if row[1] == "latency"]


def test_infinite_count_does_not_lose_the_run() -> None:
    text = (BASELINE / "k6-export-1.json").read_text()
    endless = re.sub(r'"passes": *\d+', '"passes": 1e999', text)
    assert endless != text
    readings, _ = read(endless)
    assert len(readings) == 1


def test_times_are_milliseconds_and_custom_keys_are_ignored() -> None:
    document = json.loads((BASELINE / "k6-handlesummary-1.json").read_text())
    document["options"]["summaryTimeUnit"] = "s"
    document["advice"] = {"metrics": {"http_reqs": {"values": {"count": 1}}}}
    (reading,), problems = read(json.dumps(document))
    assert values(reading)[None, "latency", "max"] == 0.131984008
    assert problems == []


@pytest.mark.parametrize(
    ("scenarios", "model", "rate"),
    [
        ({"a": {"executor": "constant-arrival-rate", "rate": 600, "timeUnit": "1m"}}, "open", 10.0),
        ({"a": {"executor": "constant-arrival-rate", "rate": 5}}, "open", 5.0),
        ({"a": {"executor": "ramping-arrival-rate"}}, "open", None),
        ({"a": {"executor": "constant-vus", "vus": 5}}, "closed", None),
        (
            {"a": {"executor": "constant-vus"}, "b": {"executor": "ramping-arrival-rate"}},
            "unknown",
            None,
        ),
        ({"a": {"executor": "constant-arrival-rate", "rate": 5, "timeUnit": "0s"}}, "open", None),
    ],
)
def test_load_model_is_inferred(scenarios: object, model: str, rate: float | None) -> None:
    document = json.loads((BASELINE / "k6-handlesummary-1.json").read_text())
    document["options"]["scenarios"] = scenarios
    (reading,), _ = read(json.dumps(document))
    assert (reading.load_model, reading.target_rate) == (model, rate)


@pytest.mark.parametrize("path", SUMMARIES, ids=lambda path: path.name)
def test_every_summary_is_recognised_with_correct_lines(path: Path) -> None:
    assert FORMAT.recognises(Source.load(path).head())
    assert not TEXT.recognises(Source.load(path).head())
    lines = path.read_text().split("\n")
    (reading,), _ = read(path)
    for _, _, _, value, unit, _, _, _, origin, line in reading.rows:
        if origin == "reported":
            printed = float(lines[line - 1].rpartition(":")[2].strip(" ,"))
            assert value == pytest.approx(
                printed / (1000 if unit == "s" and printed != 2.012600303 else 1), rel=1e-15
            )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"metrics": {"requests": 5}}',
        '{"metrics": [{"http_reqs": 5}]}',
        '{"latencies": {"mean": 1}}',
        '{"metric":"http_reqs","type":"Point","data":{"time":"t","value":1}}\n',
        "<html><title>Other</title></html>",
        '[k6](https://k6.io) wrote {"metrics": {"http_reqs": {"count": 5, "rate": 1}}}',
    ],
)
def test_other_documents_are_not_recognised(text: str) -> None:
    assert not FORMAT.recognises(Head("x", text.encode(), text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!doctype html><head><title>k6 report</title></head>", "web dashboard"),
        ("<html><head><title>K6 Load Test: 2026-11-21</title></head>", "HTML"),
        ('<?xml version="1.0"?>\n<testsuites><testsuite name="k6 thresholds" tests="1">', "JUnit"),
        ('{"root_group": {"name": ""}, "total": 5}', "none of k6's metrics"),
        ('{"a": {"http_reqs": {"count": 5}}, "vus": {"last": 5}}', "none of k6's metrics"),
    ],
)
def test_reports_made_from_a_run_are_refused_with_a_reason(text: str, message: str) -> None:
    assert FORMAT.recognises(Head("x", text.encode(), text))
    readings, (problem,) = read(text)
    assert readings == []
    assert message in problem.what
    assert problem.hint
    assert problem.severity == "error"


def test_document_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "LARGEST", 1000)
    readings, problems = read(BASELINE / "k6-handlesummary-1.json")
    assert readings == []
    assert "larger" in problems[0].what


@given(st.sampled_from([path.read_bytes() for path in SUMMARIES]), st.data())
def test_values_before_a_truncation_are_right(text: bytes, data: st.DataObject) -> None:
    (whole,), _ = read(text)
    length = data.draw(st.integers(0, len(text.rstrip()) - 1))
    readings, problems = read(text[:length])
    assert problems
    for reading in readings:
        assert reading.status == "partial"
        assert values(reading).items() <= values(whole).items()


def test_custom_trends_of_an_export_are_kept_unconverted() -> None:
    path = Path(__file__).parents[2] / "fixtures/k6-edge/nested/k6-export-3.json"
    records = list(FORMAT.parse(Source.load(path)))
    (reading,) = (each for each in records if isinstance(each, Reading))
    (note,) = (each for each in records if isinstance(each, Diagnostic))
    rows = {row[2]: row for row in reading.rows if row[1] == "latency_as_exported"}
    assert set(rows) == {"p95", "p99.9", "max", "mean", "p50", "p90"}
    assert (rows["max"][3], rows["max"][4], rows["max"][5]) == (2.431058, "1", 20)
    assert "whether latency are times in ms" in note.what
    assert not any(row[1] == "k6_latency" for row in reading.rows)


@pytest.mark.parametrize("place", ["results", "checks"])
def test_number_in_place_of_a_metric_is_skipped(place: str) -> None:
    document = json.loads((NESTED / "k6-machine-1.json").read_text(encoding="utf-8"))
    metrics = document["results"]
    metrics = (metrics if place == "results" else metrics["checks"])["metrics"]
    (whole,), _ = read(json.dumps(document))
    metrics.append(7)
    (reading,), _ = read(json.dumps(document))
    assert values(reading) == values(whole)


def test_infinite_count_is_not_a_sample_count() -> None:
    document = json.loads((BASELINE / "k6-full-1-export.json").read_text(encoding="utf-8"))
    document["metrics"]["http_req_duration"]["count"] = 5001
    text = json.dumps(document)
    (reading,), _ = read(text)
    assert row(reading, "latency", "p95")[5] == 5001
    (reading,), _ = read(
        text.replace('"count": 5001, ', '"count": 1e999, ').replace(
            '"count": 5001}', '"count": 1e999}'
        )
    )
    assert row(reading, "latency", "p95")[5] is None


def test_many_metrics_take_linear_time() -> None:
    def make(size: int) -> bytes:
        metrics = {f"m{n}": {"count": 1, "rate": 1} for n in range(size)}
        document = {"metrics": metrics, "root_group": {"name": "", "groups": [], "checks": []}}
        return json.dumps(document, indent=1).encode()

    assert_linear(make, read, 8000)
    (reading,), _ = read(make(1000))
    assert len(reading.rows) == 2000


#: A user's handleSummary, by the keys above each summary in it.
WRAPPED = {
    "one key": ({"k6": "@"}, [("k6",)]),
    "further down": ({"date": "x", "run": {"result": "@"}}, [("run", "result")]),
    "variants": ({"none": "@", "otlp": "@"}, [("none",), ("otlp",)]),
    "results": (
        {"results": {"none": "@", "otlp": "@"}},
        [("results", "none"), ("results", "otlp")],
    ),
    "a list": (["@", "@"], [(), ()]),
    "lists": ({"none": ["@", "@"], "otlp": ["@"]}, [("none",), ("none",), ("otlp",)]),
}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("name", ["tiny/k6-export-1.json", "nested/k6-machine-1.json"])
@pytest.mark.parametrize("case", WRAPPED)
def test_summaries_in_a_custom_document_are_read(case: str, name: str, indent: int | None) -> None:
    wrapper, headings = WRAPPED[case]
    text = (NESTED.parent / name).read_text()
    (expected,), notes = read(text)
    whole = json.dumps(wrapper).replace('"@"', text)
    whole = json.dumps(json.loads(whole), indent=indent)
    assert FORMAT.recognises(Head("x", whole.encode(), whole))
    readings, problems = read(whole)
    assert [reading.headings for reading in readings] == headings
    assert {problem.what for problem in problems} == {problem.what for problem in notes}
    for reading in readings:
        assert [each[:6] for each in reading.rows] == [each[:6] for each in expected.rows]
        assert (reading.status, reading.form) == ("complete", expected.form)
        assert (reading.duration, reading.tool_version) == (
            expected.duration,
            expected.tool_version,
        )
        assert all(reading.line <= each[9] <= reading.last_line for each in reading.rows)


@pytest.mark.parametrize("place", [(), ("results", "otel")])
@pytest.mark.parametrize("is_below_values", [False, True])
def test_metrics_without_a_wrapper_are_a_summary(
    place: tuple[str, ...], is_below_values: bool
) -> None:
    document: dict[str, object] = {
        name: {"values": values} if is_below_values else values
        for name, values in (
            ("http_req_duration", {"avg": 12.5, "med": 11.2, "p(95)": 25.2}),
            ("http_reqs", {"count": 1000, "rate": 99.9}),
        )
    }
    document |= {"date": "x", "config": {"duration": 30000, "vus": {"start": 5}}}
    for key in reversed(place):
        document = {key: document}
    (reading,), problems = read(json.dumps(document))
    assert reading.headings == place
    assert not problems
    assert [(row[1], row[2], row[3]) for row in reading.rows] == [
        ("latency", "mean", 0.0125), ("latency", "p50", 0.0112), ("latency", "p95", 0.0252),
        ("requests", "count", 1000), ("request_rate", "mean", 99.9),
    ]  # fmt: skip


def test_nested_metrics_of_another_tool_are_ignored() -> None:
    summary = json.loads((NESTED.parent / "tiny" / "k6-export-1.json").read_text())
    (reading,), _ = read(json.dumps({"app": {"metrics": {"heap": {"max": 5}}}, "k6": summary}))
    assert reading.headings == ("k6",)
    (reading,), _ = read(json.dumps({**summary, "app": {"metrics": {"heap": {"max": 5}}}}))
    assert reading.headings == ()


def test_truncation_damages_only_the_last_of_several_summaries() -> None:
    summary = json.loads((NESTED.parent / "tiny" / "k6-export-1.json").read_text())
    text = json.dumps({"none": summary, "otlp": summary}, indent=1)
    readings, problems = read(text[: len(text) * 3 // 4])
    assert [reading.status for reading in readings] == ["complete", "partial"]
    assert any("kept" in problem.what for problem in problems)


def test_deep_keys_take_linear_time() -> None:
    def make(size: int) -> str:
        return '{"a":' * size + '{"vus":{"value":1}}' + "}" * size

    assert_linear(make, read, 20_000)
    assert read(make(1000))[0] == []
