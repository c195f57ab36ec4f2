"""One run from the files of several generators: counts are summed, percentiles use all samples.

Percentiles of several summaries do not yield a percentile of the whole. Without samples they are
left out, and a finding names them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from benchkit import metrics
from benchkit.audit.facts import name_side
from benchkit.derived.record import rank_form
from benchkit.derived.stretches import PREFIX, summarise
from benchkit.errors import Finding
from benchkit.ingestion.batches import row_batch
from benchkit.ingestion.parts import Part
from benchkit.labels.shards import SHARD, SHARDS
from benchkit.parsers import registry
from benchkit.schema import Labels, Side
from benchkit.stats.quantiles import Digest

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from benchkit.parsers.base import Row

#: Yields batches of raw samples of pieces, which are given as pairs of batch and piece.
ReadSamples = Callable[[Sequence[tuple[int, int]]], Iterable["pa.RecordBatch"]]


class _About(NamedTuple):
    """The subject, metric, statistic and unit of a value."""

    subject: str | None
    metric: str
    stat: str
    unit: str


class _Value(NamedTuple):
    """A value of one generator, or of the whole run."""

    value: float
    n: int | None
    resolution: float | None
    origin: str


class Sharded:
    """A run of several generators.

    Parameters
    ----------
    parts : sequence of Part
        The parts of one run, with its number; there may be several forms per generator.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts
        self.of_piece = {(part.batch, part.piece): part.env[SHARD] for part in parts}
        self.count = len({*self.of_piece.values()})
        self.left_out: list[_About] = []

    @property
    def labels(self) -> Labels:
        """The labels that its parts share."""
        return self.parts[0].labels

    def combine(self, shards: Sequence[dict[_About, _Value]], digests: _Digests) -> list[Row]:
        """Return the values of the whole run, from each generator's values and from all samples."""
        line, rows = self.parts[0].line, list[Any]()
        for (subject, metric, unit), (digest, step) in digests.items():
            for stat, value, error in summarise(digest):
                known = max(filter(None, (step, error)), default=None)
                exact = _Value(value, digest.count, known, "computed")
                rows.append(_write(_About(subject, metric, stat, unit), exact, line))
        requests = [shard.get(_REQUESTS) for shard in shards]
        for about in dict.fromkeys(chain.from_iterable(shards)):
            if (about.subject, about.metric, about.unit) in digests:
                continue
            whole = _combine(about, [shard.get(about) for shard in shards], requests)
            if whole is None:
                self.left_out.append(about)
            else:
                rows.append(_write(about, whole, line))
        return rows


def _write(about: _About, known: _Value, line: int) -> Row:
    subject, metric, stat, unit = about
    value, n, resolution, origin = known
    return subject, metric, stat, value, unit, n, None, resolution, origin, line


#: The samples of all generators, and their coarsest step, by subject, metric and unit.
_Digests = dict[tuple[str | None, str, str], tuple[Digest, float | None]]


def find_sharded(parts: Iterable[Part], *, fewest: int = 2) -> list[Sharded]:
    """Return the runs of several generators, to which `settle` assigned one number."""
    runs: dict[tuple[Labels, str], list[Part]] = defaultdict(list)
    for part in parts:
        if SHARD in part.env and part.role == "measured":
            runs[part.labels, part.origin].append(part)
    found = [Sharded(same) for same in runs.values()]
    return [run for run in found if run.count >= fewest]


def set_aside_incomplete(parts: Sequence[Part]) -> None:
    """Set the role ``part``, in place, for runs of a side that lack a generator."""
    sides: dict[tuple[Side, str], list[Sharded]] = defaultdict(list)
    for run in find_sharded(parts, fewest=1):
        sides[run.labels.side, run.parts[0].origin].append(run)
    for runs in sides.values():
        most = max(run.count for run in runs)
        for part in (part for run in runs if run.count < most for part in run.parts):
            part.role, part.remark = "part", f"only some of the {most} generators have results"


def report_incomplete(parts: Iterable[Part]) -> Iterator[Finding]:
    """B213: runs that were set aside."""
    sides: dict[Side, set[int]] = defaultdict(set)
    for part in parts:
        if part.role == "part" and SHARD in part.env:
            sides[part.labels.side].add(part.number)
    for side, numbers in sides.items():
        yield Finding(
            code="B213",
            severity="warning",
            where=name_side(side),
            message=f"left out run{'s' if len(numbers) > 1 else ''} "
            f"{', '.join(map(str, sorted(numbers)))}, because results of some generators are "
            "missing",
            remedy="add the missing files, or exclude these runs",
            numbers={"runs": len(numbers)},
        )


