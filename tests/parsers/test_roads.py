"""Reading in columns and reading line by line give the same, whatever the bytes are."""

from __future__ import annotations

import gzip
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchkit.parsers import cadvisor, documents, kernel, prometheus, source
from benchkit.parsers.ab import samples as ab
from benchkit.parsers.base import Diagnostic, Format, Reading, Repeats, Samples
from benchkit.parsers.cadvisor import columns as cadvisor_columns
from benchkit.parsers.cadvisor import reader as cadvisor_reader
from benchkit.parsers.gobench import FORMAT as GOBENCH
from benchkit.parsers.gobench import columns as gobench_columns
from benchkit.parsers.gobench import lines as gobench_lines
from benchkit.parsers.k6 import columns as k6_columns
from benchkit.parsers.k6 import raw as k6
from benchkit.parsers.k6 import table as k6_table
from benchkit.parsers.octets import Lines, Octets
from benchkit.parsers.prometheus import columns as prometheus_columns
from benchkit.parsers.prometheus import reader as prometheus_reader
from benchkit.parsers.source import Source, UnreadableError
from benchkit.parsers.vegeta import columns as vegeta_columns
from benchkit.parsers.vegeta import json_lines, records
from benchkit.parsers.vegeta import raw as vegeta
from benchkit.parsers.vegeta import table as vegeta_table

FIXTURES = Path(__file__).parents[2] / "fixtures"
#: Texts that stand where one goes into another form of the same, or is damaged.
ODD = [
    b"", b"\n", b"\r\n", b"\r", b"\x1b[0m", b" ", b"\t", b"\xff", b"\xc3\xa9", b"\0", b'"', b"\\",
    b",", b"{", b"}", b"-", b"+", b".", b":", b"0", b"9", b"00", b"1e-05", b"-1.5", b"1E3", b"12.",
    b"0.1234567890123456789", b"123456789.987654321", b"NaN", b"1e42", b"null", b"true", b"9" * 20,
    b"Z", b"+03:00", b"2026-11-20T23:55:22Z", b"2026-02-30T23:55:22.5Z", b"60", b"http_reqs",
    b"\\u003c", b"\\ud8", b"-Infinity", b"NaN", b"[[", b"]]", b'"values":[[',
     b"[", b"]", b"[]", b'","', b'"],"', b'":["', b"}\n{",
    b'"tags":null', b'"value":1,', b'"time":"2026-11-20T23:55:22.1Z",', b"\t\t", b"\t7", b"checks",
    b" ns/op", b"\t3 B/op", b"Benchmark", b"\nBenchmarkX\t", b"\x0b", b"\xc2\xa0", b"\npkg: p\n",
]  # fmt: skip


def zipped(path: str) -> bytes:
    return gzip.decompress((FIXTURES / path).read_bytes())


def told(form: Format, data: bytes) -> dict[str, Any]:
    """Return all that a parser gives, in a form that can be compared, blocks put together."""
    readings: list[Reading] = []
    columns: dict[tuple[Any, ...], list[Samples]] = defaultdict(list)
    problems: list[Any] = []
    try:
        for record in form.parse(Source(None, "x", data)):
            if isinstance(record, Reading):
                readings.append(record)
            elif isinstance(record, Repeats):
                readings += list_readings(record)
            elif isinstance(record, Diagnostic):
                problems.append(record)
            else:
                owner = next(i for i, r in enumerate(readings) if r is record.reading)
                key = owner, record.metric, record.subject, record.unit, record.stat
                columns[(*key, record.resolution, record.origin)].append(record)
    except UnreadableError as error:
        problems.append(str(error))
    samples = {}
    for key, blocks in columns.items():
        times = [np.asarray(b.times if b.times is not None else []) for b in blocks]
        parts = [b.values for b in blocks], [b.lines for b in blocks], times
        samples[key] = [np.concatenate(part).tolist() for part in parts]
    return {"readings": readings, "samples": samples, "problems": problems}


def list_readings(repeats: Repeats) -> Iterator[Reading]:
    """Yield each run as the plain reader gives it."""
    ends = np.searchsorted(repeats.owners, np.arange(len(repeats.lines)), "right").tolist()
    columns = [c.tolist() for c in (repeats.kinds, repeats.values, repeats.steps)]
    runs = (c.tolist() for c in (repeats.which, repeats.lines, repeats.counts))
    start = 0
    for which, line, n, end in zip(*runs, ends, strict=True):
        rows = []
        for kind, value, step in zip(*(c[start:end] for c in columns), strict=True):
            metric, unit = repeats.measures[kind]
            rows.append((None, metric, "sample", value, unit, n, None, step, "reported", line))
        yield replace(repeats.readings[which], line=line, last_line=line, rows=rows)
        start = end


