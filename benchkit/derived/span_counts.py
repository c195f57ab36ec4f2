"""Which counts of spans, among the files beside the load, belong to a run.

Several benchmarks may share a run's number, and a log of another benchmark must not be counted
here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from benchkit.derived.record import Measured
from benchkit.schema import Labels, Trial

if TYPE_CHECKING:
    from benchkit.schema import Observations

_SPANS = {"spans_created": "created", "spans_saved": "saved", "spans_dropped": "dropped"}


class Counts(NamedTuple):
    """Spans as they were counted; None where they were not."""

    created: float | None
    saved: float | None
    dropped: float | None
    source: str


#: The source of counts that a sidecar tells; they stand on the run itself.
RUN_FILE = "run.toml"

#: backend -> what was counted -> value
_Counts = dict[str, dict[str, float]]


def count_spans(
    observations: Observations, measured: Sequence[Measured]
) -> dict[Labels, dict[str, Counts]]:
    """Return the counts by `Measured.key` and backend.

    Notes
    -----
    The files are those of the same group, variant and number. A file whose name has the word of a
    benchmark (``server-k6-full-1.log``) is of that one; the others belong to the benchmark that no
    file name tells: the one without a name, or named by its URL. A backend whose counts are all
    zero is passed over, and so are stages of an account (``otlp/sent``).
    """
    files = _read(observations)
    shared: dict[Trial, list[Measured]] = {}
    for run in measured:
        if run.trial in files:
            shared.setdefault(run.trial, []).append(run)
    counted = {}
    for trial, runs in shared.items():
        words = {run.benchmark for run in runs if _is_word(run.benchmark)}
        for run in runs:
            path = _choose(run, words, files[trial], is_alone=len(runs) == 1)
            if path is not None:
                counts = files[trial][path].items()
                counted[run.key] = {name: _counts(c, path) for name, c in counts if any(c.values())}
    return {key: counts for key, counts in counted.items() if counts}


def _choose(
    run: Measured, words: Collection[str], paths: Iterable[str], *, is_alone: bool
) -> str | None:
    named = {path: _words(path) for path in paths}
    if _is_word(run.benchmark):
        own = [path for path, parts in named.items() if run.benchmark in parts]
        if own or not is_alone:
            return min(own, key=len, default=None)
    rest = [path for path, parts in named.items() if is_alone or parts.isdisjoint(words)]
    return min(rest, key=len, default=None)


def _is_word(benchmark: str) -> bool:
    """Tell whether a benchmark's name came from a file's name, and not from a URL."""
    return bool(benchmark) and not benchmark.startswith("/")


def _words(path: str) -> set[str]:
    return set(re.split(r"[-_.]", path.rpartition("/")[2]))


def _counts(counts: Mapping[str, float], path: str) -> Counts:
    return Counts(counts.get("created"), counts.get("saved"), counts.get("dropped"), path)


def _read(observations: Observations) -> dict[Trial, dict[str, _Counts]]:
    rows = observations["metric"].isin(list(_SPANS)) & observations["stat"].eq("count")
    spans = observations[rows]
    names = ("group", "variant", "run", "source", "subject", "metric", "value", "origin")
    files: dict[Trial, dict[str, _Counts]] = {}
    for group, variant, run, source, subject, metric, value, origin in zip(
        *(spans[name].tolist() for name in names), strict=True
    ):
        backend = subject if isinstance(subject, str) else ""
        if "/" in backend or origin == "computed" or source.partition(":")[0] == RUN_FILE:
            continue
        path = source.rpartition(":")[0]
        counts = files.setdefault(Trial(group, variant, run), {}).setdefault(path, {})
        counts.setdefault(backend, {})[_SPANS[metric]] = value
    return files
