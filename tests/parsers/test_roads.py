"""Reading in columns and reading line by line agree, whatever the bytes are."""

from __future__ import annotations

import gzip
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from roads import (
    FIXTURES,
    GO,
    K6,
    K6_LINES,
    RANGE,
    SERIES,
    TEXTS,
    VEGETA_LINES,
    leave_kernel,
    read_all,
    take_columns,
    take_lines,
    unzip,
)

from benchkit.parsers import documents
from benchkit.parsers.cadvisor import reader as cadvisor_reader
from benchkit.parsers.gobench import columns as gobench_columns
from benchkit.parsers.k6 import columns as k6_columns
from benchkit.parsers.prometheus import columns as prometheus_columns
from benchkit.parsers.prometheus import reader as prometheus_reader
from benchkit.parsers.vegeta import lines as vegeta_lines
from benchkit.parsers.vegeta import streams as vegeta_streams
from benchkit.parsers.vegeta.results import Results
from benchkit.reading import source
from benchkit.reading.source import Source

#: Texts at which a reader falls back to lines, or which damage the text.
ODD = [
    b"", b"\n", b"\r\n", b"\r", b"\x1b[0m", b" ", b"\t", b"\xff", b"\xc3\xa9", b"\0", b'"', b"\\",
    b",", b"{", b"}", b"-", b"+", b".", b":", b"0", b"9", b"00", b"1e-05", b"-1.5", b"1E3", b"12.",
    b"0.1234567890123456789", b"123456789.987654321", b"NaN", b"1e42", b"null", b"true", b"9" * 20,
    b"Z", b"+03:00", b"2026-11-20T23:55:22Z", b"2026-02-30T23:55:22.5Z", b"60", b"http_reqs",
    b"\\u003c", b"\\ud8", b"-Infinity", b"NaN", b"[[", b"]]", b'"values":[[',
     b"[", b"]", b"[]", b'","', b'"],"', b'":["', b"}\n{",
    b'"tags":null', b'"value":1,', b'"time":"2026-11-20T23:55:22.1Z",', b"\t\t", b"\t7", b"checks",
    b" ns/op", b"\t3 B/op", b"Benchmark", b"\nBenchmarkX\t", b"\x0b", b"\xc2\xa0", b"\npkg: p\n",
    b"```",
]  # fmt: skip


@st.composite
def mutations(draw: st.DrawFn, original: bytes) -> bytes:
    """Draw a few changes of the original: bytes and lines replaced, dropped, repeated, cut off."""
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


@pytest.mark.parametrize("name", TEXTS)
@settings(max_examples=80, deadline=None)
@given(draw=st.data(), block=st.sampled_from([300, 5000, 1 << 22]))
def test_columns_and_lines_agree_on_mutated_texts(
    name: str, draw: st.DataObject, block: int
) -> None:
    form, original = TEXTS[name]
    data = draw.draw(mutations(original))
    with pytest.MonkeyPatch.context() as patch:
        take_columns(patch, block)
        compiled = read_all(form, data)
        leave_kernel(patch)
        assert read_all(form, data) == compiled
    with pytest.MonkeyPatch.context() as patch:
        take_lines(patch)
        is_same = read_all(form, data) == compiled
    assert is_same, data  # a comparison of all records would take pages


def remove_numbers(text: bytes) -> bytes:
    """Return results of vegeta without the numbers that show where another attack starts."""
    return text.replace(b'"seq":', b'"number":')


