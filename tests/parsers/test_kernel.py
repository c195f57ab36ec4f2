"""The compiled kernel gives what Python gives, and reads nothing outside of a block."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
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
    find_separators,
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


@given(TEXT, st.integers(1, 3))
def test_lines_are_the_same_on_both_roads(text: bytes, count: int) -> None:
    block = Octets(text)

    def read() -> list[Any]:
        lines = find_lines(block)
        places, good = find_separators(block, lines, ord(","), count)
        return [lines.starts, lines.ends, good, places[good], need_cleaning(block, lines)]

    ours, pythons = on_both_roads(read)
    assert ours == pythons


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
        lambda: kernel.find_separators(data, starts, starts + sizes, ord(","), 1),
        lambda: kernel.read_structs(data, starts, starts + sizes, "nbh", 64),
    ):
        with pytest.raises(IndexError, match="outside of the block"):
            read()


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
