"""Prefixes of a report's lines in logs: times, pods, units, line numbers, a diff's ``+``.

Reports are kept as CI systems, container runtimes and journals show them::

    2024-05-01T10:00:22.123456Z 01O     http_reqs......: 15001  500.012577/s
    [pod/load-1/k6]     http_reqs......: 15001  500.012577/s
    Nov 22 10:00:00 host load[123]:     http_reqs......: 15001  500.012577/s

Lines that only one tool prints show where its text begins. The text before it on these lines, with
times and counters as wildcards, is a prefix if the lines around have it, too. It is removed from
every line that has it, so that each parser reads what its tool printed; line numbers remain those
of the file.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from shlex import quote

from benchkit.errors import DataError
from benchkit.reading.signs import list_anchors, may_hold_blocks, signs_in
from benchkit.redaction import redact_quote
from benchkit.regexes import compile_sound, regex

#: The sides of a diff, by their signs.
SIDES = {"-": "old", "+": "new"}
#: Characters that pages put where a tool prints a blank.
NO_BREAK = "\xa0"
_TIME = (
    r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
    r"(?: [0-9a-f]{2}[OE](?:[ +]|$))?"  # GitLab's stream and whether the line continues
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})?"
    r"|\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d(?: [+-]\d{4})?"
    r"|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
)
_TIMES = regex(_TIME)
_TOKEN = regex(
    rf"(?P<time>{_TIME})|(?P<number>(?<![\w./-])\d+(?:\.\d+)?(?![\w/-]))"
    r"|(?P<blank>[ \t]+)|(?P<text>.)"
)
#: A line of a log: it has a time near its beginning, and is not a JSON record.
_LOGGED = regex(rf"(?!\{{\")[^\n]{{0,80}}?(?:{_TIME})")
#: A prefix before the name of a benchmark, which may contain any words.
_BEFORE_NAME = regex(
    rf"[ \t]*(?:(?:[^\t\n]{{1,80}}\t){{0,3}}(?:[\w.-]+ +\| *)?(?:<\d+>1 )?\[?(?:{_TIME})\]?"
    r"(?: \S+ \S+\[\d+\]:| \S+ \S+ \d+ - -)?"
    r"|(?P<line>\d+)(?:[:|]|(?=\t|  ))(?=[ \t]*\S)|[\w.-]+ +\||\[[^\]\n]{1,80}\]|\+|-(?=\S))[ \t]*"
)
#: Possible prefixes of a line that was pasted, which are not prefixes of a log.
_FURNITURE = " \t#>|*/-"
#: Other prefixes of comment lines.
_COMMENTS = frozenset({"//!", ";", ";;", ";;;", "%", "%%"})
_MARKUP = regex(r'"|<[a-z/]')
_LONGEST = 240
#: Maximum number of prefixes per text; those on most of the tools' lines come first.
_MOST = 20
#: Number of consecutive lines that establish a prefix without a time.
_FEW = 3
#: Number of lines by which a log is recognised.
_SEEN = 50
#: Maximum lines of a tool examined per word, so that a long log costs little.
_MANY = 500


class MixedError(DataError):
    """The lines of several processes alternate in a source."""


@dataclass(slots=True)
class _Candidate:
    """A prefix found at anchors.

    Parameters
    ----------
    pattern : compiled
        Without the blanks after the prefix.
    is_dated : bool
        Whether it contains a time.
    anchors : dict of tool to line numbers
    words : set of str
        Those by which the lines of tools are known.
    lines : dict of line number to the place where its prefix ends
    spans : list of (first, last)
        Ranges of consecutive lines like this, at least one of them a tool's.
    """

    pattern: re.Pattern[str]
    example: str
    is_dated: bool
    anchors: dict[str, list[int]] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    lines: dict[int, int] = field(default_factory=dict)
    spans: list[tuple[int, int]] = field(default_factory=list)

    def anchor_lines(self) -> set[int]:
        return {number for numbers in self.anchors.values() for number in numbers}

    @property
    def is_name(self) -> bool:
        """Whether it names results of which a list shows one line each: ``8 cores: Time …``."""
        is_value = len(self.words) == 1 and next(iter(self.words)).endswith(":")
        return is_value and not self.is_dated and self.anchor_lines() >= self.lines.keys()


@dataclass(frozen=True, slots=True)
class Prefix:
    """A prefix of lines.

    Parameters
    ----------
    gap : str
        The blanks after it that belong to it; further blanks are indentation.
    spans : tuple of (first, last)
        The lines that it may be removed from; all if empty.
    name : str
        The part shared by all of its lines: a pod, a job and its step.
    anchors : tuple of int
        The lines of tools that have it.
    """

    pattern: re.Pattern[str]
    gap: str
    spans: tuple[tuple[int, int], ...] = ()
    name: str = ""
    anchors: tuple[int, ...] = ()

    def strip(self, number: int, line: str) -> str | None:
        """Return a line without the prefix; None if it has none."""
        if self.spans and not any(first <= number <= last for first, last in self.spans):
            return None
        match = self.pattern.match(line)
        if match is None:
            return None
        rest = line[match.end() :]
        return rest.removeprefix(self.gap) if rest.strip() or rest.startswith(self.gap) else ""


def strip_line(prefixes: Sequence[Prefix], number: int, line: str) -> str:
    """Return a line without the first of the prefixes that it has."""
    for prefix in prefixes:
        rest = prefix.strip(number, line)
        if rest is not None:
            return rest
    return line


def is_logged(text: str) -> bool:
    """Whether most lines have a time near their beginning, as in a log."""
    lines = [line for line in text.split("\n", _SEEN)[:_SEEN] if line.strip()]
    for mark in "\t,":
        marks = lines[0].count(mark) if lines else 0
        if marks and not _LOGGED.match(lines[0]) and all(x.count(mark) == marks for x in lines):
            return False  # a table of times, under a header without one
    return 2 * sum(_LOGGED.match(line) is not None for line in lines) > len(lines)


def find_wrapping(text: str, label: str) -> tuple[Prefix, ...] | None:
    """Return the prefixes of a text; None if it needs no cleaning at all.

    Non-breaking spaces, which pages put into copies, are a reason to clean possible results.
    """
    is_copied = NO_BREAK in text
    text = text.replace(NO_BREAK, " ")
    prefixes = find_prefixes(text, label)
    return prefixes if prefixes or (is_copied and may_hold_blocks(text)) else None


def find_prefixes(text: str, label: str) -> tuple[Prefix, ...]:
    r"""Return the prefixes of the lines of reports in a text; empty if they are plain.

    Parameters
    ----------
    text : str
        Whole, cleaned lines.
    label : str
        How messages name the source.

    Raises
    ------
    MixedError
        If lines of one tool with two prefixes alternate, so that its reports cannot be separated.

    Examples
    --------
    >>> lines = ["  2 threads and 8 connections", "Requests/sec:  4.0", "Transfer/sec:  3.0KB"]
    >>> (prefix,) = find_prefixes("".join(f"job-1 | {line}\n" for line in lines), "wrk.log")
    >>> prefix.strip(2, "job-1 | Transfer/sec:  3.0KB")
    'Transfer/sec:  3.0KB'
    """
    candidates = _gather(text)
    if not candidates:
        return ()
    lines = text.split("\n")
    for candidate in candidates:
        _match_lines(candidate, lines)
    _find_spans(candidates, lines)
    chosen = _choose(candidates)
    _require_apart(chosen, label)
    return tuple(_make(candidate, lines) for candidate in chosen)


def _find_anchors(text: str) -> Iterator[tuple[str, str, int, str]]:
    """Yield tool, word, position and prefix of the lines that only a tool prints.

    It ends with a name if the word begins with a blank. Lines without it are left out.
    """
    for tool, word, rest in list_anchors(signs_in(text, None)):
        place, count = text.find(word), 0
        while place >= 0 and count < _MANY:
            count += 1
            start, end = text.rfind("\n", 0, place) + 1, place
            before = text[start:place]
            if (place > start and before.strip(_FURNITURE)) or before == "-":
                end = text.find("\n", place)
                end = len(text) if end < 0 else end
                if len(before) <= _LONGEST and rest.match(text, place + len(word), end):
                    yield tool, word, place, before
            place = text.find(word, end + 1)


def _gather(text: str) -> list[_Candidate]:
    """Return the text before the tools' lines, with times and counters as wildcards."""
    candidates: dict[str, _Candidate] = {}
    numbers: dict[int, int] = {}
    for tool, word, place, before in _find_anchors(text):
        number = numbers.setdefault(place, text.count("\n", 0, place) + 1)
        prefix = _leave_out_name(before, number) if word[0] == " " else before
        if not _may_be_prefix(prefix):
            continue
        for example in dict.fromkeys((prefix.rstrip(), prefix.rstrip(_FURNITURE))):
            shape, is_dated = _shape(example)
            if shape:
                known = candidates.setdefault(
                    shape, _Candidate(compile_sound(shape), example, is_dated)
                )
                known.anchors.setdefault(tool, []).append(number)
                known.words.add(word)
    most = sorted(candidates.values(), key=lambda each: -len(each.anchor_lines()))
    return most[:_MOST]


