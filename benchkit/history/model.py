"""The parts of a history: points, changes, the newest commit, one series, all of them.

Tables, figures and JSON use the same evidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import exp, nan

from benchkit.comparison.model import Row
from benchkit.derived.failures import NONE_FAILED, Share
from benchkit.errors import Finding
from benchkit.schema import Side

#: Above this number, series in which nothing happened are counted instead of listed.
MANY = 20
#: Verdicts on the newest commit.
INSIDE, WITHIN, BY_CHANCE, OUTSIDE = "inside", "within the margin", "by chance", "outside"
HIDDEN, NO_BASELINE, NOT_MEASURED = "hidden by an outlier", "no baseline", "not measured"

#: Maximum logarithm that is written as a ratio.
_FARTHEST = 700.0


def to_ratio(log: float) -> float:
    """Return the ratio of a logarithm, limited to the largest that is written."""
    return exp(min(log, _FARTHEST))


@dataclass(frozen=True, slots=True)
class Point:
    """The result of one commit: the median of its runs in the base unit; NaN if it has none."""

    commit: str
    time: datetime
    value: float
    runs: int


@dataclass(frozen=True, slots=True)
class Change:
    """A step change.

    Parameters
    ----------
    commit : str
        The first one after it.
    ratio, low, high : float
        Level after ÷ level before, and its interval; for a series compared by difference, the ratio
        is NaN, and the interval is that of the difference.
    pvalue : float
        NaN for an accepted one, which is not searched for.
    commits : int
        The number of commits since.
    reason : str
        Why it was accepted; empty if it was not.
    before, after : float
        The medians of the two levels, in the base unit.
    is_exact : bool
        Whether these are counts, equal in all runs of a level; the ratio is NaN if one of them is
        0.
    difference : float
        Level after - level before, in the base unit, for series compared by difference; else NaN.
    """

    commit: str
    time: datetime
    ratio: float
    low: float
    high: float
    pvalue: float
    commits: int
    reason: str = ""
    before: float = nan
    after: float = nan
    is_exact: bool = False
    difference: float = nan


@dataclass(frozen=True, slots=True)
class Newest:
    """The newest commit compared with those since the last change.

    Parameters
    ----------
    verdict : str
        ``inside``, ``within the margin``, ``by chance`` (outside its interval, as expected for one
        of many series), ``outside``, ``hidden by an outlier`` (outside, except for an outlying
        commit that widens the interval), ``no baseline`` or ``not measured``: the series ends
        before the newest commit of its machine and variant.
    ratio, low, high : float
        Newest ÷ their median, and where the next one of them would be; NaN if unknown. For a series
        compared by difference, the ratio is NaN, and the ends are differences.
    commits : int
        Their number.
    pvalue, qvalue : float
        How rarely a commit of the same level is as far out, and that over all series
        (Benjamini-Hochberg). NaN without a test.
    is_shared : bool
        Whether most series of its machine moved equally far in the same direction.
    difference : float
        Newest - their median, in the base unit, for series compared by difference; else NaN.
    outliers : tuple of str
        The outlying commits that hide it.
    """

    verdict: str
    ratio: float = nan
    low: float = nan
    high: float = nan
    commits: int = 0
    pvalue: float = nan
    qvalue: float = nan
    is_shared: bool = False
    difference: float = nan
    outliers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Series(Row):
    """One metric of one variant on one machine, commit by commit.

    Parameters
    ----------
    machine : str
        The facts that its runs record about it; empty without any.
    points : tuple of Point
        In order; gaps are kept as gaps.
    confidence : float
        Of every interval.
    is_exact : bool
        Whether these are counts; all runs of a level have the same one.
    is_difference : bool
        Whether levels are compared by difference, because values at or below 0 have no ratio.
    """

    unit: str
    better: str
    variant: str
    machine: str
    points: tuple[Point, ...]
    changes: tuple[Change, ...]
    newest: Newest
    confidence: float
    is_exact: bool = False
    is_difference: bool = False

    @property
    def side(self) -> Side:
        """The labels of its runs, without the parts that name the commit."""
        return self.workload.side(self.variant)

    @property
    def measured(self) -> tuple[Point, ...]:
        """The points without gaps."""
        return tuple(point for point in self.points if point.runs)

    @property
    def open_changes(self) -> tuple[Change, ...]:
        """The changes that nobody has accepted."""
        return tuple(change for change in self.changes if not change.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Latest:
    """Facts about the newest commit other than its measurements.

    Parameters
    ----------
    commit : str
        By date, of all commits in the store; empty if none has a date.
    failed, damaged : int
        Number of its failed runs and damaged files.
    reasons : tuple of str
        Remarks on the failed ones: ``r/none/go-2.txt:14: panic: boom``.
    failing : Share
        The share of its failed requests.
    is_failing : bool
        Whether that is more than a hundredth, and more than twice that of the commits before.
    undated : tuple of str
        Commits without a date, which may be newer.
    mixed : tuple of str
        The variants with two measurements that count as one, each with the reason.
    """

    commit: str = ""
    failed: int = 0
    damaged: int = 0
    reasons: tuple[str, ...] = ()
    failing: Share = NONE_FAILED
    is_failing: bool = False
    undated: tuple[str, ...] = ()
    mixed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class History:
    """All series, the commits without a known order, and accepted changes that match none.

    Parameters
    ----------
    unmatched : tuple of str
        Problems with accepted changes that match no commit, or several.
    latest : Latest, optional
        Facts about the newest commit other than its measurements.
    branch : str
        The branch whose commits are followed.
    others : mapping of str to int
        The commits of other branches that are left out, by branch.
    left_out : tuple of str
        Benchmarks without a followed metric, each with the reason.
    """

    series: tuple[Series, ...]
    undated: tuple[str, ...]
    unmatched: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    latest: Latest | None = None
    branch: str = "main"
    others: Mapping[str, int] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    @property
    def listed(self) -> tuple[Series, ...]:
        """The series without exact ones that never changed; if very many, only those with news.

        All, if all are exact.
        """
        exact = [series.is_exact for series in self.series]
        some = tuple(s for s in self.series if s.changes or all(exact) or not s.is_exact)
        if len(some) <= MANY:
            return some
        steady = {INSIDE, WITHIN, BY_CHANCE}
        return tuple(s for s in some if s.open_changes or s.newest.verdict not in steady)

    @property
    def has_machines(self) -> bool:
        """Whether the series come from several machines."""
        return len({series.machine for series in self.series}) > 1
