"""The text between results: blocks are repeats unless it adds something new.

Counters, dates and measurements are removed from it, and so is text that shells and tools print
each time.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Sequence
from itertools import pairwise
from typing import NamedTuple

from benchkit.reading.heading_lines import FENCE, clean, is_fence, shows
from benchkit.reading.surroundings import Block
from benchkit.regexes import regex

__all__ = ["NUMBERED", "drop_counts", "is_silent", "list_held", "name_passages"]

#: Placeholder for a name that cannot be determined.
NUMBERED = "result {}"
_LONGEST = 60
_LEAD = regex(rf"(\S.{{0,{_LONGEST - 1}}}?)(?:[:：]| [-–—])(?= )")
#: Number of lines next to a result that may describe it.
_REACH = 200
_SIGNS = " \t#>$*=|/.:;,…~+_-–—─<"
#: Names of languages and formats on code fences, which do not describe a result.
_LANGUAGES = regex(
    r"text|txt|plain|plaintext|console|bash|sh|shell|zsh|fish|shell-session|shellsession|"
    r"session|terminal|cmd|powershell|ps1|bat|log|logs|output|out|none|raw|ansi|result|"
    r"results|benchmark|go|golang|json|yaml|yml|toml|ini|conf|csv|diff|md|markdown|http|"
    r"make|makefile|js|javascript|ts|typescript|python|py|ruby|rb|rust|java|c|cpp|c\+\+|cs|"
    r"csharp|elixir|erlang|php|lua|sql"
)
#: Job and container numbers, checksums, and durations.
_COUNTS = regex(
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[a-f]*\d)[0-9a-f]{7,128}\b|"
    r"\bpid[ :=]{1,2}\d+|\A\[\d+\][+-]?(?: \d+)?(?= |\Z)|\b\d+[hm]\d[\dhm.]*s\b",
    re.IGNORECASE,
)
#: A measured number: all numbers of its line were measured.
_MEASURED = regex(
    r"\d\.\d+ ?(?:[nµum]?s\b|sec|%|[KMGTkmgt]i?[Bb]\b|bytes|req|ops|rps|/s)|"
    r"(?:/s(?:ec)?|per second|latency|rps|throughput)\W{1,9}\d",
    re.IGNORECASE,
)
_NUMBER = regex(r"\d[\d.,]*")
#: Text that pauses, times or shows progress.
_MECHANICAL = regex(
    r"(?:\S.*[$#>%❯➜✗]|[$%❯➜+]) ?(?:sleep|clear|reset|sync|date|uptime|time)[\s\d.smh;&]*\Z|"
    r"(?:real|user|sys)\s+\d[\dhm.,]*s\Z|(?:running|default)\b.*\bVUs\b|\^C\Z|"
    r"(?:sleeping|waiting|pausing|cooling|cool|done|finished|ready)(?:[\s\d.!…-]|\b(?:for|an?|the|next|"
    r"run|runs|before|seconds?|secs?|s|minutes?|min|m|between|down)\b)*\Z",
    re.IGNORECASE,
)


class _Stretch(NamedTuple):
    """Text that opens a series of repeats."""

    lines: list[str]
    members: list[int]


def drop_counts(text: str) -> str:
    """Return a line without checksums, numbers of jobs and measurements.

    Examples
    --------
    >>> drop_counts("gin 5f16a0e8e2f2"), drop_counts("took 3.25s after 10 tries"), drop_counts("7")
    ('gin', 'took s after  tries', '')
    """
    kept = _COUNTS.sub("", text)
    if _MEASURED.search(kept):
        kept = _NUMBER.sub("", kept)
    return kept.strip() if re.search(r"[^\W\d_]", kept) else ""


def is_silent(line: str) -> bool:
    """Return whether a line is not a heading and only shows that time passes.

    Examples
    --------
    >>> is_silent("$ sleep 5"), is_silent("5f16a0e8e2f2"), is_silent("Waiting for gin")
    (True, True, False)
    """
    text = line.strip()
    return bool(text) and (
        _MECHANICAL.match(text) is not None
        or (re.search(r"\w", text) is not None and not re.search(r"\w", _COUNTS.sub("", text)))
    )


def list_held(
    lines: Sequence[str], blocks: Sequence[Block], shorten: Callable[[str], str]
) -> list[bool]:
    """Return for each block whether the command of the one above may apply to it, too.

    It does if the text between the two adds nothing new, so that they are repeats. Text that also
    appears above both of them is not new, nor is text that appears below every block. A command
    above a listing applies to all results in it.

    Parameters
    ----------
    lines : sequence of str
        All lines of the source, cleaned.
    blocks : sequence of Block
        In the order of their lines.
    shorten : callable
        Returns a line without run counters.

    Examples
    --------
    >>> page = ["gin", "9000", "", "9100", "echo", "8000"]
    >>> list_held(page, [Block(number, number) for number in (2, 4, 6)], str)
    [False, True, False]
    """
    numbers, texts = _list_texts(lines, blocks, shorten, ())
    ends = [bisect_left(numbers, block.first) for block in blocks]
    gaps = [texts[first:last] for first, last in pairwise(ends)]
    closing = set(texts[ends[-1] :]).intersection(*gaps)
    held, owner = [False], blocks[0]
    fences = [number for number, line in enumerate(lines, 1) if FENCE.match(line)]
    for end, gap, block in zip(ends, gaps, blocks[1:], strict=False):
        known = closing.union(texts[max(end - len(gap), 0) : end])
        held.append(known.issuperset(gap) or _is_listed(lines, fences, owner, block))
        owner = block if block.command else owner
    return held


def _is_listed(lines: Sequence[str], fences: Sequence[int], owner: Block, block: Block) -> bool:
    """Return whether two results are in one listing, below the command of the first one."""
    at = bisect_left(fences, block.first)
    opening = fences[at - 1] if at else 0
    if not max(owner.first - _REACH, 0) < opening < owner.first:
        return False
    return not any(shows(each.strip(), owner.command) for each in lines[opening : owner.first - 1])


def name_passages(
    lines: Sequence[str],
    blocks: Sequence[Block],
    keys: Sequence[Hashable],
    shorten: Callable[[str], str],
    names: Collection[str] = (),
) -> list[str]:
    """Return the text that names each block's passage, empty if it does not distinguish blocks.

    Parameters
    ----------
    lines : sequence of str
        All lines of the source, without those of results that are not in ``blocks``.
    keys : sequence of hashable
        Labels of each block; blocks with the same labels may be repeats.
    shorten : callable
        Returns a line without run counters.
    names : collection of str
        Headings, which already distinguish blocks.

    Examples
    --------
    >>> page = ["gin", "9000", "", "9100", "echo", "8000", "8100"]
    >>> blocks = [Block(number, number) for number in (2, 4, 6, 7)]
    >>> name_passages(page, blocks, [""] * 4, str)
    ['gin', 'gin', 'echo', 'echo']
    """
    groups: dict[Hashable, list[int]] = {}
    for at in sorted(range(len(blocks)), key=lambda at: blocks[at].first):
        groups.setdefault(keys[at], []).append(at)
    result = [""] * len(blocks)
    if len(groups) == len(blocks):
        return result
    numbers, texts = _list_texts(lines, blocks, shorten, names)
    below = {number + 1 for number in numbers}
    begun = {text for number, text in zip(numbers, texts, strict=True) if number not in below}
    lasts = [0, *sorted(block.last for block in blocks)]
    for members in groups.values():
        above = [bisect_left(numbers, blocks[at].first) for at in members]
        stretches = _list_stretches(members, above, texts) if len(members) > 1 else []
        if len(stretches) < 2:
            continue
        firsts = [blocks[each.members[0]].first for each in stretches]
        starts = [bisect_left(numbers, lasts[bisect_left(lasts, first) - 1]) for first in firsts]
        ends = [bisect_left(numbers, first) for first in firsts]
        near = _find_names([texts[i:j] for i, j in zip(starts, ends, strict=True)], begun)
        whole = _find_names([each.lines for each in stretches], begun)
        for at, stretch in enumerate(stretches):
            for member in stretch.members:
                result[member] = near[at] or whole[at] or NUMBERED.format(at + 1)
    return result


def _find_names(passages: Sequence[Sequence[str]], begun: Collection[str]) -> list[str]:
    """Return the last lines that begin a paragraph in only one passage; of a long one, its lead."""
    counts = Counter(line for each in passages for line in set(each))
    names = [
        next((line for line in reversed(each) if line in begun and counts[line] == 1), "")
        for each in passages
    ]
    short = [name if len(name) <= _LONGEST else _read_lead(name) for name in names]
    shared = Counter(short)
    return [name if shared[name] == 1 else "" for name in short]


def _read_lead(text: str) -> str:
    """Return the name at the beginning of a long line, up to a colon or a dash."""
    lead = _LEAD.match(text)
    return lead[1] if lead else ""


def _list_stretches(
    members: Sequence[int], above: Sequence[int], texts: Sequence[str]
) -> list[_Stretch]:
    """Split blocks with equal labels at lines that do not lie between repeats."""
    gaps = [texts[first:last] for first, last in pairwise(above)]
    reach = max(map(len, gaps))
    head, tail = texts[max(above[0] - reach, 0) : above[0]], texts[above[-1] : above[-1] + reach]
    usual = set(gaps[0]).intersection(*gaps)
    if len(gaps) == 1:
        usual &= {*head, *tail}
    stretches: list[_Stretch] = []
    holding: dict[str, list[_Stretch]] = {}
    current = _Stretch([line for line in dict.fromkeys(head) if line not in usual], [])
    for at, gap in zip(members, ([], *gaps), strict=True):
        opening = [line for line in dict.fromkeys(gap) if line not in usual]
        if not set(opening) <= set(current.lines):
            held = holding.get(opening[0], [])
            known = (each for each in held if set(opening) <= set(each.lines))
            current = next(known, _Stretch(opening, []))
        if not current.members:
            stretches.append(current)
            for line in current.lines:
                holding.setdefault(line, []).append(current)
        current.members.append(at)
    return stretches


def _list_texts(
    lines: Sequence[str],
    blocks: Sequence[Block],
    shorten: Callable[[str], str],
    names: Collection[str],
) -> tuple[list[int], list[str]]:
    """Return the content of the lines outside of results, with their numbers."""
    taken = {number for block in blocks for number in range(block.first, block.last + 1)}
    reached: dict[int, str] = {}
    for block in blocks:
        for number in range(block.last + 1, min(block.last + _REACH, len(lines)) + 1):
            if number in taken:
                break
            reached.setdefault(number, "")
        for number in range(block.first - 1, max(block.first - _REACH, 1) - 1, -1):
            if number in taken:
                break
            reached[number] = block.command
    read: dict[tuple[str, str], str] = {}
    texts: dict[int, str] = {}
    for number in sorted(reached):
        key = lines[number - 1], reached[number]
        if key not in read:
            read[key] = _read_text(*key, shorten)
        if read[key] and read[key] not in names:
            texts[number] = read[key]
    return list(texts), list(texts.values())


def _read_text(line: str, command: str, shorten: Callable[[str], str]) -> str:
    """Return the content of a line; for one that shows the command, that of the prompt."""
    if FENCE.match(line):
        info = line.strip(" \t>`~").split(" ")[0].strip("{}.").lower()
        return "" if _LANGUAGES.fullmatch(info) or not re.match(r"[^\W\d]", info) else info
    text = line.strip()
    if is_fence(line) or not re.search(r"\w", text):
        return ""
    if shows(text, command):
        text = text.partition(command[:40])[0] if command[:40] in text else ""
    elif _MECHANICAL.match(text):
        return ""
    return drop_counts(shorten(clean(text).strip(_SIGNS))).strip(_SIGNS)
