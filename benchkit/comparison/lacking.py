"""Data present on one side of a pair only: rows, rows in the same unit, and primary metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from benchkit.comparison.cells import Cell, Name
from benchkit.comparison.model import Dropped, Row


def is_alike(left: Cell, right: Cell) -> bool:
    """Return whether all runs of both sides have the same unit."""
    return left.unit == right.unit and left.other_unit is right.other_unit is None


def find_dropped(
    pair: tuple[str, str],
    left: Mapping[Row, Cell],
    right: Mapping[Row, Cell],
    is_primary: Callable[[Row], bool],
) -> Iterator[Dropped]:
    """Yield the baseline's rows that are missing from the variant, or have another unit there.

    Rows about a container are left out: not every variant's containers are watched.
    """
    for key in left:
        units = (left[key].units, right[key].units) if key in right else ()
        if not (units and is_alike(left[key], right[key])) and not key.subject:
            yield Dropped(
                **key.labels, baseline=pair[0], variant=pair[1], primary=is_primary(key),
                units=units,
            )  # fmt: skip


def list_lacking(
    pairs: Sequence[tuple[str, str]],
    cells: Mapping[str, Mapping[Row, Cell]],
    is_primary: Callable[[Row], bool],
) -> dict[str, tuple[Name, ...]]:
    """Return per variant the primary metrics that the other side of a pair has and it never has.

    Parameters
    ----------
    pairs : sequence of (baseline, variant)
    cells : mapping of variant to key to Cell
    is_primary : callable
        Returns whether a key's row would be a headline.

    Returns
    -------
    dict of variant to tuple of (metric, stat)
        In the order of the data; variants that miss nothing are not included. Metrics about a
        container are left out: not every variant's containers are watched.
    """
    lacking: dict[str, dict[Name, None]] = {}
    for pair in pairs:
        for here, there in (pair, pair[::-1]):
            present = _list_names(cells.get(there, {}))
            leads = _list_names(
                key for key in cells.get(here, {}) if is_primary(key) and not key.subject
            )
            missing = {name: None for name in leads if name not in present}
            if missing:
                lacking.setdefault(there, {}).update(missing)
    return {variant: tuple(names) for variant, names in lacking.items()}


def _list_names(keys: Iterable[Row]) -> dict[Name, None]:
    return dict.fromkeys((key.metric, key.stat) for key in keys)