@st.composite
def mutations(draw: st.DrawFn, original: bytes) -> bytes:
    """Draw a few changes of the original: bytes and lines replaced, dropped, doubled, cut."""
    data = original
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(data)))
        size = draw(st.sampled_from([0, 0, 1, 1, 2, 5, 30, 300]))
        put = draw(st.sampled_from(ODD) | st.binary(max_size=3))
        if draw(st.integers(0, 5)) == 0:  # from one place of the text to another
            start = draw(st.integers(0, len(data)))
            put = data[start : start + draw(st.sampled_from([8, 100, 400]))]
        data = data[:place] + put + data[place + size :]
    return data


GO = b"".join(
    [
        *(FIXTURES / "redis-gobench/baseline.txt").read_bytes().splitlines(keepends=True)[:30],
        *(b"BenchmarkA/n=%d-8 \t%8d\t%10.1f ns/op\t  %d p99-ns\n" % (i % 3, i, i / 7, i)
          for i in range(20)),
        b"goos: plan9\nBenchmarkB \t100\t1.5 ns/op\n" * 3,
    ]
)  # fmt: skip
VEGETA_CSV = (FIXTURES / "skywalking-vegeta/edge/vegeta-results-refused.csv").read_bytes()
AB = b"".join(
    [
        b"starttime\tseconds\tctime\tdtime\tttime\twait\n",
        *(b"Sat Nov 21 00:30:18 2026\t1795221018\t%d\t%d\t12\t7\n" % (i, 9 * i) for i in range(20)),
        b"Sat Nov 21 00:30:18 2026\t1795221018123456\t0\t1\t1\t0\n",
    ]
)

