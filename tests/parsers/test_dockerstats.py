"""docker stats: the table and its refreshes, JSON lines, the API; units of old and new versions."""

from __future__ import annotations

import json

import pytest
from container_records import FIXTURES, parse, parse_fixture
from hypothesis import given
from hypothesis import strategies as st
from reading_formats import format_named

from benchkit.parsers.base import Head, Samples, Source


def test_terminal_frames_are_read() -> None:
    parsed = parse_fixture("containers-edge/synthetic-docker-table.txt")
    assert parsed.subjects() == {"server", "storage"}
    assert parsed.values("cpu_usage") == {"server": [1.2831, 1.3007], "storage": [0.4992, 0.513]}
    assert parsed.values("memory_usage")["server"] == [70.5 * 2**20, 70.75 * 2**20]
    assert parsed.values("network_in")["server"] == [1.2e6, 1.3e6]
    assert parsed.values("network_out")["server"] == [33.9e6, 34.5e6]
    assert parsed.values("disk_read")["server"] == [279e3, 279e3]
    (reading,) = parsed.readings
    assert (reading.form, reading.line, reading.last_line) == ("table", 1, 7)
    assert {block.times for block in parsed.samples} == {None}
    steps = {
        block.metric: block.resolution for block in parsed.samples if block.subject == "server"
    }
    assert steps["cpu_usage"] == 0.0001
    assert steps["network_in"] == 1e5


def test_json_lines_agree_with_the_table() -> None:
    table = parse_fixture("containers-edge/synthetic-docker-table.txt")
    lines = parse_fixture("containers-edge/synthetic-docker-lines.json")
    assert lines.readings[0].form == "json"
    for metric in ("cpu_usage", "memory_usage", "network_out", "disk_write"):
        firsts = {subject: values[:1] for subject, values in table.values(metric).items()}
        assert lines.values(metric) == firsts


def test_megabytes_of_old_versions_are_decimal() -> None:
    parsed = parse_fixture("containers-edge/synthetic-docker-old-table.txt")
    assert parsed.values("memory_usage") == {"redis1": [796e3], "redis2": [2.746e6]}
    assert parsed.values("disk_write") == {"redis1": [512e3], "redis2": [0]}


def test_podman_column_names_are_read() -> None:
    text = (
        "ID            NAME   CPU %   MEM USAGE / LIMIT  MEM %   NET IO           BLOCK IO   PIDS\n"
        "a9f807ffaacd  web    2.50%   3.092MB / 16.7GB   0.02%   916B / 1.2kB     0B / 5kB   2\n"
    )
    parsed = parse("docker-stats", text)
    assert parsed.values("cpu_usage") == {"web": [0.025]}
    assert parsed.values("memory_usage") == {"web": [3.092e6]}
    assert parsed.values("network_out") == {"web": [1200]}


def test_api_responses_are_read() -> None:
    parsed = parse_fixture("containers-edge/synthetic-docker-api.json")
    assert parsed.values("cpu_time") == {"server": [100.215355, 101.215355]}
    assert parsed.values("memory_usage") == {"server": [6537216, 6541312]}
    assert parsed.values("memory_working_set") == {"server": [6533120, 6537216]}
    assert parsed.values("network_in") == {"server": [6338, 6900]}
    assert parsed.values("cpu_throttled_periods") == {"server": [10, 20]}
    assert parsed.values("disk_read") == {"server": [7593984, 7593984]}
    assert parsed.times("cpu_time", "server")[0] == "2026-11-21T01:21:41.622269"
    computed = {block.metric for block in parsed.samples if block.origin == "computed"}
    assert computed == {"memory_working_set", "network_in", "network_out"}


def test_other_text_ends_a_table() -> None:
    table = "NAME   CPU %\nweb    2.50%\n"
    parsed = parse("docker-stats", f"$ docker stats\n{table}and later\nweb    9.00%\n{table}")
    assert [reading.line for reading in parsed.readings] == [2, 6]
    assert parsed.values("cpu_usage") == {"web": [0.025, 0.025]}


