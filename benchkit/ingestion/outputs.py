"""Outputs: lines of several results that one command printed, under one caption."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from benchkit.ingestion.commands import shows_file
from benchkit.parsers.base import Reading
from benchkit.reading.captions import number_fences
from benchkit.reading.surroundings import Block
from benchkit.regexes import regex

__all__ = ["STATUS", "find_output", "list_outputs"]

#: What ``go test`` prints above its results, and what it prints below them or beside.
_HEADER = regex(r"[\s>]*+(?:goos|goarch|pkg|cpu|toolchain): ")
STATUS = regex(
    r"[\s>]*+(?:(?:PASS|FAIL)\s*$|(?:ok|FAIL|\?) *+\t|(?:ok|FAIL) +\S+\s+[\d.]+s|go: |testing: |"
    r"exit status \d|coverage: |=== (?:RUN|PAUSE|CONT|NAME) |"
    r"Benchmark(?:[^\sa-z]\S*+\s|\s(?:[\s#\d]|\Z))|--- (?:BENCH|FAIL|SKIP|PASS): )"
)
_TITLE = regex(r"Benchmark #?(\d{1,4}): ")
_FENCE = regex(r"[\s>]*+(?:```|~~~)")

#: What a result measures: tool, benchmark and params.
_Measured = tuple[object, ...]


def list_outputs(
    lines: Sequence[str], blocks: Sequence[Block], owners: Sequence[Reading]
) -> list[Block]:
    """Return where outputs stand that hold results of several benchmarks, from top to bottom.

    Parameters
    ----------
    lines : sequence of str
        All lines of the source, cleaned.
    blocks : sequence of Block
        Its results.
    owners : sequence of Reading
        What was read of each block.
    """
    fences = number_fences(lines) if any("`" in line or "~" in line for line in lines) else []
    outputs = _list_outputs_of_go(lines, blocks, owners)
    return sorted([*outputs, *_list_named(lines, fences, blocks, owners)])


def find_output(outputs: Sequence[Block], block: Block) -> int | None:
    """Return the place of the output that holds a result, None if none does."""
    at = bisect_right(outputs, block.first, key=lambda output: output.first) - 1
    return at if at >= 0 and block.first <= outputs[at].last else None


def _list_named(
    lines: Sequence[str], fences: Sequence[int], blocks: Sequence[Block], owners: Sequence[Reading]
) -> list[Block]:
    """Return outputs that measure what another one measures, too.

    An output has each benchmark once, stands in one fence, and counts its commands from one. What
    stands above it is all that tells its results from those of the other one.
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
            outputs[-1].results.append(result)
    shared = _find_shared(outputs)
    alone = Counter(output.fence for output in outputs)
    return [
        output.find_extent(lines, fences if alone[output.fence] == 1 else ()) for output in shared
    ]


class _Result(NamedTuple):
    """A result that names what it measures, and the number of its command, 0 if it has none."""

    block: Block
    measured: _Measured
    number: int


class _Output(NamedTuple):
    """Results that one command printed, and the number of the fence that they stand in, if any."""

    fence: int
    results: list[_Result]

    def ends_before(self, result: _Result) -> bool:
        """Tell whether a result is of another output."""
        is_counted = 0 < result.number <= self.results[-1].number
        return is_counted or any(each.measured == result.measured for each in self.results)

    def give_up(self, block: Block) -> list[_Result]:
        """Take out the results that no line parts from a block below: they are of one table."""
        at = len(self.results)
        while at and block.first - self.results[at - 1].block.last <= 1:
            block, at = self.results[at - 1].block, at - 1
        surplus = self.results[at:] if at else []
        del self.results[len(self.results) - len(surplus) :]
        return surplus

    def find_extent(self, lines: Sequence[str], fences: Sequence[int]) -> Block:
        """Return where it stands, with the rest of its fence or the summary below it."""
        block = min(each.block for each in self.results)
        last = max(each.block.last for each in self.results)
        if self.fence and fences:
            last = max(number for number, each in enumerate(fences) if each == self.fence)
        elif self.results[-1].number:
            last = _find_end(lines, last)
        is_shown = block.first > 1 and shows_file(lines[block.first - 2])
        return block._replace(first=block.first - is_shown, last=last)


def _find_end(lines: Sequence[str], last: int) -> int:
    """Return the last line of the summary that stands below a result; without one, the result's."""
    rest = iter(enumerate(lines[last:], last + 1))
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
    """Return the outputs that measure what another one measures, too."""
    counts = Counter(each.measured for output in outputs for each in output.results)
    return [each for each in outputs if any(counts[r.measured] > 1 for r in each.results)]


def _list_outputs_of_go(
    lines: Sequence[str], blocks: Sequence[Block], owners: Sequence[Reading]
) -> list[Block]:
    """Return where each output of ``go test`` stands, from its header to its status.

    What stands between was printed by the benchmarks. Without a header, any text ends an output.
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