VEGETA_JSON = b"".join(
    b'{"attack":"a","seq":%d,"code":200,"timestamp":"2026-11-21T00:47:49.%dZ","latency":14272,'
    b'"bytes_out":0,"bytes_in":5,"error":"","body":%s,"method":"GET","url":"http://h/?a=%d\\u0026",'
    b'"headers":%s}\n' % (i, 242054756 // 10 ** (i % 9), body, i % 2, headers)
    for i, (body, headers) in enumerate(
        10
        * [
            (b"null", b"null"),
            (b'"Zm9vYmFy"', b'{"Date":["Sat, 21 Nov 2026"],"Via":["1.1 \\"a\\"","1.0 b"]}'),
            (b'""', b"{}"),
        ]
    )
)
VEGETA_LINES = {
    "refused": (FIXTURES / "skywalking-vegeta/edge/vegeta-results-refused.json").read_bytes(),
    "old versions": b"".join(
        line
        for version in ("v8.0.0", "v5.9.0")
        for line in (FIXTURES / f"vegeta-edge/old/{version}.json").read_bytes().splitlines(True)[:8]
    ),
    "bodies": VEGETA_JSON,
}

RANGE = (FIXTURES / "tracing-resources/prometheus/query_range-cpu_seconds_total.json").read_bytes()
NAMES = "container_network_receive_bytes_total", "container_memory_rss", "app_spans_dropped_total"
VALUES = "8", "2.5", "499.81839183012374", "1.8446744073709552e+19", "NaN", "+Inf", "-0", "1e-7"
SERIES = ",".join(
    f'{{"metric":{{"__name__":"{NAMES[i // 4]}","id":"/{i // 2}","interface":"eth{i % 2}"'
    + (',"name":"web"' if i % 4 < 3 else "")
    + '},"values":['
    + ",".join(
        f'[{1795224103 + j}{".302" if (i // 2 + j) % 3 else ""},"{VALUES[(i // 4 + j) % 8]}"]'
        for j in range(6)
    )
    + "]}"
    for i in range(9)
)
LOOKS = [
    f'{{"timestamp":"2026-11-21T01:21:{i // 2:02}.{622269238 // 10 ** (i % 7)}Z","cpu":{{"usage":'
    f'{{"total":{i * 10**9}}},"cfs":{{"periods":{i % 3},"throttled_periods":3}}}},"load":-0.5e-7,'
    f'"memory":{{"usage":{i},"rss":82448384}},"network":{{"interfaces":[{{"name":"eth0","rx_bytes":'
    f'{i}}},{{"name":"{("eth1", "eth2", "lo")[i % 3]}","rx_bytes":7}}]}},"diskio":{{'
    f'"io_service_bytes":[{{"major":252,"minor":{i},"stats":{{"Read":9}}}}]}}}}'
    for i in range(12)
]
POLLS = (
    f'[{{"name":"/a/b","stats":[{",".join(LOOKS[:6])}]}},\n{{"name":"/a/c","stats":['
    f'{",".join(LOOKS[6:])}]}}]\n{{"/a/c":{{"stats":[{",".join(LOOKS[4:])}]}}}}\n'
)


def read_no_rows(_: Octets, lines: Lines) -> tuple[np.ndarray, np.ndarray]:
    size = len(lines.starts)
    return np.zeros((size, 5), dtype=np.int64), np.zeros(size, dtype=bool)


#: Per form: its format, a text, and what makes its reader go line by line.
K6 = zipped("k6-edge/small/k6-raw-small.json.gz")
K6_LINES = K6.splitlines(keepends=True)
SAMPLES: dict[str, tuple[Format, bytes, Callable[[pytest.MonkeyPatch], None]]] = {
    "k6 json": (
        k6.FORMAT,
        b"".join([*K6_LINES[:45], *K6_LINES[-30:]]),
        lambda patch: patch.setattr(k6._Json, "take_all", k6._Reader.take_all),
    ),
    "k6 csv": (
        k6.FORMAT,
        b"".join(zipped("k6-edge/small/k6-raw-small.csv.gz").splitlines(keepends=True)[:60]),
        lambda patch: patch.setattr(k6._Csv, "take_all", k6._Reader.take_all),
    ),
    "go test": (GOBENCH, GO, lambda patch: patch.setattr(gobench_lines, "SMALL", 1 << 30)),
    "ab -g": (
        ab.FORMAT,
        AB,
        lambda patch: patch.setattr(ab, "read_rows", read_no_rows),
    ),
    "vegeta csv": (
        vegeta.FORMAT,
        b"".join(VEGETA_CSV.splitlines(keepends=True)[:40]),
        lambda patch: patch.setitem(vegeta._READERS, "csv", records.read_csv),
    ),
    "vegeta csv without errors": (
        vegeta.FORMAT,
        b"".join(
            b"17952220692420%05d,200,14272,0,5,,Zm9v,a,%d,GET,http://h/%d,\n" % (i, i, i % 2)
            for i in range(20)
        ),
        lambda patch: patch.setitem(vegeta._READERS, "csv", records.read_csv),
    ),
    **{
        f"vegeta json, {name}": (
            vegeta.FORMAT,
            b"".join(data.splitlines(keepends=True)[:15]),
            lambda patch: patch.setitem(vegeta._READERS, "ndjson", records.read_json),
        )
        for name, data in VEGETA_LINES.items()
    },
    **{
        f"prometheus, {name}": (
            prometheus.FORMAT,
            data,
            lambda patch: patch.setattr(prometheus_reader, "_read_in_columns", lambda _: []),
        )
        for name, data in (
            ("real", RANGE),
            ("one line", f"[{SERIES}]".encode()),
            ("lines", f'[{SERIES}]\n{{"result":[\n{SERIES}]}}\n'.encode()),
        )
    },
    **{
        f"cadvisor, {name}": (
            cadvisor.FORMAT,
            data.encode(),
            lambda patch: patch.setattr(cadvisor_reader, "_read_in_columns", lambda _: None),
        )
        for name, data in (
            ("one line", f'{{"/a":{{"spec":{{}},"stats":[{",".join(LOOKS)}]}}}}'),
            ("lines", POLLS),
        )
    },
    "vegeta gob": (
        vegeta.FORMAT,
        (FIXTURES / "skywalking-vegeta/edge/vegeta-results-refused.bin").read_bytes()[:4000],
        lambda patch: patch.setitem(vegeta._READERS, "gob", records.read_gob),
    ),
    "vegeta gob, two streams": (
        vegeta.FORMAT,
        2 * (FIXTURES / "vegeta-edge/old/v12.8.0.bin").read_bytes(),
        lambda patch: patch.setitem(vegeta._READERS, "gob", records.read_gob),
    ),
}


@pytest.mark.parametrize("name", SAMPLES)
@settings(max_examples=80, deadline=None)
@given(draw=st.data(), block=st.sampled_from([300, 5000, 1 << 22]))
def test_both_roads_give_the_same(name: str, draw: st.DataObject, block: int) -> None:
    form, original, plain = SAMPLES[name]
    data = draw.draw(mutations(original))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "_BLOCK", block)
        patch.setattr(Source.line_blocks, "__defaults__", (block,))
        patch.setattr(k6_columns, "_FEW", 0)
        patch.setattr(k6, "_FEW", 0)
        patch.setattr(gobench_columns, "_FEW", 1)
        patch.setattr(gobench_lines, "SMALL", 0)
        patch.setattr(vegeta_columns, "_FEW", 0)
        patch.setattr(vegeta_table, "_FEW", 0)
        patch.setattr(json_lines, "_FEW", 0)
        patch.setattr(documents, "_LARGE", 0)
        patch.setattr(prometheus_columns, "_FEW", 0)
        patch.setattr(cadvisor_columns, "_FEW", 0)
        patch.setattr(vegeta_columns, "LINE_BLOCK", block)
        patch.setattr(k6, "BLOCK_BYTES", block)
        fast = told(form, data)
        patch.setattr(kernel, "compiled", None)  # where there is a kernel, numpy is a third road
        assert told(form, data) == fast
    with pytest.MonkeyPatch.context() as patch:
        plain(patch)
        is_same = told(form, data) == fast
    assert is_same, data  # a comparison of all that was read would take pages


