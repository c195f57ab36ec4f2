"""The rules of the regression gate, as ``benchkit.toml`` and ``--max-overhead`` write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from benchkit.config.acceptance import Acceptance, parse_acceptances
from benchkit.config.files import (
    as_key,
    list_keys,
    read_shown,
    read_text,
    read_texts,
    require_keys,
    unknown,
)
from benchkit.config.limits import Limit, parse_limit
from benchkit.errors import ConfigError
from benchkit.metrics import split_metric
from benchkit.redaction import redact_text

Action = Literal["pass", "warn", "fail"]
ACTIONS: tuple[str, ...] = get_args(Action)
_ACTION = "|".join(ACTIONS)
SEVERITIES = ("info", "warning", "error")
#: Minimum number of runs per side for any limit; two runs never gate.
FEWEST_RUNS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """Defaults for all rules: ``[policy]``."""

    on_inconclusive: Action = field(
        default="warn", metadata=as_key(_ACTION, "a row is inconclusive")
    )
    on_undecided: Action = field(
        default="fail",
        metadata=as_key(
            _ACTION, "a row cannot be decided: too few runs, another machine, no valid method"
        ),
    )
    on_missing: Action = field(
        default="fail",
        metadata=as_key(
            _ACTION, "a benchmark or metric of the baseline is missing, and a rule covers it"
        ),
    )
    on_failure: Action = field(
        default="fail",
        metadata=as_key(_ACTION, "a run failed: panic, FAIL, non-zero exit, crossed threshold"),
    )
    on_damaged: Action = field(
        default="fail", metadata=as_key(_ACTION, "a file of a known tool is damaged")
    )
    exact: Action = field(
        default="fail",
        metadata=as_key(
            _ACTION,
            (
                "a metric without a limit got worse: more allocations, or an increase in bytes by "
                "more than the margin"
            ),
        ),
    )
    min_runs: int = field(
        default=FEWEST_RUNS,
        metadata=as_key("whole number", "fewest runs per side for a verdict"),
    )
    no_findings: tuple[str, ...] = field(
        default=(),
        metadata=as_key(
            "texts", f"findings of these severities fail the gate: {', '.join(SEVERITIES)}"
        ),
    )
    allow_other_machine: bool = field(
        default=False,
        metadata=as_key("true or false", "accept a baseline from another machine"),
    )
    accept: tuple[Acceptance, ...] = ()

    @property
    def of_rules(self) -> dict[str, Any]:
        """Those that a rule sets itself."""
        return {key: getattr(self, key) for key in (*RULE_HABITS, "accept")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One ``[[gate]]``; fields of `Habits` that it does not set come from ``[policy]``."""

    name: str = field(metadata=as_key("text", "name of the rule in all outputs"))
    metric: str = field(
        metadata=as_key(
            "text", ("`metric` or `metric.stat`; without a statistic, the metric's main one")
        )
    )
    stat: str = field(default="", metadata=as_key("text", "the statistic, if not part of `metric`"))
    pair: tuple[str, str] | None = field(
        default=None,
        metadata=as_key(
            "texts", "baseline and variant; default: every variant against the baseline"
        ),
    )
    where: tuple[tuple[str, tuple[str, ...]], ...] = field(
        default=(),
        metadata=as_key(
            "table",
            "columns or params, and the values to gate; values may contain `*` and must exist",
        ),
    )
    target: Limit | None = field(
        default=None,
        metadata=as_key("limit", ("a stricter limit than `acceptable`; set one or both")),
    )
    acceptable: Limit | None = field(
        default=None, metadata=as_key("limit", "the largest acceptable cost")
    )
    on_inconclusive: Action = "warn"
    on_undecided: Action = "fail"
    on_missing: Action = "fail"
    min_runs: int = FEWEST_RUNS
    no_findings: tuple[str, ...] = ()
    allow_other_machine: bool = False
    accept: tuple[Acceptance, ...] = ()

    @property
    def limit(self) -> Limit:
        """The limit: above acceptable, or above the target if that is the only one."""
        limit = self.acceptable or self.target
        if limit is None:
            raise ConfigError("a rule without a limit", where=self.name, hint=_NO_LIMIT)
        return limit

    @property
    def is_default(self) -> bool:
        """Whether it is the default rule: no primary metric may regress."""
        return not self.metric

    @property
    def label(self) -> str:
        """Metric and stat as they are written: ``latency.p50``."""
        return f"{self.metric}.{self.stat}" if self.stat else self.metric


