"""Rules about names: benchmarks and levels that only one side of a comparison has.

Benchmarks that some runs of a variant lack: the rest may be a selected sample.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from benchkit.comparison import Comparisons
from benchkit.comparison.series import read_stopping
from benchkit.derived.record import keep_measured, number_sides
from benchkit.errors import BenchkitError, Finding
from benchkit.labels.matching import suggest_new_name, suggest_rename
from benchkit.labels.stems import SEPARATORS
from benchkit.listing import list_first, list_names
from benchkit.regexes import regex
from benchkit.schema import Side, Workload, list_labels
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.schema import Runs

_SHOWN = 5
#: A name and a number that may count its runs. A two-digit one would leave nine runs missing.
_NUMBERED = regex(r"(?P<name>.*[A-Za-z])[-_ ](?P<number>\d)")
#: Software with one-digit versions: `jdk-8` is not run 8 of `jdk`.
_VERSIONED = frozenset(
    {"jdk", "java", "openjdk", "jre", "python", "pypy", "node", "nodejs", "php", "ruby", "dotnet"}
    | {"scala", "swift", "gcc", "clang", "http", "tls", "postgres", "postgresql", "pg", "mysql"}
    | {"redis", "valkey", "mongo", "mongodb", "kafka", "elasticsearch", "spring", "rails"}
)
Pair = tuple[str, str]
#: Tools choose their number of executions within a file, so only a small share is a loss.
_MOST_LEFT = 0.5
#: Maximum number of missing runs that are named.
_SHOWN_RUNS = 3


def find_unmatched_names(comparisons: Comparisons, _runs: Runs) -> Iterator[Finding]:
    """B201: a benchmark is on one side only."""
    for variant, names in comparisons.only_in.items():
        yield Finding(
            code="B201",
            severity="warning",
            where=variant,
            message=f"{len(names)} benchmarks are only on this side: {list_first(names, _SHOWN)}"
            if len(names) > 1
            else f"one benchmark is only on this side: {names[0]}",
            remedy=_suggest_rename(comparisons, variant)
            or _suggest_run(comparisons, variant, names),
            numbers={"benchmarks": len(names)},
        )


def find_other_params(comparisons: Comparisons, _runs: Runs) -> Iterator[Finding]:
    """B202: a common benchmark was run at levels that the other side lacks."""
    for variant, levels in comparisons.params_only_in.items():
        shown = "; ".join(f"{name} at {params or 'no params'}" for name, params in levels[:_SHOWN])
        yield Finding(
            code="B202",
            severity="warning",
            where=variant,
            message=f"only this side has these levels: {shown}",
            remedy="different levels are never pooled; run both sides at the same levels",
            numbers={"levels": len(levels)},
        )


def find_other_units(comparisons: Comparisons, _runs: Runs) -> Iterator[Finding]:
    """B219: a metric has a different unit on the other side."""
    metrics: dict[tuple[str, ...], int] = {}
    for row in comparisons.dropped:
        if row.units:
            about = row.baseline, row.variant, row.metric, *row.units
            metrics[about] = metrics.get(about, 0) + 1
    for (baseline, variant, metric, *units), rows in metrics.items():
        old, new = units
        yield Finding(
            code="B219",
            severity="warning",
            where=f"{baseline}, {variant}",
            message=printable(
                f"{metric} is not compared: it has {old} in '{baseline}' and {new} in '{variant}'"
            ),
            remedy="measure both sides in one unit, or give the metrics different names",
            numbers={"rows": rows},
        )


def find_numbered_names(comparisons: Comparisons, _runs: Runs) -> Iterator[Finding]:
    """B214: a variant's name is another one's name followed by a number that is not a version."""
    names = {name for pair in comparisons.pairs for name in pair}
    for name in sorted(names):
        match = _NUMBERED.fullmatch(name)
        if match and match["name"] in names and not _has_versions(match["name"]):
            yield Finding(
                code="B214",
                severity="warning",
                where=name,
                message=f"counted as a separate variant, but it may be run {match['number']} of "
                f"'{match['name']}'",
                remedy=f"if it is a run, give both files the same label: {match['name']}=FILE "
                f"{match['name']}=FILE",
                numbers={"run": int(match["number"])},
            )


def _has_versions(name: str) -> bool:
    return SEPARATORS.split(name.lower())[-1] in _VERSIONED


def explain_nothing(reason: BenchkitError | None) -> Iterator[Finding]:
    """B205: the results are a sweep, and only its levels are shown."""
    if reason is not None:
        yield Finding(
            code="B205",
            severity="info",
            message=f"the results are a sweep, so no variants were compared ({reason.what})",
            remedy="to compare, name both sides with --pair, or pairs= in Python",
        )


def _suggest_rename(comparisons: Comparisons, variant: str) -> str:
    if rename := _find_rule(comparisons, variant, suggest_rename):
        return f"if only the names differ, map them: --rename '{rename}', or rename= in Python"
    return ""


def _find_rule(
    comparisons: Comparisons, variant: str, suggest: Callable[[Sequence[str], Sequence[str]], str]
) -> str:
    """Return the first rule suggested for the unmatched names of a pair."""
    pairs = (pair for pair in comparisons.pairs if variant in pair)
    sides = ([comparisons.only_in.get(name, ()) for name in pair] for pair in pairs)
    return next(filter(None, (suggest(*names) for names in sides)), "")


def _suggest_run(comparisons: Comparisons, variant: str, names: Sequence[str]) -> str:
    """Say how to compare benchmarks of only one side, or how to accept that they are missing."""
    sides = (pair for pair in comparisons.pairs if variant in pair)
    others = dict.fromkeys(name for pair in sides for name in pair if name != variant)
    them = "them" if len(names) > 1 else "it"
    quoted = list_names(f"'{name}'" for name in others)
    remedy = f"not compared: measure {them} on {quoted} too"
    if rename := _find_rule(comparisons, variant, suggest_new_name):
        remedy += f"; if it was renamed, map the names: --rename '{rename}'"
    if any(variant == baseline for baseline, _ in comparisons.pairs):
        accept = f'[[gate.accept]] removed = "{names[0]}" in benchkit.toml'
        remedy += (
            f"; if {'they were' if len(names) > 1 else 'it was'} removed on purpose, add {accept}"
        )
    return remedy


class _Count(NamedTuple):
    """The number of files that contain a side's runs, and of these runs."""

    files: int
    runs: int


