"""The statistic of a run, taken of each of several stretches of it.

Whether longer runs would help, and how well a single run is known, is seen from how much it
varies inside; single requests follow each other, long stretches hardly do.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from benchkit.derived.stretches import FEWEST, PREFIX, is_stretch
from benchkit.schema import Side

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Observations
    from benchkit.stats.sample import FloatArray

#: Metrics per second, and the metric whose samples are counted for them.
COUNTED = {"request_rate": "latency", "iteration_rate": "iteration_time"}


_MICRO = 1e-6


class Batches:
    """Stretches by run, in the order of time.

    Parameters
    ----------
    observations : Observations
        Rows that are no stretches are passed over; where several sources of a run tell them, those
        with the most samples count.
    """

    def __init__(self, observations: Observations) -> None:
        rows = observations[is_stretch(observations["stat"])]
        names = [*Side._fields, "metric"]
        self._runs: dict[tuple[Side, str], dict[int, _Run]] = {}
        if rows.empty:
            return
        rows = rows.sort_values("time", kind="stable")
        file = rows["source"].str.rpartition(":")[0].rename("file")
        values, counts, begins = _columns(rows)
        found: dict[tuple[str, ...], _Run] = {}
        grouped = rows.groupby([*names, "run", file, "stat"], sort=False).indices
        for labels, places in grouped.items():
            *key, stat = (str(part) for part in labels)  # type: ignore[attr-defined]
            batch = found.setdefault(tuple(key), {})
            batch[stat.removeprefix(PREFIX)] = values[places]
            if stat == f"{PREFIX}mean":
                batch |= {"count": counts[places], "begin": begins[places]}
        for (*text, number, _), batch in sorted(found.items(), key=itemgetter(0)):
            runs = self._runs.setdefault((Side(*text[:-1]), text[-1]), {})
            known = runs.get(int(number))
            if known is None or batch["count"].sum() > known["count"].sum():
                runs[int(number)] = _keep_whole(batch)

    def __bool__(self) -> bool:
        """Whether any run has stretches."""
        return bool(self._runs)

    def take(self, side: Side, metric: str, stat: str) -> dict[int, FloatArray]:
        """Return a statistic of each stretch, by run.

        Parameters
        ----------
        metric : str
            Of a metric per second, what is counted for it is taken.
        stat : str
            ``mean``, ``median`` or a percentile.

        Returns
        -------
        dict of run to ndarray, each of shape (5 to 20,)
            All greater than 0; without the runs whose stretches have too few samples; empty for
            other stats.
        """
        if counted := COUNTED.get(metric):
            metric, stat = counted, "count" if stat == "mean" else ""
        level = "p50" if stat == "median" else stat
        taken = {run: of.get(level) for run, of in self._runs.get((side, metric), {}).items()}
        return {
            run: values
            for run, values in taken.items()
            if values is not None and len(values) >= FEWEST and values.min() > 0
        }

    def course(
        self, side: Side, metric: str, stat: str
    ) -> dict[int, tuple[FloatArray, FloatArray]]:
        """Return the begins of the stretches and a statistic of each, by run.

        Parameters
        ----------
        stat : str
            ``mean`` or a percentile.

        Returns
        -------
        dict of run to (begins, values)
            Begins in s since 1970; without the runs of which a stretch has too few samples.
        """
        runs = self._runs.get((side, metric), {}).items()
        return {run: (of["begin"], of[stat]) for run, of in runs if stat in of}


#: Stat -> one value per stretch, and ``count``, the samples of each, and ``begin``.
_Run = dict[str, "FloatArray"]


def _columns(rows: pd.DataFrame) -> tuple[FloatArray, FloatArray, FloatArray]:
    micros = rows["time"].to_numpy(dtype="datetime64[us]").astype(np.int64)
    values, counts = (rows[name].to_numpy(dtype=np.float64) for name in ("value", "n"))
    return values, counts, micros.astype(np.float64) * _MICRO


def _keep_whole(run: _Run) -> _Run:
    """Leave out the stats of which a stretch has too few samples."""
    size = len(run["count"])
    return {stat: values for stat, values in run.items() if len(values) == size}
