"""Parts shown next to the comparison: sweeps, resources, spans, as sentences and tables.

The terminal and the report show the same parts, and both explain why a part is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from benchkit.comparison import estimate_outside
from benchkit.comparison.dose import FEWEST as FEWEST_DOSES
from benchkit.comparison.dose import list_responses, read_doses
from benchkit.derived.accounts import list_accounts
from benchkit.derived.containers import BACKEND, role_of
from benchkit.derived.costs import list_costs
from benchkit.derived.record import Measured, list_measured, measures_load
from benchkit.derived.requests import HeldLoad, list_held, read_usage
from benchkit.derived.saturation import DEFAULT, Saturation, find_saturations, parse_rule
from benchkit.derived.sweep import FEWEST
from benchkit.derived.usage import list_uses
from benchkit.errors import NO_MATHS
from benchkit.schema import Labels
from benchkit.tables.model import Table
from benchkit.tables.sentence import bullets, headline
from benchkit.units import printable
from benchkit.verdict import Verdicts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchkit.errors import Finding
    from benchkit.schema import Observations, Runs

#: The finding on a variant in which two measurements are counted as one.
_MIXED = "B111"
_NO_DOSES = (
    f"No dose-response table: it needs a benchmark with at least {FEWEST_DOSES} variants whose "
    "names are a number (the dose), such as 4, or end in one after an equals sign, such as "
    "spans=4, or that have a number in the plan of `capture`, such as spans = 4."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part shown next to the comparison.

    Parameters
    ----------
    lines : tuple of str
        Sentences.
    tables, folded : tuple of Table
        Visible tables, and tables behind a click; both empty if there is nothing to show.
    missing : str
        Why there is nothing to show.
    saturations : tuple of Saturation
        The data of the tables of sweeps, for their figure.
    caveat : str
        What a reader must know before the verdict.
    """

    title: str
    lines: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    folded: tuple[Table, ...] = ()
    missing: str = ""
    saturations: tuple[Saturation, ...] = ()
    caveat: str = ""

    def __str__(self) -> str:
        """Write the visible tables and the sentences, or why there are none."""
        lines = "\n".join(map(printable, self.lines)) if self.tables else self.missing
        return "\n\n".join(filter(None, [*map(str, self.tables), lines]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        lines = self.lines if self.tables else (self.missing,)
        tables = "".join(table._repr_html_() for table in self.tables)
        return tables + "".join(f"<p {NO_MATHS}>{escape(printable(line))}</p>" for line in lines)


def build_parts(
    verdicts: Verdicts, runs: Runs | None, observations: Observations | None, knee: str = DEFAULT
) -> dict[str, Part]:
    """Build ``dose``, ``held``, ``sweep``, ``resources`` and ``spans``.

    Parameters
    ----------
    runs, observations : Runs, Observations or None
        If either is None, no part is built.
    knee : str
        The rule for the knee of a sweep.

    Raises
    ------
    ConfigError
        If the rule does not exist.
    """
    if runs is None or observations is None:
        return {}
    variants = {name for pair in verdicts.comparisons.pairs for name in pair}
    listed = list_measured(runs) if measures_load(observations, runs) else []
    measured = [run for run in listed if run.variant in variants or not variants]
    confidence = verdicts.comparisons.confidence
    sweeps = find_saturations(observations, runs, parse_rule(knee), variants, confidence)
    return {
        "dose": _doses(verdicts, runs),
        "held": _held(verdicts, list_held(observations, measured, runs)),
        "sweep": _sweeps(sweeps),
        "resources": _resources(verdicts, runs, observations, measured, listed),
        "spans": _spans(observations, measured),
    }


def lead(verdicts: Verdicts, parts: Mapping[str, Part], findings: Sequence[Finding] = ()) -> str:
    """State in the first line what the comparison shows, or what a sweep shows if there is none.

    A variant in which two measurements count as one comes first: no verdict on it can be trusted.
    """
    shown = _lead(verdicts, parts)
    compared = {name for pair in verdicts.comparisons.pairs for name in pair}
    mixed = [f.where for f in findings if f.code == _MIXED and f.where in compared]
    if not mixed:
        return shown
    names = printable(" and ".join(dict.fromkeys(mixed)))
    return (
        f"~ Inconclusive: two measurements of {names} count as one ({_MIXED}). Taken together, "
        f"{shown[2:]}"
    )


def _lead(verdicts: Verdicts, parts: Mapping[str, Part]) -> str:
    part = parts.get("sweep")
    if verdicts.rows or part is None or not part.saturations:
        return headline(verdicts)
    from benchkit.tables.sweep import lead_sweeps

    return lead_sweeps(part.saturations)


def follow(verdicts: Verdicts, parts: Mapping[str, Part]) -> tuple[str, ...]:
    """State in at most three lines what does not fit into the first one, starting with caveats."""
    return bullets(verdicts, tuple(part.caveat for part in parts.values() if part.caveat))


def _doses(verdicts: Verdicts, runs: Runs) -> Part:
    contrasts = (row.contrast for row in verdicts.rows)
    responses = list_responses(contrasts, verdicts.comparisons.confidence, read_doses(runs))
    if not responses:
        return Part(title="Dose and response", missing=_NO_DOSES)
    from benchkit.tables.dose import describe_doses, dose_tables, slope_table

    return Part(
        title="Dose and response",
        lines=describe_doses(responses),
        tables=(slope_table(responses),),
        folded=dose_tables(responses),
    )


def _held(verdicts: Verdicts, loads: Sequence[HeldLoad]) -> Part:
    if loads:
        from benchkit.tables.held import describe_held, held_table

        if table := held_table(loads, verdicts):
            return Part(title="Fixed rate", lines=describe_held(loads, verdicts), tables=(table,))
    missing = (
        "No latency at a fixed rate: no variant and its baseline were both measured at a fixed "
        "rate."
    )
    return Part(title="Fixed rate", missing=missing)


def _sweeps(saturations: Sequence[Saturation]) -> Part:
    if not saturations:
        missing = f"No sweep: no benchmark has {FEWEST} levels of load or more."
        return Part(title="Load", missing=missing)
    from benchkit.tables.sweep import describe_sweep, sweep_table

    return Part(
        title="Load",
        lines=tuple(describe_sweep(each) for each in saturations),
        tables=tuple(sweep_table(each) for each in saturations),
        saturations=tuple(saturations),
    )


def shown_apart(parts: Mapping[str, Part]) -> frozenset[str]:
    """Return the metrics that a part shows, so that the table of other metrics can omit them."""
    resources = parts.get("resources")
    if not resources or not resources.tables:
        return frozenset()
    from benchkit.tables.resources import SHOWN

    return SHOWN


def _resources(
    verdicts: Verdicts,
    runs: Runs,
    observations: Observations,
    measured: Sequence[Measured],
    listed: Sequence[Measured],
) -> Part:
    uses, costs = list_uses(observations, measured), list_costs(observations, listed, runs)
    if uses or costs:
        from benchkit.tables.resources import describe_resources, resource_tables

        outside = estimate_outside(costs, (row.contrast for row in verdicts.rows), runs)
        if tables := resource_tables(uses, costs, verdicts, outside):
            lines = describe_resources(uses, costs, verdicts)
            return Part(title="Resources", lines=lines, tables=tables)
    missing = "No table of resources: no container's CPU was sampled within a run."
    return Part(title="Resources", missing=missing)


def _spans(observations: Observations, measured: Sequence[Measured]) -> Part:
    accounts = list_accounts(observations, measured)
    if not accounts:
        return Part(title="Spans", missing="No table of spans: none were counted.")
    from benchkit.tables.spans import describe_losses, describe_spans, spans_tables

    tables = spans_tables(accounts, _backend_cores(observations, measured))
    lines, caveat = describe_spans(accounts), describe_losses(accounts)
    return Part(title="Spans", lines=lines, tables=tables[:1], folded=tables[1:], caveat=caveat)


def _backend_cores(observations: Observations, measured: Sequence[Measured]) -> dict[Labels, float]:
    used = read_usage(observations)
    cores_by_run = {}
    for run in measured:
        usage = used.get(run.key, {}).items()
        backends = [cores for name, cores in usage if role_of(name, run.env) in BACKEND]
        if backends:
            cores_by_run[run.key] = sum(backends)
    return cores_by_run
