"""The places of runs that count as repeats, and which of them one ingest read together.

Runs of one folder, or of folders that count runs, have one place.

This module also finds files added to a variant later, so that it counts two measurements: B111.

Additional runs are normally added to every variant. A file added to only one variant may just as
well be the same variant after a change, and so may a file that holds several runs.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, groupby
from shlex import quote
from unicodedata import normalize

from benchkit.ingestion.addresses import name_path
from benchkit.ingestion.gone import row_of
from benchkit.ingestion.origins import read_commit
from benchkit.ingestion.parts import Part
from benchkit.ingestion.sources import STDIN
from benchkit.labels.numbering import series_of
from benchkit.labels.plain_stems import split_stem
from benchkit.labels.shards import SHARD
from benchkit.labels.stems import ToolNames, split_name
from benchkit.labels.tree import is_run, name_without_run
from benchkit.schema import FINGERPRINT

#: Run numbers begin below this; numbers of builds and versions begin above it.
_FIRST = 10
#: Folders of the shell's pipes: each command has a separate place there.
_PIPES = ("/proc/", "/dev/fd/")

#: The files of one variant that were read together, by the time of their first ingest.
_Units = Mapping[str, Sequence[tuple[int, Sequence[Part]]]]


def list_rows(parts: Iterable[Part]) -> dict[Hashable, list[Part]]:
    """Return runs by the rows in which they count as repeats, and by generator.

    The runs of a commit that two machines measured for a history are in two series.
    """
    rows: dict[Hashable, list[Part]] = defaultdict(list)
    for part in parts:
        names = FINGERPRINT if read_commit(part.assigned) else ()
        rows[row_of(part), part.env.get(SHARD), *map(part.env.get, names)].append(part)
    return rows


def part_places(row: Sequence[Part]) -> list[list[Part]]:
    """Split the runs of a row by place, unless an ingest read two places together."""
    return _part(row, _find_places(row))


def part_files(row: Sequence[Part]) -> list[list[Part]]:
    """Split the runs of a row by file, unless an ingest read two files together.

    Files whose names differ only in a run number count as one.
    """
    names = {part.path: _read_name(part) for part in row}
    numbers: dict[Hashable, set[int]] = defaultdict(set)
    for name, number in names.values():
        numbers[name].add(number)
    files = [
        (place, name, number if min(numbers[name]) >= _FIRST else 0)
        for place, (name, number) in zip(
            _find_places(row), (names[part.path] for part in row), strict=True
        )
    ]
    return _part(row, files)


def _part(row: Sequence[Part], places: Sequence[Hashable]) -> list[list[Part]]:
    if len(set(places)) == 1 or len({part.batch for part in row}) == 1:
        return [list(row)]
    links: dict[Hashable, Hashable] = {}
    for part, place in zip(row, places, strict=True):
        _link(links, place, part.batch)
        _link(links, place, part.joined if part.joined > 0 else part.batch)
        _link(links, place, ("root", _find_root(part)) if part.joined < 0 else part.batch)
    units: dict[Hashable, list[Part]] = defaultdict(list)
    for part, place in zip(row, places, strict=True):
        units[_find(links, place)].append(part)
    return list(units.values())


def _read_name(part: Part) -> tuple[Hashable, int]:
    """Return the name of a file without its possible run number, and that number."""
    return ("", 0) if is_piped(part) else _split(part.path.rpartition("/")[2])


@lru_cache(1 << 12)
def _split(name: str) -> tuple[Hashable, int]:
    stem = split_stem(split_name(name)[0], ToolNames())
    return (stem.name, stem.moment), stem.number or 0


def _link(links: dict[Hashable, Hashable], one: Hashable, other: Hashable) -> None:
    links[_find(links, one)] = _find(links, other)


def _find(links: dict[Hashable, Hashable], one: Hashable) -> Hashable:
    while (above := links.get(one, one)) != one:
        one = above
    return one


def _find_places(row: Sequence[Part]) -> list[str]:
    """Return the place of each part: its folder, or the standard input that it shares."""
    folders = [*map(find_folder, row)]
    if len(set(folders)) == 1 and folders[0]:
        return folders
    runs: dict[str, int] = defaultdict(int)
    for part in row:
        runs[part.path] += part.size
    names = _leave_out_counts(set(folders))
    return [
        names[folder] if not is_piped(part) else STDIN if runs[part.path] == 1 else part.path
        for part, folder in zip(row, folders, strict=True)
    ]


def is_one_place(parts: Sequence[Part]) -> bool:
    """Return whether all files lie in one folder."""
    folders = set(map(find_folder, parts))
    return len(folders) == 1 and "" not in folders


def find_folder(part: Part) -> str:
    """Return the folder of a part; the target of a link is included by name."""
    folder, _, name = part.path.rpartition("/")
    if part.label.endswith(name) or is_of_folder(part) or is_piped(part):
        return folder
    return f"{folder}/{name_without_run(name)}"


def is_of_folder(part: Part) -> bool:
    """Return whether the user knows a file by its name in its folder."""
    name = part.path.rpartition("/")[2]
    return part.label.endswith(name) or part.label.endswith(name_path(name))


def is_piped(part: Part) -> bool:
    """Return whether a command wrote to benchkit instead of a file."""
    return part.path.startswith((f"{STDIN}:", *_PIPES))


def _leave_out_counts(folders: Iterable[str]) -> dict[str, str]:
    """Return folders without names that count runs, if these counts begin low."""
    alike: dict[str, list[str]] = defaultdict(list)
    for folder in folders:
        alike[_leave_out_runs(folder)].append(folder)
    return {
        folder: form if _is_counted(same) else folder
        for form, same in alike.items()
        for folder in same
    }


@lru_cache(1 << 12)
def _leave_out_runs(folder: str) -> str:
    return "/".join("" if is_run(name) else name for name in folder.split("/"))


def _is_counted(folders: Sequence[str]) -> bool:
    """Return whether the numbers in which folders differ begin as low as run counts."""
    levels = [set(names) for names in zip(*(each.split("/") for each in folders), strict=True)]
    numbers = [[int(name) for name in names if name.isdecimal()] for names in levels]
    return all(min(each, default=0) < _FIRST for each in numbers if len(each) > 1)


def _find_root(part: Part) -> str:
    """Return the named folder, or a named file's folder, for parts from earlier builds."""
    folder = os.path.dirname(part.path)  # noqa: PTH120 - texts
    return folder.removesuffix(f"/{part.folder}") if part.folder else folder


