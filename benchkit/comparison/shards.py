"""Series in which several generators of one load are counted as runs of their own."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Runs

#: group, variant, benchmark, params, tool
Place = tuple[str, str, str, str, str]

_PLACE = ["group", "variant", "benchmark", "params", "tool"]
#: Share of the shorter run from which two runs are taken for one: clocks and windows are coarse.
_OVERLAP = 0.5


def find_shards(runs: Runs) -> dict[Place, int]:
    """Find the series whose files declare one run and overlap in time.

    Parameters
    ----------
    runs : Runs

    Returns
    -------
    dict of (group, variant, benchmark, params, tool) to int
        The most files of one run; runs whose time is not known are passed over.
    """
    timed = runs[
        (runs["role"] == "measured").to_numpy()
        & runs["declared_run"].notna()
        & runs["started_at"].notna()
        & runs["duration"].gt(0)
    ]
    key = [*_PLACE, "declared_run"]
    alike = timed[timed.duplicated(key, keep=False)]
    found: dict[Place, int] = {}
    for (*place, _), same in alike.groupby(key, sort=False):
        if (files := _count_overlapping(same)) > 1:
            name: Place = tuple(place)  # type: ignore[assignment]
            found[name] = max(files, found.get(name, 0))
    return found


def _count_overlapping(runs: pd.DataFrame) -> int:
    """Count the files that overlap with another one; runs of one file follow each other."""
    path = [sources[0]["path"] if sources else "" for sources in runs["sources"].tolist()]
    files = runs.assign(path=path).drop_duplicates("path").sort_values("started_at")
    starts = [start.timestamp() for start in files["started_at"].tolist()]
    lengths = files["duration"].tolist()
    overlapping = {
        end
        for (i, start), (j, later) in pairwise(enumerate(starts))
        if start + lengths[i] - later >= _OVERLAP * min(lengths[i], lengths[j])
        for end in (i, j)
    }
    return len(overlapping)
