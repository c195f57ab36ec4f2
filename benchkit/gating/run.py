"""The gate from results to outcome: choose pairs and metrics, compare, apply the rules.

An impossible comparison is an outcome, too, so CI always gets a report that explains it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Protocol

from benchkit.errors import BenchkitError, ConfigError, DataError, ExitCode, Finding, MissingError
from benchkit.gating.choice import (
    Choice,
    Chosen,
    Loaded,
    Pairs,
    Requested,
    choose,
    is_of_baseline,
    lacks_baseline,
    list_baselines,
    require_names,
)
from benchkit.gating.events import NO_BASELINE, NOT_COMPARED, Occurrence
from benchkit.gating.exactness import list_worse
from benchkit.gating.incidents import list_added, list_equal, list_incidents, list_mixed
from benchkit.gating.judgement import judge_exact, judge_rules, judge_verdicts
from benchkit.gating.machines import find_unlike
from benchkit.gating.matching import Valid, list_unused, list_valid
from benchkit.gating.outcome import GateOutcome
from benchkit.gating.planted_incidents import describe_missed, plant, plant_incidents, read_answer
from benchkit.gating.policy import Policy
from benchkit.gating.result import GateResult, SelfTest
from benchkit.gating.undecidable import list_elsewhere, list_unjudged, undecide_rows
from benchkit.selection import list_baselines as list_called
from benchkit.verdict import Verdicts

if TYPE_CHECKING:
    from benchkit.config import Settings
    from benchkit.config.rules import Rule
    from benchkit.schema import Observations, Runs


class Compared(Protocol):
    """The parts of a comparison that the gate uses."""

    @property
    def verdicts(self) -> Verdicts: ...  # noqa: D102
    @property
    def findings(self) -> tuple[Finding, ...]: ...  # noqa: D102
    @property
    def runs(self) -> Runs: ...  # noqa: D102


class Results(Chosen, Loaded, Protocol):
    """Results that can be compared, like `benchkit.api.RunSet`."""

    @property
    def observations(self) -> Observations: ...  # noqa: D102
    @property
    def stale(self) -> Mapping[str, DataError]: ...  # noqa: D102
    @property
    def first_variant(self) -> str | None: ...  # noqa: D102
    @property
    def contested(self) -> Mapping[str, tuple[str, ...]]: ...  # noqa: D102
    @property
    def problems(self) -> Sequence[Finding]: ...  # noqa: D102
    def holding(self, observations: Observations) -> Results: ...  # noqa: D102
    def compare(  # noqa: D102
        self,
        *,
        pairs: Pairs,
        confidence: float,
        margin: float,
        metrics: Sequence[str],
        blocks: str,
        method: str,
    ) -> Compared: ...


def run_gate(
    load: Callable[[Sequence[str]], Results],
    policy: Policy,
    *,
    paths: Sequence[str] = (),
    baseline: str | None = None,
    variants: Sequence[str] | None = None,
    pairs: Pairs = (),
    self_test: bool = False,
    allow_missing: bool = False,
    strict: bool = False,
) -> GateResult:
    """Load, compare and decide.

    Parameters
    ----------
    load : callable
        Returns the results of paths.
    policy : Policy
    paths : sequence of str
        Each may begin with the label of its variant, ``base=results/1``.
    baseline, variants, pairs
        The subject of rules without a pair.
    self_test : bool
        Plant a regression in a copy of the data, rule by rule, and report whether it is noticed.
    allow_missing : bool
        Pass if no baseline is among the variants, or its path does not exist.
    strict : bool
        Fail if a file has an unknown format.

    Returns
    -------
    GateResult
        If nothing could be compared, its exit code is DATA.

    Raises
    ------
    ConfigError, BaselineError
        If the policy or the choice of a baseline cannot be used.
    """
    policy.refuse_empty()
    requested = Requested(baseline, variants, pairs)
    nothing = GateResult(
        outcome=GateOutcome(rules=()), title=policy.settings.title, policy=policy.origin
    )
    events: tuple[Occurrence, ...] = ()
    try:
        missing = list_baselines(policy, requested) if allow_missing else None

        def load_current(paths: Sequence[str]) -> Results:
            return _leave_out_stale(load(paths), policy, requested)

        results, is_lacking = _load_present(load_current, paths, missing)
        nothing = replace(nothing, diagnostics=tuple(results.diagnostics))
        events = _list_incidents(results, policy, requested, strict=strict)
        if elsewhere := list_elsewhere(results.problems, results.contested):
            nothing = replace(nothing, findings=tuple(results.problems))
            return replace(nothing, outcome=GateOutcome(rules=(), events=(*elsewhere, *events)))
        _require_current(results, policy, requested)
        if is_lacking:
            require_names(results.observations, policy, requested)
            events = (Occurrence(event=NO_BASELINE, action="pass"), *events)
            return replace(nothing, outcome=GateOutcome(rules=(), events=events))
        chosen = choose(results, policy, requested)
        compared = _compare(results, policy, chosen.default)
        outcome = decide(compared, policy, chosen)
        outcome = _enter(outcome, events, compared, policy)
        tested = None
        if self_test:
            tested = _test_itself(results, policy, chosen, outcome, compared.findings)
            tested = replace(tested, answers=_plant_incidents(results, policy, requested, outcome))
    except BenchkitError as error:
        if error.exit_code is not ExitCode.DATA:
            raise
        known = tuple(each for each in events if each.event is not NOT_COMPARED)
        unmeasured = {each.action for each in events if each.event is NOT_COMPARED}
        outcome = GateOutcome(
            rules=(), problem=_describe(error), events=known,
            problem_action="pass" if unmeasured == {"pass"} else "fail",
        )  # fmt: skip
        return replace(nothing, outcome=outcome)
    return replace(nothing, outcome=outcome, findings=compared.findings, self_test=tested)


def _describe(error: BenchkitError) -> str:
    """Say why nothing was compared, and which options are missing."""
    options = f"; for example with {join(error.options)}" if error.options else ""
    return f"{error}{options}".removeprefix("nothing to compare: ")


def _leave_out_stale(results: Results, policy: Policy, requested: Requested) -> Results:
    """Leave out other ingests' measurements of the variants; those of a baseline may count."""
    stale = set(results.stale) - _guess_baselines(results, policy, requested)
    if not stale:
        return results
    observations, runs = results.observations, results.runs
    is_stale = runs["variant"].isin(stale) & ~runs["role"].isin(["empty", "warmup"])
    return replace(  # type: ignore[type-var]
        results,
        observations=observations[~observations["variant"].isin(stale)],
        runs=runs[~is_stale],
        contested={name: of for name, of in results.contested.items() if name not in stale},
    )


