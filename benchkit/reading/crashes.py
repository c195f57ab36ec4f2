"""Lines with which a shell, make or a CI system reports that a program crashed or failed.

They appear below a complete report: the measured program was about to crash, or the script that ran
it failed.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.reading.heading_lines import begins_section, is_fence
from benchkit.regexes import regex

__all__ = ["CRASHED", "find_crash"]

_FAULT = (
    r"(?:Aborted|Bus error|Segmentation fault|Illegal instruction|Floating point exception|"
    r"Trace/breakpoint trap)"
)
_JOB = r"(?:\S+: (?:line \d+: +)?\d+ +|\[\d+\][+-]? +(?:\d+ +)?)"
_END = r"(?:: \d+)?(?: +\(core dumped\))?"
#: A line that reports that a program crashed; matches the whole line.
CRASHED = (
    rf"{_JOB}(?:Killed|{_FAULT}){_END}(?: .*)?|(?:Killed|{_FAULT}){_END}(?: {{2}}.*)?"
    r"|zsh: (?:killed|abort|bus error|segmentation fault) .*|make(?:\[\d+\])?: \*\*\* \[.*"
    r"|runtime: out of memory.*|signal: (?:killed|aborted|segmentation fault)(?: \(core dumped\))?"
)
#: Phrases of CI systems and shells for a failed step or command, before its exit code.
_SAYING = (
    r"(?:Process completed with|Job failed:|Bash exited with|script returned|Exited with(?: code)?|"
    r"command terminated with|(?:The c|C)ommand (?:exited|failed) with)"
)
#: Lines below a report if the script or the step that ran it failed.
_FAILED = regex(
    rf"{CRASHED}|panic: .*|fatal error: .*|thread 'main' panicked at .*"
    r"|(?:##\[error\]|\W{0,4}(?:[Ee]rror|ERROR): )?"
    rf"(?:{_SAYING} (?:non-zero )?(?:exit )?|exit )(?:code|status):? '?(?P<code>[1-9]\d*)'?\.?"
)
#: A job that was terminated, as a script does with its server.
_STOPPED = regex(rf"{_JOB}Terminated{_END} ++(?P<command>.*)")
#: A command that kills a program on purpose, as printed by a shell that traces.
_KILL = regex(r"[+$#>\s]*(?:sudo )?(?:kill|pkill|killall) ")


def find_crash(
    lines: Sequence[str], first: int, last: int, whole: Sequence[int] = (), tool: str = ""
) -> tuple[int, str] | None:
    """Return the line that reports a crash below a report, and its number.

    No heading and no end of a code block lies between. A program ended by a traced ``kill`` did not
    crash, and ``Terminated`` refers to a server that the script stops, unless it is the tool.

    Parameters
    ----------
    lines : sequence of str
        The lines of the source.
    first, last : int
        The lines below the report, counted from 1.
    whole : sequence of int
        Exit codes after which the tool's results are still valid.
    tool : str
        The tool that wrote the report.

    Examples
    --------
    >>> find_crash(["Requests/sec: 9.00", "x.sh: line 3: 77 Killed   ./server"], 2, 2)
    (2, 'x.sh: line 3: 77 Killed   ./server')

    A script that stops its server, and an exit that is no failure:

    >>> find_crash(["+ kill -9 77", "x.sh: line 3: 77 Killed   ./server", "exit status 0"], 1, 3)
    """
    is_meant = False
    for number in range(first, min(last, len(lines)) + 1):
        line = lines[number - 1].strip()
        crashed, stopped = _FAILED.fullmatch(line), _STOPPED.fullmatch(line)
        if stopped is not None and not is_meant and _names(stopped["command"], tool):
            return number, line
        if crashed is not None and int(crashed["code"] or 0) not in whole:
            if not (is_meant and "Killed" in line):
                return number, line
        elif begins_section(line) or is_fence(line):
            return None
        is_meant = is_meant or _KILL.match(line) is not None
    return None


def _names(command: str, tool: str) -> bool:
    """Return whether a command runs a tool, whose program may omit the version: wrk2."""
    names = {tool, tool.rstrip("2"), tool.replace("_", "-")}
    return any(word.rpartition("/")[2] in names for word in command.split())
