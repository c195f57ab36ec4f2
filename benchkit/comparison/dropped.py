"""Rows that only the baseline of a pair has, and primary metrics that one side of it lacks."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from benchkit.comparison.cells import Cell
from benchkit.comparison.model import Dropped, Row

#: A metric and its stat.
Name = tuple[str, str]


def find_dropped(
    pair: tuple[str, str],
    left: Iterable[Row],
    right: Container[Row],
    is_primary: Callable[[Row], bool],
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
        if key not in right and not key.subject:
            yield Dropped(**key.labels, baseline=pair[0], variant=pair[1], primary=is_primary(key))


def list_lacking(
    pairs: Sequence[tuple[str, str]],
    cells: Mapping[str, Mapping[Row, Cell]],
    is_primary: Callable[[Row], bool],
) -> dict[str, tuple[Name, ...]]:
    """Name per variant the primary metrics that the other side of its pair has and it has nowhere.

    Parameters
    ----------
    pairs : sequence of (baseline, variant)
    cells : mapping of variant to key to Cell
    is_primary : callable
        Tells whether a key's row would carry the headline.

    Returns
    -------
    dict of variant to tuple of (metric, stat)
        In the order of the data; variants that lack nothing are not in it. What is about a
        container is left out: not every variant's are watched.
    """
    found: dict[str, dict[Name, None]] = {}
    for pair in pairs:
        for here, there in (pair, pair[::-1]):
            own = _list_names(cells.get(there, {}))
            leads = _list_names(
                key for key in cells.get(here, {}) if is_primary(key) and not key.subject
            )
            missing = {name: None for name in leads if name not in own}
            if missing:
                found.setdefault(there, {}).update(missing)
    return {variant: tuple(names) for variant, names in found.items()}


def _list_names(keys: Iterable[Row]) -> dict[Name, None]:
    return dict.fromkeys((key.metric, key.stat) for key in keys)
