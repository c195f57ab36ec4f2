"""Gob streams of any type, id and layout; truncated, damaged and concatenated."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.parsers.vegeta import gob

FIXTURES = Path(__file__).parents[2] / "fixtures"
REFUSED = FIXTURES / "skywalking-vegeta" / "edge" / "vegeta-results-refused.bin"
FIELDS = ("Code", "Timestamp", "Latency")


def unsigned(value: int) -> bytes:
    if value < 128:
        return bytes([value])
    data = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return bytes([256 - len(data)]) + data


def signed(value: int) -> bytes:
    return unsigned(~value << 1 | 1 if value < 0 else value << 1)


def text(value: str) -> bytes:
    data = value.encode()
    return unsigned(len(data)) + data


def message(*parts: bytes) -> bytes:
    content = b"".join(parts)
    return unsigned(len(content)) + content


def common(name: str, type_id: int) -> bytes:
    return b"\1" + text(name) + b"\1" + signed(type_id) + b"\0"


def describe_struct(type_id: int, name: str, fields: list[tuple[str, int]]) -> bytes:
    listed = b"".join(b"\1" + text(field) + b"\1" + signed(kind) + b"\0" for field, kind in fields)
    body = b"\1" + common(name, type_id) + b"\1" + unsigned(len(fields)) + listed + b"\0"
    return message(signed(-type_id), b"\3", body, b"\0")


def describe_map(type_id: int, key: int, elem: int) -> bytes:
    body = b"\1" + common("", type_id) + b"\1" + signed(key) + b"\1" + signed(elem) + b"\0"
    return message(signed(-type_id), b"\4", body, b"\0")


def describe_slice(type_id: int, elem: int) -> bytes:
    body = b"\1" + common("", type_id) + b"\1" + signed(elem) + b"\0"
    return message(signed(-type_id), b"\2", body, b"\0")


def values(data: bytes, *names: str) -> list[object]:
    return [value for _, value in gob.Decoder(iter([data]), names)]


def read_all(data: bytes) -> tuple[list[object], str]:
    """Return the readable values, and the reason for stopping."""
    actual: list[object] = []
    try:
        actual.extend(value for _, value in gob.Decoder(iter([data]), FIELDS))
    except gob.GobError as error:
        return actual, str(error)
    return actual, ""


def test_real_results_are_read_by_field_name() -> None:
    decoder = gob.Decoder(iter([REFUSED.read_bytes()]), ("Attack", "Latency", "Timestamp", "URL"))
    items = list(decoder)
    assert (len(items), decoder.stream) == (200, 0)
    assert {name for name, _ in items} == {"Result"}
    first = items[0][1]
    assert isinstance(first, dict)
    assert first["Latency"] == 315317
    assert first["URL"] == "http://127.0.0.1:8082/consumer"
    assert gob.unix_nanoseconds(first["Timestamp"]) == 1795220758524999855
    assert first.keys() == {"Attack", "Latency", "Timestamp", "URL"}


@pytest.mark.parametrize("version", ["v1.0.0", "v4.0.0", "v5.9.0", "v7.0.3", "v8.0.0", "v12.8.0"])
def test_every_layout_gives_the_same_results(version: str) -> None:
    data = (FIXTURES / "vegeta-edge" / "old" / f"{version}.bin").read_bytes()
    newest = (FIXTURES / "vegeta-edge" / "old" / "v12.8.0.bin").read_bytes()
    assert len(values(data, *FIELDS)) == 40
    seconds = [value["Latency"] for value in values(data, *FIELDS)]  # type: ignore[index]
    assert seconds == [value["Latency"] for value in values(newest, *FIELDS)]  # type: ignore[index]


@given(
    base=st.integers(64, 70),
    numbers=st.lists(
        st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(0, 2**64 - 1), st.text()),
        max_size=5,
    ),
)
def test_values_are_read_for_any_type_ids(base: int, numbers: list[tuple[int, int, str]]) -> None:
    stream = describe_struct(base, "T", [("A", 2), ("B", 3), ("C", 6)])
    for a, b, c in numbers:
        stream += message(signed(base), b"\1", signed(a), b"\1", unsigned(b), b"\1", text(c), b"\0")
    expected = [{"A": a, "B": b, "C": c} for a, b, c in numbers]
    assert values(stream, "A", "B", "C") == expected
    assert values(stream, "B") == [{"B": b} for _, b, _ in numbers]


def test_omitted_zero_fields_are_skipped() -> None:
    stream = describe_struct(65, "T", [("A", 2), ("B", 3), ("C", 6)])
    assert values(stream + message(signed(65), b"\3", text("x"), b"\0"), "A", "C") == [{"C": "x"}]


def test_maps_slices_floats_and_bools_are_read() -> None:
    stream = describe_struct(65, "T", [("M", 66), ("S", 67), ("F", 4), ("B", 1)])
    stream += describe_map(66, 6, 2) + describe_slice(67, 3)
    number = int.from_bytes(struct.pack("<d", 17.5), "big")  # as a number, which no caller requests
    body = b"\1\1" + text("k") + signed(-3) + b"\1\2\5\6\1" + unsigned(number) + b"\1\1\0"
    expected = {"M": [("k", -3)], "S": [5, 6], "F": number, "B": 1}
    assert values(stream + message(signed(65), body), *"MSFB") == [expected]
    assert values(stream + message(signed(65), body), "F") == [{"F": number}]


def test_value_that_is_not_a_struct_follows_a_zero() -> None:
    assert values(message(signed(2), b"\0", signed(-7))) == [-7]
    with pytest.raises(gob.GobError, match="does not start"):
        values(message(signed(2), b"\1", signed(-7)))


@pytest.mark.parametrize("ids", [(64, 64), (64, 65), (65, 64), (65, 66)])
def test_concatenated_streams_redefine_their_types(ids: tuple[int, int]) -> None:
    """The ids of two versions of Go overlap; the second stream's take precedence."""
    data = b""
    for base in ids:
        data += describe_struct(base, "R", [("A", 2), ("L", base + 1)])
        data += describe_slice(base + 1, 2)
        data += message(signed(base), b"\1", signed(base), b"\1\1", signed(1), b"\0")
    decoder = gob.Decoder(iter([data]), ("A", "L"))
    assert [(value, decoder.stream) for _, value in decoder] == [
        ({"A": base, "L": [1]}, stream) for stream, base in enumerate(ids)
    ]


