"""The saturation of each sweep: its knee, its bounds, and the unmeasured gap around it.

The sentence, the table and the figure of a sweep show the same.

Also the rule that selects the best level of a sweep.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from benchkit.derived.sweep import CONNECTIONS, Level, Sweep, list_sweeps
from benchkit.errors import ConfigError
from benchkit.regexes import regex
from benchkit.stats.scalability import (
    Law,
    asymptotic_knee,
    fit_law,
    most_powerful,
    smallest_with_share,
)
from benchkit.units import parse_duration

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs

_USUAL = ("max", "mean", "min", "p50", "p75", "p90", "p95", "p99", "p99.9")
#: Number of points of the rising bound, which is straight, but not on a logarithmic axis.
_POINTS = 24
DEFAULT = "share:0.9"
_LIMIT = regex(r"(?:latency\.)?(p\d+(?:\.\d+)?|mean|max|median)\s*<=?\s*(\S+)")
_HINT = "use share:0.9, power, usl or sla:latency.p99<50ms"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saturation:
    """A sweep and the level at which it saturates.

    Parameters
    ----------
    rule : Rule
        The rule that selected the knee.
    law : Law or None
        The fitted scalability law.
    knee : float or None
        The level that the rule selects; the law's peak need not be a tested level.
    """

    sweep: Sweep
    rule: Rule
    law: Law | None
    knee: float | None

    @property
    def level(self) -> Level | None:
        """The tested level at the knee; None if the knee is not a tested level."""
        return next((level for level in self.sweep.levels if level.size == self.knee), None)

    @property
    def bound(self) -> float | None:
        """The level at which the bounds of a closed loop meet; None for offered rates."""
        if self.sweep.by != CONNECTIONS:
            return None
        return asymptotic_knee(self.sweep.sizes, self.sweep.rates)

    @property
    def gap(self) -> tuple[float, float] | None:
        """The levels around the knee of the bounds, if none between them was measured."""
        return None if self.bound is None else self.sweep.gap(self.bound)

    @property
    def bounds(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Levels, and the largest possible rate at each without any queueing.

        Empty for offered rates. In a closed loop the rate grows with the level until it is the best
        one.

        Notes
        -----
        Denning and Buzen (1978): X(N) <= min(N X(N0) / N0, max X), where N0 is the lowest level.
        """
        if self.bound is None:
            return (), ()
        sizes, rates = self.sweep.sizes, self.sweep.rates
        meet = min(max(self.bound, sizes[0]), sizes[-1])
        levels = np.append(np.geomspace(sizes[0], meet, _POINTS), sizes[-1])
        possible = np.minimum(levels * rates[0] / sizes[0], max(rates))
        return tuple(levels.tolist()), tuple(possible.tolist())


def require_stat(rule: Rule, observations: Observations, runs: Runs) -> None:
    """Reject a rule about a latency that no sweep has.

    Raises
    ------
    ConfigError
        If no sweep has the stat; the error lists those available.
    """
    if not rule.stat:
        return
    levels = [level for sweep in list_sweeps(observations, runs) for level in sweep.levels]
    if levels and all(level.get_latency(rule.stat) is None for level in levels):
        known = sorted({stat for level in levels for stat in level.latency}, key=_rank_stat)
        raise ConfigError(
            f"no sweep has latency {rule.stat}",
            where="knee",
            hint=f"available: {_list(known, rule.stat)}"
            if known
            else "the sweeps have no latencies",
        )


def _list(known: list[str], requested: str) -> str:
    """List the available ones; if there are many, the nearest and the usual ones."""
    if len(known) <= len(_USUAL):
        return ", ".join(known)
    kept = {*_USUAL, *get_close_matches(requested, known, 1)}
    return ", ".join(stat for stat in known if stat in kept) + ", …"


def _rank_stat(stat: str) -> tuple[bool, float, str]:
    """Sort percentiles last, by level."""
    if stat.startswith("p"):
        return True, float(stat[1:]), ""
    return False, 0.0, stat


def find_saturations(
    observations: Observations,
    runs: Runs,
    rule: Rule,
    variants: Collection[str] = (),
    confidence: float = 0.95,
) -> list[Saturation]:
    """Return where the sweeps of the named variants saturate; of all variants if none is named.

    Parameters
    ----------
    confidence : float
        The confidence of the intervals of the scalability law.
    """
    return [
        saturate(sweep, rule, confidence)
        for sweep in list_sweeps(observations, runs)
        if sweep.variant in variants or not variants
    ]


def saturate(sweep: Sweep, rule: Rule, confidence: float = 0.95) -> Saturation:
    """Return where a sweep saturates."""
    law = fit(sweep, confidence)
    return Saturation(sweep=sweep, rule=rule, law=law, knee=find_knee(sweep, rule, law))


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule for the knee.

    Parameters
    ----------
    kind : {'share', 'power', 'usl', 'sla'}
    amount : float
        The share, or the limit in s; 0 for other rules.
    stat : str
        The latency's stat, for ``sla``.
    text : str
        As the user typed it.
    """

    kind: str
    amount: float
    stat: str
    text: str


def parse_rule(text: str) -> Rule:
    """Parse a rule.

    Raises
    ------
    ConfigError
        If the rule does not exist.

    Examples
    --------
    >>> parse_rule("share:0.95").amount
    0.95
    >>> rule = parse_rule("sla:latency.p99<50ms")
    >>> rule.stat, rule.amount
    ('p99', 0.05)
    """
    kind, _, rest = str(text).strip().partition(":")
    try:
        if kind == "share" and 0 < float(rest) <= 1:
            return Rule("share", float(rest), "", text)
        match = _LIMIT.fullmatch(rest) if kind == "sla" else None
        if match:
            return Rule("sla", parse_duration(match[2]).value, match[1], text)
    except ValueError:
        pass
    if kind in {"power", "usl"} and not rest:
        return Rule(kind, 0.0, "", text)
    raise ConfigError(f"{text!r} is not a rule for the knee", where="knee", hint=_HINT)


def find_knee(sweep: Sweep, rule: Rule, law: Law | None) -> float | None:
    """Return the level that the rule selects; None if the sweep does not show it.

    Parameters
    ----------
    law : Law or None
        For ``usl``: its peak, which need not be a tested level. A poor fit selects none.

    Notes
    -----
    share: the smallest tested level with that share of the best rate. power: the tested level with
    the largest rate over time per request. sla: the largest tested level up to which every level
    keeps the limit.
    """
    levels, rates = sweep.sizes, sweep.rates
    if rule.kind == "share":
        return smallest_with_share(levels, rates, rule.amount)
    if rule.kind == "power":
        return most_powerful(levels, rates)
    if rule.kind == "usl":
        return law.peak if law and not law.poor and law.peak < float("inf") else None
    best = None
    for level in sweep.levels:
        latency = level.get_latency(rule.stat)
        if latency is None or latency > rule.amount:
            break
        best = level.size
    return best


def fit(sweep: Sweep, confidence: float = 0.95) -> Law | None:
    """Fit the scalability law to a closed loop; None for offered rates."""
    if sweep.by != CONNECTIONS:
        return None
    return fit_law(sweep.sizes, sweep.rates, confidence)
