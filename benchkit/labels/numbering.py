"""Assignment of readings to runs, and of numbers to runs.

It is a pure function of the set, so neither the order of the files nor a second ingest changes a
number. It depends on each series alone, so an ingest settles only the series it touches.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from shlex import quote
from typing import NamedTuple

from benchkit.errors import Diagnostic
from benchkit.labels.counts import is_count
from benchkit.labels.forms import Run, merge_forms
from benchkit.labels.pieces import Piece
from benchkit.labels.sections import label_blocks
from benchkit.labels.shards import join_shards
from benchkit.labels.stems import split_name
from benchkit.labels.walk import path_key
from benchkit.regexes import regex
from benchkit.schema import LOST_ROLES

__all__ = ["Piece", "Series", "join_levels", "note_alone", "part_packages", "series_of", "settle"]

#: The largest number that the table can hold.
_LARGEST = (1 << 31) - 1
#: Smallest number read as a date: it numbers one run, but the next run is not counted up from it.
_DATED = 10_000_000
#: Maximum number of digits of a level that are read.
_DIGITS = 18
_LOAD = "conns?|connections?|clients?|users?|vus?|threads?"
#: A number in a name, with its optional unit or letter: `get-10`, `t2-c64`, `64conn`, `20users`.
_LEVEL = regex(
    rf"(?:^|[-_. ])(?:[A-Za-z]?|{_LOAD})(?P<number>\d{{1,9}})"
    rf"(?:c|[-_]?(?:{_LOAD}))?(?=[-_. ]|$)"
)


def settle(pieces: Iterable[Piece]) -> list[Diagnostic]:
    """Set the final labels and numbers of pieces, in place.

    Parameters
    ----------
    pieces : iterable of Piece
        All pieces to be numbered together, in any order.

    Returns
    -------
    list of Diagnostic
        A note for every source whose declared number is already taken.

    Examples
    --------
    >>> text = Piece(path="none/k6-1.txt", tool="k6", form="text", run=1, target="/")
    >>> export = Piece(path="none/k6-export-1.json", tool="k6", form="export", run=1)
    >>> settle([export, text]), text.number, export.number, export.benchmark
    ([], 1, 1, '/')
    """
    series: dict[Series, list[Piece]] = defaultdict(list)
    for piece in sorted(pieces, key=lambda piece: (path_key(piece.path), piece.index)):
        series[series_of(piece)].append(piece)
    return [note for alike in series.values() for note in _settle_series(alike)]


class Series(NamedTuple):
    """The labels shared by pieces that are settled together; the group excludes the package."""

    origin: str
    group: str
    variant: str
    tool: str
    role: str


def series_of(piece: Piece) -> Series:
    """Return the series of a piece; `settle` never lets a piece change one of another series.

    Examples
    --------
    >>> series_of(Piece(path="x/y/a.txt", group="x/y", variant="none", tool="gobench", pkg="y"))
    Series(origin='', group='x', variant='none', tool='gobench', role='measured')
    """
    group = leave_package(piece.group, piece.pkg)
    return Series(piece.origin, group, piece.variant, piece.tool, piece.role)


def leave_package(group: str, package: str) -> str:
    """Return a group without its Go package.

    Examples
    --------
    >>> leave_package("x/y", "y"), leave_package("xy", "y")
    ('x', 'xy')
    """
    if package and f"/{group}".endswith(f"/{package}"):
        return group[: -len(package)].rstrip("/")
    return group


def note_alone(before: Iterable[Piece], new: Iterable[Piece]) -> Iterator[Diagnostic]:
    """Note that a file read alone counts as a run, though its number may be part of the name.

    Read together, `jdk-17.txt` and `jdk-21.txt` are two names. If they are read one after the
    other, only one number is known at a time.

    Examples
    --------
    >>> first, second = (Piece(path=f"jdk-{n}.txt", variant="jdk", run=n) for n in (17, 21))
    >>> [note.what for note in note_alone([first], [second])]
    ["runs 17, 21 of 'jdk' count as repeats, but the numbers may be part of the names"]
    """
    alone = {key: paths for key, paths in _list_numbers(new).items() if len(paths) == 1}
    held = _list_numbers(before) if alone else {}
    for key, paths in alone.items():
        runs = sorted({*paths, *held.get(key, {})})
        if len(runs) == 1 or is_count(runs):
            continue
        ((run, path),) = paths.items()
        shown = ", ".join(map(str, runs[:4])) + (" and more" if len(runs) > 4 else "")
        what = (
            f"runs {shown} of '{key[1]}' count as repeats, but the numbers may be part of the names"
        )
        around = path.rpartition("/")[2].rsplit(str(run), 1)
        files = "*".join(quote(part) if part else "" for part in around)
        hint = (
            "if the numbers are part of benchmark names, read the files with one command: "
            f"benchkit ingest {files}"
        )
        yield Diagnostic(path, 0, what, hint, "warning")


def _list_numbers(pieces: Iterable[Piece]) -> dict[tuple[Series, str], dict[int, str]]:
    """Return the paths of runs whose number directly follows the name of their variant or file."""
    numbers: dict[tuple[Series, str], dict[int, str]] = defaultdict(dict)
    for piece in pieces:
        name = piece.leftover or piece.variant
        if piece.run is None or piece.is_companion or not name:
            continue
        stem, _ = split_name(piece.path.rpartition("/")[2])
        if stem.endswith((f"{name}-{piece.run}", f"{name}_{piece.run}")):
            numbers[series_of(piece), name][piece.run] = piece.path
    return numbers


def join_levels(pieces: Iterable[Piece]) -> None:
    """Make one variant of files whose numbers are the levels of a param that they record.

    `get_1.txt` to `get_8.txt` with 10 to 80 connections are a sweep of `get`, not four variants.
    For `otlp/c10.txt`, the folder becomes the variant and is removed from the group.

    Examples
    --------
    >>> read = {f"get_{n}.txt": f"connections={10 * n},threads=2" for n in (1, 2, 4)}
    >>> pieces = [Piece(path=p, variant=p[:-4], params=params) for p, params in read.items()]
    >>> join_levels(pieces)
    >>> {piece.variant for piece in pieces}
    {'get'}
    """
    alike: dict[tuple[str, ...], list[tuple[int, Piece]]] = defaultdict(list)
    for piece in pieces:
        for name, number in _list_numbered(piece):
            site = piece.folder.removesuffix(piece.variant)  # the folders may be the levels
            key = piece.origin, piece.group, site, piece.tool, name
            alike[key].append((number, piece))
    for (*_, name), numbered in alike.items():
        if _are_levels(numbered):
            for _, piece in numbered:
                piece.variant = name
                if piece.group.rpartition("/")[2] == name:
                    piece.group = piece.group.rpartition("/")[0]


def _list_numbered(piece: Piece) -> Iterator[tuple[str, int]]:
    """Yield the rest of a file's variant without each of its numbers, and that number."""
    *above, folder, name = f"//{piece.path}".split("/")
    stem, _ = split_name(name)
    holder = above[-1] if folder == piece.variant else folder
    is_named = folder == piece.variant or piece.variant in stem
    for match in _LEVEL.finditer(piece.variant) if is_named else ():
        rest = piece.variant[: match.start()] + piece.variant[match.end() :]
        yield rest.lstrip("-_. ") or holder or piece.tool, int(match["number"])


