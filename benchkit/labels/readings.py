"""Alternative readings of a folder's paths, as patterns to type.

Each reading is a `--layout` pattern that every path matches; it is read as ingest would read it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from benchkit.errors import ConfigError
from benchkit.labels.counts import is_count
from benchkit.labels.names import leave_form
from benchkit.labels.patterns import PathLabels, compile_pattern, read_path
from benchkit.labels.plain_stems import FOLDER
from benchkit.labels.stems import RESULT_WORDS, ToolNames, is_name, is_number, read_stem, split_name
from benchkit.labels.tree import is_run
from benchkit.labels.walk import name_key
from benchkit.regexes import regex

__all__ = ["FileLabels", "Reading", "list_readings", "write_pattern"]

#: Number of innermost folders that a pattern names.
_DEPTH = 3
#: Maximum number of variants that is still plausible.
_MANY = 12
_COUNTED = regex(r"(?P<word>.*?[-_. ]?)(?P<run>\d{1,8})")
#: A run before the rest of a name.
_FIRST = regex(r"(?P<word>[A-Za-z]*[-_ ]?)(?P<run>\d{1,8})(?=[-_ ]\{)")
#: A moment before the rest of a name.
_DATED = regex(r"[-_.:T\d]{8,}Z?(?=[-_ ]\{)")
_SEPARATORS, _DIGITS = "-_. ", "0123456789"
#: Characters between the digits of a moment.
_BETWEEN = "-_.:T"
#: Characters with a special meaning in a pattern.
_SIGNS = regex(r"[{}*…]|\.\.\.")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLabels:
    """The labels of one file, and their origin: a pattern of its path, a sidecar or its content."""

    path: str
    group: str = ""
    variant: str = ""
    benchmark: str = ""
    params: str = ""
    run: str = ""
    role: str = ""
    tool: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading: its pattern, the resulting names (all or a part) and the options.

    If benchmark names hold the variants, there is no pattern. With ``runs``, files that are now
    variants become the runs of one.
    """

    pattern: str
    variants: tuple[str, ...]
    benchmarks: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    is_part: bool = False
    options: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


def write_pattern(path: str, labels: PathLabels, tools: ToolNames) -> str:
    """Write the pattern that the labels of one path follow.

    Examples
    --------
    >>> labels = read_path("eu/none/wrk-1.txt", tools=ToolNames(frozenset({"wrk"})))
    >>> write_pattern("eu/none/wrk-1.txt", labels, ToolNames(frozenset({"wrk"})))
    '{group}/{variant}/{tool}-{run}.txt'
    """
    *folders, name = labels.series.split("/") if labels.series else path.split("/")
    stem, extension = split_name(name) if not labels.series else (name, "")
    groups = labels.group.split("/")
    parts: list[str] = []
    seen = {labels.variant} if labels.by_stem else set[str]()
    for folder in folders:
        part = _write_folder(folder, labels, groups, is_taken=labels.variant in seen)
        seen |= {labels.variant} if part == "{variant}" else set()
        parts += [part] if part != "{group}" or parts[-1:] != ["{group}"] else []
    stem = _write_stem(stem, labels, tools, is_variant=labels.variant not in seen)
    end = "/*" if labels.series else f".{extension}" if extension else ""
    return "/".join([*parts, stem]) + end


def _write_folder(folder: str, labels: PathLabels, groups: Sequence[str], *, is_taken: bool) -> str:
    if folder == labels.variant and not is_taken and not labels.by_stem:
        return "{variant}"
    if folder in groups:
        return "{group}"
    if folder == labels.benchmark:
        return "{benchmark}"
    moment = FOLDER.fullmatch(folder)
    if moment and moment["moment"]:
        return "*"
    if not (is_taken or labels.by_stem):
        led = _put("{group}", groups[-1].removeprefix("run"), folder)
        folder = _put("{variant}", labels.variant, led)
    return _write_count(folder, labels.run)