@pytest.mark.parametrize("name", ["vegeta json, bodies", "prometheus, lines", "cadvisor, lines"])
def test_damaged_gzip_gives_the_same_on_both_roads(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    form, original, plain = SAMPLES[name]
    data = gzip.compress(original * 40, mtime=0)[:-20]
    monkeypatch.setattr(documents, "_LARGE", 0)
    monkeypatch.setattr(prometheus_columns, "_FEW", 0)
    fast = told(form, data)
    assert "cut short" in fast["problems"][0]
    assert bool(fast["samples"]) == name.startswith("vegeta")
    plain(monkeypatch)
    assert told(form, data) == fast


def test_a_line_longer_than_a_block_is_told() -> None:
    form, original, _ = SAMPLES["vegeta json, bodies"]
    found = told(form, original + b"x" * (source.LINE_BLOCK + 9) + b"\n" + original)
    (problem,) = found["problems"]
    assert (problem.line, problem.severity) == (16, "warning")
    ((latencies, *_),) = found["samples"].values()
    assert len(latencies) == 30


def test_an_empty_message_before_what_looks_like_a_value_holds_no_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    form, original, plain = SAMPLES["vegeta gob, two streams"]
    monkeypatch.setattr(vegeta_columns, "_FEW", 0)
    values = [match.start() for match in re.finditer(rb"\xff\x80", original)]
    assert len(values) == 82  # two of them in descriptors
    for value in values[::7]:
        data = original[: value - 2] + b"\0" + original[value:]
        fast = told(form, data)
        with monkeypatch.context() as patch:
            plain(patch)
            assert told(form, data) == fast


def test_the_usual_shapes_are_read_in_columns() -> None:
    block = k6_columns.read_block(K6)
    points = sum(b'"type":"Point"' in line for line in K6_LINES)
    assert len(block.points.lines) == points > 1000
    assert len(block.left) == len(K6_LINES) - points
    header, *rows = zipped("k6-edge/small/k6-raw-small.csv.gz").splitlines(keepends=True)
    columns = header.decode().strip().split(",")
    assert k6_table.read_rows(b"".join(rows), columns).good.all()
    for lines in VEGETA_LINES.values():
        assert not json_lines.read_block(lines).odd
    found = list(gobench_columns.part(7, GO * 20))
    tables = [own for own in found if isinstance(own, gobench_columns.Table)]
    assert sum(len(table.lines) for table in tables) > 0.8 * GO.count(b"\nBenchmark") * 20
    gob = SAMPLES["vegeta gob"][1]
    kinds = [type(record) for record in vegeta_columns.read_gob(Source(None, "x", gob))]
    assert kinds[:2] == [records.Result, vegeta_columns.Results]


def test_ranges_of_the_usual_shape_are_read_in_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "_LARGE", 0)
    monkeypatch.setattr(prometheus_columns, "_FEW", 0)
    assert len(list(prometheus_columns.find_values(SERIES.encode()))) == 9
    found = prometheus_reader._read_in_columns(Source(None, "x", RANGE))
    assert len(found) == RANGE.count(b'"values"') == 4


def test_looks_that_differ_in_digits_are_read_in_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "_LARGE", 0)
    path = FIXTURES / "tracing-resources/none/cadvisor-v13-1.json"
    found = cadvisor_reader._read_in_columns(Source(None, "x", path.read_bytes()))
    assert found is not None
    for _, each in found[0]:
        first, last = each.stats
        assert len(first.times) > 10
        assert isinstance(last, dict)
