"""The code paths by which bytes become values, and texts for each of them.

Large sources are read in columns, with or without a compiled kernel; small and odd ones line by
line. All give the same result: `tests/parsers/test_roads.py` and `tests/soak` compare them.
"""

from __future__ import annotations

import gzip
import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchkit.parsers import documents, kernel
from benchkit.parsers.ab import TSV as AB_TSV
from benchkit.parsers.ab import samples as ab
from benchkit.parsers.base import Diagnostic, Format, Reading, Record, Repeats, Row, Samples
from benchkit.parsers.cadvisor import ANSWERS as CADVISOR
from benchkit.parsers.cadvisor import columns as cadvisor_columns
from benchkit.parsers.cadvisor import reader as cadvisor_reader
from benchkit.parsers.gobench import LOG as GOBENCH
from benchkit.parsers.gobench import columns as gobench_columns
from benchkit.parsers.gobench import lines as gobench_lines
from benchkit.parsers.k6 import RAW
from benchkit.parsers.k6 import columns as k6_columns
from benchkit.parsers.k6 import raw as k6
from benchkit.parsers.prometheus import ANSWERS as PROMETHEUS
from benchkit.parsers.prometheus import columns as prometheus_columns
from benchkit.parsers.prometheus import reader as prometheus_reader
from benchkit.parsers.vegeta import RAW as VEGETA
from benchkit.parsers.vegeta import lines as vegeta_lines
from benchkit.parsers.vegeta import streams as vegeta_streams
from benchkit.reading import source
from benchkit.reading.source import Source, UnreadableError

FIXTURES = Path(__file__).parents[1] / "fixtures"


def take_columns(patch: pytest.MonkeyPatch, block: int) -> None:
    """Read every text in columns, however small, in blocks of this many bytes."""
    patch.setattr(source, "_BLOCK", block)
    patch.setattr(Source.line_blocks, "__defaults__", (block,))
    patch.setattr(k6_columns, "_FEW", 0)
    patch.setattr(gobench_columns, "_FEW", 1)
    patch.setattr(gobench_lines, "SMALL", 0)
    patch.setattr(vegeta_streams, "_FEW", 1)
    patch.setattr(vegeta_streams, "_NEAR_END", block)
    patch.setattr(documents, "_LARGE", 0)
    patch.setattr(prometheus_columns, "_FEW", 0)
    patch.setattr(cadvisor_columns, "_FEW", 0)
    patch.setattr(k6, "BLOCK_BYTES", block)


def leave_kernel(patch: pytest.MonkeyPatch) -> None:
    """Read like an installation without a C compiler."""
    patch.setattr(kernel, "compiled", None)


def take_lines(patch: pytest.MonkeyPatch) -> None:
    """Read every text line by line, or as a single document."""
    patch.setattr(k6._Reader, "read_lines", _take_points)
    patch.setattr(gobench_lines, "SMALL", 1 << 30)
    patch.setattr(ab, "read_rows", lambda _: None)
    patch.setattr(vegeta_lines, "read_columns", lambda *_: None)
    patch.setattr(vegeta_streams, "find_layout", lambda _: None)
    patch.setattr(prometheus_reader, "_read_in_columns", lambda _: [])
    patch.setattr(cadvisor_reader, "_read_in_columns", lambda _: None)


def _take_points(reader: k6._Reader) -> Iterator[Record]:
    for number, text in reader.source.lines():
        reader.line = number
        if text.strip():
            reader.take(text)
            yield from reader.records
            reader.records.clear()


def read_all(form: Format, data: bytes) -> dict[str, Any]:
    """Return all output of a parser in comparable form, with blocks joined."""
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
    readings = [replace(each, rows=list(map(_mend_nan, each.rows))) for each in readings]
    return {"readings": readings, "samples": samples, "problems": problems}


def _mend_nan(row: Row) -> Row:
    """Replace any NaN in a row by the single NaN that equals itself."""
    return (*row[:3], math.nan if math.isnan(row[3]) else row[3], *row[4:])


