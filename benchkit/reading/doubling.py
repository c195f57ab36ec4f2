"""Texts in which every line stands twice, as where `tee` runs in a job whose output is kept.

Such a text has every number twice, and so twice as many runs as were measured.
"""

from __future__ import annotations

from collections.abc import Iterator

#: Different lines with a digit that are not doubled by chance.
_ENOUGH = 5

#: A line, and whether it has its line end.
Line = tuple[str, bool]


def is_doubled(text: str, *, is_whole: bool = True) -> bool:
    r"""Whether every line that is not blank stands twice, one below the other.

    A text that is not whole may end in the middle of a line.

    Examples
    --------
    >>> log = [f"BenchmarkA-8  {count}  {count / 7:.1f} ns/op" for count in range(100, 105)]
    >>> is_doubled("\n".join(log)), is_doubled("\n".join(line for line in log for _ in range(2)))
    (False, True)
    """
    if not is_whole:
        text = text[: text.rfind("\n") + 1]
    first, _, rest = text.lstrip().partition("\n")
    if not first or not rest.lstrip().startswith(first):
        return False
    lines = [line for line in text.split("\n") if line.strip()]
    if lines[:-1:2] != lines[1::2]:
        return False
    return len({line for line in lines if any(map(str.isdigit, line))}) >= _ENOUGH


def blank_repeats(text: str) -> str:
    r"""Return a doubled text with empty lines in place of the repeats.

    Examples
    --------
    >>> blank_repeats("one\none\ntwo\ntwo")
    'one\n\ntwo\n'
    """
    lines = ((line, True) for line in text.split("\n"))
    return "\n".join(line for line, _ in leave_out_repeats(lines))


def leave_out_repeats(lines: Iterator[Line]) -> Iterator[Line]:
    """Yield the lines of a doubled text, empty where they repeat the one above."""
    held = ""
    for line, is_ended in lines:
        is_filled = bool(line.strip())
        is_repeat = is_filled and line == held
        if is_filled:
            held = "" if is_repeat else line
        yield ("" if is_repeat else line), is_ended
