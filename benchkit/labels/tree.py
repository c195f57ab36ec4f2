"""Labels of all files of a tree, read together.

`off/trial01.out` alone does not show which word is the variant. Folders and stems that count runs
or are dates are recognised first. Of the remaining names, either folders or stems are the variants:
the level that contains a default baseline's name; otherwise the folders, if they all contain one
name or are versions; otherwise the stems.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from benchkit.labels.counts import is_count
from benchkit.labels.names import (
    hold_sides,
    leave_common_words,
    leave_form,
    leave_form_folders,
    leave_key,
    leave_repeated_names,
    part_folders,
    part_names,
)
from benchkit.labels.patterns import PathLabels, read_numbers, read_path
from benchkit.labels.plain_files import PlainFile, count_runs, date_clocks, open_file
from benchkit.labels.plain_stems import FOLDER, split_stem
from benchkit.labels.run_folders import count_moments, leave_out_runs
from benchkit.labels.stems import ToolNames, is_form, is_name, is_number, is_version

__all__ = ["lead_by_folders", "read_tree"]


def read_tree(
    paths: Sequence[str],
    baselines: Collection[str],
    tools: ToolNames,
    *,
    root_name: str,
    pattern: str | None = None,
    stated: Sequence[int | None] = (),
) -> list[PathLabels]:
    """Read the labels of all files below one folder.

    Parameters
    ----------
    paths : sequence of str
        Posix paths below the folder.
    baselines : collection of str
        Names of a baseline: the level that includes one of them names the variants.
    tools : ToolNames
        The names of the formats.
    root_name : str
        Name of the folder, which is the variant if nothing else names one.
    pattern : str, optional
        A user-defined pattern, by which each path is read separately.
    stated : sequence of int or None
        The run that the sidecar of each path states, if any; equal numbers in names are runs.

    Examples
    --------
    >>> paths = ["off/trial01.out", "on/trial01.out"]
    >>> read = read_tree(paths, ("off",), ToolNames(), root_name="results")
    >>> [(labels.group, labels.variant, labels.run) for labels in read]
    [('', 'off', 1), ('', 'on', 1)]
    """
    if not pattern:
        keyless = date_clocks([*map(leave_key, paths)], tools, root_name)
        paths = leave_repeated_names(leave_form_folders(keyless))
    read = [read_path(path, tools=tools, root_name=root_name, pattern=pattern) for path in paths]
    if pattern:
        return read
    stated = stated or [None] * len(paths)
    files: list[PlainFile | None] = []
    unfolded = leave_out_runs(paths, baselines, tools, root_name)
    parted = part_folders([each.path for each in unfolded], baselines)
    for at, (rest, (_, run, _)) in enumerate(zip(parted, unfolded, strict=True)):
        if rest != paths[at]:
            anew, kept = read_path(rest, tools=tools, root_name=root_name), read[at]
            read[at] = anew._replace(
                run=anew.run if run is None else run, folder=kept.folder, series=kept.series
            )
        is_plain = not read[at].tool and not read[at].series
        files.append(open_file(rest, run, tools, stated[at]) if is_plain else None)
    read_numbers(paths, read, tools, stated)
    plain = [file for file in files if file is not None]
    count_runs(plain, baselines, tools)
    _part_names(plain, baselines, tools)
    _drop_forms(plain)
    holding = _find_folders(plain, tools, baselines)
    is_alone = len({file.name for file in plain if not file.folders}) == 1
    labelled = [
        labels
        if file is None
        else _label(labels, file, holding, tools, root_name, is_alone=is_alone)
        for labels, file in zip(read, files, strict=True)
    ]
    names = leave_common_words({labels.variant for labels in labelled}, tools)
    labelled = [labels._replace(variant=names[labels.variant]) for labels in labelled]
    labelled = count_moments(labelled, [each.moment for each in unfolded])
    return _lift_names(_lift_sides(labelled, baselines), baselines, tools)


def _lift_names(
    tree: list[PathLabels], baselines: Collection[str], tools: ToolNames
) -> list[PathLabels]:
    """Make variants of the rest of tools' stems, if only they include a baseline's name."""
    names = {labels.leftover for labels in tree if labels.tool and not _is_companion(labels, tools)}
    folders = {labels.variant.lower() for labels in tree}
    if not folders.isdisjoint(baselines) or {n.lower() for n in names}.isdisjoint(baselines):
        return tree
    return [
        labels._replace(
            group="/".join(
                filter(None, (labels.group, labels.variant if _is_folder(labels) else ""))
            ),
            variant=labels.leftover,
            benchmark="",
            by_stem=True,
        )
        if labels.tool and labels.leftover in names - {""}
        else labels
        for labels in tree
    ]


def _lift_sides(tree: list[PathLabels], baselines: Collection[str]) -> list[PathLabels]:
    """Make variants of folders above the variants, if only that level has a baseline's name.

    The folders in between go into the group, and files that would be variants are benchmarks.
    """
    above = [tuple(filter(None, labels.group.split("/"))) for labels in tree]
    below: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for folders in above:
        for depth in range(len(folders)):
            below[folders[:depth]].add(folders[depth])
    variants = {labels.variant.lower() for labels in tree}
    sides = {site for site, names in below.items() if hold_sides(names, baselines)}
    if not variants.isdisjoint(baselines) or all(len(below[site]) == 1 for site in sides):
        return tree
    return [_lift(labels, folders, sides) for labels, folders in zip(tree, above, strict=True)]


def _lift(labels: PathLabels, folders: tuple[str, ...], sides: set[tuple[str, ...]]) -> PathLabels:
    depth = next((at for at in range(len(folders)) if folders[:at] in sides), None)
    if depth is None:
        return labels
    between = (*folders[:depth], *folders[depth + 1 :])
    if labels.by_stem:
        labels = labels._replace(benchmark=labels.variant, leftover=labels.variant)
    else:
        between = (*between, labels.variant)
    return labels._replace(group="/".join(between), variant=folders[depth], by_stem=False)


def lead_by_folders(
    trees: Sequence[Sequence[PathLabels]], tools: ToolNames
) -> list[list[PathLabels]]:
    """Return the labels of folders that are a variant each, with names below them as other labels.

    If the folders below one of them differ, those that would be variants go into the group. Folders
    that count runs and folders of counters do not. Files that would be variants are benchmarks, as
    they are below folders that are read together.

    Examples
    --------
    >>> paths = ["go1.21/1.txt", "go1.22/1.txt"]
    >>> read = read_tree(paths, (), ToolNames(), root_name="old")
    >>> [labels.group for labels in lead_by_folders([read], ToolNames())[0]]
    ['go1.21', 'go1.22']
    """
    named = [list(zip(tree, _name_folders(tree), strict=True)) for tree in trees]
    measured = [
        {(labels.group, name) for labels, name in tree if not _is_companion(labels, tools)}
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
    """Return the names of files, if one tree has several."""
    names = [
        {
            labels.variant
            for labels in tree
            if labels.by_stem and is_name(labels.variant, tools) and not _is_sparse(labels)
        }
        for tree in trees
    ]
    return set().union(*names) if any(len(each) > 1 for each in names) else set()


def _is_sparse(labels: PathLabels) -> bool:
    """Return whether a file is named after its run, so that it is that run of a given variant."""
    return labels.run is not None and is_run(labels.variant)


def _is_companion(labels: PathLabels, tools: ToolNames) -> bool:
    return labels.tool in tools.companions or labels.series != ""


def _name_folders(tree: Sequence[PathLabels]) -> list[str]:
    """Return the folder that would be each file's variant, empty if it is a run."""
    numbers: dict[str, set[int]] = defaultdict(set)
    for labels in tree:
        if is_number(labels.variant) and _is_folder(labels):
            numbers[labels.group].add(int(labels.variant))
    counts = {group for group, each in numbers.items() if is_count(each)}
    return [
        ""
        if not _is_folder(labels)
        or FOLDER.fullmatch(labels.variant)
        or (is_number(labels.variant) and labels.group in counts)
        else labels.variant
        for labels in tree
    ]


