r"""benchstat's text tables, old and new: medians or means of Go benchmarks, compared.

In: what benchstat prints, bare, quoted, or pasted among other text. Out: one reading per column
and benchmark. Why: a README often keeps only the comparison; its numbers can be read, but not
tested again.

The new tool (since January 2023), verbatim; a column begins at its bar::

    goos: linux
    goarch: amd64
    pkg: bench/redisbench
    cpu: Intel(R) Xeon(R) Processor
                 │   few.txt    │               few2.txt               │
                 │    sec/op    │    sec/op     vs base                │
    Redis/Ping-2   66.98µ ± 21%   36.14µ ± 31%  -46.04% (p=0.000 n=10)
    Redis/Set-2    61.32µ ± 30%   53.01µ ± 54%        ~ (p=0.394 n=6)
    geomean        64.09µ         43.77µ        -31.70%

The old tool, verbatim (with one file the head is ``name  time/op``, with three or more
``name \ time/op  a.txt  b.txt  c.txt``; rows ``pkg:encoding/gob`` head groups)::

    name                  old time/op    new time/op    delta
    Redis/Ping-2            65.9µs ±26%    35.4µs ±34%    -46.29%  (p=0.000 n=10+9)
    Redis/Set-2             54.4µs ±62%    44.9µs ±34%       ~     (p=0.133 n=10+9)
    [Geo mean]              56.9µs         45.0µs         -20.96%

What the numbers are. New: the median; ``±`` is the wider half of its confidence interval, in whole
per cent, so ``ci_low`` and ``ci_high`` are a hull of it (``∞``: too few runs, none is given). Of a
unit that is declared exact and varies the centre is the most frequent value (``mode``). Old: the
mean without outliers; ``±`` is the largest deviation of the runs that were kept, in either
direction (``max_deviation``); ``n`` counts those runs. Scaled by 1,000, but for bytes of the new
tool (``Ki`` is 1,024). Deltas, p-values and geomeans are not kept: they follow from the rows, or
from the raw runs; a p-value that its ``n`` cannot give is told.

Not recorded: the runs, how many they are in a table of one column, when they were taken, the level
of confidence, and the versions of the tool and of Go.
"""

from __future__ import annotations

import re

from benchkit.parsers.base import Form, Format, Head
from benchkit.parsers.benchstat.reader import parse

__all__ = ["FORMAT"]

_START = r"^[ \t#>|*/]*"
_SPREAD = r"[^\n±]{0,2000}?\d[^\s±]{0,20}[ \t]{1,9}±[ \t]{0,9}[\d∞?]"
_MANY = r" \\ \S+[ \t]{2,}\S[^\n]*"
_SIGNS = (
    re.compile(rf"(?:{_START}│[^\n]*│[ \t]*\n){{2}}{_SPREAD}", re.MULTILINE),
    re.compile(rf"{_START}name[ \t]+old (\S+)[ \t]+new \1[ \t]+delta[ \t]*$", re.MULTILINE),
    re.compile(
        rf"{_START}name(?:{_MANY}|[ \t]+\S+[ \t]*)\n(?:[^\n±]*\n){{0,3}}{_SPREAD}", re.MULTILINE
    ),
)
_WORDS = ("±", " delta")

NOT_RECORDED = "the runs behind a number; n in tables of one column; time; confidence level"


def recognises(head: Head) -> bool:
    """Whether a text holds the head of a table of benchstat and a row below it."""
    return any(word in head.text for word in _WORDS) and any(
        sign.search(head.text) for sign in _SIGNS
    )


FORMAT = Format(
    name="benchstat",
    tools=("benchstat",),
    summary="benchstat's text tables: medians (new) or means (old) per column and benchmark",
    forms=(
        Form(
            name="text",
            signature="│ old.txt │ new.txt │ over │ sec/op │ sec/op  vs base │",
            versions="since January 2023",
            not_recorded=NOT_RECORDED,
        ),
        Form(
            name="old-text",
            signature="name  old time/op  new time/op  delta",
            versions="before January 2023",
            not_recorded=f"{NOT_RECORDED}; the files' names where there are one or two",
        ),
    ),
    recognises=recognises,
    parse=parse,
    embeds=True,
)
