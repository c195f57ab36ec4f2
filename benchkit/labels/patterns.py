"""Labels of runs from the path of their raw file.

A folder laid out like `none/wrk-1.txt` needs no configuration. The patterns match the last
components, the first matching pattern applies, and leading folders become the group:

    {variant}/{tool}-…      none/wrk-1.txt, agent/vegeta-text-1.txt, nginx/ab-c20-1.txt
    {variant}/{run}.{ext}   none/1.txt
    {variant}/{run}/{tool}… none/1/wrk.txt
    {variant}-{run}.{ext}   no-agent-1.txt
    {variant}.{ext}         baseline.txt
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from benchkit.labels.counts import find_counts, find_stated
from benchkit.labels.stems import Stem, ToolNames, read_stem, split_name, starts_with_tool
from benchkit.labels.template import Template, compile_pattern
from benchkit.labels.walk import DIGITS

__all__ = ["PathLabels", "compile_pattern", "read_numbers", "read_path"]


class PathLabels(NamedTuple):
    """Labels from a path.

    Parameters
    ----------
    group : str
        The leading folders, joined by ``/``.
    variant : str
        Empty if neither a pattern nor the root determines it.
    benchmark : str
        Empty if the path does not name one.
    params : tuple of (key, value)
    run : int or None
        The declared number, which `settle` keeps if it is free.
    role : {'measured', 'warmup', 'aggregate'}
    tool, form : str
        The tool and the form tokens of the stem, or empty.
    leftover : str
        The rest of the stem: a load tool's benchmark; meaningless for a companion.
    folder : str
        Posix folder of the file relative to the root; a series is treated like a file.
    series : str
        Posix path of the series folder that the file is a snapshot of, or empty.
    by_layout : bool
        Whether the user's pattern matched.
    by_stem : bool
        Whether the variant is the name of the file.
    shard : str
        The generator that wrote the file, of several of one run, if the user's pattern contains it.
    """

    group: str
    variant: str
    benchmark: str
    params: tuple[tuple[str, str], ...]
    run: int | None
    role: str
    tool: str
    form: str
    leftover: str
    folder: str
    series: str = ""
    by_layout: bool = False
    by_stem: bool = False
    shard: str = ""


def read_path(
    relative: PurePosixPath | str,
    *,
    tools: ToolNames,
    root_name: str = "",
    pattern: str | None = None,
) -> PathLabels:
    """Read the labels of a file from its path.

    Parameters
    ----------
    relative : PurePosixPath or str
        Posix path below the ingested folder; a snapshot has the labels of its series folder.
    root_name : str
        Name of the ingested folder, which is the variant if no pattern gives one.
    pattern : str, optional
        A user-defined pattern, tried before the built-in ones (see `compile_pattern`).

    Raises
    ------
    ConfigError
        If ``pattern`` is invalid.

    Examples
    --------
    >>> found = read_path("eu/none/ab-k-c30-1.txt", tools=ToolNames(frozenset({"ab"})))
    >>> found.group, found.variant, found.benchmark, found.params, found.run
    ('eu', 'none', 'k', (('connections', '30'),), 1)
    """
    parts = tuple(relative.split("/")) if isinstance(relative, str) else relative.parts or ("",)
    if "\\" in parts[-1]:
        parts = PurePosixPath(*(part.replace("\\", "/") for part in parts)).parts
    stem, _ = split_name(parts[-1])
    read = read_stem(stem, tools)
    folders, name, series = parts[:-1], parts[-1], ""
    at, of_folder = _find_series(folders, tools)
    if at >= 0 and read.tool in ("", of_folder.tool):
        series, stem, name, read = "/".join(folders[: at + 1]), folders[at], folders[at], of_folder
        folders = folders[:at]
    folder, clean = _clean(folders)
    template = compile_pattern(pattern) if pattern else None
    fields = template.read("/".join(clean), name, stem) if template else None
    if template and fields is not None:
        return _from_template(template, fields, read, folder, root_name, series)
    labels = _from_folders(clean, folder, stem, read, tools, root_name)
    return labels._replace(series=series) if series else labels


def read_numbers(
    paths: Sequence[str], read: list[PathLabels], tools: ToolNames, stated: Sequence[int | None]
) -> None:
    """Decide which numbers in tools' stems count runs, once all stems are known.

    Parameters
    ----------
    stated : sequence of int or None
        The run that the sidecar of each path states, if any.
    """
    _name_stages(paths, read, tools, stated)
    _count_moments(paths, read, tools)


def _name_stages(
    paths: Sequence[str], read: list[PathLabels], tools: ToolNames, stated: Sequence[int | None]
) -> None:
    """Add numbers in a tool's stems that do not count runs to the benchmark that they follow.

    ``wrk-stage-2.txt`` and ``wrk-stage-3.txt`` are two benchmarks, as are ``wrk-10.txt`` and
    ``wrk-50.txt``; ``wrk-2.txt`` and ``wrk-3.txt`` are runs.
    """
    numbers: dict[tuple[object, ...], set[tuple[int, int | None]]] = defaultdict(set)
    keyed: dict[int, tuple[object, ...]] = {}
    for at, labels in enumerate(read):
        stem = read_stem(split_name(paths[at].rpartition("/")[2])[0], tools)
        is_load = stem.tool != "" and stem.tool not in tools.companions and not labels.series
        if is_load and stem.run is not None and labels.run == stem.run:
            keyed[at] = (labels.folder, stem.tool, stem.params, stem.role, stem.benchmark)
            numbers[keyed[at]].add((stem.run, stated[at]))
    known = find_stated(numbers)
    guessed = {key: {number for number, _ in numbers[key]} for key in numbers.keys() - known}
    counts = known | find_counts(guessed, {key for key in guessed if not key[-1]})
    for at, key in keyed.items():
        if key not in counts:
            name = "-".join(filter(None, (read[at].benchmark, str(read[at].run))))
            read[at] = read[at]._replace(benchmark=name, leftover=name)


def _count_moments(paths: Sequence[str], read: list[PathLabels], tools: ToolNames) -> None:
    """Assign run numbers in the order of the dates or times at the end of tools' stems.

    If a folder also holds counters, all its files are numbered together, because they share
    moments.
    """
    stems = [read_stem(split_name(path.rpartition("/")[2])[0], tools) for path in paths]
    dated = [
        (at, labels, stem)
        for at, (labels, stem) in enumerate(zip(read, stems, strict=True))
        if stem.moment and labels.run is None
    ]
    shared = {labels.folder for _, labels, stem in dated if stem.tool in tools.companions}
    alike: dict[tuple[object, ...], list[tuple[int, str]]] = defaultdict(list)
    for at, labels, stem in dated:
        is_shared = labels.folder in shared
        names = () if is_shared else (stem.tool, stem.params, stem.role, stem.benchmark)
        alike[labels.folder, *names].append((at, stem.moment))
    for same in alike.values():
        moments = sorted({moment for _, moment in same})
        for at, moment in same:
            read[at] = read[at]._replace(run=moments.index(moment) + 1)


def _from_folders(
    folders: tuple[str, ...],
    folder: str,
    stem: str,
    read: Stem,
    tools: ToolNames,
    root_name: str,
) -> PathLabels:
    """Try the built-in patterns in order."""
    above = folders if folders or not root_name else (root_name,)
    counted = bool(folders) and _is_number(folders[-1]) and bool(folders[:-1] or root_name)
    if counted and read.run is None:
        read = read if read.tool else starts_with_tool(stem, tools)
        if read.tool:
            above = folders[:-1] or (root_name,)
            return _labels(above, read, folder, int(folders[-1]), rooted=not folders[:-1])
    if read.tool and above:
        return _labels(above, read, folder, read.run, rooted=not folders)
    if above and _is_number(stem):
        return _labels(above, Stem(), folder, int(stem), rooted=not folders)
    variant, dash, number = stem.rpartition("-")
    number = number.strip()
    if dash and variant.strip() and _is_number(number):
        return _labels((*folders, variant.strip()), Stem(), folder, int(number))
    return _labels((*folders, stem), Stem(), folder, None)


def _labels(
    above: tuple[str, ...], read: Stem, folder: str, run: int | None, *, rooted: bool = False
) -> PathLabels:
    """Make labels from folders and a stem; the last of ``above`` is the variant."""
    return PathLabels(
        group="" if rooted else "/".join(above[:-1]),
        variant=above[-1],
        benchmark=read.benchmark,
        params=read.params,
        run=run,
        role=read.role,
        tool=read.tool,
        form=read.form,
        leftover=read.leftover,
        folder=folder,
    )


def _from_template(
    template: Template,
    fields: dict[str, str],
    read: Stem,
    folder: str,
    root_name: str,
    series: str,
) -> PathLabels:
    """Make labels from a user-defined pattern; the rest of the stem is read token by token."""
    run = int(fields["run"]) if "run" in fields else read.run if template.wild else None
    known = ("leading", "group", "variant", "benchmark", "run", "shard", "tool", "ext")
    params = dict(read.params) if template.wild else {}
    params |= {key: value for key, value in fields.items() if key not in known}
    return PathLabels(
        group="/".join(filter(None, (fields["leading"], fields.get("group", "")))),
        variant=fields.get("variant", root_name),
        benchmark=fields.get("benchmark", read.benchmark if template.wild else ""),
        params=tuple(sorted(params.items())),
        run=run,
        role=read.role,
        tool=read.tool or fields.get("tool", ""),
        form=read.form,
        leftover=read.leftover if template.wild else "",
        folder=folder,
        series=series,
        by_layout=True,
        shard=fields.get("shard", "").lstrip("0") or fields.get("shard", ""),
    )


@lru_cache(maxsize=1 << 12)
def _clean(folders: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return the folder as posix text, and its components without roots and dots."""
    clean = tuple(part for part in folders if part not in ("/", ".", ".."))
    return PurePosixPath(*folders).as_posix() if folders else "", clean


@lru_cache(maxsize=1 << 12)
def _find_series(folders: tuple[str, ...], tools: ToolNames) -> tuple[int, Stem]:
    """Find the outermost folder whose name reads like `cadvisor-metrics-1`."""
    for at, folder in enumerate(folders):
        read = read_stem(folder, tools)
        if read.tool in tools.snapshots and (read.form or read.moment or read.run is not None):
            return at, read
    return -1, Stem()


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= DIGITS
