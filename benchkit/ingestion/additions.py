"""Files that an ingest added to a variant, so that it counts two measurements: B111.

Whoever measures more runs adds them to every variant. A file that is added to one variant only is
as likely the same variant after a change, and so is a file that holds several runs by itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby

from benchkit.ingestion.addresses import name_path
from benchkit.ingestion.parts import Part
from benchkit.ingestion.places import batch_of, part_files, part_places
from benchkit.labels.numbering import series_of
from benchkit.labels.tree import name_without_run

#: The files of one variant that were read together, by the moment of their first ingest.
_Units = Mapping[str, Sequence[tuple[int, Sequence[Part]]]]


def list_added_files(measured: Sequence[Part]) -> dict[str, dict[str, Part]]:
    """Return the files of a variant to which no repeat was added, by how the user names them.

    Only labels of the command line count: a file that no label leads is a variant by its name.
    """
    added: dict[str, dict[str, Part]] = {}
    for sides in _list_sides(measured):
        units = {variant: _order(row) for variant, row in sides.items()}
        for variant in _find_unmatched(units):
            first = (unit[0] for _, unit in units[variant])
            added.setdefault(variant, {}).update((name_path(part.label), part) for part in first)
    return added


def has_additions(measured: Sequence[Part]) -> bool:
    """Tell whether a labelled variant counts files together that no ingest read together."""
    rows = (row for sides in _list_sides(measured) for row in sides.values())
    return any(len(part_files(row)) > 1 for row in rows)


def list_pooled_names(measured: Sequence[Part]) -> dict[str, dict[str, None]]:
    """Return the names of files that were ingested apart, and that another variant has, too."""
    pooled: dict[str, dict[str, None]] = {}
    for row in _list_sides(measured):
        sides = {variant: _group_by_name(parts) for variant, parts in row.items()}
        for variant, names in sides.items():
            others = (other for name, other in sides.items() if name != variant)
            is_apart = len(names) > 1 and not set.intersection(*names.values())
            if is_apart and any(len(names.keys() & other.keys()) > 1 for other in others):
                pooled.setdefault(variant, {}).update(dict.fromkeys(names))
    return pooled


def _list_sides(measured: Sequence[Part]) -> Iterator[dict[str, list[Part]]]:
    """Yield the labelled runs of each row, by their variants."""
    rows: dict[Hashable, dict[str, list[Part]]] = defaultdict(dict)
    is_apart = len({part.batch for part in measured}) > 1
    for part in measured if is_apart else ():
        if "variant=" in part.assigned:
            row = series_of(part)._replace(variant=""), part.benchmark, part.params
            rows[row].setdefault(part.variant, []).append(part)
    yield from rows.values()


def _order(row: Sequence[Part]) -> list[tuple[int, list[Part]]]:
    """Return the runs of a variant by files, in the order of their first ingests."""
    if len(part_places(row)) > 1:  # that is a finding by itself
        return [(min(map(batch_of, row)), [*row])]
    units = ((min(map(batch_of, unit)), unit) for unit in part_files(row))
    return sorted(units, key=lambda unit: unit[0])


def _find_unmatched(sides: _Units) -> set[str]:
    """Return the variants to which a file was added that other variants did not get in its turn.

    Additions that follow each other are one turn until a variant comes again. A file of several
    runs is a measurement by itself, whatever the others get.
    """
    events = sorted((at, name) for name, units in sides.items() for at, _ in units[1:])
    turns: list[tuple[int, set[str]]] = []
    for at, same in groupby(events, key=lambda event: event[0]):
        names = {name for _, name in same}
        if turns and turns[-1][1].isdisjoint(names):
            turns[-1] = at, turns[-1][1] | names
        else:
            turns.append((at, names))
    alone = {name for at, names in turns if not _is_whole(names, at, sides) for name in names}
    return alone | {name for name, units in sides.items() if _holds_several(units[1:])}


def _is_whole(turn: Collection[str], at: int, sides: _Units) -> bool:
    """Tell whether every variant that was there at the end of a turn took part in it."""
    there = {name for name, units in sides.items() if units[0][0] < at}
    return len(turn) > 1 and there <= set(turn)


def _holds_several(units: Iterable[tuple[int, Sequence[Part]]]) -> bool:
    """Tell whether a file holds several runs of its row."""
    runs: Counter[str] = Counter()
    for part in chain.from_iterable(unit for _, unit in units):
        runs[part.path] += part.size
    return any(number > 1 for number in runs.values())


def _group_by_name(parts: Sequence[Part]) -> dict[str, set[int]]:
    names: dict[str, set[int]] = defaultdict(set)
    for part in parts:
        names[_name_file(part)].add(part.batch)
    return names


def _name_file(part: Part) -> str:
    """Return the name of a file without its variant and what counts its runs."""
    name = name_without_run(part.path)
    return name.replace(part.variant, "", 1).strip("-_. ")
