"""Labels of sources that are read together: files named in one command, or under one label."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path, PurePosixPath

from benchkit.errors import Diagnostic
from benchkit.ingestion.addresses import name_path
from benchkit.ingestion.sources import Found
from benchkit.labels.patterns import PathLabels
from benchkit.labels.plain_stems import split_stem
from benchkit.labels.stems import ToolNames, form_tokens, split_name
from benchkit.labels.tree import is_run, lead_by_folders, read_tree
from benchkit.selection import SIDE_NAMES


def lead_apart(folders: Iterable[Sequence[Found]], tools: ToolNames) -> None:
    """Separate the folders below labelled folders, with a note on each that has several."""
    folders = list(folders)
    trees = [[source.labels for source in sources] for sources in folders]
    for sources, tree in zip(folders, lead_by_folders(trees, tools), strict=True):
        groups = []
        for source, labels in zip(sources, tree, strict=True):
            if labels.group != source.labels.group:
                groups.append(labels.group)
            source.labels = labels
        if len(names := list(dict.fromkeys(groups))) > 1 and (sidecars := sources[0].sidecars):
            sidecars.diagnostics.append(_note(name_path(sidecars.root), names))


def join_labelled(folders: Sequence[Sequence[Found]], tools: ToolNames) -> list[list[Found]]:
    """Return the sources of labelled folders, after reading those of one label as one folder."""
    labelled: dict[str, list[Sequence[Found]]] = defaultdict(list)
    for sources in filter(None, folders):
        labelled[sources[0].variant].append(sources)
    joined = []
    for label, several in labelled.items():
        joined.append(same := [source for sources in several for source in sources])
        names = (*SIDE_NAMES, label.lower())
        places = _find_places(same)[1]
        tree = read_tree(places, names, tools, root_name=label, stated=_list_stated(same))
        for source, labels in zip(same, tree, strict=True) if len(several) > 1 else ():
            source.labels = labels
    return joined


def _find_places(sources: Sequence[Found]) -> tuple[str, list[str]]:
    """Return the name of the folder that contains all files, and their paths below it."""
    paths = [_locate(source.place or source.label) for source in sources]
    if len({*paths}) < len({source.label for source in sources}):  # a.zip next to a.tgz
        paths = [_locate(source.label) for source in sources]
    top = PurePosixPath(os.path.commonpath([path.parent for path in paths]))
    return top.name, [path.relative_to(top).as_posix() for path in paths]


def _locate(place: str) -> PurePosixPath:
    return PurePosixPath(os.path.abspath(place))  # noqa: PTH100 - addresses, too


def place_below(source: Found, root: Path) -> str:
    """Return the path below a folder from which the labels of a file in an archive are read."""
    return str(_locate(source.place).relative_to(_locate(str(root))))


def read_archives(
    sources: Sequence[Found], root: Path, layout: str | None, tools: ToolNames
) -> None:
    """Read the archives of a folder as if they were the folders that they contain.

    If that gives no two sides, archives that are named after the side they hold are not groups.
    """
    places, stated = [place_below(source, root) for source in sources], _list_stated(sources)
    if len({*places}) < len(places):  # none.zip next to none.tgz
        places = _find_places(sources)[1]
    name = _locate(str(root)).name
    tree = read_tree(places, SIDE_NAMES, tools, root_name=name, pattern=layout, stated=stated)
    alone = [source.labels for source in sources]
    if not layout and not _has_sides(tree) and _has_sides(alone) and _repeat_sides(sources):
        tree = alone
    for source, labels in zip(sources, tree, strict=True):
        source.labels, source.root = labels, root.resolve()


def _repeat_sides(sources: Sequence[Found]) -> bool:
    """Return whether the names of archives differ only by the sides that they hold."""
    rests = set()
    for source in sources:
        folder = _find_root(source.sidecars.root, source) if source.sidecars else Path()
        before, _, after = folder.name.lower().rpartition(source.labels.variant.lower())
        rests.add((folder.parent, before, after))
    return len(rests) == 1


def _list_stated(sources: Iterable[Found]) -> list[int | None]:
    return [source.sidecar.run for source in sources]


def list_declared(sources: Sequence[Found]) -> list[list[Found]]:
    """Return the sources in folders below each sidecar that names their variant."""
    declared: dict[Path, list[Found]] = defaultdict(list)
    files: dict[Path, list[Found]] = defaultdict(list)
    for source in sources:
        variant, path = source.sidecar.variant, source.path
        if not (variant and path and source.sidecars) or source.sidecar.group is not None:
            continue
        folder = source.sidecars.declaring_folder(path, variant)
        if folder and source.labels.by_stem:
            files[folder].append(source)
        elif folder and source.labels.variant in _list_folders(source, path, folder):
            declared[folder].append(source)
    _name_declared(files)
    return list(declared.values())


def _list_folders(source: Found, path: Path, folder: Path) -> tuple[str, ...]:
    """Return the folders of a file below another one, which may hold its archive."""
    if path.is_relative_to(folder):
        return path.relative_to(folder).parts[:-1]
    return _locate(source.place).relative_to(_locate(str(folder))).parts[:-1]


def _name_declared(files: Mapping[Path, Sequence[Found]]) -> None:
    """Make benchmarks of files that would be variants, if a sidecar names their variant."""
    names = [{source.labels.variant for source in same} for same in files.values()]
    are_benchmarks = any(len(each) > 1 for each in names)
    for folder, same in files.items():
        for source in same:
            labels = source.labels
            above = labels.group.split("/")
            if folder.name in above:
                above.remove(folder.name)
            name = labels.variant if are_benchmarks else ""
            source.labels = labels._replace(
                group="/".join(above), benchmark=name, leftover=labels.leftover or name
            )


def _note(root: str, groups: Sequence[str]) -> Diagnostic:
    more = f" and {len(groups) - 3} more" if len(groups) > 3 else ""
    what = (
        f"the folders {', '.join(groups[:3])}{more} count as groups, not as runs of one benchmark"
    )
    hint = "if they are repeats, name them run1, run2 and so on"
    return Diagnostic(root, 0, what, hint, "note")


class Order(Enum):
    """The meaning of the arguments' order after they are read together."""

    NOTHING = "all paths form one tree"
    FILES = "each file is one side, in the order given"
    FOLDERS = "each folder is one side, in the order given"


