"""What only the whole file tells, gathered before its results are read.

``Unit`` lines hold for results above them, too, and a ``-8`` is GOMAXPROCS or not depending on
all the other names.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from benchkit.parsers.gobench.failures import Failure, Failures
from benchkit.parsers.gobench.lines import Line, Log
from benchkit.parsers.gobench.names import Names
from benchkit.parsers.gobench.patterns import NAMED, unquote
from benchkit.parsers.gobench.units import UnitMetadata
from benchkit.reading.source import UnreadableError


@dataclass(slots=True)
class Survey:
    """Names, unit metadata, damaged ``Unit`` lines as (line, what is wrong), and failed runs.

    ``unended`` are the lines at which outputs begin whose results no line ends.
    """

    names: Names
    metadata: UnitMetadata = field(default_factory=UnitMetadata)
    problems: list[tuple[int, str]] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    unended: list[int] = field(default_factory=list)


def survey(log: Log) -> Survey:
    """Read a source through once; what is unreadable in it is for the second reading to tell."""
    names: set[str] = set()
    waiting: dict[str, str] = {}  # the name by package whose result has not come yet
    found, failures = Survey(Names(())), Failures()
    with suppress(UnreadableError):
        for line in log.read():
            if not isinstance(line, Line):
                names.update(line.names)
                failures.see_results()
                continue
            failures.read(line)
            text = line.text
            if "Benchmark" in text:
                named = NAMED.match(text if text.startswith("B") else unquote(text))
                if named is not None and (named[0][-1].isdecimal() or " ns/op" in text):
                    names.add(named[1])
                elif named is not None:
                    waiting[line.package] = named[1]
            elif " ns/op" in text and line.package in waiting:
                names.add(waiting.pop(line.package))
            elif "Unit " in text and "=" in text and unquote(text).startswith("Unit "):
                problems = found.metadata.read(unquote(text))
                found.problems += [(line.number, problem) for problem in problems]
    found.names, found.failures = Names(names), failures.finish()
    found.unended = failures.unended
    return found
