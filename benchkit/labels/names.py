"""Names that hold more than one label: a side and a benchmark, or a form of a result."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import takewhile

from benchkit.labels.plain_stems import FOLDER, is_counted, split_stem
from benchkit.labels.stems import (
    FORMS,
    RESULT_WORDS,
    SEPARATORS,
    ToolNames,
    is_name,
    split_name,
)
from benchkit.regexes import regex

#: The key with which a name marks itself as the variant.
_KEY = regex(r"(?<![^/])variant=")
#: Number of innermost folders whose names a file may repeat.
_REPEATED = 3
#: Words at the end of a form's name; `none.bin` is also the source of `none.bin.txt`.
_ENDINGS = FORMS | {"bin", "gob"}
#: Words in names that only state that results follow.
_RESULTS = RESULT_WORDS | {"results", "outputs", "run", "runs", "test", "tests", "report"}
#: Names of folders that sort results by form.
_SORTED = FORMS | {"txt", "bin", "html", "md", "stdout", "log", "logs"}


def leave_form_folders(paths: Sequence[str]) -> list[str]:
    """Remove folders that sort results by their form: `json/none.json`, `text/none.txt`.

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


def leave_key(path: str) -> str:
    """Remove the key ``variant=`` from names.

    Examples
    --------
    >>> leave_key("c=8/variant=none/run=1.txt")
    'c=8/none/run=1.txt'
    """
    return _KEY.sub("", path) if "=" in path else path


def leave_repeated_names(paths: Sequence[str]) -> list[str]:
    """Remove from file names the words that only distinguish their folders.

    This applies if each of several folders has a file that repeats the folder's name.

    Examples
    --------
    >>> leave_repeated_names(["none/none-1.txt", "otlp/otlp-1.txt"])
    ['none/1.txt', 'otlp/1.txt']
    >>> leave_repeated_names(["x-none/none.txt", "x-otlp/none.txt"])
    ['x-none/none.txt', 'x-otlp/none.txt']
    """
    below: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for at, path in enumerate(paths):
        *folders, _ = path.split("/")
        for depth in range(max(0, len(folders) - _REPEATED), len(folders)):
            below["/".join(folders[:depth])][folders[depth]].append(at)
    left = [*paths]
    for places in below.values():
        names = _find_distinct_parts(places) if len(places) > 1 else {}
        rests = {
            at: rest
            for folder, name in names.items()
            for at in places[folder]
            if (rest := _leave_name(left[at], name))
        }
        if names and all(any(at in rests for at in places[folder]) for folder in names):
            for at, rest in rests.items():
                left[at] = rest
    return left


def _find_distinct_parts(folders: Collection[str]) -> dict[str, str]:
    """Return the part of each name that the others don't share; nothing if one is only a count."""
    words = {name: SEPARATORS.split(name.lower()) for name in folders}
    shared = set.intersection(*map(set, words.values()))
    parts: dict[str, str] = {}
    for name, each in words.items():
        apart = [at for at, word in enumerate(each) if word not in shared]
        start = len("-".join(each[: apart[0]])) + (apart[0] > 0) if apart else 0
        end = len("-".join(each[: apart[-1] + 1])) if apart else 0
        parts[name] = name[start:end].lower()
        if not any(sign.isalpha() for sign in parts[name]) or FOLDER.fullmatch(parts[name]):
            return {}
    return parts


def _leave_name(path: str, name: str) -> str:
    """Return a path without a word of its stem, or nothing if its stem lacks the word."""
    folder, _, file = path.rpartition("/")
    stem, extension = split_name(file)
    start = f"-{SEPARATORS.sub('-', stem.lower())}-".find(f"-{SEPARATORS.sub('-', name)}-")
    if start < 0:
        return ""
    before, after = stem[:start].rstrip("-_. "), stem[start + len(name) :].lstrip("-_. ")
    rest = stem[start - 1 : start].join(filter(None, (before, after))) or "result"
    return f"{folder}/{rest}" + (f".{extension}" if extension else "")


def leave_form(name: str) -> str:
    """Return a name without the form words at its end.

    Examples
    --------
    >>> leave_form("none-summary"), leave_form("none.bin_hdrplot"), leave_form("raw-json")
    ('none', 'none', 'raw')
    """
    _, *rest = SEPARATORS.split(name)
    forms = takewhile(lambda word: word.lower() in _ENDINGS, reversed(rest))
    return name[: len(name) - sum(len(form) + 1 for form in forms)]