def read_together(found: Sequence[Found], variant: str, tools: ToolNames) -> Order:
    """Read unlabelled files and folders together, as one folder that contains them all.

    Folders with the same benchmarks are the sides, unless the names below include a baseline's. If
    nothing distinguishes two sides of a comparison, folders keep their labels, and files are read
    with the others of their folder. A ``variant`` for all unlabelled sources leaves them unchanged.
    """
    plain = [source for source in found if source.path and not (source.variant or variant)]
    named = [source for source in plain if source.is_named and not source.labels.series]
    if len({source.root or (source.sidecars and source.sidecars.root) for source in plain}) > 1:
        name, places = _find_places(plain)
        stated = _list_stated(plain)
        tree = read_tree(places, SIDE_NAMES, tools, root_name=name, stated=stated)
        if not named and _read_sides(plain, tree, tools):
            return Order.FOLDERS
        if _is_whole(tree, named) or (not named and not _has_sides(s.labels for s in plain)):
            for source, labels in zip(plain, tree, strict=True):
                source.labels = labels
            return Order.NOTHING
    _read_folders(named, tools)
    return Order.FILES


def _read_sides(plain: Sequence[Found], tree: Sequence[PathLabels], tools: ToolNames) -> bool:
    """Make variants of folders with the same benchmarks; return whether there are any."""
    folders: dict[Path, list[Found]] = defaultdict(list)
    for source in plain:
        if source.sidecars:
            folders[_find_root(source.sidecars.root, source)].append(source)
    if not _may_be_sides([*folders], plain, tree):
        return False
    trees = lead_by_folders(
        [[source.labels for source in same] for same in folders.values()], tools
    )
    loads = [
        {(labels.group, labels.benchmark) for labels in each if labels.tool not in tools.companions}
        for each in trees
    ]
    if all(loads[0].isdisjoint(each) for each in loads[1:]):
        return False
    for same, labelled, name in zip(folders.values(), trees, _name_sides([*folders]), strict=True):
        for source, labels in zip(same, labelled, strict=True):
            source.labels = labels._replace(variant=name, by_stem=False)
    return True


