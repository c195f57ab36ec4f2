"""The result of a search: a sentence, and a table of the measured commits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, isfinite, log
from statistics import median

from benchkit.bisect.repository import Commit
from benchkit.bisect.search import LEVEL, Answer, Ends, name_row, to_ratios
from benchkit.stats import CommitSearch
from benchkit.tables.looks import describe_outlook
from benchkit.tables.model import Cell, Column, Table
from benchkit.units import format_change

#: Width of the chart's line.
_WIDTH = 25
_COLUMNS = (
    Column("commit", "commit"),
    Column("subject", "subject"),
    Column("runs", "runs", align="right"),
    Column("change", "against GOOD", align="right"),
    Column("interval", "95 % interval"),
    Column("probability", "changed here", align="right"),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """A measured commit.

    Parameters
    ----------
    change, low, high : float
        Relative to the good end, as a ratio, with its 95 % interval without the offsets of builds.
    probability : float
        The probability that the change happened after the previously measured commit, up to this
        one.
    """

    commit: str
    subject: str
    runs: int
    change: float
    low: float
    high: float
    probability: float

    @property
    def ends(self) -> tuple[float, float, float]:
        """The change, and the ends of its interval."""
        return self.change, self.low, self.high


@dataclass(frozen=True, slots=True)
class Summary:
    """The search as JSON: ratios, probabilities, counts and names of commits.

    Parameters
    ----------
    first, last : str
        The shortest range of commits that contains the change.
    change, low, high : float
        The change as a ratio, with its 95 % interval.
    probability : float or None
        That of the most probable position; None if the ends were not shown to differ.
    offset : float or None
        How much builds without a change differ, as a standard deviation of the ratio.
    unusable : tuple of str
        Commits that cannot be built or run.
    commits : tuple of Measured
        The oldest first.
    """

    ending: str
    benchmark: str
    metric: str
    stat: str
    first: str
    last: str
    change: float
    low: float
    high: float
    probability: float | None
    offset: float | None
    builds: int
    runs: int
    unusable: tuple[str, ...]
    commits: tuple[Measured, ...]


def summarise(answer: Answer, commits: Sequence[Commit]) -> Summary:
    """Name the commits of an answer."""
    state, row = answer.found, answer.row
    return Summary(
        ending=answer.ending,
        benchmark=row.benchmark,
        metric=row.metric,
        stat=row.stat,
        first=commits[answer.first].sha,
        last=commits[answer.last].sha,
        change=answer.change[0],
        low=answer.change[1],
        high=answer.change[2],
        probability=max(state.probabilities) if state else None,
        offset=state.offset if state else None,
        builds=answer.builds,
        runs=answer.runs,
        unusable=tuple(commits[place].sha for place in sorted(answer.unusable)),
        commits=tuple(_measured(answer, commits)),
    )


def _measured(answer: Answer, commits: Sequence[Commit]) -> Sequence[Measured]:
    state = answer.found
    if state is None:
        return ()
    columns = (state.commits, state.runs, state.levels, state.errors, (0.0, *state.probabilities))
    return [
        Measured(
            commits[place].sha,
            commits[place].subject,
            runs,
            *to_ratios(level, error),
            probability,
        )
        for place, runs, level, error, probability in zip(*columns, strict=True)
    ]


def describe_ends(ends: Ends, commits: Sequence[Commit]) -> str:
    """Describe the comparison of the ends, and how many more rounds it may take."""
    outlook = describe_outlook(ends.rounds, ends.most, ends.needed, "no change, or noisy")
    done = f"round {ends.rounds}: {commits[-1].short}, {name_row(ends.row)}: {_size(ends.change)}"
    return f"{done}, {outlook}"


def write_sentence(answer: Answer, commits: Sequence[Commit]) -> str:
    """Name the commit that changed a row, the size of the change, and the probability."""
    first, last = commits[answer.first], commits[answer.last]
    row = name_row(answer.row)
    what = f"{row} by {_size(answer.change)}"
    done = f"{answer.builds} commits measured, {answer.runs} runs"
    count = answer.last - answer.first + 1
    span = f"the {count} commits {first.short} to {last.short}"
    good, bad = commits[0].short, commits[-1].short
    if answer.ending == "no change":
        conclusion = (
            f"These runs do not show a change (p > {LEVEL}) in {row} from {good} to "
            f"{bad}: {_size(answer.change)}"
        )
    elif answer.ending == "builds differ":
        conclusion = (
            f"These runs do not show which commit changed {row}: unchanged builds "
            "differ as much as the two ends"
        )
    elif answer.ending == "several":
        conclusion = f"More than one commit changed {row}; search each half of the range separately"
    elif answer.ending == "undecided":
        conclusion = (
            f"{bad} changed {what} compared with {good}, but these runs do not show which of "
            f"{span} did it: {_explain(answer.found)}"
        )
    elif count > 1:
        conclusion = (
            f"One of {span} changed {what}, with a probability of {_sure(answer)}; only the last "
            "of these commits can be measured"
        )
    else:
        conclusion = (
            f"{first.short} ({first.subject}) changed {what}, with a probability of {_sure(answer)}"
        )
    return f"{conclusion}; {done}."


def _explain(state: CommitSearch | None) -> str:
    """Say what hides the commit: the offsets of builds, unless the noise of runs hides these."""
    if state is None:
        return "too few runs"
    is_noisy = state.offset <= median(state.errors[1:])
    who = "the runs of one commit vary" if is_noisy else "unchanged builds differ"
    size = format_change(exp(state.noise if is_noisy else state.offset)).lstrip("+")
    return f"{who} by about {size}"


def _sure(answer: Answer) -> str:
    share = max(answer.found.probabilities) if answer.found else 0.0
    return _share(min(share, 0.999))


def _share(share: float) -> str:
    return f"{share * 100:.1f}\N{NO-BREAK SPACE}%"


def _size(ratios: tuple[float, float, float]) -> str:
    change, low, high = map(format_change, ratios)
    if not all(map(isfinite, ratios)):  # values that do not vary have no interval
        return change
    return f"{change} (95\N{NO-BREAK SPACE}% CI {low} to {high})"


def tabulate(summary: Summary, commits: Sequence[Commit]) -> Table:
    """Build the table of measured commits, with a chart of their changes."""
    shorts = {commit.sha: commit.short for commit in commits}
    ends = [end for one in summary.commits for end in one.ends if isfinite(end)]
    span = min(ends, default=1.0), max(ends, default=1.0)
    chart = Column("chart", f"{format_change(span[0])} … {format_change(span[1])}")
    return Table(
        title="Commits measured",
        columns=(*_COLUMNS, chart),
        rows=tuple(
            (
                Cell(shorts[one.commit]),
                Cell(one.subject),
                Cell(f"{one.runs}", one.runs),
                Cell(format_change(one.change) if number else "", one.change),
                Cell(f"[{format_change(one.low)}, {format_change(one.high)}]" if number else ""),
                Cell(_share(one.probability) if number else ""),
                Cell(_draw(one.ends, span)),
            )
            for number, one in enumerate(summary.commits)
        ),
    )


def _draw(ends: tuple[float, float, float], span: tuple[float, float]) -> str:
    """Draw a change and its interval on a line of ratios that also marks no change.

    Examples
    --------
    >>> _draw((1.05, 1.0, 1.1), (0.9, 1.2)), _draw((1.05, float("nan"), 1.1), (0.9, 1.2))
    ('·········├───●───┤·······', '')
    >>> _draw((1.15, 1.1, 1.2), (0.9, 1.2))
    '·········┊·······├──●───┤'
    """
    if not all(map(isfinite, ends)):
        return ""
    share = (_WIDTH - 1) / (log(span[1] / span[0]) or 1.0)
    middle, first, last, same = (round(log(end / span[0]) * share) for end in (*ends, 1.0))
    line = ["·"] * _WIDTH
    for at, mark in ((same, "┊"), *((at, "─") for at in range(first, last)), (first, "├")):
        line[at] = mark
    line[last], line[middle] = "┤", "●"
    return "".join(line)
