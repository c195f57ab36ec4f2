"""The output of Go benchmarks, line by line: results, and lines that are not results.

The output of a benchmark appears before its name, or between the name and its result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Head, Reading, Record, Repeats, Source
from benchkit.parsers.gobench import patterns
from benchkit.parsers.gobench.failures import UNENDED, shows_failure
from benchkit.parsers.gobench.lines import Line, Log, looks_like_event
from benchkit.parsers.gobench.results import Results
from benchkit.parsers.gobench.survey import Stream, Survey, Waiting, survey
from benchkit.redaction import show_part

if TYPE_CHECKING:
    from benchkit.parsers.gobench.columns import Table


class Reader:
    """A converter of lines to readings.

    Parameters
    ----------
    label : str
        The source's name in diagnostics.
    known : Survey
        The survey of the same source.
    """

    def __init__(self, label: str, known: Survey) -> None:
        self._label = label
        self._known = known
        self._results = Results(known, self._report)
        self._streams: dict[str, Stream] = {}
        self._problems: list[Diagnostic] = []
        self._has_losses = False
        self._row = -1  # the last row of a table that is not read

    def read(self, lines: Iterable[Line | Table]) -> Iterator[Record]:
        """Yield the reading of each result, and a diagnostic for each unreadable one."""
        for number, problem in self._known.problems:
            self._remark(number, problem, "write Unit <unit> key=value")
        for line in lines:
            if not isinstance(line, Line):
                yield from self._read_table(line)
                continue
            stream = self._streams.get(line.package) or self._open(line.package)
            if line.text.startswith("Benchmark"):
                reading = self._read_named(line, stream, line.text)
            else:
                reading = self._read_other(line, stream)
            if self._problems:
                yield from self._take_problems()
            if reading is not None:
                yield reading
        for stream in self._streams.values():
            self._give_up(stream)
        for number in () if self._has_losses else self._known.unended[:1]:
            self._remark(number, UNENDED, "measure again if benchmarks are missing")
        yield from self._take_problems()
        yield from self._results.list_failures(self._label)

    def _read_table(self, table: Table) -> Iterator[Repeats | Diagnostic]:
        """Read results from a plain log."""
        stream = self._streams.get("") or self._open("")
        self._give_up(stream)
        yield from self._take_problems()
        yield self._results.read_table(table, stream)

    def _open(self, package: str) -> Stream:
        env = {"pkg": package} if package else {}
        stream = Stream("json" if package else "text", env, package=package)
        self._streams[package] = stream
        return stream

    def _report(self, number: int, what: str, hint: str = "everything else is kept") -> None:
        self._has_losses = True
        self._problems.append(Diagnostic(self._label, number, what, hint, "warning"))

    def _remark(self, number: int, what: str, hint: str) -> None:
        self._problems.append(
            Diagnostic(self._label, number, what, hint, "warning", is_remark=True)
        )

    def _take_problems(self) -> list[Diagnostic]:
        problems, self._problems = self._problems, []
        return problems

    def _give_up(self, stream: Stream) -> None:
        """Stop waiting for a result; warn if the benchmark had begun."""
        waiting, stream.waiting = stream.waiting, None
        if waiting is not None and waiting.running:
            what = f"benchmark {waiting.name}: {waiting.problem or 'no result follows the name'}"
            if self._known.failures.find(stream.package, waiting.first) >= 0:
                self._remark(waiting.first, what, "its run failed")
            else:
                self._report(waiting.first, what)

    def _read_named(self, line: Line, stream: Stream, text: str) -> Reading | None:
        """Read a line that begins with a benchmark's name."""
        name, *words = text.split()
        name = name.removeprefix("Benchmark")
        if not name or "a" <= name[0] <= "z":
            return None
        if stream.is_compared and patterns.COMPARED.match(text.rstrip()):
            return None
        self._give_up(stream)
        if not words:  # with -v, or the result follows below
            stream.waiting = Waiting(name, line.first, running=text[-1].isspace())
            return None
        waiting = Waiting(name, line.first)
        counted = words[0].isdecimal() and words[0].isascii()
        if len(words) > 1 and words[1].endswith("/op"):
            shown = show_part(" ".join(words[:2]), 40)
            waiting.problem = f"the number of iterations is missing before {shown}"
        elif counted and not patterns.is_printed(text, words):
            reading = self._results.read(line, stream, waiting, words[0], words[1:])
            if reading is not None or not waiting.problem:
                return reading
        return self._read_glued(line, stream, waiting, text)

    def _read_glued(
        self, line: Line, stream: Stream, waiting: Waiting, text: str
    ) -> Reading | None:
        """Read a name without a result directly after it: output of the benchmark, or damage."""
        if self._fails(line) or patterns.SKIPPED.match(text):
            return None
        name, *words = text.split()
        another = patterns.find_name(patterns.STARTED.match, text, len(name))
        if another >= 0:  # the first was interrupted before the end of its line
            waiting.running, stream.waiting = True, waiting
            return self._read_named(line, stream, text[another:])
        glued = patterns.GLUED.search(text)
        if glued is not None:
            waiting.problem = ""
            return self._results.read(line, stream, waiting, glued[1].strip(), glued[2].split())
        if patterns.STARTED.match(text) is not None:
            waiting.running, stream.waiting = True, waiting
        elif waiting.problem or any(word.endswith("/op") for word in words):
            shown = show_part(words[0], 40)
            what = waiting.problem or f"expected a number of iterations, got {shown}"
            self._report(line.number, f"benchmark {waiting.name}: {what}")
        return None

    def _read_other(self, line: Line, stream: Stream) -> Reading | None:
        """Read a line that does not begin with a benchmark's name."""
        text = line.text
        if text.strip():  # a page may part the rows of a table by blank lines
            stream.is_compared = patterns.COMPARING.match(text) is not None
        if looks_like_event(text):
            self._report(line.number, "an event of go test -json is damaged or truncated")
        elif "Benchmark" in text and self._fails(line):
            stream.waiting = None
        elif "Benchmark" in text and patterns.shows_result(text, closed=line.closed):
            return self._read_named(line, stream, patterns.unquote(text))
        elif "Benchmark" in text and (inner := patterns.find_name(patterns.INNER.match, text)) >= 0:
            return self._read_named(line, stream, text[inner:])
        elif "/op" in text and patterns.REST.fullmatch(text.strip()):
            what = f"values without a benchmark name: {show_part(text.strip(), 40)}"
            self._report(
                line.number, what, "join this line with the result that it was parted from"
            )
        elif "ns/op" in text and patterns.is_table_row(text):
            self._pass_over_row(line)
        elif " ns/op" in text:
            return self._read_continued(line, stream)
        elif stream.waiting is None or not stream.waiting.running:
            stream.configure(line)
        elif "Benchmark" in text and patterns.find_name(patterns.STARTED.match, text) >= 0:
            self._give_up(stream)  # the next result may belong to either
        return None

    def _pass_over_row(self, line: Line) -> None:
        """Warn once per table that its rows are not read."""
        if line.number > self._row + 1:
            what = "this table is not read: a row needs a name, iterations and values with units"
            hint = "give the output of go test -bench"
            self._remark(line.number, what, hint)
        self._row = line.number

    def _fails(self, line: Line) -> bool:
        failed = patterns.FAILED.match(line.text)
        if failed is not None:
            hint = "see the log for the reason"
            self._remark(line.number, f"benchmark {failed[1]} failed, so it has no result", hint)
        return failed is not None

    def _read_continued(self, line: Line, stream: Stream) -> Reading | None:
        """Read a result whose name is on an earlier line."""
        text = patterns.unquote(line.text)
        whole = patterns.CONTINUED.match(text)
        match = whole or patterns.GLUED.search(line.text)
        waiting, stream.waiting = stream.waiting, None
        if waiting is None or match is None:
            stream.waiting = waiting
            if whole is not None:
                self._report(line.number, "a result without a benchmark name")
            return None
        waiting.problem = ""
        return self._results.read(line, stream, waiting, match[1].strip(), match[2].split())


def recognises(head: Head) -> bool:
    """Return whether a source has this format, judging by its beginning."""
    measured = " ns/op" in head.text
    lines = (line for line in head.text.split("\n") if "Benchmark" in line)
    return any(_is_ours(line, measured) for line in lines) or shows_failure(head.text)


def _is_ours(line: str, measured: bool) -> bool:
    """Return whether go test printed a line that mentions a benchmark."""
    if looks_like_event(line):
        return '"Output":' in line or '"Test":"Benchmark' in line
    if measured and patterns.STARTED.match(line):
        return True
    if measured and patterns.find_name(patterns.INNER.match, line) >= 0:
        return True
    return patterns.FAILED.match(line) is not None or patterns.shows_result(line)


def parse(source: Source) -> Iterator[Record]:
    """Yield a reading per result line, or a table of them, and diagnostics about the log."""
    with Log(source) as log:
        yield from Reader(source.label, survey(log)).read(log.read())
