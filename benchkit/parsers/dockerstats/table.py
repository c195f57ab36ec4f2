"""One row of ``docker stats``, from the table or a JSON line.

Both forms have the same formatted texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from benchkit.parsers.base import strip_prefix
from benchkit.parsers.counters import CONTAINERS, DISK, NETWORK, Measure
from benchkit.regexes import regex
from benchkit.units import Quantity, parse_bytes, scale, step

#: The gap between cells; blanks around a slash and before a unit of bytes are part of a cell.
_GAP = regex(r"(?<![/\s])\s+(?![/\s]|[kKMGTP]?i?B\b)")
_CPU = Measure("cpu_usage", "cores", "sample")
_MEMORY = CONTAINERS["container_memory_usage_bytes"]
_KEYS = {
    "Name": "NAME",
    "ID": "CONTAINER ID",
    "Container": "CONTAINER",
    "CPUPerc": "CPU %",
    "MemUsage": "MEM USAGE / LIMIT",
    "NetIO": "NET I/O",
    "BlockIO": "BLOCK I/O",
}
_COLUMNS = frozenset({*_KEYS.values(), "MEM USAGE/LIMIT", "MEM %", "PIDS", "CPU TIME", "AVG CPU %"})
#: Podman's column names.
_SAME = {
    "ID": "CONTAINER ID",
    "NET IO": "NET I/O",
    "BLOCK IO": "BLOCK I/O",
    "MEM USAGE": "MEM USAGE / LIMIT",
}
_NAME = regex(rf"({'|'.join(sorted(map(re.escape, _COLUMNS | {*_SAME}), reverse=True))})(?:\s+|\Z)")
_PERCENT = regex(r"(\d+(?:\.\d+)?)%")


def is_header(line: str) -> bool:
    """Return whether a line is the header of the table.

    Examples
    --------
    >>> is_header("NAME      CPU %     MEM USAGE / LIMIT")
    True
    >>> is_header("NAME CPU % MEM USAGE / LIMIT")
    True
    """
    names = set(read_header(line))
    named = {"NAME", "CONTAINER", "CONTAINER ID"} & names
    return "CPU %" in names and bool(named)


def read_header(line: str) -> list[str]:
    """Return the names of the columns in Docker's spelling; empty for any other line."""
    text = strip_prefix(line).strip()
    names, place = list[str](), 0
    while place < len(text) and (name := _NAME.match(text, place)):
        names.append(_SAME.get(name[1], name[1]))
        place = name.end()
    return names if place == len(text) else []


def split(line: str) -> list[str]:
    """Split a line of the table into its cells."""
    return [cell for cell in _GAP.split(strip_prefix(line).strip()) if cell]


def read_json(line: str) -> dict[str, str] | None:
    """Return the cells of a JSON line; None if it does not come from docker stats."""
    try:
        cells = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(cells, dict) or "CPUPerc" not in cells:
        return None
    return {name: str(cells[key]) for key, name in _KEYS.items() if key in cells}


def subject_of(cells: Mapping[str, str]) -> str:
    """Return the container's name, or its id if no name is shown."""
    named = (cells.get(column, "--") for column in ("NAME", "CONTAINER", "CONTAINER ID"))
    return next((name for name in named if name not in ("--", "")), "")


def read_cells(cells: Mapping[str, str]) -> Iterator[tuple[Measure, Quantity]]:
    """Yield the values of a row, skipping cells that are ``--``, truncated or malformed."""
    share = _share(cells.get("CPU %", ""))
    if share is not None:
        yield _CPU, share
    memory = cells.get("MEM USAGE / LIMIT") or cells.get("MEM USAGE/LIMIT", "")
    pairs = (
        (memory, (_MEMORY,)),
        (cells.get("NET I/O", ""), NETWORK),
        (cells.get("BLOCK I/O", ""), DISK),
    )
    for text, measures in pairs:
        for measure, amount in zip(measures, text.split("/"), strict=False):
            quantity = _amount(amount)
            if quantity is not None:
                yield measure, quantity


def _share(text: str) -> Quantity | None:
    percent = _PERCENT.fullmatch(text)
    try:
        return percent and Quantity(scale(percent[1], -2), step(percent[1], -2))
    except ValueError:  # too large for a float
        return None


def _amount(text: str) -> Quantity | None:
    if not text.strip().endswith("B"):
        return None
    try:
        return parse_bytes(text, binary=False)  # the unit MiB implies powers of 1,024
    except ValueError:
        return None
