"""Student's t compared with scipy and known values."""

from __future__ import annotations

from math import atan2, pi, tan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtr, stdtrit

from benchkit.stats.student import t_quantile, t_tail

FREEDOM = st.floats(1, 10_000) | st.integers(1, 200)


@given(freedom=FREEDOM, probability=st.floats(0.55, 1 - 1e-9))
def test_quantile_equals_scipy(freedom: float, probability: float) -> None:
    assert t_quantile(freedom, probability) == pytest.approx(
        stdtrit(freedom, probability), rel=1e-9
    )


@given(freedom=FREEDOM, t=st.just(0.0) | st.floats(1e-4, 1e4))
def test_tail_equals_scipy(freedom: float, t: float) -> None:
    """Scipy's own loses digits where t is smaller: 1e-9 of them at 1e-8, see the next test."""
    assert t_tail(freedom, t) == pytest.approx(stdtr(freedom, -t), rel=1e-9, abs=1e-300)


@given(t=st.floats(0, 1e4))
def test_tail_of_one_degree_of_freedom_is_cauchy(t: float) -> None:
    assert t_tail(1, t) == pytest.approx(atan2(1, t) / pi, rel=1e-12)


@given(probability=st.floats(0.001, 0.999))
def test_one_degree_of_freedom_is_cauchy(probability: float) -> None:
    expected = tan(pi * (probability - 0.5))
    assert t_quantile(1, probability) == pytest.approx(expected, rel=1e-10, abs=1e-7)


@given(freedom=FREEDOM, probability=st.floats(0.001, 0.999))
def test_tails_mirror_each_other(freedom: float, probability: float) -> None:
    mirrored = -t_quantile(freedom, 1 - probability)
    assert t_quantile(freedom, probability) == pytest.approx(mirrored, rel=1e-9, abs=1e-7)


@pytest.mark.parametrize(("freedom", "expected"), [(1, 12.706), (4, 2.776), (10, 2.228)])
def test_quantiles_equal_printed_tables(freedom: int, expected: float) -> None:
    assert round(t_quantile(freedom, 0.975), 3) == expected


@pytest.mark.parametrize(
    ("freedom", "probability"), [(0, 0.9), (-1, 0.9), (float("inf"), 0.9), (3, 0), (3, 1)]
)
def test_impossible_quantiles_are_refused(freedom: float, probability: float) -> None:
    with pytest.raises(ValueError, match=r"probability|degrees of freedom"):
        t_quantile(freedom, probability)


@pytest.mark.parametrize(("freedom", "t"), [(0, 1.0), (3, -1.0), (3, float("nan"))])
def test_impossible_tails_are_refused(freedom: float, t: float) -> None:
    with pytest.raises(ValueError, match=r"negative|degrees of freedom"):
        t_tail(freedom, t)