def _find_root(root: Path, source: Found) -> Path:
    """Return the folder that was named on the command line, as labels are read from it."""
    if source.root:
        return source.root
    if not (source.place and source.path):
        return root.resolve()
    depth = len(source.path.relative_to(root).parts)
    return Path(_locate(source.place).parents[depth - 1])


def _name_sides(folders: Sequence[Path]) -> Iterator[str]:
    """Return the shortest distinct names of folders: v1 and v2 for v1/out and v2/out."""
    parts = [folder.parts for folder in folders]
    ends = zip(*map(reversed, parts), strict=False)
    shared = next(at for at, names in enumerate(ends) if len({*names}) > 1)
    return _shortest(["/".join(each[: len(each) - shared]) for each in parts])


def _may_be_sides(
    folders: Sequence[Path], plain: Sequence[Found], tree: Sequence[PathLabels]
) -> bool:
    """Return whether only the folders on the command line can name the variants."""
    below = [source.labels for source in plain]
    names = {labels.variant.lower() for labels in (tree if _has_sides(tree) else below)}
    return (
        names.isdisjoint(SIDE_NAMES)
        and not all(is_run(folder.name) for folder in folders)
        and not any(source.sidecar.variant for source in plain)
        and not any(one in other.parents for one in folders for other in folders)
    )


def _is_whole(tree: Sequence[PathLabels], named: Sequence[Found]) -> bool:
    """Return whether files form a comparison together, or are runs of one variant.

    If each file has its own folder, each is a side.
    """
    runs = {(labels.variant, labels.run) for labels in tree if labels.run is not None}
    is_repeated = len({variant for variant, _ in runs}) == 1 and len(runs) == len(tree) > 2
    folders = {PurePosixPath(source.label).parent for source in named}
    variants = {labels.variant for labels in tree}
    is_each_alone = len(named) == len(tree) == len(folders) and len(variants) in {1, len(tree)}
    return (_has_sides(tree) and not is_each_alone) or (is_repeated and bool(named))


def _has_sides(tree: Iterable[PathLabels]) -> bool:
    """Return whether the same benchmark was measured under two variants."""
    variants: dict[tuple[str, str], set[str]] = defaultdict(set)
    for labels in tree:
        variants[labels.group, labels.benchmark].add(labels.variant)
    return any(len(each) > 1 for each in variants.values())


def _read_folders(named: Sequence[Found], tools: ToolNames) -> None:
    """Read the names of the files of each folder together.

    Two single files whose names give two variants remain both sides of a comparison. For files in
    one folder each, only the numbers are read together.
    """
    folders: dict[str, list[Found]] = defaultdict(list)
    for source in named:
        folders[os.path.dirname(os.path.abspath(source.label))].append(source)  # noqa: PTH100, PTH120 - addresses, too
    for folder, same in folders.items():
        names = [PurePosixPath(source.label).name for source in same]
        root, stated = PurePosixPath(folder).name, _list_stated(same)
        tree = read_tree(names, SIDE_NAMES, tools, root_name=root, stated=stated)
        if len(same) == 1 or _are_two_sides(named, same, tree):
            continue
        for source, labels in zip(same, tree, strict=True):
            source.labels = _keep_place(source.labels, labels)
    lone = [same[0] for same in folders.values() if len(same) == 1]
    names = [PurePosixPath(source.label).name for source in lone]
    tree = read_tree(names, (), tools, root_name="", stated=_list_stated(lone))
    if _are_two_sides(named, lone, tree):
        return
    for source, name, labels in zip(lone, names, tree, strict=True):
        stem = split_stem(split_name(name)[0], tools)
        is_run_named = bool(stem.moment) or stem.run is not None
        is_no_run = source.labels.run is not None and labels.run is None
        if labels.by_stem and (is_run_named or is_no_run):
            source.labels = _keep_place(source.labels, labels)


