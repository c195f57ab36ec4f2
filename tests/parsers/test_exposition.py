"""Prometheus' text: real snapshots and span counts, sums over parts, and truncated texts."""

from __future__ import annotations

import gzip
from time import process_time

import pytest
from container_records import FIXTURES, parse, parse_fixture
from hypothesis import given
from hypothesis import strategies as st

from benchkit.parsers import registry
from benchkit.parsers.base import Reading, Samples
from benchkit.parsers.exposition import reader, survey
from benchkit.reading.source import Source

LEAVES = {"/bench/collector", "/bench/server", "/bench/storage"}
SNAPSHOTS = sorted((FIXTURES / "tracing-resources/none/cadvisor-metrics-1").iterdir())

#: Started, saved and dropped spans of run 1, from the README of the capture.
SPANS = {
    "otlp": (558587, 121344, 437243),
    "zipkin": (534798, 113664, 421134),
    "apm": (628504, 136046, 494426),
    "skywalking": (559890, 160766, 370862),
}


def test_real_snapshot_is_read() -> None:
    parsed = parse_fixture("tracing-resources/none/cadvisor-metrics-1/01-1795224103307.prom.gz")
    assert parsed.subjects() == LEAVES
    assert parsed.values("cpu_time") == {
        "/bench/collector": [13.153442846],
        "/bench/server": [467.677489547],
        "/bench/storage": [306.678907164],
    }
    assert parsed.values("memory_working_set")["/bench/server"] == [9273344]
    assert parsed.values("memory_rss")["/bench/server"] == [8355840]
    assert parsed.times("cpu_time", "/bench/server") == ["2026-11-21T01:21:41.622000"]
    (reading,) = parsed.readings
    assert (reading.tool, reading.form, reading.tool_version) == ("cadvisor", "metrics", None)
    assert reading.env["machine.cores"] == "2"
    assert reading.env["limit./bench/server.memory"] == "2147483648"
    assert parsed.reports("/, /bench: parents")


def test_each_snapshot_of_a_folder_is_read() -> None:
    counters = [
        parse_fixture(path.relative_to(FIXTURES).as_posix()).values("cpu_time")["/bench/server"][0]
        for path in SNAPSHOTS
    ]
    assert len(counters) == 3
    assert counters == sorted(counters)


def test_concatenated_snapshots_count_each_sample_once() -> None:
    data = b"".join(gzip.decompress(path.read_bytes()) for path in SNAPSHOTS)
    parsed = parse("exposition", data + gzip.decompress(SNAPSHOTS[0].read_bytes()))
    values = parsed.values("cpu_time")["/bench/storage"]
    assert values == sorted(set(values))
    assert 1 < len(values) <= 3


@pytest.mark.parametrize("backend", SPANS)
def test_span_counts_match_the_capture(backend: str) -> None:
    parsed = parse_fixture(f"tracing-resources/{backend}/spans-1.prom")
    started, saved, dropped = SPANS[backend]
    assert parsed.rows("spans_created") == {backend: started}
    assert parsed.rows("spans_saved")[backend] == saved
    assert parsed.rows("spans_dropped")[backend] == dropped
    (reading,) = parsed.readings
    assert (reading.tool, reading.form) == ("prometheus", "spans")
    assert {row[2] for row in reading.rows} == {"count"}


def test_stages_have_subjects_and_transports_are_summed() -> None:
    parsed = parse_fixture("containers-edge/synthetic-collector.prom")
    assert parsed.rows("spans_saved") == {"otlp/jaeger/sent": 900, "otlp": 1000}
    assert parsed.rows("spans_dropped") == {"otlp/jaeger/send_failed": 100}


def test_cpus_and_interfaces_are_summed_and_pods_are_left_out() -> None:
    parsed = parse_fixture("containers-edge/synthetic-percpu.prom")
    assert parsed.values("cpu_time") == {"redis": [21.5], "shop/web-1/app": [8.0]}
    assert parsed.values("network_in") == {"redis": [1520]}
    assert parsed.values("memory_rss") == {"redis": [4505600]}
    assert not parsed.values("memory_working_set")
    assert parsed.readings[0].env == {"limit.redis.cpu": "0.5"}
    for message in (
        "are NaN or infinite",
        "pause containers",
        "/docker/4f1c/init",
        "is not a sample",
    ):
        assert parsed.reports(message)


def test_total_is_not_added_to_its_cpus() -> None:
    name = "container_cpu_usage_seconds_total"
    lines = [f'{name}{{cpu="{cpu}",id="/a"}} {i}\n' for i, cpu in enumerate(("cpu00", "total"))]
    assert parse("exposition", "".join(lines) + "# EOF\n").values("cpu_time") == {"/a": [1]}
    assert parse("exposition", "".join(lines[::-1]) + "# EOF\n").values("cpu_time") == {"/a": [1]}


