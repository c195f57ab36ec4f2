"""Parts of loaded results: those with certain labels, and those of certain variants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from benchkit import schema, selection

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs
    from benchkit.selection import Label

Labels = Mapping[str, "Label | Sequence[Label]"]

#: Columns of what is compared, by which its tables can be parted.
_LABELS = ("group", "variant", "benchmark", "params", "tool", "subject", "metric", "stat")


def require_label(runs: Runs, name: str) -> None:
    """Refuse what is neither a label of compared rows nor one of their params."""
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
    measured = kept[kept["role"] == "measured"][list(schema.RUN_KEY)]
    rows = observations.merge(measured.drop_duplicates(), on=list(schema.RUN_KEY))
    return selection.select(schema.observations(rows[schema.column_names()]), **rest), kept


def _is_of_run(name: str, value: Label | Sequence[Label], runs: Runs) -> bool:
    """Whether a label is a column of the runs; both tables have an ``origin``."""
    if name == "origin" and list_texts(value) <= {"reported", "computed"}:
        return False
    return name in runs.columns


def list_texts(value: Label | Sequence[Label]) -> set[str]:
    """Return the values that are meant, as texts."""
    return {str(one) for one in ([value] if isinstance(value, (str, int, float)) else value)}
