"""The labels of all files of a tree, read together.

Of `off/trial01.out` by itself nobody knows which word is the variant. Folders and stems that count
runs or are dates are recognised first. Of the names that are left, those of folders or those of
stems are the variants: the level that holds a default baseline's name, else the folders where they
all hold one name, else the stems.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from benchkit.labels.patterns import PathLabels, name_stages, read_path
from benchkit.labels.stems import FORMS, RESULT_WORDS, ROLES, SEPARATORS, ToolNames, split_name

__all__ = ["lead_by_folders", "read_tree"]

#: What people call the side that they compare with, where it is no variant's usual name.
_EARLIER = frozenset({"old", "before"})
_COUNTED = (
    r"(?:run|trial|iteration|iter|repetition|repeat|rep|round|attempt|take)[-_. ]?(?P<run>\d{1,9})"
)
_MOMENT = (
    r"(?P<moment>(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:0[1-9]|[12]\d|3[01])"
    r"(?:[-_T. ]?(?:[01]\d|2[0-3])[-_:.h]?[0-5]\d(?:[-_:.m]?[0-5]\d)?Z?)?"
    r"|1[4-9]\d{8}(?:\d{3})?)"
)
_FOLDER = re.compile(rf"{_COUNTED}|{_MOMENT}", re.IGNORECASE)
_END = re.compile(
    rf"(?:^|[-_. ])(?:{_COUNTED}|{_MOMENT})$|(?<=.)[-_](?P<number>\d{{1,9}})$", re.IGNORECASE
)


class _Stem(NamedTuple):
    """A stem without what counts its runs: a word with a number, a moment, or a number alone."""

    name: str
    run: int | None = None
    moment: str = ""
    number: int | None = None
    role: str = "measured"
    whole: str = ""


@dataclass(slots=True)
class _File:
    """A file whose name begins with no tool's: its folders, its stem, and what they come to."""

    folders: tuple[str, ...]
    stem: _Stem
    name: str
    run: int | None


def read_tree(
    paths: Sequence[str],
    baselines: Collection[str],
    tools: ToolNames,
    *,
    root_name: str,
    pattern: str | None = None,
) -> list[PathLabels]:
    """Read the labels of all files below one folder.

    Parameters
    ----------
    paths : sequence of str
        Posix paths below the folder.
    baselines : collection of str
        Names of a baseline: the level that holds one of them names the variants.
    tools : ToolNames
        The names of the formats.
    root_name : str
        Name of the folder: the variant where nothing else names one.
    pattern : str, optional
        A pattern of the user's own, by which each path is read by itself.

    Examples
    --------
    >>> paths = ["off/trial01.out", "on/trial01.out"]
    >>> read = read_tree(paths, ("off",), ToolNames(), root_name="results")
    >>> [(labels.group, labels.variant, labels.run) for labels in read]
    [('', 'off', 1), ('', 'on', 1)]
    """
    read = [read_path(path, tools=tools, root_name=root_name, pattern=pattern) for path in paths]
    if pattern:
        return read
    files: list[_File | None] = []
    for at, (rest, run) in enumerate(_leave_out_runs(paths, tools, root_name)):
        if run is not None:
            found, kept = read_path(rest, tools=tools, root_name=root_name), read[at]
            read[at] = found._replace(run=run, folder=kept.folder, series=kept.series)
        is_plain = not read[at].tool and not read[at].series
        files.append(_open(rest, run, tools) if is_plain else None)
    name_stages(paths, read, tools)
    plain = [file for file in files if file is not None]
    _count_runs(plain)
    _drop_forms(plain)
    holding = _find_folders(plain, tools, {*baselines, *_EARLIER})
    is_alone = len({file.name for file in plain if not file.folders}) == 1
    return [
        labels
        if file is None
        else _label(labels, file, holding, tools, root_name, is_alone=is_alone)
        for labels, file in zip(read, files, strict=True)
    ]


def lead_by_folders(
    trees: Sequence[Sequence[PathLabels]], tools: ToolNames
) -> list[list[PathLabels]]:
    """Return the labels of folders that are a variant each, with the names below as other labels.

    Where the folders below one of them differ, those that would be variants lead their files apart.
    Folders that count runs lead no file, nor do those of counters. Files that would be variants are
    benchmarks, as they are below folders that are read together.

    Examples
    --------
    >>> paths = ["go1.21/1.txt", "go1.22/1.txt"]
    >>> read = read_tree(paths, (), ToolNames(), root_name="old")
    >>> [labels.group for labels in lead_by_folders([read], ToolNames())[0]]
    ['go1.21', 'go1.22']
    """
    named = [list(zip(tree, _name_folders(tree), strict=True)) for tree in trees]
    measured = [
        {(labels.group, name) for labels, name in tree if not _is_beside(labels, tools)}
        for tree in named
    ]
    differing = [places for places in measured if len({name for _, name in places}) > 1]
    named_apart = {name for places in differing for _, name in places}
    benchmarks = _list_benchmarks(trees, tools)
    return [
        [
            labels._replace(group="/".join(filter(None, (labels.group, name))))
            if (labels.group, name) in places and name in named_apart
            else labels._replace(benchmark=labels.variant, leftover=labels.variant)
            if labels.by_stem and labels.variant in benchmarks
            else labels
            for labels, name in tree
        ]
        for tree, places in zip(named, measured, strict=True)
    ]