@pytest.mark.parametrize("name", ["vegeta json, bodies", "prometheus, lines", "cadvisor, lines"])
def test_columns_and_lines_agree_on_damaged_gzip(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    form, original = TEXTS[name]
    data = gzip.compress(remove_numbers(original) * 40, mtime=0)[:-20]
    monkeypatch.setattr(documents, "_LARGE", 0)
    monkeypatch.setattr(prometheus_columns, "_FEW", 0)
    fast = read_all(form, data)
    assert "truncated" in fast["problems"][0]
    assert bool(fast["samples"]) == name.startswith("vegeta")
    take_lines(monkeypatch)
    assert read_all(form, data) == fast


def test_fence_after_a_unit_is_not_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    form, original = TEXTS["go test"]
    data = original.replace(b" allocs/op\n", b" allocs/o```\n")
    assert data != original
    slow = read_all(form, data)
    take_columns(monkeypatch, 5000)
    assert read_all(form, data) == slow


def test_line_longer_than_a_block_is_reported() -> None:
    form, original = TEXTS["vegeta json, bodies"]
    original = remove_numbers(original)
    parsed = read_all(form, original + b"x" * (source.LINE_BLOCK + 9) + b"\n" + original)
    (problem,) = parsed["problems"]
    assert (problem.line, problem.severity) == (16, "warning")
    ((latencies, *_),) = parsed["samples"].values()
    assert len(latencies) == 30


def test_empty_message_before_a_value_has_no_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    form, original = TEXTS["vegeta gob, two streams"]
    monkeypatch.setattr(vegeta_streams, "_FEW", 1)
    values = [match.start() for match in re.finditer(rb"\xff\x80", original)]
    assert len(values) == 82  # two of them in descriptors
    for value in values[::7]:
        data = original[: value - 2] + b"\0" + original[value:]
        fast = read_all(form, data)
        with monkeypatch.context() as patch:
            take_lines(patch)
            assert read_all(form, data) == fast


def test_usual_shapes_are_read_in_columns() -> None:
    block = k6_columns.read_json(K6)
    points = sum(b'"type":"Point"' in line for line in K6_LINES)
    assert len(block.points.lines) == points > 1000
    assert len(block.left) == len(K6_LINES) - points
    header, *rows = unzip("k6-edge/small/k6-raw-small.csv.gz").splitlines(keepends=True)
    columns = header.decode().strip().split(",")
    assert not k6_columns.read_csv(b"".join(rows), columns).left
    for lines in VEGETA_LINES.values():
        assert vegeta_lines.read_columns(1, lines, vegeta_lines._read_json_columns)
    for csv in ("vegeta csv", "vegeta csv without errors"):
        assert vegeta_lines.read_columns(1, TEXTS[csv][1], vegeta_lines._read_csv_columns)
    parsed = list(gobench_columns.part(7, GO * 20))
    tables = [part for part in parsed if isinstance(part, gobench_columns.Table)]
    assert sum(len(table.lines) for table in tables) > 0.8 * GO.count(b"\nBenchmark") * 20
    gob = TEXTS["vegeta gob"][1]
    first, rest = list(vegeta_streams.read_gob(Source(None, "x", gob)))[:2]
    assert isinstance(first, Results)
    assert isinstance(rest, Results)
    assert len(first.line) == 1 < len(rest.line)


def test_ranges_of_the_usual_shape_are_read_in_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "_LARGE", 0)
    monkeypatch.setattr(prometheus_columns, "_FEW", 0)
    assert len(list(prometheus_columns.find_values(SERIES.encode()))) == 9
    parsed = prometheus_reader._read_in_columns(Source(None, "x", RANGE))
    assert len(parsed) == RANGE.count(b'"values"') == 4


def test_samples_that_differ_in_digits_are_read_in_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "_LARGE", 0)
    path = FIXTURES / "tracing-resources/none/cadvisor-v13-1.json"
    parsed = cadvisor_reader._read_in_columns(Source(None, "x", path.read_bytes()))
    assert parsed is not None
    for _, each in parsed[0]:
        first, last = each.stats
        assert len(first.times) > 10
        assert isinstance(last, dict)


@pytest.mark.parametrize("pair", [b'[1795224103,"]', b'[1795224103,""]', b'[1795224103,"8"],[1,"]'])
def test_quote_that_opens_and_closes_has_no_number(pair: bytes) -> None:
    assert prometheus_columns._read_pairs(pair) is None


@pytest.mark.parametrize(
    "split_unit", ["16 B\n/op\t 2 allocs/op", "16 B/op\t 2 a\nllocs/op", "16 B/op\t 2 allocs/o|"]
)
def test_broken_unit_is_read_alike_in_columns_and_lines(split_unit: str) -> None:
    form, _ = TEXTS["go test"]
    line = "BenchmarkA-8 \t1000\t{} ns/op\t 16 B/op\t 2 allocs/op\n"
    text = "".join(map(line.format, range(100, 200)))
    broken = text.replace("150 ns/op\t 16 B/op\t 2 allocs/op", f"150 ns/op\t {split_unit}").encode()
    with pytest.MonkeyPatch.context() as patch:
        take_columns(patch, 1 << 22)
        compiled = read_all(form, broken)
    with pytest.MonkeyPatch.context() as patch:
        take_lines(patch)
        assert read_all(form, broken) == compiled
