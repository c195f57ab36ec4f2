"""Base units inside; prefixes only when reading and writing.

All scaling is done here, so no table mixes milliseconds and seconds.

Decimal text is scaled exactly: ``814.00us`` becomes the double nearest to 0.000814.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, isfinite, log10

from benchkit.listing import printable as printable  # noqa: PLC0414 - it formats names here
from benchkit.regexes import regex

_MICRO = "\N{MICRO SIGN}"
_NARROW = "\N{NARROW NO-BREAK SPACE}"
_MINUS = "\N{MINUS SIGN}"
#: Matches the start of commands for Azure Pipelines and TeamCity: ``##vso[task.complete]``.
SERVICE_COMMAND = r"#(?=#\w*+\[)"
#: Decimal exponents of the time units that tools print.
_TIME_EXPONENT = {
    "ns": -9,
    "us": -6,
    _MICRO + "s": -6,
    "μs": -6,
    "┬╡s": -6,
    "Âµs": -6,
    "ms": -3,
    "s": 0,
}
_TIME_FACTOR = {"m": 60, "min": 60, "h": 3600, "d": 86400}
_NUMBER = r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d{1,3})?"
_QUANTITY = regex(rf"\s*+({_NUMBER})\s*+([^\s\d]*+)\s*+")
_GO_DURATION = regex(r"([+-])?((?:(?:\d++(?:\.\d*+)?|\.\d++)(?:ns|us|µs|μs|ms|s|m|h|d))++)")
_GO_PART = regex(r"(?<![\d.])(\d++(?:\.\d*+)?|\.\d++)(ns|us|µs|μs|ms|s|m|h|d)")
_DECIMAL = {"": 0, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15}
_BINARY = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that was read from text, in its base unit.

    Parameters
    ----------
    value : float
        In the base unit.
    resolution : float
        The rounding step of the text in the base unit: 0.01 for ``12.30`` seconds.

    Raises
    ------
    ValueError
        If the value is too large for a float.
    """

    value: float
    resolution: float

    def __post_init__(self) -> None:
        if not isfinite(self.value):
            msg = "the number is too large"
            raise ValueError(msg)


def read_number(text: str) -> float:
    """Read a number as tools write it; Python also accepts underscores and digits of any script.

    Raises
    ------
    ValueError
        If it is not a number.

    Examples
    --------
    >>> read_number("1e3")
    1000.0
    """
    if "_" in text or not text.isascii():
        raise ValueError(f"{text!r} is not a number")
    return float(text)


def scale(number: str, exponent: int) -> float:
    """Return ``number`` times ten to ``exponent``, rounded once.

    Examples
    --------
    >>> scale("814.00", -6) == 0.000814
    True
    """
    mantissa, _, power = number.lower().partition("e")
    return read_number(f"{mantissa}e{int(power or 0) + exponent}")


def step(number: str, exponent: int = 0) -> float:
    """Return the rounding step of a decimal text, scaled by ten to ``exponent``.

    Examples
    --------
    >>> step("276.50", -6)
    1e-08
    """
    mantissa, _, power = number.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return float(f"1e{int(power or 0) + exponent - decimals}")


def parse_time(text: str) -> Quantity:
    """Read a time with one unit (``276.50us``, ``0.86ms``, ``1.00m``) into seconds.

    Raises
    ------
    ValueError
        If there is no number, or the unit is not one of ns us µs ms s m min h d.

    Examples
    --------
    >>> parse_time("8.65m").value
    519.0
    """
    number, unit = _split(text)
    if unit in _TIME_EXPONENT:
        exponent = _TIME_EXPONENT[unit]
        return Quantity(scale(number, exponent), step(number, exponent))
    if unit in _TIME_FACTOR:
        factor = _TIME_FACTOR[unit]
        return Quantity(_nearest(Fraction(number) * factor), step(number) * factor)
    msg = f'"{text.strip()}" has no known unit of time (expected ns, us, ms, s, m, h)'
    raise ValueError(msg)


