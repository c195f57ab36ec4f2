"""The oracle of stated values: what it accepts and rejects."""

from __future__ import annotations

from itertools import pairwise

import pytest
from stated import FACTORS, holds, numbers


def test_factors_do_not_blur_the_check() -> None:
    """Two neighbouring factors differ by far more than the tolerance of the comparison."""
    assert all(high / low > 1.01 for low, high in pairwise(sorted({*FACTORS})))
    assert holds(numbers("Requests/sec:   5968.13"), 5968.13)
    assert not holds(numbers("Requests/sec:   5968.13"), 5968.14)


@pytest.mark.parametrize(
    ("line", "form", "value", "is_stated"),
    [
        ("test a ... bench:       1,234 ns/iter (+/- 56)", "criterion_text", 1.234e-6, True),
        ("test a ... bench:       1,234 ns/iter (+/- 56)", "criterion_text", 234e-9, False),
        ("test a ... bench:       1,234 ns/iter (+/- 56)", "hey", 1.234e-6, False),
        ("a.b.C.d  avgt  5  1,234 ± 0,010  us/op", "jmh_text", 1.234e-6, True),
        ("a.b.C.d  avgt  5  1,234 ± 0,010  us/op", "jmh_text", 1.235e-6, False),
        ('"a.b.C.d","avgt",1,5,"1,234","0,010","us/op"', "jmh_csv", 5.0, True),
        ("HTTP Request,12,34,30,56", "jmeter_aggregate", 34e-3, True),
    ],
)
def test_oracle_knows_the_commas_of_a_format(
    line: str, form: str, value: float, *, is_stated: bool
) -> None:
    assert holds(numbers(line, form), value) is is_stated