def _is_folder(labels: PathLabels) -> bool:
    """Return whether the variant is the name of a folder, not of a stem or the root."""
    above = labels.group.split("/")
    return labels.folder.split("/").count(labels.variant) > above.count(labels.variant)


def is_run(name: str) -> bool:
    """Return whether a folder's name counts a run; a date alone may be a nightly variant.

    Examples
    --------
    >>> [is_run(name) for name in ("run3", "3", "2026-10-01", "c861e65")]
    [True, True, False, False]
    """
    match = FOLDER.fullmatch(name)
    return bool(match and match["run"]) or is_number(name)


def name_without_run(path: str) -> str:
    """Return the stem of a file without its run count.

    Examples
    --------
    >>> name_without_run("old/get-2.txt"), name_without_run("3.txt")
    ('get', '')
    """
    return open_file(path, None, ToolNames()).name


def _drop_forms(files: Iterable[PlainFile]) -> None:
    """Remove the form from a name if the folder has the same name without it, or with another."""
    rests: dict[tuple[tuple[str, ...], str], set[str]] = defaultdict(set)
    kept = [(file, leave_form(file.name)) for file in files]
    for file, rest in kept:
        rests[file.folders, rest].add(file.name)
    for file, rest in kept:
        if len(rests[file.folders, rest]) > 1:
            file.name = rest


