"""In which round of a session each run was made, and at which place of the round.

In: rows of runs with their start times or recorded positions. Out: ``block`` and ``position``.
Why: whether two variants were measured in turn or one after the other decides how far their
difference can be trusted; only recorded order counts, equal run numbers prove nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def find_blocks(rows: Sequence[dict[str, Any]]) -> None:
    """Fill ``block`` and ``position`` of measured runs whose order was recorded.

    Parameters
    ----------
    rows : sequence of dict
        As in the table of runs; changed in place. Runs of a group are ordered by ``started_at``.
        A new block begins when a variant comes round again; blocks and positions count from 1.
        A group in which any run's start is unknown, or two starts are equal, is left as it is.

    Examples
    --------
    >>> rows = [{"group": "", "variant": v, "role": "measured", "started_at": t,
    ...          "block": None, "position": None} for t, v in enumerate("abba")]
    >>> find_blocks(rows)
    >>> [(row["block"], row["position"]) for row in rows]
    [(1, 1), (1, 2), (2, 1), (2, 2)]
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["role"] == "measured":
            groups.setdefault(row["group"], []).append(row)
    for members in groups.values():
        starts = [row["started_at"] for row in members]
        if None in starts or len(set(starts)) < len(starts):
            continue
        _number(sorted(members, key=lambda row: row["started_at"]))


def _number(ordered: Sequence[dict[str, Any]]) -> None:
    block, seen = 1, list[str]()
    for row in ordered:
        if row["variant"] in seen:
            block, seen = block + 1, []
        seen.append(row["variant"])
        row["block"], row["position"] = block, len(seen)
