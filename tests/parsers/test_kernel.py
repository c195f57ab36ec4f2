"""The compiled kernel agrees with Python and reads nothing outside a block."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.parsers import kernel
from benchkit.parsers.numerals import read_decimals, read_integers
from benchkit.parsers.octets import (
    MARGIN,
    Octets,
    find_lines,
    group_equal,
    need_cleaning,
)

pytestmark = pytest.mark.skipif(kernel.compiled is None, reason="installed without its kernel")

#: Bytes that cells are made of, and any others.
TEXT = st.lists(
    st.sampled_from([b"0", b"7", b"12345678", b".", b",", b"\n", b'"', b"922", b"ab", b"\0"])
    | st.binary(max_size=9)
).map(b"".join)
PLACES = st.lists(st.integers(MARGIN, MARGIN + 40), max_size=12)


def on_both_paths(read: Callable[[], object]) -> tuple[object, object]:
    """Return the results of the kernel and of Python, as lists."""
    compiled = _plain(read())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "compiled", None)
        return compiled, _plain(read())


def _plain(value: object) -> object:
    return [_plain(v) for v in value] if isinstance(value, (tuple, list, np.ndarray)) else value


@given(TEXT, PLACES, st.integers(0, 24))
def test_numbers_are_the_same_in_c_and_python(text: bytes, places: list[int], size: int) -> None:
    block, starts = Octets(text), np.array(places, dtype=np.int64)
    sizes = (starts * 7 + size) % 25
    for read in (read_integers, read_decimals):

        def compute(read: Callable[..., Any] = read) -> list[Any]:
            numbers, good = read(block, starts, sizes)
            columns = numbers if isinstance(numbers, tuple) else (numbers,)
            return [good, *(column[good] for column in columns)]

        in_c, in_python = on_both_paths(compute)
        assert in_c == in_python


@given(TEXT, PLACES, st.integers(0, 300))
def test_texts_are_the_same_in_c_and_python(text: bytes, places: list[int], size: int) -> None:
    block, starts = Octets(text), np.array(places, dtype=np.int64)
    sizes = (starts * 7 + size) % (size + 1)
    for read in (
        lambda: group_equal(block, starts, sizes),
        lambda: block.repeats(starts, sizes),
        lambda: block.find_first(starts, ord(","), 24),
        lambda: block.holds(starts, b'12345678"'),
        lambda: block.find_all(0),
    ):
        in_c, in_python = on_both_paths(read)
        assert in_c == in_python


@given(TEXT)
def test_lines_are_the_same_in_c_and_python(text: bytes) -> None:
    block = Octets(text)

    def read() -> list[Any]:
        lines = find_lines(block)
        return [lines.starts, lines.ends, need_cleaning(block, lines)]

    in_c, in_python = on_both_paths(read)
    assert in_c == in_python


#: Cells as in a table and in JSON.
SHAPES: dict[str, list[tuple[str, bytes, bytes]]] = {
    "table": [("-", b"", b","), ("i", b",", b","), ("d", b",", b","), ("t", b",", b",")],
    "long table": [("t", b"", b","), *19 * [("-", b",", b",")], ("i", b",", b",")],
    "json": [("t", b'{"a":"', b'"'), ("d", b'","b":', b","), ("t", b"", b"\n")],
}
LINES = st.lists(
    st.lists(
        st.sampled_from([b"0", b"7", b"12345678", b".5", b",", b",,,,,,,", b'{"a":"', b'","b":'])
        | st.binary(max_size=3)
    ).map(b"".join)
    | st.lists(st.sampled_from([b"", b"3", b"4.25", b"1e5", b"x"]), min_size=4, max_size=4).map(
        b",".join
    )
    | st.integers(0, 10**20).map(lambda number: b"x" + b"," * 20 + b"%d" % number)
    | st.sampled_from(
        [
            b'{"a":"x","b":1.5,"c"}',
            b'{"a":"","b":-0.5,"c"}',
            b'{"a":"","b":,"c"}',
            b'{"a":"x","b":1.5',
        ]
    ),
    max_size=6,
).map(b"\n".join)


@given(LINES, st.sampled_from([*SHAPES]), st.integers(0, 3))
def test_lines_of_a_shape_are_the_same_in_c_and_python(text: bytes, name: str, begin: int) -> None:
    cells = SHAPES[name]
    column_count = sum(kind != "-" for kind, _, _ in cells)
    begin = min(begin, len(text))
    marks = b"\r" if begin else b""
    parsed = kernel.read_lines(text, begin, len(text), kernel.shape_of(*cells), column_count, marks)
    place, expected = begin, text[begin:].split(b"\n")
    expected = expected[: len(expected) - (not expected[-1])]
    assert len(parsed.good) == len(expected)
    for row, line in enumerate(expected):
        assert text[parsed.starts[row] : parsed.ends[row]] == line
        cells_read = read_line(line, place, cells)
        is_good = cells_read is not None and (not marks or marks not in line)
        assert bool(parsed.good[row]) == is_good
        if cells_read is not None and is_good:
            columns = parsed.numbers[:, row].tolist(), parsed.more[:, row].tolist()
            assert list(zip(*columns, strict=True)) == cells_read
        place += len(line) + 1


def read_line(
    line: bytes, start: int, cells: list[tuple[str, bytes, bytes]]
) -> list[tuple[int, int]] | None:
    """Read one line like the kernel."""
    numbers, at = list[tuple[int, int]](), 0
    for number, (kind, text, end) in enumerate(cells, 1):
        if not line.startswith(text, at):
            return None
        at += len(text)
        stop = line.find(end, at)
        if (stop < 0) != (number == len(cells)):
            return None
        cell = line[at : stop if stop >= 0 else len(line)]
        decimal = re.fullmatch(rb"(0|[1-9]\d{0,7})(?:\.(\d{1,8}))?", cell) if kind == "d" else None
        if kind == "d" and not cell:
            return None
        if kind == "i" and not (re.fullmatch(rb"\d{1,19}", cell) and int(cell) < 922 * 10**16):
            return None
        if decimal and int(digits := b"".join(decimal.groups(b""))) < 1 << 53:
            numbers.append((int(digits), len(decimal[2] or b"")))
        elif kind != "-":
            size = -len(cell) if kind == "d" else len(cell)
            numbers.append((int(cell), len(cell)) if kind == "i" else (start + at, size))
        at += len(cell)
    return numbers


@pytest.mark.parametrize("shape", [b"", b"t,", b"t,\5ab", b"t,\0" * 65])
def test_invalid_shape_is_refused(shape: bytes) -> None:
    with pytest.raises(ValueError, match="not the shape of a line"):
        kernel.read_lines(b"1,2\n", 0, 4, shape, 1)


@pytest.mark.parametrize(("first", "end"), [(-1, 3), (0, 99), (4, 2)])
def test_line_outside_the_block_is_refused(first: int, end: int) -> None:
    with pytest.raises(IndexError, match="outside of the block"):
        kernel.read_lines(b"1,2\n", first, end, kernel.shape_of(("t", b"", b"\n")), 1)


#: Parts of gob values: small numbers, wide ones, lengths that fit and that do not.
GOB = st.lists(
    st.sampled_from([b"\1", b"\2", b"\3", b"\0", b"\4", b"\xff\x80", b"\xfe\1\0", b"\x80", b"\2ab"])
    | st.binary(max_size=3),
    max_size=12,
).map(b"".join)


@given(st.lists(GOB, max_size=6))
def test_gob_blobs_are_inside_their_values(values: list[bytes]) -> None:
    sizes = np.array([len(value) for value in values], dtype=np.int64)
    ends = MARGIN + np.cumsum(sizes, dtype=np.int64)
    data = Octets(b"".join(values)).data
    parsed, lengths, good = kernel.read_structs(data, ends - sizes, ends, "nbhbn", 64)
    for field in (1, 3):
        is_there = good & (lengths[field] > 0)
        assert (parsed[field] > (ends - sizes))[is_there].all()
        assert (parsed[field].astype(np.int64) + lengths[field] <= ends)[is_there].all()


@given(st.lists(GOB, max_size=6), st.integers(0, 9), st.integers(0, 4))
def test_gob_messages_are_contiguous(values: list[bytes], most: int, place: int) -> None:
    data = b"".join(bytes([len(value)]) + value for value in values)
    place = min(place, len(data))
    places, ends = kernel.find_messages(data, place, len(data), b"\1", most)
    assert len(ends) <= most
    for start, end in zip(places.tolist(), ends.tolist(), strict=True):
        assert data[place] == end - place - 1
        assert (start, data[start - 1]) == (place + 2, 1)
        place = end


@pytest.mark.parametrize(("place", "end"), [(-1, 3), (0, 99), (4, 2)])
def test_message_outside_the_block_is_refused(place: int, end: int) -> None:
    with pytest.raises(IndexError, match="outside of the block"):
        kernel.find_messages(b"\2\1\1", place, end, b"\1", 4)


@pytest.mark.parametrize("place", [-1, 1 << 40, -(1 << 62)])
def test_place_outside_the_block_is_refused(place: int) -> None:
    data, starts = Octets(b"1,2").data, np.array([MARGIN, place])
    sizes = np.array([1, 8])
    for read in (
        lambda: kernel.find_first(data, starts, ord(","), 8),
        lambda: kernel.holds(data, starts, b"1,2"),
        lambda: kernel.repeats(data, starts, sizes),
        lambda: kernel.group_equal(data, starts, sizes),
        lambda: kernel.read_integers(data, starts, sizes),
        lambda: kernel.read_decimals(data, starts, sizes),
        lambda: kernel.read_structs(data, starts, starts + sizes, "nbh", 64),
    ):
        with pytest.raises(IndexError, match="outside of the block"):
            read()


@pytest.mark.parametrize(("start", "end"), [(-1, (1 << 63) - 1), (3, 1), (1, 1 << 62)])
def test_span_beyond_the_block_is_refused(start: int, end: int) -> None:
    data, shape = b"1,2\n", kernel.shape_of(("t", b"", b"\n"))
    places = np.array([start]), np.array([end])
    for read in (
        lambda: kernel.read_lines(data, start, end, shape, 1, b""),
        lambda: kernel.find_messages(data, start, end, b"", 1),
        lambda: kernel.read_structs(data, *places, "n", 64),
    ):
        with pytest.raises(IndexError, match="outside of the block"):
            read()


#: The constants with which an earlier kernel hashed texts.
_FIRST, _MIXED = 0x9E3779B97F4A7C15, 0xFF51AFD7ED558CCD
_WORD = (1 << 64) - 1


def _make_collision(random: Random) -> bytes:
    """Return a text of 16 bytes whose hash equals that of all others unless the hash is keyed."""
    prefix = random.getrandbits(64)
    mixed = ((16 * _FIRST & _WORD ^ prefix) * _MIXED) & _WORD
    return prefix.to_bytes(8, "little") + (mixed ^ mixed >> 32).to_bytes(8, "little")


def test_crafted_texts_cannot_cause_hash_collisions() -> None:
    random = Random(1)  # noqa: S311 - the same texts in every run
    texts = list({_make_collision(random) for _ in range(20_000)})
    starts = np.arange(len(texts)) * 16
    started = process_time()
    labels, _ = kernel.group_equal(b"".join(texts), starts, np.full_like(starts, 16))
    assert process_time() - started < 0.5  # several seconds if all collide
    assert labels.tolist() == list(range(len(texts)))


@pytest.mark.parametrize("size", [-1, 1 << 40])
def test_size_beyond_the_block_is_refused(size: int) -> None:
    data, starts, sizes = Octets(b"1,2").data, np.array([MARGIN]), np.array([size])
    for read in (kernel.repeats, kernel.group_equal, kernel.read_decimals):
        with pytest.raises(IndexError, match="outside of the block"):
            read(data, starts, sizes)


def test_arrays_of_different_lengths_are_refused() -> None:
    data, starts = Octets(b"1,2").data, np.array([MARGIN, MARGIN])
    for read in (kernel.repeats, kernel.group_equal, kernel.read_integers, kernel.read_decimals):
        with pytest.raises(ValueError, match="different lengths"):
            read(data, starts, starts[:1])


def test_compiled_kernel_is_up_to_date_with_this_checkout(fixtures_dir: Path) -> None:
    """An editable install keeps the compiled kernel; editing the source requires reinstalling."""
    source = fixtures_dir.parent / "benchkit" / "parsers" / "_kernel.c"
    made = Path(str(kernel.compiled and kernel.compiled.__file__))
    assert made.parent != source.parent or made.stat().st_mtime >= source.stat().st_mtime
