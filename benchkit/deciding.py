"""Measure until decided: run all variants once, look at the results, and repeat.

The results are read and judged by the code of `compare`, so both agree on the same runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from benchkit.api import Comparison, RunSet, load
from benchkit.api.sides import pair_up
from benchkit.api.suggestions import advising_on_command, require_read
from benchkit.capture.plan import Plan, Stopping
from benchkit.capture.session import Session, carry_out
from benchkit.comparison import SEQUENTIAL
from benchkit.comparison.series import INCOMPLETE
from benchkit.derived.record import keep_measured
from benchkit.errors import ConfigError, DataError
from benchkit.listing import list_first
from benchkit.redaction import redact_label
from benchkit.tables.looks import Progress
from benchkit.verdict import INCONCLUSIVE, Verdict


@dataclass(frozen=True, slots=True)
class Decision:
    """The outcome of a series.

    Parameters
    ----------
    progress : Progress or None
        The last look; None if no round was completed.
    comparison : Comparison or None
        From the last look.
    """

    session: Session
    progress: Progress | None
    comparison: Comparison | None
    baseline: str


def measure_until_decided(
    plan: Plan,
    out: Path,
    *,
    baseline: str | None = None,
    metrics: Sequence[str] = (),
    show: bool = False,
    announce: Callable[[str], object] = lambda _: None,
    watch: Callable[[Progress], object] = lambda _: None,
) -> Decision:
    """Run rounds of a plan until every primary row is decided or the last round is complete.

    Parameters
    ----------
    plan : Plan
        A plan with ``stopping`` and at least two variants.
    out : Path
        The folder; a series in it is continued.
    baseline : str, optional
        Inferred from the names by default, else the first variant.
    metrics : sequence of str
        The primary metrics; by default those of the tools.
    show : bool
        Whether the commands' output is also shown on standard error.
    announce, watch : callable
        Called with a line for every run, and with every look.

    Raises
    ------
    ConfigError
        If the plan has only one variant, or the folder contains other runs.
    DataError
        If the results cannot be read or compared, or no number of rounds can decide a primary row.
    """
    if plan.stopping is None or len(plan.variants) < 2:
        raise ConfigError("a series needs 2 variants or more", hint="add [variants.NAME]")
    names = [redact_label(name) for name in plan.variants]
    pairs = pair_up(names, baseline, None, first=names[0])
    metric = ", ".join(sorted(metrics))
    stopping = replace(plan.stopping, baseline=pairs[0][0], metric=metric)
    plan = replace(plan, stopping=stopping)
    looks = _Looks(out, pairs, stopping, tuple(metrics), watch)
    session = carry_out(plan, out, show=show, announce=announce, is_decided=looks.look)
    return Decision(session, looks.progress, looks.comparison, pairs[0][0])


class _Looks:
    """The looks at a series in progress, and one at its folder before the first round."""

    def __init__(
        self,
        out: Path,
        pairs: Sequence[tuple[str, str]],
        stopping: Stopping,
        metrics: tuple[str, ...],
        watch: Callable[[Progress], object],
    ) -> None:
        self._out, self._pairs, self._stopping = out, pairs, stopping
        self._metrics, self._watch = metrics, watch
        self.progress: Progress | None = None
        self.comparison: Comparison | None = None

    def look(self, rounds: int) -> bool:
        """Judge the runs so far; return whether every row that can be decided is decided."""
        stopping = self._stopping
        if not rounds:
            with suppress(DataError):  # there are no results yet
                _refuse_others(load(self._out), self._out)
            return False
        with advising_on_command():
            results = load(self._out)
        require_read(results, chain(*self._pairs))
        _refuse_others(results, self._out)
        self.comparison = results.compare(
            pairs=self._pairs,
            margin=stopping.margin,
            confidence=stopping.confidence,
            metrics=self._metrics,
        )
        verdicts = self.comparison.verdicts
        is_early = rounds < stopping.design.least
        waiting = [row for row in verdicts.primary if is_early or _is_open(row)]
        design = stopping.design
        self.progress = Progress(rounds, design.least, design.most, verdicts, len(waiting))
        if not any(_may_end(row, is_early=is_early) for row in verdicts.primary):
            raise _refuse(self.comparison)
        self._watch(self.progress)
        return not waiting


def _refuse_others(results: RunSet, folder: Path) -> None:
    """Refuse results that no session of the series measured: they would be compared, too."""
    runs = keep_measured(results.runs)
    others = [
        f"{source['path']}"
        for sources, stated in zip(runs["sources"], runs["stopping"], strict=True)
        for source in sources
        if not stated
    ]
    if others:
        what = f"contains results that are not part of this series: {list_first(others, 3)}"
        them = "it" if len(others) == 1 else "them"
        hint = f"move {them} out of the folder, or choose an empty folder with --out"
        raise ConfigError(what, where=f"{folder}", hint=hint)


def _is_open(row: Verdict) -> bool:
    """Return whether more rounds can decide a row that is still undecided."""
    return row.word == INCONCLUSIVE and row.contrast.method == SEQUENTIAL and not row.obstacle


def _may_end(row: Verdict, *, is_early: bool) -> bool:
    if is_early:
        return not any(note.startswith(INCOMPLETE) for note in row.notes)
    return row.word != INCONCLUSIVE or _is_open(row)


def _refuse(comparison: Comparison) -> DataError:
    """Return the error for a series that no number of rounds can decide."""
    rows = comparison.verdicts.primary
    why = next((f": {row.obstacle or row.notes[0]}" for row in rows if row.notes), "")
    lost = next((finding.remedy for finding in comparison.findings if finding.code == "B344"), "")
    hint = lost or "name a primary metric with --metric, and an empty folder with --out"
    return DataError(f"more rounds cannot give a verdict for any primary row{why}", hint=hint)