def parse_duration(text: str) -> Quantity:
    """Read a Go duration (``1h2m3.5s``, ``809.694µs``) into seconds.

    Raises
    ------
    ValueError
        If the text is not a duration.

    Examples
    --------
    >>> parse_duration("10m0s").value
    600.0
    """
    whole = _GO_DURATION.fullmatch(text.strip())
    if whole is None:
        return parse_time(text)
    total, resolution = Fraction(0), 0.0
    for number, unit in _GO_PART.findall(whole[2]):
        power = _TIME_EXPONENT.get(unit)
        factor = Fraction(_TIME_FACTOR[unit]) if power is None else Fraction(10) ** power
        total += Fraction(number) * factor
        resolution = step(number) * _TIME_FACTOR[unit] if power is None else step(number, power)
    return Quantity(_nearest(-total if whole[1] == "-" else total), resolution)


def parse_count(text: str) -> Quantity:
    """Read a number with a decimal prefix (``5.23k``).

    Examples
    --------
    >>> parse_count("5.23k").value
    5230.0
    """
    number, unit = _split(text)
    if unit not in _DECIMAL:
        msg = f'"{text.strip()}" has no known decimal prefix (expected k, M, G, T)'
        raise ValueError(msg)
    return Quantity(scale(number, _DECIMAL[unit]), step(number, _DECIMAL[unit]))


def parse_bytes(text: str, *, binary: bool) -> Quantity:
    """Read an amount of data (``38.50MB``) into bytes.

    Parameters
    ----------
    text : str
        A number and ``B`` with a prefix; ``KiB`` and the like are always powers of 1,024.
    binary : bool
        Whether this tool's ``KB`` means 1,024 bytes.

    Examples
    --------
    >>> parse_bytes("2.57MB", binary=True).value == 2.57 * 2**20
    True
    """
    number, unit = _split(text)
    prefix = unit.removesuffix("bytes").removesuffix("B").removesuffix("b")
    if prefix.endswith("i"):
        prefix, binary = prefix[:-1], True
    if prefix not in _BINARY or unit == prefix != "":
        msg = f'"{text.strip()}" has no known unit of data (expected B, KB, MB, GB)'
        raise ValueError(msg)
    if binary:
        factor = 1024 ** _BINARY[prefix]
        return Quantity(float(number) * factor, step(number) * factor)
    return Quantity(scale(number, _DECIMAL[prefix]), step(number, _DECIMAL[prefix]))


def _nearest(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        return inf


def _split(text: str) -> tuple[str, str]:
    match = _QUANTITY.fullmatch(text)
    if match is None:
        msg = f'"{text.strip()}" is not a number with a unit'
        raise ValueError(msg)
    return match[1], match[2]


@dataclass(frozen=True, slots=True)
class Scale:
    """How values of one unit are written: divided by ``factor``, followed by ``label``."""

    factor: float
    label: str


_LADDERS: dict[str, tuple[tuple[float, str], ...]] = {
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, _MICRO + "s"), (1e-9, "ns")),
    "B": ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B")),
    "B/s": (
        (2.0**30, "GiB/s"),
        (2.0**20, "MiB/s"),
        (2.0**10, "KiB/s"),
        (1.0, "B/s"),
    ),
}


def common_scale(values: Iterable[float], unit: str) -> Scale:
    """Choose one scale for values that are read together.

    Parameters
    ----------
    values : iterable of float
        In the base unit; NaN and infinities are ignored.
    unit : str
        The base unit.

    Returns
    -------
    Scale
        The largest prefix that keeps the smallest value at or above one.

    Examples
    --------
    >>> common_scale([0.000276, 0.00045], "s").label
    'µs'
    """
    ladder = _LADDERS.get(unit)
    if ladder is None:
        return Scale(1.0, "" if unit == "1" else unit)
    sizes = [abs(v) for v in values if v and isfinite(v)]
    smallest = min(sizes, default=ladder[-1][0])
    return next((Scale(*rung) for rung in ladder if smallest >= rung[0]), Scale(*ladder[-1]))


#: Powers of ten between which numbers are written in full.
_SMALLEST_POWER, _LARGEST_POWER = -6, 15


def format_number(value: float, digits: int = 3) -> str:
    """Write a number with ``digits`` significant digits; whole numbers keep all digits.

    Numbers below a millionth or from 10¹⁶ on are written with a power of ten.

    Examples
    --------
    >>> format_number(0.27650), format_number(999.6), format_number(29018.83)
    ('0.277', '1000', '29\N{NARROW NO-BREAK SPACE}019')
    >>> format_number(1.5e300), format_number(-2e-9)
    ('1.50e300', '−2.00e−09')
    """
    if not isfinite(value):
        return "–"
    if value == 0:
        return "0"
    rounded = f"{value:.{digits - 1}e}"
    power = int(rounded.partition("e")[2])
    if not _SMALLEST_POWER <= power <= _LARGEST_POWER:
        return rounded.replace("e+", "e").replace("-", _MINUS)
    return group_digits(f"{value:.{max(digits - 1 - power, 0)}f}")


