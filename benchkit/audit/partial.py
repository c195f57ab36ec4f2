"""Benchmarks that some runs of a variant lack: what is left of them is a selected sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from benchkit.comparison import Comparisons
from benchkit.derived.record import keep_measured
from benchkit.errors import Finding
from benchkit.schema import Side, Workload, list_labels
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.schema import Runs

Pair = tuple[str, str]
#: Tools choose their number of executions within a file, so only so small a share is a loss.
_MOST_LEFT = 0.5


class _Count(NamedTuple):
    """In how many files the runs of a side are, and how many runs these are."""

    files: int
    runs: int


class _Loss(NamedTuple):
    """A benchmark, another one that the baseline measured as often, and how often each side did."""

    lost: Workload
    peer: Workload
    numbers: tuple[int, int, int]
    noun: str

    def describe(self, pair: Pair) -> str:
        baseline, variant = pair
        few, many, base = self.numbers
        lost, peer = _name(self.lost, self.peer), _name(self.peer, self.lost)
        return printable(
            f"'{variant}' has {lost} in {few} {self.noun}{'s' * (few != 1)} and {peer} in {many}, "
            f"but '{baseline}' has both in {base}"
        )


def find_partly_missing(comparisons: Comparisons, runs: Runs) -> Iterator[Finding]:
    """B345: the variant has fewer runs of a benchmark than of those measured as often before."""
    losses: dict[Pair, list[str]] = {}
    for (_, pair), text in list_partly_missing(comparisons, runs).items():
        losses.setdefault(pair, []).append(text)
    for pair, texts in losses.items():
        more = f" (and {len(texts) - 1} more like this)" if len(texts) > 1 else ""
        yield Finding(
            code="B345",
            severity="warning",
            where=", ".join(pair),
            message=f"{texts[0]}{more}: the missing runs may have failed or been filtered",
            remedy="find out why they are missing, and measure again",
            numbers={"benchmarks": len(texts)},
        )


def list_partly_missing(comparisons: Comparisons, runs: Runs) -> dict[tuple[Workload, Pair], str]:
    """Return the benchmarks that some runs of the variant lack, each with the counts in words.

    Fewer runs of every benchmark are a choice, and so are more runs of some. A loss is seen beside
    a benchmark that the baseline measured as often: in fewer files of the variant, or in so few of
    its runs that no tool chose them.
    """
    compared: dict[Pair, dict[Workload, None]] = {}
    has_fewer = False
    for c in comparisons.contrasts:
        compared.setdefault((c.baseline, c.variant), {})[c.workload] = None
        has_fewer = has_fewer or c.n_variant < c.n_baseline
    if not has_fewer:
        return {}
    counts = _count(runs)
    return {
        (loss.lost, pair): loss.describe(pair)
        for pair, workloads in compared.items()
        for loss in _find_losses([*workloads], pair, counts)
    }


def _count(runs: Runs) -> dict[Side, _Count]:
    measured = keep_measured(runs)
    files: dict[Side, list[frozenset[tuple[str, str]]]] = {}
    for labels, sources in zip(list_labels(measured), measured["sources"].tolist(), strict=True):
        source = frozenset((str(each["path"]), str(each["sha256"])) for each in sources)
        files.setdefault(labels.side, []).append(source)
    return {side: _Count(len(set(each)), len(each)) for side, each in files.items()}


def _find_losses(
    workloads: Sequence[Workload], pair: Pair, counts: dict[Side, _Count]
) -> Iterator[_Loss]:
    none = _Count(0, 0)
    sides = {
        each: tuple(counts.get(each.side(variant), none) for variant in pair) for each in workloads
    }
    peers: dict[tuple[str, str, int], Workload] = {}
    for workload, (base, new) in sides.items():
        for noun in _Count._fields:
            key = (workload.tool, noun, getattr(base, noun))
            best = peers.setdefault(key, workload)
            if getattr(sides[best][1], noun) < getattr(new, noun):
                peers[key] = workload
    for workload, (base, new) in sides.items():
        if new.runs >= base.runs:
            continue
        for noun, least in zip(_Count._fields, (1, _MOST_LEFT), strict=True):
            before, few = getattr(base, noun), getattr(new, noun)
            peer = peers[workload.tool, noun, before]
            many = getattr(sides[peer][1], noun)
            if few < many and few <= least * many:
                yield _Loss(workload, peer, (few, many, before), noun.removesuffix("s"))
                break


def _name(workload: Workload, other: Workload) -> str:
    """Name a benchmark by what tells it from another one."""
    if workload.benchmark != other.benchmark:
        return workload.benchmark
    if workload.params != other.params:
        return workload.params
    return " ".join(filter(None, (workload.group, workload.benchmark)))
