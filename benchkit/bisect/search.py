"""The order in which commits are measured until the one that changed a metric is known.

The ends are compared first. Then each step alternately measures both ends and one commit between
them, and asks `benchkit.stats.find_commit` for the probability of each position of the change.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Literal, NamedTuple, Protocol

import numpy as np

from benchkit.metrics import display_name
from benchkit.stats import CommitSearch, choose_commit, find_commit, holm, paired_t
from benchkit.stats.student import t_tail

#: Rounds of the ends after which they are compared, and the level of each look.
_LOOKS, LEVEL = (8, 16, 32), 0.003
#: Rounds of the ends after which a forecast is made; even, because rounds alternate in direction.
_STEP = 4

Ending = Literal["found", "no change", "builds differ", "several", "undecided"]


class Row(NamedTuple):
    """The measured quantity, by the labels of `compare`."""

    group: str
    benchmark: str
    params: str
    subject: str
    metric: str
    stat: str


@dataclass(frozen=True, slots=True)
class Values:
    """The runs of one row: for each one its round, the position of its commit, and its value."""

    rounds: Sequence[int]
    commits: Sequence[int]
    values: Sequence[float]

    def of(self, commit: int) -> dict[int, float]:
        """Return the logarithms of one commit's values, by round."""
        columns = zip(self.rounds, self.commits, self.values, strict=True)
        return {turn: log(value) for turn, place, value in columns if place == commit}


class Bench(Protocol):
    """The measuring side: positions in the history are numbers from 0, the good end."""

    def measure(self, commits: Sequence[int], rounds: int) -> bool:
        """Measure commits alternately, or only build them; return False if one of them fails."""

    def rows(self) -> Mapping[Row, Values]:
        """Return all measurements so far, by row, with earlier ones; every value is positive."""

    def leave_out(self, commit: int, problem: str) -> None:
        """Say why a measured commit cannot be used."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The conditions for stopping.

    Parameters
    ----------
    probability : float
        Of the answer.
    rounds : int
        Of each step.
    builds : int
        The maximum number of commits to build, including the ends.
    """

    probability: float = 0.99
    rounds: int = 5
    builds: int = 30