_NO_LIMIT = 'add acceptable = "5%", target = "1%", or both'
_RULE_ACTIONS = ("on_inconclusive", "on_undecided", "on_missing")
_ACTIONS = (*_RULE_ACTIONS, "on_failure", "on_damaged", "exact")
#: The habits that a rule may set itself.
RULE_HABITS = (*_RULE_ACTIONS, "min_runs", "no_findings", "allow_other_machine")
_KEYS = (*list_keys(Rule), *RULE_HABITS, "accept")


def parse_habits(table: Mapping[str, object], where: str) -> Habits:
    """Read ``[policy]``.

    Examples
    --------
    >>> parse_habits({"on_inconclusive": "fail"}, "x").on_inconclusive
    'fail'
    """
    require_keys(table, list_keys(Habits), where)
    return Habits(**_read_habits(table, Habits(), _ACTIONS, where))


def parse_rules(tables: object, habits: Habits, where: str) -> tuple[Rule, ...]:
    """Read every ``[[gate]]``.

    Raises
    ------
    ConfigError
        If a key is unknown, a value has the wrong type, or two rules share a name.
    """
    if not isinstance(tables, list) or not all(isinstance(table, Mapping) for table in tables):
        raise ConfigError("`gate` is not a list of tables", where=where, hint="use [[gate]]")
    if not tables:
        hint = f"use [[gate]] with {_NO_LIMIT.removeprefix('add ')}; or remove it"
        raise ConfigError("gate is empty, so no limit is set", where=where, hint=hint)
    rules = tuple(
        _parse(table, habits, f"{where} [[gate]] {table.get('name', number)}")
        for number, table in enumerate(tables, 1)
    )
    counts = Counter(rule.name for rule in rules)
    for name, count in counts.items():
        if count > 1:
            raise ConfigError(
                f"two rules are named {name!r}", where=where, hint="rename one of them"
            )
    return rules


def parse_overheads(texts: Sequence[str], habits: Habits) -> tuple[Rule, ...]:
    """Parse ``METRIC[.STAT]=LIMIT`` texts, one rule each.

    Examples
    --------
    >>> (rule,) = parse_overheads(["latency.p50=5%"], Habits())
    >>> rule.metric, rule.stat, rule.limit.value
    ('latency', 'p50', 0.05)
    >>> [rule.name for rule in parse_overheads(["median latency = 5%"], Habits())]
    ['latency.p50=5%']
    """
    where = "--max-overhead"
    rules = []
    for text in dict.fromkeys(texts):
        name, equals, limit = text.partition("=")
        metric, stat = split_metric(name.strip())
        if not (equals and metric):
            hint = "use METRIC[.STAT]=LIMIT, e.g. latency.p50=5%"
            raise ConfigError(f"{redact_text(text)!r} has no limit", where=where, hint=hint)
        rules.append(
            Rule(
                name=f"{metric}{'.' if stat else ''}{stat}={limit}".replace(" ", ""),
                metric=metric,
                stat=stat,
                acceptable=_parse_overhead(text, limit, where),
                **habits.of_rules,
            )
        )
    return tuple(rules)


def _parse_overhead(text: str, limit: str, where: str) -> Limit:
    """Parse the limit of an option; an invalid one may be a secret, judging by its name."""
    try:
        return parse_limit(limit, where)
    except ConfigError as error:
        shown = redact_text(text)
        if shown == text:
            raise
        raise ConfigError(f"{shown!r} has no limit", where=where, hint=error.hint) from None


