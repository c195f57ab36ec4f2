"""The sides of a comparison, and its metrics.

A missing side is reported in the user's words before anything is computed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from benchkit import selection
from benchkit.comparison.series import find_baseline
from benchkit.errors import ConfigError, SelectionError, SourceReport
from benchkit.labels.stems import SEPARATORS
from benchkit.labels.tree import name_without_run
from benchkit.parsers import registry

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.comparison import Comparisons
    from benchkit.schema import Observations, Runs

#: Number of variants whose files show how neighbouring files are named.
_SIDES = 2
#: Words in names of files next to results that are not results.
_NOTES = frozenset(
    (
        *("note", "notes", "todo", "comment", "command", "commands", "error", "errors", "stderr"),
        *("config", "settings", "env", "environment", "requirements", "version", "versions"),
        *("machine", "hardware", "cpuinfo", "lscpu", "uname", "host", "hosts", "system"),
        *("target", "targets", "url", "urls", "query", "queries", "params", "args", "plan"),
    )
)


def pair_up(
    variants: Sequence[str],
    baseline: str | None,
    variant: str | Sequence[str] | None,
    *,
    first: str | None = None,
    runs: Runs | None = None,
) -> tuple[tuple[str, str], ...]:
    """Return (baseline, variant) pairs; an unnamed baseline is that of a series, or inferred.

    Parameters
    ----------
    variants : sequence of str
        Those with measured runs.
    baseline : str or None
    variant : str, sequence of str or None
        All others by default.
    first : str or None
        That of the first named file: the baseline if no name suggests one.
    runs : Runs, optional
        Those of the variants: they may record a baseline, or leave fewer variants to choose from.

    Raises
    ------
    SelectionError, BaselineError
        If a name does not exist, or no baseline can be inferred.

    Examples
    --------
    >>> pair_up(["otlp", "none", "apm"], None, None)
    (('none', 'otlp'), ('none', 'apm'))
    """
    among = variants
    if runs is not None and baseline is None:
        among = list_comparable(variants, runs) or variants
        baseline = find_baseline(runs, among)
    base = selection.choose_baseline(among, baseline, first=first)
    if variant is None:
        others = [name for name in variants if name != base]
    else:
        others = list(list_names(variant))
        if not others:
            raise SelectionError("no variant given", hint="omit variant to compare all others")
    return tuple((base, other) for other in others)


def list_comparable(variants: Sequence[str], runs: Runs) -> list[str]:
    """Return the variants that share a tool with another variant.

    A summary that another tool made of neighbouring runs cannot be their baseline.
    """
    measured = runs[runs["role"] == "measured"]
    tools = dict[str, set[str]]()
    for variant, tool in dict.fromkeys(zip(measured["variant"], measured["tool"], strict=True)):
        tools.setdefault(variant, set()).add(tool)
    shared = Counter(tool for variant in variants for tool in tools.get(variant, ()))
    return [name for name in variants if any(shared[tool] > 1 for tool in tools.get(name, ()))]


def list_names(names: object) -> tuple[str, ...]:
    """Return the requested names without duplicates; a text is one name.

    Raises
    ------
    ConfigError
        If one of them is not a text.

    Examples
    --------
    >>> list_names("latency"), list_names(["otlp", "apm", "otlp"])
    (('latency',), ('otlp', 'apm'))
    """
    chosen = (names,) if isinstance(names, str) or not isinstance(names, Iterable) else tuple(names)
    if wrong := [name for name in chosen if not isinstance(name, str)]:
        raise ConfigError(
            f"expected a name, got {wrong[0]!r}", hint="pass one string or a list of strings"
        )
    return tuple(dict.fromkeys(chosen))


def list_pairs(pairs: Iterable[object]) -> tuple[tuple[str, str], ...]:
    """Return the requested pairs without duplicates.

    Raises
    ------
    ConfigError
        If one is not a pair of names.

    Examples
    --------
    >>> list_pairs([("none", "otlp"), ("none", "otlp")])
    (('none', 'otlp'),)
    """
    listed: dict[tuple[str, str], None] = {}
    for pair in pairs:
        match pair:
            case (str() as baseline, str() as variant):
                listed[baseline, variant] = None
            case _:
                hint = "pass [(baseline, variant), …]"
                raise ConfigError(f"expected a pair, got {pair!r}", where="pairs", hint=hint)
    return tuple(listed)


def list_unmeasured(
    variants: Sequence[str], runs: Runs, reports: Sequence[SourceReport]
) -> list[str]:
    """Name the variants that were read but have no readable measured run.

    Parameters
    ----------
    variants : sequence of str
        Those with measured runs.
    runs : Runs
        Of every role.
    reports : sequence of SourceReport
        The outcome of each source.
    """
    tried = runs[runs["role"].isin(["failed", "warmup", "damaged", "empty"])]["variant"].tolist()
    lost = [report.variant for report in reports if report.variant]
    return sorted({*tried, *lost, *_list_refused_variants(runs, reports)} - {*variants})


def _list_refused_variants(runs: Runs, reports: Sequence[SourceReport]) -> list[str]:
    """Name the variants that refused files would be, as neighbours of other variants' files.

    Notes are neighbours of results, too: the name of such a file is not a variant.
    """
    named = [PurePath(report.label) for report in reports if report.outcome == "refused"]
    if not named:
        return []
    stems: dict[tuple[PurePath, str], set[str]] = defaultdict(set)
    measured = runs[runs["role"] == "measured"]
    pairs = zip(measured["variant"], measured["sources"], strict=True)
    places = {(variant, source["path"]) for variant, sources in pairs for source in sources}
    for variant, path in places:
        if name_without_run(path) == variant:
            stems[PurePath(path).parent, PurePath(path).suffix].add(variant)
    names = {
        name_without_run(path.name)
        for path in named
        if len(stems[path.parent, path.suffix]) >= _SIDES
    }
    return [name for name in names if name and _NOTES.isdisjoint(SEPARATORS.split(name.lower()))]


def require_metrics(
    observations: Observations, primaries: Sequence[tuple[str, str]]
) -> tuple[tuple[str, str], ...]:
    """Return primaries, completed by the statistic of metrics that have only one.

    Raises
    ------
    SelectionError
        If a metric was not measured, or its statistic has to be named; the message suggests names.
    """
    known = observations[["metric", "stat", "tool"]].drop_duplicates()
    return tuple(_complete(metric, stat, known) for metric, stat in primaries)


def _complete(metric: str, stat: str, known: pd.DataFrame) -> tuple[str, str]:
    """Return a primary with its statistic, unless each tool has a default one."""
    pairs = zip(known["metric"].tolist(), known["stat"].tolist(), strict=True)
    selection.require_metric(metric, stat, pairs)
    of_metric = known[known["metric"] == metric]
    stats = of_metric["stat"].drop_duplicates().tolist()
    if stat:
        selection.require(stat, stats, f"statistic of {metric}")
    elif not any(
        each == registry.tool(tool).choose_stat(metric)
        for each, tool in zip(of_metric["stat"], of_metric["tool"], strict=True)
    ):
        if len(stats) > 1:
            hint = f"name one: {', '.join(f'{metric}.{each}' for each in stats)}"
            raise SelectionError(f"no default statistic for {metric}", hint=hint)
        return metric, stats[0]
    return metric, stat


def name_unmeasured(comparisons: Comparisons, lost: Sequence[str]) -> Comparisons:
    """Name the variants that lack a metric, and those that lack all of them."""
    leads = dict.fromkeys((c.metric, c.stat) for c in comparisons.contrasts if c.primary)
    lacking = {**comparisons.lacking, **dict.fromkeys(lost, tuple(leads))}
    return replace(comparisons, lacking=lacking)


def require_pairs(pairs: Iterable[tuple[str, str]], variants: Sequence[str]) -> None:
    """Refuse an unknown variant, or a comparison of a variant with itself.

    Raises
    ------
    SelectionError, ConfigError
    """
    for pair in pairs:
        for name in pair:
            selection.require(name, variants, "variant")
        if len(set(pair)) == 1:
            raise ConfigError(
                f"cannot compare {pair[0]!r} with itself", where="pair", hint="name two variants"
            )
