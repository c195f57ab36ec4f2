"""Labels from the headings above blocks: run, warm-up, variant or name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from benchkit.labels.plain_stems import RUN_WORDS
from benchkit.redaction import redact_label
from benchkit.regexes import regex

__all__ = ["Sections", "read_sections", "shorten", "split_lines"]

_ORDINAL = regex(
    r"\(?(?:\d{1,3}(?:\.\d{1,3}){0,5}[.)](?!\d)|\d{1,3}(?:\.\d{1,3}){1,5}(?= )"
    r"|[a-zA-Z][.)](?= )|[\[(]\d{1,4}(?:/| of )\d{1,4}[\])]"
    r"|(?i:figure|fig\.?|table|listing) ?\d{1,3}[.:)](?= ))\s*"
)
_COUNTED = f"(?:{'|'.join(RUN_WORDS)})"
_NTH = r"(?:\d{1,3}(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|last)"
#: Text after a number that makes it a percentage or part of a longer number.
_PART = r" ?%|[.,]\d"
#: Words that count a run, alone or before or after a name.
_RUN = regex(
    rf"(?<!\w)(?:{_COUNTED}[ :=#]{{0,3}}\d{{1,4}}(?: ?(?:/|of) ?\d{{1,4}})?|"
    rf"{_NTH} {_COUNTED}|#\d{{1,4}}|no\. ?\d{{1,4}})(?!\w|{_PART})"
    r"|第[0-9一二三四五六七八九十]{1,3}[次轮回]|\d{1,3}(?:回目|차)"
    rf"|测试 ?\d{{1,3}}(?!\d|{_PART})",
    re.IGNORECASE,
)
#: A number that may count a run, and the noun after it that it may count instead.
_COUNT = regex(
    rf"(?:(?<!\w){_COUNTED}[ :=]{{0,3}}|(?P<word>测试) ?)(?P<number>\d{{1,4}})(?!\d|{_PART})"
    r"(?:(?:[ -]|(?(word)|(?!)))(?!of \d)(?P<noun>[^\W\d_]+)|(?!\w))",
    re.IGNORECASE,
)
#: Nouns whose number does not count runs: ``Test 1 core``, ``测试 1 核``.
_UNIT = regex(
    r"(?:cores?|cpus?|threads?|vus?)\Z"
    r"|(?:个)?(?:核|线程|进程|协程|并发|连接|用户|客户端|节点|实例|端口|万|千)",
    re.IGNORECASE,
)
#: Text between the word for a run and its date.
_DATED = rf"(?:(?<!\w){_COUNTED}(?: (?:started|began|at|on|of|from)){{0,2}}[ :,=]{{1,3}})?"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DATE = regex(
    rf"{_DATED}(?<!\d)(?:"
    r"\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[/.]\d\d?[/.]\d{4}|"
    rf"{_MONTH} \d\d?,? \d{{4}}|\d\d? {_MONTH} \d{{4}}|"
    rf"[a-z]{{3}} {_MONTH} {{1,2}}\d\d? \d\d:\d\d:\d\d(?: [A-Z]{{3,4}})? \d{{4}}|"
    r"\d\d:\d\d:\d\d)(?!\d)"
    r"(?:[T ,]{1,2}\d\d?:\d\d(?::\d\d)?(?:\.\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d)(?!\w))?",
    re.IGNORECASE,
)
_WARM_UP = regex(r"warm(?:ing)?[- ]?up(?: (?:run|phase|round))?|\(warm[- ]?up\)", re.IGNORECASE)
#: A tool's line about a run, which some pages use as its heading.
_MEASURED = regex(r"\d[\d.,]* requests in [\d.,]+ ?[mµ]?s", re.IGNORECASE)
#: A duration at the end of a log line: ``started in 154us``.
_LASTED = regex(
    r"(?P<what>\b(?:took|\w{1,30}ed\b(?: \S{1,40}){0,4} in)) [\d.,]{1,20} ?"
    r"(?:[nuµμm]?s|secs?|seconds?|minutes?)\Z",
    re.IGNORECASE,
)
_EDGES = " \t-–—:,.;/|()[]#"

#: The headings above a block by depth, its caption, the lines above it and the lines below it.
Page = tuple[Mapping[int, str], str, Sequence[str], Sequence[str]]


@dataclass(slots=True)
class Sections:
    """Labels from the headings above one block.

    Parameters
    ----------
    headings : dict of depth to text
        The headings that name the benchmark, outermost first.
    caption : str
        The line directly above; used as a name if nothing else distinguishes the blocks.
    lines : tuple of str
        The whole paragraph above, of any shape, without run counts.
    variant : str
        Empty if no level of headings names variants.
    variant_depth : int
        The depth of the heading that names the variant.
    """

    headings: dict[int, str] = field(default_factory=dict)
    caption: str = ""
    lines: tuple[str, ...] = ()
    variant: str = ""
    variant_depth: int = 0
    is_warm_up: bool = False

    def list_names(self, *, is_variant_taken: bool) -> dict[str, str]:
        """Return the headings as labels, with the variant's heading if another variant applies."""
        names = dict(self.headings)
        if is_variant_taken and self.variant:
            names[self.variant_depth] = self.variant
        return {str(depth): names[depth] for depth in sorted(names)}