def _leave_out_name(before: str, number: int) -> str:
    """Return the text before a name on a line; empty if nothing looks like a prefix."""
    match = _BEFORE_NAME.match(before)
    is_prefix = match is not None and match["line"] in {None, str(number)}
    return match[0] if match and is_prefix else ""


def _may_be_prefix(before: str) -> bool:
    if before == "-" or before.strip(_FURNITURE) == "+":  # from a diff
        return True
    if before.strip() in _COMMENTS:
        return True
    if not before:
        return False
    is_in_word = re.match(r"\w", before[-1]) is not None  # as in browser_http_reqs
    if is_in_word or "Benchmark" in before or _MARKUP.search(before):
        return False
    return any(map(str.isalnum, before))


def _shape(example: str) -> tuple[str, bool]:
    """Return a pattern that generalises an example, and whether it includes a time."""
    if not example.strip():
        return "", False
    parts: list[str] = []
    is_dated = False
    tokens = list(_TOKEN.finditer(example.lstrip()))
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        if token["time"]:
            parts.append(f"(?:{_TIME})")
            is_dated = True
        elif token["number"]:
            parts.append(r"(\d+(?:\.\d+)?)")
        elif token["blank"]:
            parts.append(r"[ \t]*" if after is not None and after["number"] else r"[ \t]+")
        else:
            parts.append(re.escape(token["text"]))
    return r"[ \t]*" + "".join(parts), is_dated


