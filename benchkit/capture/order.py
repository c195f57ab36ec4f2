"""In which order the variants of each round are measured."""

from __future__ import annotations

import random
from collections.abc import Sequence

ORDERS = ("abba", "rotate", "random")


def order_rounds(variants: Sequence[str], rounds: int, order: str, seed: int) -> list[list[str]]:
    """Return the variants of each round, in the order in which they are to be measured.

    Parameters
    ----------
    order : {'abba', 'rotate', 'random'}
        ``abba``: forth and back in turn, so that a straight drift touches all alike after every
        second round. ``rotate``: each round begins one variant later, so that each is in each
        place equally often. ``random``: each round is shuffled by itself.
    seed : int
        Of the shuffling.

    Examples
    --------
    >>> order_rounds(["a", "b", "c"], 3, "abba", 1)
    [['a', 'b', 'c'], ['c', 'b', 'a'], ['a', 'b', 'c']]
    >>> order_rounds(["a", "b", "c"], 3, "rotate", 1)
    [['a', 'b', 'c'], ['b', 'c', 'a'], ['c', 'a', 'b']]
    """
    if order == "rotate":
        turns = (number % len(variants) for number in range(rounds))
        return [[*variants[turn:], *variants[:turn]] for turn in turns]
    if order == "abba":
        return [list(variants[:: -1 if number % 2 else 1]) for number in range(rounds)]
    shuffler = random.Random(seed)  # noqa: S311 - an order that can be repeated, no secret
    return [shuffler.sample(variants, len(variants)) for _ in range(rounds)]
