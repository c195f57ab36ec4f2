"""Roles of the runs in a table of values.

The load model of runs in a table of values: open or closed loop.
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


#: Roles whose values are in the table by default.
LISTED = ("measured", "companion")


def are_named(roles: Sequence[str]) -> bool:
    """Return whether a table of runs with these roles needs a column for the role."""
    return not set(roles) <= set(LISTED)


def has_derived(roles: Sequence[str]) -> bool:
    """Return whether a table of runs with these roles includes derived values."""
    return not roles or "measured" in roles


def name_role(derived: Observations, roles: Sequence[str]) -> Observations:
    """Return derived values with a role column, if the table needs one."""
    return derived.assign(role="measured") if are_named(roles) else derived


def require_roles(stored: Iterable[str], roles: Sequence[str]) -> None:
    """Refuse to return an empty table if only runs with other roles were read."""
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
    """Add the load model of each value's run; it is missing if unknown.

    A load tool's primary metric depends on it.
    """
    import numpy as np
    import pandas as pd

    names = [name for name in (*Labels._fields, "role") if name in values and name in runs]
    models = pd.Index(["open", "closed"])
    codes = np.append(models.get_indexer(pd.Index(runs["load_model"].tolist(), dtype=object)), -1)
    places = match_rows(values, runs, names)
    return values.assign(load_model=pd.Categorical.from_codes(codes[places], categories=models))