@dataclass(frozen=True, slots=True)
class Ends:
    """The state of the comparison of both ends.

    Parameters
    ----------
    row : Row
        The row with the clearest difference.
    change : tuple of float
        As a ratio, with the ends of its 95 % interval.
    rounds, most : int
        The completed rounds, and their maximum.
    needed : int or None
        The round after which a significant difference is likely or reached; None if there is none.
    """

    row: Row
    change: tuple[float, float, float]
    rounds: int
    most: int
    needed: int | None


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a search.

    Parameters
    ----------
    row : Row
        The row that was searched.
    first, last : int
        The shortest range of commits that contains the change with the required probability.
    change : tuple of float
        The change as a ratio, with the ends of its 95 % interval.
    builds, runs : int
        The number of built commits and of runs.
    unusable : frozenset of int
        Commits that cannot be built or run.
    found : CommitSearch or None
        The last posterior; None if the ends were not shown to differ.
    """

    ending: Ending
    row: Row
    first: int
    last: int
    change: tuple[float, float, float]
    builds: int
    runs: int
    unusable: frozenset[int] = frozenset()
    found: CommitSearch | None = None


def search(
    bench: Bench,
    last: int,
    limits: Limits,
    announce: Callable[[Row, CommitSearch], object] = lambda _row, _found: None,
    left_out: Collection[int] = (),
    watch: Callable[[Ends], object] = lambda _ends: None,
) -> Answer:
    """Find the commit between 0 and ``last`` that changed a row, skipping those to leave out."""
    ends = _compare_ends(bench, last, watch)
    row = ends.row
    values = bench.rows()[row]
    if ends.needed is None:
        return Answer("no change", row, 1, last, ends.change, 2, len(values.values))
    unusable = {*left_out}
    while True:
        state = _locate(values)
        ending, commit = _judge(state, unusable, limits)
        if commit is None:
            first, end = state.range_of(limits.probability)
            change = to_ratios(state.step, state.step_error)
            sizes = len(state.commits), len(values.values)
            return Answer(ending, row, first, end, change, *sizes, frozenset(unusable), state)
        announce(row, state)
        is_usable = bench.measure((0, commit, last), limits.rounds)
        values = bench.rows()[row]
        if is_usable and commit not in values.commits:
            bench.leave_out(commit, f"its runs have no {name_row(row)}")
        if not is_usable or commit not in values.commits:
            unusable.add(commit)


def _compare_ends(bench: Bench, last: int, watch: Callable[[Ends], object]) -> Ends:
    """Measure the ends until a row differs significantly, or until the maximum number of rounds."""
    rows = bench.rows()
    for look in _LOOKS:
        made = min((len(_pair(values, last)[0]) for values in rows.values()), default=0)
        for rounds in (*range(made + _STEP, look, _STEP), max(made, look)):
            bench.measure((0, last), rounds - made)
            made, rows = rounds, bench.rows()
            ends = _test_ends(rows, last, rounds, is_look=rounds >= look)
            watch(ends)
        if ends.needed == ends.rounds:
            break
    return ends


def _test_ends(rows: Mapping[Row, Values], last: int, rounds: int, *, is_look: bool) -> Ends:
    """Compare the ends in the row with the clearest difference, and forecast the others."""
    pairs = {row: _pair(values, last) for row, values in rows.items()}
    tests = {row: paired_t(*pair) for row, pair in pairs.items()}
    adjusted = holm([test.pvalue for _, test in tests.values()])
    row = list(tests)[int(np.argmin(adjusted))]
    estimate, most = tests[row][0], _LOOKS[-1]
    later = [look for look in _LOOKS if look > rounds or (look == rounds and not is_look)]
    needed = next((look for look in later if _foresee(*pairs[row], look, len(rows))), None)
    if is_look and min(adjusted) <= LEVEL:
        needed = rounds
    change = exp(estimate.value), exp(estimate.low), exp(estimate.high)
    return Ends(row, change, rounds, most, needed)


def _foresee(good: Sequence[float], bad: Sequence[float], rounds: int, rows: int) -> bool:
    """Return whether such differences are significant after this number of rounds."""
    differences = np.subtract(bad, good)
    center, spread = abs(float(differences.mean())), float(differences.std(ddof=1))
    if not spread:
        return center > 0
    return 2 * rows * t_tail(rounds - 1, center * sqrt(rounds) / spread) <= LEVEL


def name_row(row: Row) -> str:
    """Name the measured quantity for people."""
    name = display_name(row.metric, row.stat)
    return f"{name} of {row.benchmark}" if row.benchmark else name


def to_ratios(level: float, error: float) -> tuple[float, float, float]:
    """Return a ratio with its 95 % interval, from its logarithm and standard error."""
    return exp(level), exp(level - 1.96 * error), exp(level + 1.96 * error)


def _pair(values: Values, last: int) -> tuple[list[float], list[float]]:
    good, bad = values.of(0), values.of(last)
    both = sorted(good.keys() & bad.keys())
    return [good[turn] for turn in both], [bad[turn] for turn in both]


def _locate(values: Values) -> CommitSearch:
    return find_commit(values.rounds, values.commits, np.log(np.asarray(values.values)))


def _judge(state: CommitSearch, unusable: set[int], limits: Limits) -> tuple[Ending, int | None]:
    """Return how the search ends, or the commit to measure next."""
    left, right = state.commits[state.best : state.best + 2]
    is_narrow = all(commit in unusable for commit in range(left + 1, right))
    if is_narrow and state.probabilities[state.best] >= limits.probability:
        return "found", None
    if state.no_change >= limits.probability:
        return "builds differ", None
    if state.several >= limits.probability:
        return "several", None
    commit = choose_commit(state, unusable)
    is_spent = len(state.commits) >= limits.builds and commit not in state.commits
    return "undecided", None if is_spent else commit
