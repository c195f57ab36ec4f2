"""Readable intervals: in one unit with the change, or in words if they say nothing."""

from __future__ import annotations

from collections.abc import Collection

from benchkit.units import FACTOR_DOWN, FACTOR_UP, format_number, format_percent

#: If the ends of an interval are farther apart, it is useless; this is written instead.
_WIDEST, TOO_WIDE = 10, "too noisy to tell"
_PERCENT = "\N{NO-BREAK SPACE}%"


def is_wide(low: float, high: float) -> bool:
    """Return whether the ends of an interval of positive values differ by more than a factor of 10.

    Examples
    --------
    >>> is_wide(0.5, 4.9), is_wide(0.5, 5.1), is_wide(0.0, 0.1)
    (False, True, True)
    """
    return not 0 < high <= _WIDEST * low


def is_wide_difference(low: float, high: float, base: float) -> bool:
    """Return the same for an interval of differences from a base, using the resulting values.

    Ends within a factor of 10 of each other are never too wide, so a fall to nothing is readable.
    If the base is not positive, the ends themselves are compared, provided both have the same sign.

    Examples
    --------
    >>> is_wide_difference(-3.0, 5.0, 20.0), is_wide_difference(-19.0, 5.0, 20.0)
    (False, True)
    >>> is_wide_difference(-20.4, -19.6, 20.0)
    False
    >>> is_wide_difference(1.0, 12.0, 0.0), is_wide_difference(-1.0, 12.0, -5.0)
    (True, False)
    """
    near, far = sorted((abs(low), abs(high)))
    is_alike = low * high > 0
    if is_alike and not is_wide(near, far):
        return False
    return is_wide(base + low, base + high) if base > 0 else is_alike


def format_interval(
    low: float, high: float, limits: Collection[float] = (), *, ratio: float | None = None
) -> str:
    """Write an interval of ratios: as changes in per cent, or as factors if it ends beyond 2x.

    Next to a change, it uses the unit in which `format_change` writes the ``ratio``. If the ends
    differ by more than a factor of 10, it is `TOO_WIDE`.

    Examples
    --------
    >>> format_interval(0.2, 3.0)
    'too noisy to tell'
    >>> format_interval(0.543, 2.22, ratio=1.1).replace("\N{NO-BREAK SPACE}", " ")
    '[−45.7, +122.0 %]'
    >>> format_interval(0.852, 0.889).replace("\N{NO-BREAK SPACE}", " ")
    '[−14.8, −11.1 %]'
    >>> format_interval(3.1, 3.8)
    '[3.10, 3.80×]'
    >>> format_interval(0.0125, 0.02)
    '[÷80.0, ÷50.0]'
    """
    if is_wide(low, high):
        return TOO_WIDE
    if (high if ratio is None else ratio) >= FACTOR_UP:
        return f"[{format_number(low)}, {format_number(high)}\N{MULTIPLICATION SIGN}]"
    if (low if ratio is None else ratio) <= FACTOR_DOWN:
        left, right = (f"\N{DIVISION SIGN}{format_number(1 / end)}" for end in (low, high))
        return f"[{left}, {right}]"
    left = format_percent(low - 1, limits).removesuffix("\N{NO-BREAK SPACE}%")
    return f"[{left}, {format_percent(high - 1, limits)}]"


def format_ends(
    low: float, high: float, ratio: float, limits: Collection[float] = (), *, signed: bool = False
) -> str:
    """Write the ends of an interval for a sentence, in the direction of its estimate.

    Next to a ``signed`` estimate, the ends have signs, too.

    Examples
    --------
    >>> format_ends(0.852, 0.889, 0.869).replace("\N{NO-BREAK SPACE}", " ")
    '11.1–14.8 %'
    >>> format_ends(0.977, 1.027, 1.001).replace("\N{NO-BREAK SPACE}", " ")
    '−2.3 to +2.7 %'
    >>> format_ends(0.852, 0.889, 0.869, signed=True).replace("\N{NO-BREAK SPACE}", " ")
    '−14.8 to −11.1 %'
    >>> format_ends(2.1, 2.8, 2.4), format_ends(0.0125, 0.02, 0.016)
    ('2.10–2.80×', '50.0–80.0×')
    """
    if ratio <= FACTOR_DOWN or ratio >= FACTOR_UP:
        ends = (low, high) if ratio > 1 else (1 / high, 1 / low)
        return f"{format_number(ends[0])}–{format_number(ends[1])}\N{MULTIPLICATION SIGN}"
    first, last = (format_percent(end - 1, limits) for end in (low, high))
    if not signed and (low > 1 or high < 1):
        near, far = (first, last) if low > 1 else (last, first)
        near, far = (end.lstrip("+±\N{MINUS SIGN}") for end in (near, far))
        return f"{near.removesuffix(_PERCENT)}–{far}"
    return f"{first.removesuffix(_PERCENT)} to {last}"


def format_size(share: float) -> str:
    """Write the size of a change without its sign: per cent, or a factor beyond +100 %.

    Examples
    --------
    >>> format_size(-0.12).replace("\N{NO-BREAK SPACE}", " "), format_size(1.323)
    ('12.0 %', '2.32×')
    """
    if share > 1:
        return f"{format_number(1 + share)}\N{MULTIPLICATION SIGN}"
    return format_percent(abs(share)).lstrip("+±")
