"""cAdvisor's REST responses: real ones with hand-checked values, and every shape of the API."""

from __future__ import annotations

import json

import pytest
from container_records import FIXTURES, parse, parse_fixture
from hypothesis import given
from hypothesis import strategies as st

LEAVES = {"/bench/collector", "/bench/server", "/bench/storage"}
REAL = [
    f"tracing-resources/{variant}/cadvisor-{api}-1.json"
    for variant in ("none", "otlp")
    for api in ("v13", "v21")
]


@pytest.mark.parametrize("path", REAL)
def test_real_responses_have_three_containers_and_no_parent(path: str) -> None:
    parsed = parse_fixture(path)
    assert parsed.subjects() == LEAVES
    assert parsed.reports("/bench: parents")
    (reading,) = parsed.readings
    assert reading.tool == "cadvisor"
    assert reading.env == {f"limit.{leaf}.memory": "2147483648" for leaf in LEAVES}


def test_first_sample_of_a_real_response() -> None:
    parsed = parse_fixture("tracing-resources/none/cadvisor-v13-1.json")
    assert parsed.values("cpu_time")["/bench/storage"][:2] == [306.678907164, 307.64656443]
    assert parsed.values("memory_working_set")["/bench/storage"][0] == 84652032
    assert parsed.values("memory_usage")["/bench/storage"][0] == 117612544
    assert parsed.values("memory_rss")["/bench/storage"][0] == 82448384
    assert parsed.values("memory_cache")["/bench/storage"][0] == 33304576
    assert parsed.times("cpu_time", "/bench/storage")[0] == "2026-11-21T01:21:41.622269"
    assert {block.stat for block in parsed.samples if block.metric == "cpu_time"} == {"counter"}


def test_two_api_versions_agree_on_one_run() -> None:
    old = parse_fixture("tracing-resources/otlp/cadvisor-v13-1.json")
    new = parse_fixture("tracing-resources/otlp/cadvisor-v21-1.json")
    for metric in ("cpu_time", "memory_working_set", "memory_rss"):
        for leaf in LEAVES:
            pairs = [
                dict(zip(parsed.times(metric, leaf), parsed.values(metric)[leaf], strict=True))
                for parsed in (old, new)
            ]
            shared = pairs[0].keys() & pairs[1].keys()
            assert len(shared) >= 10
            assert all(pairs[0][time] == pairs[1][time] for time in shared)
    assert not old.values("cpu_usage")
    assert all(0 <= value < 2 for value in new.values("cpu_usage")["/bench/server"])


def test_docker_containers_are_named_and_include_their_cgroups() -> None:
    parsed = parse_fixture("containers-edge/synthetic-cadvisor-v1-docker.json")
    assert parsed.subjects() == {"server"}
    assert parsed.readings[0].env == {
        "limit.server.cpu": "1.5",
        "limit.server.memory": "1073741824",
    }


def test_repeated_sample_counts_once_and_time_zones_are_respected() -> None:
    parsed = parse_fixture("containers-edge/synthetic-cadvisor-v1-docker.json")
    assert parsed.values("cpu_time") == {"server": [5.14354064, 6.143540641]}
    assert parsed.times("cpu_time", "server") == [
        "2026-11-21T01:21:41.100000",
        "2026-11-21T01:21:42.100000",
    ]


def test_interfaces_and_devices_are_summed() -> None:
    parsed = parse_fixture("containers-edge/synthetic-cadvisor-v1-docker.json")
    assert parsed.values("network_in") == {"server": [1520, 1520]}
    assert parsed.values("disk_read") == {"server": [5120, 5120]}
    assert parsed.values("cpu_periods") == {"server": [120, 120]}
    assert parsed.values("cpu_throttled_periods") == {"server": [30, 30]}
    computed = {block.metric for block in parsed.samples if block.origin == "computed"}
    assert computed == {"network_in", "network_out", "disk_read", "disk_write"}


def test_api_2_0_is_read_with_the_lines_of_an_indented_response() -> None:
    parsed = parse_fixture("containers-edge/synthetic-cadvisor-v20.json")
    assert parsed.values("cpu_time") == {"/bench/server": [2.5]}
    lines = (FIXTURES / "containers-edge/synthetic-cadvisor-v20.json").read_text().split("\n")
    for block in parsed.samples:
        assert str(int(block.values[0])) in lines[block.lines[0] - 1].replace("2500000000", "2")


