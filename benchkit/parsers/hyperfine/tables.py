"""hyperfine's tables: Markdown and Org, as a file or within a page, and CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from benchkit.parsers.base import Diagnostic, Head, Reading, Record, Source
from benchkit.parsers.hyperfine import name_command
from benchkit.reading.delimited import header_of, read_rows
from benchkit.reading.source import UntilDamage
from benchkit.regexes import regex
from benchkit.units import parse_time

_WHOLE = "use the file that hyperfine wrote"
#: Prefixes that pages put before a table.
_PASTED = regex(r"[\s#>/]*+(?=\|)")
_HEADS = regex(r"\|\s*Command\s*\|\s*Mean \[(s|ms|µs)\]\s*\|([^\n]*)\|")
_FIND = regex(rf"^[ \t#>/]{{0,99}}{_HEADS.pattern}", re.MULTILINE)
_ROW = regex(r"\|\s*+([`=])(.{1,9999})\1([^|`=]{0,200}+)\|([^|]*+)\|(.*+)", re.ASCII)
_AMOUNT = r"\s*+\**+(\d{1,9}\.\d{1,4})"
#: The content of cells, by the beginning of their heads; before 1.7 one column had both extremes.
_HELD = {
    "Mean": (regex(rf"{_AMOUNT}\s*+(?:±{_AMOUNT})?\**+\s*+", re.ASCII), ("mean", "stdev")),
    "Min [": (regex(rf"{_AMOUNT}\**\s*", re.ASCII), ("min",)),
    "Max [": (regex(rf"{_AMOUNT}\**\s*", re.ASCII), ("max",)),
    "Min…Max [": (regex(rf"{_AMOUNT}…(\d{{1,9}}\.\d{{1,4}})\**\s*", re.ASCII), ("min", "max")),
}


def recognises_table(head: Head) -> bool:
    """Return whether a text has the head of a table."""
    return _FIND.search(head.text) is not None


def parse_table(source: Source) -> Iterator[Record]:
    """Yield a reading per command from the Markdown or Org tables of a text."""
    unit, heads, is_empty = "", [""], True
    lines = UntilDamage(source.ended_lines())
    for line, text, is_ended in lines:
        cells = text[begin.end() :].strip() if (begin := _PASTED.match(text)) else ""
        if header := _HEADS.fullmatch(cells):
            unit, heads = header[1], ["Mean", *map(str.strip, header[2].split("|"))]
        elif not cells:
            unit = ""
        elif not unit or (is_ended and not cells.strip("|:-+ \t")):
            continue
        elif (run := _read_row(cells, heads, unit, line)) is not None:
            is_empty = False
            yield run
        else:
            is_empty = False
            what = "this line is not a row of hyperfine's table, and was left out"
            yield Diagnostic(source.label, line, what, _WHOLE, "warning")
    lines.raise_damage()
    if is_empty:
        yield Diagnostic(source.label, 0, "no complete table of hyperfine here", _WHOLE)


def _read_row(text: str, heads: Sequence[str], unit: str, line: int) -> Reading | None:
    """Return the result in a row; None if it is not one."""
    row = _ROW.fullmatch(text) if text.endswith("|") else None
    cells = [row[4], *row[5].split("|")[:-1]] if row else []
    if row is None or len(cells) != len(heads):
        return None
    run = Reading(tool="hyperfine", form="table", line=line, last_line=line)
    run.benchmark = f"{row[2]} {row[3].strip()}".strip().replace(r"\|", "|")
    for head, cell in zip(heads, cells, strict=True):
        name = next((name for name in _HELD if head.startswith(name)), "")
        pattern, stats = _HELD.get(name, (_ROW, ()))
        amounts = pattern.fullmatch(cell) if name else None
        if name and amounts is None:
            return None
        for stat, amount in zip(stats, amounts.groups() if amounts else (), strict=True):
            if amount:
                time = parse_time(amount + unit)
                run.add("time_per_op", stat, time.value, "s", line, resolution=time.resolution)
    return run


#: The columns of the CSV after the command, in order.
_CELLS = {
    "mean": ("time_per_op", "mean", None),
    "stddev": ("time_per_op", "stdev", None),
    "median": ("time_per_op", "median", None),
    "user": ("cpu_time_per_op", "mean", "user"),
    "system": ("cpu_time_per_op", "mean", "system"),
    "min": ("time_per_op", "min", None),
    "max": ("time_per_op", "max", None),
}
_COLUMNS = ["command", *_CELLS]
_SECONDS = regex(r"\d{1,9}(?:\.\d{1,25})?(?:e-\d{1,3})?", re.ASCII)


def recognises_csv(head: Head) -> bool:
    """Return whether a text begins with the header of the CSV."""
    return head.is_start and header_of(head.text)[: len(_COLUMNS)] == _COLUMNS


def parse_csv(source: Source) -> Iterator[Record]:
    """Yield a reading per command."""
    for line, row in read_rows(source, "hyperfine", _COLUMNS):
        if isinstance(row, Diagnostic):
            yield row
            continue
        params = {name[10:]: row[name] for name in row if name.startswith("parameter_")}
        run = Reading(tool="hyperfine", form="csv", line=line, last_line=line, params=params)
        run.benchmark = name_command(row["command"], params)
        known = (name for name in _CELLS if row[name] or name != "stddev")  # it ran once
        cells = {name: row[name].replace(",", ".") for name in known}
        if not all(map(_SECONDS.fullmatch, cells.values())):
            what = "a time of this row is not a number of seconds; the row was left out"
            yield Diagnostic(source.label, line, what, _WHOLE, "warning")
            continue
        for name, text in cells.items():
            if name != "stddev" or float(text):  # a single execution has no spread
                metric, stat, subject = _CELLS[name]
                run.add(metric, stat, float(text), "s", line, subject=subject)
        yield run
