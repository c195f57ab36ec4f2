"""Runs counted by the names of files, and numbers that are part of the names.

A time of day identifies a run of a day: `2024-01-01/none_0900.txt`. Four digits may also be a load
or a port. They are times if all files of a folder have them and no two files of a day have the
same: several names share a load, but each time belongs to one file. Folders below a day are times
unless all are full hours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from benchkit.labels.counts import find_counts, find_levels, find_sequences, find_stated, is_count
from benchkit.labels.moments import keep_digits, read_moment
from benchkit.labels.plain_stems import FOLDER, PlainStem, is_counted, split_stem
from benchkit.labels.run_folders import find_glued
from benchkit.labels.stems import ToolNames, is_name, read_stem, split_name
from benchkit.regexes import regex

__all__ = ["PlainFile", "count_runs", "open_file"]


@dataclass(slots=True)
class PlainFile:
    """A file whose name does not begin with a tool's: its folders, its stem and its labels."""

    folders: tuple[str, ...]
    stem: PlainStem
    name: str
    run: int | None
    level: str = ""
    stated: int | None = None


def open_file(path: str, run: int | None, tools: ToolNames, stated: int | None = None) -> PlainFile:
    """Split a path; ``run`` comes from one of its folders, ``stated`` from its sidecar.

    Examples
    --------
    >>> file = open_file("none/trial01.out", None, ToolNames())
    >>> file.folders, file.name, file.stem.run
    (('none',), '', 1)
    """
    *folders, name = (part for part in path.split("/") if part not in ("", ".", ".."))
    stem = split_stem(split_name(name)[0], tools)
    return PlainFile(tuple(folders), stem, stem.name, run, stated=stated)


def count_runs(files: Sequence[PlainFile], baselines: Collection[str], tools: ToolNames) -> None:
    """Take runs from the ends of stems; numbers that do not count runs are part of a name.

    Numbers shared by several names of a folder are the levels of a parameter, including numbers in
    stems that count their runs by a word.
    """
    _take_stated(files)
    _keep_names(files, baselines)
    _split_glued(files, baselines)
    alike: dict[tuple[tuple[str, ...], str, str], list[PlainFile]] = defaultdict(list)
    for file in files:
        alike[file.folders, file.stem.role, file.name].append(file)
    numbers = {key: _list_numbers(same) for key, same in alike.items()}
    unnamed = {key for key in alike if not is_name(key[2], tools)}
    counts = find_counts(numbers, unnamed) | find_sequences(numbers)
    others = {key: {*_list_others(same)} for key, same in alike.items() if key[2]}
    levels = find_levels(
        {key: each | (numbers[key] if key not in counts else set()) for key, each in others.items()}
    )
    _keep_sparse(files)
    for key, same in alike.items():
        for file in same:
            if file.stem.number is None or (file.stem.run is None and key in counts):
                continue
            if key in levels or (file.stem.run is not None and not file.name):
                file.level = str(file.stem.number)
            else:
                file.name = file.stem.whole
        _number(same, is_counted=key in counts)


def _take_stated(files: Iterable[PlainFile]) -> None:
    """Take the numbers out of the stems whose sidecars state them as runs."""
    alike: dict[tuple[object, ...], list[PlainFile]] = defaultdict(list)
    for file in files:
        if (number := _number_of(file.stem)) is not None and file.run in (None, number):
            alike[file.folders, file.stem.role, file.name].append(file)
    numbers = {
        key: [(_number_of(file.stem) or 0, file.stated) for file in same]
        for key, same in alike.items()
    }
    for key in find_stated(numbers):
        for file in alike[key]:
            file.run = _number_of(file.stem)
            file.stem = file.stem._replace(run=file.run, number=None)


def _number_of(stem: PlainStem) -> int | None:
    return stem.number if stem.run is None else stem.run


def _list_numbers(files: Iterable[PlainFile]) -> set[int]:
    """Return the numbers that may count runs of one name; a file without a number is the first."""
    numbers = {x.stem.number for x in files if x.stem.run is None and x.stem.number is not None}
    has_first = numbers and any(not is_counted(x.stem) and x.run is None for x in files)
    return numbers | ({1} if has_first else set())