def join_values(
    parts: Sequence[Part], values: pa.Table, read_samples: ReadSamples
) -> tuple[pa.Table, int, list[Finding]]:
    """Replace the values of each generator by those of their common run.

    Returns the table, the number of common values, which are its last rows, and findings.

    Parameters
    ----------
    parts : sequence of Part
        The settled parts.
    values : pyarrow.Table
        As `benchkit.store.values_schema`; raw samples remain unchanged.
    read_samples : callable
        Called once, if any run was made by several generators.
    """
    import pyarrow as pa

    runs = find_sharded(parts)
    if not runs:
        return values, 0, []
    owners = {piece: run for run in runs for piece in run.of_piece}
    digests = _digest(read_samples([*owners]), owners)
    kept, of_shards = _take(values, owners)
    joined = []
    for run in runs:
        first = run.parts[0]
        rows = run.combine([*of_shards[id(run)].values()], digests[id(run)])
        if rows:
            joined.append(row_batch(first.batch, [(first.piece, rows)]))
    whole = pa.Table.from_batches(joined).cast(kept.schema) if joined else kept.slice(0, 0)
    return pa.concat_tables([kept, whole]), len(whole), [*_report_left_out(runs)]


def leave_out_summaries(values: pa.Table, pieces: Container[tuple[int, int]]) -> pa.Table:
    """Remove the values of pieces, except raw samples."""
    import pyarrow as pa

    return values.filter(pa.array(~_is_summary(values, pieces)))


def _is_summary(values: pa.Table, pieces: Container[tuple[int, int]]) -> np.ndarray:
    """Mark the values of pieces, except raw samples."""
    import numpy as np

    named = zip(values["batch"].to_pylist(), values["piece"].to_pylist(), strict=True)
    is_owned = np.fromiter((piece in pieces for piece in named), bool, len(values))
    marked: np.ndarray = is_owned & ~values["raw"].to_numpy()
    return marked


