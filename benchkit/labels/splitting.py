"""Rules that split the variant from benchmark names that contain it.

`Overhead/Baseline/Ping` and `Overhead/OTel_Enabled/Ping` are a comparison in one file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from benchkit.errors import ConfigError
from benchkit.labels.matching import parse_rename, split_variant
from benchkit.labels.walk import name_key
from benchkit.regexes import regex

#: Maximum number of variants that is still plausible, and the same for headings of a page.
_MANY, _HEADINGS = 12, 40
#: Maximum number of names, and of characters of a name, that are examined.
_NAMES, _LONGEST = 10_000, 300
_PART = regex(r"[^/]+")
_TOKENS = regex(r"[-_=.:]")
_MARKS = "#!@~%"
#: The escaped form of a blank.
_BLANK = re.escape(" ")


@dataclass(frozen=True, slots=True)
class NameSplit:
    """The variants in names, their place, and the options that make them the sides."""

    variants: tuple[str, ...]
    pattern: str
    rename: str = ""
    place: Literal["names", "headings", "commands"] = "names"

    @property
    def options(self) -> tuple[str, ...]:
        """The command-line arguments."""
        rename = ("--rename", self.rename) if self.rename else ()
        return ("--split", self.pattern, *rename)


@dataclass(frozen=True, slots=True)
class _Hold:
    """A variant that a name may contain: its position, and the name without it."""

    value: str
    rest: str
    before: str
    after: str


def suggest_split(benchmarks: Collection[str], baselines: Sequence[str]) -> NameSplit | None:
    r"""Suggest how to split names that differ only in a variant, one of which is a baseline.

    Parameters
    ----------
    baselines : sequence of str
        Names of a baseline, in lower case, most specific first.

    Examples
    --------
    >>> split = suggest_split(["Redis/Baseline/Get", "Redis/OTel_On/Get"], ["baseline"])
    >>> print(split.pattern, split.rename)
    /(?P<variant>Baseline|OTel_On) s#/(Baseline|OTel_On)##
    """
    names = [name.rpartition(" / ")[2] for name in benchmarks]
    holds = {name: [*_find_holds(name)] for name in names[:_NAMES] if len(name) <= _LONGEST}
    for word in baselines:
        chosen = _choose(holds, word)
        variants = len({hold.value for hold in chosen.values()})
        if 1 < variants <= _MANY and (split := _write(chosen)):
            return split
    return None


def split_commands(commands: Sequence[str]) -> NameSplit | None:
    """Make a variant of each command in a timed list.

    Examples
    --------
    >>> split_commands(["grep x", "rg x"]).options
    ('--split', '^(?P<variant>grep x|rg x)$', '--rename', 's#^.*$#command#')
    """
    if not 1 < len(commands) <= _MANY:
        return None
    return NameSplit(tuple(commands), _write_choice(commands), "s#^.*$#command#", "commands")


def split_headings(names: Collection[Sequence[str]]) -> list[NameSplit]:
    """Make variants of the headings at a level that separates otherwise equal names.

    The level with the most headings comes first.

    Parameters
    ----------
    names : collection of sequence of str
        The headings above each result, outermost first, and the rest of its name at the end.

    Examples
    --------
    >>> names = [("GET", "nginx", "/"), ("GET", "caddy v2", "/"), ("POST", "nginx", "/")]
    >>> [split.pattern for split in split_headings(names)]
    ['^(?P<variant>nginx|caddy v2)$', '^(?P<variant>GET|POST)$']
    >>> split_headings([("GET", "/a"), ("POST", "/b")])
    []
    """
    levels: list[tuple[str, ...]] = []
    for at in range(max(map(len, names), default=1) - 2, -1, -1):
        rests: dict[tuple[str, ...], dict[str, None]] = {}
        for name in names:
            if at < len(name) - 1:
                rests.setdefault((*name[:at], *name[at + 1 :]), {})[name[at]] = None
        sides = {side: None for each in rests.values() if len(each) > 1 for side in each}
        if 1 < len(sides) <= _HEADINGS:
            levels.append(tuple(sides))
    levels.sort(key=len, reverse=True)
    return [NameSplit(sides, _write_choice(sides), place="headings") for sides in levels]


def _write_choice(sides: Collection[str]) -> str:
    """Write the `--split` pattern that takes headings as variants."""
    return f"^(?P<variant>{'|'.join(re.escape(side).replace(_BLANK, ' ') for side in sides)})$"


def _find_holds(name: str) -> Iterator[_Hold]:
    """Yield each part of a name, and the last and the first word of each part."""
    for part in _PART.finditer(name):
        start, end = part.span()
        words = [sign.span() for sign in _TOKENS.finditer(part[0])]
        yield _cut(name, start, end)
        if words:
            yield _cut(name, start + words[-1][1], end)
            yield _cut(name, start, start + words[0][0])


def _cut(name: str, start: int, end: int) -> _Hold:
    """Cut a value out of a name, with the sign before it or, at the start, the sign after it."""
    before, after = name[start - 1 : start], name[end : end + 1]
    rest = name[: start - 1] + name[end:] if before else name[end + 1 :]
    return _Hold(name[start:end], rest, before, after)


def _choose(holds: Mapping[str, Sequence[_Hold]], word: str) -> dict[str, _Hold]:
    """Choose the names that contain a word, and those that equal them without another word."""
    chosen: dict[str, _Hold] = {}
    for name, each in holds.items():
        if hold := next((x for x in each if x.value.lower() == word and x.rest), None):
            chosen[name] = hold
    rests = {hold.rest for hold in chosen.values()}
    for name, each in holds.items():
        if name not in chosen and (hold := next((x for x in each if x.rest in rests), None)):
            chosen[name] = hold
    return chosen


def _write(chosen: Mapping[str, _Hold]) -> NameSplit | None:
    """Write the rules, or return nothing unless they split each name as chosen."""
    variants = sorted({hold.value for hold in chosen.values()}, key=name_key)
    choice = "|".join(re.escape(name) for name in sorted(variants, key=len, reverse=True))
    before, after = ({getattr(x, side) for x in chosen.values()} for side in ("before", "after"))
    if "" not in before:
        lead, tail = _write_signs(before), ""
    elif len(before) == 1:
        lead, tail = "^", _write_signs(after)
    else:
        return None
    pattern = f"{lead}(?P<variant>{choice}){tail}"
    rule = f"{lead}({choice}){tail}"
    mark = next((mark for mark in _MARKS if mark not in rule), "")
    split = NameSplit(tuple(variants), pattern, f"s{mark}{rule}{mark}{mark}")
    return split if mark and _gives(split, chosen) else None


def _write_signs(signs: Collection[str]) -> str:
    if len(signs) == 1:
        return next(iter(signs)).replace(".", r"\.")
    return f"[{''.join(sorted(signs))}]"  # a hyphen comes first, where it is literal


def _gives(split: NameSplit, chosen: Mapping[str, _Hold]) -> bool:
    try:
        rename = parse_rename(split.rename)
        return all(
            split_variant(name, (split.pattern, False)) == hold.value
            and rename.apply(name) == hold.rest
            for name, hold in chosen.items()
        )
    except ConfigError:
        return False