def _list_benchmarks(trees: Sequence[Sequence[PathLabels]], tools: ToolNames) -> set[str]:
    """Return the names of files, if those of one tree have several."""
    names = [
        {labels.variant for labels in tree if labels.by_stem and _is_name(labels.variant, tools)}
        for tree in trees
    ]
    return set().union(*names) if any(len(each) > 1 for each in names) else set()


def _is_beside(labels: PathLabels, tools: ToolNames) -> bool:
    return labels.tool in tools.companions or labels.series != ""


def _name_folders(tree: Sequence[PathLabels]) -> list[str]:
    """Return for each file the folder that would be its variant, or nothing if that is a run."""
    numbers: dict[str, set[int]] = defaultdict(set)
    for labels in tree:
        if _is_number(labels.variant) and _is_folder(labels):
            numbers[labels.group].add(int(labels.variant))
    counts = {group for group, each in numbers.items() if max(each) - len(each) in (-1, 0)}
    return [
        ""
        if not _is_folder(labels)
        or _FOLDER.fullmatch(labels.variant)
        or (_is_number(labels.variant) and labels.group in counts)
        else labels.variant
        for labels in tree
    ]


def _is_folder(labels: PathLabels) -> bool:
    """Tell whether the variant is the name of a folder, not of a stem or of the root."""
    above = labels.group.split("/")
    return labels.folder.split("/").count(labels.variant) > above.count(labels.variant)


def is_run(name: str) -> bool:
    """Tell whether the name of a folder counts a run; a date alone may be a night's variant.

    Examples
    --------
    >>> is_run("run3"), is_run("3"), is_run("2026-10-01"), is_run("c861e65")
    (True, True, False, False)
    """
    match = _FOLDER.fullmatch(name)
    return bool(match and match["run"]) or _is_number(name)


def name_without_run(path: str) -> str:
    """Return the stem of a file without what counts its runs.

    Examples
    --------
    >>> name_without_run("old/get-2.txt"), name_without_run("3.txt")
    ('get', '')
    """
    return _open(path, None, ToolNames()).name


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit() and len(name) < 9


def _open(path: str, run: int | None, tools: ToolNames) -> _File:
    *folders, name = (part for part in path.split("/") if part not in ("", ".", ".."))
    stem = _split(split_name(name)[0], tools)
    return _File(tuple(folders), stem, stem.name, run)


def _leave_out_runs(
    paths: Sequence[str], tools: ToolNames, root_name: str
) -> list[tuple[str, int | None]]:
    """Return each path without a folder that is a run, and the run.

    Such folders stay where files below them have runs, too.
    """
    split = [_split_folder(path) for path in paths]
    moments = sorted({run for _, run, is_moment in split if is_moment})
    for rest, run, _ in split:
        found = read_path(rest, tools=tools, root_name=root_name) if run else None
        stem = _open(rest, None, tools).stem
        if found is not None and (found.run if found.tool else _is_counted(stem)):
            return [(path, None) for path in paths]
    return [
        (rest, (moments.index(run) + 1 if is_moment else int(run)) if run else None)
        for rest, run, is_moment in split
    ]


def _split_folder(path: str) -> tuple[str, str, bool]:
    """Return a path without its last folder that is a run, the run, and whether it is a moment."""
    parts = path.split("/")
    for at in range(len(parts) - 2, -1, -1):
        match = _FOLDER.fullmatch(parts[at])
        if match is not None:
            rest = "/".join((*parts[:at], *parts[at + 1 :]))
            moment = match["moment"] or ""
            return rest, match["run"] or _digits(moment), bool(moment)
    return path, "", False


@lru_cache(maxsize=1 << 14)
def _split(stem: str, tools: ToolNames) -> _Stem:
    """Split a stem into its name and what counts its runs.

    Examples
    --------
    >>> [_split(stem, ToolNames()).number for stem in ("jdk-17", "out2", "http2")]
    [17, 2, None]
    >>> _split("none-20240101-1200", ToolNames()).moment, _split("trial01", ToolNames()).run
    ('202401011200', 1)
    """
    if _is_number(stem) and not _FOLDER.fullmatch(stem):
        return _Stem("", number=int(stem), whole=stem)
    match = _END.search(stem)
    word = stem.rstrip("0123456789")
    if match is None and _is_number(stem[len(word) :]) and not _is_name(word, tools):
        return _Stem(word, number=int(stem[len(word) :]), whole=stem)
    if match is None:
        return _take_role(stem)._replace(whole=stem)
    run, moment, number = match.group("run", "moment", "number")
    return _take_role(stem[: match.start()])._replace(
        run=int(run) if run else None,
        moment=_digits(moment or ""),
        number=int(number) if number else None,
        whole=stem,
    )