class _Loss(NamedTuple):
    """A benchmark, another one that the baseline measured as often, and the counts per side."""

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
    """B345: the variant has fewer runs of a benchmark than of others, or both sides lack some."""
    losses: dict[Pair, list[str]] = {}
    for (_, pair), text in list_partly_missing(comparisons, runs).items():
        losses.setdefault(pair, []).append(text)
    for pair, texts in losses.items():
        yield _report(
            pair, texts, "the missing runs may have failed or been filtered",
            "find out why they are missing, and measure again",
        )  # fmt: skip
    fewer: dict[Pair, dict[str, None]] = {}
    for c in comparisons.contrasts:
        pair = c.baseline, c.variant
        if pair not in losses and 1 < c.n_variant <= _MOST_LEFT * c.n_baseline:
            text = f"'{pair[1]}' has {c.n_variant} runs, but '{pair[0]}' has {c.n_baseline}"
            fewer.setdefault(pair, {})[text] = None
    unfair = "if runs of it failed or were filtered, the rest is no fair sample"
    for pair, different in fewer.items():
        finding = _report(pair, [*different], unfair, "measure both sides equally often")
        yield replace(finding, severity="info")
    for pair, gaps in _list_shared_gaps(comparisons, runs).items():
        why = "if they failed or were filtered, the rest is no fair sample"
        yield _report(pair, gaps, why, "find out why they are missing, and measure again")


def _report(pair: Pair, texts: Sequence[str], why: str, remedy: str) -> Finding:
    more = f" (and {len(texts) - 1} more like this)" if len(texts) > 1 else ""
    return Finding(
        code="B345",
        severity="warning",
        where=", ".join(pair),
        message=printable(f"{texts[0]}{more}: {why}"),
        remedy=remedy,
        numbers={"benchmarks": len(texts)},
    )