def _match_lines(candidate: _Candidate, lines: list[str]) -> None:
    """Find the lines that have a prefix; its counters must not decrease."""
    pattern = candidate.pattern
    last: tuple[float, ...] = ()
    for number, line in enumerate(lines, 1):
        match = pattern.match(line)
        if match is None:
            continue
        if match.re.groups:
            counters = tuple(map(float, match.groups()))
            if any(now < then for now, then in zip(counters, last, strict=False)):
                candidate.lines.clear()
                return
            last = counters
        candidate.lines[number] = match.end()


def _choose(candidates: list[_Candidate]) -> list[_Candidate]:
    """Choose the most frequent ones; what a chosen one leaves of a line has no further prefix."""
    chosen: list[_Candidate] = []
    covered: set[int] = set()
    ordered = sorted(candidates, key=lambda each: (-len(each.lines), -len(each.example)))
    for candidate in ordered:
        if any(_is_longer(other, candidate) for other in candidates):
            continue
        anchors = candidate.anchor_lines()
        if anchors <= covered or not anchors & candidate.lines.keys():
            continue
        if candidate.is_name or not (candidate.is_dated or candidate.spans):
            continue
        chosen.append(candidate)
        covered |= candidate.lines.keys()
    return chosen


def _is_longer(one: _Candidate, other: _Candidate) -> bool:
    """Return whether a prefix extends another one, on the same tools' lines."""
    return (
        len(one.example) > len(other.example)
        and one.example.startswith(other.example)
        and one.anchors == other.anchors
        and 10 * len(one.lines) >= 9 * len(other.lines)
        and bool(one.is_dated or one.spans)
    )


def _find_spans(candidates: list[_Candidate], lines: list[str]) -> None:
    """Find the ranges of consecutive lines with a prefix; lines of other prefixes may alternate."""
    prefixed = {number for candidate in candidates for number in candidate.lines}
    other = [i for i, line in enumerate(lines, 1) if line.strip() and i not in prefixed]
    for candidate in candidates:
        anchors = candidate.anchor_lines()
        runs: dict[int, list[int]] = {}
        for number in sorted(candidate.lines):
            runs.setdefault(bisect(other, number), []).append(number)
        candidate.spans = [
            (run[0], run[-1])
            for run in runs.values()
            if len(run) >= _FEW and not anchors.isdisjoint(run)
        ]


def _require_apart(chosen: list[_Candidate], label: str) -> None:
    """Reject a source in which lines of a tool with two prefixes alternate."""
    for place, one in enumerate(chosen):
        for other in chosen[place + 1 :]:
            for tool in one.anchors.keys() & other.anchors.keys():
                mine, others = one.anchors[tool], other.anchors[tool]
                if min(mine) < max(others) and min(others) < max(mine):
                    line = max(min(mine), min(others))
                    word = max(_name(one).split(), key=len, default="")
                    raise MixedError(
                        f"lines of two {tool} runs alternate: {_name(one)!r} and {_name(other)!r}",
                        where=f"{label}:{line}",
                        hint=f"split the file: grep -F -e {quote(word)} FILE > first.txt",
                    )


def _name(candidate: _Candidate) -> str:
    """Return the longest part of a prefix that all of its lines share."""
    parts = (" ".join(part.split()) for part in _TIMES.split(candidate.example))
    return redact_quote(max(parts, key=len).rstrip(" |:"))


def _make(candidate: _Candidate, lines: list[str]) -> Prefix:
    rests = (lines[number - 1][end:] for number, end in candidate.lines.items())
    blanks = [rest[: len(rest) - len(rest.lstrip())] for rest in rests if rest.strip()]
    spans = () if candidate.is_dated else tuple(candidate.spans)
    least, most = min(blanks, default=""), max(blanks, default="")
    gap = "".join(one for one, other in zip(least, most, strict=False) if one == other)
    anchors = tuple(sorted(candidate.anchor_lines()))
    name = _name(candidate)
    return Prefix(candidate.pattern, gap, spans, SIDES.get(name, name), anchors)
