"""The state that a benchmark's lines are read in: configuration, and a name without its result.

Packages run side by side in ``go test -json``, and each has a configuration of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from benchkit.parsers.gobench.lines import Line
from benchkit.parsers.gobench.patterns import COMMAND, split_config, unquote
from benchkit.regexes import regex

#: What go test itself prints above its results; other keys count only where nothing quotes them.
_HEADER = frozenset({"goos", "goarch", "pkg", "cpu"})
#: What ends an output: its last line, a fence of a page, or the next header.
_ENDED = regex(r"[\s>]*+(?:```|~~~|(?:ok|FAIL) *+\t)|goos: ")
#: Remarks of go test that have the form of configuration.
_REMARKS = frozenset({"testing"})


@dataclass(slots=True)
class Waiting:
    """A name whose result has not been read yet.

    Parameters
    ----------
    name : str
        ``Benchmark`` dropped.
    first : int
        The line it stands on.
    running : bool
        Whether go test has written the tab behind it: what follows was printed by the benchmark.
    problem : str
        What is wrong with the result beside it, if there seems to be one.
    """

    name: str
    first: int
    running: bool = False
    problem: str = ""


@dataclass(slots=True)
class Stream:
    """One package's output, or a plain log.

    Parameters
    ----------
    form : str
        ``text`` or ``json``.
    env : dict of str to str
        The configuration that holds now.
    command : str or None
        The last ``go test`` command that a shell prompt showed.
    waiting : Waiting or None
    package : str
        Whose output it is, in events; empty for a plain log.
    is_compared : bool
        Whether a table of benchcmp is open, whose rows begin as results do.
    """

    form: str
    env: dict[str, str] = field(default_factory=dict)
    command: str | None = None
    waiting: Waiting | None = None
    package: str = ""
    is_compared: bool = False
    _header: int = 0  # the last line that was go test's own configuration

    def configure(self, line: Line) -> None:
        """Take over a configuration line or a command; note where an output ends."""
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
        """Drop what the header of an output says of it."""
        for key in _HEADER & self.env.keys():
            del self.env[key]

    def _set_quoted(self, number: int, config: tuple[str, str] | None) -> None:
        """Take over go test's own keys; a manifest in a Markdown page says ``cpu: 500m``, too."""
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
