"""What is shown beside the comparison: resources, spans, each with its sentences and tables.

In: verdicts, runs and observations. Out: `Part`s by name. Why: the terminal and the report show the
same parts, and both say why one is not there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.derived.accounts import list_accounts
from benchkit.derived.containers import BACKEND, role_of
from benchkit.derived.costs import list_costs
from benchkit.derived.record import Measured, list_measured
from benchkit.derived.requests import Key, read_usage
from benchkit.derived.uses import list_uses
from benchkit.tables.model import Table
from benchkit.tables.resources import SHOWN, describe_resources, resource_tables
from benchkit.tables.spans import describe_spans, spans_tables
from benchkit.verdict import Verdicts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchkit.schema import Observations, Runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One subject beside the comparison.

    Parameters
    ----------
    title : str
    lines : tuple of str
        Sentences.
    tables, folded : tuple of Table
        In sight, and behind a click; both empty where there is nothing to show.
    missing : str
        Why there is nothing.
    """

    title: str
    lines: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    folded: tuple[Table, ...] = ()
    missing: str = ""


def build_parts(
    verdicts: Verdicts, runs: Runs | None, observations: Observations | None
) -> dict[str, Part]:
    """Build ``resources`` and ``spans``.

    Parameters
    ----------
    verdicts : Verdicts
    runs, observations : Runs, Observations or None
        Without either no part is built.
    """
    if runs is None or observations is None:
        return {}
    variants = {name for pair in verdicts.comparisons.pairs for name in pair}
    measured = [run for run in list_measured(runs) if run.variant in variants]
    return {
        "resources": _resources(verdicts, runs, observations, measured),
        "spans": _spans(observations, measured),
    }


def shown_apart(parts: Mapping[str, Part]) -> frozenset[str]:
    """Return the metrics that a part shows, so that the table of all others need not."""
    told = parts.get("resources")
    return SHOWN if told and told.tables else frozenset()


def _resources(
    verdicts: Verdicts, runs: Runs, observations: Observations, measured: Sequence[Measured]
) -> Part:
    uses, costs = list_uses(observations, measured), list_costs(observations, measured, runs)
    tables = resource_tables(uses, costs, verdicts)
    if not tables:
        missing = "No table of resources: no CPU of containers lies within a run's start and end."
        return Part(title="Resources", missing=missing)
    return Part(title="Resources", lines=describe_resources(uses, costs, verdicts), tables=tables)


def _spans(observations: Observations, measured: Sequence[Measured]) -> Part:
    accounts = list_accounts(observations, measured)
    tables = spans_tables(accounts, _backend_cores(observations, measured))
    if not tables:
        return Part(title="Spans", missing="No account of spans: none were counted.")
    lines = describe_spans(accounts)
    return Part(title="Spans", lines=lines, tables=tables[:1], folded=tables[1:])


def _backend_cores(observations: Observations, measured: Sequence[Measured]) -> dict[Key, float]:
    used = read_usage(observations)
    found = {}
    for run in measured:
        told = used.get(run.key, {}).items()
        backends = [cores for name, cores in told if role_of(name, run.env) in BACKEND]
        if backends:
            found[run.key] = sum(backends)
    return found
