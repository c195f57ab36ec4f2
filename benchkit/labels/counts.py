"""Which numbers in names count runs, and which are levels of a parameter.

Run numbers are dense: they begin at 0 or 1, and few are missing. Numbers of connections, sizes and
versions are not: 1, 2, 4, 8 or 10, 50, 100.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import TypeVar

_Key = TypeVar("_Key")
#: The location of a name, followed by the name.
_Name = TypeVar("_Name", bound=tuple[object, ...])
#: One missing run is tolerated per this many numbers, and per this many if steps grow and shrink.
_KEPT, _KEPT_UNEVEN = 4, 2


def is_count(numbers: Collection[int], *, starts_anywhere: bool = False) -> bool:
    """Return whether numbers count runs.

    Powers of two from 0 or 1 up to at least 4 are levels, even if only 3 is missing. Steps between
    levels stay equal or grow, as from 1, 2 and 4 to 6; steps between the remaining runs may also
    shrink.

    Examples
    --------
    >>> [is_count(numbers) for numbers in ({1, 2, 3, 5}, {1, 2, 4, 8}, {0, 1, 2, 4}, {17, 18})]
    [True, False, False, False]
    >>> is_count({1, 3, 4, 6}), is_count({1, 2, 4, 6})
    (True, False)
    """
    low, high = min(numbers), max(numbers)
    steps = [after - before for before, after in pairwise(sorted(numbers))]
    kept = _KEPT if steps == sorted(steps) else _KEPT_UNEVEN
    is_ladder = high > 2 and not any(number & (number - 1) for number in numbers)
    lost = high - low + 1 - len(numbers)
    may_begin = low < 2 or starts_anywhere
    return may_begin and lost <= len(numbers) // kept and not (is_ladder and len(numbers) > 1)


def is_sequence(sets: Collection[AbstractSet[int]]) -> bool:
    """Return whether the numbers of several names together form one sequence of runs.

    Examples
    --------
    >>> is_sequence([{1, 4}, {2, 3}]), is_sequence([{1}, {2}]), is_sequence([{1, 4}, {2, 8}])
    (True, False, False)
    """
    union = frozenset[int]().union(*sets)
    is_apart = len(union) == sum(map(len, sets))
    is_repeated = len(sets) > 1 and min(map(len, sets)) > 1
    return is_repeated and is_apart and is_count(union)


def find_counts(
    sets: Mapping[_Key, AbstractSet[int]], unnamed: Collection[_Key] = frozenset()
) -> set[_Key]:
    """Return the keys whose numbers count runs; a single number is a run.

    A number missing under one name may appear under another; a subset of levels counts no runs.

    Parameters
    ----------
    sets : mapping of key to set of int
        The numbers after each name.
    unnamed : collection of key
        Keys whose numbers follow no name; these may begin anywhere.

    Examples
    --------
    >>> find_counts({"none": {1, 3}, "otlp": {1, 2, 3}, "jdk": {17, 21}}) == {"none", "otlp"}
    True
    >>> find_counts({"get": {1, 2, 4, 8}, "post": {1, 2}})
    set()
    """
    several = {key: frozenset(each) for key, each in sets.items() if len(each) > 1}
    distinct = {*several.values()}
    ladders = [each for each in distinct if not is_count(each)]
    counts = [each for each in distinct if is_count(each)]
    counts = [each for each in counts if not any(each < ladder for ladder in ladders)]
    known = frozenset[int]().union(*counts)
    runs = {
        each
        for each in distinct
        if each <= known or (not known.isdisjoint(each) and is_count(each | known))
    }
    return {
        key
        for key, each in sets.items()
        if len(each) < 2
        or each in runs
        or (key in unnamed and is_count(each, starts_anywhere=True))
    }


def find_stated(numbers: Mapping[_Key, Collection[tuple[int, int | None]]]) -> set[_Key]:
    """Return the names whose numbers match the runs that sidecars state; a few may not match.

    The number of a renamed file contradicts its sidecar; if the others agree, it is a run as well.

    Parameters
    ----------
    numbers : mapping of key to collection of (number, run)
        The numbers after each name, each with the run stated by a sidecar, if any.

    Examples
    --------
    >>> sorted(find_stated({"get": [(2, 2), (4, 4), (7, None)], "c": [(1, 1), (8, 1)], "x": []}))
    ['get']
    >>> find_stated({"renamed": [(1, 1), (7, 2)]})
    {'renamed'}
    """
    return {key for key, each in numbers.items() if _are_stated(each)}


def _are_stated(numbers: Collection[tuple[int, int | None]]) -> bool:
    """Return whether most stated runs match; half is enough if the stated runs are distinct."""
    stated = [(number, run) for number, run in numbers if run is not None]
    agreeing = sum(number == run for number, run in stated)
    are_distinct = len({run for _, run in stated}) == len(stated)
    return 2 * agreeing > len(stated) or (2 * agreeing == len(stated) > 0 and are_distinct)


def find_sequences(numbers: Mapping[_Name, AbstractSet[int]]) -> set[_Name]:
    """Return the names that share one sequence of runs with the others at their location.

    Examples
    --------
    >>> sorted(find_sequences({("", "none"): {1, 4}, ("", "otlp"): {2, 3}, ("x", "none"): {1, 2}}))
    [('', 'none'), ('', 'otlp')]
    """
    places: dict[tuple[object, ...], list[_Name]] = {}
    for key, each in numbers.items():
        if each:
            places.setdefault(key[:-1], []).append(key)
    shared = (keys for keys in places.values() if is_sequence([numbers[key] for key in keys]))
    return {key for keys in shared for key in keys}


def find_levels(numbers: Mapping[_Name, AbstractSet[int]]) -> set[_Name]:
    """Return the names that share a number with another name at the same location.

    Examples
    --------
    >>> found = find_levels({("", "jdk"): {17, 21}, ("", "go"): {8, 64}, ("", "rust"): {8, 64}})
    >>> sorted(found)
    [('', 'go'), ('', 'rust')]
    """
    holders = Counter((*key[:-1], number) for key, each in numbers.items() for number in each)
    return {
        key
        for key, each in numbers.items()
        if any(holders[*key[:-1], number] > 1 for number in each)
    }
