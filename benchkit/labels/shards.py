"""Files of several generators of one load test are one run, and share its number.

A sidecar or a layout numbers the generators. Without that nothing is joined: times that overlap
are a finding, not a proof.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchkit.labels.forms import Run

#: The entry of a run's environment that tells which generator wrote a file.
SHARD = "shard"
#: The entry that counts the generators whose files were joined.
SHARDS = "shards"


def join_shards(runs: Sequence[Run]) -> dict[int, list[Run]]:
    """Find the runs that several generators made together.

    Parameters
    ----------
    runs : sequence of Run
        All that are alike in their labels.

    Returns
    -------
    dict of int to list of Run
        By the place of the first one, the others: they were written by different generators, and
        began before any of them had ended.
    """
    declared: dict[int | None, list[Run]] = defaultdict(list)
    for run in runs:
        if SHARD in run.first.env and run.first.places is None:
            declared[run.first.run].append(run)
    return {same[0].place: same[1:] for same in declared.values() if _are_together(same)}


def _are_together(runs: Sequence[Run]) -> bool:
    names = {run.first.env[SHARD] for run in runs}
    if not len(names) == len(runs) > 1:
        return False
    windows = [
        (piece.started_at, piece.started_at + timedelta(seconds=piece.duration))
        for run in runs
        for piece in run.pieces
        if piece.started_at is not None and piece.duration
    ]
    return not windows or max(start for start, _ in windows) < min(end for _, end in windows)
