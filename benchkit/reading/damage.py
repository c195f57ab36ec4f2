"""The unreadable part of a source, and the part that can be read before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")


class UnreadableError(Exception):
    """A source's bytes are unavailable: damaged gzip, or an error of the file system."""


class UntilDamage(Generic[Item]):
    r"""The available part of a source, as if it ended at the damage.

    A parser reports everything else before it passes the damage on.

    Examples
    --------
    >>> from benchkit.reading.source import Source
    >>> lines = UntilDamage(Source(None, "x.gz", b"\x1f\x8b").lines())
    >>> list(lines), str(lines.damage)[:22]
    ([], 'the gzip stream is dam')
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = items
        self.damage: UnreadableError | None = None

    def __iter__(self) -> Iterator[Item]:
        """Yield the available items; ``damage`` then contains why they ended early, if they did."""
        try:
            yield from self._items
        except UnreadableError as error:
            self.damage = error

    def raise_damage(self) -> None:
        """Raise the damage, if there was any."""
        if self.damage is not None:
            raise self.damage
