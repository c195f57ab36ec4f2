"""The looks at a series in progress: estimate, interval, and what is still needed."""

from __future__ import annotations

from dataclasses import dataclass

from benchkit.comparison import SEQUENTIAL
from benchkit.tables.model import Cell, Column, Table
from benchkit.tables.wording import (
    MARKS,
    NOTHING,
    count_of,
    describe_word,
    name_metric,
    name_variant,
    write_change,
    write_interval,
)
from benchkit.units import printable
from benchkit.verdict import INCONCLUSIVE, Verdict, Verdicts

_COLUMNS = (
    Column("variant", "variant"),
    Column("metric", "metric"),
    Column("change", "change", align="right"),
    Column("interval", "interval"),
    Column("verdict", "verdict"),
    Column("rounds", "rounds"),
)


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a series.

    Parameters
    ----------
    rounds : int
        The number of complete rounds.
    least, most : int
        The first round after which rows are judged, and the last one.
    waiting : int
        Primary rows that more rounds may decide.
    """

    rounds: int
    least: int
    most: int
    verdicts: Verdicts
    waiting: int


def looks_table(progress: Progress) -> Table:
    """Build the table of one look: a row for each primary row."""
    return Table(
        title=f"Round {progress.rounds} of at most {progress.most}",
        columns=_COLUMNS,
        rows=tuple(tuple(map(Cell, _write(row, progress))) for row in progress.verdicts.primary),
    )


def list_looks(progress: Progress) -> list[str]:
    """Write a line for each primary row, for logs."""
    lines = []
    for row in progress.verdicts.primary:
        variant, metric, change, interval, verdict, forecast = _write(row, progress)
        outlook = ", ".join(filter(None, (verdict, forecast)))
        sign = " " if interval.startswith("[") else ", "
        estimate = change if interval == NOTHING else f"{change}{sign}{interval}"
        lines.append(f"round {progress.rounds}: {variant}, {metric}: {estimate}, {outlook}")
    return lines


def _write(row: Verdict, progress: Progress) -> tuple[str, ...]:
    c, verdicts = row.contrast, progress.verdicts
    several = len({each.contrast.benchmark for each in verdicts.primary}) > 1
    metric = f"{name_metric(c)} on {printable(c.benchmark)}" if several else name_metric(c)
    change, interval = (write(c, verdicts.margin) for write in (write_change, write_interval))
    word = f"{MARKS[row.word]} {describe_word(row, verdicts.margin)}"
    is_early = progress.rounds < progress.least
    if is_early and row.word == INCONCLUSIVE:
        word = "~ too early"
    return name_variant(c, verdicts), metric, change, interval, word, _forecast(row, progress)


def _forecast(row: Verdict, progress: Progress) -> str:
    """State when a row was decided, or how long it may still take."""
    rounds = progress.rounds
    if row.contrast.method != SEQUENTIAL:
        early = f"first test after round {progress.least}"
        return early if rounds < progress.least and row.word == INCONCLUSIVE else ""
    needed = max(row.runs_needed, rounds + 1) if row.runs_needed else None
    if row.word != INCONCLUSIVE:
        needed = len(row.contrast.arranged[0])
    return describe_outlook(rounds, progress.most, needed, "close to the margin, or noisy")


def describe_outlook(rounds: int, most: int, needed: int | None, why: str) -> str:
    """State after which round a series was decided, or how many it may still take.

    Examples
    --------
    >>> [describe_outlook(8, 32, needed, "noisy") for needed in (8, 16, None)]
    ['decided after round 8', 'about 8 more', 'noisy: may take all 32 rounds']
    """
    if needed:
        return (
            f"about {needed - rounds} more" if needed > rounds else f"decided after round {needed}"
        )
    return "undecided" if rounds >= most else f"{why}: may take all {most} rounds"


def describe_end(progress: Progress) -> str:
    """State how many runs a series took, and how many of the possible ones it saved."""
    rounds, most = progress.rounds, progress.most
    variants = len({name for pair in progress.verdicts.comparisons.pairs for name in pair})
    spent = f"{count_of(rounds * variants, 'run')} in {count_of(rounds, 'round')}"
    rows = len(progress.verdicts.primary)
    if not progress.waiting:
        stuck = sum(row.word == INCONCLUSIVE for row in progress.verdicts.primary)
        rest = f"; more rounds cannot give a verdict for {count_of(stuck, 'row')}" if stuck else ""
        saved = f", {(most - rounds) * variants} fewer than in {most} rounds"
        return f"decided: {spent}{saved if rounds < most else ''}{rest}"
    if rounds >= most:
        count = f"{progress.waiting} of {count_of(rows, 'row')}"
        hint = "make the runs longer, or use a larger --max-rounds in an empty folder"
        return f"undecided after the last round: {count}; {spent}; {hint}"
    return f"not yet decided: {progress.waiting} of {count_of(rows, 'row')}; {spent}"