@given(st.data())
def test_truncated_stream_yields_a_prefix_of_its_values(data: st.DataObject) -> None:
    whole = (FIXTURES / "vegeta-edge" / "old" / "v4.0.0.bin").read_bytes()
    length = data.draw(st.integers(1, len(whole) - 1))
    complete = values(whole, *FIELDS)
    actual, problem = read_all(whole[:length])
    assert actual == complete[: len(actual)]
    assert problem or not actual  # nothing is missing between two descriptors
    assert len(actual) < 40


@given(st.lists(st.integers(1, 40), min_size=1))
def test_block_boundaries_do_not_change_the_values(sizes: list[int]) -> None:
    whole = (FIXTURES / "vegeta-edge" / "old" / "v8.0.0.bin").read_bytes()[:1500]
    blocks, place = [], 0
    for size in sizes:
        blocks.append(whole[place : place + size])
        place += size
    decoder = gob.Decoder(filter(None, [*blocks, whole[place:]]), FIELDS)
    actual: list[object] = []
    with pytest.raises(gob.GobError, match="in the middle"):
        actual.extend(value for _, value in decoder)
    assert (actual, "") == (read_all(whole)[0], "")


@given(st.binary(max_size=200))
def test_random_bytes_raise_only_gob_errors(data: bytes) -> None:
    actual, _ = read_all(data)
    assert len(actual) <= len(data)


@given(st.data())
def test_damage_anywhere_is_an_error_or_another_value(data: st.DataObject) -> None:
    damaged = bytearray((FIXTURES / "vegeta-edge" / "old" / "v5.9.0.bin").read_bytes())
    damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    actual, problem = read_all(bytes(damaged))
    assert len(actual) == 40 or problem


def test_absurd_length_is_refused_without_allocating_memory() -> None:
    with pytest.raises(gob.GobError, match="implausible"):
        values(b"\xf8" + b"\x7f" * 8)
    with pytest.raises(gob.GobError, match="beyond its message"):
        values(message(signed(6), b"\0", unsigned(1 << 40)))


@pytest.mark.parametrize("data", [b"", b"\1" * 14, b"\3" + b"\0" * 14, b"\2" + b"\0" * 14])
def test_invalid_time_is_refused(data: bytes) -> None:
    with pytest.raises(gob.GobError, match="time"):
        gob.unix_nanoseconds(data)


def test_both_formats_of_a_time_are_read() -> None:
    clock = (62_135_596_800 + 5).to_bytes(8, "big") + (7).to_bytes(4, "big")
    assert gob.unix_nanoseconds(b"\1" + clock + b"\xff\xff") == 5_000_000_007
    assert gob.unix_nanoseconds(b"\2" + clock + b"\0\x3c\0") == 5_000_000_007
