"""When runs began: what tells a copy of a run from another run with equal numbers.

A copy keeps the start that its original records. Runs that record different starts are different
measurements, however equal they are: instruction counts, say.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from benchkit.schema import Runs

T = TypeVar("T")


def began_alike(ours: AbstractSet[datetime | None], theirs: AbstractSet[datetime | None]) -> bool:
    """Tell whether runs may have begun at one moment; one that is not known may be any."""
    if not ours or not theirs:
        return False
    return None in ours | theirs or not ours.isdisjoint(theirs)


def group_alike(runs: Iterable[tuple[T, datetime | None]]) -> list[list[T]]:
    """Put runs together that may have begun at one moment; an unknown start may be each of them.

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
    return [[*own, *unknown] for own in groups.values()] or [unknown]


def list_starts(runs: Runs) -> list[datetime | None]:
    """Return when each run of a table began; None where it is not known."""
    starts = runs["started_at"]
    return starts.astype(object).where(starts.notna(), None).tolist()
