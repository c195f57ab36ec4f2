r"""benchstat's text tables, old and new: medians or means of Go benchmarks, compared.

A README often keeps only the comparison; its numbers can be read, but not tested again.

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
tool (``Ki`` is 1,024). A geomean is an aggregate, which is listed and not compared. Deltas and
p-values are not kept: they follow from the rows, or from the raw runs; a p-value that its ``n``
cannot give is told.

Not recorded: the runs, how many they are in a table of one column, when they were taken, the level
of confidence, and the versions of the tool and of Go.
"""

from __future__ import annotations

from benchkit.parsers.base import Form, Format, Tool, late
from benchkit.regexes import regex

#: What stands above and below its tables, and says nothing of the results.
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
