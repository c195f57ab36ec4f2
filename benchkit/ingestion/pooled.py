"""Runs that count as repeats of each other, though they were measured apart: finding B111.

What a store holds decides, not how a command was written: where the files lay, which of them one
ingest read, and the commits that runs record.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from shlex import quote

from benchkit.errors import Finding
from benchkit.ingestion.addresses import name_path
from benchkit.ingestion.gone import MIXED, SHOWN, row_of
from benchkit.ingestion.parts import Part, show_label
from benchkit.ingestion.sources import STDIN
from benchkit.labels.numbering import series_of
from benchkit.labels.tree import is_run, name_without_run
from benchkit.store.columns import began_at

#: Numbers of folders that count runs begin below this; builds and versions begin above it.
_FIRST = 10
#: Where the shell keeps what it pipes: no two commands share a place there.
_PIPES = ("/proc/", "/dev/fd/")


def find_pooled(parts: Sequence[Part]) -> Iterator[Finding]:
    """B111: repeats of one row record several commits, or lie apart and were never read together.

    One ingest that reads several folders decides by their names whether they are groups or runs.
    """
    measured = [part for part in parts if part.role == "measured"]
    is_apart = len({part.batch for part in measured}) > 1 and not _is_one_place(measured)
    are_recorded = len({part.env.get("commit") for part in measured}) > 1
    commits: dict[str, dict[str, None]] = {}
    places: dict[str, dict[str, Part]] = {}
    for row in _list_rows(measured if is_apart or are_recorded else ()).values():
        variant = row[0].variant
        if len(recorded := _list_commits(row)) > 1:
            commits.setdefault(variant, {}).update(dict.fromkeys(recorded))
        elif len(apart := _part_row(row)) > 1:
            near = {_name_place(unit, apart): unit[0] for unit in apart}
            places.setdefault(variant, {}).update(near)
    for variant, names in commits.items():
        remedy = "ingest each commit into a store of its own, or run `benchkit history add`"
        yield _describe(variant, "commits", map(show_label, names), remedy)
    for variant, near in places.items():
        what = "folders" if all(map(_is_of_folder, near.values())) else "inputs"
        yield _describe(variant, what, near, _advise(list(near), [*near.values()]))
    for variant, files in _list_pooled_files(measured).items():
        if variant not in places:
            remedy = (
                "ingest the files of a variant in one command with `--store NEW`, or each with "
                "--benchmark NAME"
            )
            yield _describe(variant, "names of files", map(name_path, files), remedy)


def join_read(
    kept: Sequence[Part],
    new: Sequence[Part],
    superseded: Sequence[Part],
    present: Collection[str],
) -> None:
    """Note on parts that an ingest reads, in place, with which earlier ones it read them together.

    Parameters
    ----------
    kept, new : sequence of Part
        The stored parts of the same series, and those that were read.
    superseded : sequence of Part
        The stored parts whose place new ones take, which pass on what was read along with them.
    present : collection of str
        The paths of all sources that were there.
    """
    if _is_one_place([*kept, *new]):
        return
    passed_on = {part.sha256: _batch_of(part) for part in superseded}
    beside = _list_rows(part for part in kept if part.role == "measured")
    for row, fresh in _list_rows(new).items():
        known = {passed_on[part.sha256] for part in fresh if part.sha256 in passed_on}
        units = _part_row(beside[row]) if row in beside else []
        seen = [
            unit
            for unit in units
            if any(part.path in present or not known.isdisjoint(_keys_of(part)) for part in unit)
        ]
        joined = seen if len(seen) > 1 or known else []
        first = min(known.union(*(map(_batch_of, unit) for unit in seen)), default=0)
        for part in (*fresh, *(part for unit in joined for part in unit)):
            part.joined = first


def find_relabelled(parts: Sequence[Part]) -> Iterator[Finding]:
    """B103: the same measurement of one file counts under several labels of the command line."""
    if len({part.assigned for part in parts}) < 2:
        return
    files: dict[tuple[str, str, str, str | None], dict[str, str]] = {}
    for part in parts:
        if part.role == "measured":
            key = part.origin, part.path, part.sha256, part.env.get("commit")
            files.setdefault(key, {})[part.assigned] = part.variant
    shown = {part.path: part.label for part in parts}
    for (_, path, *_), labels in files.items():
        if len(variants := sorted(set(labels.values()))) > 1 and len(labels) > 1:
            yield Finding(
                code="B103",
                severity="warning",
                where=shown[path],
                message=f"this file counts as {' and as '.join(variants)}, with the same values",
                remedy="if a label is wrong, ingest all results with the right ones and "
                "`--store NEW`",
                numbers={"labels": len(labels)},
            )


def _list_rows(parts: Iterable[Part]) -> dict[Hashable, list[Part]]:
    rows: dict[Hashable, list[Part]] = defaultdict(list)
    for part in parts:
        rows[row_of(part)].append(part)
    return rows


def _list_commits(row: Sequence[Part]) -> list[str]:
    """Return the commits that runs record; one that is written short is that which it begins."""
    commits = sorted({part.env["commit"] for part in row if part.env.get("commit")})
    following = [*commits[1:], ""]
    pairs = zip(commits, following, strict=False)
    return [commit for commit, longer in pairs if not longer.startswith(commit)]


def _part_row(row: Sequence[Part]) -> list[list[Part]]:
    """Part the runs of a row by their places, where no ingest read two of them together."""
    places = _find_places(row)
    links: dict[Hashable, Hashable] = {}
    if len(set(places)) > 1:
        for part, place in zip(row, places, strict=True):
            _link(links, place, part.batch)
            _link(links, place, part.joined if part.joined > 0 else part.batch)
            _link(links, place, ("root", _find_root(part)) if part.joined < 0 else part.batch)
    units: dict[Hashable, list[Part]] = defaultdict(list)
    for part, place in zip(row, places, strict=True):
        units[_find(links, place)].append(part)
    return list(units.values())


def _link(links: dict[Hashable, Hashable], one: Hashable, other: Hashable) -> None:
    links[_find(links, one)] = _find(links, other)


def _find(links: dict[Hashable, Hashable], one: Hashable) -> Hashable:
    while (above := links.get(one, one)) != one:
        one = above
    return one


def _find_places(row: Sequence[Part]) -> list[str]:
    """Return the place of each part: its folder, or what was piped with it."""
    folders = [*map(_find_folder, row)]
    if len(set(folders)) == 1 and folders[0]:
        return folders
    runs: dict[str, int] = defaultdict(int)
    for part in row:
        runs[part.path] += part.size
    names = _leave_out_counts(set(folders))
    return [
        names[folder] if not _is_piped(part) else STDIN if runs[part.path] == 1 else part.path
        for part, folder in zip(row, folders, strict=True)
    ]


def _is_one_place(parts: Sequence[Part]) -> bool:
    folders = set(map(_find_folder, parts))
    return len(folders) == 1 and "" not in folders


def _find_folder(part: Part) -> str:
    """Return the folder of a part; what a link led to is named by its target, too."""
    folder, _, name = part.path.rpartition("/")
    if part.label.endswith(name) or _is_of_folder(part) or _is_piped(part):
        return folder
    return f"{folder}/{name_without_run(name)}"


def _is_of_folder(part: Part) -> bool:
    """Tell whether the user knows a file by the name that it has in its folder."""
    name = part.path.rpartition("/")[2]
    return part.label.endswith(name) or part.label.endswith(name_path(name))


def _is_piped(part: Part) -> bool:
    return part.path.startswith((f"{STDIN}:", *_PIPES))


def _leave_out_counts(folders: Iterable[str]) -> dict[str, str]:
    """Return folders without what counts runs, where such names begin as counts do."""
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
    """Tell whether the numbers by which folders differ begin as counts do."""
    levels = [set(names) for names in zip(*(each.split("/") for each in folders), strict=True)]
    numbers = [[int(name) for name in names if name.isdecimal()] for names in levels]
    return all(min(each, default=0) < _FIRST for each in numbers if len(each) > 1)


def _batch_of(part: Part) -> int:
    return part.joined if part.joined > 0 else part.batch


def _keys_of(part: Part) -> tuple[int, int]:
    return part.batch, part.joined


def _find_root(part: Part) -> str:
    """Return the folder that was named, or that of the file that was, as earlier builds tell it."""
    folder = os.path.dirname(part.path)  # noqa: PTH120 - texts
    return folder.removesuffix(f"/{part.folder}") if part.folder else folder


def _name_place(unit: Sequence[Part], apart: Sequence[Sequence[Part]]) -> str:
    """Return how the place of a unit is named: its folder up to where it differs from others."""
    part = unit[0]
    if _is_piped(part):
        moment = datetime.fromtimestamp(began_at(part.batch) / 1e6, UTC)
        return f"standard input at {moment:%Y-%m-%d %H:%M:%S} UTC"
    folders = [_find_folder(each[0]) for each in apart if not _is_piped(each[0])]
    shared = len(os.path.commonprefix([folder.split("/") for folder in folders]))  # noqa: RUF071 - lists
    return _name_folder("/".join(_find_folder(part).split("/")[: shared + 1]))


def _name_folder(path: str) -> str:
    """Return a folder as it may be shown, from the working folder where it lies below it."""
    here = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118 - texts
    return name_path(path.removeprefix(here) if f"{path}/" != here else ".")


def _advise(names: Sequence[str], parts: Sequence[Part]) -> str:
    """Return what to do about places whose runs count together, by one part of each."""
    if not all(map(_is_of_folder, parts)):
        return (
            "if they are repeats, write them to name-1.txt and name-2.txt in one folder and "
            "ingest that with `--store NEW`; else give each a --variant of its own"
        )
    label = show_label(parts[0].assigned.partition("variant=")[2])
    folders = names if len(names) <= SHOWN else [os.path.dirname(names[0]) or "."]  # noqa: PTH120 - texts
    command = " ".join(("benchkit ingest", *map(quote, folders), "--store NEW"))
    together = "name all folders in one command with `--store NEW`" if label else f"run `{command}`"
    other = quote(f"{os.path.basename(os.path.abspath(names[-1]))}={names[-1]}")  # noqa: PTH100, PTH119 - addresses, too
    return (
        f"{together} to read them together, or label each folder, {other}; folders of repeats are "
        "called run1, run2 and so on"
    )


def _describe(variant: str, what: str, names: Iterable[str], remedy: str) -> Finding:
    shown = list(names)
    more = f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
    return Finding(
        code=MIXED,
        severity="error",
        where=variant,
        message=f"runs of {len(shown)} {what} count together: {', '.join(shown[:SHOWN])}{more}",
        remedy=remedy,
        numbers={"pooled": len(shown)},
    )


def _list_pooled_files(measured: Sequence[Part]) -> dict[str, dict[str, None]]:
    """Return the names of labelled files that were ingested apart and are of one row."""
    rows: dict[Hashable, dict[str, dict[str, set[int]]]] = {}
    for part in measured:
        if "variant=" in part.assigned:
            row = series_of(part)._replace(variant=""), part.benchmark, part.params
            names = rows.setdefault(row, {}).setdefault(part.variant, {})
            names.setdefault(_name_file(part), set()).add(part.batch)
    pooled: dict[str, dict[str, None]] = {}
    for sides in rows.values():
        for variant, names in sides.items():
            others = (other for name, other in sides.items() if name != variant)
            is_apart = len(names) > 1 and not set.intersection(*names.values())
            if is_apart and any(len(names.keys() & other.keys()) > 1 for other in others):
                pooled.setdefault(variant, {}).update(dict.fromkeys(names))
    return pooled


def _name_file(part: Part) -> str:
    """Return the name of a file without its variant and what counts its runs."""
    name = name_without_run(part.path)
    return name.replace(part.variant, "", 1).strip("-_. ")