def _take_role(name: str) -> _Stem:
    words = SEPARATORS.split(name)
    role = next((ROLES[word.lower()] for word in words if word.lower() in ROLES), "measured")
    if role == "measured":
        return _Stem(name)
    return _Stem("-".join(word for word in words if word.lower() not in ROLES), role=role)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _is_counted(stem: _Stem) -> bool:
    return stem.run is not None or stem.number is not None or bool(stem.moment)


def _count_runs(files: Iterable[_File]) -> None:
    """Take runs from the ends of stems; numbers that begin above 1 are part of a name.

    Numbers alone are a name where none follows another: `8.txt` and `64.txt`.
    """
    alike: dict[tuple[object, ...], list[_File]] = defaultdict(list)
    for file in files:
        alike[file.folders, file.name, file.stem.role].append(file)
    numbers = {
        key: {file.stem.number for file in same if file.stem.number is not None}
        for key, same in alike.items()
    }
    counts = [each for each in numbers.values() if each and min(each) < 2]
    for key, same in alike.items():
        moments = sorted({file.stem.moment for file in same})
        is_run = len(numbers[key]) < 2 or any(numbers[key] <= each for each in counts)
        is_run |= not key[1] and any(number + 1 in numbers[key] for number in numbers[key])
        for file in same:
            stem = file.stem
            if stem.moment:
                file.run = moments.index(stem.moment) + (moments[0] != "")
            elif stem.run is not None or (is_run and stem.number is not None):
                file.run = stem.number if stem.run is None else stem.run
            elif stem.number is not None:
                file.name = stem.whole


def _drop_forms(files: Iterable[_File]) -> None:
    """Drop the form from a name that another file of the folder has without it."""
    names: dict[tuple[str, ...], set[str]] = defaultdict(set)
    kept = list(files)
    for file in kept:
        names[file.folders].add(file.name)
    for file in kept:
        *_, form = SEPARATORS.split(file.name)
        rest = file.name[: -len(form) - 1]
        if form.lower() in FORMS and rest in names[file.folders]:
            file.name = rest


def _is_name(name: str, tools: ToolNames) -> bool:
    """Tell whether a stem's name is more than a word for results or a tool."""
    words = (word.lower() for word in SEPARATORS.split(name) if word)
    return any(word not in RESULT_WORDS and word not in tools.known for word in words)


def _find_folders(
    files: Iterable[_File], tools: ToolNames, baselines: Collection[str]
) -> dict[tuple[str, ...], bool]:
    """Return where folders are the variants, and whether stems name benchmarks below them."""
    names: dict[tuple[str, ...], set[str]] = defaultdict(set)
    folders: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for file in files:
        if file.folders:
            folders[file.folders[:-1]].add(file.folders[-1])
            names[file.folders[:-1]] |= {file.name} if _is_name(file.name, tools) else set()
    holding: dict[tuple[str, ...], bool] = {}
    for site, siblings in folders.items():
        in_folders = any(name.lower() in baselines for name in siblings)
        in_stems = any(name.lower() in baselines for name in names[site])
        is_one = len(names[site]) == 1 and len(siblings) > 1
        if not names[site] or (not in_stems and (in_folders or is_one)):
            holding[site] = len(names[site]) > 1
    return holding


def _label(
    labels: PathLabels,
    file: _File,
    holding: dict[tuple[str, ...], bool],
    tools: ToolNames,
    root_name: str,
    *,
    is_alone: bool,
) -> PathLabels:
    """Put the labels of a file together; ``is_alone`` where the root's files share one name."""
    *above, last = file.folders or (root_name,)
    site = tuple(above)
    is_folder = file.folders != () and site in holding
    benchmark = ""
    if is_folder and holding[site] and _is_name(file.name, tools):
        benchmark = file.name
    is_of_root = not file.folders and not _is_name(file.name, tools)
    is_of_root = is_of_root and (file.run is not None or is_alone)
    is_above = is_folder or is_of_root or not file.name
    variant = last if is_above else file.name
    leading = above if is_above else list(file.folders)
    return labels._replace(
        group="/".join(leading),
        variant=variant or labels.variant,
        benchmark=benchmark,
        leftover=benchmark,
        run=file.run,
        role=file.stem.role,
        by_stem=not is_above,
    )