def leave_common_words(names: Collection[str], tools: ToolNames) -> dict[str, str]:
    """Return each name without a leading load generator's name, and without words for results.

    Words for results are removed if all names begin, or end, with the same one or two. All names
    stay unchanged if only the removed word distinguishes two of them.

    Examples
    --------
    >>> leave_common_words({"wrk_none"}, ToolNames(frozenset({"wrk"})))
    {'wrk_none': 'none'}
    >>> sorted(leave_common_words({"results_none", "results_otlp"}, ToolNames()).values())
    ['none', 'otlp']
    """
    bare = {name: _leave_tool(name, tools) for name in names}
    if len({*bare.values()}) < len(bare):
        return {name: name for name in names}
    for is_last in (False, False, True, True):
        bare = _leave_word(bare, tools, is_last=is_last)
    return bare


def _leave_word(names: Mapping[str, str], tools: ToolNames, *, is_last: bool) -> dict[str, str]:
    """Remove the word for results with which all of several names begin, or end."""
    parted = {name: _part_word(bare, is_last=is_last) for name, bare in names.items()}
    words = {word.lower() for word, _ in parted.values()}
    rests = {name: rest for name, (_, rest) in parted.items()}
    is_shared = len(names) > 1 and len(words) == 1 and words <= _RESULTS
    are_names = all(is_name(rest, tools) and not _counts(rest, tools) for rest in rests.values())
    return rests if is_shared and are_names else dict(names)


def _part_word(name: str, *, is_last: bool) -> tuple[str, str]:
    """Return the first or last word of a name, and the rest."""
    ends = [match.span() for match in SEPARATORS.finditer(name)]
    if not ends:
        return "", name
    start, end = ends[-1 if is_last else 0]
    return (name[end:], name[:start]) if is_last else (name[:start], name[end:])


def _counts(name: str, tools: ToolNames) -> bool:
    return is_counted(split_stem(name, tools))


def _leave_tool(name: str, tools: ToolNames) -> str:
    sign = SEPARATORS.search(name)
    if sign is None or name[: sign.start()].lower() not in tools.known - tools.companions:
        return name
    rest = name[sign.end() :]
    return rest if is_name(rest, tools) and not _counts(rest, tools) else name


def hold_sides(names: Collection[str], baselines: Collection[str]) -> bool:
    """Return whether one name is a baseline's, or differs from all others by a baseline's name.

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
    """Return whether another name has the same words before and after one word."""
    before, after = words[:at], words[at + 1 :]
    ends = len(other) - len(after)
    return len(words) > 1 and other[:at] == before and ends > at and other[ends:] == after


def part_names(names: Collection[str], baselines: Collection[str]) -> dict[str, tuple[str, str]]:
    """Return side and rest of each name, or nothing unless every side has every rest.

    The text next to a baseline's name in several names is the rest, and the text next to this rest
    in the other names is another side.

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


def part_folders(paths: Sequence[str], baselines: Collection[str]) -> list[str]:
    """Split folder names into a side and a folder above it, if every side has every rest.

    Examples
    --------
    >>> paths = [f"{side}_{c}/1.txt" for c in ("c8", "c64") for side in ("none", "otlp")]
    >>> part_folders(paths, ["none"])[0]
    'c8/none/1.txt'
    """
    below: dict[tuple[str, ...], set[str]] = defaultdict(set)
    split = [path.split("/") for path in paths]
    for folders in split:
        for at in range(len(folders) - 1):
            below[tuple(folders[:at])].add(folders[at])
    parted = {site: part_names(names, baselines) for site, names in below.items() if len(names) > 3}
    if not any(parted.values()):
        return [*paths]
    return ["/".join(_part_parts(parts, parted)) for parts in split]


def _part_parts(
    parts: Sequence[str], parted: Mapping[tuple[str, ...], Mapping[str, tuple[str, str]]]
) -> Iterator[str]:
    for at, name in enumerate(parts):
        side, rest = parted.get(tuple(parts[:at]), {}).get(name, (name, ""))
        yield from filter(None, (rest, side))


def _cut(name: str, *, is_last: bool) -> list[tuple[str, str]]:
    """Return all ways to split a name into a side and a rest, which is last or first."""
    ends = [match.span() for match in SEPARATORS.finditer(name)]
    cuts = [(name[:start], name[end:]) for start, end in ends]
    return [(rest, side) for side, rest in cuts] if is_last else cuts
