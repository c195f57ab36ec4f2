"""Parts of loaded results: those with certain labels, and those of certain variants.

Loaded results at a glance: a few sentences on what was read and what was not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, replace
from typing import TYPE_CHECKING, NamedTuple

from benchkit import schema, selection
from benchkit.codes import match_rows
from benchkit.derived.record import keep_measured
from benchkit.errors import Diagnostic, Finding, SourceReport
from benchkit.units import printable

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.api.suggestions import Again, _Results
    from benchkit.labels.splitting import NameSplit
    from benchkit.schema import Observations, Runs
    from benchkit.selection import Frame, Label
    from benchkit.tables.model import Table

Labels = Mapping[str, "Label | Sequence[Label]"]

#: Columns of compared rows by which tables can be filtered.
_LABELS = ("group", "variant", "benchmark", "params", "tool", "subject", "metric", "stat")

#: Maximum number of runs that are audited when results are displayed: the time grows with it.
QUICK = 2000
#: Maximum number of table rows in a plain shell.
_MOST = 40
UNSEEN = "With this many runs, findings are computed only on request: see .findings"


def join_shown(lines: Iterable[str], tables: Iterable[str], findings: Iterable[str]) -> str:
    """Join texts for a plain shell, with names that neither it nor a pipeline's log interprets."""
    from benchkit.tables.model import disarm

    above, below = ("\n".join(map(printable, part)) for part in (lines, findings))
    return disarm("\n\n".join(filter(None, [above, *tables, below])))


def require_label(runs: Runs, name: str) -> None:
    """Refuse a name that is neither a label nor a param of the compared rows."""
    entries = ",".join(runs["params"].drop_duplicates().tolist()).split(",")
    params = dict.fromkeys(entry.partition("=")[0] for entry in entries if "=" in entry)
    selection.require(name, [*_LABELS, *params], "column or param")


def select_labels(
    observations: Observations, runs: Runs, labels: Labels
) -> tuple[Observations, Runs]:
    """Keep the observations and runs that have all of these labels."""
    of_runs = {name: value for name, value in labels.items() if _is_of_run(name, value, runs)}
    rest = {name: value for name, value in labels.items() if name not in of_runs}
    kept = selection.select(runs, **of_runs)
    measured = keep_measured(kept)[list(schema.RUN_KEY)]
    is_kept = match_rows(observations, measured, schema.RUN_KEY) >= 0
    rows: Observations = observations[is_kept][schema.column_names()].reset_index(drop=True)
    return selection.select(rows, **rest), kept


def narrow(again: Again, labels: Labels, split: NameSplit) -> _Results:
    """Load results again, and keep those with these labels."""
    return again(split).where(**labels)


class Excerpt(NamedTuple):
    """The loaded results of certain variants."""

    observations: Observations
    runs: Runs
    series: Observations | None
    problems: tuple[Finding, ...]
    diagnostics: tuple[Diagnostic, ...]


def keep_variants(whole: Excerpt, names: AbstractSet[str]) -> Excerpt:
    """Keep what belongs to certain variants, or to no named variant.

    Everything is kept if no variant is named or only these were measured: lost runs still have to
    be reported.
    """
    measured = keep_measured(whole.runs)
    if not names or names >= set(measured["variant"]):
        return whole
    others = set(whole.runs["variant"]) - names - {""}
    mine, its = _list_paths(whole.runs, names | {""}), _list_paths(whole.runs, others)

    def is_other(place: str) -> bool:
        words = set(re.split(r"[,\s]+|(?<=\w)/(?=\w)", place))
        path = re.sub(r":\d+$", "", place)
        is_path = path in its - mine
        return is_path or (path not in mine and bool(words & others) and not words & names)

    def is_about_others(problem: Finding) -> bool:
        if is_other(problem.where):
            return True
        runs = {match[1] for match in re.finditer(r"(?<!\S)(\S+) \d+\b", problem.message)}
        if runs & others and not runs & names:
            return True
        return any(path in problem.message for path in its) and not any(
            path in problem.message for path in mine
        )

    return Excerpt(
        _leave_out(whole.observations, others),
        _leave_out(whole.runs, others),
        None if whole.series is None else _leave_out(whole.series, others),
        tuple(problem for problem in whole.problems if not is_about_others(problem)),
        tuple(problem for problem in whole.diagnostics if not is_other(problem.path)),
    )


def _leave_out(frame: Frame, variants: AbstractSet[str]) -> Frame:
    kept: Frame = frame[~frame["variant"].isin(variants)].reset_index(drop=True)
    return kept


def _list_paths(runs: Runs, variants: AbstractSet[str]) -> set[str]:
    chosen = runs[runs["variant"].isin(variants)]
    return {source["path"] for sources in chosen["sources"].tolist() for source in sources or ()}


def _is_of_run(name: str, value: Label | Sequence[Label], runs: Runs) -> bool:
    """Whether a label is a column of the runs; ``origin`` is a column of both tables."""
    if name == "origin" and list_texts(value) <= {"reported", "computed"}:
        return False
    return name in runs.columns


def list_texts(value: Label | Sequence[Label]) -> set[str]:
    """Return the requested values as texts."""
    return {str(one) for one in ([value] if isinstance(value, (str, int, float)) else value)}


def tabulate_findings(findings: Iterable[Finding]) -> pd.DataFrame:
    """Return findings as a frame, one row each."""
    import pandas as pd

    names = [one.name for one in fields(Finding)]
    rows = [[getattr(finding, name) for name in names] for finding in findings]
    return pd.DataFrame(rows, columns=names)


def summarise(
    runs: Runs,
    findings: Sequence[Finding] | None,
    first: str | None,
    reports: Sequence[SourceReport],
    contested: Iterable[str],
) -> str:
    """Describe in a few sentences what was loaded; ``findings`` is None if no audit was made."""
    from benchkit.tables.overview import summarise_runs

    summary = summarise_runs(runs, findings, first)
    if names := ", ".join(map(printable, contested)):
        summary += (
            f". Left out: {names}, because several origins have them; choose one with origin="
        )
    lost = sum(report.outcome in {"refused", "empty"} for report in reports)
    if not lost:
        return summary
    return f"{summary}. {lost} source{'' if lost == 1 else 's'} could not be read: see .diagnostics"


def shorten(table: Table) -> Table:
    """Shorten a table for a shell, and count the omitted rows."""
    left = len(table.rows) - _MOST
    if left <= 0:
        return table
    more = f"… and {left} more row{'' if left == 1 else 's'}: see .frame"
    return replace(table, rows=table.rows[:_MOST], footer=(*table.footer, more))
