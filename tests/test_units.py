"""Units: exact scaling of input, readable and honest numbers in output."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scaling import assert_linear

from benchkit import units
from benchkit.units import Quantity

THIN = "\N{NARROW NO-BREAK SPACE}"
HARD = "\N{NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"

decimals = st.decimals(0, 10**7, places=3, allow_nan=False).map(str)
finite = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15)


@pytest.mark.parametrize(
    ("text", "value", "resolution"),
    [
        ("814.00us", 0.000814, 1e-8),
        ("276.50us", 0.0002765, 1e-8),
        ("0.86ms", 0.00086, 1e-5),
        ("1.00m", 60.0, 0.6),
        ("8.65m", 519.0, 0.6),
        ("1.00h", 3600.0, 36.0),
        ("2d", 172800.0, 86400.0),
        ("5min", 300.0, 60.0),
        ("17ns", 1.7e-8, 1e-9),
        ("3.1 s", 3.1, 0.1),
        ("12\N{MICRO SIGN}s", 12e-6, 1e-6),
        ("12\N{GREEK SMALL LETTER MU}s", 12e-6, 1e-6),
        ("12┬╡s", 12e-6, 1e-6),
        ("12Âµs", 12e-6, 1e-6),
        (".5s", 0.5, 0.1),
        ("1.5e3us", 0.0015, 1e-4),
        ("-2ms", -0.002, 0.001),
    ],
)
def test_time(text: str, value: float, resolution: float) -> None:
    read = units.parse_time(text)
    assert read.value == value
    assert read.resolution == pytest.approx(resolution, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10m0s", 600.0),
        ("1h2m3.5s", 3723.5),
        ("809.694µs", 0.000809694),
        ("-1m30s", -90.0),
        ("1m", 60.0),
        ("0s", 0.0),
        ("1.5 ms", 0.0015),
    ],
)
def test_duration(text: str, value: float) -> None:
    assert units.parse_duration(text).value == value


@pytest.mark.parametrize(
    ("text", "value"), [("5.23k", 5230.0), ("1.20M", 1_200_000.0), ("17", 17.0), ("2G", 2e9)]
)
def test_count(text: str, value: float) -> None:
    assert units.parse_count(text).value == value


@pytest.mark.parametrize(
    ("text", "binary", "value"),
    [
        ("2.57MB", True, 2.57 * 2**20),
        ("2.57MB", False, 2_570_000.0),
        ("4.00KB", True, 4096.0),
        ("4 kB", False, 4000.0),
        ("1.5GiB", False, 1.5 * 2**30),
        ("12B", True, 12.0),
        ("3bytes", False, 3.0),
        ("7", False, 7.0),
    ],
)
def test_bytes(text: str, binary: bool, value: float) -> None:
    assert units.parse_bytes(text, binary=binary).value == value


def read_binary(text: str) -> Quantity:
    return units.parse_bytes(text, binary=True)


def read_decimal(text: str) -> Quantity:
    return units.parse_bytes(text, binary=False)


READERS: tuple[Callable[[str], Quantity], ...] = (
    units.parse_time,
    units.parse_duration,
    units.parse_count,
    read_binary,
    read_decimal,
)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "text", ["", "fast", "-nan%", "+Inf", "12.3mz", "1.2.3s", "1e400m", "5K.", "1e9999s"]
)
def test_invalid_quantity_is_refused(read: Callable[[str], Quantity], text: str) -> None:
    with pytest.raises(ValueError, match=r"not a number|no known|too large"):
        read(text)


def test_absurdly_long_duration_is_refused() -> None:
    with pytest.raises(ValueError, match="too large"):
        units.parse_duration("9" * 400 + "h")


@given(st.text(max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in READERS:
        try:
            quantity = read(text)
        except ValueError:
            continue
        assert math.isfinite(quantity.value)
        assert quantity.resolution >= 0


@given(decimals, st.sampled_from([("ns", -9), ("us", -6), ("ms", -3), ("s", 0)]))
def test_decimal_scaling_rounds_once(number: str, unit: tuple[str, int]) -> None:
    exact = Fraction(number) * Fraction(10) ** unit[1]
    assert units.parse_time(number + unit[0]).value == float(exact)
    assert units.parse_duration(number + unit[0]).value == float(exact)


@given(decimals, st.sampled_from([("m", 60), ("h", 3600)]))
def test_sexagesimal_scaling_rounds_once(number: str, unit: tuple[str, int]) -> None:
    assert units.parse_time(number + unit[0]).value == float(Fraction(number) * unit[1])


@given(st.integers(0, 99), st.integers(0, 59), st.integers(0, 59), st.integers(0, 999))
def test_go_durations_add_up(hours: int, minutes: int, seconds: int, millis: int) -> None:
    read = units.parse_duration(f"{hours}h{minutes}m{seconds}.{millis:03d}s")
    assert read.value == float(hours * 3600 + minutes * 60 + seconds + Fraction(millis, 1000))
    assert read.resolution == 0.001


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (0.2765, "0.277"),
        (0.0996, "0.0996"),
        (0.09996, "0.100"),
        (9.996, "10.0"),
        (99.96, "100"),
        (999.6, "1000"),
        (12, "12.0"),
        (4096, "4096"),
        (29018.83, f"29{THIN}019"),
        (1234567, f"1{THIN}234{THIN}567"),
        (-1234567, f"{MINUS}1{THIN}234{THIN}567"),
        (-0.5, f"{MINUS}0.500"),
        (0.000012, "0.0000120"),
        (1.5e-9, f"1.50e{MINUS}09"),
        (math.nan, "–"),
        (-math.inf, "–"),
    ],
)
def test_number(value: float, text: str) -> None:
    assert units.format_number(value) == text


def _read_back(text: str) -> float:
    return float(text.replace(THIN, "").replace(MINUS, "-"))


@given(finite, st.integers(1, 8))
def test_number_is_written_with_its_digits(value: float, digits: int) -> None:
    written = _read_back(units.format_number(value, digits))
    assert abs(written - value) <= abs(value) * 0.5001 * 10 ** (1 - digits)
    assert math.copysign(1, written) == math.copysign(1, value) or value == 0


@given(st.floats(1e-5, 1e15), st.integers(2, 6))
def test_number_shows_no_fewer_digits(value: float, digits: int) -> None:
    shown = re.sub(r"\D", "", units.format_number(value, digits)).lstrip("0")
    assert len(shown) >= digits
    assert "e" not in units.format_number(value, digits)


@given(finite)
def test_negative_number_has_the_same_digits(value: float) -> None:
    assert units.format_number(-abs(value)).lstrip(MINUS) == units.format_number(abs(value))


@pytest.mark.parametrize(
    ("values", "unit", "label"),
    [
        ([0.000276, 0.00045], "s", "µs"),
        ([0.000276, 12.0], "s", "µs"),
        ([0.0, 0.5], "s", "ms"),
        ([math.nan, math.inf, 3.0], "s", "s"),
        ([], "s", "ns"),
        ([3e-12], "s", "ns"),
        ([5000.0], "B", "KiB"),
        ([3 * 2.0**40], "B", "TiB"),
        ([2.0**21], "B/s", "MiB/s"),
        ([0.5], "1", ""),
        ([0.5], "cores", "cores"),
    ],
)
def test_common_scale(values: list[float], unit: str, label: str) -> None:
    assert units.common_scale(values, unit).label == label


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0002765, "s", "276 µs"),
        (29018.83, "1/s", f"29{THIN}019 1/s"),
        (12.0, "1", "12.0"),
        (1536.0, "B", "1.50 KiB"),
        (0.0, "s", "0 ns"),
    ],
)
def test_quantity(value: float, unit: str, text: str) -> None:
    assert units.format_quantity(value, unit) == text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (0.869, f"{MINUS}13.1{HARD}%"),
        (1.0, f"±0.0{HARD}%"),
        (0.9999, f"±0.0{HARD}%"),
        (1.99, f"+99.0{HARD}%"),
        (2.0, "2.00×"),
        (3.4, "3.40×"),
        (0.0, f"{MINUS}100.0{HARD}%"),
        (math.inf, "–"),
        (math.nan, "–"),
    ],
)
def test_change(ratio: float, text: str) -> None:
    assert units.format_change(ratio) == text


@pytest.mark.parametrize(
    ("fraction", "text"), [(0.03, f"+3.0{HARD}%"), (-math.inf, "–"), (-0.0001, f"±0.0{HARD}%")]
)
def test_percent(fraction: float, text: str) -> None:
    assert units.format_percent(fraction) == text


@pytest.mark.parametrize(
    ("fraction", "limit", "text"),
    [
        (0.0296, 0.03, "+2.96"),
        (0.03004, 0.03, "+3.004"),
        (0.03, 0.03, "+3.0"),
        (-0.02999, -0.03, f"{MINUS}2.999"),
        (0.0004, 0.0, "+0.04"),
        (0.12345, 0.03, "+12.3"),
        (0.03 + 1e-9, 0.03, "+3.0"),
    ],
)
def test_rounding_never_crosses_a_limit(fraction: float, limit: float, text: str) -> None:
    assert units.format_percent(fraction, [limit]) == f"{text}{HARD}%"


@given(st.text(max_size=20))
def test_control_characters_of_names_are_escaped(text: str) -> None:
    shown = units.printable(text)
    assert "\x1b" not in shown
    assert "\n" not in shown
    assert units.printable(shown) == shown


def test_ordinary_names_are_unchanged() -> None:
    assert units.printable("/api/µs größer 12\u202f345") == "/api/µs größer 12\u202f345"
    assert units.printable("a\u202eb\x1b[2J") == r"a\u202eb\x1b[2J"


@pytest.mark.parametrize(
    ("pvalue", "text"),
    [(0.0009999, "< 0.001"), (0.001, "0.001"), (0.0456, "0.046"), (1.0, "1.000")],
)
def test_pvalue(pvalue: float, text: str) -> None:
    assert units.format_pvalue(pvalue) == text


@pytest.mark.parametrize("text", ["1_000e+19", "1_0", "١٢", "", "x"])
def test_numbers_valid_only_in_python_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"number|convert"):
        units.read_number(text)


def test_many_blanks_in_a_text_are_refused_in_linear_time() -> None:
    def read(text: str) -> None:
        with pytest.raises(ValueError, match="not a number"):
            units.parse_time(text)

    assert_linear(lambda size: f"3.5{' ' * size}96ms", read, 16000)