def test_times_of_openmetrics_are_seconds() -> None:
    parsed = parse_fixture("containers-edge/synthetic-openmetrics.prom")
    assert parsed.values("cpu_time") == {'/bench/a"b': [7.75]}
    assert parsed.times("cpu_time", '/bench/a"b') == ["2026-11-21T01:21:43.018000"]


def test_kubelet_resource_metrics_are_read() -> None:
    labels = 'container="app",namespace="shop",pod="web-1"'
    text = f"container_cpu_usage_seconds_total{{{labels}}} 6765.751112 1744775165350\n"
    parsed = parse("exposition", text)
    assert parsed.values("cpu_time") == {"shop/web-1/app": [6765.751112]}


def test_sum_at_the_end_of_a_truncated_text_is_withheld() -> None:
    text = 'container_cpu_usage_seconds_total{cpu="cpu00",name="redis"} 5\n'
    parsed = parse("exposition", text)
    assert not parsed.readings
    assert parsed.reports("if the text is complete, add a last line # EOF")
    assert parse("exposition", text + "# EOF\n").values("cpu_time") == {"redis": [5]}


def test_last_cgroup_may_be_a_parent_without_an_end_marker() -> None:
    text = 'container_memory_rss{id="/a"} 1\ncontainer_memory_rss{id="/b"} 2\n'
    assert parse("exposition", text).values("memory_rss") == {"/a": [1]}
    assert parse("exposition", text + "# EOF\n").values("memory_rss") == {"/a": [1], "/b": [2]}


def test_last_line_without_a_line_end_is_not_read() -> None:
    parsed = parse(
        "exposition", 'container_memory_rss{name="a"} 1\ncontainer_memory_rss{name="b"} 23'
    )
    assert parsed.values("memory_rss") == {"a": [1]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# TYPE node_load1 gauge\nnode_load1 0.5\n", "no known container usage"),
        ("machine_cpu_cores 4\n", "a machine with 4 CPUs"),
        ('container_memory_rss{name="a"} 1 1e300\n# EOF\n', "is not a sample"),
        ('container_memory_rss{name="a" 1\n# EOF\n', "is not a sample"),
        (f'container_memory_rss{{name="a"}} {"9" * 400}\n# EOF\n', "is not a sample"),
        ('container_memory_rss{name="a"} +Inf\n# EOF\n', "NaN or infinite"),
    ],
)
def test_text_without_results_is_explained(text: str, message: str) -> None:
    parsed = parse("exposition", text)
    assert not parsed.readings
    assert parsed.reports(message)


NAMES = st.sampled_from(
    [
        "app_spans_started_total",
        "container_cpu_usage_seconds_total",
        "container_memory_rss",
        "container_network_receive_bytes_total",
        "container_spec_cpu_quota",
        "machine_cpu_cores",
    ]
)
LABELS = st.dictionaries(
    st.sampled_from(["id", "cpu", "name", "container", "pod", "interface", "backend"]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    max_size=3,
)
NUMBERS = st.floats() | st.integers()


@given(st.lists(st.tuples(NAMES, LABELS, NUMBERS, st.none() | NUMBERS), max_size=6))
def test_arbitrary_labels_and_numbers_never_raise(
    samples: list[tuple[str, dict[str, str], float, float | None]],
) -> None:
    lines = []
    for name, labels, value, time in samples:
        inside = ",".join(f'{key}="{label}"' for key, label in labels.items())
        lines.append(f"{name}{{{inside}}} {value}" + ("" if time is None else f" {time}"))
    parsed = parse("exposition", "\n".join(lines) + "\n# EOF\n")
    assert parsed.readings or parsed.diagnostics


@pytest.mark.parametrize(
    "labels",
    [
        'container="",id="/kubepods/pod{n}",image="",name="",namespace="shop",pod="web-{n}"',
        'container="POD",name="k8s_POD_web-{n}_shop_1",namespace="shop",pod="web-{n}"',
        'container_name="POD",namespace="shop",pod_name="web-{n}"',
    ],
    ids=["containerd", "docker", "before 1.16"],
)
def test_the_network_of_a_pod_is_kept(labels: str) -> None:
    lines = [
        f'{name}{{{labels.format(n=pod)},interface="{card}"}} {amount + pod} 1795224103018'
        for name in (
            "container_network_receive_bytes_total",
            "container_network_transmit_bytes_total",
        )
        for pod in (1, 2)
        for card, amount in (("eth0", 1000), ("lo", 7))
    ]
    cpu = f'container_cpu_usage_seconds_total{{{labels.format(n=1)},cpu="total"}} 5 1795224103018'
    for text in ("\n".join([*lines, "# EOF", ""]), "\n".join([cpu, *lines, "# EOF", ""])):
        parsed = parse("exposition", text)
        assert parsed.values("network_in") == {"shop/web-1": [1001.0], "shop/web-2": [1002.0]}
        assert parsed.values("network_out") == {"shop/web-1": [1001.0], "shop/web-2": [1002.0]}
        assert parsed.values("cpu_time") == {}
        assert parsed.readings[0].tool == "cadvisor"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("exposition", "# TYPE app_spans_dropped_total counter\napp_spans_dropped_total 1_0e3\n"),
        (
            "prometheus",
            '[{"metric":{"__name__":"app_spans_dropped_total"},"values":[[1795224103,"1_0e3"]]}]',
        ),
    ],
)
def test_number_that_only_python_accepts_is_not_read(name: str, text: str) -> None:
    form = next(each for each in registry.formats() if each.name == name)
    records = list(form.parse(Source(None, "x", text.encode())))
    assert not any(isinstance(each, Samples) for each in records)
    assert all(not each.rows for each in records if isinstance(each, Reading))


