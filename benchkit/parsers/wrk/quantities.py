"""The quantities in a report of wrk or wrk2: times, rates, quantiles, the path of the URL.

Both roads into a report read them alike, and the same texts come again and again in a folder of
reports, so that each is read once.
"""

from __future__ import annotations

from functools import lru_cache, partial

from benchkit.parsers import urls
from benchkit.units import Quantity, parse_bytes, parse_count, parse_time, scale

_ENDS = {"0": "min", "": "min", "100": "max"}

read_time = lru_cache(maxsize=1 << 14)(parse_time)
read_rate = lru_cache(maxsize=1 << 14)(parse_count)
read_bytes = lru_cache(maxsize=1 << 14)(partial(parse_bytes, binary=True))
path_of = lru_cache(maxsize=1024)(urls.path_of)
describe_url = lru_cache(maxsize=1024)(urls.describe_url)


@lru_cache(maxsize=1 << 13)
def read_share(percent: str) -> Quantity:
    """Read a share such as ``95.32``, in per cent."""
    return Quantity(scale(percent, -2), 1e-4)


@lru_cache(maxsize=1024)
def stat_of(percent: str) -> str:
    """Name a quantile: ``99.900`` is p99.9, the ends are min and max."""
    short = percent.rstrip("0").rstrip(".") if "." in percent else percent
    return _ENDS.get(short, f"p{short}")
