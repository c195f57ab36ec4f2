"""What cannot be read of a source, and what can be read before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")


class UnreadableError(Exception):
    """A source's bytes cannot be had: damaged gzip, or the file system refuses."""


class UntilDamage(Generic[Item]):
    r"""What can be had of a source, as if it ended where damage is met.

    A parser tells all else before it passes the damage on.

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
        """Yield what there is; ``damage`` says then why it ended early, if it did."""
        try:
            yield from self._items
        except UnreadableError as error:
            self.damage = error

    def raise_damage(self) -> None:
        """Raise the damage that was met, if any."""
        if self.damage is not None:
            raise self.damage