_WORDS = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,5}", fullmatch=True)
_TEXTS = st.text(st.sampled_from('ab{}=, \\/:"é…'), max_size=6)
_PAIRS = st.lists(st.tuples(_WORDS, _TEXTS), max_size=3)
_NUMBERS = st.sampled_from(
    ["0", "7", "+7", "-1.5", "1e3", "1E-05", "1.", ".5", "NaN", "1_0", "9" * 400]
)
_STAMPS = st.sampled_from(
    ["", " 1795224101622", " 1795224101.622", " -5", " 9" * 9, " " + "9" * 30]
)


@given(_WORDS, _PAIRS, _NUMBERS, _STAMPS, st.sampled_from(["", ",", " ", ",,"]))
def test_plain_line_is_read_like_the_library(
    name: str, pairs: list[tuple[str, str]], number: str, stamp: str, end: str
) -> None:
    labels = ",".join(f'{key}="{value}"' for key, value in pairs)
    line = f"{name}{{{labels}{end}}} {number}{stamp}\n"
    text = survey.Text(Source(None, "metrics", b""))
    plain = survey._read_plain(1, line)
    assert plain is None or plain == text._read(1, line)


@pytest.mark.parametrize(
    "labels", ["", "{}", '{id="/a"}', '{id="/a",cpu="total",}', '{name="a b{}, #"}']
)
@pytest.mark.parametrize("number", ["0", "3.5", "1.2e+09", "8192 1795224101622"])
def test_typical_exporter_line_is_plain(labels: str, number: str) -> None:
    assert survey._read_plain(3, f"container_memory_rss{labels} {number}\r\n")


def test_alternating_families_take_linear_time() -> None:
    """Texts combined per container repeat each family for each of them."""

    def measure(count: int) -> float:
        text = "".join(
            f'container_memory_rss{{name="c{n}"}} {n} {n}\n'
            f'container_memory_cache{{name="c{n}"}} {n} {n}\n'
            for n in range(count)
        )
        source, start = Source(None, "metrics", text.encode()), process_time()
        samples = [r for r in reader.parse(source) if isinstance(r, Samples)]
        assert len(samples) == 2 * count
        return process_time() - start

    few = max(min(measure(500) for _ in range(3)), 0.01)
    assert measure(8_000) < 64 * few  # sixteen times as many; quadratic time would be 256 times


HISTOGRAM = """\
# TYPE api_seconds histogram
api_seconds_bucket{job="a",path="/list",le="0.10"} 3
api_seconds_bucket{job="a",path="/list",le="+Inf"} 4
api_seconds_sum{job="a",path="/list"} 0.5
api_seconds_count{job="a",path="/list"} 4
"""


def test_histogram_is_read_as_counters_per_bound() -> None:
    parsed = parse("exposition", HISTOGRAM)
    name = 'api_seconds{path="/list"}'
    assert parsed.values("observed_time_bucket") == {f"{name} le=0.1": [3], f"{name} le=inf": [4]}
    assert parsed.values("observed_time_sum") == {name: [0.5]}
    assert parsed.values("observed_time_count") == {name: [4]}
    (reading,) = parsed.readings
    assert (reading.tool, reading.form) == ("prometheus", "histograms")
    assert not parsed.diagnostics


def test_text_truncated_inside_a_histogram_yields_no_bounds() -> None:
    truncated = HISTOGRAM[: HISTOGRAM.index("api_seconds_bucket", HISTOGRAM.index("0.10"))]
    parsed = parse("exposition", f"a_spans_started_total 7\n{truncated}")
    assert not parsed.values("observed_time_bucket")
    assert parsed.reports("the text ends inside api_seconds_bucket")


def test_summaries_and_native_histograms_are_left_out() -> None:
    summary = 'gc_seconds{quantile="0.5"} 0.1\ngc_seconds_sum 0.5\ngc_seconds_count 4\n'
    native = 'b_seconds_bucket{le="+Inf"} 4\nb_seconds_sum 0.5\nb_seconds_count 4\n'
    parsed = parse("exposition", HISTOGRAM + summary + native)
    assert set(parsed.values("observed_time_sum")) == {'api_seconds{path="/list"}'}
