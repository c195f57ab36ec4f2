"""The runs of one source in reading order, with their numbers.

Most of a hundred thousand runs differ only in place and values, and share all else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from benchkit.errors import AmbiguousFormatError
from benchkit.labels.pieces import Places
from benchkit.parsers import registry
from benchkit.parsers.base import Format, Reading, Repeats

if TYPE_CHECKING:
    import numpy as np

    from benchkit.ingestion.parts import Part

#: Pieces are numbered per source, so that no number depends on other sources.
PIECE_BITS = 24


class Pieces:
    """The runs of one source in reading order, with their numbers.

    Parameters
    ----------
    first : int
        The number of the first run.
    """

    def __init__(self, first: int) -> None:
        self.first = first
        self.pieces: dict[int, int] = {}
        self._count = 0
        self._read: list[tuple[Format, Reading]] = []
        self._shared: dict[int, int] = {}  # a code for each reading that several runs share
        self._runs: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self._places: list[Places] | None = None

    def take(self, form: Format, record: Reading | Repeats) -> int:
        """Add the next run or runs; return the number of the first of them."""
        first = self.first + self._count
        if isinstance(record, Reading):
            self._add(form, record, self._count)
            self._count += 1
            return first
        import numpy as np

        size = len(record.lines)
        firsts = np.full(len(record.readings), size)
        firsts[record.codes[::-1]] = np.arange(size)[::-1]  # the last assignment remains
        codes = np.zeros(len(record.readings), np.int64)
        for place, (row, reading) in enumerate(zip(firsts.tolist(), record.readings, strict=True)):
            if row == size:
                continue
            if id(reading) not in self.pieces:
                self._add(form, reading, self._count + row)
            codes[place] = self._shared.setdefault(id(reading), len(self._shared))
        indices = np.arange(self._count, self._count + size)
        self._runs.append((codes[record.codes], indices, record.lines))
        self._count += size
        self._places = None
        return first

    @cached_property
    def has_one_name(self) -> bool:
        """Return whether all runs with a benchmark have the same one, once all are added."""
        return len({reading.benchmark for _, reading in self._read if reading.benchmark}) == 1

    def in_order(self) -> list[tuple[Format, Reading]]:
        """Return all readings, in the order of their first runs."""
        return sorted(self._read, key=lambda entry: self.pieces[id(entry[1])])

    def places(self, reading: Reading) -> Places | None:
        """Return the places of the runs that share a reading; None if only one run has it."""
        code = self._shared.get(id(reading))
        if code is None:
            return None
        if self._places is None:
            self._places = self._part()
        return self._places[code]

    def _part(self) -> list[Places]:
        """Split all runs by the reading that they share."""
        import numpy as np

        codes, indices, lines = map(np.concatenate, zip(*self._runs, strict=True))
        order = codes.argsort(kind="stable")
        indices, lines = indices[order], lines[order]
        ends = np.bincount(codes).cumsum().tolist()
        stretches = zip([0, *ends], ends, strict=False)
        return [Places(indices[start:end], lines[start:end]) for start, end in stretches]

    def locate(self, reading: Reading, places: Places | None) -> int:
        """Return the position of a reading's run in the source, or of the first of ``places``."""
        return self.pieces[id(reading)] - self.first if places is None else int(places.indices[0])

    def require_apart(self, label: str) -> None:
        """Refuse a source in which two formats claim the same lines."""
        for (_, end, name), (start, _, other) in pairwise(self._list_spans()):
            if other != name and start <= end:
                what = f"line {start} is claimed by {name} and {other}"
                raise AmbiguousFormatError(what, where=label, hint=registry.HOW_TO_CHOOSE)

    def _list_spans(self) -> list[tuple[int, int, str]]:
        """Return the first and the last line of each run, and the format that claims them."""
        if len({form.name for form, _ in self._read}) < 2:
            return []
        spans = []
        for form, reading in self._read:
            places = self.places(reading)
            if places is None:
                end = max(reading.line, reading.last_line)
                spans.append((reading.line, end, form.name))
            else:
                spans += [(line, line, form.name) for line in places.lines.tolist()]
        return sorted(spans)

    def _add(self, form: Format, reading: Reading, index: int) -> None:
        self.pieces[id(reading)] = self.first + index
        self._read.append((form, reading))


def single_out_shared(parts: Sequence[Part], others: Sequence[Part] = ()) -> list[Part]:
    """Return a part for each run of sources that may describe runs of another source.

    Parameters
    ----------
    others : sequence of Part
        Parts that are settled with them.
    """
    if all(part.places is None for part in parts):
        return list(parts)
    paths: dict[tuple[object, ...], set[str]] = defaultdict(set)
    for part in (*parts, *others):
        paths[_family(part)].add(part.path)
    shared = (_list_runs(part) if len(paths[_family(part)]) > 1 else [part] for part in parts)
    return sorted(chain.from_iterable(shared), key=lambda part: part.piece)


def _family(part: Part) -> tuple[object, ...]:
    """Return the key that outputs of one run share, except the group, which settling completes."""
    labels = part.origin, part.variant, part.folder, part.tool, part.role
    return *labels, part.leftover, part.run


def _list_runs(part: Part) -> Iterator[Part]:
    if part.places is None:
        yield part
        return
    first = part.piece - part.index
    places = part.places
    contents = map(int, part.contents)
    runs = zip(places.indices.tolist(), places.lines.tolist(), contents, strict=True)
    for index, line, content in runs:
        own = {"index": index, "line": line, "piece": first + index, "content": content}
        yield replace(part, places=None, **own)
