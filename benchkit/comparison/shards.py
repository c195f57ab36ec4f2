"""Series in which several generators of one load are counted as runs of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from benchkit.codes import number_maps
from benchkit.derived.record import keep, keep_measured, list_known
from benchkit.labels.plain_stems import NAME_WORDS
from benchkit.regexes import regex
from benchkit.schema import Side, list_labels

if TYPE_CHECKING:
    from benchkit.schema import Runs

T = TypeVar("T")

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


class _File(NamedTuple):
    """The file of a measured run; its start is None where its time is not known."""

    side: Side
    run: int | None
    path: str
    load: str
    shard: str
    start: float | None
    length: float


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
    files = [*_list_files(runs, 0)]
    most_files: dict[Side, int] = {}
    sharded = [file for file in files if file.shard]
    for (side, _), same in _group(sharded, lambda file: (file.side, file.run)).items():
        if (count := len({file.shard for file in same})) > 1:
            most_files[side] = count
    declared = [file for file in files if file.start is not None and file.run is not None]
    named = [file for file in files if "#" in file.load]
    for groups in (
        _group(declared, lambda file: (file.side, file.run)),
        _group(named, lambda file: (file.side, (file.path.rpartition("/")[0], file.load))),
    ):
        for (side, _), same in groups.items():
            is_timed = all(file.start is not None for file in same)
            count = _count_overlapping(same) if is_timed else len({file.path for file in same})
            if count > 1:
                most_files[side] = max(count, most_files.get(side, 0))
    return most_files


def count_concurrent(runs: Runs) -> dict[Side, int]:
    """Count the files of each side that were measured at the same time as another one of it."""
    timed = [file for file in _list_files(runs, _COARSE) if file.start is not None]
    groups = _group(timed, lambda file: (file.side, None)).items()
    counts = {side: _count_overlapping(same) for (side, _), same in groups}
    return {side: count for side, count in counts.items() if count}


def _list_files(runs: Runs, shortest: float) -> Iterator[_File]:
    """Yield the files of measured runs whose start, shard or generator is known.

    The time of runs that are not longer is not known.
    """
    measured = keep_measured(runs)
    paths = list_paths(measured)
    names = {path: path.rpartition("/")[2] for path in dict.fromkeys(paths)}
    loads = {path: _GENERATOR.sub("#", name) for path, name in names.items()}
    numbers, envs = number_maps(measured["env"])
    is_shard = np.array(["shard" in env for env in envs], dtype=bool)[numbers]
    is_generator = np.array(["#" in loads[path] for path in paths], dtype=bool)
    measured = keep(measured, measured["started_at"].notna() | is_shard | is_generator)
    starts, declared = (list_known(measured[name]) for name in ("started_at", "declared_run"))
    rest = (measured[name].tolist() for name in ("duration", "env"))
    for labels, path, start, number, length, env in zip(
        list_labels(measured), list_paths(measured), starts, declared, *rest, strict=True
    ):
        began = start.timestamp() if start is not None and length > shortest else None
        shard = (env or {}).get("shard", "")
        yield _File(labels.side, number, path, loads[path], shard, began, length)


def list_paths(runs: Runs) -> list[str]:
    """Return the path of each run's first source, empty where there is none."""
    return [sources[0]["path"] if sources else "" for sources in runs["sources"].tolist()]


def _group(files: Iterable[_File], key_of: Callable[[_File], T]) -> dict[T, list[_File]]:
    groups: dict[T, list[_File]] = {}
    for file in files:
        groups.setdefault(key_of(file), []).append(file)
    return groups


def _count_overlapping(files: Iterable[_File]) -> int:
    """Count the files that overlap with another one; runs of one file follow each other."""
    first = {file.path: file for file in reversed([*files])}
    spans = sorted((file.start or 0.0, file.length) for file in first.values())
    overlapping = {
        end
        for (i, (start, length)), (j, (later, other)) in pairwise(enumerate(spans))
        if start + length - later >= _OVERLAP * min(length, other)
        for end in (i, j)
    }
    return len(overlapping)