def test_summary_has_the_latest_and_the_per_minute_values() -> None:
    parsed = parse_fixture("containers-edge/synthetic-cadvisor-summary.json")
    assert parsed.values("cpu_usage") == {"/bench/server": [1.25]}
    assert parsed.values("memory_working_set") == {"/bench/server": [70499328]}
    stats = {(row[1], row[2]): row[3] for row in parsed.readings[0].rows}
    assert stats == {
        ("cpu_usage", "mean"): 1.1,
        ("cpu_usage", "max"): 1.3,
        ("memory_working_set", "mean"): 70000000,
        ("memory_working_set", "max"): 71000000,
    }


def test_machine_description_is_not_a_run() -> None:
    parsed = parse_fixture("containers-edge/synthetic-cadvisor-machine.json")
    assert not parsed.readings
    assert parsed.reports("a machine with 4 CPUs and 25276502016 bytes")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "contains no container"),
        ("[]", "contains no container"),
        ('{"/a":{"spec":{},"stats":[]}}', "contains no statistics"),
        (
            '{"/a":{"spec":{},"stats":[{"cpu":{"usage":{"total":1}}}]}}',
            "missing or unreadable time",
        ),
        ('{"/a":{"spec":{},"stats":[{"timestamp":"2026', "truncated"),
        ('{"/a":{"spec":{} "stats":[]}}', "not valid JSON"),
        ("007 1\n0.5 x\n", "not valid JSON"),
        ('{"/a":' + "[" * 100_000, "not valid JSON"),
        ('{"name":"/a","spec":null,"stats":null}', "contains no statistics"),
    ],
)
def test_response_without_results_is_explained(text: str, message: str) -> None:
    parsed = parse("cadvisor", text)
    assert not parsed.readings
    assert parsed.reports(message)


def test_root_cgroup_is_read_if_it_is_the_only_one() -> None:
    look = {"timestamp": "2026-11-21T01:21:41Z", "cpu": {"usage": {"total": 10**18}}}
    assert parse("cadvisor", json.dumps([look])).values("cpu_time") == {"/": [1e9]}


def test_pause_containers_and_unlimited_memory_are_left_out() -> None:
    labels = {"io.kubernetes.pod.name": "web-1", "io.kubernetes.pod.namespace": "shop"}
    look = {"timestamp": "2026-11-21T01:21:41Z", "cpu": {"usage": {"total": 5}}}
    limits = {"memory": {"limit": 2**64 - 1}, "cpu": {"quota": -1, "period": 100000}}
    spec: dict[str, object] = dict(limits)
    answer = {}
    for name in ("app", "POD"):
        inside = {**labels, "io.kubernetes.container.name": name}
        info = {"name": f"/pod/{name}", "stats": [look], "spec": {**spec, "labels": inside}}
        answer[f"/pod/{name}"] = info
    parsed = parse("cadvisor", json.dumps(answer))
    assert parsed.values("cpu_time") == {"shop/web-1/app": [5e-9]}
    assert parsed.readings[0].env == {}
    assert parsed.reports("pause containers")


def test_overlapping_polls_count_each_sample_once() -> None:
    def answer(*seconds: int) -> str:
        stats = [
            {"timestamp": f"2026-11-21T01:21:{s}Z", "cpu": {"usage": {"total": s * 10**9}}}
            for s in seconds
        ]
        return json.dumps({"/a": {"spec": {}, "stats": stats}})

    parsed = parse("cadvisor", answer(10, 11) + "\n" + answer(11, 12))
    assert parsed.values("cpu_time") == {"/a": [10, 11, 12]}
    assert [line for block in parsed.samples for line in block.lines] == [1, 1, 2]


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
KEYS = st.sampled_from(
    [
        "stats",
        "spec",
        "name",
        "cpu",
        "usage",
        "total",
        "memory",
        "network",
        "interfaces",
        "diskio",
        "io_service_bytes",
        "timestamp",
        "/a",
        "aliases",
        "labels",
        "num_cores",
        "minute_usage",
        "latest_usage",
        "limit",
        "quota",
        "period",
    ]
)
VALUES = st.recursive(
    SCALARS | st.just("2026-11-21T01:21:41Z"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_arbitrary_json_never_raises(value: object) -> None:
    parsed = parse("cadvisor", json.dumps(value))
    assert parsed.readings or parsed.diagnostics
