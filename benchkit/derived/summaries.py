"""What the raw samples of a run come to: its percentiles, extremes, mean and spread.

Computed once, at ingest, so that no comparison or report ever reads the samples again.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.derived.stretches import Stretches
from benchkit.parsers.base import Row, Samples
from benchkit.stats.quantiles import SKETCH_ERROR, Digest

#: stat -> level; one is given only where at least one sample lies beyond it.
PERCENTILES = {
    "p50": 0.5,
    "p75": 0.75,
    "p90": 0.9,
    "p95": 0.95,
    "p99": 0.99,
    "p99.9": 0.999,
}


_Key = tuple[str | None, str, str]


class Summary:
    """The samples of one run, as they come in.

    Parameters
    ----------
    rule : str
        The tool's quantile rule, as in `benchkit.stats.quantiles.quantile`.
    """

    def __init__(self, rule: str) -> None:
        self._rule = rule
        self._digests: dict[_Key, tuple[Digest, int, float | None]] = {}
        self._stretches: dict[_Key, Stretches] = {}

    def add(self, samples: Samples) -> None:
        """Take a block; counters are no samples and are passed over."""
        if samples.stat != "sample" or not len(samples.values):
            return
        key = (samples.subject, samples.metric, samples.unit)
        first = (Digest(self._rule), int(samples.lines[0]), samples.resolution)
        self._digests.setdefault(key, first)[0].add(samples.values)
        if samples.times is not None and samples.subject is None and samples.unit == "s":
            self._stretches.setdefault(key, Stretches()).add(samples.times, samples.values)

    def rows(self) -> Iterator[Row]:
        """Yield the statistics; ``line`` is that of the first sample, ``n`` their number.

        Their resolution is that of the samples; a quantile from a sketch has the sketch's error.
        The whole requests of a run also come in stretches of time.
        """
        for (subject, metric, unit), (digest, line, step) in self._digests.items():
            for stat, value, error in summarise(digest):
                levels = step if error is None else max(error, step or 0.0)
                yield (
                    subject, metric, stat, value, unit, digest.count, None, levels, "computed", line
                )  # fmt: skip
        for key, stretches in self._stretches.items():
            _, line, step = self._digests[key]
            yield from stretches.rows(key[1], key[2], step, line)


def summarise(digest: Digest) -> Iterator[tuple[str, float, float | None]]:
    """Yield what samples come to: (stat, value, error of a sketch or None)."""
    yield "mean", digest.mean, None
    if digest.count > 1:
        yield "stdev", digest.stdev, None
    yield "min", digest.minimum, None
    yield "max", digest.maximum, None
    levels = {stat: q for stat, q in PERCENTILES.items() if digest.count * (1 - q) >= 1}
    for stat, value in zip(levels, digest.quantiles(list(levels.values())).tolist(), strict=True):
        yield stat, value, None if digest.is_exact else 2 * SKETCH_ERROR * value
