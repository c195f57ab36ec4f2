"""Outputs: lines of several results that one command printed, under one caption.

A result may be labelled on its line: by a word before it, ``BEFORE:``, or a note after it.

The command of a result is taken from the page or log above it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchkit.ingestion.parts import find_attack_rate
from benchkit.labels.headings import shorten
from benchkit.labels.sections import is_near_rate
from benchkit.parsers.base import Format, Reading, find_command
from benchkit.reading.captions import number_fences
from benchkit.reading.passages import list_held
from benchkit.reading.prefixes import SIDES
from benchkit.reading.surroundings import Above, Block, read_scopes
from benchkit.regexes import regex

__all__ = ["STATUS", "find_output", "has_row_labels", "lead_by_row_labels", "list_outputs"]

_WORD = regex(r"\s*+([A-Za-z][\w-]{0,30}) ?: ?(?=Benchmark)")
#: The signs of a diff before the results of its two sides.
_SIGNED = regex(r"\s*+([-+])[ \t]*+(?=Benchmark)")
#: The heading depths of a word before a result and of a note after it.
_BEFORE, _BEHIND = 50, 51

#: Lines that ``go test`` prints above its results, and lines below or between them.
_HEADER = regex(r"[\s>]*+(?:goos|goarch|pkg|cpu|toolchain): ")
STATUS = regex(
    r"[\s>]*+(?:(?:PASS|FAIL)\s*$|(?:ok|FAIL|\?) *+\t|(?:ok|FAIL) +\S+\s+[\d.]+s|go: |testing: |"
    r"exit status \d|coverage: |=== (?:RUN|PAUSE|CONT|NAME) |"
    r"Benchmark(?:[^\sa-z]\S*+\s|\s(?:[\s#\d]|\Z))|--- (?:BENCH|FAIL|SKIP|PASS): )"
)
_TITLE = regex(r"Benchmark #?(\d{1,4}): ")
_FENCE = regex(r"[\s>]*+(?:```|~~~)")

#: The subject of a result: tool, benchmark and params.
_Measured = tuple[object, ...]

#: A command at a shell's prompt, after a user and a folder.
_PROMPT = regex(
    r"[ \t#>|*]*(?:[^\s$%@]{1,40}@[^\s$%]{1,60}(?: [^\s$%]{1,60})?)? ?[$%] "
    r"(?P<command>(?:[A-Za-z_]\w*=\S* )*(?:[^\s/]*/)*(?P<program>[\w.-]+).*)"
)
#: Programs that show text of other programs, and those that move it or measure nothing.
_DISPLAYS = frozenset(
    {"awk", "cat", "cut", "grep", "head", "jq", "less", "more", "sed", "sort", "tail"}
)
_SHOWING = _DISPLAYS | {"cd", "cp", "echo", "git", "ls", "mv"}


def list_outputs(
    lines: Sequence[str], blocks: Sequence[Block], owners: Sequence[Reading]
) -> list[Block]:
    """Return the positions of outputs with results of several benchmarks, from top to bottom.

    Parameters
    ----------
    lines : sequence of str
        All lines of the source, cleaned.
    blocks : sequence of Block
        Its results.
    owners : sequence of Reading
        The reading of each block.
    """
    fences = number_fences(lines) if any("`" in line or "~" in line for line in lines) else []
    outputs = _list_outputs_of_go(lines, blocks, owners)
    return sorted([*outputs, *_list_named(lines, fences, blocks, owners)])


def find_output(outputs: Sequence[Block], block: Block) -> int | None:
    """Return the index of the output that contains a result, or None."""
    at = bisect_right(outputs, block.first, key=lambda output: output.first) - 1
    return at if at >= 0 and block.first <= outputs[at].last else None


def _list_named(
    lines: Sequence[str], fences: Sequence[int], blocks: Sequence[Block], owners: Sequence[Reading]
) -> list[Block]:
    """Return the outputs that share a benchmark with another output.

    An output has each benchmark once, lies within one fence, and numbers its commands from one.
    Only the text above it distinguishes its results from those of another output.
    """
    outputs: list[_Output] = []
    for block, owner in sorted(zip(blocks, owners, strict=True), key=lambda pair: pair[0].first):
        if not owner.benchmark or _is_line_of_go(owner):
            continue
        fence = fences[block.first] if fences else 0
        title = _TITLE.search(lines[block.first - 1])
        result = _Result(block, _list_measured(owner), int(title[1]) if title else 0)
        if not outputs or outputs[-1].fence != fence:
            outputs.append(_Output(fence, [result]))
        elif outputs[-1].ends_before(result):
            outputs.append(_Output(fence, [*outputs[-1].give_up(block), result]))
        else:
            outputs[-1].add(result)
    shared = _find_shared(outputs)
    alone = Counter(output.fence for output in outputs)
    ends = {fence: number for number, fence in enumerate(fences) if fence and alone[fence] == 1}
    return [output.find_extent(lines, ends.get(output.fence, 0)) for output in shared]


class _Result(NamedTuple):
    """A result that names its benchmark, and the number of its command, 0 if it has none."""

    block: Block
    measured: _Measured
    number: int


class _Output:
    """Results that one command printed, and the number of their fence, if any."""

    def __init__(self, fence: int, results: list[_Result]) -> None:
        self.fence, self.results = fence, results
        self._measured = {each.measured for each in results}

    def ends_before(self, result: _Result) -> bool:
        """Return whether a result begins another output."""
        is_counted = 0 < result.number <= self.results[-1].number
        return is_counted or result.measured in self._measured

    def add(self, result: _Result) -> None:
        """Add a result that does not begin another output."""
        self.results.append(result)
        self._measured.add(result.measured)

    def give_up(self, block: Block) -> list[_Result]:
        """Remove the last results directly above a block, which are in the same table as it."""
        at = len(self.results)
        while at and block.first - self.results[at - 1].block.last <= 1:
            block, at = self.results[at - 1].block, at - 1
        surplus = self.results[at:] if at else []
        del self.results[len(self.results) - len(surplus) :]
        return surplus

    def find_extent(self, lines: Sequence[str], end: int) -> Block:
        """Return the position, including the rest of its fence, if it ends, or the summary."""
        block = min(each.block for each in self.results)
        last = end or max(each.block.last for each in self.results)
        if not end and self.results[-1].number:
            last = _find_end(lines, last)
        is_shown = block.first > 1 and shows_file(lines[block.first - 2])
        return block._replace(first=block.first - is_shown, last=last)


def _find_end(lines: Sequence[str], last: int) -> int:
    """Return the last line of the summary below a result, or of the result if there is none."""
    rest = ((at + 1, lines[at]) for at in range(last, len(lines)))
    if next((line for _, line in rest if line.strip()), "").strip() != "Summary":
        return last
    end = last
    for number, line in rest:
        if not line[:1].isspace():
            break
        end = number
    return end


def _list_measured(owner: Reading) -> _Measured:
    return owner.tool, owner.group, owner.variant, owner.benchmark, *sorted(owner.params.items())


def _find_shared(outputs: Sequence[_Output]) -> list[_Output]:
    """Return the outputs that share a benchmark with another output."""
    counts = Counter(each.measured for output in outputs for each in output.results)
    return [each for each in outputs if any(counts[r.measured] > 1 for r in each.results)]


def _list_outputs_of_go(
    lines: Sequence[str], blocks: Sequence[Block], owners: Sequence[Reading]
) -> list[Block]:
    """Return the position of each ``go test`` output, from its header to its status.

    Text in between was printed by the benchmarks. Without a header, any text ends an output.
    """
    pairs = zip(blocks, owners, strict=True)
    results = {block.first: block for block, owner in pairs if _is_line_of_go(owner)}
    outputs: list[Block] = []
    header, is_open, is_framed = 0, False, False
    for number, line in enumerate(lines if results else (), 1):
        block = results.get(number)
        if block is not None and is_open:
            outputs[-1] = outputs[-1]._replace(last=block.last)
        elif block is not None:
            outputs.append(block._replace(first=header or number))
            header, is_open, is_framed = 0, True, header > 0
        elif _HEADER.match(line):
            header, is_open = header or number, False
        elif STATUS.match(line):
            if is_open and outputs[-1].last < number:
                outputs[-1], is_framed = outputs[-1]._replace(last=number), False
        elif _FENCE.match(line):
            header, is_open = 0, False
        elif is_open and not is_framed and outputs[-1].last < number:
            is_open = False
    return outputs


def _is_line_of_go(reading: Reading) -> bool:
    return reading.tool == "gobench" and reading.form == "text" and bool(reading.benchmark)


def has_row_labels(lines: Iterable[str], readings: Iterable[Reading]) -> bool:
    """Return whether any result has a word before it, a sign of a diff or a note after it."""
    if any(reading.note for reading in readings):
        return True
    rows = [line for line in lines if "Benchmark" in line]
    signs = {_find_sign(line) for line in rows}
    return signs >= SIDES.keys() or any(map(_WORD.match, rows))


def _find_sign(line: str) -> str:
    """Return the sign of a diff before a result, or an empty string."""
    signed = _SIGNED.match(line)
    return signed[1] if signed else ""


def lead_by_row_labels(
    lines: Sequence[str],
    blocks: Sequence[Block],
    owners: Sequence[Reading],
    headings: Sequence[Above],
) -> list[Above]:
    """Add the labels on a result's line below its headings.

    Notes are added if those of one benchmark differ; a note that only counts its run is ignored.
    Signs of a diff are added if one benchmark has both: its sides are not repeats.
    """
    notes = [shorten(owner.note)[0] for owner in owners]
    signs = [_find_sign(lines[block.first - 1]) for block in blocks]
    by_benchmark: dict[object, set[str]] = defaultdict(set)
    signs_of: dict[object, set[str]] = defaultdict(set)
    for owner, note, sign in zip(owners, notes, signs, strict=True):
        by_benchmark[_list_measured(owner)].add(note)
        signs_of[_list_measured(owner)].add(sign)
    is_diff = any(each >= SIDES.keys() for each in signs_of.values())
    result: list[Above] = []
    places = zip(blocks, owners, notes, signs, headings, strict=True)
    for block, owner, note, sign, above in places:
        word = _WORD.match(lines[block.first - 1])
        labels = {_BEFORE: word[1]} if word else {}
        if is_diff and sign:
            labels = {_BEFORE: SIDES[sign]}
        if note and len(by_benchmark[_list_measured(owner)]) > 1:
            labels[_BEHIND] = note
        result.append(above._replace(headings={**above.headings, **labels}))
    return result


def shows_file(line: str) -> bool:
    """Return whether a line is a command at a prompt that shows another program's text.

    Examples
    --------
    >>> shows_file("$ cat one.txt"), shows_file("$ cargo bench")
    (True, False)
    """
    match = _PROMPT.match(line)
    return match is not None and match["program"] in _DISPLAYS


def take_prompts(readings: Sequence[Reading], lines: Sequence[str]) -> None:
    """Give named results without a command the one typed above them.

    Results that begin on one line, for example the columns of a table, have one command.
    """
    above = first = 0
    typed = ""
    for reading in readings:
        if reading.benchmark and not reading.command:
            if reading.line != first:
                typed = _find_prompt(lines[above : reading.line - 1])
            reading.command = typed or None
            first = reading.line
        above = max(above, reading.last_line)


def _find_prompt(lines: Sequence[str]) -> str:
    """Return the last command at a prompt, unless it only shows or moves files."""
    match = next(filter(None, map(_PROMPT.match, reversed(lines))), None)
    return match["command"].strip() if match and match["program"] not in _SHOWING else ""


def hold_commands(
    formats: Sequence[Format],
    readings: Sequence[Reading],
    blocks: Sequence[Block],
    above: Sequence[Above],
    lines: Sequence[str],
) -> None:
    """Give blocks without a command that of the block above, if it applies to them as well.

    The command of a result of another tool does not.
    """
    if all(reading.command for reading in readings) or not any(r.command for r in readings):
        return
    held = list_held(lines, blocks, lambda text: shorten(text)[0])
    leading, scope = None, dict[int, str]()
    named = [at for at, reading in enumerate(readings) if reading.command]
    places = [_find_shown(lines, blocks, at) for at in named]
    scopes = dict(zip(named, read_scopes(lines, blocks, places), strict=True))
    for at, reading in enumerate(readings):
        if reading.command:
            scope = scopes[at]
            leading = reading if scope.items() < above[at].headings.items() else None
            continue
        before = readings[at - 1] if at else reading
        is_same = held[at] and above[at - 1].headings == above[at].headings
        owner = before if before.command and is_same else leading
        if owner is None or not owner.command or not scope.items() <= above[at].headings.items():
            continue
        if owner.tool not in formats[at].tools:
            continue
        tool = re.escape(owner.command.partition(" ")[0])
        between = lines[blocks[at - 1].last : blocks[at].first - 1]
        if any(find_command(line, tool) for line in between):
            leading = None
        elif not _is_other(owner, reading) and not _misses_rate(reading, owner.target_rate):
            _take_command(reading, owner)


def _find_shown(lines: Sequence[str], blocks: Sequence[Block], at: int) -> int:
    """Return the line of a block's command, which applies to all blocks below its headings."""
    shown, first = blocks[at].command[:40], blocks[at].first
    start = blocks[at - 1].last if at else 0
    return next((n for n in range(first - 1, start, -1) if shown in lines[n - 1]), first)


def _take_command(reading: Reading, owner: Reading) -> None:
    """Copy another block's command and load to a block."""
    for name in ("command", "tool", "load_model", "target_rate", "connections", "corrected"):
        setattr(reading, name, getattr(owner, name))
    reading.params = dict(owner.params)
    if not reading.target:
        reading.target = owner.target
        reading.env = {
            **{k: owner.env[k] for k in ("host", "query") if k in owner.env},
            **reading.env,
        }


def _is_other(before: Reading, reading: Reading) -> bool:
    """Return whether a report shows that it is not a repeat of the one before."""
    pairs = [(each.target, each.env.get("host", "")) for each in (reading, before)]
    is_elsewhere = any(one and other and one != other for one, other in zip(*pairs, strict=True))
    return is_elsewhere or not before.params.items() >= reading.params.items()


def _misses_rate(reading: Reading, rate: float | None) -> bool:
    """Return whether a block's requests were sent at another rate than its command sets."""
    sent = find_attack_rate(reading)
    return bool(sent and rate) and not is_near_rate(sent, rate)
