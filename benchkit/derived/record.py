"""One run, and the rows that follow from it.

What is derived stands beside what was measured, under the same labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import isnan
from typing import TYPE_CHECKING, Any

from benchkit import metrics, schema

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs

#: group, variant, benchmark, params, tool
Cell = tuple[str, str, str, str, str]

_FACTS = ("started_at", "duration", "env")
_LABELS = ("group", "variant", "benchmark", "params", "run", "tool")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One measured run.

    Parameters
    ----------
    group, variant, benchmark, params, run, tool
        As in the table.
    window : (start, end) or None
        Of the measured part in s since 1970; None where either is not known.
    duration : float or None
        In s.
    env : mapping of str to str
        What is known of the run and of those of the same group, variant and number beside it.
    """

    group: str
    variant: str
    benchmark: str
    params: str
    run: int
    tool: str
    window: tuple[float, float] | None
    duration: float | None
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, ...]:
        """What tells it from other runs."""
        return self.group, self.variant, self.benchmark, self.params, str(self.run), self.tool

    @property
    def cell(self) -> Cell:
        """What its repeats share."""
        return self.group, self.variant, self.benchmark, self.params, self.tool

    @property
    def place(self) -> tuple[str, str, int]:
        """What it shares with the files beside it."""
        return self.group, self.variant, self.run

    @property
    def name(self) -> str:
        """The run as people call it: ``otlp 3``."""
        return f"{self.variant} {self.run}".strip()

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
    ) -> dict[str, Any]:
        """Return a row of the table under the run's labels."""
        told: dict[str, Any] = {name: getattr(self, name) for name in _LABELS}
        unit = metrics.lookup(metric).unit
        told |= {"subject": subject, "metric": metric, "stat": stat, "value": value, "unit": unit}
        return told | {
            "n": n, "time": None, "resolution": None, "origin": origin, "source": source
        }  # fmt: skip


def list_measured(runs: Runs) -> list[Measured]:
    """Return the measured runs with what lies beside them."""
    beside: dict[tuple[str, str, int], dict[str, str]] = {}
    for *place, env in _list(runs, "companion", ("group", "variant", "run", "env")):
        beside.setdefault(tuple(place), {}).update(env or {})
    found = []
    for start, duration, env, *labels in _list(runs, "measured", (*_FACTS, *_LABELS)):
        run = dict(zip(_LABELS, labels, strict=True))
        told = beside.get((run["group"], run["variant"], run["run"])) if beside else None
        found.append(_measured(run, start, duration, {**told, **env} if told else env))
    return found


def tells_of_load(observations: Observations, runs: Runs) -> bool:
    """Tell whether requests, containers or spans may be known of any run.

    Of the benchmarks of functions only samples are, and nothing stands beside these.
    """
    if not observations["stat"].eq("sample").all() or runs["load_model"].ne("unknown").any():
        return True
    told = {id(env): env for env in runs["env"].tolist()}  # which many runs may share
    return any(name.startswith("spans.") for env in told.values() for name in env or ())


def _list(runs: Runs, role: str, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    chosen = runs[runs["role"].eq(role)]
    return zip(*(chosen[name].tolist() for name in names), strict=True)


def _measured(
    labels: Mapping[str, Any],
    start: datetime | None,
    duration: float | None,
    env: Mapping[str, str],
) -> Measured:
    known = None if duration is None or isnan(duration) else duration
    window = None
    if known is not None and start is not None and start == start:  # noqa: PLR0124 - NaT is not
        begun = start.timestamp()
        window = (begun, begun + known)
    return Measured(**labels, window=window, duration=known, env=env)


def add_rows(observations: Observations, rows: Sequence[Mapping[str, Any]]) -> Observations:
    """Put rows under a table."""
    import pandas as pd

    if not rows:
        return observations
    names = schema.column_names()
    added = schema.observations({name: [row[name] for row in rows] for name in names})
    return schema.observations(pd.concat([observations, added], ignore_index=True))
