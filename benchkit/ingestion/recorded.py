"""Runs under the commits that their sources record, for ``benchkit history import``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath
from string import hexdigits
from typing import NamedTuple

from benchkit.config.acceptance import SHORTEST
from benchkit.errors import ConfigError, Diagnostic
from benchkit.ingestion.addresses import name_address
from benchkit.ingestion.sources import Found, write_assigned
from benchkit.labels.patterns import PathLabels
from benchkit.parsers.base import Reading, Repeats, Samples

#: Prefix of the address of imported runs; no local file has it.
_SCHEME = "import:"
_UNRECORDED = "no commit is recorded"
_DIRTY = "they were measured with uncommitted changes, so they are not of a commit"


class Place(NamedTuple):
    """A commit, and the common labels of its runs: their tool, and their suite or machine."""

    commit: str
    tool: str
    group: str


@dataclass(frozen=True)
class Importing:
    """How an import assigns results to the commits that they record.

    Parameters
    ----------
    held : frozenset of Place
        The places that the store already holds; their results are left out.
    branch : str
        The branch of results that record none.
    """

    held: frozenset[Place] = field(default=frozenset(), repr=False)
    branch: str = ""

    @cached_property
    def commits(self) -> frozenset[str]:
        """The commits that the store holds."""
        return frozenset(place.commit for place in self.held)


class Selection:
    """The runs of one source that an import takes; others are counted by reason.

    Without an import, all runs are taken.
    """

    def __init__(self, importing: Importing | None, found: Found) -> None:
        self._importing, self._found = importing, found
        self._left: Counter[str] = Counter()
        self._held: set[str] = set()
        self._reasons: dict[str, str] = {}

    @property
    def is_known(self) -> bool:
        """Return whether only results that the store already holds were left out."""
        return bool(self._held) and not self._left

    def select(
        self, records: Iterable[Reading | Repeats | Samples]
    ) -> Iterable[Reading | Repeats | Samples]:
        """Return the runs of dated commits that are not stored yet."""
        return records if self._importing is None else self._filter(records, self._importing)

    def _filter(
        self, records: Iterable[Reading | Repeats | Samples], importing: Importing
    ) -> Iterator[Reading | Repeats | Samples]:
        for record in records:
            reading = record.reading if isinstance(record, Samples) else record
            if isinstance(reading, Repeats):
                self._left[_UNRECORDED] += len(reading)
            elif self._accepts(reading, importing, is_run=reading is record):
                yield record

    def list_problems(self) -> Iterator[Diagnostic]:
        """Report the left-out results, with reasons."""
        label = self._found.label
        for reason, count in self._left.items():
            results = "1 result" if count == 1 else f"{count:,} results"
            hint = "use `benchkit history add PATH --commit SHA --date T`"
            yield Diagnostic(label, 0, f"{results} left out: {reason}", hint, "warning")
        if self._held:
            held = "1 commit" if len(self._held) == 1 else f"{len(self._held):,} commits"
            what = f"the store already has results of {held}, so those of this file were left out"
            yield Diagnostic(label, 0, what, severity="note")

    def _accepts(self, reading: Reading, importing: Importing, *, is_run: bool) -> bool:
        commit = reading.env.get("commit", "")
        why = _DIRTY if reading.env.get("tree") == "dirty" else _UNRECORDED
        reason = self._explain(reading, importing) if commit else why
        if reason:
            self._left[reason] += is_run
        elif place_run(reading, self._found) in importing.held:
            self._held.add(commit)
        else:
            return True
        return False

    def _explain(self, reading: Reading, importing: Importing) -> str:
        """Return the reason for refusing a commit, if any."""
        commit = reading.env["commit"]
        if len(commit) < SHORTEST or not commit.isalnum():
            return f"{commit!r} is not a commit"
        if not reading.env.get("date"):
            from benchkit.history.naming import shorten  # others do not need numpy this early

            return f"commit {shorten(commit)} has no date"
        if commit not in self._reasons:
            self._reasons[commit] = _compare(commit, importing.commits)
        return self._reasons[commit]


def _compare(commit: str, stored: Collection[str]) -> str:
    """Return a message if the store holds the commit under another name."""
    from benchkit.history.naming import resolve

    try:
        name = resolve(commit, stored)
    except ConfigError as error:
        return error.what
    return "" if name == commit else f"the store has commit {commit} under the name {name}"


def place_run(reading: Reading, found: Found) -> Place:
    """Return the commit, the tool and the group of a run, wherever its source lies.

    A file of one commit is named after it and optionally an environment, in a folder named after
    the machine; a file of many commits names their suites itself.
    """
    commit, group = reading.env["commit"], reading.group
    if not reading.variant:
        path = PurePosixPath(found.address)
        first, _, environment = path.stem.partition("-")
        is_named = len(first) >= SHORTEST and set(first) <= set(hexdigits)
        group = "/".join(filter(None, (path.parent.name, environment if is_named else "")))
    return Place(commit, reading.tool, group)


def label_run(found: Found, reading: Reading, labels: PathLabels) -> Found:
    """Return the source for one commit, without path labels, and superseded by no path."""
    place = place_run(reading, found)
    labels = labels._replace(group=place.group, variant=place.commit[:8])
    return replace(
        found,
        address=name_address(f"{_SCHEME}{place.tool}/{place.group}"),
        assigned=write_assigned(found.variant, place.commit),
        labels=labels,
    )
