"""The compiled kernel gives what Python gives, and reads nothing outside of a block."""

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
    need_cleaning,
    tell_apart,
)

pytestmark = pytest.mark.skipif(kernel.compiled is None, reason="installed without its kernel")

#: Bytes that cells are made of, and any others.
TEXT = st.lists(
    st.sampled_from([b"0", b"7", b"12345678", b".", b",", b"\n", b'"', b"922", b"ab", b"\0"])
    | st.binary(max_size=9)
).map(b"".join)
PLACES = st.lists(st.integers(MARGIN, MARGIN + 40), max_size=12)


def on_both_roads(read: Callable[[], object]) -> tuple[object, object]:
    """Return what each road gives, as lists."""
    told = _plain(read())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "compiled", None)
        return told, _plain(read())


def _plain(value: object) -> object:
    return [_plain(v) for v in value] if isinstance(value, (tuple, list, np.ndarray)) else value


@given(TEXT, PLACES, st.integers(0, 24))
def test_numbers_are_the_same_on_both_roads(text: bytes, places: list[int], size: int) -> None:
    block, starts = Octets(text), np.array(places, dtype=np.int64)
    sizes = (starts * 7 + size) % 25
    for read in (read_integers, read_decimals):

        def told(read: Callable[..., Any] = read) -> list[Any]:
            numbers, good = read(block, starts, sizes)
            columns = numbers if isinstance(numbers, tuple) else (numbers,)
            return [good, *(column[good] for column in columns)]

        ours, pythons = on_both_roads(told)
        assert ours == pythons


@given(TEXT, PLACES, st.integers(0, 300))
def test_texts_are_the_same_on_both_roads(text: bytes, places: list[int], size: int) -> None:
    block, starts = Octets(text), np.array(places, dtype=np.int64)
    sizes = (starts * 7 + size) % (size + 1)
    for read in (
        lambda: tell_apart(block, starts, sizes),
        lambda: block.repeats(starts, sizes),
        lambda: block.find_first(starts, ord(","), 24),
        lambda: block.holds(starts, b'12345678"'),
        lambda: block.find_all(0),
    ):
        ours, pythons = on_both_roads(read)
        assert ours == pythons


@given(TEXT)
def test_lines_are_the_same_on_both_roads(text: bytes) -> None:
    block = Octets(text)

    def read() -> list[Any]:
        lines = find_lines(block)
        return [lines.starts, lines.ends, need_cleaning(block, lines)]

    ours, pythons = on_both_roads(read)
    assert ours == pythons


#: Cells as a table and as JSON have them.
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
def test_lines_of_a_shape_are_read_as_python_reads_them(text: bytes, name: str, cut: int) -> None:
    cells = SHAPES[name]
    kept = sum(kind != "-" for kind, _, _ in cells)
    cut = min(cut, len(text))
    marks = b"\r" if cut else b""
    found = kernel.read_lines(text, cut, len(text), kernel.shape_of(*cells), kept, marks)
    place, expected = cut, text[cut:].split(b"\n")
    expected = expected[: len(expected) - (not expected[-1])]
    assert len(found.good) == len(expected)
    for row, line in enumerate(expected):
        assert text[found.starts[row] : found.ends[row]] == line
        told = read_line(line, place, cells)
        is_good = told is not None and (not marks or marks not in line)
        assert bool(found.good[row]) == is_good
        if told is not None and is_good:
            columns = found.numbers[:, row].tolist(), found.more[:, row].tolist()
            assert list(zip(*columns, strict=True)) == told
        place += len(line) + 1


def read_line(
    line: bytes, start: int, cells: list[tuple[str, bytes, bytes]]
) -> list[tuple[int, int]] | None:
    """Read one line as the kernel should."""
    told, at = list[tuple[int, int]](), 0
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
            told.append((int(digits), len(decimal[2] or b"")))
        elif kind != "-":
            size = -len(cell) if kind == "d" else len(cell)
            told.append((int(cell), len(cell)) if kind == "i" else (start + at, size))
        at += len(cell)
    return told


@pytest.mark.parametrize("shape", [b"", b"t,", b"t,\5ab", b"t,\0" * 65])
def test_what_is_no_shape_is_refused(shape: bytes) -> None:
    with pytest.raises(ValueError, match="not the shape of a line"):
        kernel.read_lines(b"1,2\n", 0, 4, shape, 1)


@pytest.mark.parametrize(("first", "end"), [(-1, 3), (0, 99), (4, 2)])
def test_no_line_outside_of_the_block_is_read(first: int, end: int) -> None:
    with pytest.raises(IndexError, match="outside of the block"):
        kernel.read_lines(b"1,2\n", first, end, kernel.shape_of(("t", b"", b"\n")), 1)


#: What values of gob are made of: small numbers, wide ones, lengths that fit and that do not.
GOB = st.lists(
    st.sampled_from([b"\1", b"\2", b"\3", b"\0", b"\4", b"\xff\x80", b"\xfe\1\0", b"\x80", b"\2ab"])
    | st.binary(max_size=3),
    max_size=12,
).map(b"".join)


