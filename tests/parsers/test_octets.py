"""Columns of text are read like each cell in Python, or marked as not of the simplest form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.parsers import kernel
from benchkit.parsers.k6.columns import read_time
from benchkit.parsers.numerals import read_decimal, read_decimals, read_integers
from benchkit.parsers.octets import MARGIN, Octets, group_equal
from benchkit.parsers.times import read_times
from benchkit.units import scale

CELLS = st.lists(st.binary(max_size=30), min_size=1, max_size=20)


def concatenate(cells: Sequence[bytes]) -> tuple[Octets, np.ndarray, np.ndarray]:
    """Concatenate cells; return them with their starts and lengths."""
    sizes = np.array([len(cell) for cell in cells], dtype=np.int64)
    return Octets(b"".join(cells)), MARGIN + np.cumsum(sizes) - sizes, sizes


@pytest.fixture(autouse=True, params=["compiled", "python"], scope="module")
def code_path(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run the tests with the kernel and without it; skip the former if it is not compiled."""
    if request.param == "compiled" and kernel.compiled is None:
        pytest.skip("benchkit is installed without its kernel")
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "python":
            patch.setattr(kernel, "compiled", None)
        yield


@given(CELLS, st.integers(0, 255))
def test_first_occurrence_of_a_byte_is_located(cells: list[bytes], byte: int) -> None:
    block, starts, _ = concatenate(cells)
    data = block.data
    expected = [data.find(byte, start, start + 16) - start for start in starts]
    actual = block.find_first(starts, byte, 16).tolist()
    assert actual == [16 if place < 0 else place for place in expected]


@given(st.lists(st.from_regex(rb"[0-9]{1,20}|[0-9 +x]{0,20}", fullmatch=True), min_size=1))
def test_integers_equal_those_of_python(cells: list[bytes]) -> None:
    numbers, good = read_integers(*concatenate(cells))
    for cell, number, is_good in zip(cells, numbers.tolist(), good.tolist(), strict=True):
        simple = cell.isdigit() and len(cell) <= 19 and int(cell) < 922 * 10**16
        assert is_good == simple
        assert not is_good or number == int(cell)


@given(
    st.lists(
        st.from_regex(rb"[0-9]{1,9}(\.[0-9]{1,9})?|[0-9.e-]{0,20}", fullmatch=True), min_size=1
    ),
    st.sampled_from([0, -3]),
)
def test_decimals_are_the_doubles_nearest_to_their_text(cells: list[bytes], exponent: int) -> None:
    decimals, good = read_decimals(*concatenate(cells))
    values = decimals.scaled(exponent).tolist()
    for cell, value, is_good in zip(cells, values, good.tolist(), strict=True):
        if is_good:
            assert value == scale(cell.decode(), exponent)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.decimals(-1000, 1000, places=6))
def test_number_in_any_spelling_is_exact_or_not_read(number: object) -> None:
    text = str(number).replace("E", "e")
    decimal = read_decimal(text.encode())
    if decimal is not None:
        assert decimal[0] / 10.0 ** (decimal[1] + 3) == scale(text, -3)


@given(
    st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1)),  # noqa: DTZ001 - the zone is drawn
    st.from_regex(r"(\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])", fullmatch=True),
)
def test_times_equal_those_of_python(moment: datetime, rest: str) -> None:
    text = moment.strftime("%Y-%m-%dT%H:%M:%S") + rest
    (time,), (good,) = read_times(*concatenate([text.encode()]))
    assert good
    assert time == read_time(text)[0]


@given(st.from_regex(rb"[0-9TZ:.+-]{19,36}", fullmatch=True) | st.binary(max_size=40))
def test_invalid_time_is_marked(text: bytes) -> None:
    (time,), (good,) = read_times(*concatenate([text]))
    if good:
        assert time == read_time(text.decode())[0]


def test_time_before_1970_is_read() -> None:
    (time,), (good,) = read_times(*concatenate([b"1969-12-31T23:59:59.5Z"]))
    assert good
    assert datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(time)) < datetime(
        1970, 1, 1, tzinfo=UTC
    )


@given(st.lists(st.sampled_from([b"", b"a", b"a\0", b"ab", b"x" * 40, b"x" * 300]), min_size=1))
def test_only_equal_texts_share_a_number(cells: list[bytes]) -> None:
    texts, numbers = group_equal(*concatenate(cells))
    assert [texts[number] for number in numbers.tolist()] == cells
    assert len(set(texts)) == len(texts)
