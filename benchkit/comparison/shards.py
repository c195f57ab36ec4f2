"""Series in which several generators of one load are counted as runs of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from benchkit.labels.plain_stems import NAME_WORDS
from benchkit.regexes import regex
from benchkit.schema import Side

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Runs

#: Share of the shorter run from which two runs are taken for one: clocks and windows are coarse.
_OVERLAP = 0.5
#: Seconds within which starts are recorded: shorter runs may only seem to overlap.
_COARSE = 1.0
#: No word for runs stands before a number: `run_1_of_4` is a run.
_NO_RUN = "".join(f"(?<!{word}[-_ ])" for word in NAME_WORDS)
#: What a path calls one of several generators.
_GENERATOR = regex(
    r"(?<![a-z])(?:shard|worker|instance|pod|generator|injector)[-_. ]?\d{1,4}(?!\d)"
    rf"(?:[-_ ]?of[-_ ]?\d{{1,4}})?|(?<![\da-z]){_NO_RUN}\d{{1,4}}[-_ ]of[-_ ]\d{{1,4}}(?!\d)",
    re.IGNORECASE,
)


def find_shards(runs: Runs) -> dict[Side, int]:
    """Find the series whose files are of several generators of one run.

    They declare one run, and shards of it or times that overlap; or their names number shards,
    workers, instances, pods or generators and their times do not show that they followed each
    other.

    Returns
    -------
    dict of Side to int
        The most files of one run.
    """
    paths = [sources[0]["path"] if sources else "" for sources in runs["sources"].tolist()]
    shards = [(env or {}).get("shard", "") for env in runs["env"].tolist()]
    load = {path: _GENERATOR.sub("#", path.rpartition("/")[2]) for path in set(paths)}
    is_numbered = [
        "#" in load[path] or bool(shard) for path, shard in zip(paths, shards, strict=True)
    ]
    is_timed = runs["started_at"].notna() & runs["duration"].gt(0)
    chosen = runs["role"].eq("measured") & (is_timed | np.array(is_numbered, dtype=bool))
    places = np.flatnonzero(chosen).tolist()
    if not places:
        return {}
    files = runs.iloc[places].assign(
        path=[paths[i] for i in places],
        folder=[paths[i].rpartition("/")[0] for i in places],
        load=[load[paths[i]] for i in places],
        shard=[shards[i] for i in places],
    )
    is_timed = is_timed.iloc[places]
    is_named = files["load"].str.contains("#", regex=False)
    found: dict[Side, int] = {}
    declared = files[files["shard"].ne("")]
    for values, same in declared.groupby([*Side._fields, "declared_run"], sort=False, dropna=False):
        if (count := same["shard"].nunique()) > 1:
            found[_read_side(values)] = count
    for chosen, name in (
        (is_timed & files["declared_run"].notna(), ["declared_run"]),
        (is_named, ["folder", "load"]),
    ):
        key = [*Side._fields, *name]
        alike = files[chosen & files.duplicated(key, keep=False)]
        for values, same in alike.groupby(key, sort=False):
            count = same["path"].nunique()
            if is_timed[same.index].all():
                count = _count_overlapping(same)
            if count > 1:
                side = _read_side(values)
                found[side] = max(count, found.get(side, 0))
    return found


def count_concurrent(runs: Runs) -> dict[Side, int]:
    """Count the files of each side that were measured at the same time as another one of it."""
    is_timed = runs["started_at"].notna() & runs["duration"].gt(_COARSE)
    is_repeated = runs["role"].eq("measured") & runs.duplicated([*Side._fields], keep=False)
    places = np.flatnonzero(is_timed & is_repeated).tolist()
    if not places:
        return {}
    sources = runs["sources"].iloc[places].tolist()
    files = runs.iloc[places].assign(path=[each[0]["path"] if each else "" for each in sources])
    counts = {
        _read_side(values): _count_overlapping(same)
        for values, same in files.groupby([*Side._fields], sort=False)
    }
    return {side: count for side, count in counts.items() if count}


def _read_side(values: Sequence[object]) -> Side:
    """Return the labels with which the values of a group begin."""
    return Side(*map(str, values[: len(Side._fields)]))


def _count_overlapping(runs: pd.DataFrame) -> int:
    """Count the files that overlap with another one; runs of one file follow each other."""
    files = runs.drop_duplicates("path").sort_values("started_at")
    starts = [start.timestamp() for start in files["started_at"].tolist()]
    lengths = files["duration"].tolist()
    overlapping = {
        end
        for (i, start), (j, later) in pairwise(enumerate(starts))
        if start + lengths[i] - later >= _OVERLAP * min(lengths[i], lengths[j])
        for end in (i, j)
    }
    return len(overlapping)
