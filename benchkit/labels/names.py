"""Names that hold more than one label: a side and a benchmark, or a form of a result."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import takewhile

from benchkit.labels.stems import (
    FORMS,
    SEPARATORS,
    ToolNames,
    is_counted,
    is_name,
    split_stem,
)

#: Words that a name of a form ends with; `none.bin` is also what `none.bin.txt` was made from.
_ENDINGS = FORMS | {"bin", "gob"}
#: Names of folders that sort the forms of results.
_SORTED = FORMS | {"txt", "bin", "html", "md", "stdout", "log", "logs"}


def leave_form_folders(paths: Sequence[str]) -> list[str]:
    """Leave out folders that sort results by their form: `json/none.json`, `text/none.txt`.

    Examples
    --------
    >>> leave_form_folders(["json/none.json", "text/none.txt"])
    ['none.json', 'none.txt']
    """
    below: dict[tuple[str, ...], set[str]] = defaultdict(set)
    split = [path.split("/") for path in paths]
    for parts in split:
        for at in range(len(parts)):
            below[tuple(parts[:at])].add(parts[at])
    forms = {
        site
        for site, names in below.items()
        if len(names) > 1 and all((*site, name) in below for name in names) and names <= _SORTED
    }
    if not forms:
        return [*paths]
    return [
        "/".join(part for at, part in enumerate(parts) if tuple(parts[:at]) not in forms)
        for parts in split
    ]


def leave_form(name: str) -> str:
    """Return a name without the forms that it ends with.

    Examples
    --------
    >>> leave_form("none-summary"), leave_form("none.bin_hdrplot"), leave_form("raw-json")
    ('none', 'none', 'raw')
    """
    _, *rest = SEPARATORS.split(name)
    forms = takewhile(lambda word: word.lower() in _ENDINGS, reversed(rest))
    return name[: len(name) - sum(len(form) + 1 for form in forms)]


def leave_tools(names: Collection[str], tools: ToolNames) -> dict[str, str]:
    """Return each name without the load generator's by which it begins.

    All stay as they are where only that word tells two of them apart.

    Examples
    --------
    >>> leave_tools({"wrk_none"}, ToolNames(frozenset({"wrk"})))
    {'wrk_none': 'none'}
    """
    bare = {name: _leave_tool(name, tools) for name in names}
    return bare if len({*bare.values()}) == len(bare) else {name: name for name in names}


def _leave_tool(name: str, tools: ToolNames) -> str:
    sign = SEPARATORS.search(name)
    if sign is None or name[: sign.start()].lower() not in tools.known - tools.companions:
        return name
    rest = name[sign.end() :]
    return rest if is_name(rest, tools) and not is_counted(split_stem(rest, tools)) else name


def hold_sides(names: Collection[str], baselines: Collection[str]) -> bool:
    """Tell whether one of the names is a baseline's, or differs from all others by such a word.

    Examples
    --------
    >>> [hold_sides(names, ["off"]) for names in (["off"], ["otel-off", "otel-on"], ["x-off", "y"])]
    [True, True, False]
    """
    words = [tuple(SEPARATORS.split(name.lower())) for name in names]
    plain = {name.lower() for name in names}
    return not plain.isdisjoint(baselines) or any(
        word in baselines and len(words) > 1 and all(_is_alike(each, at, other) for other in words)
        for each in words
        for at, word in enumerate(each)
    )


def _is_alike(words: Sequence[str], at: int, other: Sequence[str]) -> bool:
    """Tell whether another name has the same words before and after one word."""
    before, after = words[:at], words[at + 1 :]
    ends = len(other) - len(after)
    return len(words) > 1 and other[:at] == before and ends > at and other[ends:] == after


def part_names(names: Collection[str], baselines: Collection[str]) -> dict[str, tuple[str, str]]:
    """Return side and rest of each name; nothing unless all are crossed.

    What stands beside a baseline's name in several is the rest, and what stands beside that in
    the other names is another side.

    Examples
    --------
    >>> found = part_names(["before-get", "before-put", "pr-1-get", "pr-1-put"], ["before"])
    >>> found["pr-1-put"]
    ('pr-1', 'put')
    """
    if any(name.lower() in baselines for name in names):
        return {}
    for is_last in (False, True):
        cuts = {name: _cut(name, is_last=is_last) for name in names}
        rests = {rest for each in cuts.values() for side, rest in each if side.lower() in baselines}
        parted = {
            name: (side, rest)
            for name, each in cuts.items()
            for side, rest in each
            if rest in rests
        }
        sides = {side for side, _ in parted.values()}
        if len(rests) > 1 and len(parted) == len(names) == len(sides) * len(rests) > len(rests):
            return parted
    return {}


def _cut(name: str, *, is_last: bool) -> list[tuple[str, str]]:
    """Return each way to cut a name into a side and the rest, which is last or first."""
    ends = [match.span() for match in SEPARATORS.finditer(name)]
    cuts = [(name[:start], name[end:]) for start, end in ends]
    return [(rest, side) for side, rest in cuts] if is_last else cuts
