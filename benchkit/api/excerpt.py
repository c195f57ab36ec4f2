"""Parts of loaded results: those with certain labels, and those of certain variants.

Loaded results at a glance: a few sentences on what was read, and what was not.
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

#: Columns of what is compared, by which its tables can be parted.
_LABELS = ("group", "variant", "benchmark", "params", "tool", "subject", "metric", "stat")

#: Runs up to which a look at them audits them, too: its time grows with their number.
QUICK = 2000
#: Rows of a table in a plain shell.
_MOST = 40
UNSEEN = "With this many runs, findings are computed only on request: see .findings"


def join_shown(lines: Iterable[str], tables: Iterable[str], findings: Iterable[str]) -> str:
    """Join what a plain shell shows, of which neither it nor the log of a pipeline obeys a name."""
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
    """Keep the observations and runs that have all of the labels."""
    of_runs = {name: value for name, value in labels.items() if _is_of_run(name, value, runs)}
    rest = {name: value for name, value in labels.items() if name not in of_runs}
    kept = selection.select(runs, **of_runs)
    measured = keep_measured(kept)[list(schema.RUN_KEY)]
    is_kept = match_rows(observations, measured, schema.RUN_KEY) >= 0
    rows: Observations = observations[is_kept][schema.column_names()].reset_index(drop=True)
    return selection.select(rows, **rest), kept


def narrow(again: Again, labels: Labels, split: NameSplit) -> _Results:
    """Load results once more, and keep those that have these labels."""
    return again(split).where(**labels)


class Excerpt(NamedTuple):
    """What was loaded of certain variants."""

    observations: Observations
    runs: Runs
    series: Observations | None
    problems: tuple[Finding, ...]
    diagnostics: tuple[Diagnostic, ...]


def keep_variants(whole: Excerpt, names: AbstractSet[str]) -> Excerpt:
    """Keep what is about certain variants, or about none by name.

    All is kept where none is named, and where no other was measured: what was lost of one still
    has to be reported.
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

    def tells_of_others(problem: Finding) -> bool:
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
        tuple(problem for problem in whole.problems if not tells_of_others(problem)),
        tuple(problem for problem in whole.diagnostics if not is_other(problem.path)),
    )


def _leave_out(frame: Frame, variants: AbstractSet[str]) -> Frame:
    kept: Frame = frame[~frame["variant"].isin(variants)].reset_index(drop=True)
    return kept


def _list_paths(runs: Runs, variants: AbstractSet[str]) -> set[str]:
    chosen = runs[runs["variant"].isin(variants)]
    return {source["path"] for sources in chosen["sources"].tolist() for source in sources or ()}


def _is_of_run(name: str, value: Label | Sequence[Label], runs: Runs) -> bool:
    """Whether a label is a column of the runs; both tables have an ``origin``."""
    if name == "origin" and list_texts(value) <= {"reported", "computed"}:
        return False
    return name in runs.columns


def list_texts(value: Label | Sequence[Label]) -> set[str]:
    """Return the values that are meant, as texts."""
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
    """Say in a few sentences what was loaded; ``findings`` is None where nobody has looked."""
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
    """Leave out the rows of a table that nobody reads in a shell, and count them."""
    left = len(table.rows) - _MOST
    if left <= 0:
        return table
    more = f"… and {left} more row{'' if left == 1 else 's'}: see .frame"
    return replace(table, rows=table.rows[:_MOST], footer=(*table.footer, more))
