"""Folders whose names count runs: `run3`, `3`, a date, `none_3`, `run3-none`, `2026-11-01_none`.

The run count is taken out of the path, so that `none_3/out.txt` is read as `none/out.txt`, run 3.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from benchkit.labels.counts import is_count, is_sequence
from benchkit.labels.moments import read_moment
from benchkit.labels.names import hold_sides
from benchkit.labels.patterns import PathLabels, read_path
from benchkit.labels.plain_stems import FOLDER, is_counted, split_stem
from benchkit.labels.stems import ToolNames, is_name, is_number, read_stem, split_name
from benchkit.regexes import regex

#: Words for results before the number of a folder that is a run.
_RUN_WORDS = frozenset({"result", "results", "output", "outputs", "out"})
#: Names of folders whose subfolders are runs, numbered by a CI service or in sequence.
_BUILDS = frozenset({"builds", "jobs", "pipelines", "workflows"})
_SERIES = frozenset(
    {"runs", "iterations", "trials", "repeats", "repetitions", "rounds", "attempts"}
)
_GLUED = regex(r"(?P<name>.*[A-Za-z])(?P<number>[0-9]{1,3})")
_Site = tuple[str, ...]


class _Counted(NamedTuple):
    """A folder's name without its run count, and the count: a number or a moment."""

    name: str
    mark: str
    run: int | None = None


class Unfolded(NamedTuple):
    """A path without its run count, and the run; or the moment of the folder above its runs."""

    path: str
    run: int | None = None
    moment: _Counted | None = None


def leave_out_runs(
    paths: Sequence[str], baselines: Collection[str], tools: ToolNames, root_name: str
) -> list[Unfolded]:
    """Remove run counts from the folders of each path.

    If files below these folders have runs as well, a date or time is removed, and runs are ordered
    by it first. A folder that is only a number stays, and the number of another folder leads its
    remaining name: `none_3` is `none` in group 3.

    Examples
    --------
    >>> left = leave_out_runs(["none_1/a.txt", "otlp_1/a.txt"], ("none",), ToolNames(), "")
    >>> [(each.path, each.run) for each in left]
    [('none/a.txt', 1), ('otlp/a.txt', 1)]
    """
    counting = _find_counting(paths, baselines, tools, root_name)
    cut = [_cut(path, counting) for path in paths]
    if _count_below([(rest, counted) for rest, _, counted in cut if counted], tools, root_name):
        left = [_leave_number(path, *each) for path, each in zip(paths, cut, strict=True)]
    else:
        ranks = _rank_moments(counted for _, _, counted in cut)
        left = [Unfolded(rest, _number(counted, ranks)) for rest, _, counted in cut]
    return [_leave_moment(each, counting) for each in left]


def _leave_number(path: str, rest: str, at: int, counted: _Counted | None) -> Unfolded:
    """Remove a moment from a path; a number becomes the group of the files below it."""
    if counted and counted.run is None:
        return Unfolded(rest, None, counted)
    return Unfolded(_lead(path, at, counted) if counted and counted.name else path)


def _leave_moment(unfolded: Unfolded, counting: Mapping[_Site, Mapping[str, _Counted]]) -> Unfolded:
    """Remove a folder that is a moment and lies above one that counts runs."""
    *folders, name = unfolded.path.split("/")
    for at, folder in enumerate(folders):
        counted = counting.get(tuple(folders[:at]), {}).get(folder)
        if counted and not counted.name and counted.run is None and unfolded.moment is None:
            kept = "/".join((*folders[:at], *folders[at + 1 :], name))
            return Unfolded(kept, unfolded.run, counted)
    return unfolded


def count_moments(
    tree: Sequence[PathLabels], moments: Iterable[_Counted | None]
) -> list[PathLabels]:
    """Assign run numbers to files below moment folders: by moment, then by run.

    Files without a run are the first of their moment.
    """
    dated = [
        (moment, labels.run or 1) if moment else None
        for labels, moment in zip(tree, moments, strict=True)
    ]
    ranks: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for each in filter(None, dated):
        ranks[each[0].name].add((each[0].mark, each[1]))
    ordered = {name: sorted(each) for name, each in ranks.items()}
    return [
        labels._replace(run=ordered[each[0].name].index((each[0].mark, each[1])) + 1)
        if each
        else labels
        for labels, each in zip(tree, dated, strict=True)
    ]


def _rank_moments(counted: Iterable[_Counted | None]) -> dict[str, list[str]]:
    """Return the moments of each name in order."""
    moments: dict[str, set[str]] = defaultdict(set)
    for each in counted:
        if each and each.run is None:
            moments[each.name].add(each.mark)
    return {name: sorted(each) for name, each in moments.items()}


