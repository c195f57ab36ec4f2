"""Responses to queries: the API at three levels, promtool, Grafana; and series without a unit."""

from __future__ import annotations

import json

import pytest
from container_records import FIXTURES, parse, parse_fixture
from hypothesis import given
from hypothesis import strategies as st

from benchkit.parsers import registry
from benchkit.parsers.base import Source

REAL = "tracing-resources/prometheus"
LEAVES = {"/bench/collector", "/bench/server", "/bench/storage"}
SAMPLE = {"metric": {"__name__": "container_memory_rss", "id": "/a"}, "value": [1795224103.5, "8"]}


def test_real_range_is_read() -> None:
    parsed = parse_fixture(f"{REAL}/query_range-cpu_seconds_total.json")
    assert parsed.subjects() == LEAVES
    values = parsed.values("cpu_time")["/bench/server"]
    assert len(values) == 40
    assert values[0] == 467.677489547
    assert parsed.times("cpu_time", "/bench/server")[:2] == [
        "2026-11-21T01:21:43.302000",
        "2026-11-21T01:21:44.302000",
    ]
    assert parsed.reports("/bench: parents")
    assert {block.stat for block in parsed.samples} == {"counter"}


def test_real_vector_and_matrix_are_read() -> None:
    vector = parse_fixture(f"{REAL}/query-cpu_seconds_total.json")
    assert vector.values("cpu_time")["/bench/collector"] == [28.850898281]
    matrix = parse_fixture(f"{REAL}/query-range-vector.json")
    assert matrix.values("memory_working_set")["/bench/collector"][:2] == [7430144, 7409664]


def test_spans_over_time_are_counters_by_receiver() -> None:
    parsed = parse_fixture(f"{REAL}/query_range-accepted_spans.json")
    assert set(parsed.values("spans_saved")) == {"apm", "otlp", "skywalking", "zipkin"}
    assert max(parsed.values("spans_saved")["apm"][:18]) == 136046
    assert {block.stat for block in parsed.samples} == {"counter"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("query-empty", "the query matched nothing"),
        ("query-parse-error", "bad_data: invalid parameter"),
        ("query-scalar", "a scalar has no name"),
        ("query-working_set_avg", "4 series without a metric name"),
    ],
)
def test_real_response_without_results_is_explained(name: str, message: str) -> None:
    parsed = parse_fixture(f"{REAL}/{name}.json")
    assert not parsed.readings
    assert parsed.reports(message)


def test_three_response_levels_agree() -> None:
    whole = json.loads((FIXTURES / REAL / "query-range-vector.json").read_text())
    texts = [json.dumps(part) for part in (whole, whole["data"], whole["data"]["result"])]
    for text in texts:
        assert [f.name for f in registry.identify(Source(None, "x", text.encode()))] == [
            "prometheus"
        ]
    first, *others = [parse("prometheus", text).values("memory_working_set") for text in texts]
    assert len(first) == 3
    assert all(other == first for other in others)


def test_cpus_are_summed_where_all_have_a_value() -> None:
    parsed = parse_fixture("containers-edge/synthetic-query-data.json")
    assert parsed.values("cpu_time") == {"/bench/server": [301, 302.5]}
    assert {block.origin for block in parsed.samples} == {"computed"}
    for message in (
        "node_load1",
        "2 values that are not finite",
        "1 point in time at which some part of a container has no value is left out",
        "pause containers",
    ):
        assert parsed.reports(message)


def test_indented_response_has_the_lines_of_its_values() -> None:
    parsed = parse_fixture("containers-edge/synthetic-query-data.json")
    lines = (FIXTURES / "containers-edge/synthetic-query-data.json").read_text().split("\n")
    assert [lines[line - 1].strip() for line in parsed.samples[0].lines] == ['"200.5"', '"201.25"']


def test_containers_of_different_instances_are_kept_apart() -> None:
    parsed = parse_fixture("containers-edge/synthetic-query-result.json")
    assert parsed.values("memory_rss") == {"redis@a:8080": [4096], "redis@b:8080": [8192]}


def make_recreated(metric: str) -> list[dict[str, object]]:
    """Return a container that ends at 3 s but is repeated until 8 s, and its replacement."""
    old = [[at, str(100 + min(at, 3))] for at in range(1, 9)]
    new = [[at, str(2 * (at - 4))] for at in range(4, 11)]
    return [
        {"metric": {"__name__": metric, "name": "web", "id": f"/docker/{id_}"}, "values": points}
        for id_, points in (("bbb", new), ("aaa", old))
    ]


