"""Times of day in names, which are runs of a day: `2024-01-01/none_0900.txt`.

Four digits may as well be a load or a port. They are times where all files beside each other have
one, and no two of a day the same: a load is shared by names, a time is one file's. Folders of days
are times if not all are full hours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from benchkit.labels.moments import keep_digits, read_moment
from benchkit.labels.plain_stems import FOLDER, split_stem
from benchkit.labels.stems import ToolNames, read_stem, split_name
from benchkit.regexes import regex

_HOUR, _MINUTE = r"(?:[01]\d|2[0-3])", r"[0-5]\d"
_DIGITS = rf"{_HOUR}{_MINUTE}(?:{_MINUTE})?"
_SIGNED = rf"{_HOUR}h{_MINUTE}|{_HOUR}[-_:.]{_MINUTE}(?:[-_:.]{_MINUTE})?"
_FOLDER = regex(rf"{_DIGITS}|{_SIGNED}")
#: `none_0900`, `0900-none`, `0900`; and, on a known day, `none_09-00`.
_CLOCK = regex(rf"(?:^|(?<=[-_. ])){_DIGITS}$|^{_DIGITS}(?=[-_ ])")
_CLOCK_OF_DAY = regex(rf"(?:^|(?<=[-_. ]))(?:{_DIGITS}|{_SIGNED})$|^{_DIGITS}(?=[-_ ])")
_DATE_DIGITS = 8
#: The day of times without a date: as any, since only their order counts.
_ANY_DAY = "20000101"
_YEARS = range(1900, 2100)
_Place = tuple[str, ...]


class _Timed(NamedTuple):
    """A file that has a time of day; its name without the time, and its path with the date."""

    day: str
    clock: str
    name: str
    dated: str


def date_clocks(paths: Sequence[str], tools: ToolNames, root_name: str) -> list[str]:
    """Write the date to times of day, so that they are read as the moments that they are.

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
    """Write the date to folders of days that are times."""
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
    """Return the folders above the last one that is a date, and the digits of that date."""
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
    """Tell whether numbers are times; without a date they are neither full hours nor years."""
    times = {(file.day, file.clock) for file in files}
    if len(times) < len({(file.day, file.clock, file.name) for file in files}):
        return False
    has_minutes = any(int(clock[2:]) for _, clock in times)
    are_several = len({file.name for file in files}) > 1
    if is_dated:
        return has_minutes or are_several
    are_years = all(int(clock) in _YEARS for _, clock in times)
    return has_minutes and are_several and not are_years
