"""Rules about names: benchmarks and levels that only one side of a comparison has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from benchkit.comparison import Comparisons
from benchkit.errors import BenchkitError, Finding
from benchkit.labels.matching import suggest_new_name, suggest_rename
from benchkit.labels.stems import SEPARATORS
from benchkit.listing import list_first, list_names
from benchkit.regexes import regex

if TYPE_CHECKING:
    from benchkit.schema import Runs

_SHOWN = 5
#: A name and a number that may count its runs. One of two digits would lack nine runs before it.
_NUMBERED = regex(r"(?P<name>.*[A-Za-z])[-_ ](?P<number>\d)")
#: What has versions of one digit, so that `jdk-8` beside `jdk` is no run of it.
_VERSIONED = frozenset(
    {"jdk", "java", "openjdk", "jre", "python", "pypy", "node", "nodejs", "php", "ruby", "dotnet"}
    | {"scala", "swift", "gcc", "clang", "http", "tls", "postgres", "postgresql", "pg", "mysql"}
    | {"redis", "valkey", "mongo", "mongodb", "kafka", "elasticsearch", "spring", "rails"}
)


def find_unmatched_names(comparisons: Comparisons, _runs: Runs) -> Iterator[Finding]:
    """B201: a benchmark is in one side only."""
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
    """B202: a common benchmark was run at levels that the other side does not have."""
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


def find_numbered_names(comparisons: Comparisons, _runs: Runs) -> Iterator[Finding]:
    """B214: the name of a variant is that of another one and a number that is no version."""
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
    """B205: the results are a sweep, and its levels are all that is shown."""
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
    """Return the first rule that is suggested for the unmatched names of a pair of a variant."""
    own = (pair for pair in comparisons.pairs if variant in pair)
    sides = ([comparisons.only_in.get(name, ()) for name in pair] for pair in own)
    return next(filter(None, (suggest(*names) for names in sides)), "")


def _suggest_run(comparisons: Comparisons, variant: str, names: Sequence[str]) -> str:
    """Say how benchmarks that one side alone has could be compared, or be left out on purpose."""
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