@given(st.lists(GOB, max_size=6))
def test_blobs_of_gob_that_are_read_lie_inside_their_values(values: list[bytes]) -> None:
    sizes = np.array([len(value) for value in values], dtype=np.int64)
    ends = MARGIN + np.cumsum(sizes, dtype=np.int64)
    data = Octets(b"".join(values)).data
    found, lengths, good = kernel.read_structs(data, ends - sizes, ends, "nbhbn", 64)
    for field in (1, 3):
        is_there = good & (lengths[field] > 0)
        assert (found[field] > (ends - sizes))[is_there].all()
        assert (found[field].astype(np.int64) + lengths[field] <= ends)[is_there].all()


@given(st.lists(GOB, max_size=6), st.integers(0, 9), st.integers(0, 4))
def test_messages_of_gob_that_are_found_follow_each_other(
    values: list[bytes], most: int, place: int
) -> None:
    data = b"".join(bytes([len(value)]) + value for value in values)
    place = min(place, len(data))
    places, ends = kernel.find_messages(data, place, len(data), b"\1", most)
    assert len(ends) <= most
    for start, end in zip(places.tolist(), ends.tolist(), strict=True):
        assert data[place] == end - place - 1
        assert (start, data[start - 1]) == (place + 2, 1)
        place = end


@pytest.mark.parametrize(("place", "end"), [(-1, 3), (0, 99), (4, 2)])
def test_no_message_outside_of_the_block_is_found(place: int, end: int) -> None:
    with pytest.raises(IndexError, match="outside of the block"):
        kernel.find_messages(b"\2\1\1", place, end, b"\1", 4)


@pytest.mark.parametrize("place", [-1, 1 << 40, -(1 << 62)])
def test_no_place_outside_of_the_block_is_read(place: int) -> None:
    data, starts = Octets(b"1,2").data, np.array([MARGIN, place])
    sizes = np.array([1, 8])
    for read in (
        lambda: kernel.find_first(data, starts, ord(","), 8),
        lambda: kernel.holds(data, starts, b"1,2"),
        lambda: kernel.repeats(data, starts, sizes),
        lambda: kernel.tell_apart(data, starts, sizes),
        lambda: kernel.read_integers(data, starts, sizes),
        lambda: kernel.read_decimals(data, starts, sizes),
        lambda: kernel.read_structs(data, starts, starts + sizes, "nbh", 64),
    ):
        with pytest.raises(IndexError, match="outside of the block"):
            read()


@pytest.mark.parametrize(("start", "end"), [(-1, (1 << 63) - 1), (3, 1), (1, 1 << 62)])
def test_no_span_beyond_the_block_is_believed(start: int, end: int) -> None:
    data, shape = b"1,2\n", kernel.shape_of(("t", b"", b"\n"))
    places = np.array([start]), np.array([end])
    for read in (
        lambda: kernel.read_lines(data, start, end, shape, 1, b""),
        lambda: kernel.find_messages(data, start, end, b"", 1),
        lambda: kernel.read_structs(data, *places, "n", 64),
    ):
        with pytest.raises(IndexError, match="outside of the block"):
            read()


#: What an earlier kernel mixed texts with.
_FIRST, _MIXED = 0x9E3779B97F4A7C15, 0xFF51AFD7ED558CCD
_WORD = (1 << 64) - 1


def _collide(random: Random) -> bytes:
    """Write a text of 16 bytes that has one hash with all others, if no key is in it."""
    word = random.getrandbits(64)
    mixed = ((16 * _FIRST & _WORD ^ word) * _MIXED) & _WORD
    return word.to_bytes(8, "little") + (mixed ^ mixed >> 32).to_bytes(8, "little")


def test_nobody_can_write_texts_that_take_long_to_tell_apart() -> None:
    random = Random(1)  # noqa: S311 - the same texts in every run
    texts = list({_collide(random) for _ in range(20_000)})
    starts = np.arange(len(texts)) * 16
    started = process_time()
    labels, _ = kernel.tell_apart(b"".join(texts), starts, np.full_like(starts, 16))
    assert process_time() - started < 0.5  # where all collide, some seconds
    assert labels.tolist() == list(range(len(texts)))


@pytest.mark.parametrize("size", [-1, 1 << 40])
def test_no_size_beyond_the_block_is_believed(size: int) -> None:
    data, starts, sizes = Octets(b"1,2").data, np.array([MARGIN]), np.array([size])
    for read in (kernel.repeats, kernel.tell_apart, kernel.read_decimals):
        with pytest.raises(IndexError, match="outside of the block"):
            read(data, starts, sizes)


def test_arrays_of_different_lengths_are_refused() -> None:
    data, starts = Octets(b"1,2").data, np.array([MARGIN, MARGIN])
    for read in (kernel.repeats, kernel.tell_apart, kernel.read_integers, kernel.read_decimals):
        with pytest.raises(ValueError, match="different lengths"):
            read(data, starts, starts[:1])


def test_a_compiled_kernel_is_of_this_checkout(fixtures_dir: Path) -> None:
    """An editable install keeps what was compiled; who edits the source has to install again."""
    source = fixtures_dir.parent / "benchkit" / "parsers" / "_kernel.c"
    made = Path(str(kernel.compiled and kernel.compiled.__file__))
    assert made.parent != source.parent or made.stat().st_mtime >= source.stat().st_mtime
