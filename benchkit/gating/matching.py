"""The rows of a comparison that a rule covers.

Accepted regressions that are still valid: neither their date nor their commit has been reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from benchkit.comparison import Contrast, Dropped
from benchkit.config.acceptance import Acceptance
from benchkit.config.files import unknown
from benchkit.config.rules import Rule
from benchkit.gating.events import UNUSED, Occurrence, Pair
from benchkit.parsers import registry
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.gating.outcome import RuleOutcome
    from benchkit.schema import Runs

COLUMNS = ("group", "benchmark", "params", "tool", "subject", "variant", "baseline")

#: Baseline, and an acceptance that is valid for it.
Valid = tuple[tuple[str, Acceptance], ...]


def match(
    rule: Rule,
    contrasts: Sequence[Contrast],
    pairs: Sequence[Pair] = (),
    named: Sequence[Pair] = (),
) -> tuple[list[Contrast], tuple[str, ...]]:
    """Return the contrasts that a rule covers, and its names that match none of them.

    Parameters
    ----------
    pairs : sequence of (baseline, variant)
        Those that a rule without a pair covers; all by default.
    named : sequence of (baseline, variant)
        Those that such a rule has to compare.

    Raises
    ------
    ConfigError
        If ``where`` contains neither a column nor a param of the data.
    """
    known = [*COLUMNS, *sorted({param for c in contrasts for param in read_params(c.params)})]
    for key, _ in rule.where:
        if contrasts and key not in known:
            raise unknown("key", key, known, f"`where` of the gate {rule.name!r}")
    measured = [c for c in contrasts if _is_measured(rule, c, pairs)]
    matching = [c for c in measured if all(_has(c, key, values) for key, values in rule.where)]
    missing = [
        f"{key}={value}"
        for key, values in rule.where
        for value in values
        if not any(_has(c, key, (value,)) for c in matching)
    ]
    is_narrowed = rule.pair or {"baseline", "variant"} & {key for key, _ in rule.where}
    return matching, (*missing, *(() if is_narrowed else find_idle(matching, named)))


def find_idle(contrasts: Sequence[Contrast], named: Sequence[Pair]) -> tuple[str, ...]:
    """Name the requested pairs of which nothing was compared.

    Examples
    --------
    >>> find_idle([], [("none", "otlp")])
    ('pair=none:otlp',)
    """
    compared = {(c.baseline, c.variant) for c in contrasts}
    return tuple(f"pair={':'.join(pair)}" for pair in named if pair not in compared)


def match_dropped(
    rule: Rule, dropped: Sequence[Dropped], pairs: Sequence[Pair] = ()
) -> tuple[Dropped, ...]:
    """Return the rows that a rule would cover if the variant had them."""
    return tuple(
        row
        for row in dropped
        if _is_measured(rule, row, pairs)
        and all(_has(row, key, values) for key, values in rule.where)
    )


def _is_measured(rule: Rule, contrast: Contrast | Dropped, pairs: Sequence[Pair]) -> bool:
    """Return whether pair, metric and stat match the rule."""
    allowed = [rule.pair] if rule.pair is not None else pairs
    if allowed and (contrast.baseline, contrast.variant) not in allowed:
        return False
    stat = rule.stat or registry.tool(contrast.tool).choose_stat(rule.metric)
    return (contrast.metric, contrast.stat) == (rule.metric, stat)


def _has(contrast: Contrast | Dropped, key: str, values: Sequence[str]) -> bool:
    label = getattr(contrast, key) if key in COLUMNS else read_params(contrast.params).get(key, "")
    return any(fnmatchcase(label, value) or label == value for value in values)


def read_params(params: str) -> dict[str, str]:
    """Return the params by name.

    Examples
    --------
    >>> read_params("connections=8,threads=2")
    {'connections': '8', 'threads': '2'}
    """
    return dict(part.split("=", 1) for part in params.split(",") if "=" in part)


def list_valid(accepted: Iterable[Acceptance], runs: Runs, baselines: Iterable[str]) -> Valid:
    """Return the acceptances that have not ended, for each baseline.

    An acceptance with a commit ends when the baseline is measured at that commit; it is invalid for
    a baseline that does not record its commit.
    """
    listed = tuple(accepted)
    return tuple(
        (baseline, one)
        for baseline in dict.fromkeys(baselines)
        for one in listed
        if _holds(one, runs, baseline)
    )


def list_unused(rules: Sequence[RuleOutcome]) -> Iterator[Occurrence]:
    """Yield the acceptances that match no rule, and those that have ended."""
    for one in dict.fromkeys(one for outcome in rules for one in outcome.rule.accept):
        matching = [outcome for outcome in rules if one in outcome.rule.accept]
        dropped = [row for outcome in matching for row in outcome.dropped]
        rows = dropped if one.removed else [row.contrast for each in matching for row in each.rows]
        kind = "removal" if one.removed else "regression"
        name = f"the accepted {kind} of {' on '.join(filter(None, (one.metric, one.benchmark)))}"
        if not any(one.matches(row.benchmark, row.metric, row.stat) for row in rows):
            rows_kind = "removed benchmark" if one.removed else "compared row"
            text = f"{name} matches no {rows_kind}"
        elif not any(one == valid for each in matching for _, valid in each.acceptances):
            text = f"{name} has expired ({one.text})"
        else:
            continue
        yield Occurrence(event=UNUSED, action="pass", text=printable(text))


def read_today() -> date:
    """Return today's date in UTC."""
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