def batch_of(part: Part) -> int:
    """Return the first batch that was read together with a run."""
    return part.joined if part.joined > 0 else part.batch


def list_added_files(measured: Sequence[Part]) -> dict[str, dict[str, Part]]:
    """Return the files of each variant with unmatched additions, by the user's names.

    Only command-line labels count: a file without a label is a variant by its name.
    """
    added: dict[str, dict[str, Part]] = {}
    for sides in _list_sides(measured):
        units = {variant: _order(row) for variant, row in sides.items()}
        for variant in _find_unmatched(units):
            first = (unit[0] for _, unit in units[variant])
            added.setdefault(variant, {}).update((name_path(part.label), part) for part in first)
    return added


def has_additions(measured: Sequence[Part]) -> bool:
    """Return whether a labelled variant pools files that no ingest read together."""
    rows = (row for sides in _list_sides(measured) for row in sides.values())
    return any(len(part_files(row)) > 1 for row in rows)


def list_pooled_names(measured: Sequence[Part]) -> dict[str, dict[str, None]]:
    """Return the names of files that were ingested separately, and that other variants share."""
    pooled: dict[str, dict[str, None]] = {}
    for row in _list_sides(measured):
        sides = {variant: _group_by_name(parts) for variant, parts in row.items()}
        for variant, names in sides.items():
            others = (other for name, other in sides.items() if name != variant)
            is_apart = len(names) > 1 and not set.intersection(*names.values())
            if is_apart and any(len(names.keys() & other.keys()) > 1 for other in others):
                pooled.setdefault(variant, {}).update(dict.fromkeys(map(name_path, names)))
    return pooled


def list_lookalikes(measured: Sequence[Part]) -> dict[str, dict[str, None]]:
    """Return the files of a variant whose paths are one but for spaces and accents: `main /1.txt`.

    Labels that look alike are one, so that the runs of both count together.
    """
    forms: dict[tuple[str, str, str, str], dict[str, str]] = defaultdict(dict)
    if all(part.path.isascii() and " " not in part.path for part in measured):
        return {}
    for part in measured:
        names = normalize("NFC", part.path).replace(".", "/").split("/")
        form = "/".join(map(str.strip, names))
        forms[part.origin, part.assigned, part.variant, form][part.path] = part.label
    alike: dict[str, dict[str, None]] = {}
    for (_, _, variant, _), labels in forms.items():
        if len(labels) > 1:
            alike.setdefault(variant, {}).update(
                dict.fromkeys(quote(name_path(each)) for each in labels.values())
            )
    return alike


def _list_sides(measured: Sequence[Part]) -> Iterator[dict[str, list[Part]]]:
    """Yield the labelled runs of each row, by variant."""
    rows: dict[Hashable, dict[str, list[Part]]] = defaultdict(dict)
    is_apart = len({part.batch for part in measured}) > 1
    for part in measured if is_apart else ():
        if "variant=" in part.assigned:
            row = series_of(part)._replace(variant=""), part.benchmark, part.params
            rows[row].setdefault(part.variant, []).append(part)
    yield from rows.values()


def _order(row: Sequence[Part]) -> list[tuple[int, list[Part]]]:
    """Return the runs of a variant by files, in the order of their first ingests."""
    if len(part_places(row)) > 1:  # which is a separate finding
        return [(min(map(batch_of, row)), [*row])]
    units = ((min(map(batch_of, unit)), unit) for unit in part_files(row))
    return sorted(units, key=lambda unit: unit[0])


def _find_unmatched(sides: _Units) -> set[str]:
    """Return the variants that got a file in a turn in which other variants did not.

    A turn consists of consecutive additions until a variant appears again. A file of several runs
    is a separate measurement, whatever the others get.
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
    """Return whether every variant that existed at the end of a turn took part in it."""
    there = {name for name, units in sides.items() if units[0][0] < at}
    return len(turn) > 1 and there <= set(turn)


def _holds_several(units: Iterable[tuple[int, Sequence[Part]]]) -> bool:
    """Return whether a file holds several runs of its row."""
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
    """Return the name of a file without its variant and its run count."""
    name = name_without_run(part.path)
    return name.replace(part.variant, "", 1).strip("-_. ")
