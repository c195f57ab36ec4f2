"""Outputs: lines of several results that one command printed, under one caption."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence

from benchkit.parsers.base import Reading
from benchkit.reading.captions import number_fences
from benchkit.reading.surroundings import Block

__all__ = ["STATUS", "find_output", "list_outputs"]

#: What ``go test`` prints above its results, and what it prints below them or beside.
_HEADER = re.compile(r"[\s>]*+(?:goos|goarch|pkg|cpu|toolchain): ")
STATUS = re.compile(
    r"[\s>]*+(?:(?:PASS|FAIL)\s*$|(?:ok|FAIL|\?) *+\t|(?:ok|FAIL) +\S+\s+[\d.]+s|go: |testing: |"
    r"exit status \d|coverage: |=== (?:RUN|PAUSE|CONT|NAME) |"
    r"Benchmark(?![a-z])\S*+\s|--- (?:BENCH|FAIL|SKIP|PASS): )"
)
_TITLE = re.compile(r"Benchmark #?(\d{1,4}): ")
_FENCE = re.compile(r"[\s>]*+(?:```|~~~)")

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
    outputs += _list_fenced(fences, blocks, owners)
    return sorted([*outputs, *_list_numbered(lines, fences, blocks, owners)])


def find_output(outputs: Sequence[Block], block: Block) -> int | None:
    """Return the place of the output that holds a result, None if none does."""
    at = bisect_right(outputs, block.first, key=lambda output: output.first) - 1
    return at if at >= 0 and block.first <= outputs[at].last else None


def _list_fenced(
    fences: Sequence[int], blocks: Sequence[Block], owners: Sequence[Reading]
) -> list[Block]:
    """Return fences of code that measure what another one measures, too.

    What stands above such a fence is all that tells its results from those of the other one.
    """
    held: dict[int, set[_Measured]] = {}
    for block, owner in zip(blocks, owners, strict=True):
        if fences and fences[block.first] and owner.benchmark and not _is_line_of_go(owner):
            held.setdefault(fences[block.first], set()).add(_list_measured(owner))
    shared = _find_shared(held)
    ranges: dict[int, Block] = {}
    for number, fence in enumerate(fences):
        if fence in shared:
            ranges[fence] = ranges.get(fence, Block(number, number))._replace(last=number)
    return list(ranges.values())


def _list_numbered(
    lines: Sequence[str], fences: Sequence[int], blocks: Sequence[Block], owners: Sequence[Reading]
) -> list[Block]:
    """Return the outputs of hyperfine, outside fences, that measure what another one does, too.

    Each counts its commands from one, and ends with a summary of them.
    """
    outputs: list[Block] = []
    held: dict[int, set[_Measured]] = {}
    before = 0
    for block, owner in zip(blocks, owners, strict=True):
        title = _TITLE.search(lines[block.first - 1]) if owner.tool == "hyperfine" else None
        if title is None or (fences and fences[block.first]):
            continue
        if not outputs or int(title[1]) <= before:
            outputs.append(block)
        before = int(title[1])
        outputs[-1] = outputs[-1]._replace(last=_find_end(lines, block.last))
        held.setdefault(len(outputs) - 1, set()).add(_list_measured(owner))
    return [outputs[at] for at in sorted(_find_shared(held))]


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
    return owner.tool, owner.benchmark, *sorted(owner.params.items())


def _find_shared(held: Mapping[int, set[_Measured]]) -> set[int]:
    """Return the outputs that measure what another one measures, too."""
    counts = Counter(measured for each in held.values() for measured in each)
    return {at for at, each in held.items() if any(counts[key] > 1 for key in each)}


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