def _are_levels(numbered: Sequence[tuple[int, Piece]]) -> bool:
    """Return whether one param is proportional to the numbers of pieces."""
    shares: dict[str, set[float]] = defaultdict(set)
    counts: Counter[str] = Counter()
    for number, piece in numbered:
        for key, _, value in (pair.partition("=") for pair in piece.params.split(",")):
            if number and value.isascii() and value.isdigit():
                shares[key].add(int(value[:_DIGITS]) / number)
                counts[key] += 1
    several = len({number for number, _ in numbered}) > 1
    return several and any(
        len(each) == 1 and counts[key] == len(numbered) for key, each in shares.items()
    )


def part_packages(pieces: Sequence[Piece]) -> None:
    """Add the Go package to the group if packages differ; applied on reading, never stored."""
    if len({piece.pkg for piece in pieces if piece.pkg}) > 1:
        _lead_by_package(pieces)


def _lead_by_package(pieces: Iterable[Piece]) -> None:
    for piece in pieces:
        piece.group = lead_by_package(piece.group, piece.pkg)


def lead_by_package(group: str, package: str) -> str:
    """Return a group that includes the package.

    Examples
    --------
    >>> lead_by_package("x", "y"), lead_by_package("x/y", "y"), lead_by_package("", "y")
    ('x/y', 'x/y', 'y')
    """
    if not package or f"/{group}".endswith(f"/{package}"):
        return group
    return f"{group}/{package}" if group else package