def _require_current(results: Results, policy: Policy, requested: Requested) -> None:
    """Refuse to judge a variant that another ingest measured.

    Raises
    ------
    DataError
        If it was named, or no other variant remains.
    """
    baselines = _guess_baselines(results, policy, requested)
    pairs = (*requested.pairs, *(rule.pair for rule in policy.rules if rule.pair))
    named = {*(requested.variants or ()), *(variant for _, variant in pairs)}
    is_alone = not set(results.variants) - baselines
    for variant, error in results.stale.items():
        if variant in named or (is_alone and variant not in baselines):
            raise error


def _list_incidents(
    results: Results, policy: Policy, requested: Requested, *, strict: bool
) -> tuple[Occurrence, ...]:
    """List crashes and damage of the gate's variants; of all variants if none is named."""
    pairs = (*requested.pairs, *(rule.pair for rule in policy.rules if rule.pair))
    is_any_pair = len(pairs) < max(len(policy.rules), 1)
    is_open = is_any_pair and not requested.pairs and requested.variants is None
    variants = {*(requested.variants or ()), *(variant for _, variant in pairs)}
    baselines = _guess_baselines(results, policy, requested)
    return list_incidents(
        results.runs, results.reports, policy.habits, baselines=baselines, stale=results.stale,
        variants=None if is_open else variants, strict=strict,
    )  # fmt: skip


def _guess_baselines(results: Results, policy: Policy, requested: Requested) -> set[str]:
    """Return the variants that others are compared with, except the variants of pairs."""
    named = list_baselines(policy, requested)
    variants = {
        variant for _, variant in (*requested.pairs, *(r.pair for r in policy.rules if r.pair))
    }
    if named:
        return named - variants
    called = set(list_called([*results.runs["variant"], *results.contested]))
    return called or {results.first_variant or ""} - {""}


def gate(
    comparison: Compared, policy: Policy | Settings | Mapping[str, object] | str | Path
) -> GateResult:
    """Check a comparison against a policy.

    Parameters
    ----------
    comparison : Comparison
        With the metrics that the policy covers; name them in `RunSet.compare`.
    policy : Policy, Settings, mapping or path
        ``benchkit.toml``, or its content as a mapping.

    Returns
    -------
    GateResult
        ``.exit_code``, ``.has_passed``, ``.sentence`` and ``.outcome.rows``.

    Raises
    ------
    ConfigError
        If the policy cannot be read, or `comparison` is not a comparison.

    Examples
    --------
    >>> import benchkit as bk
    >>> comparison = bk.load("fixtures/tracing-wrk").compare(baseline="none", variant="apm")
    >>> bk.gate(comparison, {}).has_passed
    True
    """
    held = Policy.of(policy)
    if not hasattr(comparison, "verdicts"):
        raise ConfigError(
            f"expected a comparison, got {type(comparison).__name__}",
            where="gate",
            hint="pass what compare returns: bk.gate(results.compare(baseline=…), policy)",
        )
    held.refuse_empty()
    outcome = decide(comparison, held)
    pairs = comparison.verdicts.comparisons.pairs
    variants = {variant for _, variant in pairs}
    events = list_incidents(
        comparison.runs, (), held.habits, variants=variants,
        baselines={baseline for baseline, _ in pairs} - variants,
    )  # fmt: skip
    outcome = _enter(outcome, events, comparison, held)
    return GateResult(
        outcome=outcome, findings=comparison.findings, title=held.settings.title,
        policy=held.origin,
    )  # fmt: skip


