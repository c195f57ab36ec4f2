"""The length of a run and its data rate, which versions of ab print differently.

Ab 2.0 prints microseconds without leading zeros after the point (``1.5000`` is 1.005 s), its HTML
prints a thousandth of the time, and ab 1.3 prints kilobytes of 1,000.

Remarks about a whole report of ab are defined here, too.
"""

from __future__ import annotations

from benchkit.reading.remarks import Remark

_OLD = "2.0."
_MICROS = 6
_MILLIS = 3
INTERRUPTED = Remark(
    "ab was interrupted {done}; its statistics until then are kept as a partial run",
    "run it to the end before comparing it",
    is_remark=False,
)
IDLE = Remark("no request was completed in this run", "check whether the server responds")
SILENT = Remark(
    "ab counts {complete} complete requests, but the server sent no data",
    "check whether the server closes connections without a response",
)
REFUSED = Remark(
    "all {complete} responses were outside 2xx: rates and times describe error pages",
    "check what the server responds at this path",
)
LENGTHS = Remark(
    "{count} requests count as failed only because their body length differs from the first "
    "response, which is normal for dynamic pages",
    "run ab with -l if lengths may differ",
    "note",
    is_remark=False,
)
WINDOWED = Remark(
    "ab averaged its {complete} requests into {window} values, so benchkit keeps only the means; "
    "the minimum, maximum and percentiles do not describe individual requests",
    "run ab with -n set to at least the number of requests in the run",
)
UNCLEAR = Remark(
    "`{text} seconds` of ab 2.0 may mean thousandths or millionths of a second, and no other "
    "line shows which; the run length is left out",
    "give the whole report, with its rate",
)
STRANGE = Remark(
    "this table is in {unit}, which ab does not print; its rows are ignored",
    "use the output of an unmodified ab",
    is_remark=False,
)
TORN = Remark(
    "these percentiles and the table above them belong to different runs: their longest requests "
    "took {percentile:g} s and {longest:g} s; the percentiles are left out",
    "use the output as ab printed it",
    is_remark=False,
)


def taken(
    whole: str, fraction: str, version: str, *, is_html: bool, count: int | None, rate: str | None
) -> tuple[float, float] | None:
    """Return the length of a run in s and its rounding step; None if it is ambiguous.

    Parameters
    ----------
    whole, fraction : str
        The digits before and after the point.
    version : str
        From the banner; may be empty.
    count : int, optional
        Requests completed.
    rate : str, optional
        Requests per second, as printed.

    Examples
    --------
    >>> taken("1", "5000", "2.0.40-dev", is_html=False, count=None, rate=None)
    (1.005, 1e-06)
    >>> taken("0", "179", "2.3", is_html=False, count=1000, rate="5589.06")
    (0.179, 0.001)
    """
    readings = _readings(whole, fraction, version, is_html=is_html)
    if len(readings) == 1:
        return readings[0]
    if not count or rate is None or not float(rate):
        return None
    expected = count / float(rate)
    best = min(readings, key=lambda reading: abs(reading[0] - expected))
    return best if abs(best[0] - expected) <= 0.01 * expected else None


def _readings(
    whole: str, fraction: str, version: str, *, is_html: bool
) -> list[tuple[float, float]]:
    literal = (float(f"{whole}.{fraction}"), float(f"1e-{len(fraction)}"))
    micros = (float(f"{whole}.{fraction:0>6}"), 1e-6)
    if is_html and version.startswith(_OLD):
        return [((int(whole) * 10**_MICROS + int(fraction)) / 1000, 1e-3)]
    if len(fraction) == _MICROS:
        return [literal]
    if len(fraction) != _MILLIS:
        return [micros]
    return [literal, micros] if version.startswith(_OLD) else [literal]


def kilobyte(rate: float, step: float, amount: float | None, seconds: float | None) -> int:
    """Return the number of bytes in this report's kilobyte: 1,024 unless only 1,000 fits.

    Parameters
    ----------
    rate, step : float
        As printed, and its rounding step.
    amount : float, optional
        Bytes received.
    seconds : float, optional
        The time in which they were received.

    Examples
    --------
    >>> kilobyte(9.57, 0.01, 16100.0, 1.683), kilobyte(649.51, 0.01, 119000.0, 0.179)
    (1000, 1024)
    """
    if not amount or not seconds:
        return 1024
    # The seconds are rounded as well, to a thousandth.
    slack = step + rate * 0.001 / seconds
    misses = {size: abs(amount / seconds / size - rate) for size in (1000, 1024)}
    return 1000 if misses[1000] <= slack < misses[1024] else 1024
