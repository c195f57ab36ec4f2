"""One run, and the rows derived from it.

Derived values appear next to measured ones, under the same labels.

Also starts of runs, which distinguish a copy of a run from another run with the same numbers.

A copy keeps the recorded start of its original. Runs with different starts are different
measurements even if all numbers are equal, as with instruction counts.

Also forms of a run that contain only part of its requests.

The first 200 rows of a run are as precise as all 900, but are not the whole run; its numbers come
from the form that contains the most.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from math import isnan
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from benchkit import metrics, schema
from benchkit.codes import list_values, number_maps, number_rows
from benchkit.schema import ROLES, Labels, RunFacts, Side, Trial, list_labels

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from benchkit.schema import Observations, Runs

Table = TypeVar("Table", bound="pd.DataFrame")
_FACTS = ("started_at", "duration", "env")
T = TypeVar("T")

#: Minimum share of the requests of a run; a form with fewer is an excerpt.
_WHOLE = 0.95
_RUN = list(Labels._fields)


@dataclass(slots=True, kw_only=True, eq=False)
class Run(RunFacts):
    """One run, with its labels and facts.

    Facts that are not read from a table of runs keep their defaults.
    """

    group: str
    variant: str
    benchmark: str
    params: str
    run: int
    tool: str
    role: str = ROLES[0]

    @property
    def key(self) -> Labels:
        """The labels that identify the run."""
        return Labels(self.group, self.variant, self.benchmark, self.params, self.run, self.tool)

    @property
    def side(self) -> Side:
        """The labels shared by its repeats."""
        return self.key.side

    @property
    def trial(self) -> Trial:
        """The labels shared with the files next to it."""
        return self.key.trial

    @property
    def name(self) -> str:
        """Display name: ``run 3 of 'otlp'``."""
        return f"run {self.run}" + (f" of '{self.variant}'" if self.variant else "")

    @property
    def clients(self) -> int | None:
        """The number of connections, from the run or its params."""
        if self.connections:
            return self.connections
        params = dict(part.partition("=")[::2] for part in self.params.split(","))
        text = params.get("connections", "")
        return int(text) if text.isdigit() else None


@dataclass(slots=True, kw_only=True)
class Measured(Run):
    """One measured run; its ``env`` includes facts recorded next to it.

    Parameters
    ----------
    window : (start, end) or None
        The measured part, in s since 1970; None if either end is unknown.
    """

    window: tuple[float, float] | None

    def row(
        self,
        metric: str,
        stat: str,
        value: float,
        *,
        subject: str | None = None,
        n: int | None = None,
        source: str = "",
        origin: str = "computed",
        resolution: float | None = None,
    ) -> dict[str, Any]:
        """Return a row of the table with the run's labels."""
        unit = metrics.lookup(metric).unit
        return self.key._asdict() | {
            "subject": subject, "metric": metric, "stat": stat, "value": value, "unit": unit,
            "n": n, "time": None, "resolution": resolution, "origin": origin, "source": source,
        }  # fmt: skip


def keep(table: Table, is_meant: pd.Series | np.ndarray) -> Table:
    """Return the selected rows; if all are selected, the table itself without a copy."""
    mask = np.asarray(is_meant, dtype=bool)
    kept: Table = table if mask.all() else table[mask]
    return kept


def keep_measured(runs: Table) -> Table:
    """Return the measured runs of a table."""
    return keep(runs, runs["role"] == "measured")


def number_sides(table: Observations | Runs) -> tuple[np.ndarray, list[Side]]:
    """Assign numbers to the distinct sides of the rows; runs are many, and sides few."""
    numbers, firsts = number_rows(table, Side._fields)
    return numbers, [labels.side for labels in list_labels(table.iloc[firsts])]


def list_settings(runs: Runs, *names: str) -> Iterator[tuple[Any, ...]]:
    """Yield the distinct rows of some columns, each with every environment of its runs."""
    numbers, envs = number_maps(runs["env"])
    numbered = runs[[*names]].assign(env=numbers)
    few = numbered.iloc[number_rows(numbered, (*names, "env"))[1]]
    for *labels, number in zip(*(few[name].tolist() for name in (*names, "env")), strict=True):
        yield *labels, envs[number]


def list_measured(runs: Runs) -> list[Measured]:
    """Return the measured runs with the facts recorded next to them."""
    companions: dict[Trial, dict[str, str]] = {}
    for env, *trial in _list(runs, "companion", ("env", *Trial._fields)):
        companions.setdefault(Trial(*trial), {}).update(env or {})
    measured = []
    for start, duration, env, *values in _list(runs, "measured", (*_FACTS, *Labels._fields)):
        labels = Labels(*values)
        shared = companions.get(labels.trial)
        known = None if duration is None or isnan(duration) else duration
        known_env = {**shared, **env} if shared else env
        run = Measured(
            **labels._asdict(), window=_window(start, known), duration=known, env=known_env
        )
        measured.append(run)
    return measured