def test_counter_of_a_recreated_container_continues() -> None:
    parsed = parse("prometheus", json.dumps(make_recreated("container_cpu_usage_seconds_total")))
    grown = [101, 102, 103, 103, 105, 107, 109, 111, 113, 115]
    assert parsed.values("cpu_time") == {"web": grown}
    assert {block.origin for block in parsed.samples} == {"computed"}


def test_memory_of_the_newer_container_is_used_after_recreation() -> None:
    parsed = parse("prometheus", json.dumps(make_recreated("container_memory_rss")))
    assert parsed.values("memory_rss") == {"web": [101, 102, 103, 0, 2, 4, 6, 8, 10, 12]}


def test_container_recreated_at_an_unknown_time_is_reported() -> None:
    name = 'container_memory_rss{{id=""/docker/{}"", name=""web""}}'
    text = f'"Time","{name.format("aaa")}","{name.format("bbb")}"\n2026-11-21 01:21:43,8,9\n'
    parsed = parse("prometheus", text)
    assert not parsed.readings
    assert parsed.reports("web was recreated")


def test_warnings_of_prometheus_are_reported() -> None:
    parsed = parse_fixture("containers-edge/synthetic-query-warnings.json")
    assert parsed.values("memory_rss") == {"redis": [4096]}
    assert parsed.reports("a sample was dropped")
    assert parsed.reports("might not be a counter")


def test_promtool_output_is_read() -> None:
    parsed = parse_fixture("containers-edge/synthetic-promtool-range.txt")
    assert parsed.values("memory_rss") == {"/bench/server": [8355840, 8364032]}
    assert parsed.times("memory_rss", "/bench/server")[1] == "2026-11-21T01:21:45.302000"
    assert [line for block in parsed.samples for line in block.lines] == [2, 3]
    instant = parse_fixture("containers-edge/synthetic-promtool-instant.txt")
    assert instant.values("cpu_time")["/bench/server"] == [1131.5316536]


def test_grafana_csv_is_read() -> None:
    wide = parse_fixture("containers-edge/synthetic-grafana-wide.csv")
    assert wide.values("memory_rss") == {"/bench/server": [8355840, 8364032]}
    assert wide.times("memory_rss", "/bench/server")[0] == "2026-11-21T01:21:43.302000"
    assert wide.reports("1 series without a metric name")
    long = parse_fixture("containers-edge/synthetic-grafana-long.csv")
    assert long.times("memory_rss", "redis") == [
        "2026-11-21T01:21:43.000000",
        "2026-11-21T01:21:45.000000",
    ]


def test_number_broken_by_a_line_end_is_not_read() -> None:
    path = FIXTURES / "containers-edge/synthetic-grafana-long.csv"
    broken = parse("prometheus", path.read_bytes().replace(b"8355840", b"83\n5840", 1))
    assert 835840 not in broken.values("memory_rss").get("redis", [])
    assert broken.reports("1 value that is not a finite number")


def test_times_without_a_zone_are_unknown() -> None:
    parsed = parse_fixture("containers-edge/synthetic-grafana-excel.csv")
    assert parsed.values("memory_rss") == {"/bench/server": [8355840]}
    assert [block.times for block in parsed.samples] == [None]
    assert parsed.reports("2 times have no time zone")
    assert parsed.reports("1 value that is not a finite number")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"status":"success","data":{"resultType":"vector"}}', "has no result"),
        ('{"status":"success","data":{"resultType":"vector","result":7}}', "has no result"),
        ('[{"metric":7}]', "are not series"),
        (json.dumps([{**SAMPLE, "value": [1e300, "8"]}]), "not a finite number"),
        (json.dumps([{**SAMPLE, "value": [1, "x"]}]), "not a finite number"),
        (json.dumps([SAMPLE])[:-4], "truncated"),
        ('container_memory_rss{id="/a"} => 8 @[1795224103.5]', "truncated"),
        ("scalar: 2.6 @[1795225000.725]\n", "a scalar has no name"),
        ('"Series","Time","Value"\n"container_memory_rss",1795224103302,8', "truncated"),
        ('"Time","container_memory_rss"\n1795224103302,8,9\n', "more or fewer cells"),
    ],
)
def test_response_without_results_is_explained(text: str, message: str) -> None:
    parsed = parse("prometheus", text)
    assert not parsed.readings
    assert parsed.reports(message)


