"""Rules over runs, observations and comparisons that report what readers have to know.

All audit rules, in the order in which their findings are shown.

Each rule is one function in one file of this package; only this module lists them.

Audit rules of other packages: entry points of the group ``benchkit.rules``.

A team's knowledge of its benchmarks is a rule in its own package, shown in the report with those of
benchkit.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from inspect import getdoc
from typing import TYPE_CHECKING

from benchkit.audit.achieved import find_backlogs, find_failures, find_missed_rates
from benchkit.audit.concurrency import find_hidden_stalls, find_impossible_means
from benchkit.audit.copies import (
    find_doubled_sides,
    find_equal_runs,
    find_equal_sides,
    find_pasted,
    find_shared_outputs,
)
from benchkit.audit.facts import Evidence, gather
from benchkit.audit.inside import find_changing_runs, find_components, find_disturbances, find_waves
from benchkit.audit.machine import (
    find_limited_containers,
    find_local_generators,
    find_other_hosts,
    find_shared_cores,
)
from benchkit.audit.names import (
    explain_nothing,
    find_numbered_names,
    find_other_params,
    find_other_units,
    find_partly_missing,
    find_unmatched_names,
)
from benchkit.audit.order import find_drift, find_fixed_first, find_one_sided_order
from benchkit.audit.outliers import (
    find_coarse_values,
    find_far_runs,
    find_two_states,
    find_unequal_spreads,
)
from benchkit.audit.replication import (
    find_broken_series,
    find_few_runs,
    find_generators,
    find_joined_files,
    find_left_out,
    find_lost_runs,
    find_single_runs,
    find_thin_tails,
)
from benchkit.audit.sides import (
    find_changed_shares,
    find_other_answers,
    find_other_bodies,
    find_other_connections,
    find_other_lengths,
    find_other_loads,
    find_other_machines,
    find_other_origins,
    find_other_queries,
    find_other_versions,
)
from benchkit.audit.spans import find_span_errors
from benchkit.audit.totals import (
    find_disagreements,
    find_impossible_pvalues,
    find_wrong_order,
    find_wrong_totals,
)
from benchkit.codes import as_pandas
from benchkit.comparison import Comparisons
from benchkit.derived.record import Run, keep
from benchkit.derived.stretches import Batches
from benchkit.derived.sweep import is_only_swept
from benchkit.errors import SEVERITIES, BenchkitError, Finding, rank

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs

Rule = Callable[[Comparisons, "Runs"], Iterator[Finding]]
InsideRule = Callable[[Comparisons, Batches], Iterator[Finding]]
SideRule = Callable[[Comparisons, Evidence], Iterator[Finding]]
RunRule = Callable[[Evidence], Iterator[Finding]]

#: Over the comparison and the table of runs.
RULES: tuple[Rule, ...] = (
    find_unmatched_names,
    find_other_params,
    find_other_units,
    find_numbered_names,
    find_other_origins,
    find_equal_sides,
    find_doubled_sides,
    find_pasted,
    find_single_runs,
    find_few_runs,
    find_joined_files,
    find_partly_missing,
    find_broken_series,
    find_left_out,
    find_one_sided_order,
    find_fixed_first,
    find_drift,
    find_far_runs,
    find_coarse_values,
    find_two_states,
    find_unequal_spreads,
    find_thin_tails,
)
#: Over the comparison and the segments of runs.
INSIDE_RULES: tuple[InsideRule, ...] = (find_waves, find_changing_runs, find_components)
#: Over the two sides of the comparison.
SIDE_RULES: tuple[SideRule, ...] = (
    find_other_versions,
    find_other_machines,
    find_other_hosts,
    find_other_lengths,
    find_other_queries,
    find_other_connections,
    find_other_bodies,
    find_other_loads,
    find_other_answers,
    find_changed_shares,
)
#: Over runs alone.
RUN_RULES: tuple[RunRule, ...] = (
    find_equal_runs,
    find_shared_outputs,
    find_wrong_totals,
    find_wrong_order,
    find_impossible_means,
    find_missed_rates,
    find_backlogs,
    find_failures,
    find_hidden_stalls,
    find_local_generators,
    find_shared_cores,
    find_limited_containers,
    find_span_errors,
    find_impossible_pvalues,
)
GROUP = "benchkit.rules"

#: The target of an entry point: a function of both tables that yields findings.
PluginRule = Callable[["Observations", "Runs"], Iterable[Finding]]


def audit(
    comparisons: Comparisons, runs: Runs, observations: Observations | None = None
) -> tuple[Finding, ...]:
    """Apply every rule to a comparison.

    Parameters
    ----------
    observations : Observations, optional
        Without them, the rules that look at single values are skipped.

    Returns
    -------
    tuple of Finding
        The most severe first.
    """
    findings = [finding for rule in RULES for finding in rule(comparisons, runs)]
    findings += find_lost_runs(runs)
    if observations is not None:
        names = {name for pair in comparisons.pairs for name in pair}
        evidence = gather(
            keep(observations, observations["variant"].isin(names)),
            keep(runs, runs["variant"].isin(names)),
        )
        kept = _keep(evidence, comparisons)
        findings += _audit_sides(comparisons, kept)
        findings += _audit_inside(comparisons, observations)
        findings += _audit_runs(kept)
        findings += find_disagreements(observations)
        findings += [*find_generators(runs), *find_disturbances(runs)]
        findings += apply_plugins(observations, runs)
    return rank(findings)


def check(
    observations: Observations, runs: Runs, sides: Comparisons | BenchkitError | None = None
) -> tuple[Finding, ...]:
    """Apply every rule to all runs, compared or not.

    Parameters
    ----------
    sides : Comparisons or BenchkitError, optional
        Without comparisons, the rules over two sides are skipped; B200 gives the reason, or B205 if
        there is a sweep to show instead.

    Returns
    -------
    tuple of Finding
        The most severe first.
    """
    evidence = gather(observations, runs)
    findings = [*_audit_runs(evidence), *find_disagreements(observations), *find_generators(runs)]
    findings += [*find_disturbances(runs), *find_lost_runs(runs)]
    findings += apply_plugins(observations, runs)
    if isinstance(sides, Comparisons):
        findings += [finding for rule in RULES for finding in rule(sides, runs)]
        findings += _audit_sides(sides, _keep(evidence, sides))
        findings += _audit_inside(sides, observations)
    elif sides is not None and is_only_swept(observations, runs):
        findings += explain_nothing(sides)
    elif sides is not None:
        findings.append(_pass_over(sides))
    return rank(findings)


def _pass_over(error: BenchkitError) -> Finding:
    return Finding(
        code="B200",
        severity="info",
        message="nothing was compared, so the rules that compare two sides were skipped: "
        f"{error.what}",
        remedy=error.hint,
    )


def _audit_sides(comparisons: Comparisons, evidence: Evidence) -> Iterator[Finding]:
    return (finding for rule in SIDE_RULES for finding in rule(comparisons, evidence))


def _audit_inside(comparisons: Comparisons, observations: Observations) -> Iterator[Finding]:
    batches = Batches(observations)
    return (finding for rule in INSIDE_RULES for finding in rule(comparisons, batches))


def _audit_runs(evidence: Evidence) -> Iterator[Finding]:
    return (finding for rule in RUN_RULES for finding in rule(evidence))


def _keep(evidence: Evidence, comparisons: Comparisons) -> Evidence:
    """Leave out measured runs of series that were not compared."""
    compared = {c.workload for c in comparisons.contrasts}

    def is_compared(run: Run) -> bool:
        return run.side.workload in compared

    def is_meant(run: Run) -> bool:
        return run.role != "measured" or is_compared(run)

    return Evidence(
        tuple(same for same in evidence.repeated if is_meant(same.run)),
        tuple(sheet for sheet in evidence.sheets if is_meant(sheet.run)),
        tuple(account for account in evidence.accounts if is_compared(account.run)),
        starts=evidence.starts,
    )


def apply_plugins(observations: Observations, runs: Runs) -> Iterator[Finding]:
    """Yield the findings of other packages' rules; warn about a rule that fails.

    Each rule receives a copy, which it may modify.

    Parameters
    ----------
    runs : Runs
        Of every role.
    """
    for name, rule in _plugin_rules():
        try:
            copies = deepcopy((as_pandas(observations), as_pandas(runs)))
            findings = [_require_finding(result) for result in rule(*copies)]
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plug-in may fail in any way
            warnings.warn(f"audit rule {name} failed: {error}", stacklevel=2)
            continue
        except KeyboardInterrupt:  # it may hang
            warnings.warn(f"interrupted while audit rule {name} was running", stacklevel=2)
            raise
        yield from findings


def load_rules(points: Iterable[EntryPoint]) -> tuple[tuple[str, PluginRule], ...]:
    """Import the rules that ``points`` name; warn about those that cannot be loaded."""
    loaded = []
    for point in points:
        try:
            rule = point.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - as above
            warnings.warn(
                f"audit rule {point.name} ({point.value}) cannot be loaded: {error}", stacklevel=2
            )
            continue
        if callable(rule):
            loaded.append((point.name, rule))
        else:
            warnings.warn(
                f"audit rule {point.name} ({point.value}) is not a function", stacklevel=2
            )
    return tuple(loaded)


def may_be_plugged(code: str) -> bool:
    """Return whether a code may belong to another package: ``B`` and a digit is ours."""
    return bool(_plugin_rules()) and re.match(r"B\d", code) is None


def find_documented(code: str) -> tuple[tuple[str, str], ...]:
    """Return name and docstring of each rule of another package whose docstring mentions a code.

    Parameters
    ----------
    code : str
        In upper or lower case.
    """
    prefix = code.upper()
    documented = ((name, getdoc(rule) or "") for name, rule in _plugin_rules())
    return tuple((name, text) for name, text in documented if prefix in _words(text))


def _words(text: str) -> set[str]:
    return {word.strip("`'\"*.,:;()").upper() for word in text.split()}


@cache
def _plugin_rules() -> tuple[tuple[str, PluginRule], ...]:
    return load_rules(sorted(entry_points(group=GROUP), key=lambda point: point.name))


def _require_finding(result: object) -> Finding:
    if not isinstance(result, Finding) or result.severity not in SEVERITIES:
        raise TypeError(
            f"expected a Finding with a severity among {', '.join(SEVERITIES)}, got {result!r}"
        )
    return result