def read_sections(
    pages: Sequence[Page],
    baselines: Collection[str],
    split: Callable[[str], str] = lambda _: "",
) -> list[Sections]:
    """Read the headings of all blocks of one source.

    Parameters
    ----------
    pages : sequence of (headings by depth, caption, lines above, lines below)
        The text around each block.
    baselines : collection of str
        Names of a baseline: a level of headings that includes one of them names variants.
    split : callable
        Returns the variant in a heading or a line, empty if there is none.
    """
    sized = _find_sized(pages)
    sections = [_read_section(headings, caption, sized) for headings, caption, *_ in pages]
    around = [
        (_shorten_all(above, sized), _shorten_all(below, sized)) for *_, above, below in pages
    ]
    closing = set(around[0][1]).intersection(*(below for _, below in around)) if around else set()
    for section, (above, _) in zip(sections, around, strict=True):
        section.lines = tuple(line for line in above if line not in closing)
        section.caption = "" if section.caption in closing else section.caption
    depths = {depth for section in sections for depth in section.headings}
    for depth in sorted(depths):
        names = {section.headings.get(depth, "") for section in sections}
        if len(names) > 1 and any(name.lower() in baselines for name in names):
            for section in sections:
                if name := section.headings.get(depth):
                    _take_variant(section, depth, name)
    for section in sections:
        for depth, text in tuple(section.headings.items()):
            if variant := split(text):
                _take_variant(section, depth, variant)
        split_lines(section, split)
    return sections


def shorten(text: str, sized: Collection[str] = ()) -> tuple[str, bool]:
    """Return a heading without its run count, and whether it announces a warm-up.

    Numbers in the ``sized`` texts count something other than runs.

    Examples
    --------
    >>> shorten("2. GET /users, run 3"), shorten("Trial 2"), shorten("Warm-up")
    (('GET /users', False), ('', False), ('', True))
    """
    if _MEASURED.match(text):
        return "", False
    name = _ORDINAL.sub("", text, count=1) if _ORDINAL.match(text) else text
    name = _LASTED.sub(r"\g<what>", name)
    undated = _DATE.sub("", name)
    without = undated if text in sized else _RUN.sub("", undated)
    if without != name:
        name = re.sub(r"\(\s*\)|\[\s*\]", "", without).strip(_EDGES)
    if _WARM_UP.fullmatch(name):
        return "", True
    warm = name.lower().endswith(("(warm-up)", "(warmup)", "(warm up)"))
    return (name.rpartition("(")[0].strip() if warm else name), warm


def _shorten_all(lines: Sequence[str], sized: Collection[str]) -> tuple[str, ...]:
    """Return lines without their run counts, omitting those that say nothing else."""
    return tuple(name for name, _ in (shorten(line, sized) for line in lines) if name)


def _find_sized(pages: Sequence[Page]) -> frozenset[str]:
    """Return the texts whose number counts the noun after it, as in `Run 8 cores`."""
    levels: dict[int, set[str]] = defaultdict(set)
    for headings, caption, above, below in pages:
        for depth, text in headings.items():
            levels[depth].add(redact_label(text))
        levels[-1].update((redact_label(caption), *above, *below))
    return frozenset().union(*map(_find_sized_of, levels.values()))


def _find_sized_of(texts: Collection[str]) -> set[str]:
    """Return the texts of one level whose number counts a noun; runs are numbered without gaps."""
    counts = {text: match for text in texts if (match := _COUNT.search(_DATE.sub("", text)))}
    numbers = {int(match["number"]) for match in counts.values()}
    nouns = {match["noun"] for match in counts.values() if match["noun"]}
    is_plural = any(f"{noun}s" in nouns for noun in nouns)
    is_sequence = numbers in (set(range(len(numbers))), set(range(1, len(numbers) + 1)))
    if is_sequence and not is_plural and not any(map(_UNIT.match, nouns)):
        return set()
    return {text for text, match in counts.items() if match["noun"]}


def _read_section(headings: Mapping[int, str], caption: str, sized: Collection[str]) -> Sections:
    section = Sections()
    section.caption, section.is_warm_up = shorten(redact_label(caption), sized)
    for depth, text in headings.items():
        name, is_warm_up = shorten(redact_label(text), sized)
        section.is_warm_up |= is_warm_up
        if name:
            section.headings[depth] = name
    return section


def split_lines(section: Sections, split: Callable[[str], str]) -> None:
    """Take the variant from a caption or line that is nothing else, unless a heading names it."""
    lines = (line for line in (section.caption, *section.lines) if line)
    named = next((line for line in lines if split(line).lower() == line.lower()), "")
    if named and not section.variant:
        section.variant = split(named)
        section.caption = "" if section.caption == named else section.caption
        section.lines = tuple(line for line in section.lines if line != named)


def _take_variant(section: Sections, depth: int, variant: str) -> None:
    section.variant, section.variant_depth = variant, depth
    del section.headings[depth]
