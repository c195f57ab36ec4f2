"""One call of ab, as far as the lines around its report tell of it.

A report after Ctrl-C has every line that a whole one has; only what stands around it tells the
two apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ASKED = re.compile(r"\s-[a-zA-Z]*n ?(\d{1,15})(?!\S)")
_CONNECTIONS = re.compile(r"\s-[a-zA-Z]*c ?(\d{1,9})(?!\S)")
_MAJOR = re.compile(r"\d{1,9}(?![^.])")
_LIMITED = re.compile(r"\s-[a-zA-Z]*t ?\d")
#: The first major version that says that it is done.
_FIRST_SAYING = 2


@dataclass(slots=True, kw_only=True)
class Invocation:
    """A call of ab.

    Parameters
    ----------
    line, last_line : int
        Where what is known of it begins, and where it ends so far.
    command : str, optional
        At the prompt above it.
    version : str
        From the banner; empty where there is none.
    begun, dotted : bool
        Whether ``Benchmarking … (be patient)`` stands there, and whether dots follow on its line,
        which ``done`` would end.
    done, progressed, stopped : bool
        Whether ab said that it was done, how far it was, that it was interrupted.
    is_verbose : bool
        Whether ``-v`` mixes headers and bodies into its output.
    trouble : str
        The last error it told.
    completed : int, optional
        After how many requests it gave up.
    """

    line: int
    last_line: int = 0
    command: str | None = None
    version: str = ""
    begun: bool = False
    dotted: bool = False
    done: bool = False
    progressed: bool = False
    stopped: bool = False
    is_verbose: bool = False
    trouble: str = ""
    completed: int | None = None

    def agrees(self, connections: int | None) -> bool:
        """Whether the command does not speak of another number of connections."""
        asked = _CONNECTIONS.search(self.command or "")
        return asked is None or connections is None or int(asked[1]) == connections

    def asked(self, command: str | None) -> int | None:
        """Return how many requests a command asks for, unless a time may end it before."""
        if command is None or _LIMITED.search(command):
            return None
        match = _ASKED.search(command)
        return int(match[1]) if match else None

    def is_stopped(self, command: str | None, complete: int | None) -> bool:
        """Whether the run was interrupted."""
        asked = self.asked(command)
        if asked is not None and complete is not None:
            return self.stopped or complete < asked
        major = _MAJOR.match(self.version)
        says = major is not None and int(major[0]) >= _FIRST_SAYING
        is_left = says and (self.dotted or self.progressed) and not self.done
        return self.stopped or is_left
