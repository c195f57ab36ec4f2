"""Facts about a run from wrk's command line and version."""

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
    """Return the threads and connections in a command."""
    matches = ((name, option.search(command)) for name, option in _SIZE_OPTIONS.items())
    return {name: match[1] for name, match in matches if match is not None}


def agrees(command: str, params: dict[str, str]) -> bool:
    """Return whether a command has no other threads or connections than the report below it."""
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
    """Return whether a command has a rate, as wrk2 requires, even if it is in a variable."""
    return _HELD.search(command) is not None