def _settle_series(pieces: list[Piece]) -> Iterator[Diagnostic]:
    """Set the labels and numbers of the pieces of one series, starting from the declared labels."""
    measured = []
    for piece in pieces:
        if piece.declared_benchmark is None or piece.declared_params is None:
            piece.declared_benchmark, piece.declared_params = piece.benchmark, piece.params
        piece.benchmark, piece.params = piece.declared_benchmark, piece.declared_params
        if piece.is_exported or piece.role in LOST_ROLES or piece.is_companion:
            piece.number = _declared(piece.run) or 0
        else:
            measured.append(piece)
    groups = [piece.group for piece in measured]
    packages = {piece.pkg for piece in measured}
    if "" not in packages or len(packages) > 2:
        _lead_by_package(measured)
    else:
        for piece in measured:
            piece.group = leave_package(piece.group, piece.pkg)
    label_blocks(measured)
    yield from _number(merge_forms(measured))
    for piece, group in zip(measured, groups, strict=True):
        piece.group = group


def _number(runs: list[Run]) -> Iterator[Diagnostic]:
    """Assign numbers to the runs of each key: declared ones first, the rest in natural order."""
    keyed = defaultdict(list)
    for run in runs:
        keyed[run.key].append(run)
    reported: set[str] = set()
    for alike in keyed.values():
        shards = join_shards(alike)
        joined = {run.place for others in shards.values() for run in others}
        same = [run for run in alike if run.place not in joined]
        taken, waiting = _keep_declared(same)
        sources: dict[str, list[Run]] = defaultdict(list)
        for run in waiting:
            sources[run.path].append(run)
        for path, of_source in sources.items():
            start = _declared(of_source[0].first.run)
            if start is not None and start >= _DATED:
                start = None  # the run after 20240131 is not 20240132
            is_conflict = start in taken and path not in reported
            number = _count_up(of_source, 1 if start is None else start, taken)
            if is_conflict and start is not None:
                reported.add(path)
                yield _conflict(of_source[0], number, taken[start])
        for run in same:
            for other in shards.get(run.place, ()):
                other.number(run.first.number)


def _count_up(runs: list[Run], start: int, taken: dict[int, str]) -> int:
    """Assign numbers that are not taken to the runs of a source, in order; return the first."""
    sizes = [run.first.size for run in runs]
    numbers: Sequence[int] = range(start, start + sum(sizes))
    if taken:
        numbers = [*islice((each for each in count(start) if each not in taken), len(numbers))]
    taken |= dict.fromkeys(numbers, runs[0].path)
    if all(run.first.places is None for run in runs):
        for run, number in zip(runs, numbers, strict=True):
            run.number(number)
        return numbers[0]
    import numpy as np

    indices = np.concatenate([run.first.indices for run in runs])
    ordered = np.empty_like(indices)
    ordered[indices.argsort()] = numbers
    end = 0
    for run, size in zip(runs, sizes, strict=True):
        begin, end = end, end + size
        run.number(int(ordered[begin]))
        if run.first.places is not None:
            run.first.places.numbers = ordered[begin:end]
    return numbers[0]


def _keep_declared(runs: list[Run]) -> tuple[dict[int, str], list[Run]]:
    """Give single runs their declared numbers; return the owner of each, and the remaining runs."""
    held: Counter[tuple[str, int | None]] = Counter()
    for run in runs:
        held[run.path, run.first.run] += run.first.size
    taken: dict[int, str] = {}
    waiting: list[Run] = []
    for run in runs:
        declared = _declared(run.first.run)
        if declared is None or declared in taken or held[run.path, run.first.run] > 1:
            waiting.append(run)
        else:
            taken[declared] = run.path
            run.number(declared)
    waiting.sort(key=lambda run: _declared(run.first.run) is None)
    return taken, waiting


def _declared(run: int | None) -> int | None:
    """Return a declared number that fits the table; a time stamp does not."""
    return None if run is None or run > _LARGEST else run


def _conflict(run: Run, number: int, holder: str) -> Diagnostic:
    what = (
        f"run {run.first.run} of {run.first.variant or 'this variant'} is already taken by {holder}"
    )
    hint = (
        f"this file becomes run {number}; to choose the number, set it in a sidecar or folder name"
    )
    return Diagnostic(run.path, 0, what, hint, "note")
