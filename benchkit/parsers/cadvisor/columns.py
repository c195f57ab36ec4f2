"""Observations of a container, many at once.

CAdvisor writes a kilobyte per container and second, of which a dozen numbers are read. The last
observation of a list, and whole lists with an unusual one, are left to the plain decoder.

`read_look` reads a single observation.

API 1.x and 2.x use the same field names, and a missing field is not a zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchkit.parsers import counters
from benchkit.parsers.counters import CONTAINERS, Measure, Value, dig, sum_parts
from benchkit.parsers.documents import Part
from benchkit.parsers.octets import MARGIN, Array, Octets
from benchkit.parsers.times import read_times

if TYPE_CHECKING:
    import pyarrow as pa

_LIST, _LOOK = b'"stats":[{"timestamp":"', b'{"timestamp":"'
#: Bytes of lists that are read at once.
_BATCH = 1 << 22
#: Number of observations that are too few for columns.
_FEW = 4
#: Integers below this are exact as floats.
_EXACT = 1 << 53
CORES = Measure("cpu_usage", "cores", "sample")
#: Measures, their divisor, and the path of their value; a limit of zero means none.
CPU = (
    (CONTAINERS["container_cpu_usage_seconds_total"], 10**9, ("cpu", "usage", "total")),
    (CORES, 10**9, ("cpu_inst", "usage", "total")),
)
LIMITED = (
    (CONTAINERS["container_cpu_cfs_periods_total"], ("cpu", "cfs", "periods")),
    (CONTAINERS["container_cpu_cfs_throttled_periods_total"], ("cpu", "cfs", "throttled_periods")),
)
MEMORY = {
    "working_set": CONTAINERS["container_memory_working_set_bytes"],
    "usage": CONTAINERS["container_memory_usage_bytes"],
    "rss": CONTAINERS["container_memory_rss"],
    "cache": CONTAINERS["container_memory_cache"],
}
NETWORK = dict(zip(("rx_bytes", "tx_bytes"), counters.NETWORK, strict=True))
DISK = dict(zip(("Read", "Write"), counters.DISK, strict=True))


class _Span(NamedTuple):
    """Indices where the observations of a list begin (including the last), and its line."""

    starts: list[int]
    line: int


def find_looks(data: bytes) -> Iterator[Part]:
    """Yield the observations that can be read in columns."""
    batch: list[_Span] = []
    for span in _find_spans(data):
        batch.append(span)
        if span.starts[-1] - batch[0].starts[0] >= _BATCH:
            yield from _read(data, batch)
            batch = []
    if batch:
        yield from _read(data, batch)


def _find_spans(data: bytes) -> Iterator[_Span]:
    line, counted = 1, 0
    at = data.find(_LIST)
    while at >= 0:
        start = at + len(_LIST) - len(_LOOK)
        at = data.find(_LIST, start)
        end = at if at >= 0 else len(data)
        starts = [start]
        while (start := data.find(_LOOK, start + 1, end)) >= 0:
            starts.append(start)
        line, counted = line + data.count(b"\n", counted, starts[0]), starts[0]
        is_plain = data[starts[-1] - 1] == ord(",") and data.find(b"\n", starts[0], starts[-1]) < 0
        if len(starts) - 1 > _FEW and is_plain:
            yield _Span(starts, line)


def _read(data: bytes, spans: Sequence[_Span]) -> Iterator[Part]:
    """Read the observations of some lists at once, or one by one if any is unusual."""
    text = b"\n".join(data[span.starts[0] : span.starts[-1] - 1] for span in spans)
    try:
        looks = _read_looks(text.replace(b"," + _LOOK, b"\n" + _LOOK))
    except ValueError:  # including Arrow's errors
        looks = None
    if looks is None or len(looks.times) != sum(len(span.starts) - 1 for span in spans):
        for span in spans if len(spans) > 1 else ():
            yield from _read(data, [span])
        return
    row = 0
    for span in spans:
        rows = slice(row, row := row + len(span.starts) - 1)
        times = looks.times[rows]
        columns = [c._replace(values=c.values[rows], exists=c.exists[rows]) for c in looks.columns]
        if len(np.unique(times)) == len(times):  # otherwise it matters which value comes first
            yield Part(span.starts[0], span.starts[-1] - 1, Looks(times, columns, span.line))


def _read_looks(text: bytes) -> Looks | None:
    """Read one observation per line."""
    import pyarrow as pa
    from pyarrow import json

    def struct(*names: str, **others: pa.DataType) -> pa.DataType:
        return pa.struct({**dict.fromkeys(names, pa.int64()), **others})

    interface = struct(*NETWORK, name=pa.string())
    device = struct("major", "minor", stats=struct(*DISK))
    usage = struct("total")
    types = {
        "timestamp": pa.string(),
        **dict.fromkeys(("has_cpu", "has_memory"), pa.bool_()),
        "cpu": pa.struct({"usage": usage, "cfs": struct("periods", "throttled_periods")}),
        "cpu_inst": pa.struct({"usage": usage}),
        "memory": struct(*MEMORY),
        "network": struct(*NETWORK, interfaces=pa.list_(interface)),
        "diskio": pa.struct({"io_service_bytes": pa.list_(device)}),
    }
    table = json.read_json(
        pa.BufferReader(text),
        json.ReadOptions(use_threads=False, block_size=len(text) + 1),
        json.ParseOptions(explicit_schema=pa.schema(types), unexpected_field_behavior="ignore"),
    )
    look = {name: table[name].combine_chunks() for name in types}
    _, offsets, stamps = look["timestamp"].buffers()
    places = np.frombuffer(offsets, np.int32)[: len(table) + 1].astype(np.int64) + MARGIN
    times, good = read_times(Octets(stamps.to_pybytes()), places[:-1], np.diff(places))
    return Looks(times, list(_list_columns(look)), 0) if good.all() else None


def _list_columns(look: dict[str, pa.Array]) -> Iterator[Column]:
    """Yield the columns that correspond to `read_look` for each observation."""
    import pyarrow.compute as pc

    has_cpu, has_memory = (
        np.asarray(pc.fill_null(look[name], fill_value=True)) for name in ("has_cpu", "has_memory")
    )
    for measure, divisor, (name, *path) in CPU:
        used, exists = _numbers(look[name], *path)
        yield Column(measure, "reported", used / divisor, exists & has_cpu)
    periods, limited = _numbers(look["cpu"], "cfs", "periods")
    for measure, (name, *path) in LIMITED:
        numbers, exists = _numbers(look[name], *path)
        yield Column(measure, "reported", numbers, exists & limited & has_cpu & (periods != 0))
    for name, measure in MEMORY.items():
        size, exists = _numbers(look["memory"], name)
        yield Column(measure, "reported", size, exists & has_memory)
    interfaces = pc.struct_field(look["network"], "interfaces")
    yield from _add_up(NETWORK, interfaces, ["name"])
    has_none = np.asarray(interfaces.value_lengths().fill_null(0)) == 0
    for name, measure in NETWORK.items():  # API 1.0: one unnamed interface
        alone, exists = _numbers(look["network"], name)
        yield Column(measure, "reported", alone, exists & has_none)
    devices = pc.struct_field(look["diskio"], "io_service_bytes")
    yield from _add_up(DISK, devices, ["major", "minor"], "stats")


def _numbers(array: pa.Array, *path: str) -> tuple[Array, Array]:
    """Return integers and a mask of valid ones; raise ValueError if one is not exact as a float."""
    import pyarrow.compute as pc

    column = pc.struct_field(array, list(path))
    numbers = np.asarray(column.fill_null(0))
    if (np.abs(numbers) >= _EXACT).any():
        raise ValueError("too large for a float")
    return numbers.astype(np.float64), np.array(column.is_valid())


def _add_up(
    measures: dict[str, Measure], lists: pa.ListArray, keys: list[str], *path: str
) -> Iterator[Column]:
    """Yield the sums over the parts of each observation, without any loopback among others."""
    import pyarrow.compute as pc

    size = len(lists)
    rows = np.repeat(np.arange(size), np.asarray(lists.value_lengths().fill_null(0)))
    parts = lists.flatten()
    names = [pc.struct_field(parts, key).to_pylist() for key in keys]
    if len(set(zip(rows.tolist(), *names, strict=True))) < len(rows):
        raise ValueError("a name twice")
    is_other = np.array([name != "lo" for name in names[0]], dtype=bool)
    for name, measure in measures.items():
        values, exists = _numbers(parts, *path, name)
        exists &= is_other | (np.bincount(rows, exists & is_other, size) == 0)[rows]
        whole, counts = np.bincount(rows, values * exists, size), np.bincount(rows, exists, size)
        if (np.abs(whole) >= _EXACT).any():
            raise ValueError("too large for a float")
        yield Column(measure, "reported", whole, counts == 1)
        yield Column(measure, "computed", whole, counts > 1)


class Column(NamedTuple):
    """Values of one measure, shape (k,), and a mask of the observations that have one."""

    measure: Measure
    origin: str
    values: np.ndarray
    exists: np.ndarray


class Looks(NamedTuple):
    """Consecutive observations on one line; ``times`` are µs since 1970, shape (k,)."""

    times: np.ndarray
    columns: list[Column]
    line: int


def read_look(look: dict[str, Any], line: int) -> Iterator[Value]:
    """Yield the values in an element of ``stats``, from a document on that line."""
    if look.get("has_cpu", True):
        for measure, divisor, path in CPU:
            yield from sum_parts(measure, {"": dig(look, *path)}, line, divisor)
        for measure, path in LIMITED if dig(look, "cpu", "cfs", "periods") else ():
            yield from sum_parts(measure, {"": dig(look, *path)}, line)
    for name, measure in MEMORY.items() if look.get("has_memory", True) else ():
        yield from sum_parts(measure, {"": dig(look, "memory", name)}, line)
    network, diskio = look.get("network"), look.get("diskio")
    interfaces = network.get("interfaces") if isinstance(network, dict) else None
    if not isinstance(interfaces, list) or not interfaces:
        interfaces = [network]  # API 1.0: one unnamed interface
    parts = [part for part in interfaces if isinstance(part, dict)]
    for name, measure in NETWORK.items():
        yield from sum_parts(
            measure, {str(part.get("name")): dig(part, name) for part in parts}, line
        )
    served = diskio.get("io_service_bytes") if isinstance(diskio, dict) else None
    served = served if isinstance(served, list) else []
    devices = [each for each in served if isinstance(each, dict)]
    for name, measure in DISK.items():
        counted = {f"{d.get('major')}:{d.get('minor')}": dig(d, "stats", name) for d in devices}
        yield from sum_parts(measure, counted, line)


def read_summary(summary: dict[str, Any], line: int) -> Iterator[tuple[str, Value]]:
    """Yield (stat, value) of a summary: the latest values, and mean and maximum of a minute."""
    for part, measure, divisor in (("cpu", CORES, 1000), ("memory", MEMORY["working_set"], 1)):
        minute = summary.get("minute_usage")
        usage = minute.get(part) if isinstance(minute, dict) else None
        known = {"sample": dig(summary, "latest_usage", part)}
        if not isinstance(usage, dict) or usage.get("present") is not False:
            known |= {stat: dig(usage, stat) for stat in ("mean", "max")}
        for stat, number in known.items():
            for value in sum_parts(measure, {"": number}, line, divisor):
                yield stat, value
