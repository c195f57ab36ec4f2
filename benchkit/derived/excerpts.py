"""Forms of a run that hold only a part of its requests.

The first 200 rows of a run are as precise as all 900, and are not the run; its numbers are those
of the form that saw the most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchkit.schema import Labels, list_labels

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from benchkit.schema import Observations

#: A form with a smaller share of the requests than this is an excerpt.
_WHOLE = 0.95
_RUN = list(Labels._fields)


def leave_out_excerpts(observations: Observations) -> Observations:
    """Return the observations without those of forms that saw less than 95 % of a run's requests.

    Parameters
    ----------
    observations : Observations
        Outputs of one run share its labels and differ in ``source``.

    Returns
    -------
    Observations
        The same frame where every form of a run tells its requests alike.

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
    found = np.fromiter((form in excerpts for form in _list_forms(observations)), bool)
    kept: Observations = observations[~found]
    return kept


def _list_forms(observations: pd.DataFrame) -> Iterator[tuple[Labels, str]]:
    """Return run and file of each row; ``source`` has a line, too."""
    files = (source.rpartition(":")[0] for source in observations["source"].astype(str).tolist())
    return zip(list_labels(observations), files, strict=True)
