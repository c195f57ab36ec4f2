"""Go benchmarks' units and names: tidied like benchunit, and GOMAXPROCS versus a number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.parsers.gobench.names import Names
from benchkit.parsers.gobench.units import UnitMetadata, read_unit, tidy


@pytest.mark.parametrize(
    ("unit", "tidied", "factor"),
    [
        ("ns/op", "sec/op", 1e-9),
        ("MB/s", "B/s", 1e6),
        ("p50-ns", "p50-sec", 1e-9),
        ("op/ns", "op/ns", 1.0),
        ("x/op*ns", "x/op*sec", 1e-9),
        ("MB*ns", "B*sec", 1e6 / 1e9),
        ("µs", "µs", 1.0),
        ("ms/op", "ms/op", 1.0),
        ("KB/s", "KB/s", 1.0),
        ("conns", "conns", 1.0),
    ],
)
def test_units_are_tidied_like_benchunit(unit: str, tidied: str, factor: float) -> None:
    assert tidy(unit)[:2] == (tidied, factor)


@given(
    st.lists(st.sampled_from(["ns", "MB", "B", "op", "s", "x"]), min_size=1, max_size=5),
    st.lists(st.sampled_from("*/-"), min_size=4, max_size=4),
)
def test_tidying_is_idempotent(tokens: list[str], separators: list[str]) -> None:
    unit = "".join(a + b for a, b in zip(tokens, ["", *separators], strict=False))
    tidied, factor, exponent = tidy(unit)
    assert tidy(tidied) == (tidied, 1.0, 0)
    assert factor == pytest.approx(10.0**exponent, rel=1e-12)


@pytest.mark.parametrize(
    ("unit", "metric", "base"),
    [
        ("ns/op", "time_per_op", "s"),
        ("sec/op", "time_per_op", "s"),
        ("MB/s", "processing_rate", "B/s"),
        ("B/s", "processing_rate", "B/s"),
        ("B/op", "bytes_per_op", "B"),
        ("allocs/op", "allocs_per_op", "1"),
        ("p99-ns", "p99-sec", "s"),
        ("heap-bytes", "heap-bytes", "B"),
        ("req/s", "req/s", "1/s"),
        ("MB/sec", "B/sec", "B/s"),
        ("ns/operation", "sec/operation", "s"),
        ("ns/op-p99", "sec/op-p99", "s"),
        ("ns/s", "sec/s", "1"),
        ("MB*ns", "B*sec", "1"),
        ("%", "%", "1"),
        ("2xx/op", "2xx/op", "1"),
    ],
)
def test_unit_maps_to_a_metric_and_base_unit(unit: str, metric: str, base: str) -> None:
    known = read_unit(unit)
    assert known is not None
    assert (known.metric, known.base) == (metric, base)


@pytest.mark.parametrize(
    "unit", ["12", "-86.88%", "+Inf%", "|", "+5", "3.5", "ns/oppp", "MB/ss", "ns/o", "allocs/o"]
)
def test_invalid_unit_is_rejected(unit: str) -> None:
    assert read_unit(unit) is None


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["A-8", "B/x-8"], {"A-8": ("A", "8"), "B/x-8": ("B/x", "8")}),
        (["A", "B/x=1"], {"A": ("A", ""), "B/x=1": ("B/x=1", "")}),
        (["S/n-10", "S/n-100"], {"S/n-10": ("S/n-10", ""), "S/n-100": ("S/n-100", "")}),
        (["A-2", "A-4", "S/n-2", "S/n-4"], {"A-2": ("A", "2"), "S/n-4": ("S/n", "4")}),
        (["A", "S/n-10", "S/n-100"], {"S/n-10": ("S/n-10", "")}),
        (
            ["S/n-1", "S/n-2", "S/n-1-2", "S/n-2-2"],
            {"S/n-1": ("S/n-1", "1"), "S/n-2": ("S/n-2", "1"), "S/n-2-2": ("S/n-2", "2")},
        ),
        (["A", "A-8", "B", "B-8", "C"], {"A": ("A", "1"), "B-8": ("B", "8"), "C": ("C", "1")}),
        (["S/set", "S/get", "S/put", "S/set-10"], {"S/set-10": ("S/set-10", "")}),
    ],
)
def test_gomaxprocs_suffix_is_recognised(
    names: list[str], expected: dict[str, tuple[str, str]]
) -> None:
    split = Names(names)
    for name, (benchmark, level) in expected.items():
        assert split.split(name) == (benchmark, {"gomaxprocs": level} if level else {})


def test_unit_line_of_many_bad_words_is_reported_briefly() -> None:
    problems = UnitMetadata().read("Unit ns/op " + "bad=x y " * 50_000)
    assert len(problems) == 21
    assert problems[-1] == "49,980 more words are not settings"
