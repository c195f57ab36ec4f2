"""One call of ab, as described by the lines around its report.

A report after Ctrl-C has every line of a whole one; only the lines around it distinguish the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from benchkit.parsers.base import Reading
from benchkit.reading.urls import describe_url, path_of, unquote
from benchkit.regexes import regex

_REQUESTS = regex(r"\s-[a-zA-Z]*n ?(\d{1,15})(?!\S)")
_CONNECTIONS = regex(r"\s-[a-zA-Z]*c ?(\d{1,9})(?!\S)")
_MAJOR = regex(r"\d{1,9}(?![^.])")
_URL = regex(r"\bhttps?://[^\s\"'|;)]+")
#: The same without a scheme, which ab also accepts: the host has a port or a dot, or is localhost.
_BARE_URL = regex(
    r"(?<!\S)[\"']?((?:(?:[\w-]++\.)*+[\w-]++:\d{1,5}|(?:[\w-]++\.)++[\w-]++|localhost)"
    r"/[^\s\"'|;)]*)"
)
_LIMITED = regex(r"\s-[a-zA-Z]*t ?\d")
#: The first major version that prints when it is done.
_FIRST_SAYING = 2


@dataclass(slots=True, kw_only=True)
class Invocation:
    """A call of ab.

    Parameters
    ----------
    line, last_line : int
        The first line about the call, and the last one so far.
    command : str, optional
        From the prompt above it.
    version : str
        From the banner; empty if there is none.
    is_called : bool
        Whether the command is directly above, so that a single line may be all of its output.
    has_begun, is_dotted : bool
        Whether ``Benchmarking … (be patient)`` was read, and whether dots follow on its line, which
        ``done`` would end.
    done, progressed, stopped : bool
        Whether ab reported that it was done, its progress, or an interruption.
    is_verbose : bool
        Whether ``-v`` mixes headers and bodies into its output.
    trouble : str
        The last error.
    completed : int, optional
        The number of requests after which ab gave up.
    """

    line: int
    last_line: int = 0
    command: str | None = None
    version: str = ""
    is_called: bool = False
    has_begun: bool = False
    is_dotted: bool = False
    done: bool = False
    progressed: bool = False
    stopped: bool = False
    is_verbose: bool = False
    trouble: str = ""
    completed: int | None = None

    #: Names of the lines about the run around a report.
    NOTED: ClassVar = frozenset(
        {"banner", "begun", "progressed", "done", "stopped", "is_verbose", "fatal", "trouble"}
    )

    def note(self, name: str, fields: tuple[str, ...]) -> None:
        """Apply a line about the run."""
        if name == "banner":
            self.version = fields[0]
        elif name == "begun":
            dots = fields[1].strip()
            self.has_begun = True
            self.is_dotted, self.done = dots.startswith("..."), dots.endswith("..done")
            self.trouble = dots.strip(". ").removesuffix("done").strip(". ") or self.trouble
        elif name == "trouble":
            self.trouble = fields[0]
        elif name == "fatal":
            self.completed = int(fields[0])
        else:
            setattr(self, name, True)

    @property
    def is_bare(self) -> bool:
        """Return whether only an error is known about the call."""
        return not (self.version or self.has_begun or self.completed is not None)

    @property
    def connections(self) -> str:
        """Return the number of connections in the command; empty if there is none."""
        match = _CONNECTIONS.search(self.command or "")
        return match[1] if match else ""

    @property
    def url(self) -> str:
        """Return the URL after the options of the command; empty if there is none."""
        command = self.command or ""
        if urls := _URL.findall(command):
            return unquote(urls[-1])
        match = _BARE_URL.search(command)
        return unquote(f"http://{match[1]}") if match else ""

    def agrees(self, connections: int | None) -> bool:
        """Return whether the command has no other number of connections."""
        named = self.connections
        return not named or connections is None or int(named) == connections

    def describe_load(self, reading: Reading) -> None:
        """Fill in from the command what the report does not show."""
        if reading.connections is None and self.connections:
            reading.params = {"connections": self.connections}
            reading.connections = int(self.connections)
        if not reading.target and self.url:
            reading.target = path_of(self.url)
            reading.env = {**describe_url(self.url), **reading.env}

    def count_requested(self, command: str | None) -> int | None:
        """Return the number of requests in a command, unless a time limit may end it earlier."""
        if command is None or _LIMITED.search(command):
            return None
        match = _REQUESTS.search(command)
        return int(match[1]) if match else None

    def is_stopped(self, command: str | None, complete: int | None) -> bool:
        """Return whether the run was interrupted."""
        requested = self.count_requested(command)
        if requested is not None and complete is not None:
            return self.stopped or complete < requested
        major = _MAJOR.match(self.version)
        says = major is not None and int(major[0]) >= _FIRST_SAYING
        is_left = says and (self.is_dotted or self.progressed) and not self.done
        return self.stopped or is_left
