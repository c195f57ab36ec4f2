"""The rules of the regression gate, as ``benchkit.toml`` and ``--max-overhead`` write them.

In: a ``[[gate]]`` table, or ``latency.p50=5%``. Out: `Rule`, frozen. Why: which rows a limit holds
for is part of the limit; a rule that is misread is a gate that never fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from benchkit.config.keys import read_text, read_texts, require_key, unknown
from benchkit.config.limits import Limit, parse_limit
from benchkit.errors import ConfigError

OnInconclusive = Literal["pass", "warn", "fail"]
ON_INCONCLUSIVE: tuple[str, ...] = get_args(OnInconclusive)
SEVERITIES = ("info", "warning", "error")
#: Fewest runs per side that a limit is ever tested with; two runs never gate.
FEWEST_RUNS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What holds for every rule that does not say otherwise: ``[policy]``.

    Parameters
    ----------
    on_inconclusive : {'pass', 'warn', 'fail'}
        What a row does that shows nothing.
    min_runs : int
        Fewest runs per side; below, a row shows nothing.
    no_findings : tuple of {'info', 'warning', 'error'}
        Severities of findings with which nothing is shown and the gate fails.
    allow_other_machine : bool
        Whether a baseline that was measured on another machine shows anything.
    """

    on_inconclusive: OnInconclusive = "warn"
    min_runs: int = FEWEST_RUNS
    no_findings: tuple[str, ...] = ()
    allow_other_machine: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One ``[[gate]]``.

    Parameters
    ----------
    name : str
    metric, stat : str
        An empty stat is the metric's own headline stat.
    pair : (baseline, variant) or None
        All pairs of the comparison if None.
    where : tuple of (column or param, values)
        The rows it holds for; each value, which may hold ``*``, must occur.
    target, acceptable : Limit or None
        At least one; the wider one is the limit.
    on_inconclusive, min_runs, no_findings, allow_other_machine
        As in `Habits`.
    """

    name: str
    metric: str
    stat: str = ""
    pair: tuple[str, str] | None = None
    where: tuple[tuple[str, tuple[str, ...]], ...] = ()
    target: Limit | None = None
    acceptable: Limit | None = None
    on_inconclusive: OnInconclusive = "warn"
    min_runs: int = FEWEST_RUNS
    no_findings: tuple[str, ...] = ()
    allow_other_machine: bool = False

    @property
    def limit(self) -> Limit:
        """What is over the limit: beyond acceptable, or beyond the target where it is alone."""
        found = self.acceptable or self.target
        if found is None:
            raise ConfigError("a rule without a limit", where=self.name, hint=_NO_LIMIT)
        return found

    @property
    def is_default(self) -> bool:
        """Whether it stands where no limit is set: no primary metric may regress."""
        return not self.metric

    @property
    def label(self) -> str:
        """Metric and stat as they are written: ``latency.p50``."""
        return f"{self.metric}.{self.stat}" if self.stat else self.metric


_NO_LIMIT = 'write acceptable = "5%", target = "1%", or both'
_HABITS = ("on_inconclusive", "min_runs", "no_findings", "allow_other_machine")
KEYS = ("name", "pair", "metric", "stat", "where", "target", "acceptable", *_HABITS)


def parse_habits(table: Mapping[str, object], where: str) -> Habits:
    """Read ``[policy]``.

    Examples
    --------
    >>> parse_habits({"on_inconclusive": "fail"}, "x").on_inconclusive
    'fail'
    """
    for key in table:
        require_key(key, _HABITS, where)
    return Habits(**_read_habits(table, Habits(), where))  # type: ignore[arg-type]


def parse_rules(tables: object, habits: Habits, where: str) -> tuple[Rule, ...]:
    """Read every ``[[gate]]``.

    Raises
    ------
    ConfigError
        If a key is not known, a value is of the wrong kind, or two rules share a name.
    """
    if not isinstance(tables, list) or not all(isinstance(table, Mapping) for table in tables):
        raise ConfigError("gate is not a list of tables", where=where, hint="write [[gate]]")
    if not tables:
        hint = f"write [[gate]] with {_NO_LIMIT.removeprefix('write ')}, or leave it out"
        raise ConfigError("gate is empty: no limit is set", where=where, hint=hint)
    rules = tuple(
        _parse(table, habits, f"{where} [[gate]] {table.get('name', number)}")
        for number, table in enumerate(tables, 1)
    )
    names = [rule.name for rule in rules]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(
                f"two rules are called {name!r}", where=where, hint="give each a name of its own"
            )
    return rules


def parse_overheads(texts: Sequence[str], habits: Habits) -> tuple[Rule, ...]:
    """Read ``METRIC[.STAT]=LIMIT`` texts, one rule each.

    Examples
    --------
    >>> (rule,) = parse_overheads(["latency.p50=5%"], Habits())
    >>> rule.metric, rule.stat, rule.limit.value
    ('latency', 'p50', 0.05)
    """
    where = "--max-overhead"
    rules = []
    for text in dict.fromkeys(texts):
        name, equals, limit = text.partition("=")
        metric, _, stat = name.strip().partition(".")
        if not (equals and metric):
            hint = "write METRIC[.STAT]=LIMIT, e.g. latency.p50=5%"
            raise ConfigError(f"{text!r} names no limit", where=where, hint=hint)
        rules.append(
            Rule(
                name=text.replace(" ", ""),
                metric=metric,
                stat=stat,
                acceptable=parse_limit(limit, where),
                on_inconclusive=habits.on_inconclusive,
                min_runs=habits.min_runs,
                no_findings=habits.no_findings,
                allow_other_machine=habits.allow_other_machine,
            )
        )
    return tuple(rules)


def _parse(table: Mapping[str, object], habits: Habits, where: str) -> Rule:
    for key in table:
        require_key(key, KEYS, where)
    if "metric" not in table:
        raise ConfigError("no metric is named", where=where, hint='write metric = "latency.p50"')
    metric, _, stat = read_text(table["metric"], "metric", where).partition(".")
    if "stat" in table:
        if stat:
            hint = 'write metric = "latency" and stat = "p50", or metric = "latency.p50"'
            raise ConfigError("the stat is named twice", where=where, hint=hint)
        stat = read_text(table["stat"], "stat", where)
    limits = {
        key: parse_limit(table[key], f"{where} {key}") if key in table else None
        for key in ("target", "acceptable")
    }
    rule = Rule(
        name=read_text(table.get("name", f"{metric}.{stat}".rstrip(".")), "name", where),
        metric=metric,
        stat=stat,
        pair=_read_pair(table["pair"], where) if "pair" in table else None,
        where=_read_where(table.get("where", {}), where),
        target=limits["target"],
        acceptable=limits["acceptable"],
        **_read_habits(table, habits, where),  # type: ignore[arg-type]
    )
    _check_tiers(rule, where)
    return rule


def _check_tiers(rule: Rule, where: str) -> None:
    if rule.target is None and rule.acceptable is None:
        raise ConfigError("no limit is set", where=where, hint=_NO_LIMIT)
    if rule.target is None or rule.acceptable is None:
        return
    one, other = rule.target, rule.acceptable
    alike = one.is_relative and other.is_relative
    wide = other.share if alike else other.value
    narrow = one.share if alike else one.value
    if (alike or (one.kind, one.unit) == (other.kind, other.unit)) and narrow > wide:
        raise ConfigError(
            f"the target {one.text} is wider than what is acceptable, {other.text}",
            where=where,
            hint="the target is the stricter of the two",
        )


def _read_pair(value: object, where: str) -> tuple[str, str]:
    texts = tuple(value.split(":")) if isinstance(value, str) else value
    if isinstance(texts, (list, tuple)) and len(texts) == 2 and all(texts):
        baseline, variant = texts
        if isinstance(baseline, str) and isinstance(variant, str) and baseline != variant:
            return baseline, variant
    hint = 'write pair = ["baseline", "variant"]'
    raise ConfigError("pair does not name two variants", where=where, hint=hint)


def _read_where(value: object, where: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, Mapping):
        hint = 'write where = {benchmark = ["Ping"]}'
        raise ConfigError("where is not a table", where=where, hint=hint)
    return tuple((key, _read_values(found, key, where)) for key, found in value.items())


def _read_values(value: object, key: str, where: str) -> tuple[str, ...]:
    """Return texts; a param's level may be written as a number."""
    listed = value if isinstance(value, list) else [value]
    plain = [
        str(v) if isinstance(v, (int, float)) and not isinstance(v, bool) else v for v in listed
    ]
    return read_texts(plain, f"where.{key}", where)


def _read_habits(table: Mapping[str, object], habits: Habits, where: str) -> dict[str, object]:
    word = table.get("on_inconclusive", habits.on_inconclusive)
    if word not in ON_INCONCLUSIVE:
        raise unknown("on_inconclusive", str(word), ON_INCONCLUSIVE, where)
    runs = table.get("min_runs", habits.min_runs)
    if not isinstance(runs, int) or isinstance(runs, bool) or runs < FEWEST_RUNS:
        hint = f"write {FEWEST_RUNS} or more; two runs a side never gate"
        raise ConfigError(f"min_runs is {runs!r}", where=where, hint=hint)
    severities = habits.no_findings
    if "no_findings" in table:
        severities = read_texts(table["no_findings"], "no_findings", where)
        for severity in severities:
            if severity not in SEVERITIES:
                raise unknown("severity", severity, SEVERITIES, where)
    allowed = table.get("allow_other_machine", habits.allow_other_machine)
    if not isinstance(allowed, bool):
        hint = "write allow_other_machine = true"
        raise ConfigError("allow_other_machine is not true or false", where=where, hint=hint)
    return {
        "on_inconclusive": word, "min_runs": runs, "no_findings": severities,
        "allow_other_machine": allowed,
    }  # fmt: skip