def _list_others(files: Iterable[PlainFile]) -> Iterator[int]:
    """Yield the other numbers in stems that count their runs by a word."""
    for file in files:
        if file.stem.run is not None and file.stem.number is not None:
            yield file.stem.number


def _number(files: Sequence[PlainFile], *, is_counted: bool) -> None:
    """Assign run numbers to the files of one name, from their stems or by order of moments."""
    counted = [
        file.stem.number if file.stem.run is None and is_counted else file.stem.run
        for file in files
    ]
    marks = [(file.stem.moment, run or 0) for file, run in zip(files, counted, strict=True)]
    moments = sorted({*marks})
    is_dated = moments[-1][0] != "" and (None in counted or len({*counted}) < len(moments))
    for file, mark, run in zip(files, marks, counted, strict=True):
        if is_dated:
            file.run = moments.index(mark) + (moments[0][0] != "")
        elif run is not None and file.run is None:
            file.run = run


def _keep_names(files: Iterable[PlainFile], baselines: Collection[str]) -> None:
    """Keep numbers in the names next to a baseline without one: `main`, `patch-1`, `patch-2`."""
    by_group: dict[tuple[str, ...], list[PlainFile]] = defaultdict(list)
    for file in files:
        by_group[file.folders].append(file)
    for same in by_group.values():
        counted = {is_counted(file.stem) for file in same if file.name.lower() in baselines}
        for file in same if counted == {False} else ():
            if file.stem.run is None and is_counted(file.stem):
                file.name = file.stem.whole or file.name
                file.stem = PlainStem(file.name, role=file.stem.role, whole=file.name)


def _keep_sparse(files: Iterable[PlainFile]) -> None:
    """Name files after numbers that skip most runs: `run-11`, `run-15`, `run-16` of a folder.

    The numbers are runs if a variant's name or further folders of numbered files exist.
    """
    bare = [file for file in files if file.stem.run not in (None, file.run) and not file.name]
    numbers = {file.stem.run for file in bare if file.stem.run is not None}
    is_single = len(numbers) > 1 and len({file.folders for file in bare}) == 1
    if is_single and min(numbers) > 1 and not is_count(numbers, starts_anywhere=True):
        for file in bare:
            file.name = file.stem.whole


def _split_glued(files: Iterable[PlainFile], baselines: Collection[str]) -> None:
    """Take the runs from names like `none1` and `otlp1`."""
    by_group: dict[tuple[str, ...], list[PlainFile]] = defaultdict(list)
    for file in files:
        if not is_counted(file.stem):
            by_group[file.folders].append(file)
    for same in by_group.values():
        glued = find_glued((file.name for file in same), baselines)
        for file in same:
            file.name, file.run = glued.get(file.name, (file.name, file.run))


_HOUR, _MINUTE = r"(?:[01]\d|2[0-3])", r"[0-5]\d"
_DIGITS = rf"{_HOUR}{_MINUTE}(?:{_MINUTE})?"
_SIGNED = rf"{_HOUR}h{_MINUTE}|{_HOUR}[-_:.]{_MINUTE}(?:[-_:.]{_MINUTE})?"
_FOLDER = regex(rf"{_DIGITS}|{_SIGNED}")
#: `none_0900`, `0900-none`, `0900`; and, on a known day, `none_09-00`.
_CLOCK = regex(rf"(?:^|(?<=[-_. ])){_DIGITS}$|^{_DIGITS}(?=[-_ ])")
_CLOCK_OF_DAY = regex(rf"(?:^|(?<=[-_. ]))(?:{_DIGITS}|{_SIGNED})$|^{_DIGITS}(?=[-_ ])")
_DATE_DIGITS = 8
#: The day of times without a date; an arbitrary one, because only the order counts.
_ANY_DAY = "20000101"
_YEARS = range(1900, 2100)
_Place = tuple[str, ...]


