"""Whether the newest commit of a history was measured like the commits before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from benchkit.audit.names import list_losses
from benchkit.audit.sides import OTHER_ANSWERS, have_other_connections
from benchkit.comparison.events import OF_ANSWERS
from benchkit.derived.failures import collect_answers, describe_other_answers
from benchkit.gating.undecidable import OF_CONNECTIONS, OTHER_CONNECTIONS, read_connections
from benchkit.history.model import History, Series
from benchkit.history.naming import name_commits, name_series, shorten
from benchkit.history.trials import Trials, read_trials
from benchkit.schema import Side, Workload, list_labels

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs


def find_unlike(history: History, observations: Observations, runs: Runs) -> dict[int, str]:
    """Say why the newest commit is not comparable with most of its level, by series.

    Connections of a closed loop (B216) and responses (B321) are compared as in the gate.

    Returns
    -------
    dict of int to str
        The reasons, by the positions of the series in the history.
    """
    newest = history.latest.commit if history.latest else ""
    sides = _list_sides(read_trials(runs).of_role("measured"))
    known, answers = read_connections(runs), collect_answers(observations)

    def compare_connections(series: Series, _: Mapping[str, str], one: str, other: str) -> str:
        if series.metric not in OF_CONNECTIONS:
            return ""
        pair = [sides.get((series.side, commit), series.side) for commit in (one, other)]
        return OTHER_CONNECTIONS if have_other_connections(known, *pair) else ""

    def compare_answers(series: Series, names: Mapping[str, str], one: str, other: str) -> str:
        if series.metric in OF_ANSWERS:
            return ""
        pair = {
            series.workload.side(names[commit]): answers[side]
            for commit in (one, other)
            if (side := sides.get((series.side, commit), series.side)) in answers
        }
        workload = series.workload
        why = describe_other_answers(pair, workload, names[one], names[other]) if pair else ""
        return f"{why} ({OTHER_ANSWERS})" if why else ""

    why_unlike = {}
    for place, series in enumerate(history.series):
        commits = [point.commit for point in series.measured][-1 - series.newest.commits :]
        if commits[-1] == newest:
            compares = compare_connections, compare_answers
            names = name_commits(series)
            reasons = (_find_most(series, names, commits, compare) for compare in compares)
            if why := next(filter(None, reasons), ""):
                why_unlike[place] = f"{name_series(series)}: {why}"
    return why_unlike


def _find_most(
    series: Series,
    names: Mapping[str, str],
    commits: Sequence[str],
    compare: Callable[[Series, Mapping[str, str], str, str], str],
) -> str:
    """Return how the last commit differs from the one before it and from most others."""
    *before, last = commits
    reasons = [compare(series, names, commit, last) for commit in before]
    differing = [*filter(None, reasons)]
    return differing[-1] if 2 * len(differing) > len(reasons) else ""


def _list_sides(trials: Trials) -> dict[tuple[Side, str], Side]:
    """Return the labels of the runs of each side and commit; the side does not name the commit."""
    commits = [trials.names[number] for number in trials.commits.tolist()]
    pairs = zip(list_labels(trials.leave_commits()), commits, list_labels(trials.rows), strict=True)
    return {(clean.side, commit): labels.side for clean, commit, labels in pairs}


def find_losses(history: History, runs: Runs) -> Iterator[str]:
    """Yield the runs that only the newest commit lacks, like B345 in a comparison."""
    newest = history.latest.commit if history.latest else ""
    pairs: dict[tuple[str, str], dict[Workload, None]] = {}
    for series in history.series:
        commits = [point.commit for point in series.measured]
        if len(commits) > 1 and commits[-1] == newest:
            pairs.setdefault((series.variant, commits[-2]), {})[series.workload] = None
    if not pairs:
        return
    runs = runs.reset_index(drop=True)  # several origins repeat them
    tried = read_trials(runs)
    clean = tried.leave_commits()
    measured = runs.loc[clean.index].assign(
        group=clean["group"],
        own=clean["variant"],
        variant=[tried.names[number] for number in tried.commits.tolist()],
    )
    for (variant, before), workloads in pairs.items():
        pair = [shorten(commit, tried.names) for commit in (before, newest)]
        names = dict(zip((before, newest), pair, strict=True))
        rows = measured[(measured["own"] == variant) & measured["variant"].isin(list(names))]
        rows = rows.assign(variant=rows["variant"].map(names))
        yield from list_losses({(pair[0], pair[1]): workloads}, rows).values()