def _count_below(cut: Iterable[tuple[str, _Counted]], tools: ToolNames, root_name: str) -> bool:
    """Return whether file names count runs, and not only repeat the counts of their folders."""
    numbers: dict[tuple[str, str], set[int]] = defaultdict(set)
    for rest, counted in cut:
        labels = read_path(rest, tools=tools, root_name=root_name)
        folder, _, name = rest.rpartition("/")
        stem = split_stem(split_name(name)[0], tools)
        if labels.tool and labels.run not in (None, counted.run):
            return True
        if labels.tool or not is_counted(stem):
            continue
        if stem.number is None or stem.run is not None:
            if stem.run != counted.run or stem.run is None:
                return True
        elif stem.number != counted.run:
            numbers[folder, stem.name].add(stem.number)
    return any(len(each) > 1 and is_count(each) for each in numbers.values())


def _number(counted: _Counted | None, ranks: Mapping[str, Sequence[str]]) -> int | None:
    if counted is None or counted.run is not None:
        return counted and counted.run
    return ranks[counted.name].index(counted.mark) + 1


def _lead(path: str, at: int, counted: _Counted) -> str:
    parts = path.split("/")
    return "/".join((*parts[:at], counted.mark, counted.name, *parts[at + 1 :]))


def _cut(
    path: str, counting: Mapping[_Site, Mapping[str, _Counted]]
) -> tuple[str, int, _Counted | None]:
    """Return a path without its innermost run count, the position of its folder and the count."""
    *folders, name = path.split("/")
    for at in range(len(folders) - 1, -1, -1):
        counted = counting.get(tuple(folders[:at]), {}).get(folders[at])
        if counted is not None:
            kept = filter(None, (*folders[:at], counted.name, *folders[at + 1 :], name))
            return "/".join(kept), at, counted
    return path, 0, None


def _find_counting(
    paths: Iterable[str], baselines: Collection[str], tools: ToolNames, root_name: str
) -> dict[_Site, dict[str, _Counted]]:
    """Return the folders whose names count runs, by location."""
    below: dict[_Site, dict[str, None]] = defaultdict(dict)
    held: dict[_Site, set[str]] = defaultdict(set)
    for path in paths:
        *folders, name = path.split("/")
        for depth, part in enumerate((*folders, split_name(name)[0])):
            held[tuple(folders[:depth])].add(part)
            if depth < len(folders):
                below[tuple(folders[:depth])][part] = None
    builds = _find_builds(below, tools)
    return {
        site: {
            **builds.get(site, {}),
            **_find_results(names, tools),
            **_find_named(names, baselines, tools, {name: held[*site, name] for name in names}),
            **_find_bare(names, (root_name, *site)[-1]),
        }
        for site, names in below.items()
    }


def _find_builds(
    below: Mapping[_Site, Collection[str]], tools: ToolNames
) -> dict[_Site, dict[str, _Counted]]:
    """Find folders named by a word and a number, if each folder above has distinct numbers.

    `main/build-7`, `main/build-9`, `pr/build-12`, `pr/build-13` share only the word.
    """
    alike: dict[tuple[_Site, str], dict[_Site, dict[str, int]]] = defaultdict(dict)
    for site, names in below.items():
        stems = {name: split_stem(name, tools) for name in names} if site else {}
        numbers = {name: stem.number for name, stem in stems.items() if stem.number is not None}
        words = {stem.name for stem in stems.values()}
        if len(words) == 1 and len(numbers) == len(names) > 1:
            alike[site[:-1], words.pop()][site] = numbers
    builds: dict[_Site, dict[str, _Counted]] = {}
    for sites in alike.values():
        union = {number for numbers in sites.values() for number in numbers.values()}
        if len(sites) > 1 and len(union) == sum(map(len, sites.values())):
            for site, numbers in sites.items():
                builds[site] = {
                    name: _Counted("", f"build{number:09}") for name, number in numbers.items()
                }
    return builds


def _find_bare(names: Collection[str], holder: str) -> dict[str, _Counted]:
    """Find folders whose whole name is a run, a date or, if all are numbers, a number.

    ``holder`` is the name of the folder that contains them.
    """
    are_numbers = len(names) > 1 and all(map(is_number, names))
    if are_numbers and _are_runs({int(name) for name in names}, holder.lower()):
        return {name: _Counted("", name, int(name)) for name in names}
    matches = ((name, FOLDER.fullmatch(name)) for name in names)
    return {
        name: _Counted("", match["run"], int(match["run"]))
        if match["run"]
        else _Counted("", match["id"] or read_moment(match["moment"]))
        for name, match in matches
        if match is not None
    }


def _are_runs(numbers: Collection[int], holder: str) -> bool:
    """Return whether numbers of folders are runs; those of `builds/41`, `builds/57` have gaps."""
    return holder in _BUILDS or is_count(numbers, starts_anywhere=holder in _SERIES)