def list_readings(repeats: Repeats) -> Iterator[Reading]:
    """Yield each run as the plain reader returns it."""
    ends = np.searchsorted(repeats.owners, np.arange(len(repeats.lines)), "right").tolist()
    columns = [c.tolist() for c in (repeats.kinds, repeats.values, repeats.steps)]
    runs = (c.tolist() for c in (repeats.codes, repeats.lines, repeats.counts))
    start = 0
    for run, line, n, end in zip(*runs, ends, strict=True):
        rows = []
        for kind, value, step in zip(*(c[start:end] for c in columns), strict=True):
            metric, unit = repeats.measures[kind]
            rows.append((None, metric, "sample", value, unit, n, None, step, "reported", line))
        yield replace(repeats.readings[run], line=line, last_line=line, rows=rows)
        start = end


def unzip(path: str) -> bytes:
    return gzip.decompress((FIXTURES / path).read_bytes())


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
    f'{{"timestamp":"2026-11-21T01:21:{i:02}.{622269238 // 10 ** (i % 7)}Z","cpu":{{"usage":'
    f'{{"total":{i * 10**9}}},"cfs":{{"periods":{i % 3},"throttled_periods":3}}}},"load":-0.5e-7,'
    f'"memory":{{"usage":{i},"rss":82448384}},"network":{{"interfaces":[{{"name":"eth0","rx_bytes":'
    f'{i}}},{{"name":"{("eth1", "eth2", "lo")[i % 3]}","rx_bytes":7}}]}},"diskio":{{'
    f'"io_service_bytes":[{{"major":252,"minor":{i},"stats":{{"Read":9}}}}]}}}}'
    for i in range(12)
]
POLLS = (
    f'[{{"name":"/a/b","stats":[{",".join([*LOOKS[:6], LOOKS[5]])}]}},\n{{"name":"/a/c","stats":['
    f'{",".join(LOOKS[6:])}]}}]\n{{"/a/c":{{"stats":[{",".join(LOOKS[4:])}]}}}}\n'
)

K6 = unzip("k6-edge/small/k6-raw-small.json.gz")
K6_LINES = K6.splitlines(keepends=True)
#: Per form that is read in columns: its format, and a text.
TEXTS: dict[str, tuple[Format, bytes]] = {
    "k6 json": (
        RAW,
        b"".join([*K6_LINES[:45], *K6_LINES[-30:]]),
    ),
    "k6 csv": (
        RAW,
        b"".join(unzip("k6-edge/small/k6-raw-small.csv.gz").splitlines(keepends=True)[:60]),
    ),
    "go test": (GOBENCH, GO),
    "ab -g": (AB_TSV, AB),
    "vegeta csv": (
        VEGETA,
        b"".join(VEGETA_CSV.splitlines(keepends=True)[:40]),
    ),
    "vegeta csv without errors": (
        VEGETA,
        b"".join(
            b"17952220692420%05d,200,14272,0,5,,Zm9v,a,%d,GET,http://h/%d,\n" % (i, i, i % 2)
            for i in range(20)
        ),
    ),
    **{
        f"vegeta json, {name}": (
            VEGETA,
            b"".join(data.splitlines(keepends=True)[:15]),
        )
        for name, data in VEGETA_LINES.items()
    },
    **{
        f"prometheus, {name}": (PROMETHEUS, data)
        for name, data in (
            ("real", RANGE),
            ("one line", f"[{SERIES}]".encode()),
            ("lines", f'[{SERIES}]\n{{"result":[\n{SERIES}]}}\n'.encode()),
        )
    },
    **{
        f"cadvisor, {name}": (CADVISOR, data.encode())
        for name, data in (
            ("one line", f'{{"/a":{{"spec":{{}},"stats":[{",".join(LOOKS)}]}}}}'),
            ("lines", POLLS),
        )
    },
    "vegeta gob": (
        VEGETA,
        (FIXTURES / "skywalking-vegeta/edge/vegeta-results-refused.bin").read_bytes()[:4000],
    ),
    "vegeta gob, two streams": (
        VEGETA,
        2 * (FIXTURES / "vegeta-edge/old/v12.8.0.bin").read_bytes(),
    ),
}
