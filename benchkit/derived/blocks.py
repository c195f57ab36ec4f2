"""The round of a session in which each run was made, and its position in the round.

Whether two variants were measured in turn or one after the other decides how far their difference
can be trusted. Only recorded order counts; equal run numbers prove nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchkit.codes import number_rows
from benchkit.light import LightColumn, LightFrame, make_array
from benchkit.schema import Workload

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from benchkit.schema import Runs

#: Columns that define a series: its runs differ only in variant and number.
_SERIES = Workload._fields
#: Columns that may record the order of a series, if all of its runs have them.
_ORDER = ("block", "started_at", "position")


def place_runs(runs: Runs) -> Runs:
    """Return the table of runs with blocks and positions if an order was recorded."""
    import numpy as np
    import pandas as pd

    measured = np.flatnonzero(runs["role"] == "measured")
    members = runs[[*_SERIES, "variant", "role", *_ORDER]].iloc[measured]
    series, firsts = number_rows(members, _SERIES)
    sizes = np.bincount(series, minlength=len(firsts))
    has_blocks = np.bincount(series, members["block"].notna(), len(firsts)) == sizes
    sides = number_rows(members.assign(series=series), ("series", "variant"))[1]
    is_alone = np.bincount(series[sides], minlength=len(firsts)) == 1
    ranks = _rank(members, series, sizes)
    is_counted = (is_alone & ~has_blocks)[series]
    is_ordered = has_blocks[series] | (ranks > 0)
    placed = {name: runs[name].array.copy() for name in ("block", "position")}
    placed["block"][measured[~is_ordered]] = pd.NA
    alone = is_ordered & is_counted  # each run of a single variant begins a block
    placed["block"][measured[alone]] = ranks[alone]
    placed["position"][measured[alone]] = 1
    rest = is_ordered & ~is_counted
    if rest.any():
        rows = _list_rows(members[rest])
        find_blocks(rows)
        for name, values in placed.items():
            values[measured[rest]] = pd.array([row[name] for row in rows], "Int64")
    table: Runs = runs.assign(**placed)
    return table


def place_light(runs: LightFrame) -> Runs:
    """Return a light table of runs with blocks and positions if an order was recorded."""
    names = (*_SERIES, "variant", "role", *_ORDER)
    rows = [dict(zip(names, row, strict=True)) for row in runs[[*names]].itertuples()]
    find_blocks(rows)
    placed = {name: [row[name] for row in rows] for name in ("block", "position")}
    for name, values in placed.items():
        runs[name] = LightColumn(make_array(values, "i64?"), runs.index, "i64?")
    return runs  # type: ignore[return-value]


def _rank(members: pd.DataFrame, series: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return each run's place in the recorded order of its series, from 1; 0 without an order."""
    import numpy as np
    import pandas as pd

    ranks = np.zeros(len(members), dtype=np.int64)
    begins = np.cumsum(sizes) - sizes
    for name in ("position", "started_at"):  # if both define an order, the start is used
        places, _ = pd.factorize(members[name], sort=True)
        order = np.lexsort((places, series))
        of_series, ordered = series[order], places[order]
        is_repeated = (of_series[1:] == of_series[:-1]) & (ordered[1:] == ordered[:-1])
        repeats = np.bincount(of_series[1:][is_repeated], minlength=len(sizes))
        is_order = (np.bincount(series, places >= 0, len(sizes)) == sizes) & (repeats == 0)
        counted = np.empty_like(ranks)
        counted[order] = np.arange(len(order)) - begins[of_series] + 1
        ranks = np.where(is_order[series], counted, ranks)
    return ranks


def _list_rows(members: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows of a table, with None for unknown values."""
    names = list(map(str, members))
    columns = (column.astype(object).where(column.notna(), None) for _, column in members.items())
    return [
        dict(zip(names, row, strict=True))
        for row in zip(*(column.tolist() for column in columns), strict=True)
    ]


def find_blocks(rows: Sequence[dict[str, Any]]) -> None:
    """Fill ``block`` and ``position`` of measured runs with a recorded order.

    Parameters
    ----------
    rows : sequence of dict
        Rows as in the table of runs; changed in place.

    Notes
    -----
    Each series of group, benchmark, params and tool is treated separately. If all its runs have a
    recorded ``block``, these are kept. Otherwise a new block begins when a variant recurs, in the
    order of ``started_at``, or of the recorded ``position`` if positions count through the whole
    series. Blocks and positions count from 1. A series in which the order of any run is unknown, or
    two runs have the same place, is left unchanged.

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
    """Assign blocks and positions in the recorded order, if there is one."""
    for name in ("started_at", "position"):
        if _is_order(members, name):
            _number(sorted(members, key=lambda row: row[name]))
            return
    for row in members:
        row["block"] = None


def _place(members: Sequence[dict[str, Any]]) -> None:
    """Assign the positions in each recorded block by start, if they are not recorded."""
    blocks: dict[int, list[dict[str, Any]]] = {}
    for row in members:
        blocks.setdefault(row["block"], []).append(row)
    for block in blocks.values():
        if not _is_order(block, "position") and _is_order(block, "started_at"):
            ordered = sorted(block, key=lambda row: row["started_at"])
            for position, row in enumerate(ordered, 1):
                row["position"] = position


def _is_order(rows: Sequence[dict[str, Any]], name: str) -> bool:
    """Return whether all rows have distinct known places."""
    places = [row[name] for row in rows]
    return None not in places and len(set(places)) == len(places)


def _number(ordered: Sequence[dict[str, Any]]) -> None:
    block, seen = 1, list[str]()
    for row in ordered:
        if row["variant"] in seen:
            block, seen = block + 1, []
        seen.append(row["variant"])
        row["block"], row["position"] = block, len(seen)
