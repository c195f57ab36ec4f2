"""Rows that only the baseline of a pair has.

A benchmark that disappears with a change can be the one that the change broke; who judges the
rows has to know of those that are not there.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator

from benchkit.comparison.cells import Key
from benchkit.comparison.model import Dropped


def find_dropped(
    pair: tuple[str, str],
    left: Iterable[Key],
    right: Container[Key],
    is_primary: Callable[[Key], bool],
) -> Iterator[Dropped]:
    """Yield the rows of the baseline that the variant lacks.

    Parameters
    ----------
    pair : (baseline, variant)
    left, right
        The keys of their cells.
    is_primary : callable
        Tells whether a key's row would carry the headline.

    Notes
    -----
    What is about a container is left out: not every variant's are watched.
    """
    for key in left:
        if key not in right and not key[4]:
            yield Dropped(*pair, *key, primary=is_primary(key))
