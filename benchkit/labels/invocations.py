"""The words of a load tool's command line that make it another test.

Redirections, files that results are written to and options that only print more are left out, and
so is the host, which is a label by itself. Commands come redacted.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from benchkit.regexes import regex

__all__ = ["differences", "read_words"]

Words = tuple[str, ...]

#: Where a shell ends a command or turns its output elsewhere.
_END = regex(r"[|;&<>]|\d?>|2>&1")
_FLAG = regex(r"-[a-zA-Z]")
_ATTACHED = regex(r"(-[a-zA-Z])=?(\d\S*)")


def read_words(command: str, outputs: Words = (), printing: Words = ()) -> Words:
    """Return the words of a command that count, in its order.

    Parameters
    ----------
    outputs : tuple of str
        Options of the tool whose value names a file for results or the run itself.
    printing : tuple of str
        Options of the tool that print more or less and change nothing else.

    Examples
    --------
    >>> command = "wrk -t4 -d 30s --latency http://h:8080/a?b=c > out.txt"
    >>> read_words(command, printing=("--latency",))
    ('wrk', '-t', '4', '-d', '30s', '/a?b=c')
    """
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        name = word.partition("=")[0]
        if _END.match(word):
            break
        if name in outputs:
            if name == word:
                next(rest, "")
        elif word not in printing:
            attached = _ATTACHED.fullmatch(word)
            kept += attached.groups() if attached else (_drop_host(word),)
    return tuple(kept)


def differences(commands: Sequence[Words]) -> list[str]:
    """Return what each command has that not all of them have.

    Examples
    --------
    >>> differences([("wrk", "-s", "post.lua", "/"), ("wrk", "/")])
    ['-s post.lua', '']
    """
    counts = [Counter(words) for words in commands if words]
    common = counts[0].copy() if counts else Counter()
    for each in counts[1:]:
        common &= each
    return [" ".join(_leave_out(words, common)) for words in commands]


def _leave_out(words: Words, common: Counter[str]) -> list[str]:
    left = common.copy()
    kept: list[str] = []
    for before, word in pairwise(("", *words)):
        if left[word]:
            left[word] -= 1
        elif _FLAG.fullmatch(before) and word[:1].isdigit() and before not in kept[-1:]:
            kept.append(before + word)
        else:
            kept.append(word)
    return kept


def _drop_host(word: str) -> str:
    scheme, mark, rest = word.partition("://")
    return "/" + rest.partition("/")[2] if mark and scheme.isalpha() else word
