"""Attacks of vegeta in its gob format, with any number of results, reproducible.

An attack of 20 minutes cannot be run for a benchmark, but its bytes can be written: the descriptors
are copied from a fixture of vegeta 12, and the results follow them.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

FIXTURE = Path(__file__).resolve().parents[2] / "fixtures" / "vegeta-edge" / "old" / "v12.8.0.bin"
HEADERS = {
    "Content-Type": "application/json; charset=utf-8",
    "Date": "Sat, 21 Nov 2026 11:00:00 GMT",
    "Server": "nginx/1.27.3",
}
#: Seconds from the year 1 to the first result.
_START = 62_135_596_800 + 1_795_218_442


def write_gob(path: Path, results: int, body: int = 0) -> Path:
    """Write ``vegeta attack``'s own output.

    Parameters
    ----------
    path : Path
    results : int
    body : int
        Bytes of each response's body; with one, headers are written, too.
    """
    rng = np.random.default_rng(1)
    path.parent.mkdir(parents=True, exist_ok=True)
    latencies = np.exp(rng.normal(14.5, 0.5, results)).astype(int).tolist()
    # A field is a step from the last non-zero one, and its value.
    request = b"\3GET\1" + _text("http://127.0.0.1:8080/api/v1/items")
    tail = b"\3" + request + b"\0"
    if body:
        tail = b"\2" + _count(body) + b"x" * body + b"\1" + request + b"\1" + _headers() + b"\0"
    with path.open("wb") as out:
        out.write(_descriptors())
        for number, latency in enumerate(latencies):
            seconds, rest = divmod(number * 400_000, 10**9)
            stamp = struct.pack(">bqih", 1, _START + seconds, rest, -1)
            sequence = b"\1" + _count(number) if number else b""
            code = (b"\1" if number else b"\2") + _count(200)
            result = b"\1\x0f" + stamp + b"\1" + _count(latency << 1) + b"\2" + _count(310)
            message = b"\xff\x80\1\4load" + sequence + code + result + tail
            out.write(_count(len(message)) + message)
    return path


def _descriptors() -> bytes:
    """Return the descriptors of the types: the messages before the first result."""
    data, place = FIXTURE.read_bytes(), 0
    while True:
        length, begin = _read_count(data, place)
        type_id, _ = _read_count(data, begin)
        if not type_id & 1:
            return data[:place]
        place = begin + length


def _read_count(data: bytes, place: int) -> tuple[int, int]:
    if data[place] < 128:
        return data[place], place + 1
    size = 256 - data[place]
    return int.from_bytes(data[place + 1 : place + 1 + size], "big"), place + 1 + size


def _count(value: int) -> bytes:
    if value < 128:
        return bytes((value,))
    big_endian = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return bytes((256 - len(big_endian),)) + big_endian


def _text(value: str) -> bytes:
    return _count(len(value)) + value.encode()


def _headers() -> bytes:
    pairs = (_text(name) + b"\1" + _text(value) for name, value in HEADERS.items())
    return _count(len(HEADERS)) + b"".join(pairs)
