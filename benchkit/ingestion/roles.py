"""Of which roles the runs in a table of values are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from benchkit.errors import DataError

if TYPE_CHECKING:
    from benchkit.schema import Observations

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
