"""Which level of a sweep is called the best: a rule with a name, and where it points."""

from __future__ import annotations

from dataclasses import dataclass

from benchkit.derived.sweep import CONNECTIONS, Sweep
from benchkit.errors import ConfigError
from benchkit.regexes import regex
from benchkit.stats.scalability import Law, fit_law, most_powerful, smallest_with_share
from benchkit.units import parse_duration

DEFAULT = "share:0.9"
_LIMIT = regex(r"(?:latency\.)?(p\d+(?:\.\d+)?|mean|max|median)\s*<=?\s*(\S+)")
_HINT = "use share:0.9, power, usl or sla:latency.p99<50ms"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule for the knee.

    Parameters
    ----------
    kind : {'share', 'power', 'usl', 'sla'}
    amount : float
        The share, or the limit in s; 0 for the others.
    stat : str
        Of the latency, for ``sla``.
    text : str
        As the user wrote it.
    """

    kind: str
    amount: float
    stat: str
    text: str


def parse_rule(text: str) -> Rule:
    """Read a rule.

    Raises
    ------
    ConfigError
        If there is no such rule.

    Examples
    --------
    >>> parse_rule("share:0.95").amount
    0.95
    >>> rule = parse_rule("sla:latency.p99<50ms")
    >>> rule.stat, rule.amount
    ('p99', 0.05)
    """
    kind, _, rest = text.strip().partition(":")
    try:
        if kind == "share" and 0 < float(rest) <= 1:
            return Rule("share", float(rest), "", text)
        found = _LIMIT.fullmatch(rest) if kind == "sla" else None
        if found:
            return Rule("sla", parse_duration(found[2]).value, found[1], text)
    except ValueError:
        pass
    if kind in {"power", "usl"} and not rest:
        return Rule(kind, 0.0, "", text)
    raise ConfigError(f"{text!r} is not a rule for the knee", where="knee", hint=_HINT)


def find_knee(sweep: Sweep, rule: Rule, law: Law | None) -> float | None:
    """Return the level that the rule names; None where the sweep does not tell.

    Parameters
    ----------
    law : Law or None
        For ``usl``: its peak, which need not be a tested level. A poor fit names none.

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
        latency = level.tell(rule.stat)
        if latency is None or latency > rule.amount:
            break
        best = level.size
    return best


def fit(sweep: Sweep, confidence: float = 0.95) -> Law | None:
    """Fit the scalability law to a closed loop; None for rates that were offered."""
    if sweep.by != CONNECTIONS:
        return None
    return fit_law(sweep.sizes, sweep.rates, confidence)
