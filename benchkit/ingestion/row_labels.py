"""What labels a result on its own line: a word before it, ``BEFORE:``, or a note behind it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from benchkit.labels.headings import shorten
from benchkit.parsers.base import Reading
from benchkit.reading.surroundings import Above, Block
from benchkit.regexes import regex

__all__ = ["has_row_labels", "lead_by_row_labels"]

_WORD = regex(r"\s*+([A-Za-z][\w-]{0,30}) ?: ?(?=Benchmark)")
#: The depths that a word before a result and a note behind it have as headings.
_BEFORE, _BEHIND = 50, 51


def has_row_labels(lines: Iterable[str], readings: Iterable[Reading]) -> bool:
    """Tell whether any result has a word before it or a note behind it."""
    is_noted = any(reading.note for reading in readings)
    return is_noted or any(_WORD.match(line) for line in lines if "Benchmark" in line)


def lead_by_row_labels(
    lines: Sequence[str],
    blocks: Sequence[Block],
    owners: Sequence[Reading],
    headings: Sequence[Above],
) -> list[Above]:
    """Put what labels a result on its line below its headings.

    Notes do where those of one benchmark differ; a note that only counts its run is none.
    """
    notes = [shorten(owner.note)[0] for owner in owners]
    by_benchmark: dict[object, set[str]] = defaultdict(set)
    for owner, note in zip(owners, notes, strict=True):
        by_benchmark[_list_labels(owner)].add(note)
    result: list[Above] = []
    for block, owner, note, above in zip(blocks, owners, notes, headings, strict=True):
        word = _WORD.match(lines[block.first - 1])
        labels = {_BEFORE: word[1]} if word else {}
        if note and len(by_benchmark[_list_labels(owner)]) > 1:
            labels[_BEHIND] = note
        result.append(above._replace(headings={**above.headings, **labels}))
    return result


def _list_labels(owner: Reading) -> tuple[object, ...]:
    return owner.tool, owner.group, owner.variant, owner.benchmark, *sorted(owner.params.items())
