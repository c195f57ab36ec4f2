"""What the command line and the version of wrk say of the run below."""

from __future__ import annotations

import re

from benchkit.regexes import regex
from benchkit.units import parse_count

__all__ = ["agrees", "find_correction", "find_rate", "holds_rate", "list_sizes"]

_RATE = regex(r"\s(?:-R|--rate)[ =]?(\d{1,15}[kMG]?)\b")
_HELD = regex(r"\s(?:-R|--rate)")

_FIRST_CORRECTED = 4
_SIZE_OPTIONS = {
    "threads": regex(r"\s(?:-t|--threads)[ =]?(\d{1,9})(?!\S)"),
    "connections": regex(r"\s(?:-c|--connections)[ =]?(\d{1,9})(?!\S)"),
}


def list_sizes(command: str) -> dict[str, str]:
    """Return the threads and connections that a command names."""
    matches = ((name, option.search(command)) for name, option in _SIZE_OPTIONS.items())
    return {name: match[1] for name, match in matches if match is not None}


def agrees(command: str, params: dict[str, str]) -> bool:
    """Whether a command above the report does not speak of other threads or connections."""
    return all(params.get(name, size) == size for name, size in list_sizes(command).items())


def find_correction(version: str | None) -> str:
    """Return how a version corrects its latencies for coordinated omission."""
    major = re.search(r"\d+", version or "")
    return "no" if major and int(major[0]) < _FIRST_CORRECTED else "approximate"


def find_rate(command: str) -> float | None:
    """Return the requests per second that a command of wrk2 requests."""
    rate = _RATE.search(command)
    return parse_count(rate[1]).value if rate else None


def holds_rate(command: str) -> bool:
    """Whether a command requests a rate, as each of wrk2 has to, even one in a variable."""
    return _HELD.search(command) is not None