def test_native_histograms_and_malformed_lines_are_reported() -> None:
    histogram = {"metric": SAMPLE["metric"], "histogram": [1795224103.5, {"count": "1"}]}
    assert parse("prometheus", json.dumps([histogram])).reports(
        "the unit of container_memory_rss_bucket is unknown"
    )
    text = 'container_memory_rss{id="/a"} => 8 @[1795224103.5]\nnonsense\n'
    parsed = parse("prometheus", text)
    assert parsed.values("memory_rss") == {"/a": [8]}
    assert parsed.reports("this line is truncated")


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
KEYS = st.sampled_from(
    ["status", "data", "resultType", "result", "metric", "value", "values", "__name__", "id"]
)
VALUES = st.recursive(
    SCALARS | st.sampled_from(["container_memory_rss", "matrix", "success"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=14,
)


@given(st.lists(VALUES) | st.dictionaries(KEYS, VALUES))
def test_arbitrary_json_never_raises(value: object) -> None:
    parsed = parse("prometheus", json.dumps(value))
    assert parsed.readings or parsed.diagnostics


@given(st.text('{}="ab_ @[]>,\n\\0123456789.eNa:', max_size=60))
def test_arbitrary_text_never_raises(text: str) -> None:
    for start in ("", 'container_memory_rss{id="/a"} =>\n', '"Time","a"\n', "Series;Time;Value\n"):
        parsed = parse("prometheus", start + text)
        assert parsed.readings or parsed.diagnostics or not parsed.samples


def test_native_histograms_lose_bounds_merged_during_the_run() -> None:
    fine = [[0, "0.1", "0.2", "3"], [0, "0.2", "0.4", "1"], [0, "0.4", "0.8", "2"]]
    merged = [[0, "0.1", "0.4", "5"], [0, "0.4", "0.8", "2"]]
    points = [
        [1795224103, {"count": "6", "sum": "1.5", "buckets": fine}],
        [1795224104, {"count": "7", "sum": "1.75", "buckets": merged}],
    ]
    metric = {"__name__": "api_seconds", "path": "/list", "instance": "a:80"}
    parsed = parse("prometheus", json.dumps([{"metric": metric, "histograms": points}]))
    name = 'api_seconds{path="/list"}'
    assert parsed.values("observed_time_bucket") == {
        f"{name} le=0.1": [0, 0],
        f"{name} le=0.4": [4, 5],
        f"{name} le=0.8": [6, 7],
        f"{name} le=inf": [6, 7],
    }
    assert parsed.values("observed_time_sum") == {name: [1.5, 1.75]}


def test_invalid_native_histograms_are_counted() -> None:
    good = {"count": "6", "sum": "1.5", "buckets": [[0, "0.1", "0.2", "3"]]}
    invalid = [None, [1795224103], [1795224103, {}], [1795224103, {**good, "count": "x"}],
               [1795224103, {**good, "buckets": [[0, "0.1"]]}],
               [1795224103, {**good, "buckets": [[0, "NaN", "0.2", "3"]]}],
               [1795224103, {**good, "buckets": [[0, "0.1", "0.2", "1e999"]]}],
               [1795224103, {**good, "sum": "NaN"}]]  # fmt: skip
    metric = {"__name__": "api_seconds"}
    answer = [{"metric": metric, "histograms": [*invalid, [1795224103, good]]}]
    parsed = parse("prometheus", json.dumps(answer))
    assert parsed.values("observed_time_count") == {"api_seconds": [6]}
    assert parsed.reports(f"{len(invalid)} values that are not finite numbers")


def test_histograms_of_two_instances_are_kept_apart() -> None:
    def series(instance: str) -> dict[str, object]:
        labels = {"__name__": "api_seconds_bucket", "le": "0.1", "instance": instance}
        return {"metric": labels, "values": [[1795224103, "3"]]}

    parsed = parse("prometheus", json.dumps([series("a:80"), series("b:80")]))
    assert set(parsed.values("observed_time_bucket")) == {
        "api_seconds@a:80 le=0.1",
        "api_seconds@b:80 le=0.1",
    }