def _part_names(files: Iterable[PlainFile], baselines: Collection[str], tools: ToolNames) -> None:
    """Split names that contain a side and a benchmark, if every side has the same benchmarks.

    `before-get`, `before-put`, `after-get`, `after-put`: the text next to a baseline's name in
    several names is the benchmark, and the text next to that in the other names is another side.
    """
    by_group: dict[tuple[str, ...], list[PlainFile]] = defaultdict(list)
    for file in files:
        by_group[file.folders].append(file)
    for same in by_group.values():
        parted = part_names({file.name for file in same}, baselines)
        if parted:
            _read_rests(same, parted, tools)


def _read_rests(
    files: Sequence[PlainFile], parted: Mapping[str, tuple[str, str]], tools: ToolNames
) -> None:
    """Read the rest of each name as a file name below the side: `1_c20` is run 1 of c20."""
    rests: list[PlainFile] = []
    for file in files:
        file.name, rest = parted[file.name]
        stem = split_stem(rest, tools)
        rests.append(PlainFile((*file.folders, file.name), stem, stem.name, None))
    count_runs(rests, (), tools)
    for file, below in zip(files, rests, strict=True):
        file.run = below.run if file.run is None else file.run
        name = below.name if is_name(below.name, tools) else ""
        file.level = "-".join(filter(None, (name, below.level, file.level)))


def _find_folders(
    files: Iterable[PlainFile], tools: ToolNames, baselines: Collection[str]
) -> dict[tuple[str, ...], bool]:
    """Return where folders are the variants, and whether stems below them name benchmarks."""
    names: dict[tuple[str, ...], set[str]] = defaultdict(set)
    folders: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for file in files:
        if file.folders:
            folders[file.folders[:-1]].add(file.folders[-1])
            names[file.folders[:-1]] |= {file.name} if is_name(file.name, tools) else set()
    holding: dict[tuple[str, ...], bool] = {}
    for site, siblings in folders.items():
        in_folders = any(name.lower() in baselines for name in siblings)
        in_stems = any(name.lower() in baselines for name in names[site])
        is_named = len(names[site]) == 1 or all(map(is_version, siblings))
        if not names[site] or (not in_stems and (in_folders or (is_named and len(siblings) > 1))):
            holding[site] = len(names[site]) > 1
    return holding


def _label(
    labels: PathLabels,
    file: PlainFile,
    holding: dict[tuple[str, ...], bool],
    tools: ToolNames,
    root_name: str,
    *,
    is_alone: bool,
) -> PathLabels:
    """Make the labels of a file; ``is_alone`` if all files of the root share one name."""
    *above, last = file.folders or (root_name,)
    site = tuple(above)
    is_folder = file.folders != () and site in holding
    benchmark = file.level
    if is_folder and holding[site] and is_name(file.name, tools):
        benchmark = file.stem.whole if file.level else file.name
    is_of_root = not file.folders and not is_name(file.name, tools)
    is_of_root = is_of_root and (file.run is not None or is_alone or is_form(file.name))
    is_above = is_folder or is_of_root or not file.name
    variant = last if is_above else file.name
    return labels._replace(
        group="/".join(above if is_above else file.folders),
        variant=variant or labels.variant,
        benchmark=benchmark,
        leftover=benchmark,
        run=file.run,
        role=file.stem.role,
        by_stem=not is_above,
    )