def _write_stem(stem: str, labels: PathLabels, tools: ToolNames, *, is_variant: bool) -> str:
    """Replace the labels in a stem with placeholders."""
    names = [(labels.variant, "{variant}")] if is_variant or labels.by_stem else []
    names += [(labels.benchmark, "{benchmark}")]
    names += [(read_stem(stem, tools).tool, "{tool}")]
    for name, placeholder in names:
        stem = _put(placeholder, name, stem)
    return _write_count(stem, labels.run)


def _write_count(stem: str, run: int | None) -> str:
    """Replace the run in a name with a placeholder, or its moment with ``*``."""
    if run is None:
        return stem
    before = stem.rstrip(_DIGITS)
    if before != stem and int(stem[len(before) :]) == run:
        return f"{before}{{run}}"
    if (first := _FIRST.match(stem)) and int(first["run"]) == run:
        return f"{first['word']}{{run}}{stem[first.end() :]}"
    if before == stem and stem.endswith(f"({run})"):
        return f"{stem[: -len(str(run)) - 1]}{{run}})"
    return _leave_moment(stem)


def _leave_moment(stem: str) -> str:
    if dated := _DATED.match(stem):
        return f"*{stem[dated.end() :]}"
    rest = stem.removesuffix("Z")
    moment = rest[len(rest.rstrip(_DIGITS + _BETWEEN)) :].lstrip(_BETWEEN)
    if len(moment) > 1 and moment[-1] in _DIGITS:
        return f"{rest.removesuffix(moment)}*"
    return stem


def _put(placeholder: str, name: str, stem: str) -> str:
    """Replace the first occurrence of a name between separators with a placeholder, in any case."""
    at = stem.lower().find(name.lower()) if name else -1
    while at >= 0:
        before, after = stem[:at], stem[at + len(name) :]
        is_end = after[:1] in _SEPARATORS or after[0] in _DIGITS or after[0].isupper()
        if before[-1:] in _SEPARATORS and is_end:
            return before + placeholder + after
        at = stem.lower().find(name.lower(), at + 1)
    return stem


def list_readings(
    paths: Sequence[str],
    read: Sequence[PathLabels],
    baselines: Collection[str],
    tools: ToolNames,
    *,
    root_name: str,
    most: int = 2,
) -> list[Reading]:
    """Return the most likely other readings of a folder, the most likely first.

    Parameters
    ----------
    paths : sequence of str
        Posix paths of the results below the folder.
    read : sequence of PathLabels
        Their current labels.
    baselines : collection of str
        Names of a baseline; variants with these names are more likely.
    root_name : str
        Name of the folder.
    most : int
        Maximum number of readings.

    Examples
    --------
    >>> paths = ["1/none.txt", "1/otlp.txt", "2/none.txt", "2/otlp.txt"]
    >>> read = [read_path(path, tools=ToolNames(), root_name="x") for path in paths]
    >>> [r.pattern for r in list_readings(paths, read, ["none"], ToolNames(), root_name="x")]
    ['{run}/{variant}.txt', '{variant}/{benchmark}.txt']
    """
    seen = {_part(read)}
    ranked = []
    for pattern in dict.fromkeys(_propose(paths, tools)):
        labels = _read_all(paths, pattern, tools, root_name)
        reading = Reading(
            pattern,
            variants=_sort({each.variant for each in labels}),
            benchmarks=_sort({each.benchmark for each in labels} - {""}),
            groups=_sort({each.group for each in labels} - {""}),
        )
        if len(reading.variants) > 1 and not _names_forms(reading):
            ranked.append((_weigh(labels, baselines), reading, _part(labels)))
    chosen: list[Reading] = []
    for _, reading, parts in sorted(ranked, key=lambda each: -each[0]):
        if parts not in seen:
            seen.add(parts)
            chosen.append(reading)
    return [*_read_runs(paths, read, tools, root_name), *chosen][:most]