def decide(
    compared: Compared,
    policy: Policy,
    chosen: Choice | None = None,
    findings: Sequence[Finding] | None = None,
) -> GateOutcome:
    """Check a comparison against a policy; without findings, use its own."""
    comparisons, chosen = compared.verdicts.comparisons, chosen or Choice()
    audited = compared.findings if findings is None else findings
    unlike = find_unlike(compared.runs, comparisons.pairs, audited)
    baselines = [baseline for baseline, _ in comparisons.pairs]

    def acceptances(rule: Rule) -> Valid:
        return list_valid(rule.accept, compared.runs, baselines)

    if policy.rules:
        outcome = judge_rules(
            comparisons, policy.rules, audited, chosen.default, unlike, chosen.named, acceptances
        )
        held = outcome.rules
        exact = judge_exact(compared.verdicts, policy.habits, held, audited, unlike, acceptances)
        outcome = replace(outcome, rules=(*held, *exact))
    else:
        outcome = judge_verdicts(
            compared.verdicts, policy.habits, audited, unlike, chosen.named, acceptances
        )
    unjudged = () if policy.rules else list_unjudged(comparisons, policy.habits.on_undecided)
    added = list_added(comparisons.pairs, comparisons.only_in)
    events = (*added, *unjudged, *list_unused(outcome.rules))
    outcome = undecide_rows(outcome, comparisons, compared.runs)
    return replace(outcome, events=events, worse=list_worse(compared.verdicts))


def _enter(
    outcome: GateOutcome, incidents: Sequence[Occurrence], compared: Compared, policy: Policy
) -> GateOutcome:
    """Return an outcome with events of the runs, and the variants that cannot be compared."""
    comparisons = compared.verdicts.comparisons
    mixed = list_mixed(compared.findings, comparisons.pairs, policy.habits)
    is_named = any(each.event is NOT_COMPARED for each in incidents)
    equal = () if is_named else list_equal(comparisons.contrasts, compared.runs)
    return replace(outcome, events=(*outcome.events, *incidents, *mixed, *equal))


def _compare(results: Results, policy: Policy, default: Pairs) -> Compared:
    of_rules = [rule.pair for rule in policy.rules if rule.pair]
    settings = policy.settings
    return results.compare(
        pairs=tuple(dict.fromkeys((*default, *of_rules))), confidence=settings.confidence,
        margin=settings.margin, metrics=policy.metrics, blocks=settings.blocks,
        method=settings.method,
    )  # fmt: skip


def _load_present(
    load: Callable[[Sequence[str]], Results], paths: Sequence[str], missing: set[str] | None
) -> tuple[Results, bool]:
    """Load the results; return whether the baseline is missing although it need not exist."""
    try:
        results = load(paths)
    except MissingError as error:
        rest = [path for path in paths if path != error.argument]
        is_first = paths[:1] == [error.argument]
        if missing is None or not rest:
            raise
        if not is_of_baseline(error.argument, missing, is_first=is_first):
            raise
        results = load(rest)
        if not lacks_baseline(results, missing):
            raise
        return results, True
    return results, missing is not None and lacks_baseline(results, missing)


def _test_itself(
    results: Results,
    policy: Policy,
    chosen: Choice,
    outcome: GateOutcome,
    findings: Sequence[Finding],
) -> SelfTest:
    """Plant a regression for each rule; oddities caused by the planting bar no rule."""
    planted, unseen = 0, list[str]()
    for rule in outcome.rules:
        copy = results.holding(plant(results.observations, rule.rows))
        seen = decide(_compare(copy, policy, chosen.default), policy, chosen, findings)
        planted += max(len(rule.rows), 1)
        unseen += describe_missed(rule, seen)
    return SelfTest(planted=planted, unseen=tuple(unseen))


def _plant_incidents(
    results: Results, policy: Policy, requested: Requested, outcome: GateOutcome
) -> dict[str, str]:
    """Run the whole gate on each planted incident, and return its reactions."""
    if not outcome.rows:
        return {}
    answers = {}
    for name, planted in plant_incidents(results, outcome.rows[0].contrast):
        held = run_gate(
            partial(_get_first, planted), policy, baseline=requested.baseline,
            variants=requested.variants, pairs=requested.pairs,
        )  # fmt: skip
        answers[name] = read_answer(name, held.outcome)
    return answers


def _get_first(results: Results, _: Sequence[str]) -> Results:
    return results