@pytest.mark.parametrize(
    "text",
    [
        "NAME   CPU %\n",
        "NAME   CPU %\nweb    --\n",
        '{"CPUPerc":"--","Name":"web"}\n',
        f"NAME   CPU %\nweb    {'9' * 400}%\n",
        '{"CPUPerc":\n',
        '{"cpu_stats":{},"read":"2026-11-21T01:21:41Z"}',
        '{"cpu_stats":{"cpu_usage":{"total_usage":5',
        '{"cpu_stats":{"cpu_usage":{"total_usage":1e999}},"blkio_stats":7,"networks":[]}',
    ],
)
def test_text_without_a_number_is_reported(text: str) -> None:
    parsed = parse("docker-stats", text)
    assert not parsed.readings
    assert parsed.diagnostics


def test_truncated_cell_yields_no_wrong_number() -> None:
    line = "NAME   CPU %   MEM USAGE / LIMIT\nweb    12.50%  1.5MiB / 1GiB"
    for end in range(len(line)):
        parsed = parse("docker-stats", line[:end])
        assert parsed.values("cpu_usage") in ({}, {"web": [0.125]})
        assert parsed.values("memory_usage") in ({}, {"web": [1572864]})


def test_tables_of_other_tools_are_not_claimed() -> None:
    docker = format_named("docker-stats")
    for text in ("PID   CPU %   COMMAND\n1   2.5%   x\n", "the CPU % of NAME", '{"a": "CPUPerc"}'):
        assert not docker.recognises(Head("x", text.encode(), text))


@given(st.text('NAME CPU%web-/.0123456789MiBk"{}:\n', max_size=80))
def test_arbitrary_text_never_raises(text: str) -> None:
    parsed = parse("docker-stats", "NAME   CPU %   MEM USAGE / LIMIT\n" + text)
    assert parsed.readings or parsed.diagnostics


JSON = st.recursive(
    st.none() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["cpu_usage", "usage", "stats", "eth0", "rx_bytes", "op", "value"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(JSON, JSON, JSON, JSON)
def test_arbitrary_response_never_raises(
    cpu: object, memory: object, net: object, disk: object
) -> None:
    blkio = {"io_service_bytes_recursive": disk}
    answer = {"cpu_stats": cpu, "memory_stats": memory, "networks": net, "blkio_stats": blkio}
    parsed = parse("docker-stats", json.dumps(answer))
    assert parsed.readings or parsed.diagnostics


def test_fixture_has_terminal_escape_codes() -> None:
    raw = (FIXTURES / "containers-edge/synthetic-docker-table.txt").read_bytes()
    assert raw.startswith(b"\x1b[2J\x1b[HCONTAINER ID")


@pytest.mark.parametrize(
    "text",
    [
        "NAME CPU % MEM USAGE / LIMIT\nweb 12.50% 1.5MiB / 1GiB\n",
        "NAME   CPU %   MEM USAGE\nweb    12.50%   1.5MiB / 1GiB\n",
        "NAME\tCPU %\tMEM USAGE / LIMIT\nweb\t12.50%\t1.5MiB / 1GiB\n",
        "CPU % NAME MEM % MEM USAGE / LIMIT\n12.50% web 0.15% 1.5MiB / 1GiB\n",
    ],
)
def test_custom_columns_in_any_order_and_width_are_read(text: str) -> None:
    format_ = format_named("docker-stats")
    assert format_.recognises(Head("x", text.encode(), text))
    _, cpu, memory = format_.parse(Source(None, "x.txt", text.encode()))
    assert isinstance(cpu, Samples)
    assert isinstance(memory, Samples)
    assert (cpu.subject, cpu.values.tolist()) == ("web", [0.125])
    assert (memory.subject, memory.values.tolist()) == ("web", [1572864.0])