def list_partly_missing(comparisons: Comparisons, runs: Runs) -> dict[tuple[Workload, Pair], str]:
    """Return the benchmarks that some runs of the variant lack, like `list_losses`."""
    compared: dict[Pair, dict[Workload, None]] = {}
    for c in comparisons.contrasts:
        compared.setdefault((c.baseline, c.variant), {})[c.workload] = None
    has_fewer = any(c.n_variant < c.n_baseline for c in comparisons.contrasts)
    return list_losses(compared, runs) if has_fewer else {}


def list_losses(
    compared: Mapping[Pair, Collection[Workload]], runs: Runs
) -> dict[tuple[Workload, Pair], str]:
    """Return the benchmarks that some runs of the variant lack, each with the counts in words.

    Fewer runs of every benchmark are a choice, and so are more runs of some. A loss shows against a
    benchmark that the baseline measured equally often: it is in fewer files of the variant, or in
    so few of its runs that no tool chose that number. Missing numbers before the last one also show
    a loss.
    """
    counts, numbers = _count(runs), [_list_numbers(each) for each in (runs, keep_measured(runs))]
    gaps = {
        (each, pair): _describe_gap(pair, each, numbers, is_alone=len(workloads) == 1)
        for pair, workloads in compared.items()
        for each in workloads
    }
    return {key: gap for key, gap in gaps.items() if gap} | {
        (loss.lost, pair): loss.describe(pair)
        for pair, workloads in compared.items()
        for loss in _find_losses([*workloads], pair, counts)
    }


def _list_numbers(runs: Runs) -> dict[Side, set[int]]:
    """Return the run numbers of each side; for an early-stopping series, the rounds.

    A run that was interrupted there was repeated under another number.
    """
    places, sides = number_sides(runs)
    numbers: list[set[int]] = [set() for _ in sides]
    columns = places.tolist(), runs["run"].tolist(), runs["stopping"].tolist()
    for place, run, stated in zip(*columns, strict=True):
        numbers[place].add(read_stopping(stated)[1] or run if stated else run)
    return dict(zip(sides, numbers, strict=True))


def _list_shared_gaps(comparisons: Comparisons, runs: Runs) -> dict[Pair, list[str]]:
    """Name the runs that both sides of each pair lack."""
    numbers = _list_numbers(runs)
    gaps: dict[Pair, list[str]] = {}
    sides = {(c.workload, (c.baseline, c.variant)): None for c in comparisons.contrasts}
    for workload, pair in sides:
        if missing := _find_gap([numbers.get(side, set()) for side in map(workload.side, pair)]):
            listed = list_names(map(str, missing), _SHOWN_RUNS)
            text = f"'{pair[0]}' and '{pair[1]}' both lack run{'s' * (len(missing) > 1)} {listed}"
            if text not in gaps.setdefault(pair, []):
                gaps[pair].append(text)
    return gaps


def _find_gap(sides: Sequence[set[int]]) -> list[int]:
    """Return the runs before the last one that no side has, if they are less than a third.

    Numbers that are farther apart do not count runs.
    """
    known = set[int]().union(*sides)
    if not all(sides) or 2 * (max(known) - min(known) + 1) >= 3 * len(known):
        return []
    return sorted({*range(min(known), max(known))} - known)


def _describe_gap(
    pair: Pair, workload: Workload, numbers: Sequence[Mapping[Side, set[int]]], *, is_alone: bool
) -> str:
    """Name the baseline's runs that the variant lacks before its last one, if they share some.

    ``numbers`` are those of all runs and of the measured ones.
    """
    base, new = map(workload.side, pair)
    (known, present), measured = [numbers[0].get(s, set()) for s in (base, new)], numbers[1]
    if present.isdisjoint(known):
        return ""
    first = min(present if present - known else known)  # the variant may have started later
    missing = [n for n in measured.get(base, set()) - present if first <= n < max(present)]
    if not missing:
        return ""
    name = "" if is_alone else f" of {workload.benchmark}"
    shown = list_names(map(str, sorted(missing)), _SHOWN_RUNS)
    runs = f"run{'s' * (len(missing) > 1)} {shown}{name}"
    return f"'{pair[1]}' lacks {runs}, but '{pair[0]}' has {len(measured[base])} runs"


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
    """Shorten a benchmark's name to what distinguishes it from another one."""
    if workload.benchmark != other.benchmark:
        return workload.benchmark
    if workload.params != other.params:
        return workload.params
    return " ".join(filter(None, (workload.group, workload.benchmark)))
