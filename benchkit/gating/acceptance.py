"""Which accepted regressions still hold: their day has not passed, nor their commit come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from benchkit.config.acceptance import Acceptance
from benchkit.gating.events import UNUSED, Occurrence
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.gating.outcome import RuleOutcome
    from benchkit.schema import Runs

#: Baseline, and an acceptance that holds against it.
Valid = tuple[tuple[str, Acceptance], ...]


def list_valid(accepted: Iterable[Acceptance], runs: Runs, baselines: Iterable[str]) -> Valid:
    """Return the acceptances that have not ended, for each baseline.

    One with a commit ends when the baseline is measured at that commit, and does not hold for a
    baseline that does not record its commit.
    """
    listed = tuple(accepted)
    return tuple(
        (baseline, one)
        for baseline in dict.fromkeys(baselines)
        for one in listed
        if _holds(one, runs, baseline)
    )


def list_unused(rules: Sequence[RuleOutcome]) -> Iterator[Occurrence]:
    """Yield the acceptances that name nothing of any rule, and those that no longer hold."""
    for one in dict.fromkeys(one for outcome in rules for one in outcome.rule.accept):
        own = [outcome for outcome in rules if one in outcome.rule.accept]
        dropped = [row for outcome in own for row in outcome.dropped]
        rows = dropped if one.removed else [row.contrast for each in own for row in each.rows]
        kind = "removal" if one.removed else "regression"
        name = f"the accepted {kind} of {' on '.join(filter(None, (one.metric, one.benchmark)))}"
        if not any(one.matches(row.benchmark, row.metric, row.stat) for row in rows):
            rows_kind = "removed benchmark" if one.removed else "compared row"
            text = f"{name} matches no {rows_kind}"
        elif not any(one == valid for each in own for _, valid in each.acceptances):
            text = f"{name} has expired ({one.text})"
        else:
            continue
        yield Occurrence(event=UNUSED, action="pass", text=printable(text))


def read_today() -> date:
    """Return the day of today, in UTC."""
    return datetime.now(UTC).date()


def _holds(accepted: Acceptance, runs: Runs, baseline: str) -> bool:
    end = accepted.until
    if end is None:
        return True
    if isinstance(end, date):
        return read_today() <= end
    envs = runs[(runs["variant"] == baseline) & (runs["role"] == "measured")]["env"]
    commits = {env.get("commit", "") for env in envs}
    return bool(commits - {""}) and not any(_is_same(end, commit) for commit in commits)


def _is_same(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return bool(short) and long.startswith(short)