def _read_runs(
    paths: Sequence[str], read: Sequence[PathLabels], tools: ToolNames, root_name: str
) -> Iterator[Reading]:
    """Yield the reading in which files named after numbers are runs."""
    names = {split_name(path)[0] for path in paths}
    is_flat = not any("/" in path for path in paths)
    if len(names) < 2 or not is_flat or names != {each.variant for each in read}:
        return
    for pattern in _write_rest(sorted(names), tools):
        if pattern.endswith("{run}") and _count_runs(names):
            labels = [
                read_path(p, tools=tools, root_name=root_name, pattern=pattern) for p in paths
            ]
            runs = _sort({str(each.run) for each in labels if each.run is not None})
            if len(runs) == len(paths):
                yield Reading(pattern, (root_name,), runs=runs)


def _sort(names: set[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=name_key))


def _part(read: Sequence[PathLabels]) -> tuple[tuple[str, int], ...]:
    """Return each path's variant and a number for its labels, which repeats share."""
    numbers: dict[tuple[object, ...], int] = {}
    rows = ((each.variant, each.group, each.benchmark, each.params) for each in read)
    return tuple((row[0], numbers.setdefault(row, len(numbers))) for row in rows)


def _read_all(
    paths: Sequence[str], pattern: str, tools: ToolNames, root_name: str
) -> list[PathLabels]:
    """Read all paths by a pattern; return nothing unless each one matches it."""
    try:
        compile_pattern(pattern)
    except ConfigError:
        return []
    read = [read_path(path, tools=tools, root_name=root_name, pattern=pattern) for path in paths]
    return read if all(labels.by_layout for labels in read) else []


def _weigh(read: Sequence[PathLabels], baselines: Collection[str]) -> int:
    """Return how likely a reading is; sides with equal contents and a baseline make it likelier."""
    below: dict[str, set[tuple[object, ...]]] = defaultdict(set)
    for labels in read:
        below[labels.variant].add((labels.group, labels.benchmark, labels.params))
    is_crossed = len({frozenset(each) for each in below.values()}) == 1
    has_baseline = any(name.lower() in baselines for name in below)
    are_counted = _count_runs(below)
    are_alike = len({"".join(sign for sign in name if not sign.isdigit()) for name in below}) == 1
    are_runs = _count_runs({labels.benchmark for labels in read})
    is_repeated = len({(x.group, x.variant, x.benchmark, x.run) for x in read}) == len(read)
    return (
        4 * has_baseline
        + 3 * is_crossed
        + is_repeated
        - 5 * are_counted
        - 7 * are_runs
        - are_alike
        - 3 * (len(below) > _MANY)
        - 2 * (len(below) == len(read) > 2)
    )


def _names_forms(reading: Reading) -> bool:
    """Return whether forms of a result would be variants or benchmarks: `none`, `none_summary`."""
    names = {*reading.variants, *reading.benchmarks}
    return any(name in RESULT_WORDS or leave_form(name) in names - {name} for name in names)


def _count_runs(names: Collection[str]) -> bool:
    """Return whether each name counts a run or is a moment."""
    return all(is_run(name) or FOLDER.fullmatch(name) for name in names)


def _propose(paths: Sequence[str], tools: ToolNames) -> Iterator[str]:
    """Yield patterns that take each folder level and each part of the stems as the variant."""
    split = [path.split("/") for path in paths]
    depth = min([len(parts) - 1 for parts in split] or [0])
    depth = min(depth, _DEPTH)
    folders = [[parts[at - depth - 1] for parts in split] for at in range(depth)]
    names = [split_name(parts[-1]) for parts in split]
    extensions = {extension.removesuffix(".gz") for _, extension in names}
    end = f".{extensions.pop()}" if len(extensions) == 1 else ""
    stems = [stem for stem, _ in names]
    rest = _write_rest(stems, tools)
    for at in reversed(range(depth)):
        for stem in rest:
            above = [_write_level(level, "{benchmark}" not in stem) for level in folders]
            tail = above[at + 1 :]
            yield "/".join(["{variant}", *tail, stem]) + (end if stem else "")
            if at and "{benchmark}" not in "".join((*tail, stem)):
                yield "/".join([above[at - 1], "{variant}", *tail, stem]) + end
    for stem in _write_stems(stems):
        if folders:
            level = _write_level(folders[-1], "{benchmark}" not in stem, "{run}" not in stem)
            yield f"{level}/{stem}{end}"
        yield stem + end