def _parse(table: Mapping[str, object], habits: Habits, where: str) -> Rule:
    require_keys(table, _KEYS, where)
    if "metric" not in table:
        raise ConfigError("no metric", where=where, hint='add metric = "latency.p50"')
    metric, stat = split_metric(read_text(table["metric"], "metric", where))
    if "stat" in table:
        if stat:
            hint = 'use metric = "latency" and stat = "p50", or metric = "latency.p50"'
            raise ConfigError("the statistic is given twice", where=where, hint=hint)
        stat = read_text(table["stat"], "stat", where)
    limits = {
        key: parse_limit(table[key], f"{where} {key}") if key in table else None
        for key in ("target", "acceptable")
    }
    rule = Rule(
        name=read_shown(table.get("name", f"{metric}.{stat}".rstrip(".")), "name", where),
        metric=metric,
        stat=stat,
        pair=_read_pair(table["pair"], where) if "pair" in table else None,
        where=_read_where(table.get("where", {}), where),
        target=limits["target"],
        acceptable=limits["acceptable"],
        accept=parse_acceptances(table["accept"], where) if "accept" in table else (),
        **_read_habits(table, habits, _RULE_ACTIONS, where),
    )
    _check_tiers(rule, where)
    return rule


def _check_tiers(rule: Rule, where: str) -> None:
    if rule.target is None and rule.acceptable is None:
        raise ConfigError("no limit", where=where, hint=_NO_LIMIT)
    if rule.target is None or rule.acceptable is None:
        return
    one, other = rule.target, rule.acceptable
    alike = one.is_relative and other.is_relative
    wide = other.share if alike else other.value
    narrow = one.share if alike else one.value
    if (alike or (one.kind, one.unit) == (other.kind, other.unit)) and narrow > wide:
        raise ConfigError(
            f"the target {one.text} is wider than the acceptable {other.text}",
            where=where,
            hint="the target must be the stricter of the two",
        )


def _read_pair(value: object, where: str) -> tuple[str, str]:
    texts = tuple(value.split(":")) if isinstance(value, str) else value
    if isinstance(texts, (list, tuple)) and len(texts) == 2 and all(texts):
        baseline, variant = texts
        if isinstance(baseline, str) and isinstance(variant, str) and baseline != variant:
            return baseline, variant
    hint = 'use pair = ["baseline", "variant"]'
    raise ConfigError("`pair` does not name two variants", where=where, hint=hint)


def _read_where(value: object, where: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, Mapping):
        hint = 'use where = {benchmark = ["Ping"]}'
        raise ConfigError("`where` is not a table", where=where, hint=hint)
    return tuple((key, _read_values(entry, key, where)) for key, entry in value.items())


def _read_values(value: object, key: str, where: str) -> tuple[str, ...]:
    """Return texts; a param's level may be written as a number."""
    listed = value if isinstance(value, list) else [value]
    plain = [
        str(v) if isinstance(v, (int, float)) and not isinstance(v, bool) else v for v in listed
    ]
    return read_texts(plain, f"where.{key}", where)


def _read_habits(
    table: Mapping[str, object], habits: Habits, actions: Sequence[str], where: str
) -> dict[str, Any]:
    words = {key: table.get(key, getattr(habits, key)) for key in actions}
    for key, word in words.items():
        if word not in ACTIONS:
            raise unknown(key, str(word), ACTIONS, where)
    runs = table.get("min_runs", habits.min_runs)
    if not isinstance(runs, int) or isinstance(runs, bool) or runs < FEWEST_RUNS:
        hint = f"use {FEWEST_RUNS} or more; two runs per side are too few for a gate"
        raise ConfigError(f"min_runs is {runs!r}", where=where, hint=hint)
    severities = habits.no_findings
    if "no_findings" in table:
        severities = read_texts(table["no_findings"], "no_findings", where)
        for severity in severities:
            if severity not in SEVERITIES:
                raise unknown("severity", severity, SEVERITIES, where)
    allowed = table.get("allow_other_machine", habits.allow_other_machine)
    if not isinstance(allowed, bool):
        hint = "use allow_other_machine = true"
        raise ConfigError("allow_other_machine must be true or false", where=where, hint=hint)
    return {
        **words, "min_runs": runs, "no_findings": severities, "allow_other_machine": allowed,
    }  # fmt: skip
