"""Of which roles the runs in a table of values are.

How the runs in a table of values were loaded: by an open or a closed loop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from benchkit.codes import match_rows
from benchkit.errors import DataError
from benchkit.schema import Labels

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs


#: Roles whose values are in the table unless others are requested.
LISTED = ("measured", "companion")


def are_named(roles: Sequence[str]) -> bool:
    """Tell whether a table of runs of these roles has to say which run has which."""
    return not set(roles) <= set(LISTED)


def has_derived(roles: Sequence[str]) -> bool:
    """Tell whether a table of runs of these roles has what follows from measured runs."""
    return not roles or "measured" in roles


def name_role(derived: Observations, roles: Sequence[str]) -> Observations:
    """Return what follows from measured runs, as other values of runs of several roles are."""
    return derived.assign(role="measured") if are_named(roles) else derived


def require_roles(stored: Iterable[str], roles: Sequence[str]) -> None:
    """Refuse to give an empty table where only runs of other roles were read."""
    counts = Counter(stored)
    expected = roles or ("measured", "companion")
    if counts and not any(role in counts for role in expected):
        others = ", ".join(f"{count} {role}" for role, count in counts.items())
        requested = " or ".join(roles) or "measured"
        raise DataError(
            f"no {requested} run was read, only runs with other roles: {others}",
            hint=f"select the role: --role {min(counts)}",
        )


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
