"""Rank tests of many rows equal those of each row alone."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchkit.comparison.measure import measure
from benchkit.comparison.ranks import Ranks

VALUES = st.one_of(
    st.integers(-2, 4).map(float), st.floats(1e-9, 1e9), st.sampled_from([1e-300, 1e200, -1e200])
)
SIDE = st.lists(VALUES, min_size=1, max_size=9).map(tuple)
ROWS = st.lists(st.tuples(SIDE, SIDE), max_size=6)


@given(rows=ROWS, confidence=st.sampled_from([0.8, 0.95]))
@example(rows=[((1.0,) * 4, (1.0, 1.0, 0.5, 1e200))], confidence=0.8)
def test_row_is_measured_the_same_among_others_as_alone(
    rows: list[tuple[tuple[float, ...], tuple[float, ...]]], confidence: float
) -> None:
    ranks = Ranks(rows, confidence)
    for x, y in rows:
        together = measure(x, y, "nothing", confidence, ranks=ranks)
        assert together == measure(x, y, "nothing", confidence)


@pytest.mark.parametrize("runs", [3, 4, 34, 51])
def test_notes_belong_to_their_row(runs: int) -> None:
    x = tuple(float(1 + i) for i in range(runs))
    sides = [(x, tuple(v + 0.5 for v in x)), (x, x), ((5.0,) * runs, (6.0,) * runs)]
    ranks = Ranks(sides, 0.95)
    for row in sides:
        apply = ranks.method(*row)
        assert apply is not None
        estimate, test = apply(0.95)
        assert measure(*row, "nothing", 0.95, None, "rank", ranks) == measure(
            *row, "nothing", 0.95, None, "rank"
        )
        assert estimate.confidence == 0.95
        assert test.method.startswith("mann-whitney")


def test_unknown_and_undecidable_rows_have_no_method() -> None:
    ranks = Ranks([((1.0, 2.0), (3.0, 4.0)), ((2.0, 2.0), (2.0,))], 0.95)
    assert ranks.method((1.0, 2.0), (3.0, 5.0)) is None
    assert ranks.method((2.0, 2.0), (2.0,)) is None
