"""In which round of a session each run was made, and at which place of the round.

Whether two variants were measured in turn or one after the other decides how far their difference
can be trusted; only recorded order counts, equal run numbers prove nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchkit.schema import Workload

#: Runs that differ in nothing else but variant and number are one series.
_SERIES = Workload._fields


def find_blocks(rows: Sequence[dict[str, Any]]) -> None:
    """Fill ``block`` and ``position`` of measured runs whose order was recorded.

    Parameters
    ----------
    rows : sequence of dict
        As in the table of runs; changed in place.

    Notes
    -----
    Each series of group, benchmark, params and tool stands for itself. Where all its runs have a
    recorded ``block``, that is kept. Else a new block begins when a variant comes round again, in
    the order of ``started_at``, or of the recorded ``position`` where those count through the whole
    series. Blocks and positions count from 1. A series in which the order of any run is unknown, or
    two runs have the same, is left as it is.

    Examples
    --------
    >>> rows = [{"group": "", "benchmark": "", "params": "", "tool": "wrk", "variant": v,
    ...          "role": "measured", "started_at": t, "block": None, "position": None}
    ...         for t, v in enumerate("abba")]
    >>> find_blocks(rows)
    >>> [(row["block"], row["position"]) for row in rows]
    [(1, 1), (1, 2), (2, 1), (2, 2)]
    """
    series: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in rows:
        if row["role"] == "measured":
            series.setdefault(tuple(row[name] for name in _SERIES), []).append(row)
    for members in series.values():
        if any(row["block"] is None for row in members):
            _number_by(members)
        else:
            _place(members)


def _number_by(members: Sequence[dict[str, Any]]) -> None:
    """Count blocks and positions in the recorded order, if there is one."""
    for name in ("started_at", "position"):
        if _is_order(members, name):
            _number(sorted(members, key=lambda row: row[name]))
            return
    for row in members:
        row["block"] = None


def _place(members: Sequence[dict[str, Any]]) -> None:
    """Give the runs of each recorded block their positions by start, where those are not told."""
    blocks: dict[int, list[dict[str, Any]]] = {}
    for row in members:
        blocks.setdefault(row["block"], []).append(row)
    for block in blocks.values():
        if not _is_order(block, "position") and _is_order(block, "started_at"):
            ordered = sorted(block, key=lambda row: row["started_at"])
            for position, row in enumerate(ordered, 1):
                row["position"] = position


def _is_order(rows: Sequence[dict[str, Any]], name: str) -> bool:
    """Tell whether each row has a place of its own."""
    places = [row[name] for row in rows]
    return None not in places and len(set(places)) == len(places)


def _number(ordered: Sequence[dict[str, Any]]) -> None:
    block, seen = 1, list[str]()
    for row in ordered:
        if row["variant"] in seen:
            block, seen = block + 1, []
        seen.append(row["variant"])
        row["block"], row["position"] = block, len(seen)