def _write_level(names: Sequence[str], may_name: bool = True, may_count: bool = True) -> str:
    """Write the pattern of one folder level that is not the variant."""
    alike = set(names)
    if len(alike) == 1 and not _SIGNS.search(names[0]):
        return names[0]
    counted = [_COUNTED.fullmatch(name) for name in alike]
    words = {match["word"] for match in counted if match}
    if may_count and all(counted) and len(words) == 1:
        numbers = {int(match["run"]) for match in counted if match}
        if all(map(is_run, alike)) or is_count(numbers):
            return f"{words.pop()}{{run}}"
    return "{benchmark}" if may_name else "*"


def _write_rest(stems: Sequence[str], tools: ToolNames) -> list[str]:
    """Write patterns of the stems below folders that are the variants."""
    alike = set(stems)
    if len(alike) == 1 and not _SIGNS.search(stems[0]):
        return [stems[0]]
    if all(map(is_number, alike)):
        return ["{run}"]
    counted = [_COUNTED.fullmatch(stem) for stem in alike]
    words = {match["word"] for match in counted if match}
    if all(counted) and len(words) == 1:
        return [f"{words.pop()}{{run}}"]
    if all(counted) and all(is_name(word.strip("-_. "), tools) for word in words):
        ends = {word[-1:] for word in words}
        sign = ends.pop() if len(ends) == 1 and ends <= set("-_. ") else ""
        return [f"{{benchmark}}{sign}{{run}}", "{benchmark}"] if sign else ["{benchmark}"]
    return ["{benchmark}"]


def _write_stems(stems: Sequence[str]) -> Iterator[str]:
    """Yield patterns of stems that hold the variant."""
    glued = [_COUNTED.fullmatch(stem) for stem in stems]
    if all(match and match["word"][-1:].isalpha() for match in glued):
        yield "{variant}{run}"
    for sign in "-_.":
        if all(sign in stem.strip(sign) for stem in stems):
            heads = {stem.split(sign)[0] for stem in stems}
            tails = [stem.rpartition(sign)[2] for stem in stems]
            if all(map(is_number, tails)):
                yield f"{{variant}}{sign}{{run}}"
                if all(stem.count(sign) > 1 for stem in stems):
                    yield f"{{benchmark}}{sign}{{variant}}{sign}{{run}}"
                    yield f"{{variant}}{sign}{{benchmark}}{sign}{{run}}"
            elif len(heads) == 1 and not _SIGNS.search(stems[0]):
                yield f"{heads.pop()}{sign}{{variant}}"
            else:
                yield f"{{benchmark}}{sign}{{variant}}"
                yield f"{{variant}}{sign}{{benchmark}}"
    yield from filter(
        None, (_write_words([stem.split(sign) for stem in stems], sign) for sign in "-_.")
    )
    yield "{variant}"


def _write_words(stems: Sequence[Sequence[str]], sign: str) -> str:
    """Write the pattern of stems that differ only in their count and one more word, or nothing."""
    if len({len(words) for words in stems}) != 1 or any(map(_SIGNS.search, stems[0])):
        return ""
    parts = [_write_word({*column}) for column in zip(*stems, strict=True)]
    is_plain = parts.count("{variant}") == 1 and sum("{run}" in part for part in parts) == 1
    return sign.join(parts) if is_plain else ""


def _write_word(words: set[str]) -> str:
    """Write the pattern of one position of all stems."""
    if len(words) == 1:
        return next(iter(words))
    counted = [match for word in words if (match := _COUNTED.fullmatch(word))]
    leading = {match["word"] for match in counted}
    is_run = len(leading) == 1 and len(counted) == len(words)
    if is_run and is_count({int(match["run"]) for match in counted}):
        return f"{leading.pop()}{{run}}"
    return "{variant}"
