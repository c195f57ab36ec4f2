"""Failed runs of a package: where they begin and end in a log, and why they failed.

``go test`` ends a package's run with ``ok  <TAB>pkg`` or ``FAIL<TAB>pkg``. The lines between two of
these are one run. Its results count as failed if it ends badly, or does not end after a panic.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from benchkit.parsers.gobench.lines import Line
from benchkit.parsers.gobench.patterns import RESULT, unquote
from benchkit.reading.crashes import CRASHED
from benchkit.redaction import redact_quote
from benchkit.regexes import regex

_ENDED = regex(
    r"(?P<word>ok {0,4}|FAIL)\t(?P<package>\S+)"
    r"|(?P<shown>ok|FAIL) {2,16}(?P<named>\S+) {2,16}[0-9.]+s$"  # as displayed on a page
    r"|(?P<unbuilt>FAIL) (?P<target>\S+) \[(?:build|setup) failed\]$"
)
_REASON = regex(r"(?:^|\t)(?:\s{0,8}--- FAIL: |panic: |fatal error: )")
#: The last lines of a run that was killed by hand, by the system or by its own deadline.
_KILLED = regex(
    rf"(?:{CRASHED})$|SIG[A-Z]+: \w+|signal: [a-z ]+(?:\(core dumped\))?$|\*\*\* Test killed\b"
    r"|(?:\S+: line \d+: +\d+ )?Terminated(?:: \d+)?(?:$| {2})"
    r"|.*\bexit (?:status|code):? [1-9]\d*\.?$"
)
#: Go test's line for a program that failed although its benchmarks passed.
_EXIT = regex(r"exit status [1-9]")
#: The end of a listing on a page, which may omit how the output ended.
_FENCE = regex(r"[\s>]*+(?:```|~~~|</pre>)")
#: The only line that go test prints for a package that did not build or failed before its first
#: benchmark.
_BROKEN = regex(r"FAIL(?:\t\S+\t[0-9.]+s|[\t ]\S+ \[(?:build|setup) failed\])$")
_EVENT = regex(r'\{"(?:(?!"Action":"fail")[^\n])*+"Action":"fail"[^\n]*"Package":')
_HEADER = ("goos: ", "pkg: ")
#: Lines that go test prints before a benchmark's first result: its configuration, and a bare name.
_BEGUN = regex(r"(?:goos|goarch|pkg): \S|Benchmark[A-Z_]\S*\s*$")

#: The reason of a failed benchmark; programs built before Go 1.7 end in PASS nevertheless.
LOST = "--- FAIL: Benchmark"

#: Message for an output that was truncated between two lines.
UNENDED = "the go test output that starts here ends without PASS or FAIL, so it may be truncated"


@dataclass(slots=True)
class Failure:
    """A failed run: its lines in one stream, and the line with the reason."""

    package: str
    first: int
    last: int
    line: int
    reason: str


@dataclass(slots=True)
class _Block:
    """The lines since the end of the last run."""

    first: int = 0
    line: int = 0
    reason: str = ""
    has_results: bool = False
    header: int = 0  # the line where the configuration begins
    has_passed: bool = False
    prefix: str = ""  # the prefix of each line in quoted output

    def end_well(self) -> None:
        """Record PASS: the program recovered from a panic, but a failed benchmark has no result."""
        self.has_passed = True
        if not self.reason.startswith(LOST):
            self.reason = ""

    @property
    def is_new(self) -> bool:
        """Return whether the block is still empty."""
        return not (self.has_results or self.header or self.reason)

    @property
    def is_running(self) -> bool:
        """Return whether its benchmarks have begun but not passed."""
        return (self.has_results or self.header > 0) and not self.has_passed

    @property
    def is_unended(self) -> bool:
        """Return whether it has a header and results, but no line with its end."""
        return self.has_results and self.header > 0 and not (self.reason or self.has_passed)


def shows_failure(text: str) -> bool:
    r"""Return whether a text without results is go test's output of a failed run.

    Examples
    --------
    >>> shows_failure("goos: linux\npanic: boom\n"), shows_failure("panic: boom\n")
    (True, False)
    """
    lines = text.split("\n")
    if any(_BROKEN.match(line) or _EVENT.match(line) for line in lines):
        return True
    has_failed = any(line == "FAIL" or _REASON.search(line) for line in lines)
    return has_failed and any(map(_BEGUN.match, lines))


class Failures:
    """A finder of the failed runs in a log."""

    def __init__(self) -> None:
        self.found: list[Failure] = []
        self.unended: list[int] = []  # first lines of outputs without go test's last line
        self._open: dict[str, _Block] = {}
        self._ended: dict[str, tuple[str, _Block]] = {}  # the last block that ended, by stream

    def see_results(self, first: int, package: str = "") -> None:
        """Record results that begin at a line; after PASS they belong to another run."""
        block = self._open.setdefault(package, _Block(first))
        if block.has_passed:
            block = self._close(package, block, first - 1)
        block.has_results = True

    def read(self, line: Line) -> None:
        """Read the next line."""
        block = self._open.setdefault(line.package, _Block(line.number))
        text = line.text.removeprefix(block.prefix)
        if ended := _ENDED.match(text):
            is_failed = "FAIL" in ended.group("word", "shown", "unbuilt")
            self._end(line, block, is_failed, ended)
        elif text.startswith("PASS"):
            block.end_well()
        elif text == "FAIL" and not (block.is_new and self._is_explained(line)):
            self._note(block, line, text)
        elif text.startswith(_HEADER):
            if block.has_results:
                block = self._close(line.package, block, line.number - 1)
            if text == line.text:
                block.header = block.header or line.number
        elif reason := _REASON.search(text):
            self._note_reason(block, line, text[reason.start() :])
        elif text.startswith("Benchmark"):
            self.see_results(line.number, line.package)
        elif "Benchmark" in text and RESULT.match(shown := unquote(text)):
            self.see_results(line.number, line.package)
            self._open[line.package].prefix = line.text.removesuffix(shown)
        elif _FENCE.match(text):
            self._end_listing(line, block)
        elif line.text.startswith(block.prefix) and (
            (block.is_running and _KILLED.match(text)) or (block.has_passed and _EXIT.match(text))
        ):
            self._note(block, line, text)

    def finish(self) -> list[Failure]:
        """Return the failed runs, including those without a last line."""
        for package, block in self._open.items():
            self._close(package, block, 1 << 62)
        return self.found

    def _is_explained(self, line: Line) -> bool:
        """Return whether a package failed before go test's final FAIL, or none ended at all."""
        return bool(self.found) or line.package not in self._ended

    def _end_listing(self, line: Line, block: _Block) -> None:
        """Record the end of a listing on a page: a run that passed there has ended."""
        block.header = 0
        if block.has_passed:
            self._close(line.package, block, line.number)

    def _note(self, block: _Block, line: Line, text: str) -> None:
        if not block.reason:
            quote = " ".join(text.split())
            block.line, block.reason = line.number, redact_quote(quote)

    def _note_reason(self, block: _Block, line: Line, text: str) -> None:
        """Record why a run failed; a benchmark's event may come after the end of its package."""
        ended = self._ended.get(line.package) if line.package and block.is_new else None
        if ended is None or not text.startswith(LOST):
            self._note(block, line, text)
        elif not ended[1].reason:
            self._note(ended[1], line, text)
            self._close(line.package, ended[1], line.number)

    def _end(self, line: Line, block: _Block, is_failed: bool, ended: re.Match[str]) -> None:
        package = ended["package"] or ended["named"] or ended["target"]
        before, ended_block = self._ended.get(line.package, ("", block))
        is_repeated = package == before and not (block.has_results or block.reason)
        is_event = bool(line.package) and ended.end() == len(ended.string)
        if is_failed and is_event and is_repeated and not ended_block.reason:
            block, is_repeated = ended_block, False  # it decides, whatever was printed before
        if is_failed and not is_repeated:
            self._note(block, line, ended.string)
        elif not is_failed:
            block.end_well()
        self._ended[line.package] = (package, block)
        self._close(line.package, block, line.number)

    def _close(self, package: str, block: _Block, last: int) -> _Block:
        """Record how a run ended, and return the block after it."""
        if block.is_unended:
            self.unended.append(block.header)
        if block.reason:
            self.found.append(Failure(package, block.first, last, block.line, block.reason))
        self._open[package] = _Block(last + 1)
        return self._open[package]


class FailedRuns:
    """The failed runs of a log, in the order of their ends."""

    def __init__(self, runs: Sequence[Failure] = ()) -> None:
        self.runs = runs
        self._places = defaultdict[str, list[int]](list)
        for place, failure in enumerate(runs):
            self._places[failure.package].append(place)

    def find(self, package: str, line: int) -> int:
        """Return the index of the failed run that a line of a stream belongs to, or -1."""
        places = self._places.get(package, [])
        at = bisect_left(places, line, key=lambda place: self.runs[place].last)
        # an event may fail a run after its end, when the next one has failed already
        near = places[at : at + 2]
        return next((place for place in near if self.runs[place].first <= line), -1)
