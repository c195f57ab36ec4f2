"""Runs that an ingest reads again under another group or commit than in the store.

Groups depend on the paths that are read together, on options and on sidecars, and are never
compared with each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from benchkit.errors import Diagnostic
from benchkit.ingestion.parts import Part
from benchkit.ingestion.sources import Identity
from benchkit.listing import list_names

#: Maximum number of listed groups of one source.
_NAMED = 3
_HINT = (
    "paths that are given together are labelled together; to keep the former labels, run "
    "`benchkit undo` and ingest with the paths and options of before"
)

_MEASURE = "if it is left from an earlier measurement, measure again or delete it"
#: Facts that belong to a commit.
_OF_COMMIT = ("commit", "date", "branch")
#: The fact that names the commit of an ingest in which an unchanged run kept its earlier commit.
INGESTED_FOR = "ingested_for"

#: A source with its earlier content.
_Source = tuple[Identity, str]


def describe_relabelled(new: Sequence[Part], superseded: Sequence[Part]) -> Iterator[Diagnostic]:
    """Report unchanged sources whose groups differ from those in the store.

    Parameters
    ----------
    new : sequence of Part
        The parts that were read.
    superseded : sequence of Part
        The stored parts that they replace.
    """
    names = {(part.identity, part.sha256): part.label for part in new}
    before, now = _list_groups(superseded), _list_groups(new)
    changes: dict[tuple[str, str], list[str]] = defaultdict(list)
    for source in now:
        if source in before and before[source] != now[source]:
            changes[before[source], now[source]].append(names[source])
    for (old, group), (first, *others) in changes.items():
        more = f", and that of {len(others)} more" if others else ""
        what = f"its group changes from {old} to {group}{more}"
        yield Diagnostic(first, 0, what, _HINT, "warning")


def keep_commits(new: Sequence[Part], superseded: Sequence[Part]) -> Iterator[Diagnostic]:
    """Report unchanged results whose commit differs, and the commit for which they count.

    If there are other new results, or there were at the first ingest of the commit, unchanged ones
    are most likely left from an earlier measurement, so they keep their commit, in place. Otherwise
    the commit is corrected.

    Parameters
    ----------
    new, superseded : sequence of Part
        As in `describe_relabelled`.
    """
    before = {(part.identity, part.sha256): part.env for part in superseded if part.sha256}
    contents = {part.sha256 for part in superseded}
    measured = {part.env.get("commit", "") for part in superseded if part.role == "measured"}
    has_news = any(part.role == "measured" and part.sha256 not in contents for part in new)
    unchanged: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for part in new:
        recorded = before.get((part.identity, part.sha256), {})
        old, commit = recorded.get("commit", ""), part.env.get("commit", "")
        if old.startswith(commit) or commit.startswith(old):
            continue
        unchanged[old, commit][part.label] = None
        if has_news or commit in measured:
            others = {name: text for name, text in part.env.items() if name not in _OF_COMMIT}
            part.env = others | {name: recorded[name] for name in _OF_COMMIT if name in recorded}
            part.env[INGESTED_FOR] = commit
    for (old, commit), (first, *more) in unchanged.items():
        also = f" (and so are {len(more)} more)" if more else ""
        what = f"unchanged since it was ingested for commit {old}{also}"
        what += (
            f", so it does not count for {commit}"
            if has_news or commit in measured
            else f"; now it is of {commit}"
        )
        yield Diagnostic(first, 0, what, _MEASURE, "warning")


def _list_groups(parts: Iterable[Part]) -> dict[_Source, str]:
    """Return the groups of the runs of each source, as text."""
    groups: dict[_Source, set[str]] = defaultdict(set)
    for part in parts:
        if part.sha256:
            groups[part.identity, part.sha256].add(part.group)
    return {source: _write(values) for source, values in groups.items()}


def _write(groups: set[str]) -> str:
    return list_names((repr(group) if group else "none" for group in sorted(groups)), _NAMED)
