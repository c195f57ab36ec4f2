"""How the runs in a table of values were loaded: by an open or a closed loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchkit.codes import match_rows
from benchkit.schema import Labels

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs


def name_load(values: Observations, runs: Runs) -> Observations:
    """Add the load model of each value's run; it is missing where it is unknown.

    The primary metric of a load tool depends on it.
    """
    import numpy as np
    import pandas as pd

    names = [name for name in (*Labels._fields, "role") if name in values and name in runs]
    models = pd.Index(["open", "closed"])
    codes = np.append(models.get_indexer(pd.Index(runs["load_model"].tolist(), dtype=object)), -1)
    places = match_rows(values, runs, names)
    return values.assign(load_model=pd.Categorical.from_codes(codes[places], categories=models))