def measures_load(observations: Observations, runs: Runs) -> bool:
    """Return whether requests, containers or spans may be known for any run.

    Benchmarks of functions only have samples, and no files next to them.
    """
    if not observations["stat"].eq("sample").all() or runs["load_model"].ne("unknown").any():
        return True
    _, envs = number_maps(runs["env"])
    return any(name.startswith("spans.") for env in envs for name in env)


def rank_form(resolution: float | None, origin: str) -> tuple[float, bool]:
    """Return a key that sorts the values from different forms of a run, the most precise first.

    Examples
    --------
    >>> rank_form(None, "computed") < rank_form(None, "reported") < rank_form(1e-05, "reported")
    True
    """
    step = 0.0 if resolution is None or isnan(resolution) else max(resolution, 0.0)
    return step, origin != "computed"


def _list(runs: Runs, role: str, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    chosen = keep(runs, runs["role"] == role)
    return zip(*(list_values(chosen[name]) for name in names), strict=True)


def _window(start: datetime | None, duration: float | None) -> tuple[float, float] | None:
    if duration is None or start is None or start != start:  # noqa: PLR0124 - NaT is not
        return None
    begin = start.timestamp()
    return begin, begin + duration


def leave_out_known(
    observations: Observations, rows: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return only the rows about things that a table does not contain yet."""
    import pandas as pd

    about = [*schema.RUN_KEY, "subject", "metric", "stat", "origin"]
    derived = keep(observations, observations["metric"].isin({row["metric"] for row in rows}))
    if derived.empty:
        return list(rows)
    columns = (derived[name].astype("object") for name in about)
    texts = ([None if pd.isna(cell) else cell for cell in column] for column in columns)
    known = set(zip(*texts, strict=True))
    return [row for row in rows if tuple(row[name] for name in about) not in known]


def add_rows(observations: Observations, rows: Sequence[Mapping[str, Any]]) -> Observations:
    """Append rows to a table."""
    import pandas as pd

    if not rows:
        return observations
    names = schema.column_names()
    added = schema.observations({name: [row[name] for row in rows] for name in names})
    return schema.observations(pd.concat([observations, added], ignore_index=True))


def began_alike(ours: AbstractSet[datetime | None], theirs: AbstractSet[datetime | None]) -> bool:
    """Return whether runs may have started at the same moment; an unknown start matches any."""
    if not ours or not theirs:
        return False
    return None in ours | theirs or not ours.isdisjoint(theirs)


def group_alike(runs: Iterable[tuple[T, datetime | None]]) -> list[list[T]]:
    """Group runs that may have started at the same moment; an unknown start matches any of them.

    Examples
    --------
    >>> first, second = datetime(2026, 11, 1), datetime(2026, 11, 2)
    >>> group_alike([("a", first), ("b", second), ("c", first)])
    [['a', 'c'], ['b']]
    >>> group_alike([("a", first), ("b", None)]), group_alike([("a", None), ("b", None)])
    ([['a', 'b']], [['a', 'b']])
    """
    groups: dict[datetime | None, list[T]] = {}
    for run, start in runs:
        groups.setdefault(start, []).append(run)
    unknown = groups.pop(None, [])
    return [[*group, *unknown] for group in groups.values()] or [unknown]


def list_starts(runs: Runs) -> list[datetime | None]:
    """Return when each run of a table started; None if unknown."""
    return list_known(runs["started_at"])


def list_known(column: pd.Series) -> list[Any]:
    """Return the values of a column, with None for unknown ones."""
    values = zip(column.tolist(), column.notna().tolist(), strict=True)
    return [value if is_known else None for value, is_known in values]


def leave_out_excerpts(observations: Observations) -> Observations:
    """Return the observations without those of forms with less than 95 % of a run's requests.

    Parameters
    ----------
    observations : Observations
        Outputs of one run have the same labels and differ in ``source``.

    Returns
    -------
    Observations
        The same frame if every form of a run reports the same requests.

    Examples
    --------
    >>> import benchkit as bk
    >>> found = bk.load("fixtures/tracing-wrk").observations
    >>> leave_out_excerpts(found) is found
    True
    """
    is_count = observations["metric"].eq("requests") & observations["stat"].eq("count")
    if not is_count.any():
        return observations
    is_count &= observations["subject"].isna()
    counts = observations.loc[is_count, [*_RUN, "source", "value"]]
    if not counts.duplicated(_RUN).any():
        return observations
    most = counts.groupby(_RUN, observed=True, sort=False)["value"].transform("max")
    partial = counts[counts["value"] < _WHOLE * most]
    if partial.empty:
        return observations
    excerpts = set(_list_forms(partial))
    is_excerpt = np.fromiter((form in excerpts for form in _list_forms(observations)), bool)
    kept: Observations = observations[~is_excerpt]
    return kept


def _list_forms(observations: pd.DataFrame) -> Iterator[tuple[Labels, str]]:
    """Return run and file of each row; ``source`` also contains a line."""
    files = (source.rpartition(":")[0] for source in observations["source"].astype(str).tolist())
    return zip(list_labels(observations), files, strict=True)
