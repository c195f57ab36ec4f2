"""Facts that require the whole file, collected before its results are read.

``Unit`` lines also apply to results above them, and whether ``-8`` is GOMAXPROCS depends on all
other names of its output.

`Stream` is the state for reading a benchmark's lines: configuration, and a name without its result.

Packages run in parallel in ``go test -json``, and each has its own configuration.
"""

from __future__ import annotations

from bisect import bisect
from contextlib import suppress
from dataclasses import dataclass, field

from benchkit.parsers.gobench.failures import FailedRuns, Failures
from benchkit.parsers.gobench.lines import Line, Log
from benchkit.parsers.gobench.names import Names
from benchkit.parsers.gobench.patterns import COMMAND, NAMED, RESULT, split_config, unquote
from benchkit.parsers.gobench.units import UnitMetadata
from benchkit.reading.source import UnreadableError
from benchkit.regexes import regex

_FENCE = regex(r"[\s>]*+(?:```|~~~)")

#: Keys that go test itself prints above its results; other keys count only in unquoted lines.
_HEADER = frozenset({"goos", "goarch", "pkg", "cpu"})
#: The end of an output: its last line, a fence of a page, or the next header.
_ENDED = regex(r"[\s>]*+(?:```|~~~|(?:ok|FAIL) *+\t)|goos: ")
#: Remarks of go test that look like configuration.
_REMARKS = frozenset({"testing"})


@dataclass(slots=True)
class _Output:
    """A header of go test, and the lines up to the next one."""

    first: int
    is_apart: bool = True  # whether another call of go test printed it
    packages: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)

    def is_continued(self, other: _Output) -> bool:
        """Return whether the next header is from the same call, or repeats a benchmark of this one.

        For ``./...``, go test prints a header per package, and each package only once.
        """
        if not self.names.isdisjoint(other.names):
            return True
        has_next = bool(self.packages and other.packages) and not other.is_apart
        return has_next and self.packages.isdisjoint(other.packages)


class Outputs:
    """The names of a source, by the go test output that they appear in.

    All events are one output.
    """

    def __init__(self) -> None:
        self._outputs = [_Output(0)]
        self._has_ended = False  # whether a fence or a command follows the last header
        self._firsts: list[int] = []
        self._names: list[Names] = []

    def read(self, line: Line) -> None:
        """Read a line, which may begin an output."""
        text = line.text
        if line.package:
            return
        if "goos: " in text and unquote(text).startswith("goos: "):
            self._join()
            self._outputs.append(_Output(line.number, is_apart=self._has_ended))
            self._has_ended = False
        elif "pkg: " in text and unquote(text).startswith("pkg: "):
            self._outputs[-1].packages.add(text.split()[-1])
        elif _FENCE.match(text) or (" test " in text and COMMAND.search(text)):
            self._has_ended = True

    def add(self, *names: str) -> None:
        """Add names that have results."""
        self._outputs[-1].names.update(names)

    def finish(self) -> None:
        """Create the names of each output."""
        self._join()
        self._firsts = [output.first for output in self._outputs]
        self._names = [Names(output.names) for output in self._outputs]

    def names_at(self, line: int) -> Names:
        """Return the names of the output that a line of the source belongs to."""
        return self._names[bisect(self._firsts, line) - 1]

    def _join(self) -> None:
        """Merge the last two outputs if they are one."""
        if len(self._outputs) > 1 and self._outputs[-2].is_continued(self._outputs[-1]):
            last = self._outputs.pop()
            self._outputs[-1].names |= last.names
            self._outputs[-1].packages |= last.packages


@dataclass(slots=True)
class Survey:
    """Names, unit metadata, damaged ``Unit`` lines as (line, problem), and failed runs.

    ``unended`` are the first lines of outputs with results but without a last line.
    """

    outputs: Outputs = field(default_factory=Outputs)
    metadata: UnitMetadata = field(default_factory=UnitMetadata)
    problems: list[tuple[int, str]] = field(default_factory=list)
    failures: FailedRuns = field(default_factory=FailedRuns)
    unended: list[int] = field(default_factory=list)


def survey(log: Log) -> Survey:
    """Read a source through once; unreadable parts are reported by the second pass."""
    waiting: dict[str, str] = {}  # the name without its result so far, by package
    result, failures = Survey(), Failures()
    outputs = result.outputs
    with suppress(UnreadableError):
        for line in log.read():
            if not isinstance(line, Line):
                outputs.add(*line.list_names())
                failures.see_results(line.first)
                continue
            failures.read(line)
            outputs.read(line)
            text = line.text
            if "Benchmark" in text:
                shown = text if text.startswith("B") else unquote(text)
                named = NAMED.match(shown)
                has_number = named is not None and named[0][-1].isdecimal()
                is_result = RESULT.match(shown) if has_number else " ns/op" in text
                if named is not None and is_result:
                    outputs.add(named[1])
                elif named is not None and not has_number:
                    waiting[line.package] = named[1]
            elif " ns/op" in text and line.package in waiting:
                outputs.add(waiting.pop(line.package))
            elif "Unit " in text and "=" in text and unquote(text).startswith("Unit "):
                problems = result.metadata.read(unquote(text))
                result.problems += [(line.number, problem) for problem in problems]
    outputs.finish()
    result.failures = FailedRuns(failures.finish())
    result.unended = failures.unended
    return result


@dataclass(slots=True)
class Waiting:
    """A name whose result has not been read yet.

    Parameters
    ----------
    name : str
        Without ``Benchmark``.
    first : int
        The line of the name.
    running : bool
        Whether go test has written the tab after it; any text that follows is output of the
        benchmark.
    problem : str
        The problem of an apparent result on the same line, if there is one.
    """

    name: str
    first: int
    running: bool = False
    problem: str = ""


@dataclass(slots=True)
class Stream:
    """The output of one package, or a plain log.

    Parameters
    ----------
    form : str
        ``text`` or ``json``.
    env : dict of str to str
        The current configuration.
    command : str or None
        The last ``go test`` command that a shell prompt showed.
    waiting : Waiting or None
    package : str
        The package of the output, in events; empty for a plain log.
    is_compared : bool
        Whether a table of benchcmp is open, whose rows begin like results.
    """

    form: str
    env: dict[str, str] = field(default_factory=dict)
    command: str | None = None
    waiting: Waiting | None = None
    package: str = ""
    is_compared: bool = False
    _header: int = 0  # the last line of go test's own configuration

    def configure(self, line: Line) -> None:
        """Apply a configuration line or a command; clear the header at the end of an output."""
        if not self.package and _ENDED.match(line.text):
            self._end()
        config = split_config(line.text)
        if config is not None:
            self._set(line.number, *config)
        elif ":" in line.text:
            self._set_quoted(line.number, split_config(unquote(line.text)))
        command = COMMAND.search(line.text) if " test " in line.text else None
        if command is not None and "-bench" in command[1]:
            self.command = command[1].strip()
            self._end()

    def _end(self) -> None:
        """Clear the configuration from an output's header."""
        for key in _HEADER & self.env.keys():
            del self.env[key]

    def _set_quoted(self, number: int, config: tuple[str, str] | None) -> None:
        """Apply go test's own keys only; a manifest in a Markdown page has ``cpu: 500m``, too."""
        if config is None or config[0] not in _HEADER:
            return
        if config[0] != "cpu" or self._header == number - 1:
            self._set(number, *config)

    def _set(self, number: int, key: str, value: str) -> None:
        if key in _HEADER:
            self._header = number
        if value and key not in _REMARKS:
            self.env[key] = value
        else:
            self.env.pop(key, None)