def combine_facts(row: dict[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
    """Return the facts of a run of several generators, with their loads added up.

    Parameters
    ----------
    row : dict
        The facts of the first part.
    parts : sequence of Part
        Several forms of one generator complete each other.
    """
    shards: dict[str, list[Part]] = defaultdict(list)
    for part in parts:
        shards[part.env.get(SHARD, "")].append(part)
    if len(shards) == 1:
        return row

    def list_known(name: str) -> list[Any]:
        known = ((getattr(part, name) for part in same) for same in shards.values())
        return [next((value for value in own if value is not None), None) for own in known]

    for name in ("connections", "target_rate"):
        loads = list_known(name)
        row[name] = None if None in loads else sum(loads)
    starts, lengths = list_known("started_at"), list_known("duration")
    if None not in starts:
        row["started_at"] = min(starts)
    if None not in lengths:
        ends = [length if None in starts else (start - min(starts)).total_seconds() + length
                for start, length in zip(starts, lengths, strict=True)]  # fmt: skip
        row["duration"] = max(ends)
    env = {name: value for name, value in row["env"].items() if name != SHARD}
    row["env"] = env | {SHARDS: str(len(shards))}
    return row


def _digest(
    batches: Iterable[pa.RecordBatch], owners: dict[tuple[int, int], Sharded]
) -> dict[int, _Digests]:
    """Collect the samples of each run, for metrics that all of its generators sampled."""
    import pyarrow.compute as pc

    rules = {form.name: form.quantile_rule for form in registry.formats()}
    found: dict[int, _Digests] = defaultdict(dict)
    sampled: dict[tuple[int, str | None, str, str], dict[str, int]] = defaultdict(dict)
    for batch in batches:
        samples = batch.filter(pc.and_(batch["raw"], pc.equal(batch["stat"], "sample")))
        for key, block in _split(samples):
            batch_id, piece, subject, metric, unit = key
            run = owners.get((batch_id, piece))
            if run is None:
                continue
            about = subject, metric, unit
            shard = run.of_piece[batch_id, piece]
            if sampled[id(run), *about].setdefault(shard, piece) != piece:
                continue  # another form of the same generator, with the same samples
            rule = rules.get(run.parts[0].format, "linear")
            digest, step = found[id(run)].setdefault(about, (Digest(rule), None))
            digest.add(block["value"].to_numpy(zero_copy_only=False))
            coarse = pc.max(block["resolution"]).as_py()
            found[id(run)][about] = digest, max(filter(None, (step, coarse)), default=None)
    counts = {id(run): run.count for run in owners.values()}
    for (run_id, subject, metric, unit), shards in sampled.items():
        if len(shards) < counts[run_id]:
            del found[run_id][subject, metric, unit]
    return found


def _split(samples: pa.RecordBatch) -> Iterator[tuple[tuple[Any, ...], pa.RecordBatch]]:
    """Yield the stretches of a batch with equal piece, subject, metric and unit."""
    import numpy as np

    if not len(samples):
        return
    names = ("batch", "piece", "subject", "metric", "unit")
    columns = [samples[name] for name in names]
    changes = np.zeros(len(samples), dtype=bool)
    for column in columns:
        codes = column.dictionary_encode() if not hasattr(column, "indices") else column
        numbers = codes.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        changes[1:] |= numbers[1:] != numbers[:-1]
    begins = [0, *np.flatnonzero(changes).tolist(), len(samples)]
    for begin, end in pairwise(begins):
        key = tuple(column[begin].as_py() for column in columns)
        yield key, samples.slice(begin, end - begin)


def _take(
    values: pa.Table, owners: dict[tuple[int, int], Sharded]
) -> tuple[pa.Table, dict[int, dict[str, dict[_About, _Value]]]]:
    """Take the values of generators out of a table, using the most precise of several forms."""
    import pyarrow as pa

    is_owned = _is_summary(values, owners)
    of_shards: dict[int, dict[str, dict[_About, _Value]]] = defaultdict(lambda: defaultdict(dict))
    for row in values.filter(pa.array(is_owned)).to_pylist():
        piece = row["batch"], row["piece"]
        run = owners[piece]
        about = _About(row["subject"], row["metric"], row["stat"], row["unit"])
        new = _Value(row["value"], row["n"], row["resolution"], row["origin"])
        shard = of_shards[id(run)][run.of_piece[piece]]
        if about not in shard or _rank(new) < _rank(shard[about]):
            shard[about] = new
    return values.filter(pa.array(~is_owned)), of_shards


def _rank(value: _Value) -> tuple[float, bool]:
    return rank_form(value.resolution, value.origin)


#: The weight of a generator's mean if it has no number of events.
_REQUESTS = _About(None, "requests", "count", "1")


def _combine(
    about: _About, shares: Sequence[_Value | None], requests: Sequence[_Value | None]
) -> _Value | None:
    """Return the value of the whole run; None if the generators' values do not determine it."""
    known = [one for one in shares if one is not None]
    values, step = [one.value for one in known], max(one.resolution or 0.0 for one in known)
    adds_up = metrics.adds_up(about.metric, about.stat, about.unit)
    is_count = adds_up and about.subject is not None  # a reason missing from one generator is 0
    if metrics.is_of_one(about.metric) or (len(known) < len(shares) and not is_count):
        return None
    counts = [one.n for one in known]
    n = None if None in counts else sum(filter(None, counts))
    if adds_up:
        value, step = sum(values), step * len(known)
    elif about.stat == "min":
        value = min(values)
    elif about.stat == "max" or (about.metric, about.stat) == ("duration", "total"):
        value = max(values)
    elif about.stat == "mean":
        counted = zip(known, requests, strict=True)
        weights = [one.n or (count.value if count else 0) for one, count in counted]
        if not all(weights):
            return None
        value = sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights)
    else:
        return None
    return _Value(value, n, step or None, "computed")


def _report_left_out(runs: Sequence[Sharded]) -> Iterator[Finding]:
    sides: dict[Side, list[Sharded]] = defaultdict(list)
    for run in runs:
        if run.left_out:
            sides[run.labels.side].append(run)
    for side, same in sides.items():
        abouts = dict.fromkeys(
            metrics.display_name(about.metric, about.stat)
            for run in same
            for about in run.left_out
            if about.subject is None
            and metrics.lookup(about.metric, about.unit).compared
            and not about.stat.startswith((PREFIX, "stdev"))
        )
        if abouts:
            yield Finding(
                code="B212",
                severity="info",
                where=name_side(side),
                message=f"the files of the {same[0].count} generators do not give these values of "
                f"the whole run, so they are left out: {', '.join(abouts)}",
                remedy="keep the complete raw results of each generator; benchkit pools the "
                "samples",
                numbers={"generators": same[0].count, "statistics": len(abouts)},
            )
