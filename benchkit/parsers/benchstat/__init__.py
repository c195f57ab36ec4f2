r"""benchstat's text tables, old and new: medians or means of Go benchmarks, and comparisons.

A README often keeps only the comparison; its numbers can be read, but not tested again.

The new tool (since January 2023), verbatim; each column begins at its bar::

    goos: linux
    goarch: amd64
    pkg: bench/redisbench
    cpu: Intel(R) Xeon(R) Processor
                 │   few.txt    │               few2.txt               │
                 │    sec/op    │    sec/op     vs base                │
    Redis/Ping-2   66.98µ ± 21%   36.14µ ± 31%  -46.04% (p=0.000 n=10)
    Redis/Set-2    61.32µ ± 30%   53.01µ ± 54%        ~ (p=0.394 n=6)
    geomean        64.09µ         43.77µ        -31.70%

The old tool, verbatim (the head is ``name  time/op`` for one file, and ``name \ time/op  a.txt
b.txt  c.txt`` for three or more; rows like ``pkg:encoding/gob`` are headings of groups)::

    name                  old time/op    new time/op    delta
    Redis/Ping-2            65.9µs ±26%    35.4µs ±34%    -46.29%  (p=0.000 n=10+9)
    Redis/Set-2             54.4µs ±62%    44.9µs ±34%       ~     (p=0.133 n=10+9)
    [Geo mean]              56.9µs         45.0µs         -20.96%

Meaning of the numbers. New tool: the median; ``±`` is the wider half of its confidence interval in
whole per cent, so ``ci_low`` and ``ci_high`` enclose the interval (``∞``: too few runs for one). If
a unit is declared exact but varies, the centre is the most frequent value (``mode``). Old tool: the
mean without outliers; ``±`` is the largest deviation of the remaining runs in either direction
(``max_deviation``), and ``n`` is their number. Prefixes are powers of 1,000, except for bytes of
the new tool (``Ki`` is 1,024). A geomean is an aggregate, which is listed but not compared. Deltas
and p-values are not kept, because they follow from the rows or from the raw runs; a p-value that is
impossible with its ``n`` is reported.

Not recorded: the runs, their number in a table of one column, their time, the confidence level, and
the versions of the tool and of Go.
"""

from __future__ import annotations

from benchkit.parsers.base import Form, Format, Tool, late
from benchkit.regexes import regex

#: Lines above and below the tables without information about the results.
_CHATTER = regex(
    r"\A(?:(?:goos|goarch|pkg|cpu): .*|(?:geomean|\[Geo mean\])\s.*|[¹²³⁴⁵⁶⁷⁸⁹⁰]+ .*"
    r"|\s+│.*│\s*|name(?: \\)?\s+\S+/op\b.*|name\s+\S+ (\S+)\s+\S+ \1\s+delta\s*)\Z"
)
NOT_RECORDED = "individual runs; their number in tables of one column; time; confidence level"

TEXT = Format(
    name="benchstat",
    tools=("benchstat",),
    words=("±", " delta"),
    anchors=(
        ("name ", r"(?:\\ \S| *(?:old )?\S+/\S+)"),
        ("│", r".*│\s*$"),
    ),
    summary="benchstat's text tables: medians (new format) or means (old format) per column and "
    "benchmark",
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
            not_recorded=f"{NOT_RECORDED}; the file names, if there are one or two files",
        ),
    ),
    recognises=late("benchkit.parsers.benchstat.reader:recognises"),
    parse=late("benchkit.parsers.benchstat.reader:parse"),
    embeds=True,
    chatter=_CHATTER,
)

_NOT_RECORDED = "individual runs; their number in tables of one column; time"

FILES = Format(
    name="benchstat_files",
    tools=("benchstat",),
    words=(",CI", "benchstat", "name"),
    summary="benchstat's csv and html: medians (new format) or means (old format) per column and "
    "benchmark",
    forms=(
        Form(
            name="csv",
            signature=",old.txt,,new.txt,,, over ,sec/op,CI,sec/op,CI,vs base,P",
            versions="since January 2023",
            not_recorded=f"{_NOT_RECORDED}; confidence level",
        ),
        Form(
            name="old-csv",
            signature="name,old time/op (ns/op),±,new time/op (ns/op),±,delta,±",
            versions="2019 to January 2023",
            not_recorded=f"{_NOT_RECORDED}; the file names, if there are one or two files",
        ),
        Form(
            name="old-html",
            signature="<table class='benchstat oldnew'>",
            versions="before January 2023",
            not_recorded=_NOT_RECORDED,
        ),
    ),
    recognises=late("benchkit.parsers.benchstat.files:recognises"),
    parse=late("benchkit.parsers.benchstat.files:parse"),
)

TOOLS = (
    Tool(
        name="benchstat",
        formats=(TEXT, FILES),
        role="summary",
        metrics={"time_per_op": "", "bytes_per_op": "", "allocs_per_op": "", "processing_rate": ""},
        primaries=(("time_per_op", "median"), ("time_per_op", "mean")),
    ),
)