def _find_results(names: Collection[str], tools: ToolNames) -> dict[str, _Counted]:
    """Find folders that begin with a word for results: `results_20240501_1200`, `output-2`."""
    stems = {name: split_stem(name, tools) for name in names}
    words = {name: stem for name, stem in stems.items() if not is_name(stem.name, tools)}
    numbers = {
        name: stem.number
        for name, stem in words.items()
        if stem.number is not None and stem.name.lower() in _RUN_WORDS
    }
    is_counting = len(numbers) > 1 and is_count({*numbers.values()})
    return {
        **{name: _Counted("", stem.moment) for name, stem in words.items() if stem.moment},
        **{name: _Counted("", f"run{n}", n) for name, n in numbers.items() if is_counting},
    }


def _find_named(
    names: Collection[str],
    baselines: Collection[str],
    tools: ToolNames,
    held: Mapping[str, Collection[str]],
) -> dict[str, _Counted]:
    """Find folders that count the runs of a name.

    A number or date alone is not enough: `patch-1` and `patch-2` may be two variants. It counts
    runs if other names are counted the same way. A date also does if all folders contain the same
    sides, as ``held`` lists them: `2024-05-01_host/none`, `2024-05-01_host/otlp`.
    """
    worded: dict[str, _Counted] = {}
    numbered: dict[str, _Counted] = {}
    dated: dict[str, _Counted] = {}
    for name in names:
        stem = split_stem(name, tools)
        is_series = read_stem(name, tools).tool in tools.companions
        if is_series or not is_counted(stem) or not is_name(stem.name, tools):
            continue
        if stem.run is not None:
            worded[name] = _Counted(stem.name, f"run{stem.run}", stem.run)
        elif stem.moment:
            dated[name] = _Counted(stem.name, stem.moment)
        elif stem.number is not None:
            numbered[name] = _Counted(stem.name, f"run{stem.number}", stem.number)
    if len({each.name for each in dated.values()}) < 2 and not _hold_sides(dated, held, baselines):
        dated = {}
    glued = {
        name: _Counted(word, f"run{number}", number)
        for name, (word, number) in find_glued(names, baselines).items()
    }
    return {**glued, **_keep_alike(numbered), **dated, **worded}


def _hold_sides(
    dated: Collection[str], held: Mapping[str, Collection[str]], baselines: Collection[str]
) -> bool:
    """Return whether all folders contain the same names, including a baseline."""
    if not dated:
        return False
    sides = {frozenset(held[name]) for name in dated}
    names = sides.pop()
    return not sides and len(names) > 1 and hold_sides(names, baselines)


def _keep_alike(numbered: Mapping[str, _Counted]) -> dict[str, _Counted]:
    """Keep the numbers of several names if they are nearly equal, or form one sequence."""
    numbers: dict[str, set[int]] = defaultdict(set)
    for each in numbered.values():
        numbers[each.name].add(each.run or 0)
    union = set().union(*numbers.values())
    is_alike = len(numbers) > 1 and all(_has_nearly(each, union) for each in numbers.values())
    is_counting = is_alike and is_count(union)
    return dict(numbered) if is_counting or is_sequence(numbers.values()) else {}


def _has_nearly(some: Collection[int], union: Collection[int]) -> bool:
    """Return whether a name has all numbers; of three or more, one or a quarter may be missing.

    `patch-1` and `patch-2` next to `base-1` may be two variants.
    """
    lost = max(1, len(union) // 4) if len(union) > 2 else 0
    return len(some) >= len(union) - lost


def find_glued(names: Iterable[str], baselines: Collection[str]) -> dict[str, tuple[str, int]]:
    """Find the words that are directly followed by a number that counts runs.

    Numbers count runs if a baseline has 1, 2 … and another word has the same ones.

    Examples
    --------
    >>> found = find_glued(["none1", "none2", "otlp1", "otlp2", "http2"], ["none"])
    >>> sorted(found.items())[1:3]
    [('none2', ('none', 2)), ('otlp1', ('otlp', 1))]
    >>> find_glued(["http1", "http2", "grpc1", "grpc2"], ["none"])
    {}
    """
    matches = {name: match for name in names if (match := _GLUED.fullmatch(name))}
    numbers: dict[str, set[int]] = defaultdict(set)
    for match in matches.values():
        numbers[match["name"]].add(int(match["number"]))
    bases = [word for word, each in numbers.items() if word.lower() in baselines and len(each) > 1]
    alike: set[str] = set()
    for base in bases:
        for word in numbers.keys() - {base}:
            union = numbers[base] | numbers[word]
            if is_count(union) and _has_nearly(numbers[base] & numbers[word], union):
                alike |= {base, word}
    return {
        name: (match["name"], int(match["number"]))
        for name, match in matches.items()
        if match["name"] in alike
    }