class _Timed(NamedTuple):
    """A file with a time of day: its name without the time, and its path with the date."""

    day: str
    clock: str
    name: str
    dated: str


def date_clocks(paths: Sequence[str], tools: ToolNames, root_name: str) -> list[str]:
    """Add the date to times of day, so that they are read as moments.

    Examples
    --------
    >>> date_clocks(["2024-01-01/none_0900.txt", "2024-01-01/otlp_0915.txt"], ToolNames(), "")
    ['2024-01-01/none_20240101T0900.txt', '2024-01-01/otlp_20240101T0915.txt']
    >>> date_clocks(["2024-01-01/none_1000.txt", "2024-01-01/otlp_1000.txt"], ToolNames(), "")
    ['2024-01-01/none_1000.txt', '2024-01-01/otlp_1000.txt']
    """
    dated = _date_folders(paths)
    places: dict[_Place | None, dict[int, _Timed | None]] = defaultdict(dict)
    for at, path in enumerate(dated):
        stem, _ = split_name(path.rpartition("/")[2])
        if read_stem(stem, tools).tool not in tools.companions:
            place, day = _find_day((root_name, *path.split("/")[:-1]))
            places[place][at] = _read_clock(path, day, tools)
    for place, files in places.items():
        timed = {at: file for at, file in files.items() if file is not None}
        if len(timed) == len(files) and _are_times(timed.values(), is_dated=place is not None):
            for at, file in timed.items():
                dated[at] = file.dated
    return dated


def _date_folders(paths: Sequence[str]) -> list[str]:
    """Add the date to folders below a day that are times."""
    below: dict[_Place, set[str]] = defaultdict(set)
    split = [tuple(path.split("/")) for path in paths]
    places: list[tuple[int, _Place, str]] = []
    for parts in split:
        place, day = _find_day(parts[:-2])
        at = len(place or ()) + 1
        places.append((at, place or (), day))
        if day:
            below[place or ()].add(parts[at])
    timed = {
        place
        for place, names in below.items()
        if all(map(_FOLDER.fullmatch, names)) and any(int(keep_digits(name)[2:]) for name in names)
    }
    return [
        "/".join((*parts[:at], f"{day}T{keep_digits(parts[at])}", *parts[at + 1 :]))
        if day and place in timed
        else "/".join(parts)
        for parts, (at, place, day) in zip(split, places, strict=True)
    ]


def _find_day(folders: Sequence[str]) -> tuple[_Place | None, str]:
    """Return the folders above the innermost date folder, and the digits of its date."""
    for at in range(len(folders) - 1, -1, -1):
        match = FOLDER.fullmatch(folders[at])
        digits = read_moment(match["moment"]) if match and match["moment"] else ""
        if len(digits) >= _DATE_DIGITS:
            return tuple(folders[:at]), digits[:_DATE_DIGITS]
    return None, ""


def _read_clock(path: str, day: str, tools: ToolNames) -> _Timed | None:
    file = PurePosixPath(path)
    stem, extension = split_name(file.name)
    match = (_CLOCK_OF_DAY if day else _CLOCK).search(stem)
    if match is None or split_stem(stem, tools).moment:
        return None
    before, after = stem[: match.start()], stem[match.end() :]
    clock = keep_digits(match[0])
    dated = f"{before}{day or _ANY_DAY}T{clock}{after}" + (f".{extension}" if extension else "")
    folder = path[: len(path) - len(file.name)]
    return _Timed(day, clock, f"{folder}{before}{after}", f"{folder}{dated}")


def _are_times(files: Collection[_Timed], *, is_dated: bool) -> bool:
    """Return whether numbers are times; without a date, not if they are full hours or years."""
    times = {(file.day, file.clock) for file in files}
    if len(times) < len({(file.day, file.clock, file.name) for file in files}):
        return False
    has_minutes = any(int(clock[2:]) for _, clock in times)
    are_several = len({file.name for file in files}) > 1
    if is_dated:
        return has_minutes or are_several
    are_years = all(int(clock) in _YEARS for _, clock in times)
    return has_minutes and are_several and not are_years
