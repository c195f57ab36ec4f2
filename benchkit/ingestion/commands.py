"""The commands that results were measured with, as a page or a log shows them above these."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchkit.ingestion.parts import find_attack_rate
from benchkit.labels.headings import shorten
from benchkit.labels.sections import is_near_rate
from benchkit.parsers.base import Reading, find_command
from benchkit.reading.passages import list_held
from benchkit.reading.surroundings import Above, Block, read_headings
from benchkit.regexes import regex

#: A command at a shell's prompt, behind a user and a folder.
_PROMPT = regex(
    r"[ \t#>|*]*(?:[^\s$%@]{1,40}@[^\s$%]{1,60}(?: [^\s$%]{1,60})?)? ?[$%] "
    r"(?P<command>(?:[A-Za-z_]\w*=\S* )*(?:[^\s/]*/)*(?P<program>[\w.-]+).*)"
)
#: Programs that show what another one wrote, and those that move it or measure nothing.
_DISPLAYS = frozenset(
    {"awk", "cat", "cut", "grep", "head", "jq", "less", "more", "sed", "sort", "tail"}
)
_SHOWING = _DISPLAYS | {"cd", "cp", "echo", "git", "ls", "mv"}


def shows_file(line: str) -> bool:
    """Tell whether a line is a command at its prompt that shows what another one wrote.

    Examples
    --------
    >>> shows_file("$ cat one.txt"), shows_file("$ cargo bench")
    (True, False)
    """
    match = _PROMPT.match(line)
    return match is not None and match["program"] in _DISPLAYS


def take_prompts(readings: Sequence[Reading], lines: Sequence[str]) -> None:
    """Give named results that show no command the one that was typed above them."""
    above = 0
    for reading in readings:
        if reading.benchmark and not reading.command:
            typed = filter(None, map(_PROMPT.match, reversed(lines[above : reading.line - 1])))
            match = next(typed, None)
            if match and match["program"] not in _SHOWING:
                reading.command = match["command"].strip()
        above = max(above, reading.last_line)


def hold_commands(
    readings: Sequence[Reading],
    blocks: Sequence[Block],
    above: Sequence[Above],
    lines: Sequence[str],
) -> None:
    """Give blocks without a command that of the block above, where it holds for them, too."""
    if all(reading.command for reading in readings) or not any(r.command for r in readings):
        return
    held = list_held(lines, blocks, lambda text: shorten(text)[0])
    leading, scope = None, dict[int, str]()
    for at, reading in enumerate(readings):
        if reading.command:
            scope = _find_scope(lines, blocks, at)
            leading = reading if scope.items() < above[at].headings.items() else None
            continue
        before = readings[at - 1] if at else reading
        is_same = held[at] and above[at - 1].headings == above[at].headings
        owner = before if before.command and is_same else leading
        if owner is None or not owner.command or not scope.items() <= above[at].headings.items():
            continue
        tool = re.escape(owner.command.partition(" ")[0])
        between = lines[blocks[at - 1].last : blocks[at].first - 1]
        if any(find_command(line, tool) for line in between):
            leading = None
        elif not _is_other(owner, reading) and not _misses_rate(reading, owner.target_rate):
            _take_command(reading, owner)


def _find_scope(lines: Sequence[str], blocks: Sequence[Block], at: int) -> dict[int, str]:
    """Return the headings above the command of a block, which holds for all blocks below them."""
    shown = blocks[at].command[:40]
    start = blocks[at - 1].last if at else 0
    numbers = (n for n in range(blocks[at].first - 1, start, -1) if shown in lines[n - 1])
    number = next(numbers, 0)
    if not number:
        number = blocks[at].first
    return read_headings(lines, [Block(number, number), *blocks])[0].headings


def _take_command(reading: Reading, owner: Reading) -> None:
    """Give a block the command of another one, and what it says of the load."""
    for name in ("command", "tool", "load_model", "target_rate", "connections", "corrected"):
        setattr(reading, name, getattr(owner, name))
    reading.params = dict(owner.params)
    if not reading.target:
        reading.target = owner.target
        reading.env = {
            **{k: owner.env[k] for k in ("host", "query") if k in owner.env},
            **reading.env,
        }


def _is_other(before: Reading, reading: Reading) -> bool:
    """Tell whether a report shows that it is no repeat of the one before."""
    pairs = [(each.target, each.env.get("host", "")) for each in (reading, before)]
    is_elsewhere = any(one and other and one != other for one, other in zip(*pairs, strict=True))
    return is_elsewhere or not before.params.items() >= reading.params.items()


def _misses_rate(reading: Reading, rate: float | None) -> bool:
    """Tell whether the requests of a block were sent at another rate than its command sets."""
    sent = find_attack_rate(reading)
    return bool(sent and rate) and not is_near_rate(sent, rate)