def _are_two_sides(
    named: Sequence[Found], same: Sequence[Found], tree: Sequence[PathLabels]
) -> bool:
    """Return whether two single files have two names that would become one if read together."""
    alone = {source.labels.variant for source in same}
    return len(named) == len(alone) == 2 > len({labels.variant for labels in tree})


def _keep_place(alone: PathLabels, together: PathLabels) -> PathLabels:
    """Return the labels of a file read with others; a tool's file keeps those of its folders."""
    if together.tool and not together.by_stem:
        return alone._replace(benchmark=together.benchmark, leftover=together.leftover)
    return together._replace(folder=alone.folder)


def name_files(found: Sequence[Found], variant: str, tools: ToolNames) -> None:
    """Read the names of files under one label together, like those of a folder with that label.

    They are benchmarks if one label has several, and some of them also have another label.

    Parameters
    ----------
    variant : str
        The label of named files without one; empty if none.
    """
    labelled: dict[str, list[Found]] = defaultdict(list)
    for source in found:
        is_covered = variant and source.is_named and not source.variant
        if source.path and (source.is_labelled or is_covered):
            labelled[source.variant or variant].append(source)
    trees = lead_by_folders(
        [
            [
                _drop_label(labels, of)
                for labels in read_tree(
                    [_leave_folder(place, of) for place in _find_places(same)[1]],
                    (),
                    tools,
                    root_name=of,
                    stated=_list_stated(same),
                )
            ]
            for of, same in labelled.items()
        ],
        tools,
    )
    names = [{(labels.group, labels.benchmark) for labels in tree} for tree in trees]
    is_shared = len(names) == 1 or len(set().union(*names)) < sum(map(len, names))
    if is_shared and any(len(each) > 1 for each in names):
        for same, tree in zip(labelled.values(), trees, strict=True):
            for source, labels in zip(same, tree, strict=True):
                source.labels = labels._replace(folder=source.labels.folder)


def _leave_folder(place: str, label: str) -> str:
    """Return a path without folders named like the label: ``t1/x.txt`` for ``t1/main/x.txt``."""
    *folders, name = place.split("/")
    return "/".join((*(folder for folder in folders if folder != label), name))


def _drop_label(labels: PathLabels, label: str) -> PathLabels:
    """Remove the label from a file's name: ``main_get`` under ``main`` becomes ``get``."""
    rest = labels.variant.replace(label, "", 1).strip("-_. ") if labels.by_stem else ""
    return labels._replace(variant=rest) if rest else labels


def distinguish(found: list[Found]) -> None:
    """Give named files with equal labels the shortest paths that distinguish them."""
    named = [source for source in found if source.is_named and not source.variant and source.path]
    _name_by_stem(named)
    count = Counter(_key(source) for source in named)
    for key in (key for key, times in count.items() if times > 1):
        same = [source for source in named if _key(source) == key]
        for source, variant in zip(same, _shortest([s.label for s in same]), strict=True):
            source.variant = variant


def _name_by_stem(named: Sequence[Found]) -> None:
    """Use the rest of the stems as variants, if nothing else distinguishes the files.

    ``k6-base.txt`` and ``k6-otel.txt`` in one folder are two variants, not two benchmarks of one.
    """
    variants = {source.sidecar.variant or source.labels.variant for source in named}
    left = [source.labels.leftover for source in named]
    if len(variants) == 1 and len(set(left)) == len(named) > 1 and all(left):
        for source in named:
            source.variant = source.labels.leftover
            source.labels = source.labels._replace(benchmark="")


def _key(source: Found) -> tuple[object, ...]:
    return (
        source.sidecar.variant or source.labels.variant,
        source.labels.run,
        source.labels.role,
        source.labels.tool,
        form_tokens(source.label),
        source.labels.leftover,
    )


def _shortest(labels: Sequence[str]) -> Iterator[str]:
    """Yield the shortest unique ending of each path."""
    parts = [PurePosixPath(label.replace("\\", "/")).parts for label in labels]
    for length in range(1, max(map(len, parts)) + 1):
        ends = ["/".join(p[-length:]) for p in parts]
        if len(set(ends)) == len(ends):
            yield from ends
            return
    yield from (f"{label}#{number}" for number, label in enumerate(labels))