def format_stepped(value: float, step: float, digits: int = 3) -> str:
    """Write a number that its source counts in whole steps, without adding digits.

    Examples
    --------
    >>> format_stepped(2.0, 1.0), format_stepped(1.55, 0.1)
    ('2', '1.6')
    >>> format_stepped(0.0, 0.1).replace("\N{NO-BREAK SPACE}", " ")
    '< 0.1'
    >>> format_stepped(2.0, 0.0), format_stepped(2.5, 0.5), format_stepped(26.7, 1e-3)
    ('2.00', '2.5', '26.7')
    """
    if not step > 0 or not isfinite(value):
        return format_number(value, digits)
    if abs(value) < step:
        return f"<\N{NO-BREAK SPACE}{step:.2g}"
    shown = format_number(value, digits)
    decimals = len(shown.partition(".")[2])
    kept = min(decimals, max(0, ceil(-log10(step) - 1e-9)))
    return group_digits(f"{value:.{kept}f}") if kept < decimals else shown


def group_digits(text: str) -> str:
    """Separate thousands by a narrow space, from five digits on."""
    sign, number = (_MINUS, text[1:]) if text.startswith("-") else ("", text)
    whole, point, fraction = number.partition(".")
    if len(whole) > 4:
        whole = f"{int(whole):,}".replace(",", _NARROW)
    return f"{sign}{whole}{point}{fraction}"


def format_quantity(value: float, unit: str, digits: int = 3) -> str:
    """Write one value with its best scale.

    Examples
    --------
    >>> format_quantity(0.0002765, "s")
    '276 µs'
    """
    chosen = common_scale([value], unit)
    return f"{format_number(value / chosen.factor, digits)} {chosen.label}".rstrip()


FACTOR_UP, FACTOR_DOWN = 2, 0.1  # beyond these ratios, a change is written as a factor


def format_change(ratio: float, limits: Iterable[float] = ()) -> str:
    """Write variant / baseline as a signed change: per cent, or a factor beyond +100 % or −90 %.

    Examples
    --------
    >>> format_change(0.869), format_change(3.4), format_change(0.0125)
    ('−13.1\N{NO-BREAK SPACE}%', '3.40×', '÷80.0')
    """
    if isfinite(ratio) and ratio >= FACTOR_UP:
        return f"{format_number(ratio)}\N{MULTIPLICATION SIGN}"
    if 0 < ratio <= FACTOR_DOWN:
        return f"\N{DIVISION SIGN}{format_number(1 / ratio)}"
    return format_percent(ratio - 1, limits)


#: From this value on, per cent are written like other numbers.
_LARGEST_PERCENT = 1e5


def format_percent(fraction: float, limits: Iterable[float] = ()) -> str:
    """Write a signed fraction in per cent: one decimal, more if rounding would cross a limit.

    Examples
    --------
    >>> format_percent(0.0296, [0.03]).replace("\N{NO-BREAK SPACE}", " ")
    '+2.96 %'
    """
    if not isfinite(fraction):
        return "–"
    percent = fraction * 100
    if abs(percent) >= _LARGEST_PERCENT:
        return f"{'+' if percent > 0 else ''}{format_number(percent)}\N{NO-BREAK SPACE}%"
    bounds = [round(limit * 100, 9) for limit in limits]
    kept = (d for d in range(1, 5) if all(_same_side(percent, d, bound) for bound in bounds))
    decimals = next(kept, 1)
    rounded = round(percent, decimals)
    sign = "+" if rounded > 0 else _MINUS if rounded < 0 else "±"
    return f"{sign}{abs(rounded):.{decimals}f}\N{NO-BREAK SPACE}%"


def _same_side(percent: float, decimals: int, bound: float) -> bool:
    rounded, exact = round(percent, decimals), round(percent, 9)
    return (rounded > bound) == (exact > bound) and (rounded < bound) == (exact < bound)


def format_pvalue(pvalue: float) -> str:
    """Write a p-value: three decimals, never ``0.000``."""
    return "< 0.001" if pvalue < 0.001 else f"{pvalue:.3f}"
